//! Bounds on what a machine accepts, keeps and waits for.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::trace::{millis, optional_millis};

/// Bounds an invocation. Every bound has a safe default and can be changed.
///
/// ```
/// use mrtr_core::{Clocks, Limits};
///
/// let limits = Limits { rounds_max: 3, ..Limits::default() };
/// assert_eq!(limits.clocks.interaction.as_secs(), 600);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Limits {
    /// Retries that are sent; the first leg does not count. Default 10.
    pub rounds_max: u32,
    /// Input requests in one round. Default 16.
    pub requests_max: usize,
    /// Bytes of JSON text of one input request. Default 320 KiB.
    pub request_bytes_max: usize,
    /// Bytes of JSON text of all the input requests of a round. Default 1 MiB.
    pub round_bytes_max: usize,
    /// Bytes of the key of an input request. Default 256.
    pub key_bytes_max: usize,
    /// Bytes of the message of an elicitation. Default 16 KiB.
    pub message_bytes_max: usize,
    /// Bytes of JSON text of `requestState`. Default 64 KiB.
    pub state_bytes_max: usize,
    /// Bytes that are kept of an error's data. Default 16 KiB.
    pub error_bytes_max: usize,
    /// Bounds of a form and of its answer. What a model answers, and a list of roots, have at most
    /// `answer_bytes_max` bytes too.
    pub form: form_model::Limits,
    /// How long to wait for what.
    pub clocks: Clocks,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds_max: 10,
            requests_max: 16,
            request_bytes_max: 320 * 1024,
            round_bytes_max: 1024 * 1024,
            key_bytes_max: 256,
            message_bytes_max: 16 * 1024,
            state_bytes_max: 64 * 1024,
            error_bytes_max: 16 * 1024,
            form: form_model::Limits::default(),
            clocks: Clocks::default(),
        }
    }
}

/// Says how long an invocation waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Clocks {
    /// The budget of each leg, fresh for each. Default 60 s.
    #[serde(with = "millis")]
    pub leg: Duration,
    /// The most that a leg may take if the server reports progress. Each report gives it a fresh
    /// `leg`, up to this. Below `leg` it ends a leg early, with or without progress. Default none:
    /// progress changes nothing.
    #[serde(with = "optional_millis")]
    pub leg_max: Option<Duration>,
    /// How long somebody may take to answer a round. Default 10 min.
    #[serde(with = "millis")]
    pub interaction: Duration,
    /// The budget of all legs together; no waiting counts. Default none.
    #[serde(with = "optional_millis")]
    pub execution: Option<Duration>,
    /// The pause before the first retry of a state-only round. It doubles at each that follows
    /// without a round that asks. Default 250 ms.
    #[serde(with = "millis")]
    pub pause_min: Duration,
    /// The longest pause. Default 4 s.
    #[serde(with = "millis")]
    pub pause_max: Duration,
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            leg: Duration::from_secs(60),
            leg_max: None,
            interaction: Duration::from_secs(600),
            execution: None,
            pause_min: Duration::from_millis(250),
            pause_max: Duration::from_secs(4),
        }
    }
}
