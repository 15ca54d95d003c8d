//! The limits of a broker: what it accepts, what it keeps, and how long it waits.

use core::time::Duration;

use crate::{Clocks, limits::limits};

limits! {
    /// The limits of a broker. Each limit has a safe default and a setter.
    ///
    /// A call over a limit is refused with [`Misuse::Limit`](super::Misuse::Limit), and a frame
    /// over a limit with [`Fault::Limit`](super::Fault::Limit),
    /// [`Fault::Unreadable`](super::Fault::Unreadable) or [`Fault::Form`](super::Fault::Form). If one
    /// of the `clocks` runs out, the invocation ends with
    /// [`Outcome::TimedOut`](super::Outcome::TimedOut).
    ///
    /// ```
    /// use mrtr_core::host::Limits;
    ///
    /// let limits = Limits::default().interactions_max(3);
    /// assert_eq!(limits.store.as_secs(), 30);
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Limits {
        /// The most live invocations on one connection.
        connection_invocations_max: usize = 1024,
        /// The most live invocations of one session.
        session_invocations_max: usize = 1024,
        /// The most bytes of all open questions of one connection, as they were received.
        connection_bytes_max: usize = 16 * 1024 * 1024,
        /// The most open questions of one session at a time.
        session_pending_max: usize = 64,
        /// The most questions of one invocation, one after the other.
        interactions_max: u32 = 64,
        /// The most closed questions that the broker remembers. If an answer to one of them comes
        /// late, the error [`Misuse::Stale`](super::Misuse::Stale) says how the question ended.
        recently_closed_max: usize = 1024,
        /// The most bytes of JSON text of one question, both as it was received and as it is
        /// stored.
        request_bytes_max: usize = 320 * 1024,
        /// The most bytes of the message of a question.
        message_bytes_max: usize = 16 * 1024,
        /// The most bytes of each name of a requester.
        label_bytes_max: usize = 256,
        /// The limits of a form and of its answer.
        form: form_model::Limits = form_model::Limits::default(),
        /// The time limits for a provider and for people. A broker does not use the pauses.
        clocks: Clocks = Clocks::default(),
        /// The time limit for the store to hold a record. The invocation ends with
        /// [`Outcome::StoreFailed`](super::Outcome::StoreFailed) if it runs out.
        store: Duration = Duration::from_secs(30),
    }
}
