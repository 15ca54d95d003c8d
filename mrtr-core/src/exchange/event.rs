//! What goes into an exchange, and what comes out.

use alloc::{borrow::ToOwned, string::String, vec, vec::Vec};
use core::fmt;

use thiserror::Error;

use super::{Answers, InputRequest};
use crate::{
    OpenCause, UnixTime,
    request_state::TokenId,
    wire::{Capabilities, RawJson, RpcError, WireError},
};

/// Is what happened to a request: what the store said of its state, or how its handler ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The store was asked to redeem the state, and says whether this is the first time.
    Redeemed {
        /// Whether it is.
        first: bool,
    },
    /// The store could not be asked. The handler does not run.
    StoreFailed,
    /// It has a result: a JSON object. `resultType` is added where it is absent.
    Finish(RawJson),
    /// It failed.
    Fail(RpcError),
    /// It failed before it did anything: a state that was redeemed may be used again.
    Abandon(RpcError),
    /// It needs input, or to be called again.
    Need(Need),
    /// Its flow asked otherwise than in an earlier round. [`Flow`](super::Flow) says so.
    FlowChanged,
}

/// Is what a handler needs before it can go on: requests under keys that it chooses, a state that
/// it wants back, or both.
///
/// ```
/// use form_model::Form;
/// use mrtr_core::{InputRequest, Need, wire::RawJson};
///
/// let form = Form::from_schema(
///     r#"{"type": "object", "properties": {"confirm": {"type": "boolean"}}}"#,
/// )?;
/// let need = Need::new()
///     .request("sure", InputRequest::form("Really deploy?", form))
///     .state(RawJson::parse(r#"{"step": 2}"#)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct Need {
    pub(super) requests: Vec<(String, InputRequest)>,
    pub(super) state: Option<RawJson>,
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Need({} requests, {:?})", self.requests.len(), self.state)
    }
}

impl Need {
    /// Needs nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { requests: Vec::new(), state: None }
    }

    /// Adds a request under a key.
    #[must_use]
    pub fn request(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.push((key.into(), request));
        self
    }

    /// Sets what the handler wants back on the retry. The client can neither read nor change it.
    #[must_use]
    pub fn state(self, state: RawJson) -> Self {
        Self { state: Some(state), ..self }
    }

    /// Returns what a client lacks to be asked this: [`Run::capabilities`] says what it has. A
    /// handler that finds something missing may ask in another way.
    #[must_use]
    pub fn missing(&self, declared: Capabilities) -> Capabilities {
        declared.missing(self.capabilities())
    }

    /// Returns the capabilities that a client must declare to be asked this.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.requests.iter().fold(Capabilities::NONE, |all, (_, request)| all.with(request.needs()))
    }
}

/// Is something for the caller to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Redeem a state that may be used once: insert its id into the store if it is not there, for
    /// that long, and come back with [`Event::Redeemed`].
    Redeem {
        /// The id.
        id: TokenId,
        /// When the store may forget it: 30 seconds after the state expires, since the clock of
        /// another server may be that far behind.
        until: UnixTime,
    },
    /// Take the id out of the store again.
    Release {
        /// The id.
        id: TokenId,
    },
    /// Run the handler, and come back with how it ended.
    Run(Run),
    /// Answer the request.
    Respond(Respond),
    /// Tell the server's operator. It holds no content.
    Report(Report),
}

/// Is a request that was found sound.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The method.
    pub method: String,
    /// The params as they came, `_meta` and the retry fields included.
    pub params: RawJson,
    /// 1 for a first request, n + 1 for the retry of round n. It comes from the sealed state.
    pub round: u32,
    /// What the client says that it can answer, in this request.
    pub capabilities: Capabilities,
    /// Whether the request is of an earlier revision, in which nothing can be asked.
    pub is_legacy: bool,
    /// The state that the handler asked to have back.
    pub state: Option<RawJson>,
    /// The answers, under the keys that were asked.
    pub answers: Answers,
}

