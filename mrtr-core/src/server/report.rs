//! The reports of an exchange for the server's operator.

use alloc::{string::String, sync::Arc};

use thiserror::Error;

use super::HandlerError;
use crate::{
    seal::{OpenCause, SealError},
    wire::{Capabilities, InvalidRequest, WireError},
};

/// A report for the server's operator. It holds no params, no state and no answer, with one
/// exception: the cause of a [`HandlerError`] is the handler's own text, which may repeat an answer.
/// `Debug` does not print the cause.
///
/// Each error response has exactly one report, and so has each round that is sent. A complete
/// result has no report.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the endpoint.
    pub endpoint: Arc<str>,
    /// The method; `None` if the message could not be read that far, or if its method is longer than
    /// 64 bytes or not printable ASCII. Otherwise it is the client's own text.
    pub method: Option<String>,
    /// The kind.
    pub kind: ReportKind,
}

/// The kind of a report.
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
    /// A round was not sent, because the client does not declare a capability that it needs.
    MissingCapability {
        /// The missing capabilities.
        missing: Capabilities,
    },
    /// A round was not sent, because the request is of an earlier revision.
    Legacy,
    /// A round was not sent, because the call had all the rounds that the endpoint allows. Either the
    /// handler asks without end, or the client retries without answers. The client received an
    /// internal error.
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
    /// A retry was refused, because its state did not open.
    StateRefused {
        /// Why.
        cause: OpenCause,
    },
    /// A retry was refused, because its state was used before.
    StateReused,
    /// A retry was refused, because the store could not be reached.
    StoreFailed,
    /// A person did not agree, so the handler could not continue.
    Declined,
    /// The handler failed, or refused the request.
    HandlerFailed(HandlerError),
    /// The handler broke a rule. The client got an internal error.
    HandlerFault(HandlerFault),
}

/// The rule that a handler broke.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandlerFault {
    /// It asked for input on a method that has no rounds.
    #[error("expected no questions from a handler of a method without rounds")]
    MethodCannotAsk,
    /// Its need has no requests and no state.
    #[error("expected input requests or a state, found neither")]
    EmptyNeed,
    /// It sent two requests under the same key.
    #[error("expected each request under its own key, found two under the same key")]
    DuplicateKey,
    /// It sent a request that a client would refuse, or that is over a limit of the endpoint.
    #[error("the input request is refused: {0}")]
    Request(WireError),
    /// It sent a form that a client would refuse.
    #[error("the form is refused: {0}")]
    Form(form_model::Refusal),
    /// Its need has a state, and the endpoint has no keyring to seal it.
    #[error("expected a keyring to seal the state, found none")]
    NoKeyring,
    /// The state and the forms are too large, or nest too deep, to be sealed.
    #[error("the state and the forms are too large or nest too deep to be sealed")]
    StateTooLarge,
    /// The generator of random numbers or the cipher failed.
    #[error("the state could not be sealed")]
    NotSealed(#[source] SealError),
    /// The flow asked in another order than in an earlier round, or asked something else under the
    /// same key.
    #[error("expected the flow to ask as it did before")]
    FlowChanged,
    /// The result is not a JSON object, nests too deep, or is an `input_required` result. A handler
    /// asks with [`Need`](super::Need) instead.
    #[error("expected a JSON object that is a complete result")]
    Result,
}

impl Report {
    pub(super) fn new(endpoint: &Arc<str>, method: Option<&str>, kind: ReportKind) -> Self {
        // A method is a word of the client, and no log has to hold a long or a forged line.
        let is_plain = |method: &&str| {
            method.len() <= 64 && method.bytes().all(|byte| byte.is_ascii_graphic())
        };
        Self { endpoint: endpoint.clone(), method: method.filter(is_plain).map(String::from), kind }
    }
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
