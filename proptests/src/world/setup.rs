//! Who and what there is in a world, and its limits.

use core::time::Duration;
use std::sync::{Arc, LazyLock};

use mrtr_core::{
    Clocks, Limits,
    client::Claims,
    seal::{Keyring, RequestState},
    server::Endpoint,
};

use crate::invariants::SECRET;

/// The spans by which time moves, in milliseconds.
pub(super) const SPANS: [u64; 8] = [500, 1_000, 2_000, 4_999, 7_999, 12_000, 31_000, 119_000];

/// Which provider has registered what. What is registered is executed by the server of its number.
pub(super) const PROVIDER_OF: [usize; 3] = [0, 1, 1];

/// The servers: one with keys, one whose states are signed and used once, one without keys.
pub(super) const SERVERS: usize = 3;
pub(super) const SINGLE_USE: usize = 1;
pub(super) const KEYLESS: usize = 2;

/// How many keys a server can have, one after the other.
pub(super) const KEYS_MAX: usize = 4;

/// How long the states of a server live, in seconds.
pub(super) const fn lifetime(server: usize) -> u64 {
    if server == SINGLE_USE { 60 } else { 300 }
}

/// How many rounds a server asks before it gives up.
pub(super) const fn server_rounds_max(server: usize) -> u32 {
    if server == SINGLE_USE { 2 } else { 10 }
}

/// The rounds that a call takes.
pub(super) const ROUNDS_MAX: u32 = 3;

/// Returns the limits of a call. People answer the host, whose clock decides.
pub(super) fn limits(setup: u8) -> Limits {
    let clocks = Clocks::default()
        .leg(Duration::from_secs(8))
        .leg_max((setup >> 2 & 1 == 1).then_some(Duration::from_secs(20)))
        .interaction(Duration::from_hours(24 * 7));
    Limits::default().rounds_max(ROUNDS_MAX).clocks(clocks)
}

/// Returns what a call claims: people are behind the host.
pub(super) fn claims() -> Claims {
    Claims::none().with_form().with_url()
}

/// The endpoints of the servers, by the newest of their keys and how many older ones they have.
static ENDPOINTS: LazyLock<Vec<Arc<Endpoint>>> = LazyLock::new(|| {
    let mut endpoints = Vec::new();
    for server in 0..SERVERS {
        for newest in 0..KEYS_MAX {
            let with_keys = |oldest| Arc::new(new_endpoint(server, newest, oldest));
            endpoints.extend((0..KEYS_MAX).map(with_keys));
        }
    }
    endpoints
});

/// Returns the endpoint of a server that seals with one key, and opens with it and those back to
/// another.
pub(super) fn endpoint(server: usize, newest: usize, oldest: usize) -> &'static Arc<Endpoint> {
    ENDPOINTS.get((server * KEYS_MAX + newest) * KEYS_MAX + oldest).unwrap()
}

/// Returns the name of a server.
pub(super) fn name(server: usize) -> String {
    format!("server-{server}")
}

fn new_endpoint(server: usize, newest: usize, oldest: usize) -> Endpoint {
    let limits = Limits::default().rounds_max(server_rounds_max(server));
    let endpoint = Endpoint::new(&name(server)).with_limits(limits);
    if server == KEYLESS {
        return endpoint;
    }
    let secret = |key: usize| -> [u8; 32] {
        let text = format!("{SECRET} {server} {key} {SECRET} {SECRET} {SECRET}");
        text.as_bytes().first_chunk().copied().unwrap()
    };
    let keys = (oldest.min(newest)..=newest).rev().map(|key| (format!("k{key}"), secret(key)));
    let ring = Keyring::new(keys).unwrap();
    let life = Duration::from_secs(lifetime(server));
    if server == SINGLE_USE {
        let states = RequestState::signed(ring).with_lifetimes(life, life).unwrap();
        endpoint.with_request_state(states).with_single_use()
    } else {
        let states = RequestState::new(ring).with_lifetimes(life, life).unwrap();
        endpoint.with_request_state(states)
    }
}
