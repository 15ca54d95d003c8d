//! Replies of a server to a running call.

use crate::invocation::{ClientOp, ClientWorld};

/// Serves a reply to three legs of a call: whatever it says, the invariants hold, and what is asked
/// can be declined.
///
/// The bits of `setup` choose the claims and limits of the call, and whether the text is a whole
/// message or only its result. The value tells whether the call went on to a second leg.
///
/// # Panics
///
/// If something does not hold.
pub fn result(setup: u8, text: &[u8]) -> bool {
    let mut world = ClientWorld::new(setup & 0x1f);
    for _ in 0..3 {
        if world.is_settled() {
            break;
        }
        let id = world.leg_id();
        let whole = if setup & 0x40 == 0 {
            let start = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":"#);
            [start.as_bytes(), text, b"}"].concat()
        } else {
            text.to_vec()
        };
        world.serve(&whole);
        world.decline_all();
        world.apply(ClientOp::Rest);
    }
    world.apply(ClientOp::Stop);
    assert!(world.is_settled());
    world.legs_sent() > 1
}
