//! A valid state on another request, and on the same request in another spelling.

use super::{
    CheckResult, CheckSpec,
    call::{Call, text},
    cases::each,
    exchange::Outcome,
    fixture::{Fixture, count, name_under},
    info, should,
    target::Target,
};

/// Mrtr, server requirement 5.
const BOUND: &str =
    "mrtr, server requirement 5: reject a state on a request that does not match its own";
const SAME: &str = "RFC 8259: the same JSON, written otherwise; mrtr, basic workflow";

pub(super) const SPECS: &[CheckSpec] = &[
    should(
        "state-other-tool",
        BOUND,
        "The state of each tool comes with each other tool and its answers.",
        |target| {
            let from = [
                Fixture::Form,
                Fixture::Several,
                Fixture::TwoRounds,
                Fixture::StateOnly,
                Fixture::Forever,
            ];
            // A tool that always asks the same does not show whether it accepted a state.
            let to = [Fixture::Form, Fixture::Several, Fixture::TwoRounds, Fixture::StateOnly];
            moved(target, &from, &to)
        },
    ),
    should(
        "state-other-method",
        BOUND,
        "The state of a prompt comes with a resource, of both with a tool, and the reverse.",
        |target| {
            let ends = [Fixture::Prompt, Fixture::Resource];
            let all = [Fixture::Form, Fixture::TwoRounds, Fixture::Prompt, Fixture::Resource];
            let one =
                moved(target, &ends, &[Fixture::StateOnly, Fixture::Prompt, Fixture::Resource])?;
            moved(target, &all, &ends).map(|other| format!("{one}; {other}"))
        },
    ),
    should(
        "state-other-arguments",
        BOUND,
        "The arguments are changed, added or left out on the retry.",
        |target| {
            let cases = [
                ("changed", r#"{"note":"a"}"#, r#"{"note":"b"}"#),
                ("other case", r#"{"note":"a"}"#, r#"{"note":"A"}"#),
                ("longer", r#"{"note":"a"}"#, r#"{"note":"a "}"#),
                ("added", "{}", r#"{"note":"a"}"#),
                ("left out", r#"{"note":"a"}"#, "{}"),
            ];
            target.needs(Fixture::Form)?;
            each(cases.map(|case| (case.0, case)), |(_, first, then)| {
                let call = Fixture::Form.call().with("arguments", first);
                let state = target.begin_with(Fixture::Form, &call)?.state;
                let call = call.answers(Fixture::Form.answers()).state(state.as_deref());
                target
                    .send(&call.with("arguments", then))
                    .refused_or_asked_again(Fixture::Form.keys())
            })
        },
    ),
    should("same-order", SAME, "The parameters of the retry come in another order.", |target| {
        same(target, "{}", |call| vec![("reversed", call.clone().reversed())])
    }),
    should(
        "same-meta",
        "mrtr, basic workflow: the retry is a request of its own; ST-03",
        "The retry has another progress token, trace and client version in its _meta.",
        |target| {
            same(target, "{}", |call| {
                let info = r#"{"name":"hard","version":"2"}"#;
                let trace = r#""00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01""#;
                vec![
                    ("progressToken", call.clone().meta("progressToken", Some("7"))),
                    ("traceparent", call.clone().meta("traceparent", Some(trace))),
                    (
                        "clientInfo",
                        call.clone().meta("io.modelcontextprotocol/clientInfo", Some(info)),
                    ),
                ]
            })
        },
    ),
    should(
        "same-text",
        SAME,
        "The arguments of the retry have other white space and other escapes.",
        |target| {
            same(target, r#"{"note":"a/b"}"#, |call| {
                let spaced = " {\t\"note\" :\n \"a/b\" } ";
                let escaped = r#"{"\u006eote":"\u0061\/b"}"#;
                vec![
                    ("white space", call.clone().with("arguments", spaced)),
                    ("escapes", call.clone().with("arguments", escaped)),
                ]
            })
        },
    ),
    should(
        "same-state",
        "RFC 8259, strings; mrtr, client requirement 2",
        "The state is the same text, with its characters as JSON escapes.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("alice")?;
            let units = state.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            let escaped = format!("\"{}\"", units.collect::<String>());
            let call = Fixture::TwoRounds.call().answers(count(3)).with("requestState", escaped);
            target.send(&call).done("two:alice:3").map(|()| "complete".into())
        },
    ),
    info(
        "same-number",
        "ST-03: numbers by their value",
        "An argument is 1 on the first leg, and 1.0 or 1e0 on the retry.",
        |target| {
            target.needs(Fixture::Form)?;
            let with = |number: &str| {
                let arguments = format!(r#"{{"note":"a","n":{number}}}"#);
                Fixture::Form.call().with("arguments", arguments)
            };
            let words = ["1.0", "1e0"].map(|number| {
                let state = target.begin_with(Fixture::Form, &with("1"))?.state;
                let call = with(number).answers(Fixture::Form.answers()).state(state.as_deref());
                Ok(format!("{number}: {}", target.send(&call).word()))
            });
            words.into_iter().collect::<Result<Vec<_>, _>>().map(|words| words.join(", "))
        },
    ),
    info(
        "same-no-arguments",
        "ST-03; schema, CallToolRequestParams: arguments are optional",
        "The first leg has no arguments, and the retry has an empty object.",
        |target| {
            target.needs(Fixture::Form)?;
            let state =
                target.begin_with(Fixture::Form, &Fixture::Form.call().without("arguments"))?.state;
            let call =
                Fixture::Form.call().answers(Fixture::Form.answers()).state(state.as_deref());
            Ok(target.send(&call).word())
        },
    ),
    should(
        "state-earlier-round",
        BOUND,
        "The answer of the second round comes with the state of the first.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let first = target.begin(Fixture::TwoRounds)?.state;
            let call = Fixture::TwoRounds.call();
            let answered =
                call.clone().answers(name_under("first", "alice")).state(first.as_deref());
            target.send(&answered).asks(&["second"])?;
            target
                .send(&call.answers(count(3)).state(first.as_deref()))
                .refused_or_asked_again(Fixture::TwoRounds.keys())
        },
    ),
    should(
        "state-later-round",
        BOUND,
        "The answer of the first round comes once more, with the state of the second.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("alice")?;
            let call = Fixture::TwoRounds.call();
            let again = call.clone().answers(name_under("first", "mallory")).state(Some(&state));
            let seen = target.send(&again);
            match &seen.outcome {
                Outcome::Error { .. } | Outcome::ToolError => Ok(seen.word()),
                Outcome::Asks(round) if round.requests.keys().eq(["second"]) => {
                    let call = call.answers(count(3)).state(round.state.as_deref());
                    target.send(&call).done("two:alice:3").map(|()| "kept the first".into())
                }
                Outcome::Asks(_) | Outcome::Complete(_) | Outcome::Nothing => {
                    Err(seen.fail("a refusal, or the second question with what was said first"))
                }
            }
        },
    ),
    info(
        "state-replayed",
        "mrtr, server requirement 5, warning: single use is the server's to enforce",
        "The last request of a flow that is complete is sent again.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("alice")?;
            let call = Fixture::TwoRounds.call().answers(count(3)).state(Some(&state));
            target.send(&call).done("two:alice:3")?;
            let seen = target.send(&call);
            Ok(match seen.outcome {
                Outcome::Complete(_) => "run again".into(),
                Outcome::Error { .. }
                | Outcome::ToolError
                | Outcome::Asks(_)
                | Outcome::Nothing => {
                    format!("refused, {}", seen.word())
                }
            })
        },
    ),
    info(
        "state-other-answer",
        "mrtr, server requirement 5, warning",
        "A state is used twice, with two different answers.",
        |target| {
            target.needs(Fixture::Form)?;
            let state = target.state_of(Fixture::Form)?;
            let decline = r#"{"target":{"action":"decline"}}"#;
            let call = Fixture::Form.call().state(Some(&state));
            let first = target.send(&call.clone().answers(decline)).word();
            let second = target.send(&call.answers(Fixture::Form.answers())).word();
            Ok(format!("decline: {first}, then accept: {second}"))
        },
    ),
];

/// Sends the state of each fixture to each other one, and expects a refusal.
fn moved(target: &Target, from: &[Fixture], to: &[Fixture]) -> CheckResult {
    let pairs = from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to)));
    let pairs = pairs.filter(|(from, to)| from != to);
    each(
        pairs.map(|pair| (format!("{} to {}", pair.0.name(), pair.1.name()), pair)),
        |(from, to)| {
            target.needs(from)?;
            target.needs(to)?;
            let state = target.state_of(from)?;
            // Without a state the call works, so the state is what is refused.
            target.begin(to)?;
            target
                .send(&to.call().answers(to.answers()).state(Some(&state)))
                .refused_or_asked_again(to.keys())
        },
    )
}

/// Expects each retry that is made from an honest one to complete the form.
fn same(
    target: &Target,
    arguments: &str,
    retries: impl Fn(&Call) -> Vec<(&'static str, Call)>,
) -> CheckResult {
    target.needs(Fixture::Form)?;
    let first = Fixture::Form.call().with("arguments", arguments);
    let names = retries(&first).into_iter().map(|(name, _)| name).enumerate();
    each(names.map(|(index, name)| (name, index)).collect::<Vec<_>>(), |index| {
        // Each retry has its own state, because a state may be for single use.
        let state = target.begin_with(Fixture::Form, &first)?.state.unwrap_or_default();
        let honest =
            first.clone().answers(Fixture::Form.answers()).with("requestState", text(&state));
        let retry = retries(&honest).into_iter().nth(index);
        let retry = retry.map_or(honest, |(_, retry)| retry);
        target.send(&retry).done("accepted:staging:true").map(|()| "complete".into())
    })
}
