//! The output of a machine.

use alloc::{vec, vec::Vec};

/// The output of a machine for one event: actions, in the order to carry them out, and reports for
/// the operator.
///
/// Each role has its own actions and reports, such as [`client::Actions`](crate::client::Actions).
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a machine does nothing by itself: carry out its actions"]
pub struct Actions<A, R> {
    pub(crate) list: Vec<A>,
    pub(crate) reports: Vec<R>,
}

impl<A, R> Actions<A, R> {
    /// Returns the actions, in the order to carry them out.
    #[must_use]
    pub fn as_slice(&self) -> &[A] {
        &self.list
    }

    /// Returns the reports for the operator. They hold no user data, so they are safe for
    /// telemetry. There is one exception: the cause in a
    /// [`server::HandlerError`](crate::server::HandlerError) may repeat an answer. `Debug` does not
    /// print it.
    #[must_use]
    pub fn reports(&self) -> &[R] {
        &self.reports
    }
}

impl<A, R> From<A> for Actions<A, R> {
    fn from(action: A) -> Self {
        Self { list: vec![action], reports: Vec::new() }
    }
}

impl<A, R> Default for Actions<A, R> {
    fn default() -> Self {
        Self { list: Vec::new(), reports: Vec::new() }
    }
}

/// Iterates over the actions. The reports are dropped: read them first.
impl<A, R> IntoIterator for Actions<A, R> {
    type Item = A;
    type IntoIter = vec::IntoIter<A>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
