//! The server role: endpoints with keys, the requests of their clients, and what comes of them.

use crate::invariants::SECRET;
use core::fmt::Write as _;
use std::{collections::BTreeMap, sync::Arc};

use form_model::Form;
use mrtr_core::{
    Phase, UnixTime,
    seal::{Keyring, OpenCause, RequestState},
    server::{
        Action, Ending, Endpoint, Event, Exchange, Incoming, Misuse, Need, ReportKind, Respond, Run,
    },
    wire::{InputRequest, RawJson, SamplingBuilder},
};
use serde_json::{Value, value::RawValue};

use crate::random::{Count, Random};

/// When everything happens, unless a test says otherwise.
pub const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

/// Makes tokens come out the same each time.
pub type Counting = Random<Count>;

/// Makes what seals states, with keys in the order of the ring.
#[must_use]
pub fn states(signed: bool, keys: &[(&str, [u8; 32])]) -> RequestState {
    let ring = Keyring::new(keys.iter().copied()).unwrap();
    if signed { RequestState::signed(ring) } else { RequestState::new(ring) }
}

/// Makes the endpoint that most requests go to: its states are signed or encrypted.
#[must_use]
pub fn endpoint(signed: bool) -> Endpoint {
    Endpoint::new("deployments").with_request_state(states(signed, &[("k1", [7; 32])]))
}

/// Writes a request of a client that can be asked everything. The members of the params are JSON.
#[must_use]
pub fn message(method: &str, members: &[(&str, &str)]) -> String {
    let mut params = String::new();
    for (name, json) in members {
        write!(params, r#""{name}":{json},"#).unwrap();
    }
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}},"url":{{}}}},"sampling":{{}},"roots":{{}}}}}}}}}}"#
    )
}

/// Asks a question of every kind, each under its key.
#[must_use]
pub fn questions() -> [(&'static str, InputRequest); 4] {
    let form = r#"{"type":"object","properties":{"t":{"type":"string"},"n":{"type":"number"},
        "f":{"type":"boolean"},"m":{"type":"array","items":{"enum":["a","b"]}}},"required":["f"]}"#;
    [
        ("form", InputRequest::form("Sure?", Form::from_schema(form).unwrap())),
        ("url", InputRequest::url("Sign in", "https://auth.example/x").unwrap()),
        ("model", SamplingBuilder::new(100).user("Who?").build().unwrap().into()),
        ("roots", InputRequest::Roots),
    ]
}

/// Needs the answers to all [`questions`].
#[must_use]
pub fn all_kinds() -> Need {
    questions().into_iter().fold(Need::new(), |need, (key, request)| need.request(key, request))
}

/// What came of a request.
#[derive(Debug)]
pub enum Came {
    /// The handler runs.
    Runs(Box<Exchange>, Box<Run>),
    /// The state is to be redeemed before the handler runs.
    Waits(Box<Exchange>),
    /// It is answered, and the handler does not run. The cause is there if the state was refused.
    Refused(Respond, Option<OpenCause>),
}

/// Brings a request to an endpoint, and checks what must be so whatever it says: one thing is to be
/// done with it, one that is refused stays refused, each error is reported once, and nothing secret
/// is shown.
pub fn receive(endpoint: &Arc<Endpoint>, now: UnixTime, incoming: Incoming<'_>) -> Came {
    let (mut exchange, actions) = Exchange::receive(endpoint, now, incoming);
    let shown = format!("{exchange:?} {actions:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    let finish = || Ending::Finish(RawJson::parse("{}").unwrap());
    let redeemed = Event::Redeemed { first: true };
    let respond = match actions.as_slice() {
        [Action::Run(run)] => {
            assert_eq!(exchange.handle(redeemed), Err(Misuse::NothingToRedeem));
            assert_eq!(actions.reports(), []);
            return Came::Runs(Box::new(exchange), run.clone());
        }
        [Action::Redeem { .. }] => {
            let refused = exchange.end(now, &mut Counting::default(), finish());
            assert_eq!(refused, Err(Misuse::NotRedeemed));
            assert_eq!(actions.reports(), []);
            assert_eq!(exchange.phase(), Phase::Pausing);
            return Came::Waits(Box::new(exchange));
        }
        [Action::Respond(respond)] => respond,
        other => panic!("expected one thing to do, found {other:?}"),
    };
    assert_eq!(exchange.phase(), Phase::Settled);
    let refused = exchange.end(now, &mut Counting::default(), finish());
    assert_eq!(refused, Err(Misuse::Answered));
    assert_eq!(exchange.handle(redeemed), Err(Misuse::Answered));
    let is_notification = respond.status == 202 && respond.body.is_none();
    let cause = match actions.reports() {
        [] if is_notification => None,
        [report] => match report.kind {
            ReportKind::Refused { code } => {
                assert!(code < 0 && code == code_of(respond));
                None
            }
            ReportKind::StateRefused { cause } => {
                let can_ask = ["tools/call", "prompts/get", "resources/read"];
                let method = report.method.as_deref().unwrap();
                assert!(can_ask.contains(&method), "{method} has no states");
                assert_eq!(code_of(respond), -32602);
                Some(cause)
            }
            _ => panic!("expected a refusal, found {report:?}"),
        },
        other => panic!("expected one report of an error, found {other:?}"),
    };
    Came::Refused(respond.clone(), cause)
}

/// Returns the code of an error.
///
/// # Panics
///
/// If the answer is not an error.
#[must_use]
pub fn code_of(respond: &Respond) -> i64 {
    // An id may be a number that no `Value` holds.
    let body = respond.body.as_ref().unwrap().as_str();
    let body: BTreeMap<String, Box<RawValue>> = serde_json::from_str(body).unwrap();
    assert!(!body.contains_key("result"), "{body:?}");
    let error: Value = serde_json::from_str(body.get("error").unwrap().get()).unwrap();
    error.get("code").and_then(Value::as_i64).unwrap()
}

/// Ends a round with questions, and returns the state that the client is to bring back.
///
/// # Panics
///
/// If the round is not sent.
pub fn ask(exchange: &mut Exchange, now: UnixTime, rng: &mut Counting, need: Need) -> String {
    let actions = exchange.end(now, rng, Ending::Need(need)).unwrap();
    let shown = format!("{exchange:?} {actions:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    let ([Action::Respond(respond)], [_]) = (actions.as_slice(), actions.reports()) else {
        panic!("expected a round and its report, found {actions:?}")
    };
    let body: Value = serde_json::from_str(respond.body.as_ref().unwrap().as_str()).unwrap();
    body.pointer("/result/requestState").and_then(Value::as_str).unwrap().into()
}

/// Sends a first request that is sound, has its handler ask, and returns the sealed state.
///
/// # Panics
///
/// If the handler does not run.
pub fn first_round(
    endpoint: &Arc<Endpoint>,
    now: UnixTime,
    principal: Option<&str>,
    message: &str,
    need: Need,
) -> String {
    let incoming = Incoming::message(message.as_bytes()).with_principal(principal);
    match receive(endpoint, now, incoming) {
        Came::Runs(mut exchange, run) => {
            assert_eq!((run.round, run.state), (1, None));
            ask(&mut exchange, now, &mut Counting::default(), need)
        }
        other => panic!("expected the handler to run, found {other:?}"),
    }
}
