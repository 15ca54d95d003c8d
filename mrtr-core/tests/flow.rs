//! What a server can ask beyond forms, states that are used once, flows, and earlier revisions.

#![cfg(feature = "request-state")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

use form_model::{FlagField, Form, FormBuilder, TextField};
use getrandom::{SysRng, rand_core::UnwrapErr};
use mrtr_core::{
    Endpoint, Exchange, InputRequest, Keyring, Need, OpenCause, Phase, RequestState, UnixTime,
    exchange::{
        Action, Answered, Consent, Elicited, Event, Flow, HandlerFault, IncludeContext, Incoming,
        Misuse, Pending, Report, Run, Sampling,
    },
    wire::{Capabilities, RawJson, RpcError},
};
use serde_json::{Value, json};

const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

fn states() -> RequestState {
    RequestState::new(Keyring::new([("k1", [7; 32])]).unwrap())
}

fn endpoint() -> Endpoint {
    Endpoint::new("shop").with_request_state(states())
}

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// The message of a call, with what a retry adds.
fn message(capabilities: &Value, state: Option<&Value>, responses: Option<Value>) -> String {
    let mut params = json!({
        "name": "order",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
    });
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    if let Some(responses) = responses {
        params["inputResponses"] = responses;
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

fn receive<'e>(endpoint: &'e Endpoint, message: &str) -> (Exchange<'e>, Vec<Action>) {
    let incoming = Incoming { message: message.as_bytes(), headers: None, principal: None };
    let (exchange, actions) = Exchange::receive(endpoint, NOW, incoming);
    (exchange, actions.into_iter().collect())
}

fn end(exchange: &mut Exchange<'_>, event: Event) -> Vec<Action> {
    exchange.handle(NOW, &mut UnwrapErr(SysRng), event).unwrap().into_iter().collect()
}

fn run(actions: &[Action]) -> &Run {
    match actions {
        [Action::Run(run)] => run,
        other => panic!("the handler runs, found {other:?}"),
    }
}

fn body(actions: &[Action]) -> Value {
    let respond = actions.iter().find_map(|action| match action {
        Action::Respond(respond) => respond.body.as_ref(),
        _ => None,
    });
    serde_json::from_str(respond.expect("it is answered").as_str()).unwrap()
}

fn report(actions: &[Action]) -> &Report {
    let report = actions.iter().find_map(|action| match action {
        Action::Report(report) => Some(report),
        _ => None,
    });
    report.expect("it is reported")
}

fn confirm() -> Form {
    FormBuilder::new().field(FlagField::new("ok").required()).build().unwrap()
}

fn name() -> Form {
    FormBuilder::new().field(TextField::new("name").required()).build().unwrap()
}

fn all_kinds() -> Need {
    let sampling = Sampling::new(100)
        .system_prompt("Be brief.")
        .user("Capital of France?")
        .assistant("Paris?")
        .temperature("0.5".parse().unwrap())
        .stop_sequences(&["\n"])
        .model_preferences(&raw(r#"{"speedPriority":1}"#))
        .metadata(&raw("{}"))
        .tools(&raw("[]"))
        .tool_choice(&raw(r#"{"mode":"auto"}"#))
        .include_context(IncludeContext::ThisServer);
    Need::new()
        .request("form", InputRequest::form("Sure?", confirm()))
        .request("url", InputRequest::url("Sign in", "https://auth.example/x"))
        .request("model", InputRequest::sampling(sampling))
        .request("roots", InputRequest::roots())
}

const SAMPLED: &str =
    r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#;

/// proves: SV-08, SV-01
#[test]
fn every_kind_is_asked_as_the_specification_spells_it_and_its_answer_comes_typed() {
    let endpoint = endpoint();
    let (mut exchange, actions) = receive(&endpoint, &message(&everything(), None, None));
    assert!(all_kinds().missing(run(&actions).capabilities).is_empty());
    let asked = body(&end(&mut exchange, Event::Need(all_kinds())));
    let requests = &asked["result"]["inputRequests"];
    assert_eq!(
        requests["url"],
        json!({"method": "elicitation/create", "params": {
        "mode": "url", "message": "Sign in", "url": "https://auth.example/x"}})
    );
    assert_eq!(requests["roots"], json!({"method": "roots/list"}));
    assert_eq!(
        requests["model"],
        json!({"method": "sampling/createMessage", "params": {
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Capital of France?"}},
                {"role": "assistant", "content": {"type": "text", "text": "Paris?"}},
            ],
            "maxTokens": 100, "includeContext": "thisServer", "systemPrompt": "Be brief.",
            "temperature": 0.5, "stopSequences": ["\n"], "modelPreferences": {"speedPriority": 1},
            "metadata": {}, "tools": [], "toolChoice": {"mode": "auto"},
        }})
    );

    let sampled: Value = serde_json::from_str(SAMPLED).unwrap();
    let responses = json!({
        "form": {"action": "accept", "content": {"ok": true}},
        "url": {"action": "accept"},
        "model": sampled,
        "roots": {"roots": [{"uri": "file:///a"}]},
    });
    let state = &asked["result"]["requestState"];
    let (_, actions) = receive(&endpoint, &message(&everything(), Some(state), Some(responses)));
    let answers = &run(&actions).answers;
    assert!(
        matches!(answers.form("form"), Some(Elicited::Accepted(answer)) if answer.flag("ok") == Some(true))
    );
    assert_eq!(answers.url("url"), Some(Consent::Given));
    assert!(
        matches!(answers.get("model"), Some(Answered::Sampled(json)) if json.as_str().contains("Paris"))
    );
    assert!(matches!(answers.get("roots"), Some(Answered::Roots(_))));
    // An answer is read as the kind that was asked, and as no other.
    assert_eq!((answers.form("url"), answers.url("form")), (None, None));
}

/// proves: SV-04
#[test]
fn an_answer_of_another_kind_than_was_asked_does_not_reach_the_handler() {
    let endpoint = endpoint();
    let (mut exchange, _) = receive(&endpoint, &message(&everything(), None, None));
    let asked = body(&end(&mut exchange, Event::Need(all_kinds())));
    let state = &asked["result"]["requestState"];
    let sampled: Value = serde_json::from_str(SAMPLED).unwrap();
    for wrong in [
        json!({"form": sampled}),
        json!({"url": sampled}),
        json!({"model": {"action": "accept"}}),
        json!({"model": {"role": "assistant"}}),
        json!({"roots": {"roots": [7]}}),
        json!({"roots": []}),
        json!({"url": {"action": "open"}}),
    ] {
        let retry = message(&everything(), Some(state), Some(wrong.clone()));
        let (exchange, actions) = receive(&endpoint, &retry);
        assert_eq!(body(&actions)["error"]["code"], RpcError::INVALID_PARAMS, "{wrong}");
        assert_eq!(exchange.phase(), Phase::Settled);
    }
}

/// proves: SV-03
#[test]
fn each_kind_needs_its_capability_and_all_that_is_missing_is_named() {
    let endpoint = endpoint();
    let plain = || Sampling::new(1).user("?");
    let tools = || InputRequest::sampling(plain().tools(&raw("[]")));
    let choice = || InputRequest::sampling(plain().tool_choice(&raw("{}")));
    let context = || InputRequest::sampling(plain().include_context(IncludeContext::AllServers));
    let url = || InputRequest::url("m", "https://a.example/");
    for (requests, declared, required) in [
        (vec![InputRequest::form("m", confirm())], json!({"elicitation": {}}), None),
        (vec![url()], json!({"elicitation": {}}), Some(json!({"elicitation": {"url": {}}}))),
        (vec![url()], json!({"elicitation": {"url": {}}}), None),
        (vec![InputRequest::sampling(plain())], json!({"sampling": {}}), None),
        (vec![InputRequest::sampling(plain())], json!({}), Some(json!({"sampling": {}}))),
        (vec![tools()], json!({"sampling": {}}), Some(json!({"sampling": {"tools": {}}}))),
        (vec![choice()], json!({"sampling": {}}), Some(json!({"sampling": {"tools": {}}}))),
        (vec![choice()], json!({"sampling": {"tools": {}}}), None),
        (
            vec![context()],
            json!({"sampling": {"tools": {}}}),
            Some(json!({"sampling": {"context": {}}})),
        ),
        (vec![InputRequest::roots()], json!({"roots": {"listChanged": true}}), None),
        (
            vec![InputRequest::roots(), url(), tools()],
            json!({"elicitation": {"form": {}}}),
            Some(json!({"elicitation": {"url": {}}, "sampling": {"tools": {}}, "roots": {}})),
        ),
    ] {
        let requests = requests.into_iter().enumerate();
        let need = requests
            .fold(Need::new(), |need, (index, request)| need.request(format!("k{index}"), request));
        let (mut exchange, actions) = receive(&endpoint, &message(&declared, None, None));
        let missing = need.missing(run(&actions).capabilities);
        let answer = body(&end(&mut exchange, Event::Need(need)));
        let found = answer["error"]["data"].get("requiredCapabilities");
        assert_eq!(found, required.as_ref(), "{declared}");
        assert_eq!(missing == Capabilities::NONE, required.is_none());
    }
}

/// proves: SV-08
#[test]
fn a_request_that_a_client_would_refuse_is_not_sent() {
    let endpoint = endpoint();
    for request in [
        InputRequest::url("m", "javascript:alert(1)"),
        InputRequest::url("m", "example.com"),
        InputRequest::sampling(Sampling::new(0).user("?")),
    ] {
        let (mut exchange, _) = receive(&endpoint, &message(&everything(), None, None));
        let actions = end(&mut exchange, Event::Need(Need::new().request("k", request)));
        assert_eq!(body(&actions)["error"]["code"], RpcError::INTERNAL);
        let Report::HandlerFault { fault: HandlerFault::Request(_), .. } = report(&actions) else {
            panic!("the fault is reported")
        };
    }
}

fn sealed(endpoint: &Endpoint) -> Value {
    let (mut exchange, _) = receive(endpoint, &message(&everything(), None, None));
    let need = Need::new().request("sure", InputRequest::form("Sure?", confirm()));
    body(&end(&mut exchange, Event::Need(need)))["result"]["requestState"].clone()
}

fn yes() -> Value {
    json!({"sure": {"action": "accept", "content": {"ok": true}}})
}

/// proves: ST-08
#[test]
fn a_state_that_may_be_used_once_is_redeemed_before_the_handler_runs() {
    let endpoint = endpoint().with_single_use();
    let state = sealed(&endpoint);
    let retry = message(&everything(), Some(&state), Some(yes()));
    let redeem = |actions: &[Action]| match actions {
        [Action::Redeem { id, until }] => (*id, *until),
        other => panic!("it is redeemed first, found {other:?}"),
    };
    let (mut first, actions) = receive(&endpoint, &retry);
    let (id, until) = redeem(&actions);
    // 60 seconds for nobody in particular, and 30 for the clock of another server.
    assert_eq!(until, UnixTime::from_secs(NOW.as_secs() + 60 + 30));
    // Nothing that a handler could say counts before the store was heard.
    let mut rng = UnwrapErr(SysRng);
    let before = first.clone();
    let early = first.handle(NOW, &mut rng, Event::Finish(raw("{}")));
    assert_eq!(early, Err(Misuse::NotRedeemed));
    assert_eq!(first, before);
    let actions = end(&mut first, Event::Redeemed { first: true });
    assert!(run(&actions).answers.form("sure").is_some());
    assert_eq!(
        first.handle(NOW, &mut rng, Event::Redeemed { first: true }),
        Err(Misuse::NothingToRedeem)
    );
    assert!(body(&end(&mut first, Event::Finish(raw("{}")))).get("result").is_some());

    // The same state again, here or on another server with the keys: the store knows its id.
    let (mut second, actions) = receive(&endpoint, &retry);
    assert_eq!(redeem(&actions).0, id);
    let actions = end(&mut second, Event::Redeemed { first: false });
    assert_eq!(body(&actions)["error"]["message"], "Invalid requestState");
    assert!(matches!(report(&actions), Report::StateReused { .. }));
    assert_eq!(second.phase(), Phase::Settled);

    let (mut third, _) = receive(&endpoint, &retry);
    let actions = end(&mut third, Event::StoreFailed);
    assert_eq!(body(&actions)["error"]["code"], RpcError::INTERNAL);
    assert!(matches!(report(&actions), Report::StoreFailed { .. }));
}

/// proves: ST-08
#[test]
fn a_handler_that_failed_before_it_did_anything_gives_the_state_back() {
    let endpoint = endpoint().with_single_use();
    let state = sealed(&endpoint);
    let retry = message(&everything(), Some(&state), Some(yes()));
    let (mut exchange, actions) = receive(&endpoint, &retry);
    let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("it is redeemed") };
    end(&mut exchange, Event::Redeemed { first: true });
    let actions = end(&mut exchange, Event::Abandon(RpcError::new(-1, "busy")));
    let [Action::Release { id: released }, Action::Respond(_)] = actions.as_slice() else {
        panic!("it is released, found {actions:?}")
    };
    assert_eq!(released, id);
    // One that failed later keeps it used.
    let (mut exchange, _) = receive(&endpoint, &retry);
    end(&mut exchange, Event::Redeemed { first: true });
    let actions = end(&mut exchange, Event::Fail(RpcError::new(-1, "broken")));
    assert!(!actions.iter().any(|action| matches!(action, Action::Release { .. })));
    // A first request has nothing to redeem.
    let (_, actions) = receive(&endpoint, &message(&everything(), None, None));
    run(&actions);
}

/// The handler of a flow: two questions, one after another, and two at once.
fn order(run: &Run) -> Event {
    Flow::run(run, |flow| {
        let Elicited::Accepted(who) = flow.form("who", "Who?", name())? else {
            return Ok(raw(r#"{"content":"declined"}"#));
        };
        let who = who.text("name").unwrap_or_default().to_owned();
        let answers = flow.ask_all([
            ("sure", InputRequest::form(format!("For {who}?"), confirm())),
            ("roots", InputRequest::roots()),
        ])?;
        assert_eq!(answers.len(), 2);
        Ok(raw(&format!(r#"{{"content":"for {who}"}}"#)))
    })
}

/// Plays a round of a flow, and returns the keys that are asked, or the result.
fn round(
    endpoint: &Endpoint,
    handler: fn(&Run) -> Event,
    state: Option<&Value>,
    responses: Value,
) -> Value {
    let (mut exchange, actions) =
        receive(endpoint, &message(&everything(), state, Some(responses)));
    let event = handler(run(&actions));
    body(&end(&mut exchange, event))
}

fn keys(body: &Value) -> Vec<&str> {
    let requests = body["result"]["inputRequests"].as_object().unwrap();
    let mut keys: Vec<&str> = requests.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// proves: SV-10
#[test]
fn a_flow_is_written_once_and_asks_for_what_it_still_lacks() {
    let endpoint = endpoint();
    let first = round(&endpoint, order, None, json!({}));
    assert_eq!(keys(&first), ["who"]);
    let who = json!({"who": {"action": "accept", "content": {"name": "Zoë"}}});
    let second = round(&endpoint, order, Some(&first["result"]["requestState"]), who);
    assert_eq!(keys(&second), ["roots", "sure"]);
    let state = &second["result"]["requestState"];
    // The first answer stays, what was not asked is not seen, and what is missing is asked again.
    let partly = json!({
        "who": {"action": "accept", "content": {"name": "Eve"}},
        "admin": {"action": "accept", "content": {"ok": true}},
        "roots": {"roots": []},
    });
    let third = round(&endpoint, order, Some(state), partly);
    assert_eq!(keys(&third), ["sure"]);
    let last = json!({"sure": {"action": "accept", "content": {"ok": true}}});
    let done = round(&endpoint, order, Some(&third["result"]["requestState"]), last);
    assert_eq!(done["result"]["content"], "for Zoë");
    let declined = json!({"who": {"action": "decline"}});
    let done = round(&endpoint, order, Some(&first["result"]["requestState"]), declined);
    assert_eq!(done["result"]["content"], "declined");
}

/// proves: SV-10
#[test]
fn a_flow_that_asks_otherwise_than_before_is_refused() {
    fn other_order(run: &Run) -> Event {
        Flow::run(run, |flow| {
            flow.form("sure", "Sure?", confirm())?;
            flow.form("who", "Who?", name())?;
            Ok(raw("{}"))
        })
    }
    fn other_form(run: &Run) -> Event {
        Flow::run(run, |flow| {
            flow.form("who", "Who?", confirm())?;
            Ok(raw("{}"))
        })
    }
    fn twice(run: &Run) -> Event {
        Flow::run(run, |flow| {
            flow.form("who", "Who?", name())?;
            flow.form("who", "Who?", name())?;
            Ok(raw("{}"))
        })
    }
    let endpoint = endpoint();
    let first = round(&endpoint, order, None, json!({}));
    let state = &first["result"]["requestState"];
    let who = json!({"who": {"action": "accept", "content": {"name": "Zoë"}}});
    for handler in [other_order, other_form, twice] {
        let (mut exchange, actions) =
            receive(&endpoint, &message(&everything(), Some(state), Some(who.clone())));
        let event = handler(run(&actions));
        let actions = end(&mut exchange, event);
        assert_eq!(body(&actions)["error"]["code"], RpcError::INTERNAL);
        let changed = matches!(
            report(&actions),
            Report::HandlerFault { fault: HandlerFault::FlowChanged, .. }
        );
        assert!(changed, "{:?}", report(&actions));
    }
}

/// proves: SV-10
#[test]
fn what_a_flow_trips_over_is_an_internal_error_and_what_it_refuses_its_own() {
    fn trips(run: &Run) -> Event {
        Flow::run(run, |_| {
            "x".parse::<i32>()?;
            Ok(raw("{}"))
        })
    }
    fn refuses(run: &Run) -> Event {
        Flow::run(run, |_| Err(Pending::Failed(RpcError::new(-7, "sold out"))))
    }
    let endpoint = endpoint();
    assert_eq!(round(&endpoint, trips, None, json!({}))["error"]["code"], RpcError::INTERNAL);
    assert_eq!(round(&endpoint, refuses, None, json!({}))["error"]["message"], "sold out");
}

/// proves: SV-06
#[test]
fn a_request_of_an_earlier_revision_runs_and_can_not_be_asked_anything() {
    let endpoint = endpoint().with_legacy();
    let old = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","requestState":"x"}}"#;
    let (mut exchange, actions) = receive(&endpoint, old);
    assert!(run(&actions).is_legacy);
    assert_eq!(run(&actions).capabilities, Capabilities::NONE);
    let need = Need::new().request("sure", InputRequest::form("Sure?", confirm()));
    let actions = end(&mut exchange, Event::Need(need));
    assert_eq!(
        body(&actions)["error"],
        json!({"code": -32603, "message": "MRTR input requests require protocol 2026-07-28"})
    );
    let (mut exchange, _) = receive(&endpoint, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert!(body(&end(&mut exchange, Event::Finish(raw("{}")))).get("result").is_some());
    // A request of this revision is held to it, there as anywhere.
    let (_, actions) =
        receive(&endpoint, &message(&json!({}), None, None).replace("2026-07-28", "1900-01-01"));
    assert_eq!(body(&actions)["error"]["code"], RpcError::UNSUPPORTED_VERSION);
    let (_, actions) = receive(&self::endpoint(), old);
    assert_eq!(body(&actions)["error"]["code"], RpcError::INVALID_PARAMS);
}

/// proves: ST-01, ST-03
#[test]
fn a_state_opens_in_the_mode_that_it_was_sealed_in_and_in_no_other() {
    let ring = || Keyring::new([("k1", [7; 32])]).unwrap();
    let encrypted = Endpoint::new("shop").with_request_state(RequestState::new(ring()));
    let signed = Endpoint::new("shop").with_request_state(RequestState::signed(ring()));
    let states = [sealed(&encrypted), sealed(&signed)];
    for (state, here, elsewhere) in
        [(&states[0], &encrypted, &signed), (&states[1], &signed, &encrypted)]
    {
        let retry = message(&everything(), Some(state), Some(yes()));
        assert_eq!(run(&receive(here, &retry).1).round, 2);
        let (_, actions) = receive(elsewhere, &retry);
        assert!(matches!(
            report(&actions),
            Report::StateRefused { cause: OpenCause::OtherMode, .. }
        ));
    }
}
