//! The input of a call, and the request that each leg sends.

use alloc::{borrow::Cow, string::String, sync::Arc, vec::Vec};

use thiserror::Error;

use super::{Claims, round::Round};
use crate::{
    InvocationId,
    debug::debug,
    id::LegId,
    wire::{
        ClientInfo, MetaError, Method, PAYLOAD_DEPTH_MAX, ParamHeaders, Params, RawJson, Revision,
        StateText, WireError, check_depth, complete_meta, request_headers, with_retry,
        write_request,
    },
};

/// What to call, and how: the input of [`Invocation::start`](super::Invocation::start).
///
/// ```
/// use mrtr_core::client::{Binding, Request};
/// use mrtr_core::wire::{ClientInfo, Method, RawJson};
/// use mrtr_core::InvocationId;
///
/// let params = RawJson::parse(r#"{"name":"deploy"}"#)?;
/// let id = InvocationId::new("call-7")?;
/// let request = Request::new(id, Method::ToolsCall, params, Binding::new("connection-1"))
///     .with_client_info(ClientInfo::new("example-host", "1.4.0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    id: InvocationId,
    method: Method,
    params: RawJson,
    binding: Binding,
    revision: Revision,
    client_info: Option<ClientInfo>,
    extension_types: Vec<String>,
    param_headers: ParamHeaders,
}

impl Request {
    /// Makes a request from a method and its params.
    /// [`Invocation::start`](super::Invocation::start) checks that the params are a JSON object.
    ///
    /// Its revision is 2026-07-28: the machine adds the protocol version, the claimed capabilities
    /// and the client's info to the `_meta` of every leg. It keeps what `_meta` already has, and
    /// sends all other params unchanged.
    #[must_use]
    pub const fn new(id: InvocationId, method: Method, params: RawJson, binding: Binding) -> Self {
        Self {
            id,
            method,
            params,
            binding,
            revision: Revision::V2026_07_28,
            client_info: None,
            extension_types: Vec::new(),
            param_headers: ParamHeaders::NONE,
        }
    }

