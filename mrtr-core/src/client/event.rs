//! The events of an invocation, and its actions.

use alloc::string::String;
use core::fmt;

use super::{Binding, CloseReason, LegRequest, Outcome};
use crate::{
    Transition,
    id::LegId,
    wire::{InputRequest, InputResponse, RawJson, RpcResponse, WireError},
};

/// Something that happened to a call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A reply to a leg came.
    Reply {
        /// The leg.
        leg: LegId,
        /// The answer.
        reply: Reply,
    },
    /// A question was answered.
    Answer {
        /// The round of the question.
        round: u32,
        /// The key of the question.
        key: String,
        /// The answer.
        response: InputResponse,
    },
    /// A question cannot be answered. The call ends, because answers are sent only for a whole
    /// round.
    Failed {
        /// The round of the question.
        round: u32,
        /// The key of the question.
        key: String,
    },
    /// The server reported that it works on a leg: `notifications/progress`.
    Progress {
        /// The leg.
        leg: LegId,
    },
    /// The current binding of the call. The call ends if this differs from the binding that it
    /// started with.
    BindingChanged(Binding),
    /// The connection is gone.
    ConnectionLost,
    /// The caller gives up.
    Stop,
    /// Time has passed.
    Tick,
}

/// The reply to a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// The `result` of the response.
    Result(RawJson),
    /// The `error` object of the response.
    Error(RawJson),
    /// The bytes are not a response to the leg.
    Unreadable(WireError),
}

impl Reply {
    /// Reads the response to a leg, on a transport such as HTTP that pairs each response with its
    /// request. Returns [`Reply::Unreadable`] if the bytes are not a response to this leg.
    ///
    /// The number of bytes is not limited here: limit what you read from the connection.
    #[must_use]
    pub fn read(leg: &LegId, message: &[u8]) -> Self {
        let response = match RpcResponse::decode(message) {
            Ok(response) => response,
            Err(error) => return Self::Unreadable(error),
        };
        // If a server cannot read the request, it answers with an error without an id.
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
///
/// The enum is exhaustive: a caller carries out each action.
#[derive(Clone, PartialEq)]
pub enum Action {
    /// Send the request of a leg.
    Send(LegRequest),
    /// Cancel a leg. On HTTP, close the response. On stdio, send `notifications/cancelled`.
    CancelLeg {
        /// The leg.
        leg: LegId,
    },
    /// Ask a question, and come back with [`Event::Answer`], or with [`Event::Failed`] if it cannot
    /// be answered.
    Ask {
        /// The round.
        round: u32,
        /// The key of the question, unique in its round.
        key: String,
        /// What to ask.
        request: InputRequest,
    },
    /// Take a question back. An answer to it would be a misuse from now on.
    Retract {
        /// The round.
        round: u32,
        /// The key of the question, unique in its round.
        key: String,
        /// The reason.
        why: CloseReason,
    },
    /// Report the one outcome of the call. It is the last action.
    Settle(Outcome),
}

/// The output has the kind of the event and sizes, and no content.
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

/// The output has the kind of the action and sizes, and no content.
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

/// The output of a machine for one event: actions, in the order to carry them out, and reports for
/// the operator.
pub type Actions = crate::Actions<Action, Report>;

/// A report for the operator. It holds no user data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// The call changed its phase, or entered the same phase again.
    Moved(Transition),
}
