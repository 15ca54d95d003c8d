//! The acceptance criteria of the Maka RFC that concern the client, one by one. Those that are left
//! out concern the host: its stop (7), its restart (9), its surfaces (14), its providers (16).

use core::time::Duration;

use form_model::Content;
use mrtr_core::{
    Clock, Clocks, Limits, Phase,
    client::{Action, Binding, Claims, CloseReason, Event, Fault, Misuse, Outcome},
    wire::{InputResponse, META_CAPABILITIES, Method, RawJson, ResponseError, Revision, WireError},
};
use serde_json::Value;

use crate::play::{
    CONFIRM, DONE, METHODS, PARAMS, Play, ROOTS, SAMPLING, URL, answer, asked, asking, decoded,
    faulted, form, members, param, request, request_of, sent, settled, state_only, yes,
};

const TARGET: &str = r#"{"type":"object","properties":{
    "environment":{"type":"string","enum":["staging","production"]},
    "replicas":{"type":"integer"},"confirm":{"type":"boolean"}},
    "required":["environment","confirm"]}"#;

fn started(claims: Claims) -> Play {
    Play::started(request("call-7", PARAMS), claims, Limits::default())
}

fn forms() -> Claims {
    Claims::none().with_form()
}

fn complete(result: &str) -> Outcome {
    Outcome::Complete(RawJson::parse(result).unwrap())
}

/// proves: CL-02, CL-08, CL-15, CL-19
#[test]
fn criterion_01_a_tool_asks_one_form_gets_a_typed_answer_and_completes_by_a_second_call() {
    let mut play = Play::new();
    assert_eq!(asked(&play.serve(&asking(&[("target", &form(TARGET))], None))), ["target"]);
    let content = Content::new().with_text("environment", "staging").with_number("replicas", 3);
    let response = InputResponse::Accept(content.with_flag("confirm", true));
    let actions = play.answer(1, "target", response).unwrap();
    assert_eq!(sent(&actions).method, Method::ToolsCall);
    let responses: Value =
        serde_json::from_str(&param(sent(&actions), "inputResponses").unwrap()).unwrap();
    let content = &responses["target"]["content"];
    assert_eq!(
        *content,
        serde_json::json!({"environment": "staging", "replicas": 3, "confirm": true})
    );
    assert_eq!(*settled(&play.serve(DONE)), complete(DONE));
    assert_eq!(play.sent.len(), 2);
}

