//! What goes into an exchange, and what comes out.

use alloc::{borrow::ToOwned, string::String, vec, vec::Vec};
use core::fmt;

use form_model::Form;
use thiserror::Error;

use super::Answers;
use crate::{
    OpenCause,
    wire::{Capabilities, RawJson, RpcError, write_form_request},
};

/// Is how a handler ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It has a result: a JSON object. `resultType` is added where it is absent.
    Finish(RawJson),
    /// It failed.
    Fail(RpcError),
    /// It needs input, or to be called again.
    Need(Need),
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

    /// Returns the capabilities that a client must declare to be asked this.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.requests.iter().fold(Capabilities::NONE, |all, (_, request)| {
            let InputRequest::Form { .. } = request;
            Capabilities { form: true, ..all }
        })
    }
}

/// Is a question to the client's side.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// A form for a person.
    Form {
        /// What to say to the person.
        message: String,
        /// The form.
        form: Form,
    },
}

/// Writes how much is asked, and nothing of what is said.
impl fmt::Debug for InputRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Form { message, form } = self;
        write!(f, "Form({} bytes, {form:?})", message.len())
    }
}

impl InputRequest {
    /// Asks a person to fill in a form.
    #[must_use]
    pub fn form(message: impl Into<String>, form: Form) -> Self {
        Self::Form { message: message.into(), form }
    }

    pub(super) fn write(&self, json: &mut String) {
        let Self::Form { message, form } = self;
        write_form_request(message, form, json);
    }
}

/// Is something for the caller to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
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
    /// It asked twice under one key.
    #[error("expected each key once, found one twice")]
    DuplicateKey,
    /// It asked with a form that a client would refuse.
    #[error("the form is refused: {0}")]
    Form(form_model::Refusal),
    /// It wants a state back, and the endpoint has no keyring to seal it.
    #[error("a state is to be sealed, and the endpoint has no keyring")]
    NoKeyring,
    /// The state and the forms are too large to seal.
    #[error("the state is too large to seal")]
    StateTooLarge,
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
        RpcError::new(RpcError::INTERNAL, "Internal error".to_owned())
    }
}
