//! Rounds over stdio, where one channel carries everything.

use super::{YES, params::same_params};
use crate::{
    check::Level::{Info, Must, Own, Should},
    client::{
        call::{Call, call},
        case::Case,
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{
            ID, Reply, STATE, asks_value, complete, complete_result, message, reply, value_round,
            waits,
        },
        scripted_server::Received,
    },
};

fn ask() -> Call {
    call("ask").answers_all(YES).timeout_ms(4000).over_stdio()
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(ask(), [complete("plain")]).check(
            "stdio-complete",
            Must,
            "stdio, receiving messages; the server may write to stderr",
            "a tool is complete at once; the server writes to its standard error too",
            |play| {
                play.expect_complete("plain")?;
                Ok("complete".into())
            },
        ),
        round(),
        echo(),
        waiting(),
        notified(),
        asked(),
        cancelled(),
        exits(),
        other_id(),
        two(),
        noise(),
        lines(),
    ]
}

fn answered(play: &PlayedCall) -> CheckResult {
    play.expect_keys(1, &["k"])?;
    play.expect_equal(play.answer(1, "k")?, YES)?;
    play.expect_state(1, Some(STATE))?;
    play.expect_legs(2)?;
    same_params(play)?;
    play.expect_complete("done")?;
    Ok("two legs, then complete".into())
}

fn round() -> Case {
    Case::new(ask(), [asks_value(Some(STATE)), complete("done")]).check(
        "stdio-round",
        Must,
        "mrtr, client requirements 1 to 3",
        "a round; the retry has the answer, the state and the same params",
        answered,
    )
}

fn echo() -> Case {
    let state = r#""\u0041 \"\\ \u2028😀\ud83d\ude00 é é \r\n ""#;
    Case::new(ask(), [asks_value(Some(state)), complete("done")]).check(
        "stdio-state",
        Must,
        "mrtr, client requirement 2",
        "a state is full of escapes; the retry has exactly this value, on one line",
        move |play| {
            play.expect_state(1, Some(state))?;
            play.expect_complete("done")?;
            Ok("the same value".into())
        },
    )
}

fn waiting() -> Case {
    Case::new(ask(), [waits(STATE), complete("done")]).check(
        "stdio-state-only",
        Own,
        "CL-04: a state without questions is sent back",
        "a round has a state and asks nothing; the retry has the state",
        |play| {
            play.expect_state(1, Some(STATE))?;
            play.expect_complete("done")?;
            Ok("two legs".into())
        },
    )
}

fn notified() -> Case {
    let before = [
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","#,
            r#""params":{"progressToken":"t","progress":1}}"#,
        ),
        r#"{"jsonrpc":"2.0","method":"notifications/example"}"#,
    ];
    let steps = [asks_value(Some(STATE)).behind(&before), complete("done").behind(&before)];
    Case::new(ask(), steps).check(
        "stdio-notifications",
        Must,
        "stdio, receiving messages: notifications come on stdout, too",
        "notifications come before the answers",
        answered,
    )
}

fn asked() -> Case {
    let request = r#"{"jsonrpc":"2.0","id":"from-the-server","method":"roots/list"}"#;
    Case::new(ask().claims("form,roots"), [complete("done").behind(&[request])]).check(
        "stdio-request-from-server",
        Should,
        "stdio, sending messages: the client never writes responses",
        "a request of the server comes before the answer; nobody answers it",
        |play| {
            let response = play.seen.iter().find(|seen| seen.text().contains("from-the-server"));
            match response {
                Some(response) => Err(play.fails(response.text())),
                None => Ok(play.said()),
            }
        },
    )
}

fn cancelled() -> Case {
    let silence = reply(Reply::Silence);
    Case::new(ask().timeout_ms(1500), [asks_value(Some(STATE)), silence]).check(
        "stdio-cancelled",
        Should,
        "cancellation, stdio: a request is given up by notifications/cancelled with its id",
        "the retry is never answered; when its budget is over the client cancels it, by its id",
        |play| {
            play.expect_error()?;
            let id = play.leg(1)?.id();
            let cancels = |seen: &&Received| {
                let params = seen.params();
                seen.method().as_deref() == Some("notifications/cancelled")
                    && params.and_then(|params| params.get("requestId")) == id
            };
            if play.seen.iter().any(|seen| cancels(&seen)) {
                return Ok(format!("cancelled {}", id.map_or("none".into(), Json::to_string)));
            }
            Err(play.fails("no notifications/cancelled of the retry"))
        },
    )
}

fn exits() -> Case {
    Case::new(ask(), [asks_value(Some(STATE)), reply(Reply::Hangup)]).check(
        "stdio-server-exits",
        Own,
        "CL-13: what may have run is not sent again",
        "the server exits instead of answering the retry; the call ends in an error",
        |play| {
            play.expect_legs(2)?;
            play.expect_error()?;
            Ok(play.said())
        },
    )
}

fn other_id() -> Case {
    let stray = message("\"another\"", &value_round(Some(r#""wrong""#)));
    let step = complete("done").behind(&[&stray]);
    Case::new(ask(), [step]).check(
        "stdio-other-id",
        Should,
        "basic, result responses: the same id",
        "a round for another id comes before the answer; only the answer counts",
        |play| {
            play.expect_legs(1)?;
            play.expect_complete("done")?;
            Ok("one leg".into())
        },
    )
}

fn two() -> Case {
    let first = message(ID, &complete_result("done"));
    let step = asks_value(Some(STATE)).behind(&[&first]);
    Case::new(ask(), [step, complete("again")]).check(
        "stdio-two-answers",
        Own,
        "CL-18: the first response ends the request",
        "the result is followed by a round for the same id; only the first counts",
        |play| {
            play.expect_legs(1)?;
            play.expect_complete("done")?;
            Ok("one leg".into())
        },
    )
}

fn noise() -> Case {
    let steps =
        [asks_value(Some(STATE)).behind(&["Server started on port 1", ""]), complete("done")];
    Case::new(ask(), steps).check(
        "stdio-noise",
        Info,
        "stdio: nothing on stdout that is no message",
        "a line that is no message comes before the round; does the call go on",
        answered,
    )
}

fn lines() -> Case {
    Case::new(ask(), [complete("done")]).check(
        "stdio-lines",
        Must,
        "stdio: one message a line",
        "every line is one message of JSON-RPC: a request or a notification",
        |play| {
            for seen in &play.seen {
                let message = seen.json.as_ref();
                let is_message = message.is_ok_and(|json| json.get("method").is_some());
                if !is_message {
                    return Err(play.fails(seen.text()));
                }
            }
            Ok(format!("{} lines", play.seen.len()))
        },
    )
}
