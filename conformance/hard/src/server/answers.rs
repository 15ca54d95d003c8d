//! Answers that are invalid, missing, unasked, or of another kind.

use super::{
    CheckResult, CheckSpec,
    cases::each,
    exchange::Outcome,
    fixture::{Fixture, SAMPLED, STAGING, count},
    info, should,
    target::Target,
};

const VALIDATE: &str = "mrtr, error handling: validate that it is a valid InputResponses object";
const MISSING: &str = "mrtr, error handling: ask for missing information again rather than fail";
const IGNORE: &str = "mrtr, error handling: ignore what is not recognised or needed";

pub(super) const SPECS: &[CheckSpec] = &[
    should(
        "answer-wrapped",
        VALIDATE,
        "An answer wrapped as {method, result} is invalid.",
        |target| {
            none(
                target,
                &[
                    &format!(
                        r#"{{"target":{{"method":"elicitation/create","result":{STAGING}}}}}"#
                    ),
                    &format!(r#"{{"target":{{"result":{STAGING}}}}}"#),
                ],
            )
        },
    ),
    should(
        "answer-scalar",
        VALIDATE,
        "A text, a number, a truth value, null and an array instead of an answer.",
        |target| {
            let array = format!(r#"{{"target":[{STAGING}]}}"#);
            let scalars = [
                r#"{"target":"accept"}"#,
                r#"{"target":7}"#,
                r#"{"target":true}"#,
                r#"{"target":null}"#,
            ];
            none(target, &[scalars.as_slice(), &[&array]].concat())
        },
    ),
    should(
        "answer-not-an-object",
        VALIDATE,
        "Instead of the answers: an array of them, a text, a number, null.",
        |target| {
            let array = format!("[{STAGING}]");
            none(target, &[&array, "[]", r#""accept""#, "7", "true", "null"])
        },
    ),
    should(
        "answer-action",
        VALIDATE,
        "Unknown actions, actions in another case or of another type, and no action.",
        |target| {
            let content = r#""content":{"environment":"staging","confirm":true}"#;
            let actions = [
                r#""action":"approve","#,
                r#""action":"ACCEPT","#,
                r#""action":" accept","#,
                r#""action":true,"#,
                r#""action":["accept"],"#,
                r#""action":null,"#,
                "",
            ];
            let answers = actions.map(|action| format!(r#"{{"target":{{{action}{content}}}}}"#));
            none(target, &answers.each_ref().map(String::as_str))
        },
    ),
    should(
        "answer-no-content",
        "elicitation, form mode security 3: servers validate that data matches the schema",
        "A form is accepted without its content, though fields are required.",
        |target| none(target, &[r#"{"target":{"action":"accept"}}"#]),
    ),
    should(
        "answer-other-kind",
        VALIDATE,
        "A model's answer for a form, roots for a model, a form's answer for both.",
        other_kind,
    ),
    should(
        "answer-sampling-shape",
        VALIDATE,
        "A CreateMessageResult lacks its content, its role or its model, or they break the schema.",
        |target| {
            refused_all(
                target,
                Fixture::Sampling,
                "model",
                &[
                    r#"{"role":"assistant","model":"test"}"#,
                    r#"{"content":{"type":"text","text":"hi"},"model":"test"}"#,
                    r#"{"role":"assistant","content":{"type":"text","text":"hi"}}"#,
                    r#"{"role":"assistant","content":7,"model":"test"}"#,
                    r#"{"role":"system","content":{"type":"text","text":"hi"},"model":"test"}"#,
                ],
            )
        },
    ),
    should(
        "answer-roots-shape",
        VALIDATE,
        "A ListRootsResult has no roots, or roots that are no array or no Root of the schema.",
        |target| {
            refused_all(
                target,
                Fixture::Roots,
                "roots",
                &[
                    "{}",
                    r#"{"roots":"file:///tmp"}"#,
                    r#"{"roots":[{"name":"x"}]}"#,
                    r#"{"roots":[7]}"#,
                ],
            )
        },
    ),
    should(
        "answer-missing",
        MISSING,
        "No answers, an empty object, and answers under another key only.",
        |target| {
            target.needs(Fixture::Form)?;
            let answers = [None, Some("{}".into()), Some(format!(r#"{{"other":{STAGING}}}"#))];
            let names = ["none", "empty", "another key"];
            each(names.into_iter().zip(answers), |answers| {
                let state = target.begin(Fixture::Form)?.state;
                let call = Fixture::Form.call().state(state.as_deref());
                let call = match answers {
                    Some(answers) => call.answers(answers),
                    None => call,
                };
                target.send(&call).asks(Fixture::Form.keys()).map(|_| "asked again".into())
            })
        },
    ),
    should(
        "answer-missing-later",
        MISSING,
        "The second round gets no answers; it is asked again, and keeps the first.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("alice")?;
            let call = Fixture::TwoRounds.call();
            let again =
                target.send(&call.clone().answers("{}").state(Some(&state))).asks(&["second"])?;
            let seen = target.send(&call.answers(count(3)).state(again.state.as_deref()));
            seen.done("two:alice:3").map(|()| "asked again".into())
        },
    ),
    should(
        "answer-some",
        MISSING,
        "One of two questions is answered; then the questions that are asked again.",
        some,
    ),
    should(
        "answer-unknown-key",
        IGNORE,
        "There is an answer under a key that was not asked, beside the right one.",
        |target| {
            target.needs(Fixture::Form)?;
            let keys = ["other", "__proto__", "constructor", ""];
            each(keys.map(|key| (key, key)), |key| {
                let answers = format!(r#"{{"{key}":{{"action":"decline"}},"target":{STAGING}}}"#);
                let seen = target.play(Fixture::Form, &answers)?;
                seen.done("accepted:staging:true").map(|()| "ignored".into())
            })
        },
    ),
    should("answer-unknown-members", IGNORE, "The answer has unknown members.", |target| {
        target.needs(Fixture::Form)?;
        let answers =
            STAGING.replacen('{', r#"{"resultType":"complete","_meta":{"a":1},"x":[],"#, 1);
        let seen = target.play(Fixture::Form, &format!(r#"{{"target":{answers}}}"#))?;
        seen.done("accepted:staging:true").map(|()| "ignored".into())
    }),
    should(
        "answer-declined-with-content",
        "elicitation, response actions: content is typically omitted",
        "A form is declined, and content comes with it; it stays declined.",
        |target| {
            target.needs(Fixture::Form)?;
            let answers = STAGING.replace("accept", "decline");
            let seen = target.play(Fixture::Form, &format!(r#"{{"target":{answers}}}"#))?;
            seen.done("declined").map(|()| "declined".into())
        },
    ),
    should(
        "answer-settled-again",
        IGNORE,
        "The second round gets its answer, and another one for the first round.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("alice")?;
            let answers = count(3).replacen(
                '{',
                r#"{"first":{"action":"accept","content":{"name":"mallory"}},"#,
                1,
            );
            let seen = target.send(&Fixture::TwoRounds.call().answers(answers).state(Some(&state)));
            match &seen.outcome {
                Outcome::Complete(text) if text == "two:alice:3" => Ok("ignored".into()),
                Outcome::Error { .. } | Outcome::ToolError => Ok(seen.word()),
                Outcome::Complete(_) | Outcome::Asks(_) | Outcome::Nothing => {
                    Err(seen.fail("two:alice:3, or a refusal"))
                }
            }
        },
    ),
    should(
        "answer-without-state",
        "mrtr, server requirement 4: what a state holds is taken from a verified state only",
        "The answer of the second round comes without a state, so that nothing proves the first.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            target
                .send(&Fixture::TwoRounds.call().answers(count(3)))
                .refused_or_asked_again(Fixture::TwoRounds.keys())
        },
    ),
    info(
        "answer-early",
        "mrtr, error handling",
        "The first request of a form has the answer already, without a state.",
        |target| {
            target.needs(Fixture::Form)?;
            Ok(target.send(&Fixture::Form.call().answers(Fixture::Form.answers())).word())
        },
    ),
    info(
        "answer-url-with-content",
        "elicitation, response actions: for URL mode the content is omitted",
        "A URL is accepted, with content.",
        |target| {
            target.needs(Fixture::Url)?;
            let answers = r#"{"pay":{"action":"accept","content":{"card":"4111"}}}"#;
            Ok(target.play(Fixture::Url, answers)?.word())
        },
    ),
];

/// Expects that the form accepts none of these answers: each is refused, or the form is asked again.
fn none(target: &Target, answers: &[&str]) -> CheckResult {
    target.needs(Fixture::Form)?;
    let name = |answers: &&str| answers.chars().take(60).collect::<String>();
    each(answers.iter().map(|answers| (name(answers), *answers)), |answers| {
        target.play(Fixture::Form, answers)?.refused_or_asked_again(Fixture::Form.keys())
    })
}

/// Expects that none of these is accepted as the answer under a key.
fn refused_all(target: &Target, fixture: Fixture, key: &str, answers: &[&str]) -> CheckResult {
    target.needs(fixture)?;
    each(answers.iter().map(|answer| (*answer, *answer)), |answer| {
        target
            .play(fixture, &format!(r#"{{"{key}":{answer}}}"#))?
            .refused_or_asked_again(fixture.keys())
    })
}

fn other_kind(target: &Target) -> CheckResult {
    let roots = r#"{"roots":[]}"#;
    let cases = [
        (Fixture::Form, "target", SAMPLED),
        (Fixture::Form, "target", roots),
        (Fixture::Sampling, "model", STAGING),
        (Fixture::Sampling, "model", roots),
        (Fixture::Roots, "roots", STAGING),
        (Fixture::Roots, "roots", SAMPLED),
    ];
    each(cases.map(|case| (case.0.name(), case)), |(fixture, key, answer)| {
        target.needs(fixture)?;
        target
            .play(fixture, &format!(r#"{{"{key}":{answer}}}"#))?
            .refused_or_asked_again(fixture.keys())
    })
}

/// Answers one of two questions, and then the questions that are asked again.
fn some(target: &Target) -> CheckResult {
    target.needs(Fixture::Several)?;
    let (one, two) = (
        r#""a":{"action":"accept","content":{"value":"one"}}"#,
        r#""b":{"action":"accept","content":{"value":"two"}}"#,
    );
    let seen = target.play(Fixture::Several, &format!("{{{one}}}"))?;
    let call = Fixture::Several.call();
    let (round, answers, word) = match (seen.asks(&["b"]), seen.asks(&["a", "b"])) {
        (Ok(round), _) => (round, format!("{{{two}}}"), "asked for the other"),
        (_, Ok(round)) => (round, format!("{{{one},{two}}}"), "asked for both"),
        (Err(_), Err(_)) => return Err(seen.fail("the question that was not answered again")),
    };
    let seen = target.send(&call.answers(answers).state(round.state.as_deref()));
    seen.done("several:one:two").map(|()| word.into())
}
