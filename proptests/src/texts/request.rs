//! Requests as they come to an endpoint.

use std::sync::Arc;

use mrtr_core::{
    server::{Endpoint, Incoming},
    wire::Headers,
};

use crate::exchange::{Came, NOW, endpoint, receive};

/// Brings a request to an endpoint: one thing is to be done with it, whatever it says.
///
/// The bits of `setup` choose how the endpoint is set up, and whether there are headers: none, those
/// of a call of the tool `deploy`, or the first three lines of the rest. The value tells whether the
/// handler runs.
///
/// # Panics
///
/// If something does not hold.
pub fn request(setup: u8, mut message: &[u8]) -> bool {
    let has = |bit: u8| setup >> bit & 1 == 1;
    let mut endpoint = if has(0) { Endpoint::new("deployments") } else { endpoint(has(1)) };
    if has(2) {
        endpoint = endpoint.with_single_use();
    }
    if has(3) {
        endpoint = endpoint.with_legacy();
    }
    let mut lines = [Some("2026-07-28"), Some("tools/call"), Some("deploy")];
    if has(5) {
        for line in &mut lines {
            let mut parts = message.splitn(2, |byte| *byte == b'\n');
            *line = parts.next().and_then(|line| core::str::from_utf8(line).ok());
            message = parts.next().unwrap_or_default();
        }
    }
    let names = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
    let headers = names.into_iter().zip(lines).filter_map(|(name, line)| Some((name, line?)));
    let headers: Headers = headers.collect();
    let incoming = Incoming::message(message)
        .with_headers(has(4).then_some(headers))
        .with_principal(has(6).then_some("alice"));
    match receive(&Arc::new(endpoint), NOW, incoming) {
        Came::Runs(_, run) => {
            assert!(has(3) || !run.is_legacy);
            assert!(run.round == 1 || !has(0) && !has(2));
            assert!(run.round != 1 || run.state.is_none());
            true
        }
        Came::Waits(_) => {
            assert!(has(2) && !has(0));
            true
        }
        Came::Refused(..) => false,
    }
}
