//! One endpoint, the messages of its client, and the ends of its handler.

use std::sync::Arc;

use form_model::{FlagField, Form, FormBuilder, TextField};
use getrandom::SysRng;
use mrtr_core::{
    Phase, UnixTime,
    seal::{Keyring, RequestState},
    server::{
        Action, Actions, Ending, Endpoint, Event, Exchange, HandlerFault, Incoming, Misuse, Need,
        Report, ReportKind, Run,
    },
    wire::{
        InputRequest, META_CAPABILITIES, META_VERSION, Message, PROTOCOL_VERSION, RawJson,
        RpcError, SamplingBuilder,
    },
};
use serde_json::{Value, json};

pub(crate) const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

/// The message of a client, as JSON, before its parts are put in.
pub(crate) const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":@}"#;

pub(crate) fn keys() -> Keyring {
    Keyring::new([("k1", [7; 32])]).unwrap()
}

/// Returns an endpoint with keys, to be configured further.
pub(crate) fn shop() -> Endpoint {
    Endpoint::new("shop").with_request_state(RequestState::new(keys()))
}

pub(crate) fn sealing() -> Arc<Endpoint> {
    Arc::new(shop())
}

pub(crate) fn keyless() -> Arc<Endpoint> {
    Arc::new(Endpoint::new("shop"))
}

pub(crate) fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

/// Returns JSON of a message, which may nest deeper than a caller's own.
pub(crate) fn of_message(json: &str) -> RawJson {
    let message = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{json}}}"#);
    Message::decode(message.as_bytes()).unwrap().params.unwrap()
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
pub(crate) fn send(endpoint: &Arc<Endpoint>, message: &[u8]) -> (Exchange, Actions) {
    send_as(endpoint, NOW, Some("alice"), message)
}

pub(crate) fn send_as(
    endpoint: &Arc<Endpoint>,
    now: UnixTime,
    principal: Option<&str>,
    message: &[u8],
) -> (Exchange, Actions) {
    Exchange::receive(endpoint, now, Incoming::message(message).with_principal(principal))
}

/// Calls the tool.
pub(crate) fn call(endpoint: &Arc<Endpoint>, params: &Value) -> (Exchange, Actions) {
    send(endpoint, message("tools/call", &params.to_string()).as_bytes())
}

/// Ends the handler.
pub(crate) fn try_end(exchange: &mut Exchange, ending: Ending) -> Result<Actions, Misuse> {
    exchange.end(NOW, &mut SysRng, ending)
}

pub(crate) fn end(exchange: &mut Exchange, ending: Ending) -> Actions {
    try_end(exchange, ending).unwrap()
}

/// Lets the store reply that the state is redeemed for the first time.
pub(crate) fn redeem(exchange: &mut Exchange) -> Actions {
    exchange.handle(Event::Redeemed { first: true }).unwrap()
}

/// Returns what the handler runs on.
pub(crate) fn run(actions: &Actions) -> &Run {
    assert_eq!(actions.reports(), []);
    match actions.as_slice() {
        [Action::Run(run)] => run,
        other => panic!("the handler runs, found {other:?} {}", answer(actions).1),
    }
}

/// Returns the HTTP status and the body of the one answer.
pub(crate) fn answer(actions: &Actions) -> (u16, Value) {
    let mut responds = actions.as_slice().iter().filter_map(|action| match action {
        Action::Respond(respond) => Some(respond),
        _ => None,
    });
    let respond = responds.next().expect("it is answered");
    assert!(responds.next().is_none(), "it is answered once");
    let json = respond.body.as_ref().map_or("null", RawJson::as_str);
    (respond.status, value(json))
}

/// Expects an error that ends the request without another action, and returns its status and code.
pub(crate) fn refused(exchange: &Exchange, actions: &Actions) -> (u16, i64) {
    assert!(matches!(actions.as_slice(), [Action::Respond(_)]), "{actions:?}");
    assert_eq!(exchange.phase(), Phase::Settled);
    error_code(actions)
}

/// Expects an error with its one report, and returns its status and code.
pub(crate) fn error_code(actions: &Actions) -> (u16, i64) {
    report(actions);
    let (status, body) = answer(actions);
    assert!(body.get("result").is_none(), "{body}");
    (status, body["error"]["code"].as_i64().expect("an error has a code"))
}

pub(crate) fn report(actions: &Actions) -> &Report {
    let [report] = actions.reports() else { panic!("it is reported once, found {actions:?}") };
    report
}

/// Expects an internal error that tells nothing, and returns what is reported of the handler.
pub(crate) fn faulted(actions: &Actions) -> &HandlerFault {
    let (status, body) = answer(actions);
    assert_eq!((status, &body["error"]["code"]), (200, &json!(RpcError::INTERNAL)), "{body}");
    assert!(body.get("result").is_none());
    match &report(actions).kind {
        ReportKind::HandlerFault(fault) => fault,
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

/// Asks a person to open a page.
pub(crate) fn page(message: &str, url: &str) -> InputRequest {
    InputRequest::url(message, url).unwrap()
}

/// Asks the client's model.
pub(crate) fn model(builder: SamplingBuilder) -> InputRequest {
    builder.build().unwrap().into()
}

/// Calls the tool, which needs something, and returns the `result` of the answer.
pub(crate) fn asked(endpoint: &Arc<Endpoint>, need: Need) -> Value {
    let (mut exchange, actions) = call(endpoint, &params());
    run(&actions);
    let mut body = answer(&end(&mut exchange, Ending::Need(need))).1;
    assert!(body.get("error").is_none(), "{body}");
    body["result"].take()
}

/// Returns the state of a round that asks `sure`.
pub(crate) fn state(endpoint: &Arc<Endpoint>) -> Value {
    asked(endpoint, Need::new().request("sure", sure()))["requestState"].clone()
}

pub(crate) fn yes() -> Value {
    json!({"sure": {"action": "accept", "content": {"ok": true}}})
}
