//! Event streams: events before, around and after the answer.

use core::time::Duration;

use super::YES;
use crate::{
    check::Level::{self, Info, Must, Own, Should},
    client::{
        call::{Call, call},
        case::Case,
        played_call::{CheckResult, PlayedCall},
        script::{
            ID, Reply, STATE, Step, VALUE, asks_value, complete, complete_result, message, reply,
            request, value_round,
        },
        scripted_server::Received,
    },
};

fn ask() -> Call {
    call("ask").answers_all(YES).timeout_ms(6000)
}

const BOTH: &str = "streamable HTTP, sending messages 6: the client supports both";
const NOTIFIED: &str = "streamable HTTP, receiving messages";
const SSE: &str = "streamable HTTP, receiving messages; HTML standard, parsing an event stream";

const PROGRESS: &str = concat!(
    r#"{"jsonrpc":"2.0","method":"notifications/progress","#,
    r#""params":{"progressToken":"t","progress":1,"total":2}}"#,
);
const LOG: &str = concat!(
    r#"{"jsonrpc":"2.0","method":"notifications/message","#,
    r#""params":{"level":"info","data":"working"}}"#,
);
const UNKNOWN: &str = r#"{"jsonrpc":"2.0","method":"notifications/example","params":{"a":[1]}}"#;

fn answer(text: &str) -> String {
    message(ID, &complete_result(text))
}

/// Sends the bytes of a stream in one piece.
fn whole(bytes: &str) -> Step {
    let parts = vec![(Duration::ZERO, bytes.as_bytes().to_vec())];
    reply(Reply::Stream { parts, open: Duration::ZERO })
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![rounds(), notified(), split(), stays_open(), asked(), two(), line_ends()];
    cases.extend(SPELLINGS.map(spelling));
    cases
}

fn done(play: &PlayedCall) -> CheckResult {
    play.expect_complete("done")?;
    Ok("complete".into())
}

fn two_legs(play: &PlayedCall) -> CheckResult {
    play.expect_state(1, Some(STATE))?;
    play.expect_keys(1, &["k"])?;
    play.expect_legs(2)?;
    done(play)
}

fn rounds() -> Case {
    let steps = [asks_value(Some(STATE)).behind(&[]), complete("done").behind(&[])];
    Case::new(ask(), steps).check(
        "stream-round",
        Must,
        BOTH,
        "the round and the result come as event streams",
        two_legs,
    )
}

fn notified() -> Case {
    let before = [PROGRESS, LOG, UNKNOWN];
    let steps = [asks_value(Some(STATE)).behind(&before), complete("done").behind(&before)];
    Case::new(ask(), steps).check(
        "stream-notifications",
        Must,
        NOTIFIED,
        "notifications come before the answer: progress, a log line and an unknown one",
        two_legs,
    )
}

/// Ways to write one event. `@` is the message.
const SPELLINGS: [(&str, Level, &str); 11] = [
    ("stream-comments", Must, ": hello\n\n:\n\nevent: message\n: in between\ndata: @\n\n: bye\n\n"),
    ("stream-no-event-name", Must, "data: @\n\n"),
    ("stream-no-space", Must, "event:message\ndata:@\n\n"),
    ("stream-id", Must, "id: 7\nretry: 10\nevent: message\ndata: @\n\n"),
    ("stream-unknown-field", Should, "unknown: x\nUNKNOWN\ndata: @\n\n"),
    ("stream-bare-field", Should, "data\ndata: @\n\n"),
    ("stream-carriage-returns", Must, "event: message\r\ndata: @\r\n\r\n"),
    ("stream-lone-carriage-returns", Should, "event: message\rdata: @\r\r: bye\r\r"),
    ("stream-byte-order-mark", Should, "\u{feff}data: @\n\n"),
    ("stream-empty-event", Should, "id: 1\ndata:\n\ndata: @\n\n"),
    ("stream-other-event", Info, "event: ping\ndata: {\"time\":1}\n\nevent: message\ndata: @\n\n"),
];

fn spelling((id, level, stream): (&'static str, Level, &str)) -> Case {
    Case::new(ask(), [whole(&stream.replace('@', &answer("done")))]).check(
        id,
        level,
        SSE,
        "an event is written in this way",
        done,
    )
}

/// The data of one event is on several lines, between the tokens of the document.
fn line_ends() -> Case {
    let result = complete_result("done");
    let text = format!(
        "data: {{\"jsonrpc\":\"2.0\",\ndata: \"id\":{ID},\ndata:\ndata: \"result\":{result}\n\
         data: }}\n\n",
    );
    Case::new(ask(), [whole(&text)]).check(
        "stream-lines",
        Must,
        SSE,
        "the data of one event is on several lines",
        done,
    )
}

fn split() -> Case {
    let event = format!("event: message\ndata: {}\n\n", answer("größe 😀"));
    let mut parts = Vec::new();
    // The placeholder must not be split.
    let start = event.find("result").unwrap_or(0);
    let (head, tail) = event.as_bytes().split_at(start);
    parts.push((Duration::ZERO, head.to_vec()));
    parts.extend(tail.iter().map(|byte| (Duration::from_millis(2), vec![*byte])));
    Case::new(ask(), [reply(Reply::Stream { parts, open: Duration::ZERO })]).check(
        "stream-split",
        Must,
        SSE,
        "the event comes byte by byte, so that characters are split",
        |play| {
            play.expect_complete("größe 😀")?;
            Ok("complete".into())
        },
    )
}

fn stays_open() -> Case {
    let open = |step: &Step| {
        let parts = vec![(Duration::ZERO, format!("data: {}\n\n", step.body()).into_bytes())];
        reply(Reply::Stream { parts, open: Duration::from_secs(20) })
    };
    let steps = [open(&asks_value(Some(STATE))), open(&complete("done"))];
    Case::new(ask(), steps).check(
        "stream-stays-open",
        Should,
        "streamable HTTP, receiving messages: the response should terminate the stream",
        "the streams stay open after the answer; the client goes on without waiting for their end",
        two_legs,
    )
}

fn asked() -> Case {
    let params = r#"{"mode":"form","message":"Please","requestedSchema":VALUE}"#;
    let params = params.replace("VALUE", VALUE);
    let request = request("\"from-the-server\"", "elicitation/create", &params);
    Case::new(ask(), [complete("done").behind(&[&request])]).check(
        "stream-request-from-server",
        Must,
        "streamable HTTP, sending messages 4: the client sends no responses",
        "a request of the server comes in the stream before the answer; nobody answers it",
        |play| {
            let responds = |seen: &&Received| seen.text().contains("from-the-server");
            if let Some(response) = play.seen.iter().find(responds) {
                return Err(play.fails(response.text()));
            }
            play.expect_legs(1)?;
            Ok(play.said())
        },
    )
}

/// The first answer ends the request, so a second one answers nothing.
fn two() -> Case {
    let round = message(ID, &value_round(Some(STATE)));
    let step = whole(&format!("data: {}\n\ndata: {round}\n\n", answer("done")));
    Case::new(ask(), [step, complete("again")]).check(
        "stream-two-answers",
        Own,
        "CL-18: the first response ends the request",
        "the result is followed by a round in the same stream; only the first counts",
        |play| {
            play.expect_legs(1)?;
            done(play)
        },
    )
}
