//! States that are used once: what the machine asks of the store, and when.

use std::sync::Arc;

use mrtr_core::{
    Phase, UnixTime,
    server::{
        Action, Actions, Ending, Endpoint, Event, Exchange, HandlerError, Misuse, Need, ReportKind,
    },
    wire::{META_CAPABILITIES, RpcError},
};
use serde_json::json;

use crate::play::{
    NOW, answer, call, end, params, raw, redeem, refused, report, retry, run, sealing, send_as,
    shop, state, sure, try_end, with, yes,
};

fn once() -> Arc<Endpoint> {
    Arc::new(shop().with_single_use())
}

/// Every reply of the store.
const REPLIES: [Event; 3] =
    [Event::Redeemed { first: true }, Event::Redeemed { first: false }, Event::StoreFailed];

/// Every way in which a handler ends.
fn endings() -> Vec<Ending> {
    vec![
        Ending::Finish(raw("{}")),
        Ending::Fail(error("broken")),
        Ending::Abandon(error("busy")),
        Ending::Need(Need::new().request("sure", sure())),
        Ending::Need(Need::new().state(raw("1"))),
        Ending::Need(Need::new()),
        Ending::Declined,
        Ending::FlowChanged,
    ]
}

fn error(message: &'static str) -> HandlerError {
    RpcError::new(-1, message).into()
}

/// Expects each reply of the store to be refused, and the exchange to be as it was.
fn refuses_replies(exchange: &mut Exchange, misuse: Misuse) {
    let before = exchange.clone();
    for event in REPLIES {
        assert_eq!(exchange.handle(event), Err(misuse), "{event:?}");
        assert_eq!(*exchange, before, "{event:?}");
    }
}

/// Expects each ending to be refused, and the exchange to be as it was.
fn refuses_endings(exchange: &mut Exchange, misuse: Misuse) {
    let before = exchange.clone();
    for ending in endings() {
        assert_eq!(try_end(exchange, ending.clone()), Err(misuse), "{ending:?}");
        assert_eq!(*exchange, before, "{ending:?}");
    }
}

/// Takes a reply of the store.
fn reply(exchange: &mut Exchange, event: Event) -> Actions {
    exchange.handle(event).unwrap()
}

/// proves: ST-08
#[test]
fn the_store_is_asked_before_the_handler_runs_and_nothing_counts_before_it_spoke() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    let (mut exchange, actions) = call(&endpoint, &retry);
    let [Action::Redeem { id, until }] = actions.as_slice() else { panic!("{actions:?}") };
    assert_eq!(*until, UnixTime::from_secs(NOW.as_secs() + 300 + 30));
    assert_eq!(id.to_string().len(), 32);
    assert_eq!(exchange.phase(), Phase::Pausing);
    refuses_endings(&mut exchange, Misuse::NotRedeemed);
    let actions = redeem(&mut exchange);
    assert_eq!(run(&actions).round, 2);
    refuses_replies(&mut exchange, Misuse::NothingToRedeem);
    assert_eq!(exchange.phase(), Phase::Resumed);
    let (status, body) = answer(&end(&mut exchange, Ending::Finish(raw("{}"))));
    assert_eq!((status, body.get("error")), (200, None));
}

/// proves: ST-08, SV-01
#[test]
fn no_event_changes_an_exchange_that_is_answered_however_it_was() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    let answered = |exchange: &mut Exchange| {
        refuses_replies(exchange, Misuse::Answered);
        refuses_endings(exchange, Misuse::Answered);
    };
    for ending in endings() {
        let (mut exchange, _) = call(&endpoint, &retry);
        run(&redeem(&mut exchange));
        let _ = end(&mut exchange, ending);
        answered(&mut exchange);
    }
    for event in [Event::Redeemed { first: false }, Event::StoreFailed] {
        let (mut exchange, _) = call(&endpoint, &retry);
        let _ = reply(&mut exchange, event);
        answered(&mut exchange);
    }
    let (mut exchange, _) = call(&endpoint, &json!({}));
    answered(&mut exchange);
}

