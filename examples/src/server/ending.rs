//! The endings of handlers that ask nothing.

use mrtr_core::{
    server::{Ending, HandlerError},
    wire::{RawJson, RpcError},
};
use serde_json::Value;

/// Ends a handler with a result.
#[must_use]
pub fn finish(result: &Value) -> Ending {
    match RawJson::from_value(result) {
        Ok(result) => Ending::Finish(result),
        Err(error) => Ending::Fail(HandlerError::internal(error)),
    }
}

/// Ends a handler whose params are wrong.
#[must_use]
pub fn invalid_params(message: &'static str) -> Ending {
    refuse(RpcError::INVALID_PARAMS, message)
}

/// Ends a handler with an error that the client is told.
#[must_use]
pub fn refuse(code: i64, message: &'static str) -> Ending {
    Ending::Fail(RpcError::new(code, message).into())
}
