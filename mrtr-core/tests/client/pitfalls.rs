//! What went wrong elsewhere about time and waiting, answers and their order, and what is too much.
//!
//! The items of the list of pitfalls that are proved by other tests of this directory:
//!
//! - P01 by `clocks::the_leg_clock_is_suspended_while_somebody_fills_in_a_form`
//! - P09 by `clocks::pauses_double_from_a_quarter_of_a_second_to_four_seconds` and
//!   `clocks::a_stop_during_a_pause_sends_nothing_then_or_later`
//! - P11 by `endings::a_cap_of_one_lets_a_server_ask_once`
//! - P17 by `rounds::accept_decline_and_cancel_are_apart_on_the_wire`
//! - P23 by `rounds::answers_in_either_order_make_the_same_bytes_and_go_out_together`
//! - P25 by `rounds::two_calls_with_the_same_key_get_each_its_own_answer_and_state`
//! - P29 by `rounds::a_form_without_fields_is_accepted_with_empty_content`
//! - P31 by `answers::content_that_is_not_a_flat_object_of_values_is_not_sent`
//! - the keys `__proto__`, `0` and the empty one by
//!   `rounds::keys_go_back_as_the_texts_they_are_however_they_look` and
//!   `rounds::keys_that_are_numbers_stay_members_of_an_object`
//! - time that goes back by `clocks::time_that_goes_back_gives_nothing_and_takes_nothing`
//!
//! Of P35 the half that asks again concerns the server.

use core::time::Duration;

use form_model::Content;
use mrtr_core::{
    Clock, Clocks, Instant, Limits, Phase,
    client::{Action, Claims, CloseReason, Event, Fault, Misuse, Outcome, Reply},
    wire::{InputResponse, META_CAPABILITIES, WireError},
};
use serde_json::{Value, json};

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, ROOTS, all_claims, answer, asked, asking, decoded, faulted, form,
    members, param, request, result_of, sent, settled, state_only, yes,
};

fn asked_once() -> Play {
    let mut play = Play::new();
    assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], Some("\"s\"")))), ["c"]);
    play
}

/// proves: CL-10
#[test]
fn p03_no_execution_time_runs_while_one_of_two_questions_is_still_open() {
    let budget = Some(Duration::from_secs(4));
    let mut play = Play::timed(Clocks::default().execution(budget));
    play.wait_secs(1);
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], None));
    play.wait_secs(2);
    play.answer(1, "a", yes()).unwrap();
    play.wait_secs(6);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    sent(&play.answer(1, "b", yes()).unwrap());
    // One second is spent, by the first leg.
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(12_000)));
    assert_eq!(*play.wake().last().unwrap(), Action::Settle(Outcome::TimedOut(Clock::Execution)));
}

/// proves: CL-09, CL-10
#[test]
fn p05_a_form_that_ran_out_is_taken_back_by_its_key_and_an_answer_is_told_that_it_is_closed() {
    let mut play = asked_once();
    let retract = Action::Retract { round: 1, key: "c".into(), why: CloseReason::TimedOut };
    assert_eq!(play.wake(), [retract, Action::Settle(Outcome::TimedOut(Clock::Interaction))]);
    let refused = play.assert_changes_nothing(answer(1, "c", yes()));
    assert_eq!(refused.unwrap_err().to_string(), "the interaction is closed");
}

/// proves: CL-10, CL-14
#[test]
fn p07_no_form_waits_for_a_surface_that_is_not_there_and_one_that_waits_says_so_and_ends() {
    // Without a surface there is no claim, and without a claim no form opens.
    let mut play = Play::started(request("call-7", PARAMS), Claims::none(), Limits::default());
    let actions = play.serve(&asking(&[("c", CONFIRM)], None));
    assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });

    let mut play = asked_once();
    assert_eq!((play.call.phase(), play.call.open()), (Phase::AwaitingInteraction, 1));
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(600_000)));
    // A surface that goes away says that it failed.
    let actions = play.handle(Event::Failed { round: 1, key: "c".into() }).unwrap();
    assert_eq!(*actions.last().unwrap(), Action::Settle(Outcome::Unanswerable));
}

