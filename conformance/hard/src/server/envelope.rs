//! The envelope of a call: its id, its `_meta`, its method.

use mrtr_core::wire::{META_CAPABILITIES, META_VERSION, RpcError};
use serde_json::Value;

use super::{
    CheckResult, CheckSpec,
    call::{Call, text},
    cases::each,
    exchange::{Exchange, Outcome},
    fixture::Fixture,
    must, should,
    target::Target,
};
use crate::check::Problem;

pub(super) const SPECS: &[CheckSpec] = &[
    must(
        "id-echoed",
        "basic, result and error responses: the same id as the request",
        "Numbers and strange strings as ids; each comes back, also with a question and an error.",
        ids,
    ),
    must(
        "meta-missing",
        "basic, _meta: a request missing a required field is rejected with -32602 and status 400",
        "Without params, without _meta, without the version, without the capabilities.",
        |target| {
            target.needs(Fixture::Plain)?;
            let plain = || Fixture::Plain.call();
            let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
            each(
                [
                    ("no params", Call::new("tools/list").raw(bare)),
                    ("no _meta", plain().without("_meta")),
                    ("no version", plain().meta(META_VERSION, None)),
                    ("no capabilities", plain().meta(META_CAPABILITIES, None)),
                ],
                |call| {
                    let seen = target.send(&call);
                    seen.error(RpcError::INVALID_PARAMS, 400).map(|()| seen.word())
                },
            )
        },
    ),
    should(
        "meta-wrong-type",
        "schema, RequestMetaObject: the version is a string, the capabilities are an object",
        "A _meta, a version and capabilities of the wrong JSON type are refused.",
        |target| {
            target.needs(Fixture::Plain)?;
            let plain = || Fixture::Plain.call();
            each(
                [
                    ("_meta array", plain().with("_meta", "[]")),
                    ("_meta null", plain().with("_meta", "null")),
                    ("version number", plain().meta(META_VERSION, Some("20260728"))),
                    ("capabilities array", plain().capabilities("[]")),
                    ("capabilities null", plain().capabilities("null")),
                    ("capabilities string", plain().capabilities(r#""all""#)),
                ],
                |call| refused(&target.send(&call)),
            )
        },
    ),
    should(
        "client-info-optional",
        "schema, RequestMetaObject: clientInfo is not required",
        "Without clientInfo a call works.",
        |target| {
            target.needs(Fixture::Plain)?;
            let call = Fixture::Plain.call().meta("io.modelcontextprotocol/clientInfo", None);
            target.send(&call).done("plain").map(|()| "complete".into())
        },
    ),
    must(
        "version-unknown",
        "versioning; schema, UnsupportedProtocolVersionError: -32022, status 400",
        "Unknown versions, in the header and in _meta; the error names supported and requested ones.",
        |target| {
            target.needs(Fixture::Plain)?;
            let versions = ["1900-01-01", "2099-12-31", "2026-07-28-draft", "latest"];
            each(versions.map(|version| (version, version)), |version| {
                let call = Fixture::Plain
                    .call()
                    .meta(META_VERSION, Some(&text(version)))
                    .header("MCP-Protocol-Version", Some(version));
                unsupported(&target.send(&call), version)
            })
        },
    ),
    must(
        "method-unknown",
        "streamable HTTP: 404 and -32601 for a method that the server does not implement",
        "Unknown methods.",
        |target| {
            each(["no/such", "tools/Call", "constructor"].map(|name| (name, name)), |method| {
                let seen = target.send(&Call::new(method));
                seen.error(RpcError::METHOD_NOT_FOUND, 404).map(|()| seen.word())
            })
        },
    ),
    should(
        "target-unknown",
        "tools, error handling; schema, InvalidParamsError: an unknown name is -32602",
        "A tool, a prompt and a resource that do not exist are refused with -32602.",
        |target| {
            target.needs(Fixture::Plain)?;
            let mut cases = vec![("tool", Call::tool("no_such"))];
            if target.needs(Fixture::Prompt).is_ok() {
                cases.push(("prompt", Call::prompt("no_such")));
            }
            if target.needs(Fixture::Resource).is_ok() {
                cases.push(("resource", Call::resource("none://no_such")));
            }
            each(cases, |call| {
                let seen = target.send(&call);
                match seen.outcome {
                    Outcome::Error { code: RpcError::INVALID_PARAMS, .. } => Ok(seen.word()),
                    Outcome::Error { .. }
                    | Outcome::Complete(_)
                    | Outcome::ToolError
                    | Outcome::Asks(_)
                    | Outcome::Nothing => Err(seen.fail("error -32602")),
                }
            })
        },
    ),
    must(
        "lists-never-ask",
        "mrtr, supported requests: no InputRequiredResult on any other request",
        "Lists and discovery, also with answers and a state, never ask.",
        |target| {
            let methods = ["tools/list", "prompts/list", "resources/list", "server/discover"];
            each(methods.map(|method| (method, method)), |method| {
                let with_answers =
                    Call::new(method).answers(Fixture::Form.answers()).state(Some("AAAA"));
                for call in [Call::new(method), with_answers] {
                    let seen = target.send(&call);
                    if matches!(seen.outcome, Outcome::Asks(_)) {
                        return Err(seen.fail("anything but input_required"));
                    }
                }
                Ok("did not ask".into())
            })
        },
    ),
    must(
        "notification",
        "streamable HTTP: 202 without a body, or an HTTP error",
        "An unknown notification.",
        |target| {
            let body =
                r#"{"jsonrpc":"2.0","method":"notifications/no_such","params":{"_meta":{}}}"#;
            let seen = target.send(&Call::new("notifications/no_such").raw(body));
            match seen.status {
                Some(202) if seen.messages.is_empty() => Ok("HTTP 202".into()),
                Some(400..500) => Ok(seen.word()),
                _ => Err(seen.fail("202 without a body, or an HTTP error")),
            }
        },
    ),
];

/// Expects a refusal, by JSON-RPC or by HTTP.
pub(super) fn refused(seen: &Exchange) -> CheckResult {
    match &seen.outcome {
        Outcome::Error { .. } => Ok(seen.word()),
        Outcome::Nothing if seen.status.is_some_and(|status| (400..500).contains(&status)) => {
            Ok(seen.word())
        }
        Outcome::Nothing | Outcome::Complete(_) | Outcome::ToolError | Outcome::Asks(_) => {
            Err(seen.fail("a refusal"))
        }
    }
}

fn unsupported(seen: &Exchange, version: &str) -> CheckResult {
    seen.error(RpcError::UNSUPPORTED_VERSION, 400)?;
    let Outcome::Error { data, .. } = &seen.outcome else { return Err(seen.fail("an error")) };
    let supported = data.get("supported").and_then(Value::as_array).cloned().unwrap_or_default();
    if !supported.iter().any(|known| known == "2026-07-28") {
        return Err(seen.fail("2026-07-28 in data.supported"));
    }
    if data.get("requested").and_then(Value::as_str) != Some(version) {
        return Err(seen.fail(&format!("{version} in data.requested")));
    }
    Ok(seen.word())
}

fn ids(target: &Target) -> CheckResult {
    target.needs(Fixture::Plain)?;
    let ids = [
        "0",
        "-1",
        "9007199254740991",
        r#""""#,
        r#""1""#,
        r#""\u0000""#,
        r#""\"\\/\n""#,
        r#""größe 💥""#,
        r#""null""#,
        r#""__proto__""#,
    ];
    let long = text(&"x".repeat(1000));
    let ids = ids.into_iter().chain([long.as_str()]);
    each(ids.map(|id| (id.chars().take(20).collect::<String>(), id)), |id| {
        let mut calls = vec![Fixture::Plain.call(), Call::tool("no_such"), Call::new("no/such")];
        if target.needs(Fixture::Form).is_ok() {
            calls.push(Fixture::Form.call());
        }
        for call in calls {
            let seen = target.send(&call.id(id));
            same_id(&seen, id)?;
        }
        Ok("echoed".into())
    })
}

fn same_id(seen: &Exchange, id: &str) -> Result<(), Problem> {
    let sent: Option<Value> = serde_json::from_str(id).ok();
    let back = seen.response().and_then(|response| response.get("id")).cloned();
    if back.is_some() && back == sent {
        return Ok(());
    }
    Err(seen.fail(&format!("the id {id}")))
}
