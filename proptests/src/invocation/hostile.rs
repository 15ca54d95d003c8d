//! What no honest server says.

/// Results that break the protocol, however much the call claims.
pub(super) const HOSTILE: [&str; 12] = [
    "7",
    "[]",
    r#"{"resultType":"hunter2"}"#,
    r#"{"resultType":null}"#,
    r#"{"resultType":"input_required"}"#,
    r#"{"resultType":"input_required","inputRequests":{}}"#,
    r#"{"resultType":"input_required","inputRequests":[],"requestState":"hunter2"}"#,
    r#"{"resultType":"input_required","requestState":{"a":"hunter2"}}"#,
    r#"{"resultType":"input_required","requestState":"hunter2","requestState":"hunter2"}"#,
    r#"{"resultType":"input_required","inputRequests":{"0":{"method":"hunter2"}}}"#,
    r#"{"resultType":"input_required","inputRequests":{
        "0":{"method":"roots/list"},"\u0030":{"method":"roots/list"}}}"#,
    r#"{"resultType":"input_required","requestState":"a state that is too long for the limits of this world"}"#,
];

/// The largest state that the call takes, in bytes of its text: less than the last of [`HOSTILE`].
pub(super) const STATE_BYTES_MAX: usize = 40;

/// Requests that spoil the round that they stand in, of every kind.
pub(super) const MALFORMED: [&str; 16] = [
    r#""hunter2""#,
    r#"{"method":"hunter2"}"#,
    r#"{"params":{"message":"hunter2"}}"#,
    r#"{"method":"elicitation/create"}"#,
    r#"{"method":"elicitation/create","params":{"mode":"hunter2","message":"a"}}"#,
    r#"{"method":"elicitation/create","params":{"message":"hunter2"}}"#,
    r#"{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"array"}}}"#,
    r#"{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object",
        "properties":{"a":{"type":"object"}}}}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"a"}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"a","url":"/hunter2"}}"#,
    r#"{"method":"elicitation/create","params":{"mode":"url","url":"https://example.org"}}"#,
    r#"{"method":"sampling/createMessage","params":{}}"#,
    r#"{"method":"sampling/createMessage","params":{"messages":"hunter2","maxTokens":1}}"#,
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"hunter2"}}"#,
    r#"{"method":"roots/list","params":"hunter2"}"#,
    r#"{"method":"roots/list","method":"roots/list"}"#,
];
