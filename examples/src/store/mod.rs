//! Stores of the ids of states that may be used once.

mod memory;
mod redis;

use std::io;

use mrtr_core::{UnixTime, seal::TokenId};

pub use self::{memory::Memory, redis::Redis};

/// A store of ids until they expire. Servers that share a store redeem each id once between them.
pub trait Store: Send + Sync {
    /// Inserts the id if it is not there, and keeps it until the given time. Returns whether it was
    /// inserted.
    ///
    /// # Errors
    ///
    /// A store that cannot be reached, or does not say.
    fn redeem(&self, id: TokenId, now: UnixTime, until: UnixTime) -> io::Result<bool>;

    /// Removes the id again.
    ///
    /// # Errors
    ///
    /// A store that cannot be reached.
    fn release(&self, id: TokenId) -> io::Result<()>;
}
