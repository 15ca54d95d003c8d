//! How a handler ends.

use alloc::sync::Arc;
use core::{error::Error, fmt};

use super::Need;
use crate::wire::{RawJson, RpcError};

/// How a handler ended. [`Flow::close`](super::Flow::close) makes one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// It has a result: a JSON object. `resultType` is added where it is absent.
    Finish(RawJson),
    /// It needs input, or to be called again.
    Need(Need),
    /// It failed.
    Fail(HandlerError),
    /// It failed before it did anything: a state that was redeemed may be used again.
    Abandon(HandlerError),
    /// A person did not agree, and the handler cannot go on without.
    Declined,
    /// The flow asked in another order than in an earlier round, or something else under one key.
    FlowChanged,
}

/// The error of a handler: what the client is told, and the cause, which stays in the process.
///
/// ```
/// use mrtr_core::server::HandlerError;
/// use mrtr_core::wire::RpcError;
///
/// // The client is told that the server failed, and nothing else.
/// let parse = "x".parse::<u32>().unwrap_err();
/// let error = HandlerError::internal(parse);
/// assert_eq!(error.error().code, RpcError::INTERNAL);
/// assert_eq!(error.cause().unwrap().to_string(), "invalid digit found in string");
///
/// // The client is told what is wrong.
/// let error = HandlerError::from(RpcError::new(RpcError::INVALID_PARAMS, "no such artifact"));
/// assert!(error.cause().is_none());
/// ```
#[derive(Clone)]
pub struct HandlerError {
    error: RpcError,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl HandlerError {
    /// Makes an internal error of a cause. The client is told `Internal error`.
    #[must_use]
    pub fn internal(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::from(RpcError::new(RpcError::INTERNAL, INTERNAL)).with_cause(cause)
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_cause(self, cause: impl Error + Send + Sync + 'static) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// Returns what the client is told.
    #[must_use]
    pub const fn error(&self) -> &RpcError {
        &self.error
    }

    /// Returns the cause, for the server's own log.
    #[must_use]
    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }
}

/// The message of an internal error.
pub(super) const INTERNAL: &str = "Internal error";

impl From<RpcError> for HandlerError {
    fn from(error: RpcError) -> Self {
        Self { error, cause: None }
    }
}

/// Two causes are equal only if one is a clone of the other.
impl PartialEq for HandlerError {
    fn eq(&self, other: &Self) -> bool {
        let same_cause = match (&self.cause, &other.cause) {
            (Some(cause), Some(other)) => Arc::ptr_eq(cause, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.error == other.error && same_cause
    }
}

/// Leaves out the words of the cause, which may repeat what was answered.
impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = if self.cause.is_some() { "with a cause" } else { "without a cause" };
        write!(f, "HandlerError({:?}, {cause})", self.error)
    }
}
