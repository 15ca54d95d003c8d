//! A host under thousands of random lives, and hosts that lie, so that each check is seen to fail.

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

use kept::config;
use mrtr_proptests::broker::{HostOp, HostWorld};
use proptest::{collection::vec, prelude::*};

fn lives() -> impl Strategy<Value = (u8, Vec<HostOp>)> {
    (any::<u8>(), vec(any::<[u8; 4]>().prop_map(HostOp::from), 0..100))
}

proptest! {
    #![proptest_config(config(2_000))]

    /// proves: HB-01, HB-02, HB-03, HB-05, HB-06, HB-07, HB-08, HB-09, HB-10, HB-11, HB-12, HB-13
    #[test]
    fn the_rules_hold_whatever_happens((setup, ops) in lives()) {
        let mut world = HostWorld::new(setup);
        for op in ops {
            world.apply(op);
        }
    }
}
