//! Lives that are the same in every run.

use std::collections::BTreeSet;

use mrtr_core::{
    Broker,
    broker::{Epoch, Limits},
};
use mrtr_proptests::{
    broker::Host,
    world::{Broken, HONEST, Lie, World, ops},
};

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

/// Draws the setup of a life, and the bytes of what happens in it.
pub(crate) fn drawn(life: u64) -> (u8, Vec<u8>) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (life + 1).wrapping_mul(0xd134_2543_de82_ef95));
    let setup = dice.roll();
    (setup, (0..240).map(|_| dice.roll()).collect())
}

/// Lets a world live and rest, and returns what was seen and what broke.
pub(crate) fn live<H: Host>(kind: &H, lie: Lie, life: u64) -> (BTreeSet<String>, Option<Broken>) {
    let (setup, bytes) = drawn(life);
    let mut world = match World::of(kind, lie, setup) {
        Ok(world) => world,
        Err(broken) => return (BTreeSet::new(), Some(broken)),
    };
    let lived = ops(&bytes).try_for_each(|op| world.try_apply(op));
    let lived = lived.and_then(|()| world.try_rest(setup >> 6 & 1 == 1));
    (world.seen().map(String::from).collect(), lived.err())
}

#[test]
fn lives_get_to_everything_that_there_is() {
    let honest = Broker::volatile(Epoch::new(0), Limits::default());
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for life in 0..std::env::var("LIVES").map_or(300, |n| n.parse().unwrap()) {
        let (of_it, broken) = live(&honest, HONEST, life);
        assert_eq!(broken, None, "life {life}");
        for place in of_it {
            *seen.entry(place).or_default() += 1;
        }
    }
    for (place, n) in seen {
        println!("{n} {place}");
    }
}