/// proves: ST-08, SV-02
#[test]
fn a_round_that_asks_for_nothing_pauses_and_is_not_taken_for_one_that_is_redeemed() {
    let endpoint = once();
    let (mut exchange, _) = call(&endpoint, &params());
    let actions = end(&mut exchange, Ending::Need(Need::new().state(raw("1"))));
    assert_eq!(exchange.phase(), Phase::Pausing);
    assert_eq!(report(&actions).kind, ReportKind::InputRequired { round: 1, requests: 0 });
    refuses_replies(&mut exchange, Misuse::Answered);
    refuses_endings(&mut exchange, Misuse::Answered);
}

/// P55.
/// proves: ST-08, ST-06
#[test]
fn p55_a_state_that_was_used_is_refused_as_one_that_never_was_any() {
    let endpoint = once();
    let (mut used, _) = call(&endpoint, &retry(&state(&endpoint), yes()));
    let actions = reply(&mut used, Event::Redeemed { first: false });
    assert_eq!(refused(&used, &actions), (200, RpcError::INVALID_PARAMS));
    assert_eq!(report(&actions).kind, ReportKind::StateReused);
    assert_eq!(report(&actions).method.as_deref(), Some("tools/call"));
    let (_, unknown) = call(&endpoint, &retry(&json!("AAAA"), yes()));
    assert_eq!(answer(&actions), answer(&unknown), "the client cannot tell them apart");
}

/// proves: ST-08
#[test]
fn a_store_that_cannot_be_asked_is_an_internal_error_and_the_handler_does_not_run() {
    let endpoint = once();
    let (mut exchange, _) = call(&endpoint, &retry(&state(&endpoint), yes()));
    let actions = reply(&mut exchange, Event::StoreFailed);
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INTERNAL));
    assert_eq!(report(&actions).kind, ReportKind::StoreFailed);
    assert_eq!(report(&actions).method.as_deref(), Some("tools/call"));
}

/// P55.
/// proves: ST-08
#[test]
fn p55_only_a_handler_that_did_nothing_gives_its_state_back() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    for ending in endings() {
        let (mut exchange, actions) = call(&endpoint, &retry);
        let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("{actions:?}") };
        run(&redeem(&mut exchange));
        let actions = end(&mut exchange, ending.clone());
        if matches!(ending, Ending::Abandon(_)) {
            let [Action::Release { id: released }, Action::Respond(_)] = actions.as_slice() else {
                panic!("it is released before it is answered, found {actions:?}")
            };
            assert_eq!(released, id);
        } else {
            assert!(matches!(actions.as_slice(), [Action::Respond(_)]), "{ending:?}: {actions:?}");
        }
    }
}

/// P55.
/// proves: ST-08, SV-04
#[test]
fn p55_a_retry_that_is_refused_does_not_use_its_state_up() {
    let endpoint = once();
    let state = state(&endpoint);
    for wrong in [json!([]), json!({"sure": 7}), json!({"sure": {"action": "accept"}})] {
        let (exchange, actions) = call(&endpoint, &retry(&state, wrong));
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
    }
    let (_, actions) = call(&endpoint, &retry(&state, yes()));
    assert!(matches!(actions.as_slice(), [Action::Redeem { .. }]));
}

/// proves: ST-08
#[test]
fn what_has_no_state_is_not_redeemed_and_not_released() {
    let keyless = Arc::new(Endpoint::new("shop").with_single_use());
    let reusable = sealing();
    let state = state(&reusable);
    for (endpoint, params) in [
        (&once(), params()),
        (&once(), with(params(), &[("inputResponses", yes())])),
        (&keyless, with(params(), &[("inputResponses", yes())])),
        (&reusable, retry(&state, yes())),
    ] {
        let (mut exchange, actions) = call(endpoint, &params);
        run(&actions);
        refuses_replies(&mut exchange, Misuse::NothingToRedeem);
        let actions = end(&mut exchange, Ending::Abandon(error("busy")));
        assert!(matches!(actions.as_slice(), [Action::Respond(_)]), "{actions:?}");
    }
}

/// proves: ST-08
#[test]
fn each_round_has_a_state_of_its_own_to_use() {
    let endpoint = once();
    let mut seen = Vec::new();
    let mut state = state(&endpoint);
    for _ in 0..3 {
        let (mut exchange, actions) = call(&endpoint, &retry(&state, yes()));
        let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("{actions:?}") };
        assert!(!seen.contains(id));
        seen.push(*id);
        run(&redeem(&mut exchange));
        let need = Need::new().request("sure", sure());
        let actions = end(&mut exchange, Ending::Need(need));
        state = answer(&actions).1["result"]["requestState"].clone();
    }
}

