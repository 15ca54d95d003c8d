//! Servers of other revisions, which do not know rounds.

use super::YES;
use crate::{
    check::{
        Level::{Must, Own, Should},
        Problem,
    },
    client::{
        call::call,
        case::Case,
        played_call::{CheckResult, PlayedCall},
        script::{STATE, Step, asks_value, complete, error, result},
        scripted_server::Received,
    },
};

const ERAS: &str = "versioning, backward compatibility";

pub(super) fn cases() -> Vec<Case> {
    vec![no_discover(), legacy(), legacy_round(), no_common_version(), asks_in_list()]
}

fn no_method() -> Step {
    error(r#"{"code":-32601,"message":"Method not found"}"#).with_status(404)
}

fn came(play: &PlayedCall, method: &str) -> bool {
    play.seen.iter().any(|seen| seen.method().as_deref() == Some(method))
}

/// Accepts any end. A client may go on or give up, but it may not hang.
fn ended(play: &PlayedCall) -> CheckResult {
    let methods: Vec<String> = play.seen.iter().filter_map(|seen| seen.method()).collect();
    Ok(format!("{}, then {}", methods.join(" "), play.said()))
}

fn no_discover() -> Case {
    Case::new(call("plain").timeout_ms(4000), [complete("plain")])
        .with_other("server/discover", no_method())
        .without_leg()
        .check(
            "version-no-discover",
            Should,
            ERAS,
            "the server knows neither discovery nor the handshake; the call ends, one way or the \
             other",
            ended,
        )
}

const HANDSHAKE: &str = concat!(
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
    r#""serverInfo":{"name":"scripted","version":"1.0.0"}}"#,
);

fn handshake(steps: Vec<Step>) -> Case {
    Case::new(call("ask").answers_all(YES).timeout_ms(4000), steps)
        .with_other("server/discover", no_method())
        .with_other("initialize", result(HANDSHAKE))
        .without_leg()
}

/// Expects a call after the handshake. A client need not speak earlier revisions.
fn speaks_legacy(play: &PlayedCall) -> Result<(), Problem> {
    if came(play, "initialize") && !play.legs().is_empty() {
        return Ok(());
    }
    Err(Problem::NotOffered(format!("it makes no call after a handshake: {}", play.said())))
}

fn legacy() -> Case {
    let untyped = r#"{"content":[{"type":"text","text":"plain"}]}"#;
    handshake(vec![result(untyped)]).check(
        "version-legacy",
        Must,
        "basic, ResultType: an absent resultType of a server of an earlier version is complete",
        "the server knows the handshake of earlier versions only, and its result has no resultType",
        |play| {
            speaks_legacy(play)?;
            play.expect_complete("plain")?;
            ended(play)
        },
    )
}

fn legacy_round() -> Case {
    handshake(vec![asks_value(Some(STATE)), complete("done")]).check(
        "version-legacy-round",
        Own,
        "CL-14: an earlier version has no rounds",
        "a server of an earlier version answers input_required after its handshake; it is no round",
        |play| {
            speaks_legacy(play)?;
            play.expect_refused()
        },
    )
}

fn no_common_version() -> Case {
    let refusal = || {
        error(
            r#"{"code":-32022,"message":"Unsupported protocol version",
            "data":{"supported":["2099-01-01"],"requested":"2026-07-28"}}"#,
        )
        .with_status(400)
    };
    Case::new(call("ask").answers_all(YES).timeout_ms(4000), [refusal()])
        .with_other("server/discover", refusal())
        .without_leg()
        .check(
            "version-none-in-common",
            Should,
            "versioning, protocol version negotiation: surface an error",
            "the server supports another version only; the call ends in an error, without trying \
             again and again",
            |play| {
                play.expect_error()?;
                if play.seen.len() > 8 {
                    return Err(play.fails(format!("{} requests", play.seen.len())));
                }
                ended(play)
            },
        )
}

fn asks_in_list() -> Case {
    let round = asks_value(Some(STATE));
    Case::new(call("ask").answers_all(YES).timeout_ms(4000), [complete("done")])
        .with_other("tools/list", round.clone())
        .with_other("server/discover", round)
        .without_leg()
        .check(
            "version-round-of-other-methods",
            Own,
            "W-04: a round of another method is not answered",
            "discovery and lists are answered with a round; nobody answers it",
            |play| {
                let asked = came(play, "tools/list") || came(play, "server/discover");
                if !asked {
                    return Err(Problem::NotOffered("it sends neither of them".into()));
                }
                let answers = |seen: &&Received| {
                    seen.text().contains("inputResponses") || seen.text().contains("requestState")
                };
                match play.seen.iter().find(answers) {
                    Some(answer) => Err(play.fails(answer.text())),
                    None => ended(play),
                }
            },
        )
}
