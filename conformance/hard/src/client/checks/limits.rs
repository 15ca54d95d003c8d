//! Huge values: the call ends soon, and the client survives.

use core::time::Duration;

use super::YES;
use crate::{
    check::Level::{Info, Own},
    client::{
        call::call,
        case::Case,
        played_call::{CheckResult, PlayedCall},
        script::{STATE, Step, VALUE, asks, asks_value, complete, document, form, result, under},
    },
};

const SOURCE: &str = "CL-06, FM-04, W-11: every size has a limit";

/// The memory limit of a client.
const MEMORY_KIB_MAX: u64 = 512 * 1024;
const TIME_MAX: Duration = Duration::from_secs(30);

/// A huge value.
type Size = (&'static str, &'static str, fn() -> Step);

/// Huge answers. The second id is of the check that the client refuses.
const SIZES: [Size; 14] = [
    ("limits-schema-ten-mb", "limits-schema-ten-mb-refused", || {
        asking(&fields(1, &format!(r#""description":"{}","#, text(10 * MB))))
    }),
    ("limits-fields-100000", "limits-fields-100000-refused", || asking(&fields(100_000, ""))),
    ("limits-options-100000", "limits-options-100000-refused", || {
        asking(&format!(
            r#"{{"type":"object","properties":{{"value":{{"type":"string","enum":[{}"v"]}}}}}}"#,
            each(100_000, |index| format!("\"{index}\",")),
        ))
    }),
    ("limits-required-100000", "limits-required-100000-refused", || {
        asking(&format!(
            r#"{{"type":"object","properties":{{"value":{{"type":"string"}}}},
                "required":[{}"value"]}}"#,
            each(100_000, |_| "\"value\",".into()),
        ))
    }),
    ("limits-requests-5000", "limits-requests-5000-refused", || {
        let request = form(VALUE);
        let requests = each(5_000, |index| format!("\"k{index}\":{request},"));
        asks(&format!("{{{requests}\"k\":{request}}}"), Some(STATE))
    }),
    ("limits-message-five-mb", "limits-message-five-mb-refused", || {
        let schema = VALUE;
        let message = text(5 * MB);
        let params =
            format!(r#"{{"mode":"form","message":"{message}","requestedSchema":{schema}}}"#);
        let request = format!(r#"{{"method":"elicitation/create","params":{params}}}"#);
        asks(&under("k", &request), Some(STATE))
    }),
    ("limits-name-one-mb", "limits-name-one-mb-refused", || {
        asking(&format!(
            r#"{{"type":"object","properties":{{"{}":{{"type":"string"}}}}}}"#,
            text(MB)
        ))
    }),
    ("limits-key-one-mb", "limits-key-one-mb-refused", || {
        asks(&under(&text(MB), &form(VALUE)), Some(STATE))
    }),
    ("limits-state-ten-mb", "limits-state-ten-mb-refused", || {
        asks_value(Some(&format!("\"{}\"", text(10 * MB))))
    }),
    ("limits-depth-10000-schema", "limits-depth-10000-schema-refused", || {
        let (open, close) =
            (r#"{"type":"object","properties":{"a":"#.repeat(10_000), "}}".repeat(10_000));
        asking(&format!(r#"{open}{{"type":"string"}}{close}"#))
    }),
    ("limits-depth-10000-meta", "limits-depth-10000-meta-refused", || {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        result(&format!(
            r#"{{"resultType":"input_required","requestState":{STATE},"_meta":{{"a":{deep}}}}}"#
        ))
    }),
    ("limits-depth-1000000-body", "limits-depth-1000000-body-refused", || {
        document("[".repeat(1_000_000))
    }),
    ("limits-any-of-100000", "limits-any-of-100000-refused", || {
        asking(&format!(
            r#"{{"type":"object","properties":{{"value":
                {{"type":"string","anyOf":[{}{{"maxLength":9}}]}}}}}}"#,
            each(100_000, |index| format!("{{\"minLength\":{}}},", index % 2)),
        ))
    }),
    ("limits-bound-of-100000-digits", "limits-bound-of-100000-digits-refused", || {
        asking(&format!(
            r#"{{"type":"object","properties":{{"value":{{"type":"string"}},
                "n":{{"type":"integer","minimum":-{}}}}}}}"#,
            "9".repeat(100_000),
        ))
    }),
];

const MB: usize = 1024 * 1024;

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

fn each(count: usize, write: impl Fn(usize) -> String) -> String {
    (0..count).map(write).collect()
}

fn fields(count: usize, member: &str) -> String {
    let field = format!(r#"{{{member}"type":"string"}}"#);
    let fields = each(count - 1, |index| format!("\"f{index}\":{field},"));
    format!(r#"{{"type":"object","properties":{{{fields}"value":{field}}}}}"#)
}

fn asking(schema: &str) -> Step {
    asks(&under("k", &form(schema)), Some(STATE))
}

pub(super) fn cases() -> Vec<Case> {
    let case = |(id, refused_id, step): Size| {
        Case::new(call("ask").answers_all(YES).patience(60), [step(), complete("done")])
            .check(
                id,
                Own,
                SOURCE,
                "the call ends within 30 s, no process of the client holds more than 512 MiB, and \
                 it prints an outcome",
                lives,
            )
            .check(
                refused_id,
                Info,
                SOURCE,
                "is it refused, and nothing answered",
                PlayedCall::expect_refused,
            )
    };
    SIZES.map(case).into()
}

fn lives(play: &PlayedCall) -> CheckResult {
    let took = play.took();
    let held = match play.ended.peak_kib / 1024 {
        0 => "ended before its memory was measured".into(),
        mib => format!("{mib} MiB"),
    };
    let measured = format!("{} ms, {held}, {}", took.as_millis(), play.said());
    if took > TIME_MAX || play.ended.peak_kib > MEMORY_KIB_MAX {
        return Err(play.fails(measured));
    }
    Ok(measured)
}
