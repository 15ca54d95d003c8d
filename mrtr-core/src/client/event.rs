//! What goes into an invocation, and what comes out.

use alloc::string::String;
use core::fmt;

use super::{Binding, CloseReason, LegRequest, Outcome};
use crate::{
    LegId, Transition,
    wire::{InputRequest, InputResponse, RawJson, RpcResponse, WireError},
};

/// Something that happened to a call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
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
        response: InputResponse,
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

/// What came back for a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// The `result` of the response.
    Result(RawJson),
    /// The `error` object of the response.
    Error(RawJson),
    /// Bytes that are not a response to the leg.
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
            return Self::Unreadable(WireError::shape("id", expected));
        }
        match response.outcome {
            Ok(result) => Self::Result(result),
            Err(error) => Self::Error(error),
        }
    }
}

/// Something for the caller to do.
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
        request: InputRequest,
    },
    /// Take back what was asked: no answer counts any more.
    Retract {
        /// The round.
        round: u32,
        /// The key of the interaction within the round.
        key: String,
        /// Why.
        why: CloseReason,
    },
    /// Report the one outcome of the call. Nothing follows.
    Settle(Outcome),
}

/// Shows what happened, and the size of what came with it.
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

/// Shows what to do, and the size of what goes with it.
impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(request) => write!(f, "Send({request:?})"),
            Self::CancelLeg { leg } => write!(f, "CancelLeg({leg})"),
            Self::Ask { round, key, request } => {
                write!(f, "Ask(round {round}, key of {} bytes, {request:?})", key.len())
            }
            Self::Retract { round, key, why } => {
                write!(f, "Retract(round {round}, key of {} bytes, {why:?})", key.len())
            }
            Self::Settle(outcome) => write!(f, "Settle({outcome:?})"),
        }
    }
}

/// What came of an event: actions to carry out, in that order, and reports for the operator.
pub type Actions = crate::Actions<Action, Report>;

/// Something for the operator. It holds no content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// The call moved from one phase to another, or to the same.
    Moved(Transition),
}
