//! Bounds on what a machine accepts, keeps and waits for.

use core::time::Duration;

pub(crate) use form_model::limits;
use serde::{Deserialize, Serialize};

use crate::{
    codec::strict,
    time::{millis, optional_millis},
};

limits! {
    /// Bounds on a call and on the rounds of an exchange. Each has a safe default and a setter.
    ///
    /// ```
    /// use mrtr_core::Limits;
    ///
    /// let limits = Limits::default().rounds_max(3);
    /// assert_eq!(limits.clocks.interaction.as_secs(), 600);
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
    pub struct Limits {
        /// Retries that are sent; the first leg does not count.
        rounds_max: u32 = 10,
        /// Input requests in one round.
        requests_max: usize = 16,
        /// Bytes of JSON text of one input request.
        request_bytes_max: usize = 320 * 1024,
        /// Bytes of JSON text of all the input requests of a round.
        round_bytes_max: usize = 1024 * 1024,
        /// Bytes of the key of an input request.
        key_bytes_max: usize = 256,
        /// Bytes of the message of an elicitation.
        message_bytes_max: usize = 16 * 1024,
        /// Bytes of JSON text of `requestState`.
        state_bytes_max: usize = 64 * 1024,
        /// Bytes that are kept of an error's data.
        error_bytes_max: usize = 16 * 1024,
        /// Bounds of a form and of its answer. What a model answers, and a list of roots, have at
        /// most `answer_bytes_max` bytes too.
        #[serde(deserialize_with = "strict")]
        form: form_model::Limits = form_model::Limits::default(),
        /// How long to wait for what.
        #[serde(deserialize_with = "strict")]
        clocks: Clocks = Clocks::default(),
    }
}

limits! {
    /// How long an operation waits for what.
    ///
    /// ```
    /// use core::time::Duration;
    /// use mrtr_core::Clocks;
    ///
    /// let clocks = Clocks::default().interaction(Duration::from_secs(1_800));
    /// assert_eq!(clocks.leg, Duration::from_secs(60));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
    pub struct Clocks {
        /// The budget of each leg, fresh for each.
        #[serde(with = "millis")]
        leg: Duration = Duration::from_secs(60),
        /// The most that a leg may take if the server reports progress. Each report gives it a fresh
        /// `leg`, up to this. Below `leg` it ends a leg early, with or without progress. `None`:
        /// progress changes nothing.
        #[serde(with = "optional_millis")]
        leg_max: Option<Duration> = None,
        /// How long somebody may take to answer a round.
        #[serde(with = "millis")]
        interaction: Duration = Duration::from_secs(600),
        /// The budget of all legs together; no waiting counts.
        #[serde(with = "optional_millis")]
        execution: Option<Duration> = None,
        /// The pause before the first retry of a state-only round. It doubles at each that follows
        /// without a round that asks.
        #[serde(with = "millis")]
        pause_min: Duration = Duration::from_millis(250),
        /// The longest pause.
        #[serde(with = "millis")]
        pause_max: Duration = Duration::from_secs(4),
    }
}
