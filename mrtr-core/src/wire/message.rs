//! JSON-RPC messages: requests as a server receives them, responses as a client receives them.

use alloc::string::String;

use super::{Json, Object, RawJson, WireError, Writer};

/// A request or a notification, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The id, unchanged; `None` in a notification.
    pub id: Option<RawJson>,
    /// The method.
    pub method: String,
    /// The parameters, if there are any.
    pub params: Option<RawJson>,
}

impl Message {
    /// Decodes the bytes of a message. The number of bytes is not limited: limit them before.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the bytes are not UTF-8, are not JSON, nest too deep, or are not a
    /// JSON-RPC request or notification.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let raw = document(bytes)?;
        let object = Object::decode(raw.as_json(), "the message")?;
        expect_version(&object)?;
        let id = object.get("id").map(|id| is_id(id).then(|| id.into()).ok_or(ID_SHAPE));
        Ok(Self {
            id: id.transpose()?,
            method: object.text("method")?.into(),
            params: object.get("params").map(RawJson::from),
        })
    }
}

const ID_SHAPE: WireError = WireError::shape("id", "a string or an integer");

fn is_id(json: Json<'_>) -> bool {
    json.text().is_some() || json.is_integer()
}

/// Writes a request. `id` is the text of a JSON value.
pub(crate) fn write_request(id: &str, method: &str, params: &RawJson) -> String {
    Writer::object(|message| {
        message.text("jsonrpc", "2.0");
        message.json("id", id);
        message.text("method", method);
        message.json("params", params.as_str());
    })
}

/// The response to a request, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RpcResponse {
    /// The id as text; `None` if the server could not read the id of the request. The number `1`
    /// and the string `"1"` have the same text.
    pub id: Option<String>,
    /// `Ok` is the result. `Err` is the error object, which
    /// [`RpcError::decode`](super::RpcError::decode) reads.
    pub outcome: Result<RawJson, RawJson>,
}

impl RpcResponse {
    /// Decodes the bytes of a response. The number of bytes is not limited: limit them before.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the bytes are not UTF-8, are not JSON, nest too deep, or are not a
    /// JSON-RPC response.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let raw = document(bytes)?;
        let object = Object::decode(raw.as_json(), "the response")?;
        expect_version(&object)?;
        let id = match object.non_null("id") {
            None => None,
            Some(id) if id.is_integer() => Some(id.as_str().into()),
            Some(id) => Some(id.text().ok_or(ID_SHAPE)?.into()),
        };
        let outcome = match (object.get("result"), object.get("error")) {
            (Some(result), None) => Ok(result.into()),
            (None, Some(error)) => Err(error.into()),
            _ => {
                let expected = "one with either a result or an error";
                return Err(WireError::shape("the response", expected));
            }
        };
        Ok(Self { id, outcome })
    }

    /// Writes a response. An id that could not be read is left out (schema, `JSONRPCErrorResponse`).
    pub(crate) fn write(id: Option<&RawJson>, outcome: Result<&str, &str>) -> RawJson {
        RawJson::composed(Writer::object(|response| {
            response.text("jsonrpc", "2.0");
            if let Some(id) = id {
                response.json("id", id.as_str());
            }
            match outcome {
                Ok(result) => response.json("result", result),
                Err(error) => response.json("error", error),
            }
        }))
    }
}

/// Reads the text of a whole message.
pub(crate) fn document(bytes: &[u8]) -> Result<RawJson, WireError> {
    RawJson::parse_message(core::str::from_utf8(bytes).map_err(|_| WireError::NotUtf8)?)
}

/// Reads the id of a message that is otherwise malformed.
pub(crate) fn readable_id(bytes: &[u8]) -> Option<RawJson> {
    let raw = document(bytes).ok()?;
    let object = Object::decode(raw.as_json(), "the message").ok()?;
    object.get("id").filter(|id| is_id(*id)).map(RawJson::from)
}

fn expect_version(object: &Object<'_>) -> Result<(), WireError> {
    match object.get("jsonrpc").and_then(Json::text).as_deref() {
        Some("2.0") => Ok(()),
        _ => Err(WireError::shape("jsonrpc", "\"2.0\"")),
    }
}
