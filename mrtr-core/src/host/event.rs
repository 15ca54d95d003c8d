//! What goes into a broker, and what comes out.

use super::{
    Change, ConnectionId, Fault, FrameError, HostFrame, InteractionId, Outcome, ProviderFrame,
    Record, RecordId,
};
use crate::{
    InvocationId, RegistrationId, SessionId, ToolCallId, Transition, TurnId,
    wire::{InputResponse, RawJson},
};

/// What a host wants a provider to do, and on whose behalf.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The session whose people may be asked.
    pub session: SessionId,
    /// The turn of the session.
    pub turn: TurnId,
    /// The tool call of the turn.
    pub tool_call: ToolCallId,
    /// What executes the call, on the connection that it is registered on.
    pub registration: RegistrationId,
    /// What to execute: the provider gets it as it is.
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
    /// A connection is gone.
    Disconnected(ConnectionId),
    /// The host let a provider register something. It replaces what was registered under that id
    /// before.
    Registered {
        /// What is registered.
        registration: RegistrationId,
        /// The connection that executes its calls.
        connection: ConnectionId,
    },
    /// A registration ended.
    Retired(RegistrationId),
    /// A frame came.
    Frame {
        /// The connection that it came on.
        connection: ConnectionId,
        /// The frame.
        frame: ProviderFrame,
    },
    /// Bytes came that are not a frame.
    Unreadable {
        /// The connection that they came on.
        connection: ConnectionId,
        /// What is wrong with them.
        error: FrameError,
    },
    /// Somebody answered a question.
    Answer {
        /// The question.
        interaction: InteractionId,
        /// The session of the person who answers, as the host knows it.
        session: SessionId,
        /// The answer.
        response: InputResponse,
    },
    /// Nobody can be asked, because no surface can show the question. Its invocation ends.
    Unanswerable(InteractionId),
    /// The store holds a record.
    Stored(RecordId),
    /// The store could not take a record.
    StoreFailed(RecordId),
    /// Somebody stops some invocations.
    Stop(Scope),
    /// A turn ended, and with it the invocations that it still waits for.
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

/// Something for the caller to do. The enum is exhaustive: a caller carries out each action.
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

/// What came of an event: actions to carry out, in that order, and reports for the operator.
pub type Actions = crate::Actions<Action, Report>;

/// Something for the operator. It holds no content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Report {
    /// An invocation moved from one phase to another, or to the same. Its round is the number of its
    /// last question.
    Moved(Transition),
    /// A frame was refused, and changed nothing.
    Refused {
        /// The connection that it came on.
        connection: ConnectionId,
        /// The rule that it breaks.
        why: Fault,
    },
}
