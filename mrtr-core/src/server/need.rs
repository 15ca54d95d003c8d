//! The needs of a handler: questions, and a state to get back.

use alloc::{string::String, vec::Vec};

use crate::{
    debug::debug,
    wire::{Capabilities, InputRequest, RawJson},
};

/// What a handler needs before it can continue: requests under keys that it chooses, a state to get
/// back on the retry, or both.
///
/// [`Exchange::end`](super::Exchange::end) checks it against the limits of the endpoint.
///
/// ```
/// use form_model::Form;
/// use mrtr_core::server::Need;
/// use mrtr_core::wire::{InputRequest, RawJson};
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

debug!(Need, |need| "Need({} requests, {:?})", need.requests.len(), need.state);

impl Need {
    /// Makes an empty need.
    #[must_use]
    pub const fn new() -> Self {
        Self { requests: Vec::new(), state: None }
    }

    /// Adds a request under a key.
    #[must_use]
    pub fn request(mut self, key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        self.requests.push((key.into(), request.into()));
        self
    }

    /// Sets the state that the handler gets back on the retry. The client cannot change it. It
    /// cannot read it if states are encrypted. An endpoint without keys cannot send a state.
    #[must_use]
    pub fn state(self, state: RawJson) -> Self {
        Self { state: Some(state), ..self }
    }

    /// Returns the capabilities that the requests need and the client does not declare. Pass
    /// [`Run::capabilities`](super::Run::capabilities). If something is missing, a handler can ask
    /// in another way.
    #[must_use]
    pub fn missing(&self, declared: Capabilities) -> Capabilities {
        declared.missing(self.capabilities())
    }

    /// Returns the capabilities that the requests need.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        let needs = self.requests.iter().map(|(_, request)| request.needs());
        needs.fold(Capabilities::NONE, Capabilities::union)
    }
}