/// Is the answer to a request: what a transport writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Respond {
    /// The HTTP status; other transports leave it out.
    pub status: u16,
    /// The JSON-RPC message; `None` answers a notification.
    pub body: Option<RawJson>,
}

/// Is something for the server's operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// A round was sent.
    InputRequired {
        /// The method.
        method: String,
        /// The round: 1 for the first.
        round: u32,
        /// The requests of the round.
        requests: usize,
    },
    /// A round was not sent, because the client lacks a capability for it.
    MissingCapability {
        /// The method.
        method: String,
        /// What it lacks.
        missing: Capabilities,
    },
    /// A retry was refused, because its state did not open.
    StateRefused {
        /// The method.
        method: String,
        /// Why.
        cause: OpenCause,
    },
    /// A retry was refused, because its state was used before.
    StateReused {
        /// The method.
        method: String,
    },
    /// A retry was refused, because the store could not be asked.
    StoreFailed {
        /// The method.
        method: String,
    },
    /// The handler did what a handler can not do. The client got an internal error.
    HandlerFault {
        /// The method.
        method: String,
        /// What it did.
        fault: HandlerFault,
    },
}

/// Says what a handler did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandlerFault {
    /// It asked for input on a method that has no rounds.
    #[error("input was asked on a method that can not ask")]
    MethodCanNotAsk,
    /// It needs neither input nor a state.
    #[error("expected input requests or a state, found neither")]
    EmptyNeed,
    /// It asks for yet another round.
    #[error("the handler asks again after {rounds_max} rounds, the most that the endpoint allows")]
    RoundLimit {
        /// The limit.
        rounds_max: u32,
    },
    /// It asked twice under one key.
    #[error("expected each key once, found one twice")]
    DuplicateKey,
    /// It asked what a client would refuse: a URL or a request to a model of a wrong shape, or more
    /// than the endpoint's limits allow.
    #[error("the input request is refused: {0}")]
    Request(#[from] WireError),
    /// It asked with a form that a client would refuse.
    #[error("the form is refused: {0}")]
    Form(form_model::Refusal),
    /// It wants a state back, and the endpoint has no keyring to seal it.
    #[error("a state is to be sealed, and the endpoint has no keyring")]
    NoKeyring,
    /// The state and the forms are too large to seal.
    #[error("the state is too large to seal")]
    StateTooLarge,
    /// The request is of an earlier revision, which has no rounds.
    #[error("MRTR input requests require protocol 2026-07-28")]
    Legacy,
    /// The flow asked in another order than in an earlier round, or something else under one key.
    #[error("expected the flow to ask as it did before")]
    FlowChanged,
    /// The result is no JSON object, or is an `input_required` by hand.
    #[error("expected the result to be a complete result")]
    Result,
}

/// Says what the caller did wrong. The machine is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The request has its answer, or has no handler that could end.
    #[error("the request is answered")]
    Answered,
    /// The handler does not run: the store was not heard yet.
    #[error("the state is not redeemed yet")]
    NotRedeemed,
    /// The store was not asked.
    #[error("no state waits to be redeemed")]
    NothingToRedeem,
}

/// Is what came of an event: what to do, in that order.
#[derive(Clone, Debug, PartialEq, Default)]
#[must_use = "a machine does nothing by itself: its actions are to be carried out"]
pub struct Actions(pub(super) Vec<Action>);

impl Actions {
    /// Returns what to do, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Action] {
        &self.0
    }
}

impl IntoIterator for Actions {
    type Item = Action;
    type IntoIter = vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl HandlerFault {
    /// Says what to tell the client: that the server failed, and no more.
    pub(super) fn to_error(&self) -> RpcError {
        // That the revision is too old is the one thing that the client can do something about.
        let message = if *self == Self::Legacy {
            "MRTR input requests require protocol 2026-07-28"
        } else {
            "Internal error"
        };
        RpcError::new(RpcError::INTERNAL, message.to_owned())
    }
}