    /// Sets another revision. If it is earlier than 2026-07-28, the params are sent unchanged, and
    /// the call cannot claim anything.
    #[must_use]
    pub fn with_revision(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

    /// Sets the name and version of the client software, which the server can show and log.
    #[must_use]
    pub fn with_client_info(self, info: ClientInfo) -> Self {
        Self { client_info: Some(info), ..self }
    }

    /// Adds an extension `resultType` that the caller understands. A result of this type ends the
    /// call with [`Outcome::Complete`](super::Outcome::Complete).
    #[must_use]
    pub fn with_extension_type(mut self, result_type: impl Into<String>) -> Self {
        self.extension_types.push(result_type.into());
        self
    }

    /// Sets the arguments that every leg repeats in HTTP headers, as the tool's `inputSchema` says.
    /// [`LegRequest::headers`] writes them. Calls of prompts, resources and earlier revisions have
    /// no such headers.
    #[must_use]
    pub fn with_param_headers(self, param_headers: ParamHeaders) -> Self {
        Self { param_headers, ..self }
    }

    /// Returns the id of the invocation.
    #[must_use]
    pub const fn id(&self) -> &InvocationId {
        &self.id
    }

    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// Returns the params.
    #[must_use]
    pub const fn params(&self) -> &RawJson {
        &self.params
    }

    /// Returns the binding.
    #[must_use]
    pub const fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Returns the revision of the protocol.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the client's info.
    #[must_use]
    pub const fn client_info(&self) -> Option<&ClientInfo> {
        self.client_info.as_ref()
    }

    /// Returns the extension result types that the caller understands.
    #[must_use]
    pub fn extension_types(&self) -> &[String] {
        &self.extension_types
    }

    /// Returns the arguments that are repeated in headers.
    #[must_use]
    pub const fn param_headers(&self) -> &ParamHeaders {
        &self.param_headers
    }
}

/// The binding of a call: a text that names its server, its connection, and its definition of the
/// tool. The text is opaque: the machine only compares it with the binding of
/// [`Event::BindingChanged`](super::Event::BindingChanged). Its length is not limited.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Binding(Arc<str>);

impl Binding {
    /// Makes a binding from a text. The call goes on as long as its binding has the same text.
    #[must_use]
    pub fn new(binding: &str) -> Self {
        Self(binding.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

// The text may name sessions and accounts.
debug!(Binding, |binding| "Binding({} bytes)", binding.0.len());

/// Why a call cannot start. No request was sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The params do not have the shape of the method's params, or nest too deep.
    #[error("the params cannot be sent: {0}")]
    Params(WireError),
    /// The params have `inputResponses` or `requestState`, which only a retry has.
    #[error("expected the params of a first request, found {member}")]
    RetryField {
        /// `inputResponses` or `requestState`.
        member: &'static str,
    },
    /// The params declare a capability of input requests in `_meta`. Claim it with [`Claims`]
    /// instead.
    #[error("expected {capability} to be claimed by the call, found it in _meta")]
    CapabilityInParams {
        /// `elicitation`, `sampling` or `roots`.
        capability: &'static str,
    },
    /// The `_meta` of the params names another protocol version.
    #[error("expected protocol version 2026-07-28 in _meta, found another version")]
    ProtocolVersion,
    /// The call claims something, and its revision has no input requests.
    #[error("expected no claims in a call of revision {revision}")]
    Claims {
        /// The revision.
        revision: Revision,
    },
}

impl From<MetaError> for StartError {
    fn from(error: MetaError) -> Self {
        match error {
            MetaError::Wire(error) => Self::Params(error),
            MetaError::Declares(capability) => Self::CapabilityInParams { capability },
            MetaError::OtherVersion => Self::ProtocolVersion,
        }
    }
}

/// The parts of a request that are the same on every leg of a call.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Template {
    pub(super) id: InvocationId,
    pub(super) extension_types: Vec<String>,
    method: Method,
    revision: Revision,
    pub(super) binding: Binding,
    target: Arc<str>,
    /// The params of the first leg. A retry has them too, and members after them.
    params: RawJson,
    /// The headers that repeat arguments, which no retry changes.
    param_headers: Arc<[(String, String)]>,
}

impl Template {
    pub(super) fn new(request: Request, claims: Claims) -> Result<Self, StartError> {
        let Request { id, method, params, binding, revision, extension_types, .. } = request;
        // Text from a server may nest too deep to be sent back.
        check_depth(params.as_str(), PAYLOAD_DEPTH_MAX).map_err(StartError::Params)?;
        let decoded = Params::decode(params.as_json()).map_err(StartError::Params)?;
        if let Some(member) = decoded.retry_member() {
            return Err(StartError::RetryField { member });
        }
        let target = decoded.target(method).map_err(StartError::Params)?.as_ref().into();
        let has_param_headers = method == Method::ToolsCall && revision.has_rounds();
        let marked = if has_param_headers { request.param_headers } else { ParamHeaders::NONE };
        let param_headers = marked.headers(&decoded).map_err(StartError::Params)?.into();
        let params = if revision.has_rounds() {
            let meta =
                complete_meta(&decoded, claims.capabilities(), request.client_info.as_ref())?;
            decoded.with_meta(&meta)
        } else if claims == Claims::none() {
            params.clone()
        } else {
            return Err(StartError::Claims { revision });
        };
        Ok(Self { id, extension_types, method, revision, binding, target, params, param_headers })
    }

    /// Makes the request of the first leg.
    pub(super) fn first_leg(&self) -> LegRequest {
        self.leg(1, self.params.clone(), None)
    }

    /// Makes the request of a retry, which carries the answers and the state of a round.
    pub(super) fn retry(&self, number: u32, round: &Round) -> LegRequest {
        let state = round.state.as_ref();
        let params = with_retry(&self.params, round.answers(), state.map(StateText::as_json));
        self.leg(number, params, state.map(StateText::len))
    }

