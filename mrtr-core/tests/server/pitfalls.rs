//! What went wrong elsewhere on servers: the gate, the state, replay.
//!
//! The items of the list of pitfalls that are proved by other tests:
//!
//! - P17, P29, P33 by `responses::p17_p29_p33_each_spelling_of_an_answer_is_read_as_what_it_is`
//! - P31, P35, P87 by
//!   `responses::p31_p35_p87_what_is_no_answer_of_its_kind_does_not_reach_the_handler`
//! - P39, P41 by
//!   `gate::p39_p41_each_kind_needs_its_capability_of_every_set_that_a_client_can_declare`
//! - P43, of old clients, by the tests of `legacy` that begin with `p43`
//! - P47 by the tests of `drift` that begin with `p47`
//! - P51 by `drift::p51_keys_made_for_one_process_each_do_not_open_the_others_states_and_the_report_says_why`
//! - P53 by `responses::p53_a_key_that_was_not_asked_is_not_seen_whatever_it_is_and_holds`; that the
//!   first answer stays, below
//! - P55 by the tests of `single_use` that begin with `p55`
//! - P61 by the tests of `drift` that begin with `p61`
//! - P59 concerns clients; its half of servers is below
//!
//! Of P27 the compiler proves the half that content is only in what was accepted.

use core::panic::RefUnwindSafe;
use std::sync::Arc;

