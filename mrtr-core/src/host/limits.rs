//! Bounds on what a broker accepts, keeps and waits for.

use core::time::Duration;

use crate::{Clocks, limits::limits};

limits! {
    /// Bounds on a broker. Each has a safe default and a setter.
    ///
    /// ```
    /// use mrtr_core::host::Limits;
    ///
    /// let limits = Limits::default().interactions_max(3);
    /// assert_eq!(limits.store.as_secs(), 30);
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Limits {
        /// Live invocations on one connection.
        connection_invocations_max: usize = 1024,
        /// Live invocations of one session.
        session_invocations_max: usize = 1024,
        /// Bytes of the open requests of one connection, as they came.
        connection_bytes_max: usize = 16 * 1024 * 1024,
        /// Open questions of one session: what its people are asked at once.
        session_pending_max: usize = 64,
        /// Questions of one invocation, one after the other.
        interactions_max: u32 = 64,
        /// Closed questions whose ending is remembered, so that a late answer learns how its
        /// question ended.
        recently_closed_max: usize = 1024,
        /// Bytes of JSON text of one interaction request, as it comes and as it is stored.
        request_bytes_max: usize = 320 * 1024,
        /// Bytes of the message of a request.
        message_bytes_max: usize = 16 * 1024,
        /// Bytes of each name of a requester.
        label_bytes_max: usize = 256,
        /// Bounds of a form and of its answer.
        form: form_model::Limits = form_model::Limits::default(),
        /// How long to wait for a provider and for people. A broker does not use the pauses.
        clocks: Clocks = Clocks::default(),
        /// How long the store may take to hold a record.
        store: Duration = Duration::from_secs(30),
    }
}
