//! The outcomes of a call, the close reasons of its questions, and the mistakes of both sides.

use core::fmt;

use form_model::Refusal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Clock, Trigger,
    wire::{InvalidRequest, RawJson, ResponseError, RpcError, WireError},
};

/// Why a question is taken back without an answer.
///
/// A later version can add reasons: handle an unknown one like [`CloseReason::Stopped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CloseReason {
    /// Nobody answered in time.
    TimedOut,
    /// The caller gave up.
    Stopped,
    /// The connection is gone, or the binding has changed.
    Lost,
    /// This question, or another of the same round, cannot be answered.
    Unanswerable,
}

/// How a call ended.
///
/// The enum is exhaustive: a caller handles each outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The server's result.
    Complete(RawJson),
    /// The server's error.
    Error(RpcError),
    /// The server broke the protocol or a limit. The faulty message was dropped: none of its
    /// questions was asked, and no retry was sent.
    Fault(Fault),
    /// A clock ran out.
    TimedOut(Clock),
    /// The caller gave up.
    Stopped,
    /// A question could not be answered. No retry was sent.
    Unanswerable,
    /// The connection is gone or the binding has changed, and no leg was in flight.
    Lost,
    /// The connection is gone or the binding has changed, and a leg was in flight. The server may
    /// have executed the leg, or not.
    OutcomeUnknown,
}

impl Outcome {
    pub(super) const fn trigger(&self) -> Trigger {
        match self {
            Self::Complete(_) => Trigger::Completed,
            Self::Error(_) => Trigger::Errored,
            Self::Fault(_) => Trigger::Faulted,
            Self::TimedOut(_) => Trigger::TimedOut,
            Self::Stopped => Trigger::Stopped,
            Self::Unanswerable => Trigger::Unanswerable,
            Self::Lost | Self::OutcomeUnknown => Trigger::Lost,
        }
    }

    /// Returns why this outcome closes the open questions.
    pub(super) const fn close_reason(&self) -> CloseReason {
        match self {
            Self::TimedOut(_) => CloseReason::TimedOut,
            Self::Lost | Self::OutcomeUnknown => CloseReason::Lost,
            Self::Unanswerable => CloseReason::Unanswerable,
            Self::Complete(_) | Self::Error(_) | Self::Fault(_) | Self::Stopped => {
                CloseReason::Stopped
            }
        }
    }

    /// Returns a stable code, for records and for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Error(_) => "error",
            Self::Fault(_) => "fault",
            Self::TimedOut(_) => "timed_out",
            Self::Stopped => "stopped",
            Self::Unanswerable => "unanswerable",
            Self::Lost => "lost",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }
}

/// Writes one sentence for a person or a model. It holds no answers. It repeats nothing that the
/// server wrote, except names of form fields in a [`Fault`]. The server's own error message is in
/// [`Outcome::Error`].
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete(_) => f.write_str("the call is complete"),
            Self::Error(error) => write!(f, "the server answered with error {}", error.code),
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::TimedOut(clock) => write!(f, "{clock}"),
            Self::Stopped => f.write_str("the call was stopped"),
            Self::Unanswerable => {
                f.write_str("the server asked something that could not be answered here")
            }
            Self::Lost => f.write_str("the connection was lost before the call was done"),
            Self::OutcomeUnknown => f.write_str(
                "the connection was lost while the server worked: what it was asked may be done, or not",
            ),
        }
    }
}

/// A mistake of the server. The text repeats nothing of the server's message except names of form
/// fields.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A message does not have the shape that the specification gives it, or is over a limit.
    #[error("the server's answer cannot be read: {0}")]
    Wire(WireError),
    /// A form cannot be shown.
    #[error("the server's form cannot be shown: {0}")]
    Form(Refusal),
    /// The server asks for something that the call did not claim.
    #[error("the server asks for {kind}, which the call did not claim")]
    Undeclared {
        /// The kind of request.
        kind: &'static str,
    },
    /// The server asks for more rounds than the call allows.
    #[error("the server asks again after {rounds_max} rounds, the most that the call allows")]
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
}

/// A mistake of the caller. The call is unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The reply is to a leg of another invocation.
    #[error("expected a leg of this invocation, found one of another invocation")]
    WrongInvocation,
    /// The reply is to a leg that was never sent.
    #[error("expected a leg that was sent, found one that was not")]
    UnknownLeg,
    /// The answer is to another round than the current one.
    #[error("expected an answer to the current round, found one to another round")]
    WrongRound,
    /// The round has no question with this key.
    #[error("expected the key of a question of this round, found another key")]
    UnknownKey,
    /// The question already has an answer.
    #[error("the interaction already has an answer")]
    Answered,
    /// No question is open any more.
    #[error("the interaction is closed")]
    Closed,
    /// The response is invalid. The question stays open.
    #[error(transparent)]
    Response(#[from] ResponseError),
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<InvalidRequest> for Fault {
    fn from(error: InvalidRequest) -> Self {
        match error {
            InvalidRequest::Wire(error) => Self::Wire(error),
            InvalidRequest::Form(refusal) => Self::Form(refusal),
        }
    }
}