use form_model::Submission;
use mrtr_core::{
    server::{Action, Ending, Endpoint, Flow, HandlerFault, Need, ReportKind, Run},
    wire::{RawJson, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, asked, call, confirm, end, faulted, message, meta, named, params, raw, refused,
    report, retry, run, sealing, send, send_as, state, sure, with, yes,
};

/// Plays a retry of a flow's handler and returns the answer.
fn play(endpoint: &Arc<Endpoint>, handler: fn(&Run) -> Ending, params: &Value) -> Value {
    let (mut exchange, actions) = call(endpoint, params);
    let ending = handler(run(&actions));
    answer(&end(&mut exchange, ending)).1
}

/// Asks `a` and `b`, in one round.
fn both(run: &Run) -> Ending {
    Flow::run(run, |flow| {
        let answers = flow.ask_all([("a", sure()), ("b", sure())])?;
        Ok(raw(&format!(r#"{{"n":{}}}"#, answers.len())))
    })
}

/// Asks for a name, and then whether it is right.
fn in_turn(run: &Run) -> Ending {
    Flow::run(run, |flow| {
        let name = flow.accepted("name", "Who?", named())?;
        let name = name.text("name").unwrap_or_default().to_owned();
        flow.accepted("sure", "Sure?", confirm())?;
        Ok(raw(&json!({"name": name}).to_string()))
    })
}

/// proves: SV-02
#[test]
fn p27_a_refusal_cannot_be_taken_for_consent() {
    let endpoint = sealing();
    let state = state(&endpoint);
    for action in ["decline", "cancel"] {
        let refusal = json!({"sure": {"action": action, "content": {"ok": true}}});
        let (_, actions) = call(&endpoint, &retry(&state, refusal));
        let submission = run(&actions).answers.form("sure");
        let refuses = matches!(submission, Some(Submission::Decline | Submission::Cancel));
        assert!(refuses, "{submission:?}");
    }
    let first = play(&endpoint, in_turn, &params());
    let state = &first["result"]["requestState"];
    let ended = play(&endpoint, in_turn, &retry(state, json!({"name": {"action": "cancel"}})));
    let error = json!({"code": -32602, "message": "The person did not agree"});
    assert_eq!(ended["error"], error);
}

/// proves: SV-01, SV-02
#[test]
fn p43_what_a_handler_asks_and_returns_is_json_and_never_text_of_it() {
    let endpoint = sealing();
    let result = asked(&endpoint, Need::new().request("sure", sure()));
    assert!(result["inputRequests"]["sure"]["params"]["requestedSchema"].is_object());
    assert!(result.get("content").is_none() && result.get("structuredContent").is_none());
    for text in [
        r#"{"content":[{"type":"text","text":"{\"resultType\":\"input_required\"}"}]}"#,
        r#"{"structuredContent":{"resultType":"input_required","inputRequests":{}},"n":1.50e0}"#,
        r#"{"s":"\ud800\u0041\/","a":1,"b":[ 1 , 2 ]}"#,
    ] {
        let (mut exchange, _) = call(&endpoint, &params());
        let actions = end(&mut exchange, Ending::Finish(raw(text)));
        let [Action::Respond(respond)] = actions.as_slice() else { panic!("{actions:?}") };
        let body = respond.body.as_ref().unwrap().as_str();
        assert!(body.contains(&text[..text.len() - 1]), "{body}");
    }
}

/// proves: SV-02
#[test]
fn p45_flows_that_are_never_taken_up_again_leave_nothing_behind() {
    fn is_without_cells<T: RefUnwindSafe + Sync>(_: &T) {}
    let endpoint = sealing();
    is_without_cells(&*endpoint);
    let before = Endpoint::clone(&endpoint);
    let call = message("tools/call", &params().to_string());
    for _ in 0..10_000 {
        let (mut exchange, _) = send(&endpoint, call.as_bytes());
        let need = Need::new().request("sure", sure());
        assert_eq!(end(&mut exchange, Ending::Need(need)).as_slice().len(), 1);
    }
    assert_eq!(*endpoint, before);
    assert_eq!(Arc::strong_count(&endpoint), 1);
    // An exchange is no more than what it was given: a copy of it goes on the same way.
    let (exchange, _) = send(&endpoint, call.as_bytes());
    let mut copy = exchange.clone();
    drop(exchange);
    let _ = end(&mut copy, Ending::Finish(raw("{}")));
}

/// proves: ST-03
#[test]
fn p49_a_state_opens_for_params_that_are_the_same_and_for_no_others() {
    let endpoint = sealing();
    let first =
        r#"{"name":"order","arguments":{"a":1,"b":[100,"\ud800"],"c":{"x":null}},"_meta":@}"#;
    let meta = meta().to_string();
    let params = |text: &str| text.replace('@', &meta);
    let (mut exchange, actions) = send(&endpoint, message("tools/call", &params(first)).as_bytes());
    run(&actions);
    let need = Need::new().request("sure", sure());
    let state = answer(&end(&mut exchange, Ending::Need(need))).1["result"]["requestState"].clone();
    let retry = |text: &str| {
        let more = format!(r#","requestState":{state},"inputResponses":{{}}}}"#);
        let text = params(text);
        message("tools/call", &format!("{}{more}", text.strip_suffix('}').unwrap()))
    };
    let with_token = first.replace('@', &meta.replacen('{', r#"{"progressToken":"p","#, 1));
    for same in [
        first,
        r#"{"_meta":@,"arguments":{"c":{"x":null},"b":[100,"\uD800"],"a":1},"name":"order"}"#,
        r#"{"name":"\u006frder","arguments":{"a":1.0,"b":[1e2,"\ud800"],"c":{"x":null}},"_meta":@}"#,
        &with_token,
    ] {
        let (_, actions) = send(&endpoint, retry(same).as_bytes());
        assert_eq!(run(&actions).round, 2, "{same}");
    }
    for (was, is) in [
        ("\"a\":1", "\"a\":2"),
        ("\"a\":1", "\"a\":\"1\""),
        ("\"a\":1", "\"a\":1.0000000000000000001"),
        ("\"a\":1,", ""),
        ("[100,", "[100,100,"),
        (r"\ud800", r"\ud801"),
        (r"\ud800", r"\\ud800"),
        (r"\ud800", r"\ufffd"),
        ("null", "false"),
        ("\"order\"", "\"Order\""),
        ("\"c\":{\"x\":null}", "\"c\":{\"x\":null,\"_meta\":1}"),
    ] {
        let other = first.replace(was, is);
        assert_ne!(other, first);
        let (exchange, actions) = send(&endpoint, retry(&other).as_bytes());
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS), "{other}");
        assert!(matches!(report(&actions).kind, ReportKind::StateRefused { .. }));
    }
}

/// proves: SV-10
#[test]
fn p53_an_answer_that_came_once_stays_whatever_a_later_retry_says() {
    let endpoint = sealing();
    let called = |name: &str| json!({"action": "accept", "content": {"name": name}});
    let first = play(&endpoint, in_turn, &params());
    let state = &first["result"]["requestState"];
    // What was not asked yet cannot be answered ahead.
    let ahead = json!({"name": called("Zoë"), "sure": yes()["sure"]});
    let second = play(&endpoint, in_turn, &retry(state, ahead));
    let asks = second["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(asks.keys().collect::<Vec<_>>(), ["sure"]);
    let mut changed = yes();
    changed["name"] = called("Eve");
    let done = play(&endpoint, in_turn, &retry(&second["result"]["requestState"], changed));
    assert_eq!(done["result"]["name"], "Zoë");
}

/// proves: SV-10
#[test]
fn p57_a_handler_that_asks_in_another_order_is_refused_aloud() {
    fn turned(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            flow.ask_all([("b", sure()), ("a", sure())])?;
            Ok(raw("{}"))
        })
    }
    let endpoint = sealing();
    let first = play(&endpoint, both, &params());
    let state = &first["result"]["requestState"];
    let answers = json!({"b": yes()["sure"], "a": {"action": "decline"}});
    // The client may answer in any order.
    let done = play(&endpoint, both, &retry(state, answers.clone()));
    assert_eq!(done["result"]["n"], 2);
    let (mut exchange, actions) = call(&endpoint, &retry(state, answers));
    let ending = turned(run(&actions));
    assert_eq!(*faulted(&end(&mut exchange, ending)), HandlerFault::FlowChanged);
}

/// proves: SV-05
#[test]
fn p59_what_is_left_of_another_round_in_a_first_request_is_not_seen() {
    let endpoint = sealing();
    let (_, actions) = call(&endpoint, &with(params(), &[("inputResponses", yes())]));
    let run = run(&actions);
    assert!(run.answers.get("sure").is_none() && run.state.is_none());
    assert_eq!(run.round, 1);
}

/// proves: ST-03, SV-02
#[test]
fn p83_what_was_sealed_for_one_user_is_given_back_to_that_user_to_the_byte_and_to_no_other() {
    let endpoint = sealing();
    let inner = r#""upstream \ud800\u0041\/ = é""#;
    let need = Need::new().request("sure", sure()).state(raw(inner));
    let state = asked(&endpoint, need)["requestState"].clone();
    let call = message("tools/call", &retry(&state, yes()).to_string());
    for (principal, is_hers) in [(Some("alice"), true), (Some("bob"), false), (None, false)] {
        let (exchange, actions) = send_as(&endpoint, NOW, principal, call.as_bytes());
        if is_hers {
            assert_eq!(run(&actions).state.as_ref().map(RawJson::as_str), Some(inner));
        } else {
            assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
        }
    }
}
