//! What goes into a broker, and what comes out.

use alloc::{string::ToString as _, vec, vec::Vec};
use core::fmt;

use form_model::{Faults, Refusal};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    Change, ConnectionId, FrameError, HostFrame, InteractionId, ProviderFrame, Record, RecordId,
};
use crate::{
    Clock, InvocationId, RegistrationId, SessionId, ToolCallId, Transition, TurnId,
    wire::{AnswerError, RawJson, Response, WireError},
};

/// Is what a host wants a provider to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The session whose people may be asked.
    pub session: SessionId,
    /// The turn of the session.
    pub turn: TurnId,
    /// The tool call of the turn.
    pub tool_call: ToolCallId,
    /// What is to execute it. Its connection is the one that it is registered on.
    pub registration: RegistrationId,
    /// What to do: passed on to the provider as it is.
    pub request: RawJson,
}

/// Is something that happened to a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A provider has connected.
    Connected(ConnectionId),
    /// A connection is gone.
    Disconnected(ConnectionId),
    /// The host has let a provider register something. What was registered under that id before is
    /// superseded.
    Registered {
        /// What is registered.
        registration: RegistrationId,
        /// The connection that executes it.
        connection: ConnectionId,
    },
    /// Something is not registered any more.
    Retired(RegistrationId),
    /// A frame came.
    Frame {
        /// The connection that it came on.
        connection: ConnectionId,
        /// The frame.
        frame: ProviderFrame,
    },
    /// Something came that is no frame.
    Unreadable {
        /// The connection that it came on.
        connection: ConnectionId,
        /// What is wrong with it.
        error: FrameError,
    },
    /// Somebody answered a question.
    Answer {
        /// The question.
        interaction: InteractionId,
        /// The session of who answers, as the host knows it.
        session: SessionId,
        /// The answer.
        response: Response,
    },
    /// Nobody can be asked: there is no surface that could show the question. Its invocation ends.
    Unanswerable(InteractionId),
    /// The store holds a record.
    Stored(RecordId),
    /// The store could not take a record.
    StoreFailed(RecordId),
    /// Somebody gives up what is covered.
    Stop(Scope),
    /// A turn is over, and with it what it still waits for.
    TurnEnded {
        /// The session.
        session: SessionId,
        /// The turn.
        turn: TurnId,
    },
    /// Time has passed.
    Tick,
}

/// Says what to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One invocation.
    Invocation(InvocationId),
    /// Every invocation of a turn.
    Turn(SessionId, TurnId),
    /// Every invocation of a session.
    Session(SessionId),
    /// Every invocation.
    All,
}

/// Is something for the caller to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a frame to a provider. If the connection can not take it, it is gone: close it, and
    /// come back with [`Event::Disconnected`].
    Deliver {
        /// The connection.
        connection: ConnectionId,
        /// The frame.
        frame: HostFrame,
    },
    /// Put a record into the store, behind all before it, and come back with [`Event::Stored`] or
    /// [`Event::StoreFailed`].
    Store(Record),
    /// Tell every surface of the change's session.
    Project(Change),
    /// Report the one outcome of an invocation. Nothing follows for it.
    Settle {
        /// The invocation.
        invocation: InvocationId,
        /// How it ended.
        outcome: Outcome,
    },
}

/// Is how an invocation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The provider's result.
    Complete(RawJson),
    /// The provider did not take it, and says why.
    Rejected(RawJson),
    /// The provider failed, and says how.
    Failed(RawJson),
    /// The provider let go of it without a result. What it was asked may be done, or not.
    Released,
    /// The provider sent a result while a question of it was open: neither counts.
    Inconsistent,
    /// A clock ran out.
    TimedOut(Clock),
    /// Somebody gave it up, or its turn is over.
    Stopped,
    /// Nobody could be asked.
    Unanswerable,
    /// The store could not hold a question or an answer.
    StoreFailed,
    /// The connection or the registration is gone while nothing was executed: somebody was asked.
    Lost,
    /// The connection or the registration is gone while the provider worked: what it was asked may
    /// be done, or not.
    OutcomeUnknown,
}

impl Outcome {
    /// Returns a stable code, for records and for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Rejected(_) => "rejected",
            Self::Failed(_) => "failed",
            Self::Released => "released",
            Self::Inconsistent => "inconsistent",
            Self::TimedOut(_) => "timed_out",
            Self::Stopped => "stopped",
            Self::Unanswerable => "unanswerable",
            Self::StoreFailed => "store_failed",
            Self::Lost => "lost",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }
}

impl Outcome {
    /// Tells whether the provider may still work on what has ended so.
    pub(super) const fn leaves_provider_at_work(&self) -> bool {
        match self {
            Self::Complete(_) | Self::Rejected(_) | Self::Failed(_) | Self::Released => false,
            Self::Inconsistent
            | Self::TimedOut(_)
            | Self::Stopped
            | Self::Unanswerable
            | Self::StoreFailed
            | Self::Lost
            | Self::OutcomeUnknown => true,
        }
    }
}

/// Says why a question is closed without an answer that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closure {
    /// Somebody gave the invocation up.
    Stopped,
    /// The turn is over.
    TurnEnded,
    /// Nobody answered in time.
    TimedOut,
    /// The provider's connection is gone.
    ProviderLost,
    /// Something else is registered in the provider's place.
    Superseded,
    /// The provider is not registered any more.
    Retired,
    /// The provider did not take the invocation.
    Rejected,
    /// The provider failed.
    Failed,
    /// The provider let go of the invocation.
    Released,
    /// The provider sent a result while the question was open.
    Inconsistent,
    /// Nobody could be asked.
    Unanswerable,
    /// The store could not hold the question or the answer.
    StoreFailed,
    /// The host has started anew.
    HostRestarted,
}

