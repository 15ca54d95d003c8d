//! A request as it arrived, and the checks of its version and capabilities.

use alloc::{borrow::Cow, format, string::String};

use super::Endpoint;
use crate::debug::debug;
use crate::wire::{
    Capabilities, Headers, Message, Method, PROTOCOL_VERSION, Params, RawJson, Revision, RpcError,
    WireError, readable_id, within, write_request,
};

/// A request as it arrived.
///
/// ```
/// use mrtr_core::server::Incoming;
/// use mrtr_core::wire::{Headers, RawJson};
///
/// // The bytes of a message, with the headers of HTTP.
/// let headers: Headers =
///     [("Mcp-Method", "tools/call"), ("Mcp-Name", "deploy")].into_iter().collect();
/// let incoming = Incoming::message(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#)
///     .with_headers(headers)
///     .with_principal("alice");
///
/// // The parts of a message that an SDK has already parsed.
/// let (id, params) = (RawJson::parse("1")?, RawJson::parse(r#"{"name":"deploy"}"#)?);
/// let meta = RawJson::parse(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#)?;
/// let incoming = Incoming::from_parts(&id, "tools/call", &params, Some(&meta));
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
#[derive(Clone)]
pub struct Incoming<'a> {
    message: Cow<'a, [u8]>,
    headers: Option<Headers>,
    principal: Option<&'a str>,
}

impl<'a> Incoming<'a> {
    /// Takes the bytes of a JSON-RPC message.
    #[must_use]
    pub const fn message(message: &'a [u8]) -> Self {
        Self { message: Cow::Borrowed(message), headers: None, principal: None }
    }

    /// Makes a request from the parts of a message that an SDK has already parsed. The exchange
    /// treats it like the bytes of the whole message.
    ///
    /// `meta`, if given, replaces the `_meta` of the params. The exchange refuses params that are
    /// not an object or that have a duplicate member.
    #[must_use]
    pub fn from_parts(
        id: &RawJson,
        method: &str,
        params: &RawJson,
        meta: Option<&RawJson>,
    ) -> Self {
        let decoded = meta.and_then(|meta| Some((meta, Params::decode(params.as_json()).ok()?)));
        let params = match decoded {
            Some((meta, params)) => &params.with_meta(meta.as_str()),
            None => params,
        };
        let message = write_request(id.as_str(), method, params);
        Self { message: Cow::Owned(message.into_bytes()), headers: None, principal: None }
    }

    /// Adds the HTTP headers of the request. The exchange compares them with the message
    /// (transports, Streamable HTTP).
    #[must_use]
    pub fn with_headers(self, headers: impl Into<Option<Headers>>) -> Self {
        Self { headers: headers.into(), ..self }
    }

    /// Sets the principal: whoever calls the server, as the transport authenticated them. Never take
    /// it from the message. Without a principal the client is anonymous.
    ///
    /// The principal is in each sealed state, so a long one leaves less room for the handler's
    /// state.
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Option<&'a str>>) -> Self {
        Self { principal: principal.into(), ..self }
    }

    pub(super) const fn principal(&self) -> Option<&'a str> {
        self.principal
    }
}

