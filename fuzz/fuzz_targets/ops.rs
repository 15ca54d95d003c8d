//! Bytes of what happens to a call, three an event: the invariants hold after each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::invocation::{ClientWorld, ops};

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    let mut world = ClientWorld::new(*setup);
    for op in ops(rest).take(60) {
        world.apply(op);
    }
});
