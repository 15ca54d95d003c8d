//! Where the ids of states that may be used once are kept.

mod memory;
mod redis;

use std::io;

use mrtr_core::{TokenId, UnixTime};

pub use self::{memory::Memory, redis::Redis};

/// Keeps ids until they expire. Servers that share one redeem each id once between them.
pub trait Store: Send + Sync {
    /// Inserts the id if it is not there, to be kept until the given time. Says whether it was
    /// inserted.
    ///
    /// # Errors
    ///
    /// A store that can not be reached, or says neither.
    fn redeem(&self, id: TokenId, now: UnixTime, until: UnixTime) -> io::Result<bool>;

    /// Takes the id out again.
    ///
    /// # Errors
    ///
    /// A store that can not be reached.
    fn release(&self, id: TokenId) -> io::Result<()>;
}
