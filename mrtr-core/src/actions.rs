//! What comes out of a machine.

use alloc::{vec, vec::Vec};

/// What came of an event: actions to carry out, in that order, and reports for the operator.
///
/// All roles use it, each with its own actions and reports.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a machine does nothing by itself: carry out its actions"]
pub struct Actions<A, R> {
    pub(crate) list: Vec<A>,
    pub(crate) reports: Vec<R>,
}

impl<A, R> Actions<A, R> {
    /// Returns what to do, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[A] {
        &self.list
    }

    /// Returns what to tell the operator. Reports hold no content: they are fit for telemetry.
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

impl<A, R> IntoIterator for Actions<A, R> {
    type Item = A;
    type IntoIter = vec::IntoIter<A>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
