//! Everything that can happen to the real machines, at every point, in scopes that have an end.
//!
//! A [`Searched`] is one or more machines, the time, and what has come out of them so far. The search
//! goes breadth first through every world that can be reached, lets everything happen in each, and
//! checks the [invariants](crate::invariants) in every state and in every action. What breaks one is
//! reported with the shortest way to it. The [faults](crate::faults) that are put between a machine and
//! its world must be found.

#![allow(clippy::indexing_slicing, reason = "a check that looks for what is not there fails")]

pub mod client;
mod digest;
pub mod host;
pub mod pair;
mod scope;
mod search;
mod seen;

pub use scope::{CALL, FOREIGN, HOST, PAIR, TWO};
pub use scope::{Counts, Part, Scope, Size, Start, read_golden, scopes, write_golden};
pub use search::{Counterexample, Found, Searched, explore};
pub use seen::{Label, Place, Seen, Stage, What, snake};

use core::hash::{Hash, Hasher};
use std::sync::Arc;

/// What is the same in all worlds of one search: it takes no part in telling them apart.
#[derive(Debug)]
pub struct Fixed<T>(Arc<T>);

impl<T> Fixed<T> {
    fn new(fixed: T) -> Self {
        Self(Arc::new(fixed))
    }
}

impl<T> Clone for Fixed<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> core::ops::Deref for Fixed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> PartialEq for Fixed<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Hash for Fixed<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
