//! Honest flows. The other checks need fixtures that work, because a server that refuses everything
//! would pass them.

use serde_json::Value;

use super::{
    CheckResult, CheckSpec,
    call::Call,
    cases::each,
    exchange::{Exchange, Outcome},
    fixture::{EVERY_SPELLING, Fixture, STAGING, count},
    must, own,
    target::Target,
};
use crate::check::Problem;

const CONTRACT: &str = "conformance/README.md, what a peer's programs do";

/// Makes the check of an honest flow.
const fn flow(id: &'static str, about: &'static str, run: fn(&Target) -> CheckResult) -> CheckSpec {
    own(id, CONTRACT, about, run)
}

pub(super) const SPECS: &[CheckSpec] = &[
    flow("honest-plain", "The tool that asks nothing answers.", |target| {
        honest(target, Fixture::Plain)
    }),
    flow(
        "honest-form",
        "A form is asked and accepted, and the result holds the answers.",
        |target| honest(target, Fixture::Form),
    ),
    flow("honest-form-note", "The same with an argument.", |target| {
        target.needs(Fixture::Form)?;
        let call = Fixture::Form.call().with("arguments", r#"{"note":"hello"}"#);
        let state = target.begin_with(Fixture::Form, &call)?.state;
        let answered = call.answers(Fixture::Form.answers()).state(state.as_deref());
        finish(&target.send(&answered), Fixture::Form)
    }),
    must(
        "honest-decline-cancel",
        "elicitation, error handling: a server handles cases where the user declines or cancels",
        "A form is declined, and another one is cancelled; each ends in its own result.",
        |target| {
            target.needs(Fixture::Form)?;
            each(
                [("decline", "declined"), ("cancel", "cancelled")].map(|case| (case.0, case)),
                |case| {
                    let answers = format!(r#"{{"target":{{"action":"{}"}}}}"#, case.0);
                    target.play(Fixture::Form, &answers)?.done(case.1).map(|()| case.1.into())
                },
            )
        },
    ),
    flow(
        "honest-spellings",
        "Each way to write a field gets a value; all of them come back.",
        |target| flow_of(target, Fixture::Spellings, spellings),
    ),
    flow("honest-url", "A URL is shown, and the person accepts, declines or cancels.", |target| {
        flow_of(target, Fixture::Url, |target| {
            let cases = [("accept", "consented"), ("decline", "declined"), ("cancel", "cancelled")];
            each(cases.map(|case| (case.0, case)), |(action, text)| {
                let answers = format!(r#"{{"pay":{{"action":"{action}"}}}}"#);
                target.play(Fixture::Url, &answers)?.done(text).map(|()| text.into())
            })
        })
    }),
    flow("honest-sampling", "The client's model is asked.", |target| {
        honest(target, Fixture::Sampling)
    }),
    flow("honest-sampling-tools", "The client's model is asked, and given a tool.", |target| {
        honest(target, Fixture::SamplingTools)
    }),
    flow("honest-sampling-context", "The client's model is asked, with context.", |target| {
        honest(target, Fixture::SamplingContext)
    }),
    flow("honest-roots", "The roots are asked for.", |target| honest(target, Fixture::Roots)),
    flow(
        "honest-several",
        "Two questions are asked at once; the answers come in either order.",
        |target| flow_of(target, Fixture::Several, several),
    ),
    flow(
        "honest-two-rounds",
        "Two rounds, each with its own state; the result holds both answers.",
        |target| flow_of(target, Fixture::TwoRounds, two_rounds),
    ),
    flow("honest-state-only", "A state without questions is sent back.", |target| {
        honest(target, Fixture::StateOnly)
    }),
    flow("honest-forever", "The tool that always asks asks three times.", |target| {
        flow_of(target, Fixture::Forever, forever)
    }),
    flow("honest-prompt", "A prompt asks and is answered.", |target| {
        honest(target, Fixture::Prompt)
    }),
    flow("honest-resource", "A resource asks and is answered.", |target| {
        honest(target, Fixture::Resource)
    }),
    must(
        "honest-discover",
        "versioning: servers implement server/discover",
        "server/discover lists the version.",
        |target| {
            let seen = target.send(&Call::new("server/discover"));
            let versions = seen.response().and_then(|it| it.pointer("/result/supportedVersions"));
            let versions = versions.and_then(Value::as_array).cloned().unwrap_or_default();
            if versions.iter().any(|version| version == "2026-07-28") {
                return Ok("complete".into());
            }
            Err(seen.fail("2026-07-28 among the supportedVersions"))
        },
    ),
];

/// Plays a flow of at most one round.
fn honest(target: &Target, fixture: Fixture) -> CheckResult {
    flow_of(target, fixture, |target| one_round(target, fixture))
}

/// Plays a flow, and notes the fixture as missing if it fails.
fn flow_of(
    target: &Target,
    fixture: Fixture,
    play: impl Fn(&Target) -> CheckResult,
) -> CheckResult {
    target.needs(fixture)?;
    let found = play(target);
    if let Err(Problem::Failed { .. }) = &found {
        target.note_lack(fixture, "its honest flow does not work");
    }
    found
}

fn one_round(target: &Target, fixture: Fixture) -> CheckResult {
    if fixture == Fixture::Plain {
        return finish(&target.send(&fixture.call()), fixture);
    }
    finish(&target.play(fixture, &fixture.answers())?, fixture)
}

fn finish(seen: &Exchange, fixture: Fixture) -> CheckResult {
    let text = fixture.text().unwrap_or_default();
    seen.done(text).map(|()| text.into())
}

fn spellings(target: &Target) -> CheckResult {
    let seen = target.play(Fixture::Spellings, &Fixture::Spellings.answers())?;
    same_content(&seen, EVERY_SPELLING)
}

/// Expects the result of `spellings` to hold this content. The spelling of numbers does not count.
pub(super) fn same_content(seen: &Exchange, content: &str) -> CheckResult {
    let expected = format!("a complete result with text spellings:{content}");
    let Outcome::Complete(text) = &seen.outcome else { return Err(seen.fail(&expected)) };
    let found: Option<Value> =
        text.strip_prefix("spellings:").and_then(|json| serde_json::from_str(json).ok());
    let wanted: Option<Value> = serde_json::from_str(content).ok();
    if found.zip(wanted).is_some_and(|(found, wanted)| is_same(&found, &wanted)) {
        return Ok("complete".into());
    }
    Err(seen.fail(&expected))
}

/// Compares two documents, with numbers by their value.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|((a, x), (b, y))| a == b && is_same(x, y))
        }
        _ => one == other,
    }
}

