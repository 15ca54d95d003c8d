//! Each error response gives exactly one report, and it says whose doing it was.

use std::{collections::BTreeSet, sync::Arc};

use getrandom::rand_core::{TryCryptoRng, TryRng};
use mrtr_core::{
    UnixTime,
    seal::{Keyring, OpenCause, RequestState, TOKEN_BYTES_MAX},
    server::{
        Action, Actions, Ending, Endpoint, Event, Exchange, HandlerError, Incoming, Need,
        ReportKind,
    },
    wire::{Headers, InputRequest, META_CAPABILITIES, META_VERSION, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, call, confirm, end, keyless, keys, message, params, raw, redeem, report, retry,
    run, sealing, send, send_as, shop, state, sure, with, yes,
};

/// A request that was answered with an error.
struct Case {
    what: &'static str,
    actions: Actions,
    /// The method in the report.
    method: Option<&'static str>,
}

fn case(what: &'static str, actions: Actions) -> Case {
    Case { what, actions, method: Some("tools/call") }
}

fn unread(what: &'static str, message: &[u8]) -> Case {
    Case { what, actions: send(&sealing(), message).1, method: None }
}

/// Ends a call of the tool.
fn ended(endpoint: &Arc<Endpoint>, ending: Ending) -> Actions {
    let (mut exchange, actions) = call(endpoint, &params());
    run(&actions);
    end(&mut exchange, ending)
}

/// Returns a token that was sealed at a time, for a caller, by an endpoint.
fn sealed(endpoint: &Arc<Endpoint>, now: UnixTime) -> Value {
    let first = message("tools/call", &params().to_string());
    let (mut exchange, _) = send_as(endpoint, now, Some("alice"), first.as_bytes());
    let need = Ending::Need(Need::new().request("sure", sure()));
    let actions = exchange.end(now, &mut getrandom::SysRng, need).unwrap();
    answer(&actions).1["result"]["requestState"].clone()
}

/// What a client can send that is refused before its method matters.
fn malformed() -> Vec<Case> {
    let small = Arc::new(shop().with_message_bytes_max(10));
    let long = message("tools/call", &params().to_string());
    let too_long =
        Case { what: "too long", actions: send(&small, long.as_bytes()).1, method: None };
    let meta = |meta: Value| call(&sealing(), &with(params(), &[("_meta", meta)])).1;
    let headers: Headers = [("Mcp-Method", "tools/list")].into_iter().collect();
    let mismatch = Incoming::message(long.as_bytes()).with_headers(headers);
    vec![
        unread("no UTF-8", b"\xff"),
        unread("no JSON", b"{"),
        unread("too deep", "[".repeat(1000).as_bytes()),
        unread("no request", b"[]"),
        unread("an id of another kind", br#"{"jsonrpc":"2.0","id":null,"method":"tools/call"}"#),
        unread("no method", br#"{"jsonrpc":"2.0","id":7}"#),
        too_long,
        case("no params", send(&sealing(), br#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#).1),
        case("no version", meta(json!({META_CAPABILITIES: {}}))),
        case("no capabilities", meta(json!({META_VERSION: "2026-07-28"}))),
        case(
            "malformed capabilities",
            meta(json!({META_VERSION: "2026-07-28", META_CAPABILITIES: 7})),
        ),
        case("another version", meta(json!({META_VERSION: "1900-01-01", META_CAPABILITIES: {}}))),
        case("another header", Exchange::receive(&sealing(), NOW, mismatch).1),
        case("a member twice", {
            let twice = long.replace("\"arguments\":{", "\"arguments\":{\"n\":2,");
            send(&sealing(), twice.as_bytes()).1
        }),
    ]
}

/// Retries whose answers are refused.
fn unanswered() -> Vec<Case> {
    let endpoint = sealing();
    let state = state(&endpoint);
    let answered = |responses: Value| call(&endpoint, &retry(&state, responses)).1;
    vec![
        case("no object of responses", answered(json!(7))),
        case("a response of another kind", answered(json!({"sure": {"roots": []}}))),
        case("a response that does not fit", answered(json!({"sure": {"action": "accept"}}))),
    ]
}

/// Retries whose state does not open, one for each cause.
fn unopened() -> Vec<(OpenCause, Case)> {
    let ring = |id: &str, byte| Keyring::new([(id, [byte; 32])]).unwrap();
    let by = |states: RequestState| Arc::new(Endpoint::new("shop").with_request_state(states));
    let endpoint = sealing();
    let good = sealed(&endpoint, NOW);
    let at = |endpoint: &Arc<Endpoint>, token: &Value, now: UnixTime, principal: Option<&str>| {
        let text = message("tools/call", &retry(token, yes()).to_string());
        case("a state", send_as(endpoint, now, principal, text.as_bytes()).1)
    };
    let here = |endpoint: &Arc<Endpoint>| at(endpoint, &good, NOW, Some("alice"));
    let token = |token: Value| at(&endpoint, &token, NOW, Some("alice"));
    let secs = |secs: i64| UnixTime::from_secs(NOW.as_secs().checked_add_signed(secs).unwrap());
    let mut other = retry(&good, yes());
    other["arguments"]["n"] = json!(2);
    vec![
        (OpenCause::NoKeyring, here(&keyless())),
        (OpenCause::TooLong, token(json!("A".repeat(TOKEN_BYTES_MAX + 1)))),
        (OpenCause::Malformed, token(json!("AAAA"))),
        (OpenCause::Malformed, token(json!(7))),
        (OpenCause::UnknownKey, here(&by(RequestState::new(ring("k2", 7))))),
        (OpenCause::OtherMode, here(&by(RequestState::signed(keys())))),
        (OpenCause::OtherUse, here(&Arc::new(shop().with_single_use()))),
        (OpenCause::NotAuthentic, here(&by(RequestState::new(ring("k1", 8))))),
        (OpenCause::Expired, at(&endpoint, &good, secs(300), Some("alice"))),
        (OpenCause::NotYetValid, at(&endpoint, &good, secs(-31), Some("alice"))),
        (OpenCause::OtherPrincipal, at(&endpoint, &good, NOW, Some("bob"))),
        (OpenCause::OtherParams, case("a state", call(&endpoint, &other).1)),
    ]
}

/// What else a client, or the person behind it, can do that ends in an error, and what is reported.
fn refusals() -> Vec<(ReportKind, Case)> {
    let once = Arc::new(shop().with_single_use());
    let reply = |event: Event| {
        let (mut exchange, _) = call(&once, &retry(&state(&once), yes()));
        exchange.handle(event).unwrap()
    };
    let mut unable = params();
    unable["_meta"][META_CAPABILITIES] = json!({});
    let asks = || Ending::Need(Need::new().request("sure", sure()));
    let (mut missing, _) = call(&sealing(), &unable);
    let legacy = Arc::new(shop().with_legacy());
    let (mut old, _) = send(&legacy, message("tools/call", "{}").as_bytes());
    let form = mrtr_core::wire::Capabilities::NONE.with_form();
    let no_rounds = Arc::new(shop().with_limits(mrtr_core::Limits::default().rounds_max(0)));
    vec![
        (ReportKind::StateReused, case("used", reply(Event::Redeemed { first: false }))),
        (ReportKind::StoreFailed, case("the store", reply(Event::StoreFailed))),
        (
            ReportKind::MissingCapability { missing: form },
            case("a capability", end(&mut missing, asks())),
        ),
        (ReportKind::Legacy, case("an earlier revision", end(&mut old, asks()))),
        (
            ReportKind::RoundLimit { rounds_max: 0 },
            case("another round", ended(&no_rounds, asks())),
        ),
        (ReportKind::Declined, case("a person", ended(&sealing(), Ending::Declined))),
    ]
}

/// A generator that fails.
struct Failing;

impl TryRng for Failing {
    type Error = core::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(core::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(core::fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(core::fmt::Error)
    }
}

impl TryCryptoRng for Failing {}

/// What a handler can do wrong, all of it.
fn faults() -> Vec<Case> {
    let need = |need: Need| Ending::Need(need);
    let asks = || Need::new().request("sure", sure());
    let large = raw(&format!("\"{}\"", "x".repeat(TOKEN_BYTES_MAX)));
    let limits = form_model::Limits::default().fields_max(0);
    let no_forms = Arc::new(shop().with_limits(mrtr_core::Limits::default().form(limits)));
    let list = message("tools/list", &params().to_string());
    let (mut listing, _) = send(&sealing(), list.as_bytes());
    let (mut unsealed, _) = call(&sealing(), &params());
    let unsealed = unsealed.end(NOW, &mut Failing, need(asks())).unwrap();
    let blank = Need::new().request("sure", InputRequest::form(" ", confirm()));
    let listing = end(&mut listing, need(asks()));
    vec![
        Case { what: "a method", actions: listing, method: Some("tools/list") },
        case("nothing", ended(&sealing(), need(Need::new()))),
        case("a key twice", ended(&sealing(), need(asks().request("sure", sure())))),
        case("a blank message", ended(&sealing(), need(blank))),
        case("a form", ended(&no_forms, need(asks()))),
        case("no keys", ended(&keyless(), need(asks().state(raw("1"))))),
        case("a large state", ended(&sealing(), need(asks().state(large)))),
        case("no random numbers", unsealed),
        case("a changed flow", ended(&sealing(), Ending::FlowChanged)),
        case("a list", ended(&sealing(), Ending::Finish(raw("[]")))),
    ]
}

/// The error of a handler, by each code that has an HTTP status of its own, and by another.
fn failures() -> Vec<(HandlerError, Case)> {
    let codes = [
        RpcError::INTERNAL,
        RpcError::INVALID_PARAMS,
        RpcError::METHOD_NOT_FOUND,
        RpcError::MISSING_CAPABILITY,
        -1,
    ];
    let errors = codes.map(|code| HandlerError::from(RpcError::new(code, "no")));
    let errors = errors.into_iter().chain([HandlerError::internal(core::fmt::Error)]);
    let endings: [fn(HandlerError) -> Ending; 2] = [Ending::Fail, Ending::Abandon];
    errors
        .flat_map(|error| endings.map(|ending| (error.clone(), ending(error.clone()))))
        .map(|(error, ending)| (error, case("a handler", ended(&sealing(), ending))))
        .collect()
}

/// Expects an error with exactly one report, and returns what it reports.
fn reported(Case { what, actions, method }: &Case) -> ReportKind {
    let (_, body) = answer(actions);
    assert!(body["error"]["code"].is_i64() && body.get("result").is_none(), "{what}: {body}");
    assert_eq!(actions.reports().len(), 1, "{what}: {actions:?}");
    let report = report(actions);
    assert_eq!((&*report.endpoint, report.method.as_deref()), ("shop", *method), "{what}");
    report.kind.clone()
}

/// Returns the name of a variant.
fn name(value: &impl core::fmt::Debug) -> String {
    let shown = format!("{value:?}");
    shown.split([' ', '(', '{']).next().unwrap().into()
}

/// proves: SV-14, SV-09
#[test]
fn each_error_gives_one_report_that_names_the_endpoint_and_says_whose_doing_it_was() {
    let mut kinds = BTreeSet::new();
    for case in malformed().iter().chain(&unanswered()) {
        let code = answer(&case.actions).1["error"]["code"].as_i64().unwrap();
        assert_eq!(reported(case), ReportKind::Refused { code }, "{}", case.what);
        kinds.insert("Refused".to_owned());
    }
    for (cause, case) in unopened() {
        assert_eq!(reported(&case), ReportKind::StateRefused { cause });
        kinds.insert("StateRefused".into());
    }
    for (kind, case) in refusals() {
        assert_eq!(reported(&case), kind, "{}", case.what);
        kinds.insert(name(&kind));
    }
    for (error, case) in failures() {
        assert_eq!(reported(&case), ReportKind::HandlerFailed(error));
        kinds.insert("HandlerFailed".into());
    }
    for case in faults() {
        let kind = reported(&case);
        assert!(matches!(kind, ReportKind::HandlerFault(_)), "{}: {kind:?}", case.what);
        kinds.insert(name(&kind));
    }
    let all = [
        "Declined",
        "HandlerFailed",
        "HandlerFault",
        "Legacy",
        "RoundLimit",
        "MissingCapability",
        "Refused",
        "StateRefused",
        "StateReused",
        "StoreFailed",
    ];
    assert_eq!(kinds, all.map(String::from).into(), "only a round that is sent is missing here");
}

/// proves: SV-14, ST-06
#[test]
fn each_cause_and_each_fault_is_reported_under_its_own_name() {
    let causes: BTreeSet<_> = unopened().iter().map(|(cause, _)| *cause).collect();
    assert_eq!(causes.len(), 11);
    let messages: BTreeSet<_> =
        unopened().iter().map(|(_, case)| answer(&case.actions).1.to_string()).collect();
    assert_eq!(messages.len(), 1, "the client hears the same of every cause");
    let found = faults().into_iter().map(|case| reported(&case)).map(|kind| match kind {
        ReportKind::HandlerFault(fault) => name(&fault),
        other => panic!("{other:?}"),
    });
    let all = [
        "MethodCannotAsk",
        "EmptyNeed",
        "DuplicateKey",
        "Request",
        "Form",
        "NoKeyring",
        "StateTooLarge",
        "NotSealed",
        "FlowChanged",
        "Result",
    ];
    assert_eq!(found.collect::<Vec<_>>(), all);
}

/// proves: SV-14, SV-09
#[test]
fn what_is_no_error_gives_no_report_and_a_round_gives_its_own() {
    let once = Arc::new(shop().with_single_use());
    let notification = br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    let (_, noticed) = send(&once, notification);
    let (_, first) = call(&once, &params());
    let (mut exchange, asked) = call(&once, &retry(&state(&once), yes()));
    assert!(matches!(asked.as_slice(), [Action::Redeem { .. }]));
    let redeemed = redeem(&mut exchange);
    let finished = end(&mut exchange, Ending::Finish(raw("{}")));
    for actions in [noticed, first, asked, redeemed, finished] {
        assert_eq!(actions.reports(), [], "{actions:?}");
        assert_eq!(actions.as_slice().len(), 1);
    }
    let round = ended(&once, Ending::Need(Need::new().request("sure", sure())));
    assert_eq!(report(&round).kind, ReportKind::InputRequired { round: 1, requests: 1 });
    assert_eq!(&*report(&round).endpoint, "shop");
}

/// proves: SV-14
#[test]
fn no_text_of_a_fault_repeats_its_source_or_what_a_client_sent() {
    for case in faults() {
        let ReportKind::HandlerFault(fault) = reported(&case) else { panic!() };
        let text = fault.to_string();
        let source = core::error::Error::source(&fault).map(ToString::to_string);
        assert!(source.is_none_or(|source| !text.contains(&source)), "{text}");
        assert!(text.starts_with(|letter: char| letter.is_lowercase()) && !text.ends_with('.'));
    }
}

/// proves: SV-09, SV-14
#[test]
fn a_report_repeats_no_long_and_no_forged_word_of_a_client() {
    let long = format!("tools/{}", "x".repeat(64));
    for (method, is_named) in [("tools/call", true), (&*long, false), ("a\\nforged line", false)] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#);
        let (_, actions) = send(&sealing(), message.as_bytes());
        assert_eq!(report(&actions).method.is_some(), is_named, "{method}");
    }
    let call = message("a\\u001b[31m\\nforged line", &params().to_string());
    let (_, actions) = send(&sealing(), call.as_bytes());
    let shown = format!("{:?}", actions.as_slice());
    assert!(shown.contains("Run(") && !shown.contains(['\n', '\u{1b}']), "{shown}");
}

/// proves: SV-14
#[test]
fn a_cause_may_be_a_boxed_error_or_a_text() {
    let boxed: Box<dyn core::error::Error + Send + Sync> = "no room".into();
    for error in [HandlerError::internal(boxed), HandlerError::internal("no room")] {
        assert_eq!(error.cause().map(ToString::to_string).as_deref(), Some("no room"));
    }
}
