//! What goes into an invocation, and what comes out.

use alloc::{string::String, vec, vec::Vec};
use core::fmt;

use form_model::{Faults, Refusal};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Binding, Interaction, LegRequest};
use crate::{
    Clock, InvocationId, LegId, Phase, Trigger,
    wire::{RawJson, Response, RpcError, RpcResponse, WireError},
};

/// Is something that happened to an invocation.
#[derive(Clone, PartialEq)]
pub enum Event {
    /// A leg was answered.
    Reply {
        /// The leg.
        leg: LegId,
        /// The answer.
        reply: Reply,
    },
    /// Somebody answered an interaction.
    Answer {
        /// The round of the interaction.
        round: u32,
        /// The key of the interaction.
        key: String,
        /// The answer.
        response: Response,
    },
    /// What should have answered an interaction failed. The call ends: a round goes back whole or
    /// not at all.
    Failed {
        /// The round of the interaction.
        round: u32,
        /// The key of the interaction.
        key: String,
    },
    /// The server said that it works on a leg: `notifications/progress`.
    Progress {
        /// The leg.
        leg: LegId,
    },
    /// The call is bound to this now. If it differs from what it started with, the call ends.
    BindingChanged(Binding),
    /// The connection is gone.
    ConnectionLost,
    /// The caller gives up.
    Stop,
    /// Time has passed.
    Tick,
}

/// Is what came back for a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The `result` of the response.
    Result(RawJson),
    /// The `error` object of the response.
    Error(RawJson),
    /// Something that is no response to the leg.
    Unreadable(WireError),
}

impl Reply {
    /// Reads the bytes that answered a leg's request on a transport that pairs the two, as HTTP
    /// does.
    #[must_use]
    pub fn read(leg: &LegId, message: &[u8]) -> Self {
        let response = match RpcResponse::decode(message) {
            Ok(response) => response,
            Err(error) => return Self::Unreadable(error),
        };
        // A server that could not read the request answers with an error and no id.
        let is_ours = match &response.id {
            Some(id) => *id == alloc::format!("{leg}"),
            None => response.outcome.is_err(),
        };
        if !is_ours {
            let expected = "the id of the request";
            return Self::Unreadable(WireError::Shape { what: "id", expected });
        }
        match response.outcome {
            Ok(result) => Self::Result(result),
            Err(error) => Self::Error(error),
        }
    }
}

/// Is something for the caller to do.
#[derive(Clone, PartialEq)]
pub enum Action {
    /// Send a request.
    Send(LegRequest),
    /// Tell the server that a request is given up, as the transport does it: close the response on
    /// HTTP, send `notifications/cancelled` on stdio.
    CancelLeg {
        /// The leg.
        leg: LegId,
    },
    /// Ask somebody, and come back with [`Event::Answer`].
    Ask {
        /// The round.
        round: u32,
        /// The key of the interaction within the round.
        key: String,
        /// What to ask.
        interaction: Interaction,
    },
    /// Take back what was asked: no answer counts any more.
    Retract {
        /// The round.
        round: u32,
        /// The key of the interaction within the round.
        key: String,
        /// Why.
        why: Closure,
    },
    /// Report the one outcome of the call. Nothing follows.
    Settle(Outcome),
}

/// Writes what happened, and of what it brings the size.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply { leg, reply } => write!(f, "Reply({leg}, {reply:?})"),
            Self::Answer { round, key, response } => {
                write!(f, "Answer(round {round}, key of {} bytes, {response:?})", key.len())
            }
            Self::Failed { round, key } => {
                write!(f, "Failed(round {round}, key of {} bytes)", key.len())
            }
            Self::Progress { leg } => write!(f, "Progress({leg})"),
            Self::BindingChanged(_) => f.write_str("BindingChanged"),
            Self::ConnectionLost => f.write_str("ConnectionLost"),
            Self::Stop => f.write_str("Stop"),
            Self::Tick => f.write_str("Tick"),
        }
    }
}

