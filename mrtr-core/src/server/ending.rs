//! How a handler ends.

use alloc::{boxed::Box, sync::Arc};
use core::{error::Error, fmt};

use super::Need;
use crate::wire::{RawJson, RpcError};

/// How a handler ended. [`Flow::run`](super::Flow::run) and [`Flow::close`](super::Flow::close)
/// return it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// It has a result: a JSON object. The exchange adds `resultType` if it is absent.
    Finish(RawJson),
    /// It needs input, or to be called again.
    Need(Need),
    /// It failed.
    Fail(HandlerError),
    /// It failed before it did anything. The exchange releases a state that was redeemed, so the
    /// client may send the retry again.
    Abandon(HandlerError),
    /// A person did not agree, so the handler cannot continue.
    Declined,
    /// The [`Flow`](super::Flow) asked in another order than in an earlier round, or asked
    /// something else under the same key.
    FlowChanged,
}

impl From<RpcError> for Ending {
    /// Fails.
    fn from(error: RpcError) -> Self {
        Self::Fail(error.into())
    }
}

/// The error of a handler: the error for the client, and the cause, which stays in the process.
///
/// ```
/// use mrtr_core::server::HandlerError;
/// use mrtr_core::wire::RpcError;
///
/// // The client learns only that the server failed.
/// let parse = "x".parse::<u32>().unwrap_err();
/// let error = HandlerError::internal(parse);
/// assert_eq!(error.error().code, RpcError::INTERNAL);
/// assert_eq!(error.cause().unwrap().to_string(), "invalid digit found in string");
///
/// // The client learns what is wrong.
/// let error = HandlerError::from(RpcError::new(RpcError::INVALID_PARAMS, "no such artifact"));
/// assert!(error.cause().is_none());
/// ```
#[derive(Clone)]
pub struct HandlerError {
    error: RpcError,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl HandlerError {
    /// Makes an internal error with a cause. The client gets the message `Internal error`, and not
    /// the cause.
    #[must_use]
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::from(RpcError::new(RpcError::INTERNAL, INTERNAL)).with_cause(cause)
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_cause(self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Some(cause.into().into()), ..self }
    }

    /// Returns the error for the client.
    #[must_use]
    pub const fn error(&self) -> &RpcError {
        &self.error
    }

    /// Returns the cause, for the server's own log. Its text may repeat an answer.
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
        let cause =
            |error: &Self| error.cause.as_ref().map(|cause| Arc::as_ptr(cause).cast::<()>());
        self.error == other.error && cause(self) == cause(other)
    }
}

/// The output has no words of the cause, which may repeat an answer.
impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = if self.cause.is_some() { "with a cause" } else { "without a cause" };
        write!(f, "HandlerError({:?}, {cause})", self.error)
    }
}