/// proves: CL-02, CL-03, W-07, W-08
#[test]
fn criterion_02_a_retry_has_a_fresh_id_the_same_params_bare_responses_and_the_exact_state() {
    let state = r#""\u0041\/\ud800 {\"user\":\"alice\"}""#;
    let mut play = Play::new();
    play.serve(&asking(&[("c", CONFIRM)], Some(state)));
    play.answer(1, "c", yes()).unwrap();
    let [first, retry] = play.sent.as_slice() else { panic!("two requests are sent") };
    let [first_message, retry_message] =
        [first, retry].map(|leg| members(&leg.to_json())["id"].get().to_owned());
    assert_ne!(first_message, retry_message);
    for name in ["name", "arguments"] {
        assert_eq!(param(retry, name), param(first, name));
        assert_eq!(param(retry, name).as_deref(), Some(members(PARAMS)[name].get()));
    }
    let bare = r#"{"c":{"action":"accept","content":{"confirm":true}}}"#;
    assert_eq!(param(retry, "inputResponses").as_deref(), Some(bare));
    assert_eq!(param(retry, "requestState").as_deref(), Some(state));

    // What goes with a retry is of its round: the next takes nothing of it.
    play.serve(&asking(&[("d", CONFIRM)], None));
    let actions = play.answer(2, "d", InputResponse::Decline).unwrap();
    assert_eq!(param(sent(&actions), "inputResponses").unwrap(), r#"{"d":{"action":"decline"}}"#);
    assert_eq!(param(sent(&actions), "requestState"), None);
}

/// proves: CL-18, CL-19
#[test]
fn criterion_03_a_tool_of_two_rounds_is_one_call_with_one_result() {
    let mut play = Play::new();
    for round in [1, 2] {
        assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
        sent(&play.answer(round, "c", yes()).unwrap());
    }
    assert_eq!(*settled(&play.serve(DONE)), complete(DONE));
    assert!(play.sent.iter().all(|leg| leg.leg.invocation().as_str() == "call-7"));
    assert!(play.steps.iter().all(|step| step.invocation.as_str() == "call-7"));
    let ends = play.steps.iter().filter(|step| step.to == Phase::Settled).count();
    assert_eq!((play.sent.len(), ends), (3, 1));
}

/// proves: CL-12, W-06
#[test]
fn criterion_04_accept_decline_and_cancel_stay_apart_from_the_wire_to_the_wire() {
    for (json, goes_out) in [
        (r#"{"action":"accept","content":{"confirm":true}}"#, None),
        (r#"{"action":"decline"}"#, None),
        (r#"{"action":"cancel"}"#, None),
        // Content counts only with accept.
        (r#"{"action":"cancel","content":{"confirm":true}}"#, Some(r#"{"action":"cancel"}"#)),
    ] {
        let response = decoded(json).unwrap();
        let mut play = Play::new();
        play.serve(&asking(&[("c", CONFIRM)], None));
        let actions = play.answer(1, "c", response).unwrap();
        let responses = param(sent(&actions), "inputResponses").unwrap();
        assert_eq!(responses, format!(r#"{{"c":{}}}"#, goes_out.unwrap_or(json)));
    }
}

/// proves: CL-06, CL-07, CL-08, CL-09
#[test]
fn criterion_05_forms_of_a_round_are_collected_under_their_keys_and_bad_input_fails_before_a_retry()
{
    let mut play = Play::new();
    play.serve(&asking(&[("b/\u{e9}", CONFIRM), ("a", CONFIRM)], None));
    let wrong = InputResponse::Accept(Content::new().with_text("confirm", "yes"));
    let huge = InputResponse::Accept(Content::new().with_text("confirm", "x".repeat(300_000)));
    assert!(matches!(
        play.assert_changes_nothing(answer(1, "a", wrong)),
        Err(Misuse::Response(ResponseError::Invalid(_)))
    ));
    assert!(play.assert_changes_nothing(answer(1, "a", huge)).is_err());
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::UnknownKey));
    assert_eq!(play.answer(1, "b/\u{e9}", InputResponse::Decline).unwrap(), []);
    let actions = play.answer(1, "a", yes()).unwrap();
    let expected = "{\"a\":{\"action\":\"accept\",\"content\":{\"confirm\":true}},\"b/\u{e9}\":{\"action\":\"decline\"}}";
    assert_eq!(param(sent(&actions), "inputResponses").unwrap(), expected);

    let many: Vec<_> = (0..17).map(|index| index.to_string()).collect();
    let many: Vec<_> = many.iter().map(|key| (key.as_str(), CONFIRM)).collect();
    let long = "k".repeat(257);
    for requests in [&many[..], &[(&long, CONFIRM)], &[("a", CONFIRM), ("b", r#"{"method":"x"}"#)]]
    {
        let mut play = Play::new();
        assert!(matches!(faulted(&play.serve(&asking(requests, None))), Fault::Wire(_)));
        assert_eq!(play.sent.len(), 1);
    }
}

/// proves: CL-04, CL-05
#[test]
fn criterion_06_a_state_alone_is_retried_and_a_server_that_goes_on_like_that_ends() {
    let mut play = Play::limited(Limits::default().rounds_max(3));
    for _ in 0..3 {
        assert_eq!(play.serve(&state_only("\"s\"")), []);
        let actions = play.wake();
        assert_eq!(param(sent(&actions), "requestState").unwrap(), "\"s\"");
    }
    let actions = play.serve(&state_only("\"s\""));
    assert_eq!(*faulted(&actions), Fault::RoundLimit { rounds_max: 3 });
    assert_eq!(play.sent.len(), 4);
}

/// proves: CL-13
#[test]
fn criterion_08_whatever_takes_the_place_of_the_binding_gets_no_answer_that_was_given_before() {
    for gone in [
        Event::ConnectionLost,
        Event::BindingChanged(Binding::new("server-1, connection 2")),
        Event::BindingChanged(Binding::new("server-2")),
    ] {
        let mut play = Play::new();
        play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], Some("\"s\"")));
        play.answer(1, "a", yes()).unwrap();
        let closed = Action::Retract { round: 1, key: "b".into(), why: CloseReason::Lost };
        let actions = play.handle(gone.clone()).unwrap();
        assert_eq!(actions, [closed, Action::Settle(Outcome::Lost)]);
        assert_eq!(play.assert_changes_nothing(answer(1, "b", yes())), Err(Misuse::Closed));
        play.wait_secs(3600);
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        assert_eq!(play.sent.len(), 1);

        // In flight, the answer went to the one that asked, as its request says.
        let mut play = Play::new();
        play.confirmed_round();
        assert_eq!(play.sent[1].binding, Binding::new("server-1"));
        assert_eq!(*settled(&play.handle(gone).unwrap()), Outcome::OutcomeUnknown);
        assert_eq!(play.sent.len(), 2);
    }
}

/// proves: CL-10
#[test]
fn criterion_10_the_execution_timeout_is_suspended_while_somebody_is_asked_and_armed_again_after() {
    let mut play = Play::timed(
        Clocks::default().leg(Duration::from_secs(10)).interaction(Duration::from_secs(3600)),
    );
    play.wait_secs(9);
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], None));
    for key in ["a", "b"] {
        play.wait_secs(1000);
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        play.answer(1, key, yes()).unwrap();
    }
    play.wait(9_999);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.wait(1);
    let leg = play.leg();
    let timed_out = Action::Settle(Outcome::TimedOut(Clock::Leg));
    assert_eq!(play.tick(), [Action::CancelLeg { leg }, timed_out]);
}

/// proves: CL-06, CL-14
#[test]
fn criterion_11_kinds_and_methods_that_were_not_opted_in_fail_by_a_stable_error_and_no_retry() {
    for (other, kind) in [(URL, "URL elicitation"), (SAMPLING, "sampling"), (ROOTS, "roots")] {
        let mut play = started(forms());
        let actions = play.serve(&asking(&[("a", CONFIRM), ("b", other)], Some("\"s\"")));
        assert_eq!(*faulted(&actions), Fault::Undeclared { kind });
        let words = format!("the server asks for {kind}, which the call did not claim");
        assert_eq!(settled(&actions).to_string(), words);
        assert_eq!((play.sent.len(), play.call.open()), (1, 0));
    }
    for method in METHODS {
        let mut play = Play::started(request_of(method), Claims::none(), Limits::default());
        let actions = play.serve(&asking(&[("a", CONFIRM)], Some("\"s\"")));
        assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });
        assert_eq!(play.sent.len(), 1);
    }
}

