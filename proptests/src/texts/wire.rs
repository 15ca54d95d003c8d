//! The parts of messages that are read one by one: messages and responses of JSON-RPC, errors,
//! capabilities, elicitation results, headers and ids.

use mrtr_core::{
    InvocationId,
    host::{InteractionId, RecordId},
    wire::{
        Capabilities, InputResponse, Json, Message, Method, PAYLOAD_DEPTH_MAX, ParamHeaders,
        RawJson, RpcError, RpcResponse, expect_complete, header_value, read_header_value,
    },
};
use serde_json::{Value, value::RawValue};

/// Reads bytes as each of the parts, and compares what is read with what `serde_json` reads. The
/// value tells whether they are one of those in JSON.
///
/// # Panics
///
/// If something does not hold.
pub fn wire(bytes: &[u8]) -> bool {
    // A `Value` holds no unpaired surrogate and no number beyond a double: then there is none.
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let member = |name| value.as_ref().map(|value| value.get(name));
    let mut is_known = false;
    if let Ok(message) = Message::decode(bytes) {
        is_known = true;
        if let Some(method) = member("method") {
            assert_eq!(method.and_then(Value::as_str), Some(message.method.as_str()));
        }
        assert_eq!(
            member("id").map(|id| id.is_some()).unwrap_or(message.id.is_some()),
            message.id.is_some()
        );
    }
    if let Ok(response) = RpcResponse::decode(bytes) {
        is_known = true;
        if let (Some(result), Some(error)) = (member("result"), member("error")) {
            assert_eq!(
                (result.is_some(), error.is_none()),
                (response.outcome.is_ok(), response.outcome.is_ok())
            );
        }
        match &response.outcome {
            Ok(result) => is_complete(result.as_json()),
            Err(error) => is_within(error.as_json(), 16),
        }
    }
    let Ok(text) = core::str::from_utf8(bytes) else {
        assert!(!is_known, "a message is UTF-8");
        return false;
    };
    header(text);
    ids(text);
    is_known | json(text)
}

/// Reads any text as JSON, and what is JSON as each part of a message.
fn json(text: &str) -> bool {
    let read = Json::parse(text).map_err(drop);
    assert!(RawJson::parse(text).map_err(drop) == read.map(RawJson::from), "both check alike");
    let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
    let Ok(json) = read else {
        let nests = text.matches(['[', '{']).count() > PAYLOAD_DEPTH_MAX;
        assert!(!is_json || nests, "JSON is refused where it nests too deep");
        return false;
    };
    assert!(is_json && json.as_str() == text.trim_matches([' ', '\t', '\n', '\r']));
    is_within(json, 16);
    is_complete(json);
    let mut is_known =
        ParamHeaders::from_schema(json).is_ok_and(|found| found != ParamHeaders::default());
    if let Ok(found) = Capabilities::decode(json) {
        is_known = true;
        assert_eq!(Capabilities::decode(Json::parse(&found.to_json()).unwrap()), Ok(found));
        assert!(found.missing(found).is_empty());
        assert_eq!(found.union(Capabilities::NONE), found);
    }
    if let Ok(response) = InputResponse::decode(json, &form_model::Limits::default()) {
        is_known = true;
        let says = |action: &str| text.contains(action) || text.contains('\\');
        match response {
            InputResponse::Accept(_) => assert!(says("accept")),
            InputResponse::Decline => assert!(says("decline")),
            InputResponse::Cancel => assert!(says("cancel")),
            other => panic!("an elicitation result is no {other:?}"),
        }
    }
    is_known
}

/// Reads a result: one that is complete says so, or says nothing.
fn is_complete(result: Json<'_>) {
    let Ok(value) = serde_json::from_str::<Value>(result.as_str()) else { return };
    if expect_complete(result).is_ok() {
        let says = value.get("resultType").map(|says| says.as_str() == Some("complete"));
        assert!(says.unwrap_or(true), "{value}");
    }
}

/// Reads an error, whose message and data are within a limit.
fn is_within(error: Json<'_>, bytes_max: usize) {
    let Ok(error) = RpcError::decode(error, bytes_max) else { return };
    assert!(error.message.len() <= bytes_max);
    assert!(error.data.is_none_or(|data| data.as_str().len() <= bytes_max));
}

/// Writes a text as a header's value, and reads it as one.
fn header(text: &str) {
    let written = header_value(text);
    assert!(written.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')));
    assert_eq!(read_header_value(&written).as_deref(), Some(text));
    if let Some(read) = read_header_value(text) {
        assert_eq!(read_header_value(&header_value(&read)), Some(read.clone()));
    }
}

/// Reads a text as each of the ids: one that is taken is written as it came.
fn ids(text: &str) {
    if let Ok(id) = InvocationId::new(text) {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(id) = text.parse::<InteractionId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(id) = text.parse::<RecordId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Some(method) = Method::from_name(text) {
        assert_eq!(method.as_str(), text);
    }
}