debug!(Incoming<'_>, |it| "Incoming({} bytes, {:?})", it.message.len(), it.headers);

/// A request whose version and capabilities are valid.
#[derive(Clone, PartialEq)]
pub(super) struct Sound {
    pub(super) id: RawJson,
    pub(super) method: String,
    pub(super) params: RawJson,
    pub(super) capabilities: Capabilities,
    /// Whether it is of an earlier revision.
    pub(super) is_legacy: bool,
}

/// A request that is answered with an error at once.
pub(super) struct Rejected {
    /// The id of the response; `None` if no id could be read.
    pub(super) id: Option<RawJson>,
    pub(super) method: Option<String>,
    pub(super) status: u16,
    pub(super) error: RpcError,
}

impl Incoming<'_> {
    /// Reads the message and checks all that does not depend on its method. `None`: it is a
    /// notification.
    pub(super) fn read(&self, endpoint: &Endpoint) -> Result<Option<Sound>, Rejected> {
        let Message { id, method, params } = self.decode(endpoint)?;
        let Some(id) = id else { return Ok(None) };
        let is_legacy = endpoint.legacy && self.is_legacy(params.as_ref());
        let checked = if is_legacy {
            Ok((params.unwrap_or_else(RawJson::empty), Capabilities::NONE))
        } else {
            self.check(endpoint, &method, params)
        };
        match checked {
            Ok((params, capabilities)) => {
                Ok(Some(Sound { id, method, params, capabilities, is_legacy }))
            }
            Err(error) => Err(Rejected { id: Some(id), method: Some(method), status: 400, error }),
        }
    }

    fn decode(&self, endpoint: &Endpoint) -> Result<Message, Rejected> {
        let rejected = |id, code, error: WireError| {
            let error = RpcError::new(code, format!("{error}"));
            Rejected { id, method: None, status: 400, error }
        };
        // A message that is too large is not parsed.
        within(self.message.len(), "a message in bytes", endpoint.message_bytes_max)
            .map_err(|error| rejected(None, RpcError::INVALID_REQUEST, error))?;
        Message::decode(&self.message).map_err(|error| {
            let code = match error {
                WireError::NotUtf8 | WireError::NotJson | WireError::TooDeep { .. } => {
                    RpcError::PARSE
                }
                WireError::TooLarge { .. }
                | WireError::Duplicate { .. }
                | WireError::Shape { .. } => RpcError::INVALID_REQUEST,
            };
            rejected(readable_id(&self.message), code, error)
        })
    }

    /// Returns whether a request is of an earlier revision: its `_meta` has no version, and no header
    /// has this crate's version. A request that cannot be read is not one of an earlier revision.
    fn is_legacy(&self, params: Option<&RawJson>) -> bool {
        if self.headers.as_ref().is_some_and(|headers| headers.names_version(PROTOCOL_VERSION)) {
            return false;
        }
        let Some(params) = params else { return true };
        let meta = Params::decode(params.as_json()).and_then(|params| params.meta());
        meta.is_ok_and(|meta| meta.is_none_or(|meta| !meta.has_version()))
    }

    fn check(
        &self,
        endpoint: &Endpoint,
        method: &str,
        params: Option<RawJson>,
    ) -> Result<(RawJson, Capabilities), RpcError> {
        let expected = |what: &str| invalid_params(format!("Expected {what} in _meta"));
        let params = params.ok_or_else(|| invalid_params("Expected params with _meta".into()))?;
        let decoded = Params::decode(params.as_json()).map_err(malformed)?;
        let meta = decoded.meta().map_err(malformed)?;
        let meta = meta.ok_or_else(|| expected("the protocol version"))?;
        let version = meta.version().ok_or_else(|| expected("the protocol version"))?;
        if let Some(headers) = &self.headers {
            let target = Method::from_name(method).and_then(|method| decoded.target(method).ok());
            let marked = target.and_then(|target| endpoint.param_headers.get(target.as_ref()));
            headers.check(&version, method, &decoded, marked)?;
        }
        if version != PROTOCOL_VERSION {
            return Err(RpcError::unsupported_version(&[Revision::V2026_07_28], &version));
        }
        let capabilities = meta.capabilities();
        let capabilities = capabilities.ok_or_else(|| expected("the client capabilities"))?;
        let capabilities = capabilities.map_err(malformed)?;
        Ok((params, capabilities))
    }
}

pub(super) fn invalid_params(message: String) -> RpcError {
    RpcError::new(RpcError::INVALID_PARAMS, message)
}

pub(super) fn malformed(error: WireError) -> RpcError {
    invalid_params(format!("{error}"))
}
