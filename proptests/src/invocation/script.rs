//! The lines of a world: what the server asks and says, and what people answer.

use form_model::Content;

/// A text that is in every secret of a world, and must be in nothing that is shown.
pub const SENTINEL: &str = "hunter2";

/// What the call sends.
pub(super) const PARAMS: &str = r#"{"name":"deploy","_meta":{"k":"hunter2"},"arguments":{"key":"hunter2","n":1.0,"s":"\ud800"}}"#;

/// Is a question, the answers that somebody may give, and what goes to the server for the right one.
pub(super) struct Question {
    pub(super) key: &'static str,
    pub(super) request: &'static str,
    pub(super) right: fn() -> Content,
    pub(super) wrong: fn() -> Content,
    pub(super) sent: &'static str,
}

/// The questions, in the order of their keys.
pub(super) const QUESTIONS: [Question; 4] = [
    Question {
        key: "0",
        request: r#"{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":
            {"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}}}"#,
        right: || Content::new().with_flag("confirm", true),
        wrong: || Content::new().with_text("confirm", SENTINEL),
        sent: r#"{"action":"accept","content":{"confirm":true}}"#,
    },
    Question {
        key: "1",
        request: r#"{"method":"elicitation/create","params":{"mode":"form","message":"Who?",
            "requestedSchema":{"type":"object","properties":{"name":{"type":"string","maxLength":9},
                "age":{"type":"integer","minimum":0}}}}}"#,
        right: || {
            Content::new().with_number("age", 9_007_199_254_740_993_u64).with_text("name", SENTINEL)
        },
        wrong: || Content::new().with_text("name", SENTINEL.repeat(2)).with_number("age", -1),
        sent: r#"{"action":"accept","content":{"name":"hunter2","age":9007199254740993}}"#,
    },
    Question {
        key: "target",
        request: r#"{"method":"elicitation/create","params":{"message":"Where to?",
            "requestedSchema":{"type":"object","properties":{
                "environment":{"type":"string","enum":["staging","production"]},
                "zones":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}},
                "required":["environment"]}}}"#,
        right: || {
            Content::new().with_text("environment", "staging").with_choices("zones", ["b", "a"])
        },
        wrong: || Content::new().with_text("environment", SENTINEL).with_text(SENTINEL, SENTINEL),
        sent: r#"{"action":"accept","content":{"environment":"staging","zones":["b","a"]}}"#,
    },
    Question {
        key: "é",
        request: r#"{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":
            {"type":"object","properties":{}}}}"#,
        right: Content::new,
        wrong: || Content::new().with_text(SENTINEL, SENTINEL),
        sent: r#"{"action":"accept","content":{}}"#,
    },
];

/// States as JSON text, which go back byte for byte.
pub(super) const STATES: [&str; 4] =
    [r#""hunter2""#, r#""hunter2\u0041\/\"\\""#, r#""\ud800hunter2\udfff""#, "\"{\u{e9}hunter2}\""];

/// Results that break the protocol or ask for what was not claimed, each beside a good sibling
/// where there can be one.
pub(super) const HOSTILE: [&str; 16] = [
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
    r#"{"resultType":"input_required","inputRequests":{"0":{"method":"roots/list"}},"requestState":"hunter2"}"#,
    r#"{"resultType":"input_required","inputRequests":{"0":{"method":"sampling/createMessage","params":{}}}}"#,
    r#"{"resultType":"input_required","inputRequests":{
        "0":{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}},
        "1":{"method":"elicitation/create","params":{"mode":"url","message":"a","url":"https://example.org","elicitationId":"e"}}}}"#,
    r#"{"resultType":"input_required","inputRequests":{
        "0":{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}},
        "1":{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"array"}}}}}"#,
    r#"{"resultType":"input_required","inputRequests":{
        "0":{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}},
        "\u0030":{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}}}}"#,
    r#"{"resultType":"input_required","requestState":"a state that is too long for the limits of this world"}"#,
];

/// The largest state that the call takes, in bytes of its text: less than the last of [`HOSTILE`].
pub(super) const STATE_BYTES_MAX: usize = 40;

/// Writes an `input_required` result.
pub(super) fn asking(questions: &[&Question], state: Option<&str>) -> String {
    let requests: Vec<_> = questions
        .iter()
        .map(|question| format!(r#""{}":{}"#, question.key, question.request))
        .collect();
    let state = state.map(|state| format!(r#","requestState":{state}"#)).unwrap_or_default();
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{}}}{state}}}"#,
        requests.join(",")
    )
}
