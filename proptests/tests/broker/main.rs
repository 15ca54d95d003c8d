//! A host under thousands of random lives, and hosts that lie, so that each check is seen to fail.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod liar;
mod lies;
mod lives;

use mrtr_proptests::broker::{Op, World};
use proptest::{collection::vec, prelude::*, test_runner::FileFailurePersistence};

/// Failures are kept beside this file, and tried first ever after. `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let kept = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: usual.cases.max(2_000),
        failure_persistence: Some(Box::new(kept)),
        ..usual
    }
}

fn lives() -> impl Strategy<Value = (u8, Vec<Op>)> {
    (any::<u8>(), vec(any::<[u8; 4]>().prop_map(Op::from), 0..100))
}

proptest! {
    #![proptest_config(config())]

    /// proves: HB-01, HB-02, HB-03, HB-05, HB-06, HB-07, HB-08, HB-09, HB-10, HB-11, HB-12, HB-13
    #[test]
    fn the_rules_hold_whatever_happens((setup, ops) in lives()) {
        let mut world = World::new(setup);
        for op in ops {
            world.apply(op);
        }
    }
}
