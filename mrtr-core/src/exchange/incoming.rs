//! What a request says of itself, and whether it may say so.

use alloc::{format, string::String};

use super::Endpoint;
use crate::wire::{
    Capabilities, META_CAPABILITIES, META_VERSION, Message, Method, Object, PROTOCOL_VERSION,
    RawJson, RpcError, WireError, read_header_value, readable_id, text,
};

/// Is a request as it arrived.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    /// The bytes of the JSON-RPC message.
    pub message: &'a [u8],
    /// The headers that repeat parts of the message, on a transport that has them.
    pub headers: Option<Headers<'a>>,
    /// Who the transport found the caller to be; `None` for nobody in particular.
    pub principal: Option<&'a str>,
}

/// Is the headers of HTTP that repeat parts of the message (transports, Streamable HTTP). The
/// values are as they came, `=?base64?..?=` not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Headers<'a> {
    /// `MCP-Protocol-Version`
    pub protocol_version: Option<&'a str>,
    /// `Mcp-Method`
    pub method: Option<&'a str>,
    /// `Mcp-Name`
    pub name: Option<&'a str>,
}

/// Is a request that is sound so far: it says who it is and what it can.
pub(super) struct Sound {
    pub(super) id: RawJson,
    pub(super) method: String,
    pub(super) params: RawJson,
    pub(super) capabilities: Capabilities,
    /// Whether it is of an earlier revision.
    pub(super) is_legacy: bool,
}

/// Is a request that goes no further.
pub(super) struct Refused {
    /// The id to answer under; `None` where none could be read.
    pub(super) id: Option<RawJson>,
    pub(super) status: u16,
    pub(super) error: RpcError,
}

/// Is what a message turned out to be.
pub(super) enum Read {
    Request(Sound),
    Notification,
    Refused(Refused),
}

impl Incoming<'_> {
    /// Reads the message and checks all that does not depend on its method.
    pub(super) fn read(self, endpoint: &Endpoint) -> Read {
        let message = match self.decode(endpoint) {
            Ok(message) => message,
            Err((code, error)) => {
                let error = RpcError::new(code, format!("{error}"));
                // A message that is too large is not looked at again.
                let fits = self.message.len() <= endpoint.message_bytes_max;
                let id = if fits { readable_id(self.message) } else { None };
                return Read::Refused(Refused { id, status: 400, error });
            }
        };
        let Some(id) = message.id else { return Read::Notification };
        if endpoint.legacy && self.is_legacy(message.params.as_ref()) {
            let params = message.params.unwrap_or_else(|| RawJson::part("{}"));
            let (method, capabilities) = (message.method, Capabilities::NONE);
            return Read::Request(Sound { id, method, params, capabilities, is_legacy: true });
        }
        match self.check(&message.method, message.params) {
            Ok((params, capabilities)) => {
                let method = message.method;
                Read::Request(Sound { id, method, params, capabilities, is_legacy: false })
            }
            Err(error) => Read::Refused(Refused { id: Some(id), status: 400, error }),
        }
    }

    fn decode(self, endpoint: &Endpoint) -> Result<Message, (i64, WireError)> {
        let max = endpoint.message_bytes_max;
        if self.message.len() > max {
            let error = WireError::TooLarge { what: "a message in bytes", max };
            return Err((RpcError::INVALID_REQUEST, error));
        }
        Message::decode(self.message).map_err(|error| match error {
            WireError::NotUtf8 | WireError::NotJson | WireError::TooDeep { .. } => {
                (RpcError::PARSE, error)
            }
            WireError::TooLarge { .. } | WireError::Duplicate { .. } | WireError::Shape { .. } => {
                (RpcError::INVALID_REQUEST, error)
            }
        })
    }

    /// Tells whether a request is of an earlier revision: one that names its version neither in
    /// `_meta` nor, as this revision, in a header. What can not be read is none.
    fn is_legacy(self, params: Option<&RawJson>) -> bool {
        let header = self.headers.and_then(|headers| headers.protocol_version);
        if header.and_then(read_header_value).is_some_and(|version| version == PROTOCOL_VERSION) {
            return false;
        }
        let Some(params) = params else { return true };
        let Ok(params) = Object::decode(params.as_str(), "params") else { return false };
        let Some(meta) = params.get("_meta") else { return true };
        Object::decode(meta, "_meta").is_ok_and(|meta| meta.get(META_VERSION).is_none())
    }

    fn check(
        self,
        method: &str,
        params: Option<RawJson>,
    ) -> Result<(RawJson, Capabilities), RpcError> {
        let expected = |what: &str| invalid_params(format!("Expected {what} in _meta"));
        let params = params.ok_or_else(|| invalid_params("Expected params with _meta".into()))?;
        let object = Object::decode(params.as_str(), "params").map_err(shape)?;
        let meta = object.get("_meta").ok_or_else(|| expected("the protocol version"))?;
        let meta = Object::decode(meta, "_meta").map_err(shape)?;
        let version = meta
            .get(META_VERSION)
            .and_then(text)
            .ok_or_else(|| expected("the protocol version"))?;
        if let Some(headers) = self.headers {
            headers.check(&version, method, &object)?;
        }
        if version != PROTOCOL_VERSION {
            return Err(unsupported_version(&version));
        }
        let capabilities =
            meta.get(META_CAPABILITIES).ok_or_else(|| expected("the client capabilities"))?;
        let capabilities = Capabilities::decode(capabilities).map_err(shape)?;
        drop(object);
        Ok((params, capabilities))
    }
}

impl Headers<'_> {
    /// Compares the headers with the message, before the version is judged.
    fn check(&self, version: &str, method: &str, params: &Object<'_>) -> Result<(), RpcError> {
        compare("MCP-Protocol-Version", self.protocol_version, version)?;
        compare("Mcp-Method", self.method, method)?;
        let Some(method) = Method::from_name(method) else { return Ok(()) };
        match (params.get(method.target_parameter()).and_then(text), self.name) {
            (None, None) => Ok(()),
            (target, name) => compare("Mcp-Name", name, &target.unwrap_or_default()),
        }
    }
}

fn compare(name: &str, header: Option<&str>, body: &str) -> Result<(), RpcError> {
    let problem = match header.map(read_header_value) {
        Some(Some(header)) if header == body => return Ok(()),
        Some(_) => "differs from the message",
        None => "is missing",
    };
    let message = format!("Header mismatch: {name} {problem}");
    Err(RpcError::new(RpcError::HEADER_MISMATCH, message))
}

pub(super) fn invalid_params(message: String) -> RpcError {
    RpcError::new(RpcError::INVALID_PARAMS, message)
}

fn shape(error: WireError) -> RpcError {
    invalid_params(format!("{error}"))
}

fn unsupported_version(requested: &str) -> RpcError {
    let mut data = format!(r#"{{"supported":["{PROTOCOL_VERSION}"],"requested":"#);
    // What is repeated to the client is its own word, and no longer than a version.
    let requested = requested.get(..requested.floor_char_boundary(64)).unwrap_or_default();
    crate::wire::write_text(requested, &mut data);
    data.push('}');
    RpcError {
        data: Some(RawJson::composed(data)),
        ..RpcError::new(RpcError::UNSUPPORTED_VERSION, "Unsupported protocol version")
    }
}
