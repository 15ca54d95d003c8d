//! Rounds: one after another, at most so many, and an invalid one is refused as a whole.

use super::YES;
use crate::{
    check::Level::{self, Info, Must, Own, Should},
    client::{
        call::call,
        case::{Case, needs},
        played_call::{CheckResult, PlayedCall},
        script::{STATE, asks, asks_value, complete, result, under, url, value_round, waits},
    },
};

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = INVALID
        .map(|(id, level, source, members)| {
            let wrong = format!(r#"{{"resultType":"input_required",{members}}}"#);
            invalid(id, level, source, &wrong)
        })
        .into();
    cases.extend(TYPES.map(|(id, level, result_type)| {
        let wrong = value_round(Some(STATE)).replace(r#""input_required""#, result_type);
        let content = r#"{"content":[{"type":"text","text":"wrong"}],"#;
        let wrong = wrong.replacen('{', content, 1);
        invalid(id, level, "basic, ResultType: an unrecognized value is invalid", &wrong)
    }));
    cases.extend([two(), for_ever(), for_ever_waiting(), bounded(), unlisted()]);
    cases
}

const GOOD: &str = concat!(
    r#"{"method":"elicitation/create","params":{"mode":"form","message":"Please","#,
    r#""requestedSchema":{"type":"object","properties":{"value":{"type":"string"}}}}}"#,
);

const SHAPE: &str =
    "W-02, W-03: a result that breaks the schema of InputRequiredResult is not acted on";
const EITHER: &str = "W-02: a round has requests or a state";
const WHOLE: &str = "CL-06: one bad request fails the round, before anything is shown";

/// Members of invalid rounds. A client may act on none of them.
const INVALID: [(&str, Level, &str, &str); 22] = [
    ("rounds-neither", Own, EITHER, r#""other":1"#),
    ("rounds-empty-requests-alone", Own, EITHER, r#""inputRequests":{}"#),
    ("rounds-nulls", Own, EITHER, r#""inputRequests":null,"requestState":null"#),
    ("rounds-requests-array", Own, SHAPE, r#""inputRequests":[{}],"requestState":"s""#),
    ("rounds-requests-text", Own, SHAPE, r#""inputRequests":"k","requestState":"s""#),
    ("rounds-request-null", Own, SHAPE, r#""inputRequests":{"k":null},"requestState":"s""#),
    ("rounds-request-text", Own, SHAPE, r#""inputRequests":{"k":"x"},"requestState":"s""#),
    ("rounds-no-method", Own, SHAPE, r#""inputRequests":{"k":{"params":{}}}"#),
    ("rounds-unknown-method", Own, SHAPE, r#""inputRequests":{"k":{"method":"x/y","params":{}}}"#),
    (
        "rounds-client-method",
        Own,
        SHAPE,
        r#""inputRequests":{"k":{"method":"tools/call","params":{"name":"ask"}}}"#,
    ),
    ("rounds-no-params", Own, SHAPE, r#""inputRequests":{"k":{"method":"elicitation/create"}}"#),
    (
        "rounds-no-schema",
        Own,
        SHAPE,
        r#""inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Please"}}}"#,
    ),
    (
        "rounds-schema-misnamed",
        Own,
        SHAPE,
        r#""inputRequests":{"k":{"method":"elicitation/create","params":
            {"message":"Please","schema":{"type":"object","properties":{}}}}}"#,
    ),
    (
        "rounds-unknown-mode",
        Own,
        "W-05: an unknown mode is not answered",
        r#""inputRequests":{"k":{"method":"elicitation/create","params":
            {"mode":"voice","message":"Please","requestedSchema":
            {"type":"object","properties":{"value":{"type":"string"}}}}}}"#,
    ),
    ("rounds-state-number", Own, SHAPE, r#""inputRequests":{"k":%GOOD%},"requestState":7"#),
    ("rounds-state-object", Own, SHAPE, r#""inputRequests":{"k":%GOOD%},"requestState":{"a":1}"#),
    (
        "rounds-bad-sibling-method",
        Own,
        WHOLE,
        r#""inputRequests":{"a":%GOOD%,"b":{"method":"x/y","params":{}},"c":%GOOD%}"#,
    ),
    ("rounds-bad-sibling-null", Own, WHOLE, r#""inputRequests":{"a":%GOOD%,"b":null}"#),
    (
        "rounds-bad-sibling-form",
        Own,
        WHOLE,
        r#""inputRequests":{"a":%GOOD%,"b":{"method":"elicitation/create","params":
            {"message":"Please","requestedSchema":
            {"type":"object","properties":{"value":{"type":"object"}}}}}}"#,
    ),
    (
        "rounds-bad-sibling-unclaimed",
        Own,
        WHOLE,
        r#""inputRequests":{"a":%GOOD%,"b":{"method":"roots/list","params":{}}}"#,
    ),
    (
        "rounds-repeated-key",
        Info,
        "mrtr, server requirement 2: keys are unique; W-11",
        r#""inputRequests":{"k":%GOOD%,"k":%GOOD%}"#,
    ),
    (
        "rounds-repeated-state",
        Info,
        "W-11",
        r#""inputRequests":{"k":%GOOD%},"requestState":"a","requestState":"b""#,
    ),
];

/// Unknown values of `resultType`.
const TYPES: [(&str, Level, &str); 5] = [
    ("result-type-unknown", Must, r#""task""#),
    ("result-type-other-case", Must, r#""INPUT_REQUIRED""#),
    ("result-type-empty", Must, r#""""#),
    ("result-type-null", Should, "null"),
    ("result-type-number", Should, "1"),
];

fn invalid(id: &'static str, level: Level, source: &'static str, wrong: &str) -> Case {
    let wrong = wrong.replace("%GOOD%", GOOD);
    // A retry is answered, so that the call ends.
    Case::new(call("ask").answers_all(YES), [result(&wrong), complete("done")]).check(
        id,
        level,
        source,
        "the result is invalid; the call ends in an error and nothing more is sent",
        PlayedCall::expect_refused,
    )
}

fn two() -> Case {
    let asks_under = |key, state| asks(&under(key, GOOD), Some(state));
    let steps = [asks_under("first", STATE), asks_under("second", r#""two""#), complete("done")];
    let given = r#"{"first":{"action":"accept","content":{"value":"1"}},
        "second":{"action":"accept","content":{"value":"2"}}}"#;
    Case::new(call("ask").answers(given), steps).check(
        "rounds-two",
        Must,
        "mrtr, client requirements 1, 2 and 4",
        "two rounds; each retry has the answer and the state of its own round only",
        |play| {
            for (leg, key, state, value) in
                [(1, "first", STATE, "1"), (2, "second", r#""two""#, "2")]
            {
                play.expect_keys(leg, &[key])?;
                let expected = format!(r#"{{"action":"accept","content":{{"value":"{value}"}}}}"#);
                play.expect_equal(play.answer(leg, key)?, &expected)?;
                play.expect_state(leg, Some(state))?;
            }
            play.expect_legs(3)?;
            play.expect_complete("done")?;
            Ok("three legs, each with its own".into())
        },
    )
}

const CAP: &str = "CL-05: a call has a limit of rounds";
const LEGS_MAX: usize = 100;

fn ends(play: &PlayedCall) -> CheckResult {
    play.expect_error()?;
    match play.legs().len() {
        legs @ 2..=LEGS_MAX => Ok(format!("{legs} legs, then {}", play.said())),
        legs => Err(play.fails(format!("{legs} legs"))),
    }
}

fn for_ever() -> Case {
    Case::new(call("ask").answers_all(YES).patience(60), [asks_value(Some(STATE))]).check(
        "rounds-for-ever",
        Own,
        CAP,
        "the server asks the same again without end; the call ends in an error",
        ends,
    )
}

fn for_ever_waiting() -> Case {
    Case::new(call("wait").rounds(4).patience(60), [waits(STATE)]).check(
        "rounds-for-ever-waiting",
        Own,
        CAP,
        "the server answers with state-only rounds without end; the call ends in an error",
        ends,
    )
}

fn bounded() -> Case {
    Case::new(call("ask").answers_all(YES).rounds(2), [asks_value(Some(STATE))]).check(
        "rounds-option",
        Info,
        "CL-05; P11",
        "how many legs has a call of at most two rounds to a server that asks without end",
        |play| {
            play.expect_error()?;
            Ok(format!("{} legs, then {}", play.legs().len(), play.said()))
        },
    )
}

/// Asks a person to open an invalid URL.
fn unlisted() -> Case {
    let steps = [asks(&under("k", &url("no url")), Some(STATE)), complete("done")];
    let ask = call("ask").claims("form,url").answers_all(r#"{"action":"accept"}"#);
    Case::new(ask, steps).needs(needs::URL).check(
        "rounds-no-url",
        Own,
        "W-05: nobody is asked to open an invalid URL",
        "a person is asked to open an invalid URL; nothing is answered",
        PlayedCall::expect_refused,
    )
}
