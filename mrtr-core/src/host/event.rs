//! The events of a broker, and its actions.

use super::{
    Change, ConnectionId, Fault, FrameError, HostFrame, InteractionId, Outcome, ProviderFrame,
    Record, RecordId,
};
use crate::{
    InvocationId, Transition,
    id::{RegistrationId, SessionId, ToolCallId, TurnId},
    wire::{InputResponse, RawJson},
};

/// A tool call that a provider executes, and the session that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The session whose people may be asked.
    pub session: SessionId,
    /// The turn of the session.
    pub turn: TurnId,
    /// The tool call of the turn.
    pub tool_call: ToolCallId,
    /// The registration to call. The call goes to its connection.
    pub registration: RegistrationId,
    /// What to execute. The broker passes it on unchanged.
    pub request: RawJson,
}

impl Call {
    /// Makes a call.
    #[must_use]
    pub const fn new(
        session: SessionId,
        turn: TurnId,
        tool_call: ToolCallId,
        registration: RegistrationId,
        request: RawJson,
    ) -> Self {
        Self { session, turn, tool_call, registration, request }
    }
}

/// Something that happened to a host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A provider connected.
    Connected(ConnectionId),
    /// A connection is gone. Its registrations and invocations end, too.
    Disconnected(ConnectionId),
    /// A provider registered something. It replaces an earlier registration with the same id, whose
    /// invocations end.
    Registered {
        /// The registration.
        registration: RegistrationId,
        /// The connection that executes its calls.
        connection: ConnectionId,
    },
    /// A registration ended. Its invocations end, too.
    Retired(RegistrationId),
    /// A frame arrived.
    Frame {
        /// The connection on which it arrived.
        connection: ConnectionId,
        /// The frame.
        frame: ProviderFrame,
    },
    /// Bytes arrived that are not a frame.
    Unreadable {
        /// The connection on which they arrived.
        connection: ConnectionId,
        /// The error of the bytes.
        error: FrameError,
    },
    /// A person answered a question.
    Answer {
        /// The question.
        interaction: InteractionId,
        /// The session of the person who answers. The host knows it; do not take it from the
        /// surface's message.
        session: SessionId,
        /// The answer.
        response: InputResponse,
    },
    /// No surface can show the question. Its invocation ends.
    Unanswerable(InteractionId),
    /// The store holds a record.
    Stored(RecordId),
    /// The store could not take a record.
    StoreFailed(RecordId),
    /// Invocations are stopped.
    Stop(Scope),
    /// A turn ended. Its live invocations end, too.
    TurnEnded {
        /// The session.
        session: SessionId,
        /// The turn.
        turn: TurnId,
    },
    /// Time has passed.
    Tick,
}

/// Which invocations to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

/// Something for the caller to do.
///
/// The enum is exhaustive: a caller carries out each action.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a frame to a provider. If the connection cannot take it, close the connection and come
    /// back with [`Event::Disconnected`].
    Deliver {
        /// The connection.
        connection: ConnectionId,
        /// The frame.
        frame: HostFrame,
    },
    /// Put a record into the store, after all records before it, and come back with
    /// [`Event::Stored`] or [`Event::StoreFailed`].
    Store(Record),
    /// Send a change to every surface of its session.
    Project(Change),
    /// Report the one outcome of an invocation. It is the invocation's last action.
    Settle {
        /// The invocation.
        invocation: InvocationId,
        /// How it ended.
        outcome: Outcome,
    },
}

/// The output of a machine for one event: actions, in the order to carry them out, and reports for
/// the operator.
pub type Actions = crate::Actions<Action, Report>;

/// A report for the operator. It holds no user data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Report {
    /// An invocation changed its phase, or entered the same phase again. [`Transition::round`] is
    /// the number of the invocation's last question.
    Moved(Transition),
    /// A frame was refused. It changed nothing except the count of refused frames.
    Refused {
        /// The connection on which it arrived.
        connection: ConnectionId,
        /// The rule that it breaks.
        why: Fault,
    },
}
