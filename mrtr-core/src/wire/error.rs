//! What is wrong with a message, and how one side tells the other of a failure.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Capabilities, Json, Object, RawJson, Revision, Writer};

/// What is wrong with a message. It repeats nothing of the message.
///
/// An adapter that finds a fault of its own uses [`WireError::shape`] with its own words; they are
/// recorded in a trace and read back.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes are not UTF-8.
    #[error("expected UTF-8")]
    NotUtf8,
    /// The text is not one JSON document.
    #[error("expected JSON")]
    NotJson,
    /// The document nests too deep.
    #[error("expected at most {levels_max} levels of nesting")]
    TooDeep {
        /// The limit.
        levels_max: usize,
    },
    /// Something is larger than a limit.
    #[error("{what}: expected at most {max}")]
    TooLarge {
        /// What is too large, with its unit.
        what: Cow<'static, str>,
        /// The limit.
        max: usize,
    },
    /// An object names a member twice.
    #[error("expected each member of {what} once")]
    Duplicate {
        /// The object.
        what: Cow<'static, str>,
    },
    /// Something does not have the shape that the specification gives it.
    #[error("expected {what} to be {expected}")]
    Shape {
        /// The thing.
        what: Cow<'static, str>,
        /// What it should be.
        expected: Cow<'static, str>,
    },
}

impl WireError {
    /// Makes the error of a thing that does not have its shape.
    ///
    /// ```
    /// use mrtr_core::wire::WireError;
    ///
    /// let error = WireError::shape("the body", "an event stream");
    /// assert_eq!(error.to_string(), "expected the body to be an event stream");
    /// ```
    #[must_use]
    pub const fn shape(what: &'static str, expected: &'static str) -> Self {
        Self::Shape { what: Cow::Borrowed(what), expected: Cow::Borrowed(expected) }
    }

    /// Makes the error of a thing that is larger than a limit. `what` names its unit.
    #[must_use]
    pub const fn too_large(what: &'static str, max: usize) -> Self {
        Self::TooLarge { what: Cow::Borrowed(what), max }
    }

    /// Makes the error of an object that names a member twice.
    #[must_use]
    pub const fn duplicate(what: &'static str) -> Self {
        Self::Duplicate { what: Cow::Borrowed(what) }
    }
}

/// Checks a length against its limit. `what` names its unit.
pub(crate) fn within(len: usize, what: &'static str, max: usize) -> Result<(), WireError> {
    if len > max { Err(WireError::too_large(what, max)) } else { Ok(()) }
}

/// A JSON-RPC error: what one side tells the other of a failure.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// The message.
    pub message: Cow<'static, str>,
    /// More about the failure, in a form that the code defines.
    pub data: Option<RawJson>,
}

impl RpcError {
    /// The message could not be parsed.
    pub const PARSE: i64 = -32700;
    /// The message is not a request.
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

    /// Adds data.
    #[must_use]
    pub fn with_data(self, data: RawJson) -> Self {
        Self { data: Some(data), ..self }
    }

    /// Makes the error of a request whose protocol version is not supported.
    pub(crate) fn unsupported_version(supported: &[Revision], requested: &str) -> Self {
        // The client gets its own word back, cut to the length of a version.
        let requested = requested.get(..requested.floor_char_boundary(64)).unwrap_or_default();
        let names: Vec<_> = supported.iter().map(|version| version.as_str()).collect();
        let data = Writer::object(|data| {
            data.json("supported", &serde_json::to_string(&names).unwrap_or_default());
            data.text("requested", requested);
        });
        Self::new(Self::UNSUPPORTED_VERSION, "Unsupported protocol version")
            .with_data(RawJson::composed(data))
    }

    /// Makes the error of a client that lacks capabilities.
    pub(crate) fn missing_capability(missing: Capabilities) -> Self {
        let data = Writer::object(|data| data.json("requiredCapabilities", &missing.to_json()));
        Self::new(Self::MISSING_CAPABILITY, "Missing required client capability")
            .with_data(RawJson::composed(data))
    }

    /// Returns the HTTP status of the error (transports, error handling). What a handler finds wrong
    /// is an answer like any other.
    #[must_use]
    pub const fn http_status(&self) -> u16 {
        match self.code {
            Self::PARSE
            | Self::INVALID_REQUEST
            | Self::HEADER_MISMATCH
            | Self::MISSING_CAPABILITY
            | Self::UNSUPPORTED_VERSION => 400,
            Self::METHOD_NOT_FOUND => 404,
            _ => 200,
        }
    }

    /// Decodes the error object of a response. Data longer than `bytes_max` is left out, a longer
    /// message is cut, and a message that is not Unicode text becomes empty.
    ///
    /// # Errors
    ///
    /// An object without a code and a message.
    pub fn decode(error: Json<'_>, bytes_max: usize) -> Result<Self, WireError> {
        let object = Object::decode(error, "error")?;
        let code = object.get("code").and_then(Json::number).and_then(form_model::Number::to_i64);
        let message = object.get("message").filter(|message| message.is_string());
        let (Some(code), Some(message)) = (code, message) else {
            return Err(WireError::shape("error", "a code and a message"));
        };
        let message = message.text().unwrap_or_default();
        let message = message.get(..message.floor_char_boundary(bytes_max));
        let data = object.get("data").filter(|data| data.len() <= bytes_max);
        Ok(Self {
            code,
            message: Cow::Owned(message.unwrap_or_default().into()),
            data: data.map(RawJson::from),
        })
    }

    /// Writes the error object.
    #[must_use]
    pub fn to_json(&self) -> String {
        Writer::object(|error| {
            error.display("code", self.code);
            error.text("message", &self.message);
            if let Some(data) = &self.data {
                error.json("data", data.as_str());
            }
        })
    }
}

impl fmt::Debug for RpcError {
    /// Leaves out the message and the data: they are the peer's, and may repeat what it was sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcError({}, message of {} bytes)", self.code, self.message.len())
    }
}