    fn leg(&self, number: u32, params: RawJson, state_bytes: Option<usize>) -> LegRequest {
        LegRequest {
            leg: LegId::new(self.id.clone(), number),
            method: self.method,
            revision: self.revision,
            params,
            target: self.target.clone(),
            state_bytes,
            binding: self.binding.clone(),
            param_headers: self.param_headers.clone(),
        }
    }
}

/// The request of one leg: the first of a call, or a retry.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegRequest {
    /// The leg, whose text is the JSON-RPC id.
    pub leg: LegId,
    /// The method.
    pub method: Method,
    /// The revision of the protocol.
    pub revision: Revision,
    /// The params. Those of a retry hold the answers and the state.
    pub params: RawJson,
    /// The target: the name of the tool or prompt, or the URI of the resource.
    pub target: Arc<str>,
    /// The length of `requestState` in bytes of JSON text, without its quotes; `None` if the params
    /// have none.
    pub state_bytes: Option<usize>,
    /// The binding with which the call started. Do not send the leg if the connection has another
    /// binding now.
    pub binding: Binding,
    param_headers: Arc<[(String, String)]>,
}

impl LegRequest {
    /// Writes the JSON-RPC message to send.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialising text to memory cannot fail.
        let id = serde_json::to_string(&self.leg).unwrap_or_default();
        write_request(&id, self.method.as_str(), &self.params)
    }

    /// Returns the HTTP headers to send with the message: pairs of a name and a value.
    ///
    /// Each name comes once, and every value is valid in HTTP: other text than printable ASCII is
    /// encoded. Headers that are not about the message, such as `Authorization` and the
    /// `Mcp-Session-Id` of earlier revisions, are added by the caller. The values may be secret,
    /// like the params.
    ///
    /// ```
    /// use mrtr_core::client::{Action, Binding, Claims, Invocation, Request};
    /// use mrtr_core::wire::{Json, Method, ParamHeaders, RawJson};
    /// use mrtr_core::{Instant, InvocationId, Limits};
    ///
    /// // The client knows the schema from `tools/list`.
    /// let schema = Json::parse(
    ///     r#"{"type":"object","properties":{"to":{"type":"string","x-mcp-header":"Region"}}}"#,
    /// )?;
    /// let params = RawJson::parse(r#"{"name":"deploy","arguments":{"to":"eu-west"}}"#)?;
    /// let id = InvocationId::new("call-7")?;
    /// let request = Request::new(id, Method::ToolsCall, params, Binding::new("connection-1"))
    ///     .with_param_headers(ParamHeaders::from_schema(schema)?);
    /// let now = Instant::from_epoch(std::time::Duration::ZERO);
    /// let (_, actions) = Invocation::start(now, request, Claims::none(), Limits::default())?;
    /// let [Action::Send(leg)] = actions.as_slice() else { panic!("a call begins with a request") };
    ///
    /// let lines: Vec<_> = leg.headers().map(|(name, value)| format!("{name}: {value}")).collect();
    /// assert_eq!(lines, [
    ///     "Accept: application/json, text/event-stream",
    ///     "Content-Type: application/json",
    ///     "MCP-Protocol-Version: 2026-07-28",
    ///     "Mcp-Method: tools/call",
    ///     "Mcp-Name: deploy",
    ///     "Mcp-Param-Region: eu-west",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let common = request_headers(self.revision, self.method.as_str(), Some(&self.target));
        let params = self.param_headers.iter();
        let params = params.map(|(name, value)| (name.as_str(), Cow::Borrowed(value.as_str())));
        // The names of the common headers live longer, and a chain wants one type.
        common.map(|(name, value)| -> (&str, Cow<'_, str>) { (name, value) }).chain(params)
    }
}

debug!(
    LegRequest,
    |it| "LegRequest({} {}, params of {} bytes)",
    it.leg,
    it.method.as_str(),
    it.params.as_str().len()
);
