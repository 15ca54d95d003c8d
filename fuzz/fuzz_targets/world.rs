//! Bytes of what happens to everybody, four an event: the invariants hold after each, and in the end
//! nothing is left.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::world::{World, ops};

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    let mut world = World::new(*setup);
    for op in ops(rest).take(60) {
        world.apply(op);
    }
    world.rest(setup >> 6 & 1 == 1);
});
