//! Forms: valid answers arrive with their types, and invalid answers are not sent.

use crate::{
    check::Level::{self, Info, Must, Own, Should},
    client::{
        call::{Call, call},
        case::Case,
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{STATE, Step, asks, complete, form, under},
        wire::Request,
    },
};

fn ask(content: &str) -> Call {
    call("ask").answers_all(&format!(r#"{{"action":"accept","content":{content}}}"#))
}

fn asking(schema: &str) -> [Step; 2] {
    [asks(&under("k", &form(schema)), Some(STATE)), complete("done")]
}

fn object(properties: &str) -> String {
    format!(r#"{{"type":"object","properties":{properties}}}"#)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![mode_absent(), fetched(), backtracking(), no_object()];
    cases.extend(FITTING.map(fitting));
    cases.extend(WRONG.map(wrong));
    cases.extend(UNFIT.map(unfit));
    cases
}

const SPELLINGS: &str = r#"{
    "text":{"type":"string","minLength":1,"maxLength":10},
    "number":{"type":"number","minimum":0,"maximum":1},
    "integer":{"type":"integer","minimum":1,"maximum":5},
    "flag":{"type":"boolean","default":true},
    "choice":{"type":"string","enum":["a","b"]},
    "titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
    "legacy":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},
    "choices":{"type":"array","items":{"type":"string","enum":["a","b"]}},
    "titled_choices":{"type":"array","items":{"anyOf":[
        {"const":"a","title":"A"},{"const":"b","title":"B"}]}}
}"#;

const SUBSET: &str = "elicitation, requested schema; FM-01";

/// Answers that fit their form.
const FITTING: [(&str, Level, &str, &str); 9] = [
    (
        "forms-spellings",
        Must,
        SPELLINGS,
        r#"{"text":"x","number":0.5,"integer":3,"flag":false,"choice":"b","titled":"a",
            "legacy":"b","choices":["a","b"],"titled_choices":[]}"#,
    ),
    ("forms-some-of-all", Must, SPELLINGS, r#"{"flag":true,"titled_choices":["b"]}"#),
    ("forms-none-of-all", Should, SPELLINGS, "{}"),
    ("forms-confirm-only", Should, "{}", "{}"),
    ("forms-code-points", Should, r#"{"t":{"type":"string","maxLength":1}}"#, r#"{"t":"👍"}"#),
    (
        "forms-titles",
        Must,
        r#"{"t":{"type":"string","title":"T","description":"D","default":"d","format":"email"}}"#,
        r#"{"t":"user@example.com"}"#,
    ),
    (
        "forms-untouched-text",
        Must,
        r#"{"t":{"type":"string"}}"#,
        r#"{"t":"  é é \n 1.0 \" true "}"#,
    ),
    ("forms-integer-with-fraction-zero", Info, r#"{"i":{"type":"integer"}}"#, r#"{"i":3.0}"#),
    ("forms-large-integer", Info, r#"{"i":{"type":"integer"}}"#, r#"{"i":9007199254740993}"#),
];

fn fitting((id, level, properties, content): (&'static str, Level, &str, &'static str)) -> Case {
    Case::new(ask(content), asking(&object(properties))).check(
        id,
        level,
        SUBSET,
        "an answer fits its form; it arrives with the same values and types, and nothing is added",
        move |play| {
            let found = play.answer(1, "k")?;
            match found.get("content") {
                Some(found) => play.expect_equal(found, content)?,
                // The client may leave empty content out.
                None if content == "{}" => {}
                None => return Err(play.fails(found.to_string())),
            }
            play.expect_complete("done")?;
            Ok(found.to_string())
        },
    )
}

const VALIDATED: &str =
    "elicitation, form mode security 2: clients validate responses against the schema";

/// Answers that do not fit their form.
const WRONG: [(&str, Level, &str, &str); 14] = [
    ("forms-wrong-type", Should, r#"{"i":{"type":"integer"}}"#, r#"{"i":"3"}"#),
    ("forms-wrong-boolean", Should, r#"{"b":{"type":"boolean"}}"#, r#"{"b":"true"}"#),
    ("forms-wrong-fraction", Should, r#"{"i":{"type":"integer"}}"#, r#"{"i":1.5}"#),
    ("forms-wrong-range", Should, r#"{"n":{"type":"number","maximum":1}}"#, r#"{"n":1.01}"#),
    ("forms-wrong-too-long", Should, r#"{"t":{"type":"string","maxLength":2}}"#, r#"{"t":"abc"}"#),
    (
        "forms-wrong-code-points",
        Should,
        r#"{"t":{"type":"string","minLength":2}}"#,
        r#"{"t":"👍"}"#,
    ),
    ("forms-wrong-option", Should, r#"{"c":{"type":"string","enum":["a","b"]}}"#, r#"{"c":"c"}"#),
    (
        "forms-wrong-titled-option",
        Should,
        r#"{"c":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}"#,
        r#"{"c":"A"}"#,
    ),
    (
        "forms-wrong-options",
        Should,
        r#"{"c":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1}}"#,
        r#"{"c":["a","b"]}"#,
    ),
    ("forms-wrong-null", Should, r#"{"t":{"type":"string"}}"#, r#"{"t":null}"#),
    ("forms-wrong-nested", Should, r#"{"t":{"type":"string"}}"#, r#"{"t":{"a":1}}"#),
    ("forms-wrong-format", Info, r#"{"t":{"type":"string","format":"date"}}"#, r#"{"t":"today"}"#),
    ("forms-wrong-unknown-field", Info, r#"{"t":{"type":"string"}}"#, r#"{"t":"a","u":"b"}"#),
    (
        "forms-wrong-repeated-option",
        Info,
        r#"{"c":{"type":"array","items":{"type":"string","enum":["a","b"]}}}"#,
        r#"{"c":["a","a"]}"#,
    ),
];

fn wrong((id, level, properties, content): (&'static str, Level, &str, &str)) -> Case {
    Case::new(ask(content), asking(&object(properties))).check(
        id,
        level,
        VALIDATED,
        "an answer does not fit its form; it is not sent, and no other is invented",
        PlayedCall::expect_refused,
    )
}

/// Fields and further members of forms that are outside the subset or contradict themselves, with an
/// answer that breaks them.
const UNFIT: [(&str, Level, &str, &str, &str); 19] = [
    ("forms-required-missing", Should, TEXT, r#","required":["a"]"#, "{}"),
    ("forms-required-unknown", Should, TEXT, r#","required":["b"]"#, X),
    (
        "forms-outside-nested-object",
        Own,
        r#"{"a":{"type":"object","properties":{"b":{"type":"string"}}}}"#,
        "",
        r#"{"a":{"b":"x"}}"#,
    ),
    (
        "forms-outside-array-of-objects",
        Own,
        r#"{"a":{"type":"array","items":{"type":"object","properties":{}}}}"#,
        "",
        r#"{"a":[{}]}"#,
    ),
    (
        "forms-outside-reference",
        Should,
        r##"{"a":{"$ref":"#/$defs/a"}}"##,
        r#","$defs":{"a":{"type":"string","maxLength":1}}"#,
        LONG,
    ),
    (
        "forms-outside-all-of",
        Should,
        r#"{"a":{"type":"string","allOf":[{"maxLength":1}]}}"#,
        "",
        LONG,
    ),
    ("forms-outside-not", Should, r#"{"a":{"type":"string","not":{"const":"x"}}}"#, "", X),
    (
        "forms-outside-root-one-of",
        Should,
        r#"{"a":{"type":"string"},"b":{"type":"string"}}"#,
        r#","oneOf":[{"required":["a"]},{"required":["b"]}]"#,
        r#"{"a":"x","b":"y"}"#,
    ),
    ("forms-outside-boolean-schema", Should, r#"{"a":false}"#, "", X),
    ("forms-outside-dialect", Should, TEXT, r#","$schema":"https://example.org/no-dialect""#, X),
    ("forms-outside-pattern", Info, r#"{"a":{"type":"string","pattern":"^y"}}"#, "", X),
    (
        "forms-outside-multiple-of",
        Info,
        r#"{"a":{"type":"integer","multipleOf":2}}"#,
        "",
        r#"{"a":3}"#,
    ),
    ("forms-outside-union", Info, r#"{"a":{"type":["string","integer"]}}"#, "", X),
    ("forms-outside-password", Info, r#"{"a":{"type":"string","format":"password"}}"#, "", X),
    (
        "forms-contradiction-bounds",
        Should,
        r#"{"a":{"type":"number","minimum":2,"maximum":1}}"#,
        r#","required":["a"]"#,
        r#"{"a":1.5}"#,
    ),
    (
        "forms-contradiction-lengths",
        Should,
        r#"{"a":{"type":"string","minLength":3,"maxLength":1}}"#,
        r#","required":["a"]"#,
        r#"{"a":"xx"}"#,
    ),
    (
        "forms-contradiction-no-options",
        Should,
        r#"{"a":{"type":"string","enum":[]}}"#,
        r#","required":["a"]"#,
        X,
    ),
    (
        "forms-contradiction-items",
        Should,
        r#"{"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":2}}"#,
        r#","required":["a"]"#,
        r#"{"a":["x"]}"#,
    ),
    ("forms-repeated-property", Info, r#"{"a":{"type":"integer"},"a":{"type":"string"}}"#, "", X),
];

const TEXT: &str = r#"{"a":{"type":"string"}}"#;
const X: &str = r#"{"a":"x"}"#;
const LONG: &str = r#"{"a":"long"}"#;

fn unfit(row: (&'static str, Level, &str, &str, &str)) -> Case {
    let (id, level, properties, more, content) = row;
    let schema = format!(r#"{{"type":"object","properties":{properties}{more}}}"#);
    refused(id, level, &schema, content)
}

fn no_object() -> Case {
    let schema = r#"{"type":"array","items":{"type":"string"}}"#;
    refused("forms-outside-root-type", Should, schema, X)
}

fn refused(id: &'static str, level: Level, schema: &str, content: &str) -> Case {
    let source = match id {
        "forms-outside-dialect" => "basic, JSON Schema usage: an unsupported dialect is an error",
        _ if level == Own => "FM-03: a schema outside the subset is refused as a whole",
        _ => VALIDATED,
    };
    Case::new(ask(content), asking(schema)).check(
        id,
        level,
        source,
        "the answer breaks the schema; no keyword is dropped from the form, and the answer is not \
         sent",
        PlayedCall::expect_refused,
    )
}

fn mode_absent() -> Case {
    let schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "properties":{"a":{"type":"string"}}}"#;
    let params = format!(r#"{{"message":"Please","requestedSchema":{schema}}}"#);
    let request = format!(r#"{{"method":"elicitation/create","params":{params}}}"#);
    let steps = [asks(&under("k", &request), Some(STATE)), complete("done")];
    Case::new(ask(r#"{"a":"x"}"#), steps).check(
        "forms-mode-absent",
        Must,
        "elicitation, elicitation requests: without a mode it is form mode; basic, schema dialect",
        "a request names no mode, and the default dialect of schemas; it is a form",
        accepted,
    )
}

fn accepted(play: &PlayedCall) -> CheckResult {
    let found = play.answer(1, "k")?;
    if found.get("action").and_then(Json::text).as_deref() != Some("accept") {
        return Err(play.fails(found.to_string()));
    }
    play.expect_complete("done")?;
    Ok(found.to_string())
}

fn fetched() -> Case {
    let schema = object(r#"{"a":{"$ref":"%HERE%/schema.json"}}"#);
    Case::new(ask(r#"{"a":"x"}"#), asking(&schema)).check(
        "forms-reference-not-fetched",
        Must,
        "basic, $ref resolution",
        "a field is a reference to a document of the scripted server; it is not fetched",
        |play| {
            let fetched = |http: &Request| http.path.contains("schema.json");
            if play.seen.iter().any(|seen| seen.http.as_ref().is_some_and(fetched)) {
                return Err(play.fails("it was fetched"));
            }
            Ok(play.said())
        },
    )
}

fn backtracking() -> Case {
    let schema = object(r#"{"a":{"type":"string","pattern":"^(a+)+$"}}"#);
    let content = format!(r#"{{"a":"{}!"}}"#, "a".repeat(40));
    Case::new(ask(&content), asking(&schema)).check(
        "forms-pattern-ends",
        Should,
        "basic, composition-keyword resource use; P79",
        "a pattern takes exponential time on this answer; the call ends nevertheless",
        |play| Ok(format!("{} after {} ms", play.said(), play.took().as_millis())),
    )
}
