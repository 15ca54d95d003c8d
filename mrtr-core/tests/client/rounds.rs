//! What goes over the wire in the legs and rounds of one call.

use form_model::{Content, Kind};
use mrtr_core::{
    InvocationId, Limits, Phase, Trigger,
    client::{Action, Binding, Claims, Outcome, Request},
    wire::{Elicitation, InputRequest, InputResponse, META_CAPABILITIES, Method, RawJson},
};
use serde_json::Value;

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, asked, asking, decoded, form, members, param, request, sent,
    settled, state_only, yes,
};

const TARGET: &str = r#"{
    "resultType": "input_required",
    "inputRequests": {"target": {"method": "elicitation/create", "params": {
        "mode": "form",
        "message": "Choose the deployment target",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "environment": {"type": "string", "enum": ["staging", "production"]},
                "confirm": {"type": "boolean"}
            },
            "required": ["environment", "confirm"]
        }
    }}},
    "requestState": "opaque-server-state"
}"#;

/// proves: CL-02, CL-19, W-07
#[test]
fn a_deployment_asks_where_to_and_is_one_call_of_two_requests() {
    let mut play = Play::new();
    let actions = play.serve(TARGET);
    let [Action::Ask { round: 1, key, request }] = actions.as_slice() else {
        panic!("expected one form, found {actions:?}")
    };
    let InputRequest::Elicitation(Elicitation::Form(request)) = request else {
        panic!("it is a form")
    };
    let [environment, confirm] = request.form.fields() else { panic!("the form has two fields") };
    assert_eq!(request.message.as_str(), "Choose the deployment target");
    let Kind::Choice(choice) = environment.kind() else { panic!("it is a choice") };
    let options: Vec<_> = choice.options.iter().map(|option| option.value.as_str()).collect();
    assert_eq!(options, ["staging", "production"]);
    assert!(environment.is_required() && confirm.is_required());

    let content = Content::new().with_text("environment", "staging").with_flag("confirm", true);
    let actions = play.answer(1, key, InputResponse::Accept(content)).unwrap();
    assert_eq!(
        sent(&actions).to_json(),
        r#"{"jsonrpc":"2.0","id":"call-7.2","method":"tools/call","params":{"name":"deploy","arguments":{"artifact":"build-42"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}},"inputResponses":{"target":{"action":"accept","content":{"environment":"staging","confirm":true}}},"requestState":"opaque-server-state"}}"#
    );

    let actions = play.serve(DONE);
    let Outcome::Complete(result) = settled(&actions) else { panic!("the call is complete") };
    assert_eq!(result.as_str(), DONE);
    assert_eq!(play.sent.len(), 2);
}

/// proves: CL-02
#[test]
fn every_leg_has_an_id_of_its_own() {
    let mut play = Play::new();
    for _ in 0..4 {
        play.confirmed_round();
        play.serve(&state_only("\"s\""));
        play.wake();
    }
    let ids: Vec<_> = play.sent.iter().map(|request| request.leg.to_string()).collect();
    let expected: Vec<_> = (1..=9).map(|leg| format!("call-7.{leg}")).collect();
    assert_eq!(ids, expected);
}

/// proves: CL-02
#[test]
fn a_retry_has_the_params_of_the_first_leg_and_two_members_more() {
    let params = r#" { "arguments" : {"a":1.0, "b":[1e2,-0,18446744073709551616,0.1],
        "c":"\u00e9é\/\ud800","d":{"x":1,"x":2}}, "name":"dep\u006coy", "later":null, "_meta":{"k":[]} } "#;
    let mut play =
        Play::started(request("call-7", params), Claims::none().with_form(), Limits::default());
    play.serve(&asking(&[("c", CONFIRM)], Some("\"s\"")));
    play.answer(1, "c", yes()).unwrap();
    play.serve(&state_only("\"t\""));
    play.wake();
    let texts = |leg: usize| {
        let mut members = members(play.sent[leg].params.as_str());
        let added = [members.remove("inputResponses"), members.remove("requestState")];
        let rest: Vec<_> =
            members.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect();
        (rest, added.map(|member| member.is_some()))
    };
    assert_eq!(texts(0).1, [false, false]);
    assert_eq!(texts(1), (texts(0).0, [true, true]));
    assert_eq!(texts(2), (texts(0).0, [false, true]));
    for (name, value) in members(params).iter().filter(|(name, _)| *name != "_meta") {
        assert_eq!(param(&play.sent[2], name).as_deref(), Some(value.get()));
    }
}

