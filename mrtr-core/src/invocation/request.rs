//! What a caller wants done, and the request that each leg sends.

use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::fmt;

use thiserror::Error;

use super::{Claims, round::Round};
use crate::{
    InvocationId, LegId,
    wire::{
        META_CAPABILITIES, META_VERSION, Method, Object, PROTOCOL_VERSION, RawJson, WireError,
        Writer, text,
    },
};

/// Is one logical operation, as the caller wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    id: InvocationId,
    method: Method,
    params: RawJson,
    binding: Binding,
    extension_types: Vec<String>,
}

impl Request {
    /// Makes a request of a method and its params.
    ///
    /// The params are an object and go out as they are, on every leg. Where the call claims
    /// something, the claim is added to their `_meta`, and the protocol version where it is absent.
    #[must_use]
    pub const fn new(id: InvocationId, method: Method, params: RawJson, binding: Binding) -> Self {
        Self { id, method, params, binding, extension_types: Vec::new() }
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

    /// Returns what the call is bound to.
    #[must_use]
    pub const fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Returns the result types that the caller understands beside those of the specification.
    #[must_use]
    pub fn extension_types(&self) -> &[String] {
        &self.extension_types
    }

    /// Adds a `resultType` beside those of the specification that the caller understands. A result
    /// of that type is handed over as complete.
    #[must_use]
    pub fn with_extension_type(mut self, result_type: impl Into<String>) -> Self {
        self.extension_types.push(result_type.into());
        self
    }
}

/// Says what a call is bound to: which server, over which connection, by which definition of the
/// tool. The caller writes it; the machine only compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binding(Arc<str>);

impl Binding {
    /// Makes a binding of a text that is equal exactly as long as the call may go on.
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

/// Says why a call can not start. Nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The params have not the shape of the method's params.
    #[error("the params can not be sent: {0}")]
    Params(WireError),
    /// The params carry what only a retry carries.
    #[error("expected the params of a first request, found {member}")]
    RetryField {
        /// `inputResponses` or `requestState`.
        member: &'static str,
    },
    /// The params declare a capability of input requests by themselves.
    #[error("expected {capability} to be claimed by the call, found it in _meta")]
    CapabilityInParams {
        /// `elicitation`, `sampling` or `roots`.
        capability: &'static str,
    },
    /// The call claims something, and the params name another protocol version.
    #[error("expected protocol version 2026-07-28 in _meta, found another")]
    ProtocolVersion,
}

/// Is what stays the same on every leg of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Template {
    pub(super) id: InvocationId,
    pub(super) extension_types: Vec<String>,
    method: Method,
    binding: Binding,
    target: Arc<str>,
    /// The params of the first leg. A retry has them too, and members after them.
    params: RawJson,
}

impl Template {
    pub(super) fn new(request: Request, claims: Claims) -> Result<Self, StartError> {
        let Request { id, method, params, binding, extension_types } = request;
        let object = Object::decode(params.as_str(), "params").map_err(StartError::Params)?;
        for member in ["inputResponses", "requestState"] {
            if object.get(member).is_some() {
                return Err(StartError::RetryField { member });
            }
        }
        let target = object.get(method.target_parameter()).and_then(text).ok_or({
            StartError::Params(WireError::Shape {
                what: method.target_parameter(),
                expected: "a string",
            })
        })?;
        let target = target.as_ref().into();
        let params = if claims == Claims::none() {
            RawJson::part(params.as_str().trim_ascii())
        } else {
            with_claims(&object, claims)?
        };
        Ok(Self { id, extension_types, method, binding, target, params })
    }

    pub(super) const fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Makes the request of the first leg.
    pub(super) fn first_leg(&self) -> LegRequest {
        self.leg(1, self.params.clone(), None)
    }

    /// Makes the request of a retry, which carries what came of a round.
    pub(super) fn retry(&self, number: u32, round: &Round) -> LegRequest {
        // The params hold at least the target, so there is a member before the comma.
        let open = self.params.as_str().strip_suffix('}').unwrap_or_default();
        let params = RawJson::composed(format!("{open},{}}}", round.retry_members()));
        self.leg(number, params, round.state_bytes())
    }

    fn leg(&self, number: u32, params: RawJson, state_bytes: Option<usize>) -> LegRequest {
        LegRequest {
            leg: LegId::new(self.id.clone(), number),
            method: self.method,
            params,
            target: self.target.clone(),
            state_bytes,
            binding: self.binding.clone(),
        }
    }
}

/// Adds the claims to the `_meta` of the params.
fn with_claims(params: &Object<'_>, claims: Claims) -> Result<RawJson, StartError> {
    let meta = params.get("_meta").unwrap_or("{}");
    let meta = Object::decode(meta, "_meta").map_err(StartError::Params)?;
    let declared = meta.get(META_CAPABILITIES).unwrap_or("{}");
    let declared = Object::decode(declared, "clientCapabilities").map_err(StartError::Params)?;
    for capability in ["elicitation", "sampling", "roots"] {
        if declared.get(capability).is_some() {
            return Err(StartError::CapabilityInParams { capability });
        }
    }
    if let Some(version) = meta.get(META_VERSION)
        && text(version).as_deref() != Some(PROTOCOL_VERSION)
    {
        return Err(StartError::ProtocolVersion);
    }
    let mut capabilities = Writer::default();
    for (name, value) in declared.iter() {
        capabilities.member(name, value);
    }
    capabilities.members(&claims.capabilities().members());
    let mut new_meta = Writer::default();
    for (name, value) in meta.iter().filter(|(name, _)| *name != META_CAPABILITIES) {
        new_meta.member(name, value);
    }
    if meta.get(META_VERSION).is_none() {
        new_meta.text(META_VERSION, PROTOCOL_VERSION);
    }
    new_meta.member(META_CAPABILITIES, &capabilities.end());
    let mut new_params = Writer::default();
    for (name, value) in params.iter().filter(|(name, _)| *name != "_meta") {
        new_params.member(name, value);
    }
    new_params.member("_meta", &new_meta.end());
    Ok(RawJson::composed(new_params.end()))
}

/// Is one request to send: the first of a call, or a retry.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegRequest {
    /// The leg, whose text is the JSON-RPC id.
    pub leg: LegId,
    /// The method.
    pub method: Method,
    /// The params. Those of a retry hold the answers and the state.
    pub params: RawJson,
    /// What is called: the tool, the prompt, or the URI of the resource. HTTP repeats it in the
    /// header `Mcp-Name`.
    pub target: Arc<str>,
    /// The bytes of the text of `requestState` in the params, if there is one.
    pub state_bytes: Option<usize>,
    /// What the call was bound to when it started. An adapter that is bound to something else by
    /// now must not send it.
    pub binding: Binding,
}

impl LegRequest {
    /// Writes the JSON-RPC message to send.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut message = Writer::default();
        message.text("jsonrpc", "2.0");
        message.text("id", &format!("{}", self.leg));
        message.text("method", self.method.as_str());
        message.member("params", self.params.as_str());
        message.end()
    }
}

impl fmt::Debug for LegRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (leg, method) = (&self.leg, self.method.as_str());
        write!(f, "LegRequest({leg} {method}, params of {} bytes)", self.params.as_str().len())
    }
}
