//! Answers: each is sent under its own key, bare and unchanged.

use super::YES;
use crate::{
    check::Level::{self, Info, Must, Should},
    client::{
        call::{Call, call},
        case::{Case, needs},
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{self, ROOTS, STATE, Step, VALUE, asks, asks_value, complete, form, under, url},
        wire::Request,
    },
};

const KEYS_MATCH: &str = "mrtr, InputResponses: keys correspond to the keys of the requests";

/// Keys that are special in some language or syntax.
const KEYS: [(&str, Level, &str); 13] = [
    ("answers-key-plain", Must, "k"),
    ("answers-key-zero", Must, "0"),
    ("answers-key-space", Must, "a b"),
    ("answers-key-emoji", Must, "\u{1f511}\u{e9}e\u{301}"),
    ("answers-key-quotes", Must, "a\"b\\c\n\u{1}"),
    ("answers-key-paths", Must, "a.b/c~d[0]#%20"),
    ("answers-key-star", Must, "*"),
    ("answers-key-case", Must, "InputResponses"),
    ("answers-key-two-hundred-bytes", Should, LONG),
    ("answers-key-empty", Should, ""),
    ("answers-key-proto", Should, "__proto__"),
    ("answers-key-constructor", Should, "constructor"),
    ("answers-key-to-json", Should, "toJSON"),
];

/// A key of 200 bytes.
const LONG: &str = concat!(
    "a-key-of-two-hundred-bytes-aaaaaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
);

fn ask() -> Call {
    call("ask").answers_all(YES)
}

fn asking(requests: &str) -> [Step; 2] {
    [asks(requests, Some(STATE)), complete("done")]
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = KEYS
        .map(|(id, level, key)| {
            // The answer stands under the key, so that the client does not need the `*`.
            let ask = call("ask").answers(&under(key, YES));
            Case::new(ask, asking(&under(key, &form(VALUE)))).check(
                id,
                level,
                KEYS_MATCH,
                "a form is asked under this key; the answer is under it and under no other",
                move |play| answered_under(play, key),
            )
        })
        .into();
    cases.extend(["accept", "decline", "cancel"].map(action));
    cases.extend([several(), bare(), unasked(), sampling(), roots(), mixed(), consent(), page()]);
    cases
}

fn answered_under(play: &PlayedCall, key: &str) -> CheckResult {
    play.expect_keys(1, &[key])?;
    play.expect_equal(play.answer(1, key)?, YES)?;
    play.expect_complete("done")?;
    Ok("answered under the same key".into())
}