/// proves: CL-07
#[test]
fn p13_when_one_of_two_requests_fails_the_other_is_closed_in_the_same_step() {
    let mut play = Play::started(request("call-7", PARAMS), all_claims(), Limits::default());
    play.serve(&asking(&[("a", ROOTS), ("b", CONFIRM)], None));
    let actions = play.handle(Event::Failed { round: 1, key: "a".into() }).unwrap();
    let closed = Action::Retract { round: 1, key: "b".into(), why: CloseReason::Unanswerable };
    assert!(actions.contains(&closed), "{actions:?}");
    assert_eq!((play.call.open(), play.sent.len()), (0, 1));
}

/// proves: CL-11
#[test]
fn p15_a_stop_that_comes_as_the_answer_does_ends_the_call_in_either_order() {
    let mut play = asked_once();
    play.stop();
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::Closed));
    assert_eq!(play.sent.len(), 1);

    // The answer comes back with the request that it makes. Whoever stops the call before they send
    // it is told to cancel that very request, and nothing else is to be sent.
    let mut play = asked_once();
    let retry = sent(&play.answer(1, "c", yes()).unwrap()).leg.clone();
    let cancelled = Action::CancelLeg { leg: retry };
    assert_eq!(play.stop(), [cancelled, Action::Settle(Outcome::Stopped)]);
    play.wait_secs(3600);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
}

/// proves: CL-11, CL-14
#[test]
fn p19_no_answer_is_made_up_for_anybody_who_was_not_asked_or_did_not_answer() {
    let mut play = Play::started(request("call-7", PARAMS), Claims::none(), Limits::default());
    let meta: Value = serde_json::from_str(&param(&play.sent[0], "_meta").unwrap()).unwrap();
    assert_eq!(meta[META_CAPABILITIES], json!({}));
    faulted(&play.serve(&asking(&[("c", CONFIRM)], Some("\"s\""))));
    assert_eq!(play.sent.len(), 1);

    let endings: [fn(&mut Play) -> Vec<Action>; 4] = [
        Play::stop,
        Play::wake,
        |play| play.handle(Event::ConnectionLost).unwrap(),
        |play| play.handle(Event::Failed { round: 1, key: "c".into() }).unwrap(),
    ];
    for end in endings {
        let mut play = asked_once();
        let actions = end(&mut play);
        assert!(matches!(actions.as_slice(), [Action::Retract { .. }, Action::Settle(_)]));
        assert_eq!(play.sent.len(), 1, "nothing was answered, and nothing is sent");
    }
}

/// proves: CL-12
#[test]
fn p21_a_person_who_closes_a_form_is_not_asked_again() {
    let mut play = Play::new();
    let mut asks = play.serve(&asking(&[("c", CONFIRM)], None));
    asks.extend(play.answer(1, "c", InputResponse::Cancel).unwrap());
    asks.extend(play.serve(DONE));
    let count = asks.iter().filter(|action| matches!(action, Action::Ask { .. })).count();
    assert_eq!(count, 1);
}

