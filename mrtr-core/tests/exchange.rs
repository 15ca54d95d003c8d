//! What a server answers to requests good and bad, and when its handler runs.

#![cfg(feature = "request-state")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

use form_model::Form;
use getrandom::{SysRng, rand_core::UnwrapErr};
use mrtr_core::{
    Endpoint, Exchange, InputRequest, Keyring, Need, OpenCause, Phase, RequestState, UnixTime,
    exchange::{
        Action, Answered, Elicited, Event, HandlerFault, Headers, Incoming, Misuse, Report, Run,
    },
    wire::{Capabilities, RawJson, RpcError},
};
use serde_json::{Value, json};

const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const FORM: &str = r#"{"type":"object","properties":{
    "environment":{"type":"string","enum":["staging","production"]},
    "confirm":{"type":"boolean"}},"required":["environment","confirm"]}"#;

fn sealed() -> Endpoint {
    let keys = Keyring::new([("k1", [7; 32])]).unwrap();
    Endpoint::new("deployments").with_request_state(RequestState::new(keys))
}

fn form() -> Form {
    Form::from_schema(FORM).unwrap()
}

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
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
fn receive<'e>(endpoint: &'e Endpoint, params: &Value) -> (Exchange<'e>, Vec<Action>) {
    receive_as(endpoint, NOW, Some("alice"), &message("tools/call", params))
}

fn receive_as<'e>(
    endpoint: &'e Endpoint,
    now: UnixTime,
    principal: Option<&str>,
    message: &str,
) -> (Exchange<'e>, Vec<Action>) {
    let incoming = Incoming { message: message.as_bytes(), headers: None, principal };
    let (exchange, actions) = Exchange::receive(endpoint, now, incoming);
    (exchange, actions.into_iter().collect())
}

fn end(exchange: &mut Exchange<'_>, event: Event) -> Vec<Action> {
    exchange.handle(NOW, &mut UnwrapErr(SysRng), event).unwrap().into_iter().collect()
}

fn target() -> InputRequest {
    InputRequest::form("Where to?", form())
}

fn need() -> Need {
    Need::new().request("target", target())
}

fn run(actions: &[Action]) -> &Run {
    match actions {
        [Action::Run(run)] => run,
        other => panic!("the handler runs, found {other:?} {:?}", body(other)),
    }
}

/// Returns the HTTP status and the body of the answer.
fn body(actions: &[Action]) -> (u16, Value) {
    let Some(Action::Respond(respond)) = actions.first() else { panic!("it is answered") };
    let json = respond.body.as_ref().map_or("null", RawJson::as_str);
    (respond.status, serde_json::from_str(json).unwrap())
}

fn report(actions: &[Action]) -> &Report {
    match actions {
        [Action::Respond(_), Action::Report(report)] => report,
        other => panic!("it is reported, found {other:?}"),
    }
}

fn error_code(actions: &[Action]) -> (u16, i64) {
    let (status, body) = body(actions);
    assert!(body.get("result").is_none(), "{body}");
    (status, body["error"]["code"].as_i64().unwrap())
}

