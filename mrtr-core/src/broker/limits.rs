//! Bounds on what a broker accepts, keeps and waits for.

use core::time::Duration;

use crate::Clocks;

/// Bounds a broker. Every bound has a safe default and can be changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Live invocations on one connection. Default 1,024.
    pub connection_invocations_max: usize,
    /// Live invocations of one session. Default 1,024.
    pub session_invocations_max: usize,
    /// Bytes of the pending requests of one connection, as they came. Default 16 MiB.
    pub connection_bytes_max: usize,
    /// Pending interactions of one session: what its people are asked at once. Default 64.
    pub session_pending_max: usize,
    /// Interactions that one invocation may ask for, one after the other. Default 64.
    pub interactions_max: u32,
    /// Interactions that are over and of which it is kept how they ended, so that a late answer is
    /// told what won. Default 1,024.
    pub past_max: usize,
    /// Bytes of JSON text of one interaction request, as it comes and as it is stored. Default
    /// 320 KiB.
    pub request_bytes_max: usize,
    /// Bytes of the message of a request. Default 16 KiB.
    pub message_bytes_max: usize,
    /// Bytes of each name by which a requester calls itself. Default 256.
    pub label_bytes_max: usize,
    /// Bounds of a form and of its answer.
    pub form: form_model::Limits,
    /// How long to wait for a provider and for people. The pauses are of no use here.
    pub clocks: Clocks,
    /// How long the store may take to say that it holds something. Default 30 s.
    pub store: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connection_invocations_max: 1024,
            session_invocations_max: 1024,
            connection_bytes_max: 16 * 1024 * 1024,
            session_pending_max: 64,
            interactions_max: 64,
            past_max: 1024,
            request_bytes_max: 320 * 1024,
            message_bytes_max: 16 * 1024,
            label_bytes_max: 256,
            form: form_model::Limits::default(),
            clocks: Clocks::default(),
            store: Duration::from_secs(30),
        }
    }
}
