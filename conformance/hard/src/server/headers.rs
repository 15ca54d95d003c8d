//! Headers that repeat parts of the message, and headers that name the origin.

use base64ct::{Base64, Encoding as _};
use mrtr_core::wire::{META_VERSION, RpcError};

use super::{
    CheckResult, CheckSpec,
    call::{Call, text},
    cases::each,
    envelope::refused,
    fixture::Fixture,
    must, should,
    target::Target,
};
use crate::http::Request;

/// A function that writes the name of a header.
type WriteName = fn(&str) -> String;

const VALIDATION: &str =
    "streamable HTTP, server validation: 400 and -32020 if a header is missing or differs";

pub(super) const SPECS: &[CheckSpec] = &[
    must(
        "header-version",
        VALIDATION,
        "MCP-Protocol-Version differs from the version in _meta.",
        |target| {
            mismatch(target, |plain| {
                vec![
                    ("another", plain().header("MCP-Protocol-Version", Some("2025-11-25"))),
                    ("another in _meta", plain().meta(META_VERSION, Some(&text("2025-11-25")))),
                ]
            })
        },
    ),
    should(
        "header-version-missing",
        "streamable HTTP, protocol version header: refused, unless it is taken for an old client",
        "MCP-Protocol-Version is missing.",
        |target| {
            target.needs(Fixture::Plain)?;
            let call = Fixture::Plain.call().header("MCP-Protocol-Version", None);
            refused(&target.send(&call))
        },
    ),
    must(
        "header-method",
        VALIDATION,
        "Mcp-Method is missing, names another method, or is in another case.",
        |target| {
            mismatch(target, |plain| {
                vec![
                    ("missing", plain().header("Mcp-Method", None)),
                    ("another", plain().header("Mcp-Method", Some("prompts/get"))),
                    ("another case", plain().header("Mcp-Method", Some("Tools/Call"))),
                ]
            })
        },
    ),
    must(
        "header-name",
        VALIDATION,
        "Mcp-Name is missing, is another name, or is in another case.",
        |target| {
            mismatch(target, |plain| {
                vec![
                    ("missing", plain().header("Mcp-Name", None)),
                    ("another", plain().header("Mcp-Name", Some("form"))),
                    ("another case", plain().header("Mcp-Name", Some("Plain"))),
                    ("another in base64", plain().header("Mcp-Name", Some(&base64("form")))),
                ]
            })
        },
    ),
    must(
        "header-name-prompt",
        VALIDATION,
        "Mcp-Name of a prompt and of a resource is missing or is another name.",
        |target| {
            let spoil = |fixture: Fixture| {
                [
                    fixture.call().header("Mcp-Name", None),
                    fixture.call().header("Mcp-Name", Some("x")),
                ]
            };
            let fixtures = [Fixture::Prompt, Fixture::Resource];
            let there = fixtures.into_iter().filter(|fixture| target.needs(*fixture).is_ok());
            let cases = there.flat_map(|fixture| spoil(fixture).map(|call| (fixture.name(), call)));
            each(cases, |call| {
                let seen = target.send(&call);
                seen.error(RpcError::HEADER_MISMATCH, 400).map(|()| seen.word())
            })
        },
    ),
    must(
        "header-name-base64",
        "streamable HTTP, value encoding: servers decode an encoded Mcp-Name before comparing it",
        "Mcp-Name is written in base64, as it may be.",
        |target| {
            target.needs(Fixture::Plain)?;
            let call = Fixture::Plain.call().header("Mcp-Name", Some(&base64("plain")));
            target.send(&call).done("plain").map(|()| "complete".into())
        },
    ),
    should(
        "header-name-base64-broken",
        "streamable HTTP, server validation: a header that is malformed",
        "Mcp-Name is marked as base64, but is not valid base64; it is refused.",
        |target| {
            target.needs(Fixture::Plain)?;
            let broken = ["=?base64?!!?=", "=?base64?/w==?="];
            each(broken.map(|value| (value, value)), |value| {
                refused(&target.send(&Fixture::Plain.call().header("Mcp-Name", Some(value))))
            })
        },
    ),
    must(
        "header-name-raw",
        "streamable HTTP, server validation: a header value contains invalid characters",
        "Mcp-Name has the letters of the name outside ASCII, without base64.",
        |target| {
            target.needs(Fixture::Plain)?;
            let seen = target.send(&Call::tool("größe").header("Mcp-Name", Some("größe")));
            seen.error(RpcError::HEADER_MISMATCH, 400).map(|()| seen.word())
        },
    ),
    must(
        "header-names-any-case",
        "streamable HTTP, case sensitivity: header names are case-insensitive",
        "The names of the headers in small letters, in capitals and in both.",
        |target| {
            target.needs(Fixture::Plain)?;
            let mixed = |name: &str| {
                let letters = name.char_indices();
                let turned = letters.map(|(at, letter)| {
                    if at % 2 == 0 {
                        letter.to_ascii_lowercase()
                    } else {
                        letter.to_ascii_uppercase()
                    }
                });
                turned.collect()
            };
            let writes: [(&str, WriteName); 3] = [
                ("small", |name| name.to_ascii_lowercase()),
                ("capitals", |name| name.to_ascii_uppercase()),
                ("mixed", mixed),
            ];
            each(writes, |write| {
                let seen = target.send(&Fixture::Plain.call().header_names(write));
                seen.done("plain").map(|()| "complete".into())
            })
        },
    ),
    should(
        "header-spaces",
        "RFC 9110, field values: white space around a value is no part of it",
        "Spaces and tabs around the values of the headers.",
        |target| {
            target.needs(Fixture::Plain)?;
            let call = Fixture::Plain
                .call()
                .header("Mcp-Method", Some("  tools/call \t"))
                .header("Mcp-Name", Some("\tplain  "));
            target.send(&call).done("plain").map(|()| "complete".into())
        },
    ),
    should(
        "header-twice",
        "streamable HTTP, server validation: no different sources of truth",
        "Mcp-Method or Mcp-Name comes twice, with two values; the call is refused.",
        |target| {
            target.needs(Fixture::Plain)?;
            let twice = [("Mcp-Method", "prompts/get"), ("Mcp-Name", "form")];
            each(twice.map(|case| (case.0, case)), |(name, value)| {
                refused(&target.send(&Fixture::Plain.call().header_again(name, value)))
            })
        },
    ),
    must(
        "origin-foreign",
        "streamable HTTP, security: an Origin that is invalid gets 403",
        "A web page of another site calls a server on this machine.",
        |target| {
            target.needs(Fixture::Plain)?;
            let origins = ["http://evil.example", "http://localhost.evil.example"];
            each(origins.map(|origin| (origin, origin)), |origin| {
                let seen = target.send(&Fixture::Plain.call().header("Origin", Some(origin)));
                if seen.status == Some(403) {
                    Ok(seen.word())
                } else {
                    Err(seen.fail("status 403"))
                }
            })
        },
    ),
    should(
        "get-delete",
        "streamable HTTP, earlier revisions: GET and DELETE get 405",
        "The methods of HTTP that earlier revisions used.",
        |target| {
            each(["GET", "DELETE"].map(|method| (method, method)), |method| {
                let accept = ("Accept".into(), "text/event-stream".into());
                let version = ("MCP-Protocol-Version".into(), "2026-07-28".into());
                let headers = vec![accept, version];
                let seen = target.send_plain(&Request { method, headers, body: Vec::new() });
                if seen.status == Some(405) {
                    Ok("HTTP 405".into())
                } else {
                    Err(seen.fail("status 405"))
                }
            })
        },
    ),
];

fn base64(text: &str) -> String {
    format!("=?base64?{}?=", Base64::encode_string(text.as_bytes()))
}

/// Expects a header mismatch for each changed call of the tool `plain`.
fn mismatch(
    target: &Target,
    spoilt: impl Fn(&dyn Fn() -> Call) -> Vec<(&'static str, Call)>,
) -> CheckResult {
    target.needs(Fixture::Plain)?;
    each(spoilt(&|| Fixture::Plain.call()), |call| {
        let seen = target.send(&call);
        seen.error(RpcError::HEADER_MISMATCH, 400).map(|()| seen.word())
    })
}
