//! Requests of earlier revisions, on an endpoint that serves them.

use std::sync::Arc;

use mrtr_core::{
    server::{Action, Ending, Endpoint, Exchange, Incoming, Need, ReportKind},
    wire::{Capabilities, Headers, META_VERSION, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, call, end, message, meta, params, raw, refused, report, run, sealing, send, shop,
    state, sure, value, yes,
};

/// Returns an endpoint with keys that serves earlier revisions.
fn serving() -> Arc<Endpoint> {
    Arc::new(shop().with_legacy())
}

fn endpoints() -> [Arc<Endpoint>; 3] {
    let once = shop().with_legacy().with_single_use();
    [serving(), Arc::new(Endpoint::new("shop").with_legacy()), Arc::new(once)]
}

/// P43.
/// proves: SV-06
#[test]
fn p43_whatever_a_handler_needs_of_an_old_client_is_an_internal_error_that_names_the_version() {
    for endpoint in &endpoints() {
        for method in ["tools/call", "prompts/get", "resources/read"] {
            for need in [
                Need::new().request("sure", sure()),
                Need::new().request("sure", sure()).state(raw("1")),
                Need::new().state(raw("1")),
                Need::new(),
            ] {
                let (mut exchange, actions) =
                    send(endpoint, message(method, r#"{"name":"order"}"#).as_bytes());
                assert!(run(&actions).is_legacy);
                let actions = end(&mut exchange, Ending::Need(need));
                assert_eq!(refused(&exchange, &actions), (200, RpcError::INTERNAL));
                assert_eq!(report(&actions).kind, ReportKind::Legacy);
                let message = answer(&actions).1["error"]["message"].clone();
                assert!(message.as_str().unwrap().contains("2026-07-28"), "{message}");
            }
        }
    }
}

/// Ends an old request with a result and returns what of it goes out.
fn finished(method: &str, result: &str) -> Value {
    let endpoint = serving();
    let (mut exchange, actions) = send(&endpoint, message(method, "{}").as_bytes());
    assert!(run(&actions).is_legacy);
    let (status, body) = answer(&end(&mut exchange, Ending::Finish(raw(result))));
    assert_eq!((status, &body["id"]), (200, &json!(7)));
    body["result"].clone()
}

/// P43.
/// proves: SV-06
#[test]
fn p43_what_an_old_request_comes_to_passes_through() {
    let text = r#"{"content":[{"type":"text","text":"ok"}],"isError":false}"#;
    let result = finished("tools/call", text);
    assert_eq!((&result["content"][0]["text"], &result["isError"]), (&json!("ok"), &json!(false)));
    let endpoint = serving();
    let (mut exchange, _) = send(&endpoint, message("tools/call", "{}").as_bytes());
    let error = RpcError::new(-7, "sold out").with_data(raw("[1]"));
    let (_, body) = answer(&end(&mut exchange, Ending::Fail(error.into())));
    assert_eq!(body["error"], json!({"code": -7, "message": "sold out", "data": [1]}));
}

/// P43. Peers of earlier revisions refuse any member in an empty result.
/// proves: SV-06
#[test]
fn p43_nothing_is_added_to_the_result_of_an_old_request() {
    for (method, result) in [("ping", "{}"), ("tools/call", r#"{"content":[]}"#)] {
        assert_eq!(finished(method, result), value(result), "{method}");
    }
}

/// proves: SV-06, SV-07, W-10
#[test]
fn a_request_whose_header_names_this_revision_is_not_an_old_one() {
    let endpoint = serving();
    let body = message("tools/call", r#"{"name":"order"}"#);
    let receive = |version: Option<&str>| {
        let version = version.map(|version| ("MCP-Protocol-Version", version));
        let headers = [("Mcp-Method", "tools/call"), ("Mcp-Name", "order")];
        let headers: Headers = headers.into_iter().chain(version).collect();
        let incoming = Incoming::message(body.as_bytes()).with_headers(headers);
        Exchange::receive(&endpoint, NOW, incoming)
    };
    for old in [None, Some("2025-06-18"), Some("2025-11-25")] {
        assert!(run(&receive(old).1).is_legacy);
    }
    for this in ["2026-07-28", " 2026-07-28 ", "=?base64?MjAyNi0wNy0yOA==?="] {
        let (exchange, actions) = receive(Some(this));
        let is_run = matches!(actions.as_slice(), [Action::Run(_)]);
        assert!(!is_run, "{this}");
        assert_eq!(refused(&exchange, &actions).0, 400, "{this}");
    }
}

/// proves: SV-06
#[test]
fn an_old_request_has_no_retry_fields_whatever_it_brings() {
    let good = state(&sealing());
    for endpoint in &endpoints() {
        for params in [
            json!({"name": "order", "requestState": good}),
            json!({"name": "order", "requestState": "x", "inputResponses": yes()}),
            json!({"name": "order", "inputResponses": 7}),
            json!({"name": "order", "_meta": {"progressToken": 1}}),
        ] {
            let (_, actions) =
                send(endpoint, message("tools/call", &params.to_string()).as_bytes());
            let run = run(&actions);
            assert!(run.is_legacy && run.state.is_none() && run.answers.get("sure").is_none());
            assert_eq!((run.round, run.capabilities), (1, Capabilities::NONE));
            assert_eq!(run.answers.check("sure", &sure()), Ok(None));
        }
    }
}

/// proves: SV-06, SV-07
#[test]
fn a_request_that_names_a_version_is_held_to_this_revision() {
    let endpoint = serving();
    for (meta, code) in [
        (json!({META_VERSION: "2025-11-25"}), RpcError::UNSUPPORTED_VERSION),
        (json!({META_VERSION: 7}), RpcError::INVALID_PARAMS),
        (json!({META_VERSION: null}), RpcError::INVALID_PARAMS),
        (json!({META_VERSION: "2026-07-28"}), RpcError::INVALID_PARAMS),
    ] {
        let params = json!({"name": "order", "_meta": meta});
        let (exchange, actions) =
            send(&endpoint, message("tools/call", &params.to_string()).as_bytes());
        assert_eq!(refused(&exchange, &actions), (400, code), "{params}");
    }
    let (_, actions) = call(&endpoint, &params());
    assert!(!run(&actions).is_legacy && run(&actions).capabilities.roots);
}

/// proves: SV-06, W-11
#[test]
fn an_old_request_whose_params_are_no_object_does_not_run() {
    let endpoint = serving();
    let mut ran = Vec::new();
    for wrong in ["7", "null", "\"x\"", "true", "[]", r#"[{"name":"order"}]"#] {
        let (exchange, actions) = send(&endpoint, message("tools/call", wrong).as_bytes());
        match actions.as_slice() {
            [Action::Run(_)] => ran.push(wrong),
            _ => assert_eq!(refused(&exchange, &actions).1, RpcError::INVALID_PARAMS, "{wrong}"),
        }
    }
    assert_eq!(ran, Vec::<&str>::new());
}

/// proves: SV-06, SV-07, W-11
#[test]
fn a_request_whose_version_cannot_be_read_is_not_an_old_one() {
    let endpoint = serving();
    let meta = meta().to_string();
    let twice = |name: &str| {
        let caps = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
        let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
        match name {
            "version" => format!(r#"{{"name":"a","_meta":{{{version},{version},{caps}}}}}"#),
            "name" => format!(r#"{{"name":"a","name":"b","_meta":{meta}}}"#),
            _ => format!(r#"{{"name":"a","_meta":{meta},"_meta":{meta}}}"#),
        }
    };
    let mut ran = Vec::new();
    for name in ["version", "name", "_meta"] {
        let (exchange, actions) = send(&endpoint, message("tools/call", &twice(name)).as_bytes());
        match actions.as_slice() {
            [Action::Run(_)] => ran.push(name),
            _ => assert_eq!(refused(&exchange, &actions).1, RpcError::INVALID_PARAMS, "{name}"),
        }
    }
    assert_eq!(ran, Vec::<&str>::new());
}

/// proves: SV-06
#[test]
fn a_request_of_an_earlier_revision_runs_and_cannot_be_asked_anything() {
    let endpoint = serving();
    let old = message("tools/call", r#"{"name":"order","requestState":"x"}"#);
    let (mut exchange, actions) = send(&endpoint, old.as_bytes());
    assert!(run(&actions).is_legacy);
    assert_eq!(run(&actions).capabilities, Capabilities::NONE);
    let actions = end(&mut exchange, Ending::Need(Need::new().request("sure", sure())));
    let message = "MRTR input requests require protocol 2026-07-28";
    assert_eq!(answer(&actions).1["error"], json!({"code": -32603, "message": message}));
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let (mut exchange, _) = send(&endpoint, ping);
    let actions = end(&mut exchange, Ending::Finish(raw("{}")));
    assert!(answer(&actions).1.get("result").is_some());
    // A request of this revision is held to it, there as anywhere.
    let mut unknown = params();
    unknown["_meta"] = json!({META_VERSION: "1900-01-01"});
    let (exchange, actions) = call(&endpoint, &unknown);
    assert_eq!(refused(&exchange, &actions), (400, RpcError::UNSUPPORTED_VERSION));
    let (exchange, actions) = send(&sealing(), old.as_bytes());
    assert_eq!(refused(&exchange, &actions), (400, RpcError::INVALID_PARAMS));
}
