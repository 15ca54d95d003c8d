//! One endpoint, the messages of its client, and the ends of its handler.

use form_model::{FlagField, Form, FormBuilder, TextField};
use getrandom::{SysRng, rand_core::UnwrapErr};
use mrtr_core::{
    Endpoint, Exchange, InputRequest, Keyring, Need, Phase, RequestState, UnixTime,
    exchange::{Action, Event, HandlerFault, Incoming, Misuse, Report, Run},
    wire::{META_CAPABILITIES, META_VERSION, PROTOCOL_VERSION, RawJson, RpcError},
};
use serde_json::{Value, json};

pub(crate) const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

/// The message of a client, as JSON, before its parts are put in.
pub(crate) const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":@}"#;

pub(crate) fn keys() -> Keyring {
    Keyring::new([("k1", [7; 32])]).unwrap()
}

pub(crate) fn sealing() -> Endpoint {
    Endpoint::new("shop").with_request_state(RequestState::new(keys()))
}

pub(crate) fn keyless() -> Endpoint {
    Endpoint::new("shop")
}

pub(crate) fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

pub(crate) fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

pub(crate) fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// The `_meta` of a client that can answer everything.
pub(crate) fn meta() -> Value {
    json!({META_VERSION: PROTOCOL_VERSION, META_CAPABILITIES: everything()})
}

pub(crate) fn params() -> Value {
    json!({"name": "order", "arguments": {"n": 1, "s": "x"}, "_meta": meta()})
}

pub(crate) fn with(mut params: Value, members: &[(&str, Value)]) -> Value {
    for (name, value) in members {
        params[*name] = value.clone();
    }
    params
}

/// The params of a retry.
pub(crate) fn retry(state: &Value, responses: Value) -> Value {
    with(params(), &[("requestState", state.clone()), ("inputResponses", responses)])
}

/// The text of the params of a retry, whose responses need not be such as `Value` can hold.
pub(crate) fn retry_text(state: &Value, responses: &str) -> String {
    retry(state, json!("@@")).to_string().replace("\"@@\"", responses)
}

pub(crate) fn message(method: &str, params: &str) -> String {
    CALL.replace("tools/call", method).replace('@', params)
}

pub(crate) fn deep(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// Sends the bytes of a message.
pub(crate) fn send<'e>(endpoint: &'e Endpoint, message: &[u8]) -> (Exchange<'e>, Vec<Action>) {
    send_as(endpoint, NOW, Some("alice"), message)
}

pub(crate) fn send_as<'e>(
    endpoint: &'e Endpoint,
    now: UnixTime,
    principal: Option<&str>,
    message: &[u8],
) -> (Exchange<'e>, Vec<Action>) {
    let (exchange, actions) =
        Exchange::receive(endpoint, now, Incoming { message, headers: None, principal });
    (exchange, actions.into_iter().collect())
}

/// Calls the tool.
pub(crate) fn call<'e>(endpoint: &'e Endpoint, params: &Value) -> (Exchange<'e>, Vec<Action>) {
    send(endpoint, message("tools/call", &params.to_string()).as_bytes())
}

pub(crate) fn handle(exchange: &mut Exchange<'_>, event: Event) -> Result<Vec<Action>, Misuse> {
    let actions = exchange.handle(NOW, &mut UnwrapErr(SysRng), event)?;
    Ok(actions.into_iter().collect())
}

pub(crate) fn end(exchange: &mut Exchange<'_>, event: Event) -> Vec<Action> {
    handle(exchange, event).unwrap()
}

/// Returns what the handler runs on.
pub(crate) fn run(actions: &[Action]) -> &Run {
    match actions {
        [Action::Run(run)] => run,
        other => panic!("the handler runs, found {other:?} {}", answer(other).1),
    }
}

/// Returns the HTTP status and the body of the one answer.
pub(crate) fn answer(actions: &[Action]) -> (u16, Value) {
    let mut responds = actions.iter().filter_map(|action| match action {
        Action::Respond(respond) => Some(respond),
        _ => None,
    });
    let respond = responds.next().expect("it is answered");
    assert!(responds.next().is_none(), "it is answered once");
    let json = respond.body.as_ref().map_or("null", RawJson::as_str);
    (respond.status, value(json))
}

/// Expects an answer that the handler had no part in, and returns its status and code.
pub(crate) fn refused(exchange: &Exchange<'_>, actions: &[Action]) -> (u16, i64) {
    let is_refusal =
        matches!(actions, [Action::Respond(_)] | [Action::Respond(_), Action::Report(_)]);
    assert!(is_refusal, "{actions:?}");
    assert_eq!(exchange.phase(), Phase::Settled);
    let (status, body) = answer(actions);
    assert!(body.get("result").is_none(), "{body}");
    (status, body["error"]["code"].as_i64().expect("an error has a code"))
}

pub(crate) fn report(actions: &[Action]) -> &Report {
    let mut reports = actions.iter().filter_map(|action| match action {
        Action::Report(report) => Some(report),
        _ => None,
    });
    let report = reports.next().expect("it is reported");
    assert!(reports.next().is_none(), "it is reported once");
    report
}

/// Expects an internal error that says nothing, and returns what is reported of the handler.
pub(crate) fn faulted(actions: &[Action]) -> &HandlerFault {
    let (status, body) = answer(actions);
    assert_eq!((status, &body["error"]["code"]), (200, &json!(RpcError::INTERNAL)), "{body}");
    assert!(body.get("result").is_none());
    match report(actions) {
        Report::HandlerFault { fault, .. } => fault,
        other => panic!("the handler is at fault, found {other:?}"),
    }
}

pub(crate) fn confirm() -> Form {
    FormBuilder::new().field(FlagField::new("ok").required()).build().unwrap()
}

pub(crate) fn named() -> Form {
    FormBuilder::new().field(TextField::new("name").required()).build().unwrap()
}

pub(crate) fn sure() -> InputRequest {
    InputRequest::form("Sure?", confirm())
}

/// Calls the tool, which needs something, and returns the `result` of the answer.
pub(crate) fn asked(endpoint: &Endpoint, need: Need) -> Value {
    let (mut exchange, actions) = call(endpoint, &params());
    run(&actions);
    let mut body = answer(&end(&mut exchange, Event::Need(need))).1;
    assert!(body.get("error").is_none(), "{body}");
    body["result"].take()
}

/// Returns the state of a round that asks `sure`.
pub(crate) fn state(endpoint: &Endpoint) -> Value {
    asked(endpoint, Need::new().request("sure", sure()))["requestState"].clone()
}

pub(crate) fn yes() -> Value {
    json!({"sure": {"action": "accept", "content": {"ok": true}}})
}
