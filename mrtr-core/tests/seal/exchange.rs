//! Tokens of an exchange, beside those of an embedder.

use std::sync::Arc;

use getrandom::SysRng;
use mrtr_core::{
    seal::{Context, OpenCause, RequestState},
    server::{Action, Ending, Endpoint, Exchange, Incoming, Need, ReportKind},
    wire::InputRequest,
};
use serde_json::Value;

use crate::play::{Counting, NOW, purpose, raw, ring};

/// Returns the state that an exchange seals when it asks for consent to a URL.
///
/// Its random bytes are those of [`Counting`].
pub(crate) fn sealed_by_an_exchange(params: &str) -> String {
    let endpoint = endpoint(RequestState::new(ring()));
    let message = message(params, None);
    let incoming = Incoming::message(message.as_bytes()).with_principal("alice");
    let (mut exchange, _) = Exchange::receive(&endpoint, NOW, incoming);
    let need = Need::new()
        .request("sure", InputRequest::url("Sure?", "https://example.com/sure").unwrap())
        .state(raw(r#"{"step":2}"#));
    let actions = exchange.end(NOW, &mut Counting::default(), Ending::Need(need)).unwrap();
    let [Action::Respond(respond)] = actions.as_slice() else {
        panic!("it asks, found {actions:?}")
    };
    assert!(matches!(actions.reports()[0].kind, ReportKind::InputRequired { .. }));
    let body: Value = serde_json::from_str(respond.body.as_ref().unwrap().as_str()).unwrap();
    body["result"]["requestState"].as_str().unwrap().into()
}

fn endpoint(states: RequestState) -> Arc<Endpoint> {
    Arc::new(Endpoint::new("deployments").with_request_state(states))
}

/// The message of a client that can be asked for consent to a URL.
fn message(params: &str, state: Option<&str>) -> String {
    let params = params.strip_suffix('}').unwrap();
    let state = state.map(|state| format!(r#","requestState":"{state}""#)).unwrap_or_default();
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}{state},"_meta":{{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"url":{{}}}}}}}}}}}}"#
    )
}

const PARAMS: &str = r#"{"name":"deploy"}"#;

/// proves: ST-12
#[test]
fn a_token_of_an_embedder_does_not_open_in_an_exchange() {
    let states = RequestState::new(ring());
    let (purpose, params) = (purpose("example.com/gateway resume"), raw(PARAMS));
    let context = Context::new(&purpose, "tools/call", "deployments", &params).unwrap();
    let payload = br#"{"singleUse":false,"asked":{},"state":1}"#;
    let context = context.with_principal("alice");
    let token = states.seal(&mut SysRng, NOW, &context, 1, payload).unwrap();
    let endpoint = endpoint(states);
    let message = message(PARAMS, Some(&token));
    let incoming = Incoming::message(message.as_bytes()).with_principal("alice");
    let (_, actions) = Exchange::receive(&endpoint, NOW, incoming);
    let [report] = actions.reports() else { panic!("it is reported, found {actions:?}") };
    assert_eq!(report.kind, ReportKind::StateRefused { cause: OpenCause::NotAuthentic });
}

/// proves: ST-12
#[test]
fn a_token_of_an_exchange_does_not_open_for_an_embedder() {
    let (purpose, params) = (purpose("example.com/gateway resume"), raw(PARAMS));
    let context = Context::new(&purpose, "tools/call", "deployments", &params).unwrap();
    let token = sealed_by_an_exchange(PARAMS);
    let error = RequestState::new(ring()).open(NOW, &context.with_principal("alice"), &token);
    assert_eq!(error.unwrap_err().cause(), OpenCause::NotAuthentic);
}

/// proves: ST-12
#[test]
fn an_exchange_opens_what_it_sealed() {
    let endpoint = endpoint(RequestState::new(ring()));
    let message = message(PARAMS, Some(&sealed_by_an_exchange(PARAMS)));
    let incoming = Incoming::message(message.as_bytes()).with_principal("alice");
    let (mut exchange, actions) = Exchange::receive(&endpoint, NOW, incoming);
    let [Action::Run(run)] = actions.as_slice() else { panic!("it runs, found {actions:?}") };
    assert_eq!((run.round, run.state.as_ref().unwrap().as_str()), (2, r#"{"step":2}"#));
    assert!(exchange.end(NOW, &mut SysRng, Ending::Finish(raw("{}"))).is_ok());
}
