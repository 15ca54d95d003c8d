//! `requestState`: the retry of a round has exactly its state, and none if the round has none.

use super::YES;
use crate::{
    check::Level::{Info, Must, Own, Should},
    client::{
        call::{Call, call},
        case::Case,
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{STATE, VALUE, asks, asks_value, complete, form, result, under, waits},
        scripted_server::Received,
    },
};

const ECHO: &str =
    "mrtr, client requirement 2: the exact value is echoed, and none where there was none";

/// States that a client may change by accident.
const STATES: [(&str, &str); 14] = [
    ("state-echo-plain", r#""eyJhbGciOiJIUzI1NiJ9.e30.-_AbC=""#),
    ("state-echo-quotes", r#""say \"hi\" and \\ and \\\" and \\\\ ""#),
    ("state-echo-escapes", r#""\u0041\u00e9\/\b\f\n\r\t\u0000\u001f\u007f\u2028\u2029""#),
    ("state-echo-emoji", r#""😀 \ud83d\ude00 👩‍👩‍👧‍👦 🇩🇪""#),
    ("state-echo-not-normalised", r#""\u00e9 e\u0301 \u212b \ufb01 é é""#),
    ("state-echo-json-text", r#""{\"a\": 1.0, \"requestState\": \"x\", \"b\": [ ]}""#),
    ("state-echo-number-text", r#""1.0""#),
    ("state-echo-null-text", r#""null""#),
    ("state-echo-empty", r#""""#),
    ("state-echo-spaces", r#""  \t both ends \n ""#),
    ("state-echo-percent", r#""%2F%00+%20&amp;<script>${x}{{y}}""#),
    ("state-echo-byte-order-mark", r#""\ufeffa\ufeff""#),
    ("state-echo-bidirectional", r#""a\u202eb\u200b\u0085c""#),
    ("state-echo-line-ends", r#""a\r\nb\nc\rd""#),
];

fn ask() -> Call {
    call("ask").answers_all(YES)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = STATES.map(|(id, state)| echo(id, state.into())).into();
    cases.push(echo("state-echo-sixty-kib", format!("\"{}\"", "s".repeat(60 * 1024))));
    cases.extend([surrogate(), absent(), none_after_one(), another(), text_as_it_was()]);
    cases.extend(state_only());
    cases
}

fn echo(id: &'static str, state: String) -> Case {
    let steps = [asks_value(Some(&state)), complete("done")];
    Case::new(ask(), steps).check(
        id,
        Must,
        ECHO,
        "a round has a state; the retry has exactly this value",
        move |play| {
            play.expect_state(1, Some(&state))?;
            play.expect_complete("done")?;
            Ok("the same value in the retry".into())
        },
    )
}

/// A client whose strings are Unicode cannot hold this state and may give up. It may not send another.
fn surrogate() -> Case {
    let state = r#""a\ud800b\udc00c""#;
    Case::new(ask(), [asks_value(Some(state)), complete("done")])
        .check(
            "state-unpaired-surrogate-not-altered",
            Must,
            ECHO,
            "a state has unpaired surrogates, as escapes; it is echoed unchanged or not at all",
            move |play| match play.legs().len() {
                1 => play.expect_refused(),
                _ => play.expect_state(1, Some(state)).map(|()| "echoed unchanged".into()),
            },
        )
        .check(
            "state-unpaired-surrogate-echoed",
            Info,
            "W-08",
            "the same; is it echoed",
            move |play| {
                play.expect_state(1, Some(state))?;
                Ok("echoed unchanged".into())
            },
        )
}

fn absent() -> Case {
    Case::new(ask(), [asks_value(None), complete("done")]).check(
        "state-none",
        Must,
        ECHO,
        "a round has no state; the retry may have none, not even null",
        |play| {
            play.expect_state(1, None)?;
            play.expect_complete("done")?;
            Ok("the retry has none".into())
        },
    )
}

fn none_after_one() -> Case {
    let second = asks(&under("second", &form(VALUE)), None);
    Case::new(ask(), [asks_value(Some(STATE)), second, complete("done")]).check(
        "state-none-after-one",
        Must,
        ECHO,
        "the first round has a state and the second has none; the retry of the second has none",
        |play| {
            play.expect_state(1, Some(STATE))?;
            play.expect_state(2, None)?;
            play.expect_complete("done")?;
            Ok("the second retry has none".into())
        },
    )
}

fn another() -> Case {
    let steps = [asks_value(Some(STATE)), asks_value(Some(r#""two""#)), complete("done")];
    Case::new(ask(), steps).check(
        "state-another",
        Must,
        ECHO,
        "each of two rounds has its own state; each retry has that of its round",
        |play| {
            play.expect_state(1, Some(STATE))?;
            play.expect_state(2, Some(r#""two""#))?;
            play.expect_complete("done")?;
            Ok("each retry has its own".into())
        },
    )
}

fn text_as_it_was() -> Case {
    let state = r#""\u0041\/é😀\ud83d\ude00""#;
    Case::new(ask(), [asks_value(Some(state)), complete("done")]).check(
        "state-text",
        Info,
        "W-08",
        "is the JSON text of the state the same too, escape by escape",
        move |play| {
            let body = play.leg(1)?.text();
            let is_same = body.contains(state);
            Ok(if is_same { "the same text" } else { "the same value, with other escapes" }.into())
        },
    )
}

/// State-only rounds: the client waits a little and calls again.
fn state_only() -> Vec<Case> {
    let about = "a round has a state and asks nothing; the retry has the state and no answers";
    let empty =
        format!(r#"{{"resultType":"input_required","inputRequests":{{}},"requestState":{STATE}}}"#);
    let first = waits(STATE);
    let (second, third) = (waits(r#""second""#), waits(r#""third""#));
    vec![
        Case::new(call("wait"), [first.clone(), complete("done")])
            .check(
                "state-only-absent-requests",
                Own,
                "CL-04: a state without questions is sent back",
                about,
                waited,
            )
            .check("state-only-echo", Must, ECHO, about, |play| {
                play.expect_state(1, Some(STATE))?;
                Ok("the same value in the retry".into())
            }),
        Case::new(call("wait"), [result(&empty), complete("done")]).check(
            "state-only-empty-requests",
            Own,
            "W-02, CL-04: a round without questions is a state-only round",
            "the same with an empty object of requests",
            waited,
        ),
        Case::new(call("wait"), [first.clone(), second, third, complete("done")]).check(
            "state-only-pacing",
            Info,
            "CL-04; the specification allows a retry at once",
            "how long does the client wait before the retries of three such rounds",
            |play| {
                let pauses = pauses_ms(play);
                let is_paced = pauses.iter().all(|pause| *pause >= 30);
                Ok(format!("{}: {pauses:?} ms", if is_paced { "it waits" } else { "at once" }))
            },
        ),
        Case::new(ask(), [asks_value(Some(STATE)), first, complete("done")]).check(
            "state-only-answers-not-repeated",
            Should,
            "mrtr, client requirement 4; CL-03",
            "a round asks, the next has a state alone; the last retry has no answers of the first",
            |play| {
                play.answers(1)?;
                waited_at(play, 2)
            },
        ),
    ]
}

fn waited(play: &PlayedCall) -> CheckResult {
    waited_at(play, 1)
}

fn waited_at(play: &PlayedCall, leg: usize) -> CheckResult {
    play.expect_state(leg, Some(STATE))?;
    match play.param(leg, "inputResponses")? {
        None => {}
        Some(Json::Object(answers)) if answers.is_empty() => {}
        Some(other) => return Err(play.fails(format!("inputResponses: {other}"))),
    }
    play.expect_complete("done")?;
    Ok("the retry has the state and no answers".into())
}

fn pauses_ms(play: &PlayedCall) -> Vec<u128> {
    let legs = play.legs();
    let pause = |(earlier, later): (&&Received, &&Received)| {
        let answered = earlier.answered.as_ref()?.0;
        Some(later.at.saturating_duration_since(answered).as_millis())
    };
    legs.iter().zip(legs.iter().skip(1)).filter_map(pause).collect()
}
