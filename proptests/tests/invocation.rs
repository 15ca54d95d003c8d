//! One invocation under thousands of random lives.

#![allow(clippy::unwrap_used, reason = "this is a test")]

mod kept;

use std::collections::BTreeSet;

use kept::config;
use mrtr_core::client::{Fault, Outcome};
use mrtr_proptests::invocation::{ClientOp, ClientWorld};
use proptest::{collection::vec, prelude::*, strategy::ValueTree, test_runner::TestRunner};

fn lives() -> impl Strategy<Value = (u8, Vec<ClientOp>)> {
    (any::<u8>(), vec(any::<[u8; 3]>().prop_map(ClientOp::from), 0..60))
}

fn lived(setup: u8, ops: Vec<ClientOp>) -> ClientWorld {
    let mut world = ClientWorld::new(setup);
    for op in ops {
        world.apply(op);
    }
    world
}

proptest! {
    #![proptest_config(config(4_000))]

    /// proves: CL-01, CL-02, CL-03, CL-04, CL-05, CL-06, CL-07, CL-08, CL-09, CL-10, CL-11, CL-13
    /// proves: CL-14, CL-15, CL-18, CL-19, CL-20, CL-22, CL-23, PR-02
    #[test]
    fn the_invariants_hold_whatever_happens((setup, ops) in lives()) {
        lived(setup, ops);
    }
}

/// proves: PR-02
#[test]
fn random_lives_get_everywhere() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..4_000 {
        let (setup, ops) = lives().new_tree(&mut runner).unwrap().current();
        let world = lived(setup, ops);
        seen.insert(format!("{} legs", world.legs_sent()));
        seen.extend(world.seen().map(Into::into));
        seen.insert(match world.outcome() {
            None => "no outcome".into(),
            Some(Outcome::Complete(_)) => "complete".into(),
            Some(Outcome::Error(_)) => "error".into(),
            Some(Outcome::Fault(Fault::Undeclared { kind })) => (*kind).into(),
            Some(Outcome::Fault(Fault::RoundLimit { .. })) => "round limit".into(),
            Some(Outcome::Fault(Fault::Form(_))) => "form".into(),
            Some(Outcome::Fault(_)) => "wire".into(),
            Some(other) => format!("{other:?}"),
        });
    }
    let expected = [
        "1 legs",
        "2 legs",
        "3 legs",
        "4 legs",
        "5 legs",
        "6 legs",
        "no outcome",
        "complete",
        "error",
        "Stopped",
        "Lost",
        "OutcomeUnknown",
        "Unanswerable",
        "TimedOut(Leg)",
        "TimedOut(Execution)",
        "TimedOut(Interaction)",
        "round limit",
        "form",
        "wire",
        "input_required",
        "form elicitation",
        "URL elicitation",
        "sampling",
        "sampling with tools",
        "sampling with context",
        "roots",
        "all kinds are asked",
        "a form is answered",
        "a URL is answered",
        "a model answers",
        "roots are listed",
        "an answer of a wrong kind is refused",
        "an answer that does not fit is refused",
        "an answer without its shape is refused",
        "a leg has more time",
    ];
    let missing: Vec<_> = expected.into_iter().filter(|place| !seen.contains(*place)).collect();
    assert!(missing.is_empty(), "no life got to {missing:?}, but to {seen:?}");
}
