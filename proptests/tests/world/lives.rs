//! Lives that are the same in every run.

use mrtr_proptests::invariants::Violation;
use std::collections::BTreeSet;

use mrtr_core::host::{Broker, Epoch, Limits};
use mrtr_proptests::{
    broker::Host,
    faults::Lies,
    random::{Bytes as _, Dice},
    world::{World, ops},
};

/// Draws a life, as the fuzz target reads it: the setup, and sixty times four bytes.
pub(crate) fn drawn(life: u64) -> Vec<u8> {
    let mut dice = Dice::of_life(life);
    (0..=240).map(|_| dice.next_byte()).collect()
}

/// Lets a world live and rest, and returns what was seen and what broke.
fn live<H: Host>(kind: &H, bytes: &[u8]) -> (BTreeSet<String>, Option<Violation>) {
    let (setup, bytes) = bytes.split_first().unwrap();
    let mut world = match World::of(kind, Lies::HONEST, *setup) {
        Ok(world) => world,
        Err(broken) => return (BTreeSet::new(), Some(broken)),
    };
    let lived = ops(bytes).try_for_each(|op| world.try_apply(op));
    let lived = lived.and_then(|()| world.try_rest(setup >> 6 & 1 == 1));
    (world.seen().map(String::from).collect(), lived.err())
}

/// Lets a world live in which everybody does what they should, and returns what was seen.
pub(crate) fn live_honestly(bytes: &[u8]) -> BTreeSet<String> {
    let broker = Broker::volatile(Epoch::new(0), Limits::default());
    let (seen, broken) = live(&broker, bytes);
    assert_eq!(broken, None, "{bytes:?}");
    seen
}
