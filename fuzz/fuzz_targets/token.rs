//! Text of a request state: it opens exactly if it is the one that the endpoint sealed.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mrtr_core::{Endpoint, exchange::Incoming, wire::RawJson};
use mrtr_proptests::exchange::{Came, NOW, all_kinds, endpoint, first_round, message, receive};

/// Endpoints in both modes, and what they sealed.
static SEALED: LazyLock<[(Endpoint, String); 2]> = LazyLock::new(|| {
    [false, true].map(|signed| {
        let endpoint = endpoint(signed);
        let need = all_kinds().state(RawJson::parse("1").expect("it is JSON"));
        let sent = message("tools/call", &[]);
        let token = first_round(&endpoint, NOW, None, &sent, need);
        (endpoint, token)
    })
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let quoted = serde_json::Value::from(text).to_string();
    let sent = message("tools/call", &[("requestState", &quoted)]);
    for (endpoint, token) in &*SEALED {
        let incoming = Incoming { message: sent.as_bytes(), headers: None, principal: None };
        match receive(endpoint, NOW, incoming) {
            Came::Runs(_, run) => assert!(run.round == 2 && text == token, "{text} opens"),
            Came::Refused(_, cause) => assert!(cause.is_some() && text != token, "{text}"),
            Came::Waits(_) => unreachable!("its states may be used more than once"),
        }
    }
});
