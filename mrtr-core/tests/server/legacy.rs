//! Requests of earlier revisions, on an endpoint that serves them.

use mrtr_core::{
    Endpoint, Exchange, Need,
    exchange::{Action, Event, HandlerFault, Headers, Incoming},
    wire::{Capabilities, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, end, everything, faulted, keyless, message, raw, refused, run, sealing, send,
    state, sure,
};

fn endpoints() -> [Endpoint; 3] {
    [sealing().with_legacy(), keyless().with_legacy(), sealing().with_legacy().with_single_use()]
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
                let actions = end(&mut exchange, Event::Need(need));
                assert_eq!(*faulted(&actions), HandlerFault::Legacy);
                let said = answer(&actions).1["error"]["message"].clone();
                assert!(said.as_str().unwrap().contains("2026-07-28"), "{said}");
            }
        }
    }
}

/// Ends an old request with a result and returns what of it goes out.
fn finished(method: &str, result: &str) -> Value {
    let endpoint = sealing().with_legacy();
    let (mut exchange, actions) = send(&endpoint, message(method, "{}").as_bytes());
    assert!(run(&actions).is_legacy);
    let (status, body) = answer(&end(&mut exchange, Event::Finish(raw(result))));
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
    let endpoint = sealing().with_legacy();
    let (mut exchange, _) = send(&endpoint, message("tools/call", "{}").as_bytes());
    let error = RpcError { data: Some(raw("[1]")), ..RpcError::new(-7, "sold out") };
    let (_, body) = answer(&end(&mut exchange, Event::Fail(error)));
    assert_eq!(body["error"], json!({"code": -7, "message": "sold out", "data": [1]}));
}

/// P43. Peers of earlier revisions refuse any member in an empty result.
/// proves: SV-06
#[test]
fn p43_nothing_is_added_to_the_result_of_an_old_request() {
    for (method, result) in [("ping", "{}"), ("tools/call", r#"{"content":[]}"#)] {
        assert_eq!(finished(method, result), crate::play::value(result), "{method}");
    }
}

/// proves: SV-06, SV-07, W-10
#[test]
fn a_request_whose_header_names_this_revision_is_not_an_old_one() {
    let endpoint = sealing().with_legacy();
    let body = message("tools/call", r#"{"name":"order"}"#);
    let receive = |version| {
        let headers =
            Headers { protocol_version: version, method: Some("tools/call"), name: Some("order") };
        let message = body.as_bytes();
        let incoming = Incoming { message, headers: Some(headers), principal: None };
        let (exchange, actions) = Exchange::receive(&endpoint, NOW, incoming);
        (exchange, actions.into_iter().collect::<Vec<_>>())
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
            json!({"name": "order", "requestState": "x", "inputResponses": crate::play::yes()}),
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
    let endpoint = sealing().with_legacy();
    let version = "io.modelcontextprotocol/protocolVersion";
    for (meta, code) in [
        (json!({version: "2025-11-25"}), RpcError::UNSUPPORTED_VERSION),
        (json!({version: 7}), RpcError::INVALID_PARAMS),
        (json!({version: null}), RpcError::INVALID_PARAMS),
        (json!({version: "2026-07-28"}), RpcError::INVALID_PARAMS),
    ] {
        let params = json!({"name": "order", "_meta": meta});
        let (exchange, actions) =
            send(&endpoint, message("tools/call", &params.to_string()).as_bytes());
        assert_eq!(refused(&exchange, &actions), (400, code), "{params}");
    }
    let (_, actions) = crate::play::call(&endpoint, &crate::play::params());
    assert!(!run(&actions).is_legacy && run(&actions).capabilities.roots, "{}", everything());
}

/// proves: SV-06, W-11
#[test]
fn an_old_request_whose_params_are_no_object_does_not_run() {
    let endpoint = sealing().with_legacy();
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
fn a_request_whose_version_can_not_be_read_is_not_an_old_one() {
    let endpoint = sealing().with_legacy();
    let meta = crate::play::meta().to_string();
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
