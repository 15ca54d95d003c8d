//! How a call ends, why its questions close, and whose mistake it was.

use core::fmt;

use form_model::Refusal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Clock, Trigger,
    wire::{InvalidRequest, RawJson, ResponseError, RpcError, WireError},
};

/// Why a question is taken back without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CloseReason {
    /// Nobody answered in time.
    TimedOut,
    /// The caller gave up.
    Stopped,
    /// The connection or the binding is gone.
    Lost,
    /// The round cannot be answered as a whole: what should have answered this interaction, or
    /// another of the round, failed.
    Unanswerable,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The server's result.
    Complete(RawJson),
    /// The server's error.
    Error(RpcError),
    /// The server broke the protocol or a limit. Nobody was asked and nothing was sent for it.
    Fault(Fault),
    /// A clock ran out.
    TimedOut(Clock),
    /// The caller gave up.
    Stopped,
    /// What should have answered an interaction failed. Nothing was sent for the round.
    Unanswerable,
    /// The connection or the binding is gone, and nothing was in flight.
    Lost,
    /// The connection or the binding is gone while a leg was in flight: the server may have done
    /// what it was asked, or not.
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

    /// Returns why the questions that are open at this outcome close.
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

/// Writes how the call ended, for a person or a model, without the server's words and without answers.
/// The words of an error are in its fields.
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

/// What a server did wrong. It repeats nothing that the server sent except names of places.
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
        /// What it asks for.
        kind: &'static str,
    },
    /// The server asks for more rounds than the call allows.
    #[error("the server asks again after {rounds_max} rounds, the most that the call allows")]
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
}

/// A mistake of the caller. The machine is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The reply is to a leg of another invocation.
    #[error("expected a leg of this invocation, found one of another")]
    WrongInvocation,
    /// The reply is to a leg that was never sent.
    #[error("expected a leg that was sent, found one that was not")]
    UnknownLeg,
    /// The answer is to another round than the one that is on.
    #[error("expected an answer to the round that is on, found one to another")]
    WrongRound,
    /// The answer is to a key that is not asked.
    #[error("expected the key of an interaction, found another")]
    UnknownKey,
    /// The interaction already has an answer.
    #[error("the interaction is answered")]
    Answered,
    /// Nobody is asked: the interaction is closed.
    #[error("the interaction is closed")]
    Closed,
    /// The response is invalid. The question is open as before.
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
