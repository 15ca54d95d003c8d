//! What comes out of a token that verified.

use alloc::vec::Vec;
use core::fmt;

use crate::UnixTime;

/// The name of one token, for a store that remembers which were used.
///
/// It is 16 random bytes that are new for each token. It opens nothing and is no secret.
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

/// The contents of a token that verified. [`RequestState::open`](super::RequestState::open) alone
/// makes one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The name of the token.
    pub id: TokenId,
    /// The round that it was sealed with.
    pub round: u32,
    /// When the token has expired on every server, however far their clocks are apart within the 30
    /// seconds that they may be. A store of used tokens may forget the id then.
    pub until: UnixTime,
    /// What was sealed.
    pub payload: Vec<u8>,
}

/// Shows the size of the payload alone.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opened(round {}, {} bytes)", self.round, self.payload.len())
    }
}
