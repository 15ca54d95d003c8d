//! Messages: the code of an error is kept, and a document that does not answer the request completes
//! nothing.

use super::YES;
use crate::{
    check::Level::{self, Info, Must, Own, Should},
    client::{
        call::{Call, call},
        case::Case,
        json::Json,
        played_call::PlayedCall,
        script::{
            ID, STATE, STATE_MARK, asks_value, complete, complete_result, document, error, message,
            result, value_round,
        },
    },
};

fn ask() -> Call {
    call("ask").answers_all(YES).timeout_ms(2500)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = ERRORS.map(kept).into();
    cases.extend(NO_ANSWERS.map(no_answer));
    cases.extend([plain(), no_type(), unknown_members(), late_error(), state_in_error()]);
    cases.extend([altered_utf8(), other_id_asks(), batch(), repeated_type()]);
    cases
}

const BASIC: &str = "basic, result responses: complete is the final content";

fn plain() -> Case {
    Case::new(call("plain"), [complete("plain")]).check(
        "messages-complete",
        Must,
        BASIC,
        "the tool is complete at once; its text is printed and nothing else is sent",
        |play| {
            play.expect_legs(1)?;
            play.expect_complete("plain")?;
            Ok("one leg".into())
        },
    )
}

fn no_type() -> Case {
    let untyped = r#"{"content":[{"type":"text","text":"done"}]}"#;
    Case::new(ask(), [asks_value(Some(STATE)), result(untyped)]).check(
        "messages-no-result-type",
        Info,
        "basic, ResultType: absent is complete, of a server of an earlier version",
        "a result of a server of this version has no resultType; is it complete",
        |play| {
            play.expect_complete("done")?;
            Ok("complete".into())
        },
    )
}

fn unknown_members() -> Case {
    let round = value_round(Some(STATE));
    let members = r#"{"_meta":{"example.org/a":1},"other":[1],"content":[],"#;
    let round = round.replacen('{', members, 1);
    Case::new(ask(), [result(&round), complete("done")]).check(
        "messages-unknown-members",
        Should,
        "basic, responses: a result may have any members",
        "a round has unknown members; it is a round nevertheless",
        |play| {
            play.expect_keys(1, &["k"])?;
            play.expect_complete("done")?;
            Ok("two legs".into())
        },
    )
}

