//! States that are used once: what the machine asks of the store, and when.

use mrtr_core::{
    Endpoint, Exchange, Need, Phase, UnixTime,
    exchange::{Action, Event, Misuse, Report},
    wire::RpcError,
};
use serde_json::json;

use crate::play::{
    NOW, answer, call, end, handle, keyless, params, raw, refused, report, retry, run, sealing,
    state, sure, yes,
};

fn once() -> Endpoint {
    sealing().with_single_use()
}

/// Every event, those of the store first.
fn events() -> Vec<Event> {
    vec![
        Event::Redeemed { first: true },
        Event::Redeemed { first: false },
        Event::StoreFailed,
        Event::Finish(raw("{}")),
        Event::Fail(RpcError::new(-1, "broken")),
        Event::Abandon(RpcError::new(-1, "busy")),
        Event::Need(Need::new().request("sure", sure())),
        Event::Need(Need::new().state(raw("1"))),
        Event::Need(Need::new()),
        Event::FlowChanged,
    ]
}

/// Expects each event to be refused, and the exchange to be as it was.
fn refuses(exchange: &mut Exchange<'_>, events: &[Event], misuse: &[Misuse]) {
    let before = exchange.clone();
    for event in events {
        let found = handle(exchange, event.clone()).unwrap_err();
        assert!(misuse.contains(&found), "{event:?}: {found:?}");
        assert_eq!(*exchange, before, "{event:?}");
    }
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
    refuses(&mut exchange, &events()[3..], &[Misuse::NotRedeemed]);
    let actions = end(&mut exchange, Event::Redeemed { first: true });
    assert_eq!(run(&actions).round, 2);
    refuses(&mut exchange, &events()[..3], &[Misuse::NothingToRedeem]);
    assert_eq!(exchange.phase(), Phase::Resumed);
    let (status, body) = answer(&end(&mut exchange, Event::Finish(raw("{}"))));
    assert_eq!((status, body.get("error")), (200, None));
}

/// proves: ST-08, SV-01
#[test]
fn no_event_changes_an_exchange_that_is_answered_however_it_was() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    for event in &events()[3..] {
        let (mut exchange, _) = call(&endpoint, &retry);
        end(&mut exchange, Event::Redeemed { first: true });
        end(&mut exchange, event.clone());
        refuses(&mut exchange, &events(), &[Misuse::Answered, Misuse::NothingToRedeem]);
    }
    for event in &events()[1..3] {
        let (mut exchange, _) = call(&endpoint, &retry);
        end(&mut exchange, event.clone());
        refuses(&mut exchange, &events(), &[Misuse::Answered, Misuse::NothingToRedeem]);
    }
    let (mut exchange, _) = call(&endpoint, &json!({}));
    refuses(&mut exchange, &events(), &[Misuse::Answered]);
}

/// P55.
/// proves: ST-08, ST-06
#[test]
fn p55_a_state_that_was_used_is_refused_as_one_that_never_was_any() {
    let endpoint = once();
    let (mut used, _) = call(&endpoint, &retry(&state(&endpoint), yes()));
    let actions = end(&mut used, Event::Redeemed { first: false });
    assert_eq!(refused(&used, &actions), (200, RpcError::INVALID_PARAMS));
    assert!(matches!(report(&actions), Report::StateReused { method } if method == "tools/call"));
    let (_, unknown) = call(&endpoint, &retry(&json!("AAAA"), yes()));
    assert_eq!(answer(&actions), answer(&unknown), "the client can not tell them apart");
}

/// proves: ST-08
#[test]
fn a_store_that_can_not_be_asked_is_an_internal_error_and_the_handler_does_not_run() {
    let endpoint = once();
    let (mut exchange, _) = call(&endpoint, &retry(&state(&endpoint), yes()));
    let actions = end(&mut exchange, Event::StoreFailed);
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INTERNAL));
    assert!(matches!(report(&actions), Report::StoreFailed { method } if method == "tools/call"));
}

/// P55.
/// proves: ST-08
#[test]
fn p55_only_a_handler_that_did_nothing_gives_its_state_back() {
    let endpoint = once();
    let retry = retry(&state(&endpoint), yes());
    for event in &events()[3..] {
        let (mut exchange, actions) = call(&endpoint, &retry);
        let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("{actions:?}") };
        end(&mut exchange, Event::Redeemed { first: true });
        let actions = end(&mut exchange, event.clone());
        let released = actions.iter().filter(|action| matches!(action, Action::Release { .. }));
        if matches!(event, Event::Abandon(_)) {
            assert_eq!(released.count(), 1);
            assert_eq!(actions.first(), Some(&Action::Release { id: *id }), "before the answer");
        } else {
            assert_eq!(released.count(), 0, "{event:?}");
        }
        assert!(!actions.iter().any(|action| matches!(action, Action::Redeem { .. })));
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
    let keyless = keyless().with_single_use();
    let reusable = sealing();
    let state = state(&reusable);
    for (endpoint, params) in [
        (&once(), params()),
        (&once(), crate::play::with(params(), &[("inputResponses", yes())])),
        (&keyless, crate::play::with(params(), &[("inputResponses", yes())])),
        (&reusable, retry(&state, yes())),
    ] {
        let (mut exchange, actions) = call(endpoint, &params);
        run(&actions);
        refuses(&mut exchange, &events()[..3], &[Misuse::NothingToRedeem]);
        let actions = end(&mut exchange, Event::Abandon(RpcError::new(-1, "busy")));
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
        end(&mut exchange, Event::Redeemed { first: true });
        let need = Need::new().request("sure", sure());
        let actions = end(&mut exchange, Event::Need(need));
        state = answer(&actions).1["result"]["requestState"].clone();
    }
}

/// proves: ST-08, SV-03
#[test]
fn a_client_that_lacked_a_capability_may_send_its_retry_again_with_it() {
    let endpoint = once();
    let mut retry = retry(&state(&endpoint), yes());
    retry["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let (mut exchange, _) = call(&endpoint, &retry);
    end(&mut exchange, Event::Redeemed { first: true });
    let actions = end(&mut exchange, Event::Need(Need::new().request("sure", sure())));
    assert!(matches!(actions.first(), Some(Action::Release { .. })), "{actions:?}");
    assert_eq!(answer(&actions).1["error"]["code"], RpcError::MISSING_CAPABILITY);
}
