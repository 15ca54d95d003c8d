//! Everything at once under thousands of random lives, and participants that are broken, so that
//! each invariant is seen to fail.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

#[path = "../kept/mod.rs"]
mod kept;
mod lives;
mod seeds;

use kept::config;
use mrtr_proptests::world::{World, WorldOp};
use proptest::{collection::vec, prelude::*};

fn lives() -> impl Strategy<Value = (u8, Vec<WorldOp>)> {
    (any::<u8>(), vec(any::<[u8; 4]>().prop_map(WorldOp::from), 0..50))
}

proptest! {
    #![proptest_config(config(1_000))]

    /// proves: PR-02, CL-02, CL-03, CL-05, CL-09, CL-10, CL-11, CL-13, CL-18, CL-19, CL-20
    /// proves: HB-01, HB-06, HB-08, HB-09, HB-10, HB-11, HB-12
    /// proves: SV-02, SV-04, SV-05, SV-07, ST-03, ST-06, ST-08
    #[test]
    fn the_invariants_hold_whatever_happens((setup, ops) in lives()) {
        let mut world = World::new(setup);
        for op in ops {
            world.apply(op);
        }
        world.rest(setup >> 6 & 1 == 1);
    }
}
