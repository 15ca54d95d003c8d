//! Odd messages: deep, with repeated members, cut off, or not UTF-8.

use core::time::Duration;

use super::{
    CheckResult, CheckSpec,
    call::Call,
    cases::each,
    envelope::refused,
    exchange::{Exchange, Outcome},
    fixture::Fixture,
    info, own, should,
    target::Target,
};

/// The time limit of an answer to an odd message.
const ANSWER_MAX: Duration = Duration::from_secs(5);

const NOTHING_BREAKS: &str = "W-11: what is odd is refused or read, and nothing breaks";
const MALFORMED: &str = "mrtr, error handling: malformed JSON is answered with a JSON-RPC error";

pub(super) const SPECS: &[CheckSpec] = &[
    should(
        "odd-not-json",
        MALFORMED,
        "Bodies that are not JSON, or not a single request.",
        |target| {
            target.needs(Fixture::Plain)?;
            let plain = Fixture::Plain.call().message("1");
            let batch = format!("[{plain},{plain}]");
            let cut = plain.get(..plain.len() - 1).unwrap_or_default();
            let twice = format!("{plain}{plain}");
            let not_a_number =
                plain.replacen(r#""arguments":{}"#, r#""arguments":{"note":NaN}"#, 1);
            let bodies = ["", "{", "[]", "null", "7", cut, &batch, &twice, &not_a_number];
            each(bodies.map(|body| (body.chars().take(20).collect::<String>(), body)), |body| {
                prompt(refused(&target.send(&Fixture::Plain.call().raw(body)))?, target)
            })
        },
    ),
    should("odd-not-utf-8", MALFORMED, "A body that is not UTF-8.", |target| {
        target.needs(Fixture::Plain)?;
        let bodies: [&[u8]; 3] = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80"];
        each(bodies.map(|bytes| (format!("{bytes:x?}"), bytes)), |bytes| {
            let message = Fixture::Plain.call().with("arguments", r#"{"note":"@"}"#).message("1");
            let (before, behind) = message.split_once('@').unwrap_or_default();
            let body = [before.as_bytes(), bytes, behind.as_bytes()].concat();
            let seen = target.send(&Fixture::Plain.call().raw(body));
            // Some decoders insert a replacement character. The tool takes no argument, so it may run.
            let word = seen.answered().or_else(|_| refused(&seen))?;
            prompt(word, target)
        })
    }),
    own(
        "odd-deep",
        NOTHING_BREAKS,
        "Arguments and a _meta of 200 levels, and 100,000 levels of a body.",
        |target| {
            target.needs(Fixture::Plain)?;
            let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let arguments = format!(r#"{{"deep":{}}}"#, nested(200));
            let objects = format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200));
            let plain = || Fixture::Plain.call();
            each(
                [
                    ("arguments", plain().with("arguments", arguments)),
                    ("objects", plain().with("arguments", objects)),
                    ("_meta", plain().meta("deep", Some(&nested(200)))),
                    ("another parameter", plain().with("deep", nested(200))),
                    ("100,000 levels", plain().with("deep", nested(100_000))),
                    ("100,000 levels open", plain().raw("[".repeat(100_000))),
                ],
                |call| quick(target, &call),
            )
        },
    ),
    own("odd-deep-answers", NOTHING_BREAKS, "Answers and a state of 200 levels.", |target| {
        target.needs(Fixture::Form)?;
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let content = format!(
            r#"{{"target":{{"action":"accept","content":{{"environment":{nested},"confirm":true}}}}}}"#
        );
        let key = format!(r#"{{"other":{nested}}}"#);
        each([("content", content), ("another key", key)], |answers: String| {
            let word = target
                .play(Fixture::Form, &answers)?
                .refused_or_asked_again(Fixture::Form.keys())?;
            prompt(word, target)
        })
    }),
    own(
        "odd-twice",
        NOTHING_BREAKS,
        "Members come twice, such as the name and the state; nothing breaks.",
        |target| {
            target.needs(Fixture::Form)?;
            let state = target.state_of(Fixture::Form)?;
            let honest =
                || Fixture::Form.call().answers(Fixture::Form.answers()).state(Some(&state));
            each(
                [
                    ("name", honest().again("name", r#""plain""#)),
                    ("arguments", honest().again("arguments", r#"{"note":"x"}"#)),
                    ("requestState", honest().again("requestState", r#""AAAA""#)),
                    ("inputResponses", honest().again("inputResponses", "{}")),
                    ("_meta", honest().again("_meta", "{}")),
                ],
                |call| quick(target, &call),
            )
        },
    ),
    should(
        "odd-twice-name",
        "streamable HTTP, server validation: no different sources of truth",
        "The name comes twice, and one differs from the header; that tool is not run.",
        |target| {
            target.needs(Fixture::Form)?;
            let form = Fixture::Form.call();
            let last = form.clone().again("name", r#""plain""#);
            let first = form.without("name").again("name", r#""plain""#).again("name", r#""form""#);
            each([("last", last), ("first", first)], |call: Call| {
                let seen = target.send(&call);
                match &seen.outcome {
                    Outcome::Complete(_) => Err(seen.fail("the tool of the header, or a refusal")),
                    Outcome::Asks(_) => Ok(seen.word()),
                    Outcome::ToolError | Outcome::Error { .. } | Outcome::Nothing => {
                        seen.refused_or_asked_again(&[])
                    }
                }
            })
        },
    ),
    own(
        "odd-large-argument",
        NOTHING_BREAKS,
        "A call with an argument of a megabyte asks and completes, or is refused.",
        |target| {
            target.needs(Fixture::Form)?;
            let arguments = format!(r#"{{"note":"{}"}}"#, "n".repeat(1 << 20));
            let call = Fixture::Form.call().with("arguments", arguments);
            let seen = target.send(&call);
            in_time(&seen)?;
            let Ok(round) = seen.asks(Fixture::Form.keys()) else {
                return prompt(refused(&seen)?, target);
            };
            let retry = call.answers(Fixture::Form.answers()).state(round.state.as_deref());
            target.send(&retry).done("accepted:staging:true").map(|()| "asked and completed".into())
        },
    ),
    info(
        "odd-id",
        "basic, requests: a string or an integer, not null",
        "Invalid ids: null, a fraction, an object, a truth value.",
        |target| {
            target.needs(Fixture::Plain)?;
            let words = ["null", "1.5", "{}", "true"].map(|id| {
                let message = Fixture::Plain.call().message(id);
                format!("{id}: {}", target.send(&Fixture::Plain.call().raw(message)).word())
            });
            Ok(words.join(", "))
        },
    ),
    info(
        "odd-accept",
        "streamable HTTP, sending messages: the client lists both types in Accept",
        "A client that lists only JSON, only streams, anything, or nothing.",
        |target| {
            target.needs(Fixture::Plain)?;
            let accepts = [Some("application/json"), Some("text/event-stream"), Some("*/*"), None];
            let words = accepts.map(|accept| {
                let seen = target.send(&Fixture::Plain.call().header("Accept", accept));
                format!("{}: {}", accept.unwrap_or("nothing"), seen.word())
            });
            Ok(words.join(", "))
        },
    ),
    info(
        "odd-content-type",
        "streamable HTTP, security: pages of other sites send these without asking",
        "The Content-Type is plain text, a web form, or missing.",
        |target| {
            target.needs(Fixture::Plain)?;
            let types = [Some("text/plain"), Some("application/x-www-form-urlencoded"), None];
            let words = types.map(|content_type| {
                let call = Fixture::Plain.call().header("Content-Type", content_type);
                format!("{}: {}", content_type.unwrap_or("nothing"), target.send(&call).word())
            });
            Ok(words.join(", "))
        },
    ),
    info(
        "odd-twice-bound",
        "ST-03",
        "The state is for one note; the retry has two notes, the right one last, then first.",
        |target| {
            target.needs(Fixture::Form)?;
            let call = Fixture::Form.call().with("arguments", r#"{"note":"a"}"#);
            let words =
                [r#"{"note":"b","note":"a"}"#, r#"{"note":"a","note":"b"}"#].map(|arguments| {
                    let state = target.begin_with(Fixture::Form, &call)?.state;
                    let retry =
                        call.clone().answers(Fixture::Form.answers()).state(state.as_deref());
                    Ok(target.send(&retry.with("arguments", arguments)).word())
                });
            words.into_iter().collect::<Result<Vec<_>, _>>().map(|words| words.join(", "))
        },
    ),
    own(
        "odd-surrogates",
        NOTHING_BREAKS,
        "An argument holds half of a surrogate pair; if the tool asks, the retry works.",
        |target| {
            target.needs(Fixture::Form)?;
            let notes = [r"\ud800", r"\udc00\ud800", r"a\ud83d", r"\u0000", r"\uffff"];
            each(notes.map(|note| (note, note)), |note| {
                let arguments = format!(r#"{{"note":"{note}"}}"#);
                let call = Fixture::Form.call().with("arguments", arguments);
                let seen = target.send(&call);
                let Ok(round) = seen.asks(Fixture::Form.keys()) else {
                    return prompt(refused(&seen)?, target);
                };
                let retry = call.answers(Fixture::Form.answers()).state(round.state.as_deref());
                target
                    .send(&retry)
                    .done("accepted:staging:true")
                    .map(|()| "asked and completed".into())
            })
        },
    ),
    own(
        "odd-surrogate-answers",
        NOTHING_BREAKS,
        "Half of a surrogate pair in an answer, in its key and in a state.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let first = Fixture::TwoRounds.call();
            let key = r#"{"\ud800":{"action":"decline"}}"#;
            let calls = [
                ("answer", first.clone().answers(super::fixture::name_under("first", r"\ud800"))),
                ("key", first.clone().answers(key)),
            ];
            let with_state = |call: Call| {
                let state = target.state_of(Fixture::TwoRounds)?;
                quick(target, &call.state(Some(&state)))
            };
            let answers = each(calls, with_state)?;
            let call = first.answers(super::fixture::count(3)).with("requestState", r#""\ud800""#);
            let state = target.send(&call).refused_or_asked_again(Fixture::TwoRounds.keys())?;
            Ok(format!("{answers}; state: {state}"))
        },
    ),
    own(
        "odd-many",
        NOTHING_BREAKS,
        "Ten thousand answers, and ten thousand unknown parameters.",
        |target| {
            target.needs(Fixture::Form)?;
            let many = |value: &str| {
                (0..10_000).map(|n| format!(r#""k{n}":{value}"#)).collect::<Vec<_>>().join(",")
            };
            let answers = format!("{{{}}}", many(r#"{"action":"cancel"}"#));
            let state = target.state_of(Fixture::Form)?;
            let call = Fixture::Form.call().state(Some(&state));
            each(
                [
                    ("answers", call.clone().answers(answers)),
                    ("arguments", call.clone().with("arguments", format!("{{{}}}", many("1")))),
                ],
                |call| quick(target, &call),
            )
        },
    ),
];

/// Expects any answer within [`ANSWER_MAX`], and a server that still works.
fn quick(target: &Target, call: &Call) -> CheckResult {
    let seen = target.send(call);
    let word = seen.answered().or_else(|problem| refused(&seen).map_err(|_| problem))?;
    in_time(&seen)?;
    prompt(word, target)
}

fn in_time(seen: &Exchange) -> CheckResult {
    if seen.took > ANSWER_MAX {
        return Err(seen.fail(&format!("an answer within 5 s, not {:?}", seen.took)));
    }
    Ok(String::new())
}

/// Expects a server that still works, and returns the word.
fn prompt(word: String, target: &Target) -> CheckResult {
    target.still_works()?;
    Ok(word)
}