impl Closure {
    /// Lists the reasons.
    pub const ALL: [Self; 13] = [
        Self::Stopped,
        Self::TurnEnded,
        Self::TimedOut,
        Self::ProviderLost,
        Self::Superseded,
        Self::Retired,
        Self::Rejected,
        Self::Failed,
        Self::Released,
        Self::Inconsistent,
        Self::Unanswerable,
        Self::StoreFailed,
        Self::HostRestarted,
    ];
}

/// Says what a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// They sent the form, or agreed to open the URL.
    Accept,
    /// They said no.
    Decline,
    /// They closed it without an answer.
    Dismiss,
}

/// Says how a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By an answer.
    Answered(Decision),
    /// Without one that was delivered.
    Closed(Closure),
}

/// Is something for the host's operator. It holds no content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Report {
    /// An invocation moved. Its round is the number of its last interaction.
    Moved(Transition),
    /// A frame was refused, and changed nothing.
    Refused {
        /// The connection that it came on.
        connection: ConnectionId,
        /// Why.
        why: Refused,
    },
}

/// Says which rule a frame breaks. Nothing has changed but the count of what was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Refused {
    /// It has not the shape of a frame or of a request, or is over a limit of one.
    #[error("the frame can not be read: {0}")]
    Unreadable(#[from] WireError),
    /// It came on a connection that the broker does not know.
    #[error("the connection is not known")]
    NotConnected,
    /// It is for an invocation of an earlier life of the host.
    #[error("the invocation is of another life of the host")]
    OldEpoch,
    /// It is for an invocation that is over, or never was.
    #[error("no such invocation is live")]
    NotLive,
    /// It is for an invocation of another connection.
    #[error("the invocation belongs to another connection")]
    WrongConnection,
    /// The provider has not taken the invocation yet.
    #[error("the invocation is not accepted yet")]
    NotAccepted,
    /// The provider has taken the invocation before.
    #[error("the invocation is accepted")]
    AlreadyAccepted,
    /// The provider has asked a question of this number before.
    #[error("expected a question of a number above {last}, found one that was asked before")]
    Duplicate {
        /// The last number that was taken.
        last: u64,
    },
    /// The number of a question is 0, or below one that the provider has used, and was never taken.
    #[error("expected a question of a number above {last}")]
    Number {
        /// The last number that was taken; 0 before the first.
        last: u64,
    },
    /// Another question of the invocation is open.
    #[error("another question of the invocation is open")]
    Pending,
    /// A form can not be shown.
    #[error("the form can not be shown: {0}")]
    Form(Refusal),
    /// Something is over a limit of the host.
    #[error("{what}: expected at most {max}")]
    Limit {
        /// What, with its unit.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

impl Refused {
    /// Returns a stable code, for frames and for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::NotConnected => "not_connected",
            Self::OldEpoch => "old_epoch",
            Self::NotLive => "not_live",
            Self::WrongConnection => "wrong_connection",
            Self::NotAccepted => "not_accepted",
            Self::AlreadyAccepted => "already_accepted",
            Self::Duplicate { .. } => "duplicate",
            Self::Number { .. } => "number",
            Self::Pending => "pending",
            Self::Form(_) => "form",
            Self::Limit { .. } => "limit",
        }
    }
}

/// Says what the caller, or a surface that it speaks for, did wrong. The broker is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The connection is known already.
    #[error("the connection is known already")]
    AlreadyConnected,
    /// No such connection is known.
    #[error("no such connection is known")]
    NotConnected,
    /// Nothing is registered under that id.
    #[error("nothing is registered under that id")]
    NotRegistered,
    /// The answer is to a question of another life of the host.
    #[error("the question is of another life of the host")]
    OldEpoch,
    /// No such question was asked.
    #[error("no such question was asked")]
    UnknownInteraction,
    /// The question is of another session.
    #[error("the question is of another session")]
    WrongSession,
    /// The question has ended, or has an answer that is about to be delivered.
    #[error("the question is answered or closed")]
    Stale {
        /// How it ended; `None` if that is not known any more.
        won: Option<Ending>,
    },
    /// The answer is of another kind than the question, which is open as before.
    #[error("expected an answer of the question's kind, found one of another")]
    WrongKind,
    /// The content of the answer is larger than `answer_bytes_max` of the form's limits. The question
    /// is open as before.
    #[error("expected an answer of at most {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// The answer does not fit the form. The question is open as before.
    #[error("the answer does not fit the form: {0}")]
    Invalid(Faults),
    /// The store was not asked to hold that.
    #[error("the store was not asked to hold that")]
    NotStoring,
    /// Something is over a limit of the host.
    #[error("{what}: expected at most {max}")]
    Limit {
        /// What.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

impl From<AnswerError> for Misuse {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::WrongKind => Self::WrongKind,
            AnswerError::Invalid(faults) => Self::Invalid(faults),
            AnswerError::TooLarge { bytes_max } => Self::TooLarge { bytes_max },
        }
    }
}

/// Is what came of an event: what to do, in that order, and what to tell the host's operator.
#[derive(Clone, Debug, PartialEq, Default)]
#[must_use = "a machine does nothing by itself: its actions are to be carried out"]
pub struct Actions {
    pub(super) list: Vec<Action>,
    pub(super) reports: Vec<Report>,
}

impl Actions {
    /// Returns what to do, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Action] {
        &self.list
    }

    /// Returns what to tell the host's operator.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }
}

impl IntoIterator for Actions {
    type Item = Action;
    type IntoIter = vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// Writes the code.
impl fmt::Display for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Closure {
    /// Reads the code.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.to_string() == code)
    }
}