fn several(target: &Target) -> CheckResult {
    let (one, two) = (
        r#""a":{"action":"accept","content":{"value":"one"}}"#,
        r#""b":{"action":"accept","content":{"value":"two"}}"#,
    );
    for answers in [format!("{{{one},{two}}}"), format!("{{{two},{one}}}")] {
        target.play(Fixture::Several, &answers)?.done("several:one:two")?;
    }
    Ok("several:one:two".into())
}

pub(super) fn two_rounds(target: &Target) -> CheckResult {
    let first = target.begin(Fixture::TwoRounds)?.state;
    let call = Fixture::TwoRounds.call();
    let seen =
        target.send(&call.clone().answers(Fixture::TwoRounds.answers()).state(first.as_deref()));
    let second = seen.asks(&["second"])?.state;
    if second.is_none() || second == first {
        return Err(seen.fail("another state"));
    }
    let seen = target.send(&call.answers(count(3)).state(second.as_deref()));
    seen.done("two:alice:3").map(|()| "two:alice:3".into())
}

fn forever(target: &Target) -> CheckResult {
    let mut round = target.begin(Fixture::Forever)?;
    for _ in 0..2 {
        let call = Fixture::Forever.call().answers(Fixture::Forever.answers());
        round = target.send(&call.state(round.state.as_deref())).asks(Fixture::Forever.keys())?;
    }
    Ok("asked 3 times".into())
}

/// Plays the flow of the form.
pub(super) fn still_works(target: &Target) -> CheckResult {
    target.needs(Fixture::Form)?;
    let answers = format!(r#"{{"target":{STAGING}}}"#);
    finish(&target.play(Fixture::Form, &answers)?, Fixture::Form)
}
