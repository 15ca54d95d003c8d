//! Redirects, broken connections, and statuses without a message: answers stay with their server, and
//! a request that may have run is not sent again.

use core::time::Duration;

use super::YES;
use crate::{
    check::Level::{Info, Own},
    client::{
        call::{Call, call},
        case::Case,
        script::{
            ELSEWHERE, HERE, Reply, STATE, STATE_MARK, Step, asks_value, complete, reply, response,
        },
        scripted_server::Received,
        wire::Request,
    },
};

fn ask() -> Call {
    call("ask").answers_all(YES).timeout_ms(4000)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = REDIRECTS.map(redirect).into();
    cases.push(redirect_in_place());
    cases.extend(broken());
    cases.extend(STATUSES.map(status));
    cases
}

const BINDING: &str = "CL-13: an answer is for the server that asked";

/// Redirects to another server, on the leg with the answer and the state.
const REDIRECTS: [(&str, u16); 4] =
    [("redirect-301", 301), ("redirect-302", 302), ("redirect-307", 307), ("redirect-308", 308)];

fn redirected(status: u16, to: &str) -> Step {
    response(&format!("{status} Elsewhere\r\nLocation: {to}\r\nContent-Length: 0"), "")
}

fn redirect((id, status): (&'static str, u16)) -> Case {
    let to = format!("{ELSEWHERE}/mcp");
    let steps = [asks_value(Some(STATE)), redirected(status, &to), complete("done")];
    Case::new(ask(), steps).check(
        id,
        Own,
        BINDING,
        "the retry is redirected to another server; the answer and the state do not go there",
        |play| {
            play.leg(1)?;
            let leaks = |seen: &&Received| {
                seen.elsewhere && {
                    let body = seen.text();
                    body.contains(STATE_MARK) || body.contains("inputResponses")
                }
            };
            if let Some(leak) = play.seen.iter().find(leaks) {
                return Err(play.fails(format!("elsewhere: {}", leak.text())));
            }
            play.expect_error()?;
            let touched = play.seen.iter().any(|seen| seen.elsewhere);
            Ok(if touched { "only asked there, without them" } else { "nothing goes there" }.into())
        },
    )
}

fn redirect_in_place() -> Case {
    let to = format!("{HERE}/mcp?moved");
    let steps = [asks_value(Some(STATE)), redirected(307, &to), complete("done")];
    Case::new(ask(), steps).check(
        "redirect-same-server",
        Info,
        BINDING,
        "the retry is redirected to another path of the same server; is that followed",
        |play| {
            let is_moved = |http: &Request| http.path == "/mcp?moved";
            let follows = play.seen.iter().any(|seen| seen.http.as_ref().is_some_and(is_moved));
            let followed = if follows { "followed" } else { "not followed" };
            Ok(format!("{followed}, then {}", play.said()))
        },
    )
}

const UNKNOWN: &str = "CL-13: what may have run is not sent again";

/// Connections that break before, within and after the body.
fn broken() -> Vec<Case> {
    let head = "200 OK\r\nContent-Type: application/json\r\nContent-Length: 4000";
    let within = response(
        head,
        r#"{"jsonrpc":"2.0","id":%ID%,"result":{"resultType":"complete","content":["#,
    );
    let stream = |parts: &str| {
        let parts = vec![(Duration::ZERO, parts.as_bytes().to_vec())];
        reply(Reply::Stream { parts, open: Duration::ZERO })
    };
    let cases: [(&str, &str, Step); 5] = [
        ("broken-before", "the connection closes without an answer", reply(Reply::Hangup)),
        (
            "broken-head",
            "the connection closes in the head",
            reply(Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Type: app".to_vec())),
        ),
        ("broken-within", "the connection closes within the body", within),
        ("broken-stream-empty", "an event stream ends without an answer", stream(": nothing\n\n")),
        (
            "broken-stream-within",
            "an event stream ends within the answer",
            stream("data: {\"jsonrpc\":\"2.0\",\"id\":%ID%,\"result\":{\"resultType\":\"compl"),
        ),
    ];
    let mut all: Vec<Case> = cases
        .map(|(id, about, step)| {
            Case::new(ask(), [step]).check(id, Own, UNKNOWN, about, |play| {
                play.expect_legs(1)?;
                play.expect_error()?;
                Ok(format!("one leg, then {}", play.said()))
            })
        })
        .into();
    all.push(Case::new(ask(), [asks_value(Some(STATE)), reply(Reply::Hangup)]).check(
        "broken-retry",
        Own,
        UNKNOWN,
        "the connection of the retry closes without an answer; the retry is not sent again",
        |play| {
            play.expect_legs(2)?;
            play.expect_error()?;
            Ok(format!("two legs, then {}", play.said()))
        },
    ));
    all
}

/// Statuses without a JSON-RPC message.
const STATUSES: [(&str, u16, &str); 6] = [
    ("status-500", 500, "Content-Type: text/html"),
    ("status-503", 503, "Retry-After: 0\r\nContent-Type: text/plain"),
    ("status-403", 403, "Content-Type: text/plain"),
    ("status-401", 401, "WWW-Authenticate: Bearer resource_metadata=\"%ELSEWHERE%/meta\""),
    ("status-202", 202, "X-None: 1"),
    ("status-204", 204, "X-None: 1"),
];

fn status((id, status, headers): (&'static str, u16, &str)) -> Case {
    let (length, body) = if status < 300 { (0, "") } else { (4, "oops") };
    let step =
        response(&format!("{status} Scripted\r\n{headers}\r\nContent-Length: {length}"), body);
    Case::new(ask(), [asks_value(Some(STATE)), step]).check(
        id,
        Own,
        UNKNOWN,
        "the retry is answered with this status and no message; the call ends in an error and is \
         not sent again",
        |play| {
            play.expect_legs(2)?;
            play.expect_error()?;
            Ok(play.said())
        },
    )
}
