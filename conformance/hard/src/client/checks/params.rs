//! Params: the first leg has the given values, and each retry has the same.

use super::YES;
use crate::{
    check::Level::{Info, Must, Own},
    client::{
        call::{Call, call},
        case::{CAPABILITIES, Case},
        json::{Json, Text},
        played_call::{CheckResult, PlayedCall},
        script::{STATE, Step, asks_value, complete, prompt, resource},
    },
};

const RETRY: &str = "mrtr, basic workflow: the retry is the original request";

/// Arguments that a client may change by accident.
const ARGUMENTS: [(&str, &str); 7] = [
    ("params-same-numbers", r#"{"a":1.0,"b":1e2,"c":-0.0,"d":0.1,"e":1E-7,"f":12345678901234567}"#),
    ("params-same-large-integer", r#"{"a":9007199254740993,"b":-9223372036854775808}"#),
    ("params-same-names", r#"{"":1,"0":2,"__proto__":{"x":1},"constructor":3,"a b":4,"😀":5}"#),
    ("params-same-empty-values", r#"{"a":null,"b":"","c":[],"d":{},"e":false,"f":0}"#),
    ("params-same-order", r#"{"z":1,"a":{"y":2,"b":3},"10":4,"9":5}"#),
    ("params-same-texts", r#"{"a":"\u0000\u2028\"\\","b":"é é","c":"  ","d":"2026-07-28"}"#),
    (
        "params-same-retry-names",
        r#"{"requestState":"mine","inputResponses":{"k":1},"inputRequests":[],"_meta":{"m":1}}"#,
    ),
];

fn steps() -> [Step; 2] {
    [asks_value(Some(STATE)), complete("done")]
}

fn ask() -> Call {
    call("ask").answers_all(YES)
}

pub(super) fn cases() -> Vec<Case> {
    let about = "a call with these arguments is retried; both legs have the same arguments";
    let mut cases: Vec<Case> = ARGUMENTS
        .map(|(id, arguments)| {
            Case::new(ask().arguments(arguments), steps()).check(
                id,
                Must,
                RETRY,
                about,
                same_arguments,
            )
        })
        .into();
    cases.push(Case::new(ask().arguments(DOUBLES), steps()).check(
        "params-as-given",
        Own,
        "CL-02: the params are sent unchanged",
        "arguments on the command line arrive with the same values",
        |play| as_given(play, DOUBLES),
    ));
    cases.push(Case::new(ask().arguments(EXACT), steps()).check(
        "params-as-given-beyond-doubles",
        Info,
        "CL-02",
        "do numbers that a double cannot hold arrive with the same values",
        |play| as_given(play, EXACT),
    ));
    cases.push(Case::new(ask().arguments(r#"{"a":1}"#), steps()).check(
        "params-whole",
        Must,
        RETRY,
        "all members of the params are the same on both legs, but for the two of the retry, the \
         progress token and the trace context",
        |play| {
            same_params(play)?;
            Ok("the same on both legs".into())
        },
    ));
    cases.extend(methods());
    cases
}

const DOUBLES: &str = r#"{"a":0.5,"b":100,"c":"text","d":[1,[2,{"e":null}]],"g":true}"#;
const EXACT: &str = r#"{"a":9007199254740993,"b":0.1000000000000000055511151231257827}"#;

fn as_given(play: &PlayedCall, given: &str) -> CheckResult {
    let Some(found) = play.param(0, "arguments")? else {
        return Err(play.fails("no arguments"));
    };
    play.expect_equal(found, given)?;
    Ok("the same values".into())
}

fn same_arguments(play: &PlayedCall) -> CheckResult {
    let (first, second) = (play.param(0, "arguments")?, play.param(1, "arguments")?);
    match (first, second) {
        (Some(first), Some(second)) => first
            .same(second)
            .map_err(|differs| play.fails(format!("the arguments differ {differs}")))?,
        _ => return Err(play.fails("a leg has no arguments")),
    }
    play.expect_complete("done")?;
    Ok("the same on both legs".into())
}

/// Expects every leg to have the params of the first.
pub(super) fn same_params(play: &PlayedCall) -> Result<(), crate::check::Problem> {
    let legs = play.legs();
    let Some((first, retries)) = legs.split_first() else { return Ok(()) };
    let expected = first.params().map(stripped);
    for (index, retry) in retries.iter().enumerate() {
        let found = retry.params().map(stripped);
        let compared = match (&expected, &found) {
            (Some(expected), Some(found)) => expected.same(found),
            (None, None) => Ok(()),
            _ => Err("one of them has no params".into()),
        };
        compared.map_err(|differs| {
            play.fails(format!("leg {} differs from leg 1 {differs}", index + 2))
        })?;
    }
    Ok(())
}

/// Returns params without the members that may differ from leg to leg. A leg may have its own progress
/// token and trace context.
fn stripped(params: &Json) -> Json {
    let without = |members: &[(Text, Json)], names: &[&str]| {
        let is_kept = |member: &&(Text, Json)| !names.iter().any(|name| member.0 == **name);
        members.iter().filter(is_kept).cloned().collect::<Vec<_>>()
    };
    let Some(members) = params.members() else { return params.clone() };
    let mut kept = without(members, &["inputResponses", "requestState"]);
    for (name, value) in &mut kept {
        if let (true, Some(meta)) = (*name == *"_meta", value.members()) {
            let own = ["progressToken", "traceparent", "tracestate", "baggage"];
            *value = Json::Object(without(meta, &own));
        }
    }
    Json::Object(kept)
}

/// The three methods that may be answered with `input_required`.
fn methods() -> [Case; 3] {
    let about = "the method is answered with a round; the retry has the answer and the state";
    let of = |method, name, last| {
        Case::new(call(name).by(method).answers_all(YES), [asks_value(Some(STATE)), last])
    };
    let source = "mrtr, supported requests";
    let [tool, prompt, resource] = [complete("done"), prompt("done"), resource("done")];
    [
        of("tools/call", "ask", tool).check("methods-tools-call", Must, source, about, answered),
        of("prompts/get", "ask", prompt).check(
            "methods-prompts-get",
            Must,
            source,
            about,
            answered,
        ),
        of("resources/read", "ask://resource", resource).check(
            "methods-resources-read",
            Must,
            source,
            about,
            answered,
        ),
    ]
}

fn answered(play: &PlayedCall) -> CheckResult {
    play.expect_state(1, Some(STATE))?;
    play.expect_keys(1, &["k"])?;
    play.expect_complete("done")?;
    same_params(play)?;
    Ok("two legs, then complete".into())
}

/// Returns the capabilities that a leg declares.
pub(super) fn claimed(play: &PlayedCall, leg: usize) -> Result<Json, crate::check::Problem> {
    let found = play.leg(leg)?.params().and_then(|params| params.at(CAPABILITIES)).cloned();
    found.ok_or_else(|| play.fails(format!("leg {} declares no capabilities", leg + 1)))
}
