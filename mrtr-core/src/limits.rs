//! The limits of a machine: what it accepts, what it keeps, and how long it waits.

use core::time::Duration;

pub(crate) use form_model::limits;
use serde::{Deserialize, Serialize};

use crate::{
    codec::strict,
    time::{millis, optional_millis},
};

limits! {
    /// The limits of a call, and of the rounds of an exchange. Each limit has a safe default and a
    /// setter.
    ///
    /// If a server exceeds a limit, the call ends with a [`Fault`](crate::client::Fault). If a
    /// handler exceeds a limit, the client gets an internal error, and the report has a
    /// [`HandlerFault`](crate::server::HandlerFault), or
    /// [`RoundLimit`](crate::server::ReportKind::RoundLimit) for `rounds_max`. A client rejects an
    /// answer over a limit, and the question stays open. A server refuses the request that brings
    /// such an answer.
    ///
    /// Two limits are different: `error_bytes_max` cuts an error, and `clocks` ends a call with
    /// [`Outcome::TimedOut`](crate::client::Outcome::TimedOut).
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
        /// The most rounds of a call, and so the most retries. The first leg is not a retry.
        rounds_max: u32 = 10,
        /// The most input requests in one round.
        requests_max: usize = 16,
        /// The most bytes of JSON text of one input request.
        request_bytes_max: usize = 320 * 1024,
        /// The most bytes of JSON text of all input requests of a round.
        round_bytes_max: usize = 1024 * 1024,
        /// The most bytes of the key of an input request.
        key_bytes_max: usize = 256,
        /// The most bytes of the message of an elicitation.
        message_bytes_max: usize = 16 * 1024,
        /// The most bytes of JSON text of `requestState`, without its quotes.
        state_bytes_max: usize = 64 * 1024,
        /// The most bytes of an error's message, and of its data. A longer message is cut, and
        /// longer data is left out.
        error_bytes_max: usize = 16 * 1024,
        /// The limits of a form and of its answer. `answer_bytes_max` is also the limit of a
        /// model's answer and of a list of roots.
        #[serde(deserialize_with = "strict")]
        form: form_model::Limits = form_model::Limits::default(),
        /// The time limits.
        #[serde(deserialize_with = "strict")]
        clocks: Clocks = Clocks::default(),
    }
}

limits! {
    /// The time limits of an operation, and its pauses. If a time limit runs out, the operation ends
    /// with the outcome `TimedOut`. After a pause, a call sends its retry.
    ///
    /// A limit of zero runs out at the first tick.
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
        /// The time limit of a leg. It starts again with each leg.
        #[serde(with = "millis")]
        leg: Duration = Duration::from_secs(60),
        /// The time limit of a leg whose server reports progress. Each report restarts `leg`, but
        /// the leg ends after `leg_max` in total. If `leg_max` is shorter than `leg`, it also ends
        /// a leg without progress. `None`: progress does not extend a leg.
        #[serde(with = "optional_millis")]
        leg_max: Option<Duration> = None,
        /// The time limit for the answers of a round.
        #[serde(with = "millis")]
        interaction: Duration = Duration::from_secs(600),
        /// The time limit of all legs together. The time between legs does not count. `None`: no
        /// limit.
        #[serde(with = "optional_millis")]
        execution: Option<Duration> = None,
        /// The pause before the retry of a state-only round. It doubles with each state-only round
        /// that follows. A round with questions resets it.
        #[serde(with = "millis")]
        pause_min: Duration = Duration::from_millis(250),
        /// The longest pause.
        #[serde(with = "millis")]
        pause_max: Duration = Duration::from_secs(4),
    }
}
