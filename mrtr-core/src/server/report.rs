//! What an exchange tells the server's operator.

use alloc::{string::String, sync::Arc};

use thiserror::Error;

use super::HandlerError;
use crate::{
    seal::{OpenCause, SealError},
    wire::{Capabilities, InvalidRequest, WireError},
};

/// Something for the server's operator. It holds no params, no state and no answer.
///
/// Each error response comes with exactly one report, and so does each round that is sent. Complete
/// results come with none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the endpoint.
    pub endpoint: Arc<str>,
    /// The method, as the client wrote it; `None` if the message could not be read.
    pub method: Option<String>,
    /// What happened.
    pub kind: ReportKind,
}

/// What happened to a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReportKind {
    /// A round was sent.
    InputRequired {
        /// The round: 1 for the first.
        round: u32,
        /// The number of requests in the round.
        requests: usize,
    },
    /// The request was refused before its handler ran.
    Refused {
        /// The code of the error response.
        code: i64,
    },
    /// A round was not sent, because the client lacks a capability for it.
    MissingCapability {
        /// What it lacks.
        missing: Capabilities,
    },
    /// A round was not sent, because the request is of an earlier revision.
    Legacy,
    /// A retry was refused, because its state did not open.
    StateRefused {
        /// Why.
        cause: OpenCause,
    },
    /// A retry was refused, because its state was used before.
    StateReused,
    /// A retry was refused, because the store could not be asked.
    StoreFailed,
    /// A person did not agree, and the handler cannot go on without.
    Declined,
    /// The handler failed, or refused the request.
    HandlerFailed(HandlerError),
    /// The handler did what a handler must not do. The client was told of an internal error.
    HandlerFault(HandlerFault),
}

/// What a handler did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandlerFault {
    /// It asked for input on a method that has no rounds.
    #[error("expected no input to be asked on a method without rounds")]
    MethodCannotAsk,
    /// It needs neither input nor a state.
    #[error("expected input requests or a state, found neither")]
    EmptyNeed,
    /// It asks for one more round than the endpoint allows.
    #[error("expected at most {rounds_max} rounds, found another")]
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
    /// It asked twice under one key.
    #[error("expected each key once, found one twice")]
    DuplicateKey,
    /// It asked for something that a client would refuse, or for more than the endpoint's limits
    /// allow.
    #[error("the input request is refused: {0}")]
    Request(WireError),
    /// It asked with a form that a client would refuse.
    #[error("the form is refused: {0}")]
    Form(form_model::Refusal),
    /// It wants a state back, and the endpoint has no keyring to seal it.
    #[error("expected a keyring to seal the state, found none")]
    NoKeyring,
    /// The state and the forms are too large, or nest too deep, to be sealed.
    #[error("expected a state that fits a token, found a larger or deeper one")]
    StateTooLarge,
    /// The generator of random numbers or the cipher failed.
    #[error("the state could not be sealed")]
    NotSealed(#[source] SealError),
    /// The flow asked in another order than in an earlier round, or something else under one key.
    #[error("expected the flow to ask as it did before")]
    FlowChanged,
    /// The result is not a JSON object, nests too deep, or is an `input_required` made by hand.
    #[error("expected the result to be a complete result")]
    Result,
}

impl From<InvalidRequest> for HandlerFault {
    fn from(error: InvalidRequest) -> Self {
        match error {
            InvalidRequest::Wire(error) => Self::Request(error),
            InvalidRequest::Form(refusal) => Self::Form(refusal),
        }
    }
}

impl From<WireError> for HandlerFault {
    fn from(error: WireError) -> Self {
        Self::Request(error)
    }
}
