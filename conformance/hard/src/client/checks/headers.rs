//! Names in headers: plain if a header can hold them, otherwise encoded.

use base64ct::{Base64, Encoding as _};

use super::YES;
use crate::{
    check::{Level::Must, Problem},
    client::{
        call::call,
        case::Case,
        json::Json,
        played_call::PlayedCall,
        script::{STATE, asks_value, complete, resource, result},
        scripted_server::Received,
    },
};

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = NAMES.map(name).into();
    cases.extend([uri(), parameter()]);
    cases
}

const ENCODING: &str = "streamable HTTP, value encoding; standard request headers";

/// Names that need an encoding in a header, and names that look like it.
const NAMES: [(&str, &str); 8] = [
    ("headers-name-plain", "ask"),
    ("headers-name-umlauts", "größe"),
    ("headers-name-emoji", "ask-🔧"),
    ("headers-name-line-end", "ask\r\nX-Injected: 1"),
    ("headers-name-spaces", "  ask "),
    ("headers-name-looks-encoded", "=?base64?YXNr?="),
    ("headers-name-inner-space", "ask me, \"please\""),
    ("headers-name-delete", "ask\u{7f}\u{1}"),
];

fn name((id, name): (&'static str, &'static str)) -> Case {
    let call = call(name).answers_all(YES);
    Case::new(call, [asks_value(Some(STATE)), complete("done")]).check(
        id,
        Must,
        ENCODING,
        "a tool has this name; `Mcp-Name` repeats it on each leg, encoded if necessary",
        move |play| {
            for leg in 0..2 {
                expect_name(play, play.leg(leg)?, name)?;
            }
            play.expect_complete("done")?;
            Ok(header(play.leg(0)?, "mcp-name"))
        },
    )
}

fn uri() -> Case {
    let uri = "ask://größe/a b?c=%20#ü";
    let call = call(uri).by("resources/read").answers_all(YES);
    Case::new(call, [asks_value(Some(STATE)), resource("done")]).check(
        "headers-name-uri",
        Must,
        ENCODING,
        "a resource has this URI; `Mcp-Name` repeats the URI of the body on each leg",
        |play| {
            for leg in 0..2 {
                let uri = play.param(leg, "uri")?.and_then(Json::text);
                expect_name(play, play.leg(leg)?, &uri.unwrap_or_default())?;
            }
            play.expect_complete("done")?;
            Ok(header(play.leg(0)?, "mcp-name"))
        },
    )
}

pub(super) fn header(seen: &Received, name: &str) -> String {
    let value = seen.http.as_ref().and_then(|http| http.header(name));
    value.unwrap_or("none").into()
}

/// Expects `Mcp-Name` to be a name: plain or encoded if a header can hold it, otherwise encoded.
pub(super) fn expect_name(play: &PlayedCall, seen: &Received, name: &str) -> Result<(), Problem> {
    let found = header(seen, "mcp-name");
    let encoded = format!("=?base64?{}?=", Base64::encode_string(name.as_bytes()));
    let is_plain = !name.is_empty()
        && name.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && name.trim_matches([' ', '\t']).len() == name.len()
        && !(name.starts_with("=?base64?") && name.ends_with("?="));
    if found == encoded || (is_plain && found == name) {
        return Ok(());
    }
    Err(play.fails(format!("Mcp-Name: {found}, for the name {name:?}")))
}

/// Checks a mirrored parameter. Only a client that lists the tools knows of the annotation.
fn parameter() -> Case {
    let tools = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[
        {"name":"ask","inputSchema":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"}}}}]}"#;
    let call = call("ask").answers_all(YES).arguments(r#"{"region":"größe"}"#);
    Case::new(call, [asks_value(Some(STATE)), complete("done")])
        .with_other("tools/list", result(tools))
        .check(
            "headers-parameter",
            Must,
            "streamable HTTP, custom headers from tool parameters",
            "a tool's parameter is mirrored into a header; each leg has the header",
            |play| {
                let methods: Vec<_> = play.seen.iter().filter_map(Received::method).collect();
                let at = |name: &str| methods.iter().position(|method| method == name);
                if at("tools/list").is_none_or(|listed| Some(listed) > at("tools/call")) {
                    let why = "it does not list the tools before it calls one";
                    return Err(Problem::NotOffered(why.into()));
                }
                for leg in 0..2 {
                    let found = header(play.leg(leg)?, "mcp-param-region");
                    if found != "=?base64?Z3LDtsOfZQ==?=" {
                        return Err(play.fails(format!("Mcp-Param-Region: {found}")));
                    }
                }
                Ok("on each leg".into())
            },
        )
}
