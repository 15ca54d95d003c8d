//! What no honest server says.

/// Results that break the protocol, however much the call claims.
pub(super) const HOSTILE: [&str; 12] = [
    "7",
    "[]",
    r#"{"resultType":"SENTINEL"}"#,
    r#"{"resultType":null}"#,
    r#"{"resultType":"input_required"}"#,
    r#"{"resultType":"input_required","inputRequests":{}}"#,
    r#"{"resultType":"input_required","inputRequests":[],"requestState":"SENTINEL"}"#,
    r#"{"resultType":"input_required","requestState":{"a":"SENTINEL"}}"#,
    r#"{"resultType":"input_required","requestState":"SENTINEL","requestState":"SENTINEL"}"#,
    r#"{"resultType":"input_required","inputRequests":{"0":{"method":"SENTINEL"}}}"#,
    r#"{"resultType":"input_required","inputRequests":{
        "0":{"method":"roots/list"},"\u0030":{"method":"roots/list"}}}"#,
    r#"{"resultType":"input_required","requestState":"a state that is too long for the limits of this world"}"#,
];

/// The largest state that the call takes, in bytes of its text: less than the last of [`HOSTILE`].
pub(super) const STATE_BYTES_MAX: usize = 40;

/// Requests that spoil the round that they stand in, of every kind.
pub(super) const MALFORMED: [&str; 16] = [
    r#""SENTINEL""#,
    r#"{"method":"SENTINEL"}"#,
    r#"{"params":{"message":"SENTINEL"}}"#,
    r#"{"method":"elicitation/create"}"#,
    r#"{"method":"elicitation/create","params":{"mode":"SENTINEL","message":"a"}}"#,
    r#"{"method":"elicitation/create","params":{"message":"SENTINEL"}}"#,
    r#"{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"array"}}}"#,
    r#"{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object",
        "properties":{"a":{"type":"object"}}}}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"a"}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"a","url":"/SENTINEL"}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","url":"https://example.org"}}"#,
    r#"{"method":"sampling/createMessage","params":{}}"#,
    r#"{"method":"sampling/createMessage","params":{"messages":"SENTINEL","maxTokens":1}}"#,
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"SENTINEL"}}"#,
    r#"{"method":"roots/list","params":"SENTINEL"}"#,
    r#"{"method":"roots/list","method":"roots/list"}"#,
];
