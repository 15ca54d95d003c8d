//! Lives that are the same in every run.

use mrtr_proptests::invariants::Violation;
use std::collections::BTreeSet;

use mrtr_core::host::{Broker, Epoch, Limits};
use mrtr_proptests::{
    broker::{
        Does, Host, HostOp, HostWorld, Says, WhichConnection, WhichInvocation, WhichNumber, ops,
    },
    random::{Bytes as _, Dice},
};

/// Lets a kind of host live, and returns what was seen and what it broke.
pub(crate) fn live<H: Host>(kind: &H, life: u64) -> (BTreeSet<String>, Result<(), Violation>) {
    let mut dice = Dice::of_life(life);
    let setup = dice.next_byte();
    let bytes: Vec<u8> = (0..400).map(|_| dice.next_byte()).collect();
    let mut world = match HostWorld::of(kind, setup) {
        Ok(world) => world,
        Err(broken) => return (BTreeSet::new(), Err(broken)),
    };
    let lived = ops(&bytes).try_for_each(|op| world.try_apply(op));
    (world.seen().map(String::from).collect(), lived)
}

/// Everything that can happen to somebody: what [`HostWorld::seen`] names begins so.
const ALL: [&str; 62] = [
    "a surface notices a gap",
    "an epoch is not used again",
    "closed Failed",
    "closed HostRestarted",
    "closed Inconsistent",
    "closed ProviderLost",
    "closed Rejected",
    "closed Released",
    "closed Retired",
    "closed Stopped",
    "closed StoreFailed",
    "closed Superseded",
    "closed TimedOut",
    "closed TurnEnded",
    "closed Unanswerable",
    "ended Answered(Accept)",
    "ended Answered(Decline)",
    "ended Answered(Cancel)",
    "misuse AlreadyConnected",
    "misuse NotConnected",
    "misuse NotRegistered",
    "misuse NotStoring",
    "misuse OldEpoch",
    "misuse UnknownInteraction",
    "misuse WrongSession",
    "misuse invalid",
    // The live invocations of a session, and those of a connection.
    "misuse limit 2",
    "misuse limit 3",
    "misuse stale None",
    "misuse stale Some(Answered(Accept))",
    "misuse stale Some(Answered(Decline))",
    "misuse stale Some(Answered(Cancel))",
    "misuse stale Some(Closed(",
    "misuse too_large",
    "misuse wrong_kind",
    "refused already_accepted",
    "refused duplicate",
    "refused form",
    // The open questions of a session, all questions of an invocation, the bytes of a connection.
    "refused limit 1",
    "refused limit 2",
    "refused limit 900",
    "refused not_accepted",
    "refused not_connected",
    "refused not_live",
    "refused number",
    "refused old_epoch",
    "refused pending",
    "refused unreadable",
    "refused wrong_connection",
    "settled complete",
    "settled failed",
    "settled inconsistent",
    "settled lost",
    "settled outcome_unknown",
    "settled rejected",
    "settled released",
    "settled stopped",
    "settled store_failed",
    "settled timed_out Execution",
    "settled timed_out Interaction",
    "settled timed_out Leg",
    "settled unanswerable",
];

/// proves: PR-02
#[test]
fn lives_get_to_everything_that_there_is() {
    let honest = Broker::volatile(Epoch::new(0), Limits::default());
    let mut seen = BTreeSet::new();
    for life in 0..3_000 {
        let (of_it, lived) = live(&honest, life);
        lived.unwrap();
        seen.extend(of_it);
    }
    let is_seen = |all: &&str| seen.iter().any(|seen| seen.starts_with(*all));
    let missing: Vec<_> = ALL.into_iter().filter(|all| !is_seen(all)).collect();
    assert!(missing.is_empty(), "{missing:?} of {seen:?}");
}

/// Asks a question of a new invocation.
fn asks() -> [HostOp; 3] {
    let (invocation, connection) = (WhichInvocation::Live(0), WhichConnection::Own);
    let asks = Says::Ask { number: WhichNumber::Next(0), request: 0 };
    [
        HostOp::Call { session: 0, turn: 0, registration: 0 },
        HostOp::Say { invocation, connection, says: Says::Accepted },
        HostOp::Say { invocation, connection, says: asks },
    ]
}

/// Random lives seldom get here: nothing of the session is left, and the surface does not know.
#[test]
fn a_surface_that_missed_the_end_of_everything_shows_only_what_is_new() {
    let says = |says| HostOp::Say {
        invocation: WhichInvocation::Live(0),
        connection: WhichConnection::Own,
        says,
    };
    let does = |does| HostOp::Surface { surface: 0, does };
    let mut world = HostWorld::new(0);
    asks().into_iter().for_each(|op| world.apply(op));
    for op in [does(Does::Take), says(Says::Released), does(Does::MissAll)] {
        world.apply(op);
    }
    asks().into_iter().for_each(|op| world.apply(op));
    world.apply(does(Does::Take));
}