/// proves: CL-12, W-06
#[test]
fn p27_a_refusal_has_no_content_that_could_be_mistaken_for_a_yes() {
    for (json, response) in [
        (r#"{"action":"decline","content":{"confirm":true}}"#, InputResponse::Decline),
        (r#"{"action":"cancel","content":{"confirm":true}}"#, InputResponse::Cancel),
    ] {
        assert_eq!(decoded(json).unwrap(), response);
        let actions = asked_once().answer(1, "c", response).unwrap();
        assert!(!sent(&actions).to_json().contains("content"));
    }
}

/// proves: W-06, W-07
#[test]
fn p33_an_embedded_answer_is_taken_with_a_result_type_and_without_and_goes_out_without() {
    for json in [r#"{"action":"decline"}"#, r#"{"action":"decline","resultType":"complete"}"#] {
        let actions = asked_once().answer(1, "c", decoded(json).unwrap()).unwrap();
        let responses = param(sent(&actions), "inputResponses").unwrap();
        assert_eq!(responses, r#"{"c":{"action":"decline"}}"#);
    }
}

/// proves: W-07
#[test]
fn p35_an_answer_in_a_wrapper_is_not_an_answer() {
    let wrapped = r#"{"method":"elicitation/create","result":{"action":"accept"}}"#;
    let refused = WireError::shape("action", "a string");
    assert_eq!(decoded(wrapped), Err(refused));
}

/// proves: CL-06, FM-03
#[test]
fn p37_a_form_that_requires_a_field_it_cannot_show_is_not_shown_at_all() {
    for schema in [
        r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"object"}},"required":["b"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["b"]}"#,
    ] {
        let mut play = Play::new();
        let actions = play.serve(&asking(&[("c", CONFIRM), ("d", &form(schema))], None));
        assert!(matches!(faulted(&actions), Fault::Form(_)), "{actions:?}");
        assert_eq!((play.sent.len(), play.call.open()), (1, 0));
    }
}

/// proves: CL-06, W-11
#[test]
fn ten_thousand_requests_and_a_state_of_ten_megabytes_end_the_call_and_are_not_kept() {
    let keys: Vec<_> = (0..10_000).map(|index| index.to_string()).collect();
    let requests: Vec<_> = keys.iter().map(|key| (key.as_str(), CONFIRM)).collect();
    let state = format!("\"{}\"", "s".repeat(10 * 1024 * 1024));
    for (result, what, max) in [
        (asking(&requests, None), "inputRequests in requests", 16),
        (state_only(&state), "requestState in bytes", 65_536),
        (asking(&[("c", CONFIRM)], Some(&state)), "requestState in bytes", 65_536),
    ] {
        let mut play = Play::new();
        let leg = play.leg();
        let message = format!(r#"{{"jsonrpc":"2.0","id":"{leg}","result":{result}}}"#);
        let reply = Reply::read(&leg, message.as_bytes());
        let actions = play.handle(Event::Reply { leg, reply }).unwrap();
        assert_eq!(*faulted(&actions), Fault::Wire(WireError::too_large(what, max)));
        assert_eq!((play.sent.len(), play.call.open()), (1, 0));
    }
}

/// proves: CL-07, W-07
#[test]
fn keys_that_mean_something_elsewhere_are_keys_like_others_side_by_side() {
    let keys = ["", "0", "__proto__", "constructor", "inputResponses", "requestState"];
    let mut play = Play::new();
    let requests: Vec<_> = keys.iter().rev().map(|key| (*key, CONFIRM)).collect();
    assert_eq!(asked(&play.serve(&asking(&requests, None))), keys);
    let mut actions = Vec::new();
    for key in keys {
        let content = Content::new().with_flag("confirm", key == "__proto__");
        actions = play.answer(1, key, InputResponse::Accept(content)).unwrap();
    }
    let responses = members(&param(sent(&actions), "inputResponses").unwrap());
    assert_eq!(responses.keys().collect::<Vec<_>>(), keys);
    for (key, response) in responses {
        assert_eq!(response.get().contains("true"), key == "__proto__");
    }
    assert_eq!(param(sent(&actions), "requestState"), None);
}

/// proves: CL-09, CL-18
#[test]
fn the_same_reply_a_second_time_changes_nothing_whatever_it_says() {
    for result in [asking(&[("c", CONFIRM)], Some("\"s\"")), state_only("\"s\""), DONE.into()] {
        let mut play = Play::new();
        let again = result_of(play.leg(), &result);
        play.serve(&result);
        assert_eq!(play.assert_changes_nothing(again.clone()), Ok(()));
        match play.call.phase() {
            Phase::Pausing => sent(&play.wake()).leg.number(),
            Phase::AwaitingInteraction => sent(&play.answer(1, "c", yes()).unwrap()).leg.number(),
            _ => continue,
        };
        assert_eq!(play.assert_changes_nothing(again), Ok(()));
        assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
    }
}
