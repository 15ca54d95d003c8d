//! The JSON shapes of MCP 2026-07-28 that a machine reads or writes.
//!
//! Only this module knows the names and shapes of the protocol. Each shape is one type, read and
//! written in one file. All other JSON passes through unchanged as [`RawJson`].
//!
//! Begin with [`InputRequest`] and [`InputResponse`]: the questions of a server, and the answers.

mod capabilities;
mod error;
mod header;
mod input_request;
mod input_response;
mod json;
mod message;
mod object;
mod param_headers;
mod param_schema;
mod params;
mod result;
mod sampling;
mod url;

pub use capabilities::Capabilities;
pub use error::{RpcError, WireError};
pub use header::{Headers, header_value, read_header_value, request_headers};
pub use input_request::{Elicitation, FormRequest, InputRequest, InvalidRequest};
pub use input_response::{Decision, InputResponse, ResponseError};
pub use json::{DEPTH_MAX, Json, PAYLOAD_DEPTH_MAX, RawJson};
pub use message::{Message, RpcResponse};
pub use param_headers::ParamHeaders;
pub use param_schema::InvalidParamHeader;
pub use params::{
    ClientInfo, META_CAPABILITIES, META_CLIENT_INFO, META_VERSION, Method, PROTOCOL_VERSION,
    Revision, UnknownRevision,
};
pub use result::expect_complete;
pub use sampling::{IncludeContext, SamplingBuilder, SamplingRequest};
pub use url::UrlRequest;

pub(crate) use error::within;
pub(crate) use input_response::Expected;
pub(crate) use json::{check_depth, part_of_message};
pub(crate) use message::{readable_id, write_request};
pub(crate) use object::{Object, Writer, has_duplicates, on_one_line};
pub(crate) use params::{CHANGING, MetaError, Params, check_state, complete_meta, with_retry};
pub(crate) use result::{
    CallResult, INPUT_REQUIRED, StateText, check_round, complete, write_input_required,
};