/// proves: CL-02
#[test]
fn every_leg_carries_the_same_claim_and_goes_to_the_same_place() {
    let mut play = Play::new();
    play.confirmed_round();
    play.confirmed_round();
    assert_eq!(play.sent.len(), 3);
    for request in &play.sent {
        let meta: Value = serde_json::from_str(&param(request, "_meta").unwrap()).unwrap();
        assert_eq!(meta[META_CAPABILITIES], serde_json::json!({"elicitation": {"form": {}}}));
        assert_eq!(request.method, Method::ToolsCall);
        assert_eq!(request.binding.as_str(), "server-1");
        assert_eq!(&*request.target, "deploy");
    }
}

/// proves: CL-02
#[test]
fn prompts_and_resources_are_called_as_tools_are() {
    for (method, params, target) in [
        (Method::PromptsGet, r#"{"name":"review","arguments":{"n":"1"}}"#, "review"),
        (Method::ResourcesRead, r#"{"uri":"file:///a%20b"}"#, "file:///a%20b"),
    ] {
        let id = InvocationId::new("call-7").unwrap();
        let params = RawJson::parse(params).unwrap();
        let request = Request::new(id, method, params, Binding::new("server-1"));
        let mut play = Play::started(request, Claims::none().with_form(), Limits::default());
        play.confirmed_round();
        let retry = &play.sent[1];
        assert_eq!((retry.method, &*retry.target), (method, target));
        assert_eq!(
            param(retry, "inputResponses").unwrap(),
            r#"{"c":{"action":"accept","content":{"confirm":true}}}"#
        );
        assert!(retry.to_json().contains(&format!(r#""method":"{}""#, method.as_str())));
    }
}

/// proves: W-06, CL-12
#[test]
fn accept_decline_and_cancel_are_apart_on_the_wire() {
    for (response, expected) in [
        (yes(), r#"{"c":{"action":"accept","content":{"confirm":true}}}"#),
        (InputResponse::Decline, r#"{"c":{"action":"decline"}}"#),
        (InputResponse::Cancel, r#"{"c":{"action":"cancel"}}"#),
    ] {
        let mut play = Play::new();
        play.serve(&asking(&[("c", CONFIRM)], None));
        let actions = play.answer(1, "c", response).unwrap();
        assert_eq!(param(sent(&actions), "inputResponses").unwrap(), expected);
        // The server decides what a refusal means: it may ask again.
        assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
    }
}

/// proves: W-06
#[test]
fn a_form_without_fields_is_accepted_with_empty_content() {
    for content in [r#"{"action":"accept"}"#, r#"{"action":"accept","content":{}}"#] {
        let mut play = Play::new();
        let empty = form(r#"{"type":"object","properties":{}}"#);
        play.serve(&asking(&[("c", &empty)], None));
        let response = decoded(content).unwrap();
        let actions = play.answer(1, "c", response).unwrap();
        assert_eq!(
            param(sent(&actions), "inputResponses").unwrap(),
            r#"{"c":{"action":"accept","content":{}}}"#
        );
    }
}

/// proves: CL-07
#[test]
fn a_round_is_asked_in_the_order_of_its_keys() {
    let mut play = Play::new();
    let requests = [("b", CONFIRM), ("a", CONFIRM), ("B", CONFIRM), ("", CONFIRM)];
    assert_eq!(asked(&play.serve(&asking(&requests, None))), ["", "B", "a", "b"]);
    assert_eq!(play.call.open(), 4);
}

/// proves: CL-07
#[test]
fn answers_in_either_order_make_the_same_bytes_and_go_out_together() {
    let retry = |order: [&str; 3]| {
        let mut play = Play::new();
        let requests = [("b", CONFIRM), ("a", CONFIRM), ("c", CONFIRM)];
        play.serve(&asking(&requests, Some("\"s\"")));
        let response = |key| match key {
            "a" => yes(),
            "b" => InputResponse::Decline,
            _ => InputResponse::Cancel,
        };
        for key in &order[..2] {
            assert_eq!(play.answer(1, key, response(key)).unwrap(), []);
            assert_eq!(play.call.phase(), Phase::AwaitingInteraction);
        }
        sent(&play.answer(1, order[2], response(order[2])).unwrap()).to_json()
    };
    let expected = retry(["a", "b", "c"]);
    assert!(expected.contains(
        r#""inputResponses":{"a":{"action":"accept","content":{"confirm":true}},"b":{"action":"decline"},"c":{"action":"cancel"}}"#
    ));
    for order in
        [["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"]]
    {
        assert_eq!(retry(order), expected);
    }
}

/// proves: W-07
#[test]
fn keys_that_are_numbers_stay_members_of_an_object() {
    let mut play = Play::new();
    play.serve(&asking(&[("0", CONFIRM), ("1", CONFIRM)], None));
    play.answer(1, "1", InputResponse::Decline).unwrap();
    let actions = play.answer(1, "0", InputResponse::Decline).unwrap();
    assert_eq!(
        param(sent(&actions), "inputResponses").unwrap(),
        r#"{"0":{"action":"decline"},"1":{"action":"decline"}}"#
    );
}

/// proves: W-07
#[test]
fn keys_go_back_as_the_texts_they_are_however_they_look() {
    for (key, same) in [
        (r#""""#, ""),
        (r#""\u0061\/""#, "a/"),
        (r#""\"},\"x\":{""#, "\"},\"x\":{"),
        (r#""\u0000\n""#, "\0\n"),
        (r#""\ud83d\ude00""#, "😀"),
        (r#""__proto__""#, "__proto__"),
    ] {
        let mut play = Play::new();
        let result =
            format!(r#"{{"resultType":"input_required","inputRequests":{{{key}:{CONFIRM}}}}}"#);
        assert_eq!(asked(&play.serve(&result)), [same]);
        let actions = play.answer(1, same, InputResponse::Decline).unwrap();
        let responses = members(&param(sent(&actions), "inputResponses").unwrap());
        assert_eq!(responses.keys().collect::<Vec<_>>(), [same]);
    }
}

/// proves: CL-03, CL-09
#[test]
fn two_calls_with_the_same_key_get_each_its_own_answer_and_state() {
    let mut plays = ["left", "right"].map(|id| {
        let request = request(id, PARAMS);
        Play::started(request, Claims::none().with_form(), Limits::default())
    });
    for (play, state) in plays.iter_mut().zip(["\"l\"", "\"r\""]) {
        play.serve(&asking(&[("confirm", CONFIRM)], Some(state)));
    }
    let [left, right] = &mut plays;
    let untouched = right.call.clone();
    let actions = left.answer(1, "confirm", InputResponse::Decline).unwrap();
    assert_eq!(param(sent(&actions), "requestState").unwrap(), "\"l\"");
    assert!(right.call == untouched);
    let actions = right.answer(1, "confirm", yes()).unwrap();
    assert_eq!(param(sent(&actions), "requestState").unwrap(), "\"r\"");
    assert!(!param(sent(&actions), "inputResponses").unwrap().contains("decline"));
    assert_eq!(sent(&actions).leg.to_string(), "right.2");
}

/// proves: CL-01, CL-19, CL-21
#[test]
fn several_rounds_are_reported_step_by_step_and_settle_once() {
    let mut play = Play::new();
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], None));
    play.answer(1, "b", yes()).unwrap();
    play.answer(1, "a", yes()).unwrap();
    play.serve(&state_only("\"s\""));
    play.wake();
    play.serve(DONE);

    use Phase::{AwaitingInteraction, Pausing, Resumed, Running, Settled};
    let steps: Vec<_> = play
        .steps
        .iter()
        .map(|step| (step.leg, step.round, step.from, step.to, step.cause, step.open))
        .collect();
    assert_eq!(
        steps,
        [
            (1, 1, Running, AwaitingInteraction, Trigger::Asked, 2),
            (1, 1, AwaitingInteraction, AwaitingInteraction, Trigger::Answered, 1),
            (2, 1, AwaitingInteraction, Resumed, Trigger::RoundAnswered, 0),
            (2, 2, Resumed, Pausing, Trigger::StateOnly, 0),
            (3, 2, Pausing, Resumed, Trigger::PauseOver, 0),
            (3, 2, Resumed, Settled, Trigger::Completed, 0),
        ]
    );
    assert!(play.steps.iter().all(|step| step.invocation.as_str() == "call-7"));
}
