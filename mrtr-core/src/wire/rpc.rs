//! JSON-RPC messages: requests as a server gets them, responses as a client gets them.

use alloc::{borrow::Cow, string::String};
use core::fmt;

use super::{Object, RawJson, WireError, text};

/// Is a request or a notification, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The id, exactly as it came; `None` in a notification.
    pub id: Option<RawJson>,
    /// The method.
    pub method: String,
    /// The parameters, if there are any.
    pub params: Option<RawJson>,
}

impl Message {
    /// Decodes the bytes of a message.
    ///
    /// # Errors
    ///
    /// Bytes that are not UTF-8, not JSON, too deep, or no JSON-RPC request or notification.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let raw = document(bytes)?;
        let object = Object::decode(raw.as_str(), "the message")?;
        expect_version(&object)?;
        let id = object.get("id").map(|id| {
            let is_sound = text(id).is_some() || is_integer(id);
            is_sound.then(|| RawJson::part(id)).ok_or(ID_SHAPE)
        });
        let method = object
            .get("method")
            .and_then(text)
            .ok_or(WireError::Shape { what: "method", expected: "a string" })?;
        Ok(Self {
            id: id.transpose()?,
            method: method.into(),
            params: object.get("params").map(RawJson::part),
        })
    }
}

const ID_SHAPE: WireError = WireError::Shape { what: "id", expected: "a string or an integer" };

fn is_integer(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Is the response to a request, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The id; `None` where the server could not read the one it was sent.
    pub id: Option<String>,
    /// The result, or the error object.
    pub outcome: Result<RawJson, RawJson>,
}

impl Response {
    /// Decodes the bytes of a response.
    ///
    /// # Errors
    ///
    /// Bytes that are not UTF-8, not JSON, too deep, or no JSON-RPC response.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let raw = document(bytes)?;
        let object = Object::decode(raw.as_str(), "the response")?;
        expect_version(&object)?;
        let id = match object.get("id") {
            None | Some("null") => None,
            Some(id) if is_integer(id) => Some(id.into()),
            Some(id) => Some(text(id).ok_or(ID_SHAPE)?.into()),
        };
        let outcome = match (object.get("result"), object.get("error")) {
            (Some(result), None) => Ok(RawJson::part(result)),
            (None, Some(error)) => Err(RawJson::part(error)),
            _ => {
                return Err(WireError::Shape {
                    what: "the response",
                    expected: "a result or an error, and one of them",
                });
            }
        };
        Ok(Self { id, outcome })
    }
}

fn document(bytes: &[u8]) -> Result<RawJson, WireError> {
    RawJson::parse_message(core::str::from_utf8(bytes).map_err(|_| WireError::NotUtf8)?)
}

/// Reads the id of a message of which something else can not be read.
#[cfg(feature = "request-state")]
pub(crate) fn readable_id(bytes: &[u8]) -> Option<RawJson> {
    let raw = document(bytes).ok()?;
    let object = Object::decode(raw.as_str(), "the message").ok()?;
    object.get("id").filter(|id| text(id).is_some() || is_integer(id)).map(RawJson::part)
}

fn expect_version(object: &Object<'_>) -> Result<(), WireError> {
    match object.get("jsonrpc").and_then(text).as_deref() {
        Some("2.0") => Ok(()),
        _ => Err(WireError::Shape { what: "jsonrpc", expected: "\"2.0\"" }),
    }
}

/// Is a JSON-RPC error: what one side tells the other of a failure.
#[derive(Clone, PartialEq, Eq)]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// The message.
    pub message: Cow<'static, str>,
    /// What else there is to say.
    pub data: Option<RawJson>,
}

impl RpcError {
    /// The message could not be parsed.
    pub const PARSE: i64 = -32700;
    /// The message is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is not known.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The server failed.
    pub const INTERNAL: i64 = -32603;
    /// A header differs from the body.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client lacks a capability that the request needs.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The protocol version is not supported.
    pub const UNSUPPORTED_VERSION: i64 = -32022;

    /// Makes an error without data.
    #[must_use]
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Decodes the error object of a response. Data over `bytes_max` is left out, a message over it
    /// is cut, and one that is no Unicode text is empty.
    ///
    /// # Errors
    ///
    /// An object without a code and a message.
    pub fn decode(error: &RawJson, bytes_max: usize) -> Result<Self, WireError> {
        let object = Object::decode(error.as_str(), "error")?;
        let code = object.get("code").and_then(|code| code.parse::<form_model::Number>().ok());
        let message = object.get("message").filter(|message| message.starts_with('"'));
        let (Some(code), Some(message)) = (code.and_then(form_model::Number::to_i64), message)
        else {
            return Err(WireError::Shape { what: "error", expected: "a code and a message" });
        };
        let message = text(message).unwrap_or_default();
        let message = message.get(..message.floor_char_boundary(bytes_max));
        let data = object.get("data").filter(|data| data.len() <= bytes_max);
        Ok(Self {
            code,
            message: Cow::Owned(message.unwrap_or_default().into()),
            data: data.map(RawJson::part),
        })
    }

    /// Writes the error object.
    #[cfg(feature = "request-state")]
    pub(crate) fn write(&self, json: &mut String) {
        use fmt::Write as _;
        let _ = write!(json, r#"{{"code":{},"message":"#, self.code);
        super::write_text(&self.message, json);
        if let Some(data) = &self.data {
            json.push_str(r#","data":"#);
            json.push_str(data.as_str());
        }
        json.push('}');
    }
}

impl fmt::Debug for RpcError {
    /// Leaves the message and the data out: they are the peer's, and may repeat what it was sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcError({}, message of {} bytes)", self.code, self.message.len())
    }
}
