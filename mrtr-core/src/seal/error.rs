//! Why a token was not sealed, and why one did not open.

use alloc::sync::Arc;
use core::{error::Error as StdError, fmt};

use thiserror::Error;

use super::{CipherError, TOKEN_BYTES_MAX};
use crate::debug::debug;

/// Why a token was not sealed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SealError {
    /// The payload, together with the principal, makes the token too long.
    #[error("expected a payload that fits a token of {TOKEN_BYTES_MAX} characters")]
    TooLarge,
    /// The caller's generator of random numbers failed.
    #[error("the generator of random numbers failed")]
    Generator(#[source] GeneratorError),
    /// The cipher failed.
    #[error("the claims were not sealed")]
    Cipher(#[source] CipherError),
}

/// The error of a generator of random numbers.
///
/// A value is equal only to its clones.
#[derive(Clone, Error)]
#[error(transparent)]
pub struct GeneratorError(Arc<dyn StdError + Send + Sync>);

impl GeneratorError {
    pub(super) fn new(error: impl StdError + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Debug for GeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for GeneratorError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for GeneratorError {}

/// The refusal of a token. Its text is the same for every cause, so the client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[error("invalid requestState")]
pub struct OpenError(OpenCause);

impl OpenError {
    pub(super) const fn new(cause: OpenCause) -> Self {
        Self(cause)
    }

    /// Returns the cause, for the server's own report. Do not send it to the client: it would help
    /// an attacker.
    #[must_use]
    pub const fn cause(self) -> OpenCause {
        self.0
    }
}

debug!(OpenError, |_error| "OpenError");

/// Why a token did not open. It is for the server's report, never for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OpenCause {
    /// The server has no keys. Only an exchange reports this.
    NoKeyring,
    /// The token is longer than [`TOKEN_BYTES_MAX`].
    TooLong,
    /// The text is not a token of this version of the format.
    Malformed,
    /// No key of the ring has the token's key id.
    UnknownKey,
    /// The token was sealed by another cipher.
    OtherMode,
    /// The token is for single use and the endpoint is not, or the reverse. Only an exchange
    /// reports this.
    OtherUse,
    /// The token was changed, or was sealed with another key, or for another purpose, endpoint,
    /// method or protocol version.
    NotAuthentic,
    /// The token has expired.
    Expired,
    /// The token was sealed more than 30 seconds in the future.
    NotYetValid,
    /// The token was sealed for another principal.
    OtherPrincipal,
    /// The token was sealed for other params.
    OtherParams,
}
