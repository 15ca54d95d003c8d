//! Who and what there is in a world, and its limits.

use core::time::Duration;

use mrtr_core::{
    Clocks,
    host::{ConnectionId, Limits, RegistrationId, SessionId, TurnId},
};

use super::script::{
    ANSWER_BYTES_MAX, LABEL_BYTES_MAX, MESSAGE_BYTES_MAX, REQUEST_BYTES_MAX, pick,
};

/// The spans by which time moves, in milliseconds: about as long as each clock of the world, and
/// mostly short.
pub(super) const SPANS: [u64; 12] =
    [0, 1, 1, 500, 1_000, 1_000, 2_000, 4_999, 6_000, 9_999, 14_000, 119_000];

/// The sessions of the surfaces: two share one.
pub(super) const SURFACES: [u8; 4] = [0, 0, 1, 2];

/// The numbers of all connections that a frame may come on. The first and the last never connect.
pub(super) const CONNECTIONS: [u64; 6] = [1, 2, 3, 4, 5, 0];

/// Returns a connection that may be there, by index.
pub(super) fn connection(index: u8) -> ConnectionId {
    ConnectionId::new(u64::from(index % 4) + 1)
}

/// Returns a session, by index. Each name begins like the one before.
pub(crate) fn session(index: u8) -> SessionId {
    SessionId::new(pick(&["s", "s-1", "s-10"], index).unwrap()).unwrap()
}

/// Returns a turn, by index. Every session has turns of these names.
pub(super) fn turn(index: u8) -> TurnId {
    TurnId::new(pick(&["t", "t-1"], index).unwrap()).unwrap()
}

/// Returns a registration, by index.
pub(super) fn registration(index: u8) -> RegistrationId {
    RegistrationId::new(pick(&["files", "files-2", "mail"], index).unwrap()).unwrap()
}

/// Returns the limits of a world: small, so that lives get to them.
pub(super) fn limits(setup: u8) -> Limits {
    let has = |bit: u8| setup >> bit & 1 == 1;
    let clocks = Clocks::default()
        .leg(Duration::from_secs(10))
        .leg_max(has(2).then_some(Duration::from_secs(25)))
        .execution(has(3).then_some(Duration::from_secs(15)))
        .interaction(Duration::from_secs(120));
    Limits::default()
        .connection_invocations_max(if has(1) { 3 } else { 64 })
        .session_invocations_max(if has(1) { 2 } else { 64 })
        .session_pending_max(if has(7) { 1 } else { 64 })
        .interactions_max(if has(1) { 2 } else { 64 })
        .connection_bytes_max(if has(4) { 900 } else { 1_000_000 })
        .recently_closed_max(if has(5) { 2 } else { 1024 })
        .request_bytes_max(REQUEST_BYTES_MAX)
        .message_bytes_max(MESSAGE_BYTES_MAX)
        .label_bytes_max(LABEL_BYTES_MAX)
        .form(form_model::Limits::default().answer_bytes_max(ANSWER_BYTES_MAX))
        .clocks(clocks)
        .store(Duration::from_secs(5))
}
