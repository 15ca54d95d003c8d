//! Bytes of what happens to a host, four an event: the rules hold after each, and it does what the
//! model says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::broker::{HostWorld, ops};

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    let mut world = HostWorld::new(*setup);
    for op in ops(rest).take(60) {
        world.apply(op);
    }
});
