//! The contents of a token that was opened.

use alloc::vec::Vec;
use core::fmt;

use crate::UnixTime;

/// The id of one token, for a store that remembers used tokens.
///
/// It is 16 random bytes, new for each token. It is not secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub(super) [u8; 16]);

impl TokenId {
    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Writes 32 hexadecimal digits.
impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The contents of a token that was opened. Only [`RequestState::open`](super::RequestState::open)
/// makes one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The id of the token.
    pub id: TokenId,
    /// The round with which it was sealed.
    pub round: u32,
    /// The time 30 seconds after the token expires. The clocks of servers may differ by that much,
    /// so from this time on every server refuses the token. A store of used tokens may then forget
    /// the id.
    pub until: UnixTime,
    /// The payload that was sealed.
    pub payload: Vec<u8>,
}

/// The output has the round and the size of the payload only.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opened(round {}, {} bytes)", self.round, self.payload.len())
    }
}