/// proves: CL-20, W-08
#[test]
fn criterion_12_the_state_is_in_the_retry_and_in_nothing_else_that_comes_out() {
    const STATE: &str = "\"hunter2\"";
    let mut play = Play::new();
    let mut shown = Vec::new();
    for result in [asking(&[("c", CONFIRM)], Some(STATE)), state_only(STATE)] {
        let round = play.round() + 1;
        let actions = play.serve(&result);
        let retry =
            if actions.is_empty() { play.wake() } else { play.answer(round, "c", yes()).unwrap() };
        assert_eq!(param(sent(&retry), "requestState").unwrap(), STATE);
        shown.push(format!("{actions:?} {retry:?} {:?} {:?}", play.call, play.steps));
    }
    // What is asked holds no state, whoever reads it.
    let mut with = Play::new();
    let mut without = Play::new();
    let asks = with.serve(&asking(&[("c", CONFIRM)], Some(STATE)));
    assert_eq!(asks, without.serve(&asking(&[("c", CONFIRM)], None)));
    let too_long = format!("\"{}\"", "hunter2".repeat(99_999));
    let actions = play.serve(&state_only(&too_long));
    let max = 64 * 1024;
    let too_large = WireError::too_large("requestState in bytes", max);
    assert_eq!(*faulted(&actions), Fault::Wire(too_large));
    shown.push(format!("{actions:?} {}", settled(&actions)));
    assert!(shown.iter().all(|text| !text.contains("hunter2")), "{shown:?}");
}

/// proves: CL-14
#[test]
fn criterion_13_a_legacy_call_and_a_complete_result_are_as_if_nothing_stood_between() {
    let params = r#"{ "name":"dep\u006coy", "arguments":{"n":1.0},"_meta":{"progressToken":7} }"#;
    for claims in [Claims::none(), forms()] {
        for result in [DONE, r#"{ "content":[] , "isError":true,"x":"\ud800"}"#] {
            let mut play = Play::started(request("call-7", params), claims, Limits::default());
            assert_eq!(*settled(&play.serve(result)), complete(result));
            assert_eq!((play.sent.len(), play.steps.len()), (1, 1));
        }
    }
    let request = request("call-7", params).with_revision(Revision::V2025_11_25);
    let legacy = Play::started(request, Claims::none(), Limits::default());
    assert_eq!(legacy.sent[0].params.as_str(), params);
}

/// proves: CL-14, W-09
#[test]
fn criterion_15_an_eligible_call_advertises_forms_and_one_after_the_fall_back_advertises_nothing() {
    let declared = |play: &Play| {
        let meta = param(play.sent.last().unwrap(), "_meta")?;
        let meta: Value = serde_json::from_str(&meta).unwrap();
        Some(meta[META_CAPABILITIES].clone())
    };
    let mut modern = started(forms());
    modern.confirmed_round();
    let form_only = serde_json::json!({"elicitation": {"form": {}}});
    assert_eq!(declared(&modern), Some(form_only));

    // What one call claims stays with it: the next call, over a connection that fell back, claims
    // nothing, and a server that asks anyway is not answered.
    let request = request("call-7", PARAMS).with_revision(Revision::V2025_11_25);
    let mut legacy = Play::started(request, Claims::none(), Limits::default());
    assert_eq!(declared(&legacy), None);
    assert_eq!(legacy.sent[0].params.as_str(), PARAMS);
    let actions = legacy.serve(&asking(&[("c", CONFIRM)], None));
    assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });
    assert_eq!(legacy.sent.len(), 1);
}
