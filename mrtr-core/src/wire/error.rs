//! The errors of messages, and the errors that one side sends to the other.

use alloc::{borrow::Cow, string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Capabilities, Json, Object, RawJson, Revision, Writer};
use crate::debug::debug;

/// The error of a message. It repeats nothing of the message.
///
/// A transport that rejects a message itself can make the error with [`WireError::shape`] and its
/// own words. Put no secret into these words: a trace contains them.
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
    #[error("{what}: expected at most {max}, found more")]
    TooLarge {
        /// What is too large, with its unit.
        what: Cow<'static, str>,
        /// The limit.
        max: usize,
    },
    /// An object has a duplicate member.
    #[error("expected each member of {what} once")]
    Duplicate {
        /// The object.
        what: Cow<'static, str>,
    },
    /// Something does not have the shape that the specification gives it.
    #[error("expected {what} to be {expected}")]
    Shape {
        /// The value.
        what: Cow<'static, str>,
        /// The expected shape.
        expected: Cow<'static, str>,
    },
}

impl WireError {
    /// Makes a [`WireError::Shape`].
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

    /// Makes a [`WireError::TooLarge`]. `what` includes the unit, as in `a body in bytes`.
    #[must_use]
    pub const fn too_large(what: &'static str, max: usize) -> Self {
        Self::TooLarge { what: Cow::Borrowed(what), max }
    }

    /// Makes a [`WireError::Duplicate`].
    #[must_use]
    pub const fn duplicate(what: &'static str) -> Self {
        Self::Duplicate { what: Cow::Borrowed(what) }
    }
}

/// Checks a length against its limit. `what` includes the unit.
pub(crate) fn within(len: usize, what: &'static str, max: usize) -> Result<(), WireError> {
    if len > max { Err(WireError::too_large(what, max)) } else { Ok(()) }
}

/// A JSON-RPC error, which one side sends to the other.
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
    /// The client does not declare a capability that the request needs.
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
        // The client gets its own version text back, cut to a short length.
        let requested = requested.get(..requested.floor_char_boundary(64)).unwrap_or_default();
        let names: Vec<_> = supported.iter().map(|version| version.as_str()).collect();
        let data = Writer::object(|data| {
            data.json("supported", &serde_json::to_string(&names).unwrap_or_default());
            data.text("requested", requested);
        });
        Self::new(Self::UNSUPPORTED_VERSION, "Unsupported protocol version")
            .with_data(RawJson::composed(data))
    }

    /// Makes the error of a client that does not declare capabilities that are needed.
    pub(crate) fn missing_capability(missing: Capabilities) -> Self {
        let data = Writer::object(|data| data.json("requiredCapabilities", &missing.to_json()));
        Self::new(Self::MISSING_CAPABILITY, "Missing required client capability")
            .with_data(RawJson::composed(data))
    }

    /// Returns the HTTP status of an error that a handler ends with (transports, error handling):
    /// 400, 404 or 200. Most have status 200, because they are ordinary responses. If an exchange
    /// refuses a request before the handler runs, its status may differ: incomplete `_meta` is
    /// -32602 with status 400.
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

    /// Decodes the error object of a response. A message longer than `bytes_max` is cut, and longer
    /// data is left out. A message that is not valid Unicode becomes empty.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the value is not an object with a code and a message.
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

// Message and data may repeat secrets.
debug!(RpcError, |it| "RpcError({}, message of {} bytes)", it.code, it.message.len());