/// proves: ST-08, SV-03
#[test]
fn a_client_that_lacked_a_capability_may_send_its_retry_again_with_it() {
    let endpoint = once();
    let mut retry = retry(&state(&endpoint), yes());
    retry["_meta"][META_CAPABILITIES] = json!({});
    let (mut exchange, _) = call(&endpoint, &retry);
    run(&redeem(&mut exchange));
    let actions = end(&mut exchange, Ending::Need(Need::new().request("sure", sure())));
    assert!(matches!(actions.as_slice(), [Action::Release { .. }, Action::Respond(_)]));
    assert_eq!(answer(&actions).1["error"]["code"], RpcError::MISSING_CAPABILITY);
}

/// proves: ST-08
#[test]
fn a_state_that_may_be_used_once_is_redeemed_before_the_handler_runs() {
    let endpoint = once();
    let send = |params: &serde_json::Value| {
        let message = crate::play::message("tools/call", &params.to_string());
        send_as(&endpoint, NOW, None, message.as_bytes())
    };
    let (mut exchange, _) = send(&params());
    let asked = end(&mut exchange, Ending::Need(Need::new().request("sure", sure())));
    let retry = retry(&answer(&asked).1["result"]["requestState"], yes());
    let id_and_time = |actions: &Actions| match actions.as_slice() {
        [Action::Redeem { id, until }] => (*id, *until),
        other => panic!("it is redeemed first, found {other:?}"),
    };
    let (mut first, actions) = send(&retry);
    let (id, until) = id_and_time(&actions);
    // 60 seconds for nobody in particular, and 30 for the clock of another server.
    assert_eq!(until, UnixTime::from_secs(NOW.as_secs() + 60 + 30));
    // No ending of a handler counts before the store replied.
    let before = first.clone();
    assert_eq!(try_end(&mut first, Ending::Finish(raw("{}"))), Err(Misuse::NotRedeemed));
    assert_eq!(first, before);
    let actions = redeem(&mut first);
    assert!(run(&actions).answers.form("sure").is_some());
    assert_eq!(first.handle(Event::Redeemed { first: true }), Err(Misuse::NothingToRedeem));
    let actions = end(&mut first, Ending::Finish(raw("{}")));
    assert!(answer(&actions).1.get("result").is_some());

    // The same state again, here or on another server with the keys: the store knows its id.
    let (mut second, actions) = send(&retry);
    assert_eq!(id_and_time(&actions).0, id);
    let actions = reply(&mut second, Event::Redeemed { first: false });
    assert_eq!(answer(&actions).1["error"]["message"], "Invalid requestState");
    assert_eq!(report(&actions).kind, ReportKind::StateReused);
    assert_eq!(second.phase(), Phase::Settled);

    let (mut third, _) = send(&retry);
    let actions = reply(&mut third, Event::StoreFailed);
    assert_eq!(answer(&actions).1["error"]["code"], RpcError::INTERNAL);
    assert_eq!(report(&actions).kind, ReportKind::StoreFailed);
}

/// proves: ST-08
#[test]
fn a_handler_that_failed_before_it_did_anything_gives_the_state_back() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    let (mut exchange, actions) = call(&endpoint, &retry);
    let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("it is redeemed") };
    run(&redeem(&mut exchange));
    let actions = end(&mut exchange, Ending::Abandon(error("busy")));
    let [Action::Release { id: released }, Action::Respond(_)] = actions.as_slice() else {
        panic!("it is released, found {actions:?}")
    };
    assert_eq!(released, id);
    // One that failed later keeps it used.
    let (mut exchange, _) = call(&endpoint, &retry);
    run(&redeem(&mut exchange));
    let actions = end(&mut exchange, Ending::Fail(error("broken")));
    assert!(matches!(actions.as_slice(), [Action::Respond(_)]));
    // A first request has nothing to redeem.
    let (_, actions) = call(&endpoint, &params());
    run(&actions);
}