/// Asks the first round and returns the state that the client is to echo.
fn first_round(endpoint: &Endpoint) -> Value {
    let (mut exchange, actions) = receive(endpoint, &params());
    assert_eq!(run(&actions).round, 1);
    let actions = end(&mut exchange, Event::Need(need().state(raw(r#"{"step":1}"#))));
    body(&actions).1["result"]["requestState"].clone()
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
    let actions = end(&mut exchange, Event::Need(need().state(state.clone())));
    assert_eq!(exchange.phase(), Phase::AwaitingInteraction);
    let (status, sent) = body(&actions);
    assert_eq!((status, &sent["id"]), (200, &json!(7)));
    assert_eq!(sent["result"]["resultType"], "input_required");
    let asked = &sent["result"]["inputRequests"]["target"];
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["requestedSchema"], serde_json::from_str::<Value>(FORM).unwrap());
    assert!(matches!(report(&actions), Report::InputRequired { round: 1, requests: 1, .. }));

    let retry = retry(&sent["result"]["requestState"], good());
    let (mut exchange, actions) = receive(&endpoint, &retry);
    assert_eq!(exchange.phase(), Phase::Resumed);
    let run = run(&actions);
    assert_eq!((run.round, run.state.as_ref()), (2, Some(&state)));
    let Some(Elicited::Accepted(answer)) = run.answers.form("target") else { panic!("accepted") };
    assert_eq!(answer.text("environment"), Some("staging"));
    let actions = end(&mut exchange, Event::Finish(raw(r#"{"content":[]}"#)));
    assert_eq!(exchange.phase(), Phase::Settled);
    assert_eq!(body(&actions).1["result"], json!({"content": [], "resultType": "complete"}));
}

/// proves: SV-02
#[test]
fn the_round_is_counted_by_the_state_and_a_handler_may_ask_again() {
    let endpoint = sealed();
    let mut state = first_round(&endpoint);
    for round in 2..5 {
        let (mut exchange, actions) = receive(&endpoint, &retry(&state, good()));
        assert_eq!(run(&actions).round, round);
        let actions = end(&mut exchange, Event::Need(need()));
        state = body(&actions).1["result"]["requestState"].clone();
    }
    let (mut exchange, _) = receive(&endpoint, &retry(&state, good()));
    let actions = end(&mut exchange, Event::Need(Need::new().state(raw("5"))));
    assert_eq!(exchange.phase(), Phase::Pausing);
    assert!(body(&actions).1["result"].get("inputRequests").is_none());
}

/// proves: SV-02, W-06
#[test]
fn decline_dismiss_and_a_missing_answer_stay_apart() {
    let endpoint = sealed();
    let state = first_round(&endpoint);
    for (responses, expected) in [
        (json!({"target": {"action": "decline"}}), Some(Elicited::Declined)),
        (json!({"target": {"action": "cancel"}}), Some(Elicited::Dismissed)),
        (json!({}), None),
        (json!({"admin": {"action": "accept", "content": {}}, "x": 12345}), None),
    ] {
        let (_, actions) = receive(&endpoint, &retry_with(&state, responses));
        let run = run(&actions);
        assert_eq!(run.answers.form("target"), expected.as_ref());
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
        assert_eq!(error_code(&actions), (200, RpcError::INVALID_PARAMS), "{wrong}");
        assert_eq!(exchange.phase(), Phase::Settled);
        assert_eq!(body(&actions).1["id"], 7);
    }
}

/// proves: ST-03, ST-06, ST-09, W-10
#[test]
fn a_changed_foreign_or_expired_state_does_not_reach_the_handler() {
    let endpoint = sealed();
    let keys = Keyring::new([("k1", [7; 32])]).unwrap();
    let elsewhere = Endpoint::new("billing").with_request_state(RequestState::new(keys));
    let keyless = Endpoint::new("deployments");
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
        let (exchange, actions) = receive_as(endpoint, now, principal, &message);
        assert_eq!(error_code(&actions), (200, RpcError::INVALID_PARAMS));
        assert_eq!(body(&actions).1["error"]["message"], "Invalid requestState");
        assert_eq!(exchange.phase(), Phase::Settled);
        let Report::StateRefused { cause: found, .. } = report(&actions) else {
            panic!("the refusal is reported")
        };
        assert!(cause.is_none_or(|cause| cause == *found), "{found:?}, not {cause:?}");
    }
    // The same params written otherwise are the same params.
    let respelled =
        call(&sent).replace("\"n\":1", "\"n\":1.0").replace("\"deploy\"", "\"\\u0064eploy\"");
    let (_, actions) = receive_as(&endpoint, NOW, alice, &respelled);
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
    let keyless = Endpoint::new("deployments");
    let (_, actions) = receive(&keyless, &with(params(), "inputResponses", responses));
    let answers = &run(&actions).answers;
    assert!(matches!(
        answers.check("target", &target()),
        Ok(Some(Answered::Form(Elicited::Accepted(_))))
    ));
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
        let actions = end(&mut exchange, Event::Need(need()));
        if can {
            assert!(body(&actions).1.get("result").is_some(), "{capabilities}");
            continue;
        }
        assert_eq!(error_code(&actions), (400, RpcError::MISSING_CAPABILITY), "{capabilities}");
        let required = &body(&actions).1["error"]["data"]["requiredCapabilities"];
        assert_eq!(required, &json!({"elicitation": {"form": {}}}));
        let form = Capabilities { form: true, ..Capabilities::NONE };
        let found = report(&actions);
        assert!(matches!(found, Report::MissingCapability { missing, .. } if *missing == form));
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
    let data = &body(&actions).1["error"]["data"];
    assert_eq!(data, &json!({"supported": ["2026-07-28"], "requested": "1900-01-01"}));
    let bare = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#;
    let (_, actions) = receive_as(&endpoint, NOW, None, bare);
    assert_eq!(error_code(&actions), (400, RpcError::INVALID_PARAMS));
    assert_eq!(body(&actions).1["id"], "a");
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
        let (_, actions) = receive_as(&endpoint, NOW, None, wrong);
        assert_eq!(error_code(&actions), (400, code));
        // An id that can be read is answered to, another is left out and not made up.
        let id = if wrong.contains(r#""id":1,"method""#) || wrong.ends_with(r#""id":1}"#) {
            Some(&json!(1))
        } else {
            None
        };
        assert_eq!(body(&actions).1.get("id"), id, "{wrong}");
    }
    let bytes = Incoming { message: b"\xff\xfe", headers: None, principal: None };
    let (_, actions) = Exchange::receive(&endpoint, NOW, bytes);
    assert_eq!(error_code(actions.as_slice()), (400, RpcError::PARSE));
    let small = sealed().with_message_bytes_max(10);
    let (_, actions) = receive(&small, &params());
    assert_eq!(error_code(&actions), (400, RpcError::INVALID_REQUEST));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let (_, actions) = receive_as(&endpoint, NOW, None, notification);
    assert_eq!(body(&actions), (202, Value::Null));
}

/// proves: W-10
#[test]
fn headers_that_differ_from_the_message_are_refused_before_the_version_is_judged() {
    let endpoint = sealed();
    let sent = message("tools/call", &params());
    let right = Headers {
        protocol_version: Some("2026-07-28"),
        method: Some("tools/call"),
        name: Some("deploy"),
    };
    let answer = |headers, sent: &str| {
        let message = sent.as_bytes();
        let incoming = Incoming { message, headers: Some(headers), principal: None };
        Exchange::receive(&endpoint, NOW, incoming).1.into_iter().collect::<Vec<_>>()
    };
    for same in ["deploy", " \tdeploy ", "=?base64?ZGVwbG95?="] {
        run(&answer(Headers { name: Some(same), ..right }, &sent));
    }
    for wrong in [
        Headers { protocol_version: None, ..right },
        Headers { protocol_version: Some("2025-11-25"), ..right },
        Headers { method: None, ..right },
        Headers { method: Some("TOOLS/CALL"), ..right },
        Headers { name: None, ..right },
        Headers { name: Some("delete"), ..right },
        Headers { name: Some("=?base64?ZGVwbG9?="), ..right },
        Headers { name: Some("=?BASE64?ZGVwbG95?="), ..right },
    ] {
        assert_eq!(
            error_code(&answer(wrong, &sent)),
            (400, RpcError::HEADER_MISMATCH),
            "{wrong:?}"
        );
    }
    let unknown = sent.replace("2026-07-28", "1900-01-01");
    assert_eq!(error_code(&answer(right, &unknown)), (400, RpcError::HEADER_MISMATCH));
    let matching = Headers { protocol_version: Some("1900-01-01"), ..right };
    assert_eq!(error_code(&answer(matching, &unknown)), (400, RpcError::UNSUPPORTED_VERSION));
    // A method without a target has no name to repeat.
    let list = message("tools/list", &params());
    run(&answer(Headers { method: Some("tools/list"), name: None, ..right }, &list));
}

/// proves: SV-01, W-04, ST-05, ST-09
#[test]
fn what_a_handler_can_not_do_is_an_internal_error_and_reported() {
    let sealed = sealed();
    let keyless = Endpoint::new("deployments");
    let twice = need().request("target", InputRequest::form("Again?", form()));
    let large = raw(&format!("\"{}\"", "x".repeat(64 * 1024)));
    let by_hand = raw(r#"{"resultType":"input\u005frequired"}"#);
    let untyped = raw(r#"{"resultType":null}"#);
    for (endpoint, method, event, fault) in [
        (&sealed, "tools/call", Event::Need(Need::new()), HandlerFault::EmptyNeed),
        (&sealed, "tools/list", Event::Need(need()), HandlerFault::MethodCanNotAsk),
        (&sealed, "tools/call", Event::Need(twice), HandlerFault::DuplicateKey),
        (&sealed, "tools/call", Event::Need(need().state(large)), HandlerFault::StateTooLarge),
        (&keyless, "tools/call", Event::Need(need().state(raw("1"))), HandlerFault::NoKeyring),
        (&sealed, "tools/call", Event::Finish(raw("[]")), HandlerFault::Result),
        (&sealed, "tools/call", Event::Finish(by_hand), HandlerFault::Result),
        (&sealed, "tools/call", Event::Finish(untyped), HandlerFault::Result),
    ] {
        let (mut exchange, _) = receive_as(endpoint, NOW, None, &message(method, &params()));
        let actions = end(&mut exchange, event);
        assert_eq!(error_code(&actions), (200, RpcError::INTERNAL));
        assert_eq!(body(&actions).1["error"]["message"], "Internal error");
        let found = report(&actions);
        assert!(
            matches!(found, Report::HandlerFault { fault: found, .. } if *found == fault),
            "{found:?}, not {fault:?}"
        );
        assert_eq!(exchange.phase(), Phase::Settled);
    }
}

/// proves: SV-01
#[test]
fn a_request_is_answered_once() {
    let endpoint = sealed();
    let mut rng = UnwrapErr(SysRng);
    let events =
        || [Event::Need(need()), Event::Finish(raw("{}")), Event::Fail(RpcError::new(1, "no"))];
    for first in events() {
        let (mut exchange, _) = receive(&endpoint, &params());
        end(&mut exchange, first);
        let before = exchange.clone();
        for second in events() {
            assert_eq!(exchange.handle(NOW, &mut rng, second), Err(Misuse::Answered));
            assert_eq!(exchange, before);
        }
    }
    let (mut refused, _) = receive(&endpoint, &json!({}));
    assert_eq!(refused.handle(NOW, &mut rng, Event::Finish(raw("{}"))), Err(Misuse::Answered));
}

/// proves: W-10
#[test]
fn a_handlers_error_goes_out_with_its_status() {
    let endpoint = sealed();
    for (code, status) in
        [(RpcError::METHOD_NOT_FOUND, 404), (RpcError::INVALID_PARAMS, 200), (-5, 200)]
    {
        let (mut exchange, _) = receive(&endpoint, &params());
        let error = RpcError { data: Some(raw("[1]")), ..RpcError::new(code, "wrong \"x\"") };
        let (found, sent) = body(&end(&mut exchange, Event::Fail(error)));
        assert_eq!(found, status);
        assert_eq!(sent["error"], json!({"code": code, "message": "wrong \"x\"", "data": [1]}));
    }
}

/// proves: W-11
#[test]
fn what_a_handler_returns_as_deep_as_it_may_still_goes_out_as_json() {
    let endpoint = sealed();
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let result = raw(&format!(r#"{{"a":{}}}"#, deep(123)));
    let data = RpcError { data: Some(raw(&deep(124))), ..RpcError::new(1, "deep") };
    for event in [Event::Finish(result), Event::Fail(data)] {
        let (mut exchange, _) = receive(&endpoint, &params());
        let actions = end(&mut exchange, event);
        let Some(Action::Respond(respond)) = actions.first() else { panic!("it is answered") };
        let body = respond.body.as_ref().unwrap().as_str();
        assert!(mrtr_core::wire::RpcResponse::decode(body.as_bytes()).is_ok());
    }
    assert!(RawJson::parse(&deep(125)).is_err());
}

/// proves: SV-09, ST-02, ST-06
#[test]
fn no_secret_is_in_what_is_formatted_or_refused() {
    let endpoint = sealed();
    let (mut exchange, actions) = receive(&endpoint, &params());
    let mut seen = format!("{endpoint:?} {exchange:?} {actions:?}");
    let shown = r#"{"type":"object","properties":{"environment":{"type":"string","title":"SENTINEL","default":"SENTINEL"}}}"#;
    let shown = InputRequest::form("SENTINEL", Form::from_schema(shown).unwrap());
    let need = need().request("SENTINEL", shown).state(raw(r#""SENTINEL-STATE""#));
    seen += &format!("{need:?}");
    let need = Event::Need(need);
    seen += &format!("{need:?}");
    let actions = end(&mut exchange, need);
    seen += &format!("{actions:?}");
    let state = body(&actions).1["result"]["requestState"].clone();
    let hidden = json!({"environment": "SENTINEL-ANSWER", "SENTINEL-KEY": 1});
    for content in [good(), hidden] {
        let (exchange, actions) = receive(&endpoint, &retry(&state, content));
        seen += &format!("{exchange:?} {actions:?}");
        if let [Action::Respond(respond)] = actions.as_slice() {
            seen += respond.body.as_ref().unwrap().as_str();
        }
    }
    assert!(!seen.contains("SENTINEL"), "{seen}");
    assert!(!seen.contains(state.as_str().unwrap()), "{seen}");
}
