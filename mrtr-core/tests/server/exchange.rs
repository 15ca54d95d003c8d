//! What a server answers to requests good and bad, and when its handler runs.

use std::sync::Arc;

use form_model::{Form, Submission};
use mrtr_core::{
    Phase, UnixTime,
    seal::{OpenCause, RequestState},
    server::{
        Action, Actions, Ending, Endpoint, Exchange, HandlerFault, Incoming, Misuse, Need,
        ReportKind,
    },
    wire::{
        Capabilities, Headers, InputRequest, InputResponse, META_CAPABILITIES as CAPABILITIES,
        META_VERSION as VERSION, RawJson, RpcError, RpcResponse,
    },
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, deep, end, error_code, faulted, keys, raw, refused, report, run, send_as, try_end,
};

const FORM: &str = r#"{"type":"object","properties":{
    "environment":{"type":"string","enum":["staging","production"]},
    "confirm":{"type":"boolean"}},"required":["environment","confirm"]}"#;

fn deployments() -> Endpoint {
    Endpoint::new("deployments").with_request_state(RequestState::new(keys()))
}

fn sealed() -> Arc<Endpoint> {
    Arc::new(deployments())
}

fn keyless() -> Arc<Endpoint> {
    Arc::new(Endpoint::new("deployments"))
}

fn form() -> Form {
    Form::from_schema(FORM).unwrap()
}

/// The params of a call, as a client that can fill in forms sends them.
fn params() -> Value {
    json!({
        "name": "deploy",
        "arguments": {"artifact": "build-42", "n": 1},
        "_meta": {VERSION: "2026-07-28", CAPABILITIES: {"elicitation": {"form": {}}}},
    })
}