/// Writes what to do, and of what it carries the size.
impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(request) => write!(f, "Send({request:?})"),
            Self::CancelLeg { leg } => write!(f, "CancelLeg({leg})"),
            Self::Ask { round, key, interaction } => {
                write!(f, "Ask(round {round}, key of {} bytes, {interaction:?})", key.len())
            }
            Self::Retract { round, key, why } => {
                write!(f, "Retract(round {round}, key of {} bytes, {why:?})", key.len())
            }
            Self::Settle(outcome) => write!(f, "Settle({outcome:?})"),
        }
    }
}

/// Says why an interaction is closed without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closure {
    /// Nobody answered in time.
    TimedOut,
    /// The caller gave up.
    Stopped,
    /// The connection or the binding is gone.
    Lost,
    /// The round can not be answered as a whole: what should have answered this interaction, or
    /// another of the round, failed.
    Unanswerable,
}

/// Is how a call ended.
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

/// Says to a person, or to a model, how the call ended. It holds nothing that the server wrote, and
/// nothing that anybody answered: what an error says stands in its fields.
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

/// Says what a server did wrong. It holds nothing that the server sent but names of places.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A message has not the shape that the specification gives it, or is over a limit.
    #[error("the server's answer can not be read: {0}")]
    Wire(#[from] WireError),
    /// A form can not be shown.
    #[error("the server's form can not be shown: {0}")]
    Form(Refusal),
    /// The server asks for something that the call did not claim.
    #[error("the server asks for {kind}, which the call did not claim")]
    Undeclared {
        /// What it asks for.
        kind: &'static str,
    },
    /// The server asks for yet another round.
    #[error("the server asks again after {rounds_max} rounds, the most that the call allows")]
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
}

/// Says what the caller did wrong. The machine is as it was.
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
    /// The interaction has an answer.
    #[error("the interaction is answered")]
    Answered,
    /// Nobody is asked: the interaction is closed.
    #[error("the interaction is closed")]
    Closed,
    /// The content of the answer, or what a model or the roots gave, is larger than `answer_bytes_max`
    /// of the form's limits. The interaction is open as before.
    #[error("expected an answer of at most {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// The answer is of another kind than the interaction. The interaction is open as before.
    #[error("expected an answer of the interaction's kind, found one of another")]
    WrongKind,
    /// The answer of a model, or the roots, have not the shape that the specification gives them.
    /// The interaction is open as before.
    #[error("the answer can not be sent: {0}")]
    Malformed(WireError),
    /// The answer does not fit the form. The interaction is open as before.
    #[error("the answer does not fit the form: {0}")]
    Invalid(Faults),
}

/// Is what came of an event: what to do, in that order, and what to tell telemetry.
#[derive(Clone, Debug, PartialEq, Default)]
#[must_use = "a machine does nothing by itself: its actions are to be carried out"]
pub struct Actions {
    pub(super) list: Vec<Action>,
    pub(super) transition: Option<Transition>,
}

impl Actions {
    pub(super) fn one(action: Action) -> Self {
        Self { list: vec![action], transition: None }
    }

    /// Returns what to do, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Action] {
        &self.list
    }

    /// Returns the change of phase that the event made.
    #[must_use]
    pub const fn transition(&self) -> Option<&Transition> {
        self.transition.as_ref()
    }
}

impl IntoIterator for Actions {
    type Item = Action;
    type IntoIter = vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// Is a change of phase, fit for telemetry: it holds no content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Transition {
    /// The call.
    pub invocation: InvocationId,
    /// The number of the last leg that was sent.
    pub leg: u32,
    /// The round that is on or was last; 0 before the first.
    pub round: u32,
    /// The phase before.
    pub from: Phase,
    /// The phase after.
    pub to: Phase,
    /// What made the change.
    pub cause: Trigger,
    /// The interactions that are open after it.
    pub open: usize,
}