/// Errors of the server: status, code, and the error object.
const ERRORS: [(&str, u16, i64, &str); 7] = [
    ("errors-invalid-params", 200, -32602, r#"{"code":-32602,"message":"Invalid requestState"}"#),
    ("errors-internal", 200, -32603, r#"{"code":-32603,"message":"it broke"}"#),
    ("errors-of-the-server", 200, 1234, r#"{"code":1234,"message":"mine","data":{"a":[1]}}"#),
    (
        "errors-missing-capability",
        400,
        -32021,
        r#"{"code":-32021,"message":"needs","data":{"requiredCapabilities":{"elicitation":{}}}}"#,
    ),
    ("errors-header-mismatch", 400, -32020, r#"{"code":-32020,"message":"Header mismatch"}"#),
    ("errors-bad-request", 400, -32602, r#"{"code":-32602,"message":"Invalid params"}"#),
    ("errors-no-method", 404, -32601, r#"{"code":-32601,"message":"Method not found"}"#),
];

fn kept((id, status, code, text): (&'static str, u16, i64, &str)) -> Case {
    Case::new(ask(), [error(text).with_status(status)]).check(
        id,
        Own,
        "CL-17: the code of an error is kept",
        "the server answers with an error; its code is kept and the call ends",
        move |play| {
            play.expect_error()?;
            let outcome = play.outcome()?;
            if outcome.get("code").and_then(Json::integer) != Some(code) {
                return Err(play.fails(outcome.to_string()));
            }
            Ok(outcome.to_string())
        },
    )
}

fn late_error() -> Case {
    let text = r#"{"code":-32602,"message":"Invalid requestState"}"#;
    Case::new(ask(), [asks_value(Some(STATE)), error(text)]).check(
        "errors-after-a-round",
        Own,
        "CL-17, CL-18: an error ends the call, once",
        "the retry is answered with an error; the call ends, with the code and without another leg",
        |play| {
            play.expect_legs(2)?;
            play.expect_error()?;
            Ok(play.said())
        },
    )
}

fn state_in_error() -> Case {
    let text = format!(r#"{{"code":-32602,"message":"bad state {STATE_MARK}"}}"#);
    Case::new(ask(), [asks_value(Some(r#""other""#)), error(&text)]).check(
        "errors-state-in-message",
        Info,
        "W-08",
        "the server writes the state into the message of an error; is it printed",
        |play| {
            let is_printed = play.ended.stdout.contains(STATE_MARK);
            Ok(if is_printed { "it is printed" } else { "it is not printed" }.into())
        },
    )
}

const OTHER: &str = "CL-17: a document that does not answer the request does not complete the call";

/// Documents that do not answer the request. None of them may complete the call.
const NO_ANSWERS: [(&str, Level, &str, &str); 16] = [
    ("no-answer-other-id", Own, OTHER, r#"{"jsonrpc":"2.0","id":"another","result":%DONE%}"#),
    ("no-answer-id-null", Own, OTHER, r#"{"jsonrpc":"2.0","id":null,"result":%DONE%}"#),
    ("no-answer-no-id", Own, OTHER, r#"{"jsonrpc":"2.0","result":%DONE%}"#),
    (
        "no-answer-both",
        Info,
        OTHER,
        r#"{"jsonrpc":"2.0","id":%ID%,"result":%DONE%,"error":{"code":1,"message":"m"}}"#,
    ),
    ("no-answer-neither", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%}"#),
    ("no-answer-result-null", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%,"result":null}"#),
    ("no-answer-result-array", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%,"result":[%DONE%]}"#),
    ("no-answer-error-text", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%,"error":"no"}"#),
    ("no-answer-old-version", Info, OTHER, r#"{"jsonrpc":"1.0","id":%ID%,"result":%DONE%}"#),
    ("no-answer-bare-result", Own, OTHER, "%DONE%"),
    ("no-answer-empty", Own, OTHER, ""),
    ("no-answer-null", Own, OTHER, "null"),
    ("no-answer-text", Own, OTHER, "<html>It works!</html>"),
    ("no-answer-cut-off", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%,"result":{"#),
    ("no-answer-goes-on", Own, OTHER, r#"{"jsonrpc":"2.0","id":%ID%,"result":%DONE%}]"#),
    (
        "no-answer-request",
        Own,
        OTHER,
        r#"{"jsonrpc":"2.0","id":%ID%,"method":"tools/call","params":{}}"#,
    ),
];

fn no_answer((id, level, source, body): (&'static str, Level, &'static str, &str)) -> Case {
    let body = body.replace("%DONE%", &complete_result("done"));
    Case::new(ask(), [document(body)]).check(
        id,
        level,
        source,
        "this document does not answer the request; the call ends in an error and is not sent again",
        PlayedCall::expect_refused,
    )
}

fn other_id_asks() -> Case {
    let round = message("\"another\"", &value_round(Some(STATE)));
    Case::new(ask(), [document(round), complete("done")]).check(
        "no-answer-round-of-other-id",
        Own,
        OTHER,
        "a round comes under the id of another request; nothing is answered",
        PlayedCall::expect_refused,
    )
}

fn batch() -> Case {
    let one = |text: &str| message(ID, &complete_result(text));
    let two = format!("[{},{}]", one("first"), one("second"));
    Case::new(ask(), [document(two)]).check(
        "no-answer-two-in-a-batch",
        Own,
        OTHER,
        "two answers come in a batch; the call ends in an error",
        PlayedCall::expect_refused,
    )
}

/// A client that cannot read the bytes may give up. It may not send other bytes back.
fn altered_utf8() -> Case {
    let round = message(ID, &value_round(Some(r#""a@b""#)));
    let (before, after) = round.split_once('@').unwrap_or((&round, ""));
    let bytes = [before.as_bytes(), b"\xff\xc3\x28\xed\xa0\x80", after.as_bytes()].concat();
    Case::new(ask(), [document(bytes), complete("done")]).check(
        "messages-invalid-utf8",
        Own,
        "W-08, W-11: a state that cannot be read is not replaced by another",
        "a state has bytes that are not UTF-8; no retry is sent, neither with this state nor with another",
        PlayedCall::expect_refused,
    )
}

fn repeated_type() -> Case {
    let round = value_round(Some(STATE));
    let complete_too = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}],"#;
    let round = result(&round.replacen('{', complete_too, 1));
    Case::new(ask(), [round, complete("again")]).check(
        "messages-repeated-result-type",
        Info,
        "W-11",
        "a result is complete and input_required at once; is it refused",
        PlayedCall::expect_refused,
    )
}
