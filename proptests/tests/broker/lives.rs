//! Lives that are the same in every run.

use std::collections::BTreeSet;

use mrtr_core::{
    Broker,
    broker::{Epoch, Limits},
};
use mrtr_proptests::broker::{Broken, Host, World, ops};

/// Draws numbers: the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u8
    }
}

/// Lets a kind of host live, and returns what was seen and what it broke.
pub(crate) fn live<H: Host>(kind: &H, life: u64) -> (BTreeSet<String>, Result<(), Broken>) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (life + 1).wrapping_mul(0xd134_2543_de82_ef95));
    let setup = dice.roll();
    let bytes: Vec<u8> = (0..400).map(|_| dice.roll()).collect();
    let mut world = match World::of(kind, setup) {
        Ok(world) => world,
        Err(broken) => return (BTreeSet::new(), Err(broken)),
    };
    let lived = ops(&bytes).try_for_each(|op| world.try_apply(op));
    (world.seen().map(String::from).collect(), lived)
}

/// Everything that can happen to somebody, as [`World::seen`] names it.
const ALL: [&str; 52] = [
    "a surface",
    "an epoch",
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
    "ended Answered(Dismiss)",
    "misuse AlreadyConnected",
    "misuse NotConnected",
    "misuse NotRegistered",
    "misuse NotStoring",
    "misuse OldEpoch",
    "misuse UnknownInteraction",
    "misuse WrongSession",
    "misuse invalid",
    "misuse limit",
    "misuse stale",
    "misuse too_large",
    "misuse wrong_kind",
    "refused already_accepted",
    "refused duplicate",
    "refused form",
    "refused limit",
    "refused not_accepted",
    "refused not_connected",
    "refused not_live",
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
    "settled timed_out",
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
    // What a text tells beyond its first two words is the model's to check.
    let words = |text: &String| text.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let seen: BTreeSet<String> = seen.iter().map(words).collect();
    let missing: Vec<_> = ALL.into_iter().filter(|all| !seen.contains(*all)).collect();
    assert!(missing.is_empty(), "{missing:?} of {seen:?}");
}
