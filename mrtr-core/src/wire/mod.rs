//! The JSON shapes of MCP 2026-07-28 that a machine decides on.
//!
//! Everything else passes through as [`RawJson`]. This module is the only place that knows how a
//! message is spelled.

mod capabilities;
mod elicitation;
mod header;
mod object;
mod raw;
mod result;
mod rpc;
mod sampling;
mod url;

use thiserror::Error;

pub use capabilities::Capabilities;
pub use elicitation::{Elicitation, FormRequest, Response};
pub use header::{header_value, read_header_value};
pub use raw::{DEPTH_MAX, PAYLOAD_DEPTH_MAX, RawJson};
pub use rpc::{Message, Response as RpcResponse, RpcError};
pub use sampling::SamplingRequest;
pub use url::UrlRequest;

pub(crate) use elicitation::AnswerError;
#[cfg(feature = "request-state")]
pub(crate) use elicitation::write_form_request;
pub(crate) use object::{Object, Writer, text};
#[cfg(feature = "request-state")]
pub(crate) use raw::check_depth;
pub(crate) use raw::write_text;
pub use result::expect_complete;
pub(crate) use result::{CallResult, StateText, check_requests};
#[cfg(feature = "request-state")]
pub(crate) use rpc::readable_id;
pub(crate) use sampling::{check_roots, check_sampled};

/// The protocol version in which servers answer `input_required`.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// The `_meta` member that names the protocol version of a request.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The `_meta` member that declares the client's capabilities for a request.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Names a method that may be answered with `input_required` (mrtr, supported requests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// `tools/call`
    ToolsCall,
    /// `prompts/get`
    PromptsGet,
    /// `resources/read`
    ResourcesRead,
}

impl Method {
    /// Returns the method of a name, if it may be answered with `input_required`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "tools/call" => Some(Self::ToolsCall),
            "prompts/get" => Some(Self::PromptsGet),
            "resources/read" => Some(Self::ResourcesRead),
            _ => None,
        }
    }

    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolsCall => "tools/call",
            Self::PromptsGet => "prompts/get",
            Self::ResourcesRead => "resources/read",
        }
    }

    /// Returns the name of the parameter that says what is called, which HTTP repeats in the
    /// header `Mcp-Name`.
    #[must_use]
    pub const fn target_parameter(self) -> &'static str {
        match self {
            Self::ToolsCall | Self::PromptsGet => "name",
            Self::ResourcesRead => "uri",
        }
    }
}

/// Says what is wrong with a message, without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
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
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// An object names a member twice.
    #[error("expected each member of {what} once")]
    Duplicate {
        /// The object.
        what: &'static str,
    },
    /// Something has not the shape that the specification gives it.
    #[error("expected {what} to be {expected}")]
    Shape {
        /// The thing.
        what: &'static str,
        /// What it should be.
        expected: &'static str,
    },
}