fn action(action: &'static str) -> Case {
    let (id, content_id) = match action {
        "accept" => ("answers-accept", "answers-accept-content"),
        "decline" => ("answers-decline", "answers-decline-content"),
        _ => ("answers-cancel", "answers-cancel-content"),
    };
    let given = match action {
        "accept" => YES.into(),
        _ => format!(r#"{{"action":"{action}"}}"#),
    };
    let source = "elicitation, response actions";
    Case::new(call("ask").answers_all(&given), asking(&under("k", &form(VALUE))))
        .check(id, Must, source, "the person's action arrives as this action", move |play| {
            let found = play.answer(1, "k")?;
            if found.get("action").and_then(Json::text).as_deref() != Some(action) {
                return Err(play.fails(found.to_string()));
            }
            play.expect_complete("done")?;
            Ok(found.to_string())
        })
        .check(
            content_id,
            Should,
            "schema, ElicitResult.content; W-06",
            "content comes with an accepted form, and with nothing else",
            move |play| {
                let found = play.answer(1, "k")?;
                if found.get("content").is_some() != (action == "accept") {
                    return Err(play.fails(found.to_string()));
                }
                Ok(found.to_string())
            },
        )
}

fn several() -> Case {
    let requests = format!(r#"{{"b":{0},"a":{0},"1":{0},"0":{0}}}"#, form(VALUE));
    let given = ["a", "b", "0", "1"]
        .map(|key| format!(r#""{key}":{{"action":"accept","content":{{"value":"of {key}"}}}}"#));
    let given = format!("{{{}}}", given.join(","));
    Case::new(call("ask").answers(&given), asking(&requests)).check(
        "answers-several",
        Must,
        "mrtr, client requirement 1",
        "four forms are asked at once; one retry has the four answers, each under its own key",
        move |play| {
            play.expect_keys(1, &["a", "b", "0", "1"])?;
            let all = Json::Object(play.answers(1)?.to_vec());
            play.expect_equal(&all, &given)?;
            play.expect_legs(2)?;
            play.expect_complete("done")?;
            Ok("four answers in one retry".into())
        },
    )
}

fn bare() -> Case {
    Case::new(ask(), [asks_value(Some(STATE)), complete("done")]).check(
        "answers-bare",
        Must,
        "mrtr, InputResponses: values are the results; W-07",
        "an answer is the result itself, not wrapped with a method or in a response",
        |play| {
            let found = play.answer(1, "k")?;
            let wrappers = ["method", "result", "id", "jsonrpc", "params", "value"];
            let is_wrapped = wrappers.iter().any(|name| found.get(name).is_some());
            if is_wrapped || found.get("action").is_none() {
                return Err(play.fails(found.to_string()));
            }
            Ok(found.to_string())
        },
    )
}

fn unasked() -> Case {
    let given = format!(r#"{{"other":{YES},"k":{YES}}}"#);
    Case::new(call("ask").answers(&given), [asks_value(Some(STATE)), complete("done")]).check(
        "answers-only-asked",
        Should,
        KEYS_MATCH,
        "there is an answer for a key that was not asked; only the asked key is answered",
        |play| answered_under(play, "k"),
    )
}

fn is_sampled(play: &PlayedCall, key: &str) -> Result<(), crate::check::Problem> {
    let found = play.answer(1, key)?;
    let content = found.get("content").map(|content| match content.items() {
        Some([only]) => only,
        _ => content,
    });
    let text = content.and_then(|content| content.get("text")).and_then(Json::text);
    let is_whole = found.get("role").and_then(Json::text).as_deref() == Some("assistant")
        && found.get("model").and_then(Json::text).is_some()
        && text.as_deref() == Some("sampled text");
    if is_whole { Ok(()) } else { Err(play.fails(found.to_string())) }
}

fn are_roots(play: &PlayedCall, key: &str) -> Result<(), crate::check::Problem> {
    let found = play.answer(1, key)?;
    let uri = match found.get("roots").and_then(Json::items) {
        Some([root]) => root.get("uri").and_then(Json::text),
        _ => None,
    };
    let is_it = uri.is_some_and(|uri| uri.trim_end_matches('/') == "file:///tmp");
    if is_it { Ok(()) } else { Err(play.fails(found.to_string())) }
}

const SHAPES: &str = "schema, CreateMessageResult, ListRootsResult; CL-15";

fn sampling() -> Case {
    Case::new(call("ask").claims("sampling"), asking(&under("k", &script::sampling(""))))
        .needs(needs::SAMPLING)
        .check("answers-sampling", Must, SHAPES, "a model's text is the bare result", |play| {
            is_sampled(play, "k")?;
            play.expect_complete("done")?;
            Ok("role, model and content".into())
        })
}

fn roots() -> Case {
    Case::new(call("ask").claims("roots"), asking(&under("k", ROOTS))).needs(needs::ROOTS).check(
        "answers-roots",
        Must,
        SHAPES,
        "the roots are the bare result",
        |play| {
            are_roots(play, "k")?;
            play.expect_complete("done")?;
            Ok("one root".into())
        },
    )
}

fn mixed() -> Case {
    let requests = format!(r#"{{"f":{},"s":{},"r":{ROOTS}}}"#, form(VALUE), script::sampling(""));
    let ask = ask().claims("form,sampling,roots");
    Case::new(ask, asking(&requests)).needs(needs::ALL).check(
        "answers-mixed",
        Must,
        "mrtr, client requirement 1",
        "a form, a model and the roots are asked at once; one retry has the three answers",
        |play| {
            play.expect_keys(1, &["f", "s", "r"])?;
            play.expect_equal(play.answer(1, "f")?, YES)?;
            is_sampled(play, "s")?;
            are_roots(play, "r")?;
            play.expect_complete("done")?;
            Ok("three answers in one retry".into())
        },
    )
}

fn consent() -> Case {
    let ask = call("ask").claims("form,url").answers_all(r#"{"action":"accept"}"#);
    Case::new(ask, asking(&under("k", &url("https://example.org/pay"))))
        .needs(needs::URL)
        .check(
            "url-accept",
            Must,
            "elicitation, URL mode",
            "a person consents to a URL; the answer is accept",
            |play| {
                let found = play.answer(1, "k")?;
                if found.get("action").and_then(Json::text).as_deref() != Some("accept") {
                    return Err(play.fails(found.to_string()));
                }
                play.expect_complete("done")?;
                Ok(found.to_string())
            },
        )
        .check(
            "url-accept-content",
            Should,
            "elicitation, response actions: content is omitted; W-06",
            "a consent has no content",
            |play| match play.answer(1, "k")? {
                found if found.get("content").is_none() => Ok(found.to_string()),
                found => Err(play.fails(found.to_string())),
            },
        )
}

fn page() -> Case {
    let ask = call("ask").claims("form,url").answers_all(r#"{"action":"accept"}"#);
    Case::new(ask, asking(&under("k", &url("%HERE%/page"))))
        .needs(needs::URL)
        .check(
            "url-not-fetched",
            Must,
            "elicitation, safe URL handling 1",
            "the URL is a page of the scripted server; the client does not fetch it",
            |play| {
                let page = |http: &Request| http.path.starts_with("/page");
                if play.seen.iter().any(|seen| seen.http.as_ref().is_some_and(page)) {
                    return Err(play.fails("the page was fetched"));
                }
                play.answer(1, "k")?;
                Ok("it was not fetched".into())
            },
        )
        .check("url-plain-http", Info, "CL-16", "is a URL of plain HTTP asked at all", |play| {
            Ok(play.answer(1, "k")?.to_string())
        })
}
