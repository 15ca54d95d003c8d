//! Streamable HTTP: media types, chunks and header names in the forms that servers may use.

use super::{YES, headers::header};
use crate::{
    check::Level::{Info, Must},
    client::{
        call::{Call, call},
        case::Case,
        played_call::{CheckResult, PlayedCall},
        script::{Reply, STATE, asks_value, complete, complete_result, reply, response},
    },
};

fn ask() -> Call {
    call("ask").answers_all(YES).timeout_ms(4000)
}

pub(super) fn cases() -> Vec<Case> {
    vec![media_type(), wrong_media_type(), chunked(), header_names(), session()]
}

fn message(text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":%ID%,"result":{}}}"#, complete_result(text))
}

fn media_type() -> Case {
    let step =
        response("200 OK\r\nContent-Type: Application/JSON; charset=UTF-8", &message("done"));
    Case::new(ask(), [step]).check(
        "http-media-type",
        Must,
        "streamable HTTP, sending messages 6; RFC 9110",
        "the media type is written in another case and with a parameter, and the body ends with \
         the connection",
        complete_done,
    )
}

fn wrong_media_type() -> Case {
    let step = response("200 OK\r\nContent-Type: text/html", &message("done"));
    Case::new(ask(), [step]).check(
        "http-wrong-media-type",
        Info,
        "streamable HTTP, sending messages 6",
        "an answer is labelled as text/html; is it taken",
        complete_done,
    )
}

fn complete_done(play: &PlayedCall) -> CheckResult {
    play.expect_complete("done")?;
    Ok("complete".into())
}

fn chunked() -> Case {
    let body = message("größe");
    let (left, right) = body.as_bytes().split_at(body.find('ö').map_or(0, |at| at + 1));
    let chunks = vec![left.to_vec(), right.to_vec()];
    Case::new(ask(), [reply(Reply::Chunks(chunks))]).check(
        "http-chunked",
        Must,
        "RFC 9112, chunked transfer coding",
        "the answer comes in two chunks, and a character is split between them",
        |play| {
            play.expect_complete("größe")?;
            Ok("complete".into())
        },
    )
}

fn header_names() -> Case {
    let body = message("done") + &" ".repeat(4000);
    let step = response("200 OK\r\ncOnTeNt-TyPe:application/json", &body);
    Case::new(ask(), [step]).check(
        "http-header-names",
        Must,
        "streamable HTTP, case sensitivity",
        "header names come in another case, without a space; spaces follow the document",
        complete_done,
    )
}

fn session() -> Case {
    let round = asks_value(Some(STATE)).body();
    let step = response(
        "200 OK\r\nContent-Type: application/json\r\nSet-Cookie: c=1\r\nMcp-Session-Id: s",
        &round,
    );
    Case::new(ask(), [step, complete("done")]).check(
        "http-no-session",
        Info,
        "streamable HTTP, earlier revisions: no sessions",
        "an answer sets a cookie and a session id; does the retry have them",
        |play| {
            let retry = play.leg(1)?;
            let (cookie, session) = (header(retry, "cookie"), header(retry, "mcp-session-id"));
            Ok(format!("cookie: {cookie}, session: {session}"))
        },
    )
}
