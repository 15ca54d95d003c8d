//! Bytes of a server's reply to a running call: whatever they say, the invariants hold, and what
//! is asked can be declined.
//!
//! The first byte chooses the setup and whether the rest is a whole message or only its result.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::invocation::{Op, World};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let mut world = World::new(first & 0x1f);
    for _ in 0..3 {
        if world.is_settled() {
            break;
        }
        let id = world.leg_id();
        let whole = if first & 0x40 == 0 {
            let start = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":"#);
            [start.as_bytes(), rest, b"}"].concat()
        } else {
            rest.to_vec()
        };
        world.serve(&whole);
        world.decline_all();
        world.apply(Op::Rest);
    }
    world.apply(Op::Stop);
    assert!(world.is_settled());
});