fn with(mut params: Value, name: &str, value: Value) -> Value {
    params[name] = value;
    params
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

/// Sends a call of the tool and returns the exchange and its actions.
fn receive(endpoint: &Arc<Endpoint>, params: &Value) -> (Exchange, Actions) {
    send_as(endpoint, NOW, Some("alice"), message("tools/call", params).as_bytes())
}

fn target() -> InputRequest {
    InputRequest::form("Where to?", form())
}

fn need() -> Need {
    Need::new().request("target", target())
}

/// Asks the first round and returns the state that the client is to echo.
fn first_round(endpoint: &Arc<Endpoint>) -> Value {
    let (mut exchange, actions) = receive(endpoint, &params());
    assert_eq!(run(&actions).round, 1);
    let actions = end(&mut exchange, Ending::Need(need().state(raw(r#"{"step":1}"#))));
    answer(&actions).1["result"]["requestState"].clone()
}

fn retry(state: &Value, content: Value) -> Value {
    retry_with(state, json!({"target": {"action": "accept", "content": content}}))
}

fn retry_with(state: &Value, responses: Value) -> Value {
    with(with(params(), "requestState", state.clone()), "inputResponses", responses)
}

fn good() -> Value {
    json!({"environment": "staging", "confirm": true})
}

/// proves: SV-01, SV-02, SV-09
#[test]
fn a_handler_asks_and_gets_the_answer_and_its_state_on_the_retry() {
    let endpoint = sealed();
    let (mut exchange, actions) = receive(&endpoint, &params());
    assert_eq!(exchange.phase(), Phase::Running);
    assert!(run(&actions).answers.form("target").is_none());
    assert_eq!(run(&actions).state, None);
    let state = raw(r#"{"step":1}"#);
    let actions = end(&mut exchange, Ending::Need(need().state(state.clone())));
    assert_eq!(exchange.phase(), Phase::AwaitingInteraction);
    let (status, sent) = answer(&actions);
    assert_eq!((status, &sent["id"]), (200, &json!(7)));
    assert_eq!(sent["result"]["resultType"], "input_required");
    let asked = &sent["result"]["inputRequests"]["target"];
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["requestedSchema"], serde_json::from_str::<Value>(FORM).unwrap());
    assert_eq!(report(&actions).kind, ReportKind::InputRequired { round: 1, requests: 1 });

    let retry = retry(&sent["result"]["requestState"], good());
    let (mut exchange, actions) = receive(&endpoint, &retry);
    assert_eq!(exchange.phase(), Phase::Resumed);
    let run = run(&actions);
    assert_eq!((run.round, run.state.as_ref()), (2, Some(&state)));
    let Some(Submission::Accept(target)) = run.answers.form("target") else { panic!("accepted") };
    assert_eq!(target.text("environment"), Some("staging"));
    let actions = end(&mut exchange, Ending::Finish(raw(r#"{"content":[]}"#)));
    assert_eq!(actions.reports(), []);
    assert_eq!(exchange.phase(), Phase::Settled);
    assert_eq!(answer(&actions).1["result"], json!({"content": [], "resultType": "complete"}));
}

/// proves: SV-02
#[test]
fn the_round_is_counted_by_the_state_and_a_handler_may_ask_again() {
    let endpoint = sealed();
    let mut state = first_round(&endpoint);
    for round in 2..5 {
        let (mut exchange, actions) = receive(&endpoint, &retry(&state, good()));
        assert_eq!(run(&actions).round, round);
        let actions = end(&mut exchange, Ending::Need(need()));
        state = answer(&actions).1["result"]["requestState"].clone();
    }
    let (mut exchange, _) = receive(&endpoint, &retry(&state, good()));
    let actions = end(&mut exchange, Ending::Need(Need::new().state(raw("5"))));
    assert_eq!(exchange.phase(), Phase::Pausing);
    assert!(answer(&actions).1["result"].get("inputRequests").is_none());
}

/// proves: SV-02, W-06
#[test]
fn decline_cancel_and_a_missing_answer_stay_apart() {
    let endpoint = sealed();
    let state = first_round(&endpoint);
    for (responses, expected) in [
        (json!({"target": {"action": "decline"}}), Some(Submission::Decline)),
        (json!({"target": {"action": "cancel"}}), Some(Submission::Cancel)),
        (json!({}), None),
        (json!({"admin": {"action": "accept", "content": {}}, "x": 12345}), None),
    ] {
        let (_, actions) = receive(&endpoint, &retry_with(&state, responses));
        let run = run(&actions);
        assert_eq!(run.answers.form("target"), expected);
        assert!(run.answers.get("admin").is_none(), "a key that was not asked is not seen");
    }
    let (_, actions) = receive(&endpoint, &with(params(), "requestState", state));
    assert!(run(&actions).answers.form("target").is_none());
}

/// proves: SV-04, W-07, W-10
#[test]
fn answers_of_a_wrong_type_do_not_reach_the_handler() {
    let endpoint = sealed();
    let state = first_round(&endpoint);
    let wrapped = json!({"method": "elicitation/create", "result": {"action": "accept"}});
    for wrong in [
        retry_with(&state, json!(7)),
        retry_with(&state, json!([])),
        retry_with(&state, Value::Null),
        retry_with(&state, json!({"target": 12345})),
        retry_with(&state, json!({"target": {"action": "submit"}})),
        retry_with(&state, json!({"target": wrapped})),
        retry(&state, json!({"environment": "mars", "confirm": true})),
        retry(&state, json!({"environment": "staging"})),
        retry(&state, json!({"environment": "staging", "confirm": "true"})),
        retry(&state, json!({"environment": "staging", "confirm": true, "extra": 1})),
        retry(&state, json!(7)),
    ] {
        let (exchange, actions) = receive(&endpoint, &wrong);
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS), "{wrong}");
        assert_eq!(answer(&actions).1["id"], 7);
    }
}

/// proves: ST-03, ST-06, ST-09, W-10
#[test]
fn a_changed_foreign_or_expired_state_does_not_reach_the_handler() {
    let endpoint = sealed();
    let elsewhere = Endpoint::new("billing").with_request_state(RequestState::new(keys()));
    let (elsewhere, keyless) = (Arc::new(elsewhere), keyless());
    let state = first_round(&endpoint);
    let token = state.as_str().unwrap();
    let last = if token.ends_with('A') { 'B' } else { 'A' };
    let changed = format!("{}{last}", &token[..token.len() - 1]);
    let sent = retry(&state, good());
    let call = |params: &Value| message("tools/call", params);
    let other_state = |state: Value| call(&with(sent.clone(), "requestState", state));
    let other_arguments = json!({"artifact": "build-43", "n": 1});
    let later = UnixTime::from_secs(NOW.as_secs() + 300);
    let alice = Some("alice");
    for (endpoint, now, principal, message, cause) in [
        (&endpoint, NOW, alice, other_state(json!(changed)), None),
        (&endpoint, NOW, alice, other_state(json!(7)), Some(OpenCause::Malformed)),
        (&endpoint, NOW, alice, other_state(json!("")), Some(OpenCause::Malformed)),
        (
            &endpoint,
            NOW,
            alice,
            call(&with(sent.clone(), "arguments", other_arguments)),
            Some(OpenCause::OtherParams),
        ),
        (
            &endpoint,
            NOW,
            alice,
            call(&with(sent.clone(), "name", json!("delete"))),
            Some(OpenCause::OtherParams),
        ),
        (&endpoint, NOW, alice, message("prompts/get", &sent), Some(OpenCause::NotAuthentic)),
        (&endpoint, NOW, Some("bob"), call(&sent), Some(OpenCause::OtherPrincipal)),
        (&endpoint, NOW, None, call(&sent), Some(OpenCause::OtherPrincipal)),
        (&endpoint, later, alice, call(&sent), Some(OpenCause::Expired)),
        (&elsewhere, NOW, alice, call(&sent), Some(OpenCause::NotAuthentic)),
        (&keyless, NOW, alice, call(&sent), Some(OpenCause::NoKeyring)),
    ] {
        let (exchange, actions) = send_as(endpoint, now, principal, message.as_bytes());
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
        assert_eq!(answer(&actions).1["error"]["message"], "Invalid requestState");
        let ReportKind::StateRefused { cause: found } = report(&actions).kind else {
            panic!("the refusal is reported")
        };
        assert!(cause.is_none_or(|cause| cause == found), "{found:?}, not {cause:?}");
    }
    // The same params written otherwise are the same params.
    let respelled =
        call(&sent).replace("\"n\":1", "\"n\":1.0").replace("\"deploy\"", "\"\\u0064eploy\"");
    let (_, actions) = send_as(&endpoint, NOW, alice, respelled.as_bytes());
    assert_eq!(run(&actions).round, 2);
}

/// proves: SV-05
#[test]
fn answers_without_the_state_that_they_need_count_for_nothing() {
    let endpoint = sealed();
    let responses = json!({"target": {"action": "accept", "content": good()}});
    let (_, actions) = receive(&endpoint, &with(params(), "inputResponses", responses.clone()));
    assert_eq!(run(&actions).round, 1);
    assert!(run(&actions).answers.form("target").is_none());
    assert_eq!(run(&actions).answers.check("target", &target()), Ok(None));

    // A server without keys has no state: it checks by the form it would ask.
    let keyless = keyless();
    let (_, actions) = receive(&keyless, &with(params(), "inputResponses", responses));
    let answers = &run(&actions).answers;
    assert!(matches!(answers.check("target", &target()), Ok(Some(InputResponse::Accept(_)))));
    assert_eq!(answers.check("other", &target()), Ok(None));
    let wrong = json!({"target": {"action": "accept", "content": {}}, "x": 7});
    let (_, actions) = receive(&keyless, &with(params(), "inputResponses", wrong));
    assert!(run(&actions).answers.check("target", &target()).is_err());
    assert!(run(&actions).answers.check("x", &target()).is_err());
}

/// proves: SV-03, W-10
#[test]
fn a_client_is_not_asked_what_it_did_not_declare() {
    let endpoint = sealed();
    for (capabilities, can) in [
        (json!({}), false),
        (json!({"sampling": {}}), false),
        (json!({"elicitation": {"url": {}}}), false),
        (json!({"elicitation": {}}), true),
        (json!({"elicitation": {"form": {}, "url": {}}}), true),
    ] {
        let mut params = params();
        params["_meta"][CAPABILITIES] = capabilities.clone();
        let (mut exchange, _) = receive(&endpoint, &params);
        let actions = end(&mut exchange, Ending::Need(need()));
        if can {
            assert!(answer(&actions).1.get("result").is_some(), "{capabilities}");
            continue;
        }
        assert_eq!(error_code(&actions), (400, RpcError::MISSING_CAPABILITY), "{capabilities}");
        let required = &answer(&actions).1["error"]["data"]["requiredCapabilities"];
        assert_eq!(required, &json!({"elicitation": {"form": {}}}));
        let missing = Capabilities::NONE.with_form();
        assert_eq!(report(&actions).kind, ReportKind::MissingCapability { missing });
        assert_eq!(exchange.phase(), Phase::Settled);
    }
}

/// proves: SV-07, W-10
#[test]
fn a_request_says_its_version_and_its_capabilities_or_is_refused() {
    let endpoint = sealed();
    let meta = |meta: Value| with(params(), "_meta", meta);
    for wrong in [
        json!({"name": "deploy"}),
        meta(json!({})),
        meta(json!(7)),
        meta(json!({VERSION: "2026-07-28"})),
        meta(json!({CAPABILITIES: {}})),
        meta(json!({VERSION: 7, CAPABILITIES: {}})),
        meta(json!({VERSION: "2026-07-28", CAPABILITIES: []})),
    ] {
        let (_, actions) = receive(&endpoint, &wrong);
        assert_eq!(error_code(&actions), (400, RpcError::INVALID_PARAMS), "{wrong}");
    }
    let (_, actions) = receive(&endpoint, &meta(json!({VERSION: "1900-01-01", CAPABILITIES: {}})));
    assert_eq!(error_code(&actions), (400, RpcError::UNSUPPORTED_VERSION));
    let data = &answer(&actions).1["error"]["data"];
    assert_eq!(data, &json!({"supported": ["2026-07-28"], "requested": "1900-01-01"}));
    let bare = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#;
    let (_, actions) = send_as(&endpoint, NOW, None, bare.as_bytes());
    assert_eq!(error_code(&actions), (400, RpcError::INVALID_PARAMS));
    assert_eq!(answer(&actions).1["id"], "a");
}

/// proves: W-10, W-11
#[test]
fn what_is_no_request_is_refused_by_its_code() {
    let endpoint = sealed();
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"params":{}"#, "[".repeat(100_000));
    for (wrong, code) in [
        ("", RpcError::PARSE),
        ("{", RpcError::PARSE),
        (deep.as_str(), RpcError::PARSE),
        ("[]", RpcError::INVALID_REQUEST),
        (r#"{"id":1,"method":"tools/call"}"#, RpcError::INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1}"#, RpcError::INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call"}"#, RpcError::INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call"}"#, RpcError::INVALID_REQUEST),
    ] {
        let (_, actions) = send_as(&endpoint, NOW, None, wrong.as_bytes());
        assert_eq!(error_code(&actions), (400, code));
        // An id that can be read is answered to, another is left out and not made up.
        let id = if wrong.contains(r#""id":1,"method""#) || wrong.ends_with(r#""id":1}"#) {
            Some(&json!(1))
        } else {
            None
        };
        assert_eq!(answer(&actions).1.get("id"), id, "{wrong}");
    }
    let (_, actions) = send_as(&endpoint, NOW, None, b"\xff\xfe");
    assert_eq!(error_code(&actions), (400, RpcError::PARSE));
    let small = Arc::new(deployments().with_message_bytes_max(10));
    let (_, actions) = receive(&small, &params());
    assert_eq!(error_code(&actions), (400, RpcError::INVALID_REQUEST));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let (_, actions) = send_as(&endpoint, NOW, None, notification.as_bytes());
    assert_eq!(answer(&actions), (202, Value::Null));
    assert_eq!(actions.reports(), []);
}

/// proves: W-10
#[test]
fn headers_that_differ_from_the_message_are_refused_before_the_version_is_judged() {
    let endpoint = sealed();
    let sent = message("tools/call", &params());
    let right = [Some("2026-07-28"), Some("tools/call"), Some("deploy")];
    let [version, method, name] = right;
    let respond = |values: [Option<&str>; 3], sent: &str| {
        let names = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
        let headers = names.into_iter().zip(values);
        let headers: Headers =
            headers.filter_map(|(name, value)| value.map(|value| (name, value))).collect();
        let incoming = Incoming::message(sent.as_bytes()).with_headers(headers);
        Exchange::receive(&endpoint, NOW, incoming).1
    };
    for same in ["deploy", " \tdeploy ", "=?base64?ZGVwbG95?="] {
        run(&respond([version, method, Some(same)], &sent));
    }
    for wrong in [
        [None, method, name],
        [Some("2025-11-25"), method, name],
        [version, None, name],
        [version, Some("TOOLS/CALL"), name],
        [version, method, None],
        [version, method, Some("delete")],
        [version, method, Some("=?base64?ZGVwbG9?=")],
        [version, method, Some("=?BASE64?ZGVwbG95?=")],
    ] {
        let found = error_code(&respond(wrong, &sent));
        assert_eq!(found, (400, RpcError::HEADER_MISMATCH), "{wrong:?}");
    }
    let unknown = sent.replace("2026-07-28", "1900-01-01");
    assert_eq!(error_code(&respond(right, &unknown)), (400, RpcError::HEADER_MISMATCH));
    let matching = [Some("1900-01-01"), method, name];
    assert_eq!(error_code(&respond(matching, &unknown)), (400, RpcError::UNSUPPORTED_VERSION));
    // A method without a target has no name to repeat.
    let list = message("tools/list", &params());
    run(&respond([version, Some("tools/list"), None], &list));
}

/// proves: SV-01, W-04, ST-05, ST-09
#[test]
fn what_a_handler_cannot_do_is_an_internal_error_and_reported() {
    let (sealed, keyless) = (sealed(), keyless());
    let twice = need().request("target", InputRequest::form("Again?", form()));
    let large = raw(&format!("\"{}\"", "x".repeat(64 * 1024)));
    let by_hand = raw(r#"{"resultType":"input\u005frequired"}"#);
    let untyped = raw(r#"{"resultType":null}"#);
    for (endpoint, method, ending, fault) in [
        (&sealed, "tools/call", Ending::Need(Need::new()), HandlerFault::EmptyNeed),
        (&sealed, "tools/list", Ending::Need(need()), HandlerFault::MethodCannotAsk),
        (&sealed, "tools/call", Ending::Need(twice), HandlerFault::DuplicateKey),
        (&sealed, "tools/call", Ending::Need(need().state(large)), HandlerFault::StateTooLarge),
        (&keyless, "tools/call", Ending::Need(need().state(raw("1"))), HandlerFault::NoKeyring),
        (&sealed, "tools/call", Ending::Finish(raw("[]")), HandlerFault::Result),
        (&sealed, "tools/call", Ending::Finish(by_hand), HandlerFault::Result),
        (&sealed, "tools/call", Ending::Finish(untyped), HandlerFault::Result),
    ] {
        let message = message(method, &params());
        let (mut exchange, _) = send_as(endpoint, NOW, None, message.as_bytes());
        let actions = end(&mut exchange, ending);
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INTERNAL));
        assert_eq!(answer(&actions).1["error"]["message"], "Internal error");
        assert_eq!(*faulted(&actions), fault);
    }
}

/// proves: SV-01
#[test]
fn a_request_is_answered_once() {
    let endpoint = sealed();
    let endings = || {
        let error = RpcError::new(1, "no");
        [Ending::Need(need()), Ending::Finish(raw("{}")), Ending::Fail(error.into())]
    };
    for first in endings() {
        let (mut exchange, _) = receive(&endpoint, &params());
        let _ = end(&mut exchange, first);
        let before = exchange.clone();
        for second in endings() {
            assert_eq!(try_end(&mut exchange, second), Err(Misuse::Answered));
            assert_eq!(exchange, before);
        }
    }
    let (mut refused, _) = receive(&endpoint, &json!({}));
    assert_eq!(try_end(&mut refused, Ending::Finish(raw("{}"))), Err(Misuse::Answered));
}

/// proves: W-10
#[test]
fn a_handlers_error_goes_out_with_its_status() {
    let endpoint = sealed();
    for (code, status) in
        [(RpcError::METHOD_NOT_FOUND, 404), (RpcError::INVALID_PARAMS, 200), (-5, 200)]
    {
        let (mut exchange, _) = receive(&endpoint, &params());
        let error = RpcError::new(code, "wrong \"x\"").with_data(raw("[1]"));
        let (found, sent) = answer(&end(&mut exchange, Ending::Fail(error.into())));
        assert_eq!(found, status);
        assert_eq!(sent["error"], json!({"code": code, "message": "wrong \"x\"", "data": [1]}));
    }
}

/// proves: W-11
#[test]
fn what_a_handler_returns_as_deep_as_it_may_still_goes_out_as_json() {
    let endpoint = sealed();
    let result = raw(&format!(r#"{{"a":{}}}"#, deep(123)));
    let data = RpcError::new(1, "deep").with_data(raw(&deep(124)));
    for ending in [Ending::Finish(result), Ending::Fail(data.into())] {
        let (mut exchange, _) = receive(&endpoint, &params());
        let actions = end(&mut exchange, ending);
        let [Action::Respond(respond)] = actions.as_slice() else { panic!("it is answered") };
        let body = respond.body.as_ref().unwrap().as_str();
        assert!(RpcResponse::decode(body.as_bytes()).is_ok());
    }
    assert!(RawJson::parse(&deep(125)).is_err());
}
