//! Two servers that are not configured alike: a state of one does not open at the other.

use core::time::Duration;
use std::sync::Arc;

use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    seal::{Keyring, OpenCause, RequestState},
    server::{Action, Ending, Endpoint, Need, ReportKind},
    wire::RpcError,
};
use serde_json::Value;

use crate::play::{
    NOW, answer, call, keyless, keys, message, params, refused, report, retry, run, sealing,
    send_as, shop, state, sure, with, yes,
};

/// Returns an endpoint of the shop with other keys.
fn shop_with(keys: Keyring) -> Arc<Endpoint> {
    Arc::new(Endpoint::new("shop").with_request_state(RequestState::new(keys)))
}

fn signing() -> Arc<Endpoint> {
    Arc::new(Endpoint::new("shop").with_request_state(RequestState::signed(keys())))
}

/// Asks as one caller of one server, and returns the state.
fn sealed(endpoint: &Arc<Endpoint>, now: UnixTime, principal: Option<&str>) -> Value {
    let first = message("tools/call", &params().to_string());
    let (mut exchange, _) = send_as(endpoint, now, principal, first.as_bytes());
    let need = Need::new().request("sure", sure());
    let actions = exchange.end(now, &mut SysRng, Ending::Need(need)).unwrap();
    answer(&actions).1["result"]["requestState"].clone()
}

/// Retries as one caller of one server. `None`: the handler runs.
fn opened(
    endpoint: &Arc<Endpoint>,
    now: UnixTime,
    principal: Option<&str>,
    state: &Value,
) -> Option<OpenCause> {
    let retry = message("tools/call", &retry(state, yes()).to_string());
    let (exchange, actions) = send_as(endpoint, now, principal, retry.as_bytes());
    if let [Action::Run(_)] = actions.as_slice() {
        return None;
    }
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
    assert_eq!(answer(&actions).1["error"]["message"], "Invalid requestState");
    let ReportKind::StateRefused { cause } = report(&actions).kind else { panic!("{actions:?}") };
    Some(cause)
}

/// P47.
/// proves: ST-03, ST-06
#[test]
fn p47_a_binding_on_one_side_only_is_refused_in_both_directions() {
    let ring = |id: &str, byte| Keyring::new([(id, [byte; 32])]).unwrap();
    let unnamed = Arc::new(Endpoint::new("").with_request_state(RequestState::new(keys())));
    let alice = Some("alice");
    for (here, there, cause) in [
        ((sealing(), alice), (sealing(), None), OpenCause::OtherPrincipal),
        ((sealing(), alice), (sealing(), Some("")), OpenCause::OtherPrincipal),
        ((sealing(), None), (sealing(), Some("")), OpenCause::OtherPrincipal),
        ((sealing(), alice), (sealing(), Some("Alice")), OpenCause::OtherPrincipal),
        ((sealing(), alice), (unnamed, alice), OpenCause::NotAuthentic),
        ((sealing(), alice), (signing(), alice), OpenCause::OtherMode),
        ((sealing(), alice), (shop_with(ring("k1", 8)), alice), OpenCause::NotAuthentic),
        ((sealing(), alice), (shop_with(ring("k2", 7)), alice), OpenCause::UnknownKey),
    ] {
        for (from, to) in [(&here, &there), (&there, &here)] {
            let state = sealed(&from.0, NOW, from.1);
            assert_eq!(opened(&from.0, NOW, from.1, &state), None);
            assert_eq!(opened(&to.0, NOW, to.1, &state), Some(cause), "{from:?} {to:?}");
        }
    }
}

/// P47. A server that does not redeem would take a state that was used.
/// proves: ST-08
#[test]
fn p47_a_state_that_may_be_used_once_does_not_open_where_none_is_redeemed() {
    let (once, often) = (Arc::new(shop().with_single_use()), sealing());
    let (exchange, actions) = call(&often, &retry(&state(&once), yes()));
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
}

/// P47.
/// proves: ST-08
#[test]
fn p47_a_state_that_may_be_used_often_does_not_open_where_each_is_redeemed() {
    let (once, often) = (Arc::new(shop().with_single_use()), sealing());
    let (exchange, actions) = call(&once, &retry(&state(&often), yes()));
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
}

/// P47.
/// proves: ST-09
#[test]
fn p47_keys_on_one_side_only_are_refused_and_no_answer_is_believed() {
    let state = state(&sealing());
    let keyless = keyless();
    let (exchange, actions) = call(&keyless, &retry(&state, yes()));
    assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
    let endpoint = sealing();
    let (_, actions) = call(&endpoint, &with(params(), &[("inputResponses", yes())]));
    let answers = &run(&actions).answers;
    assert!(answers.get("sure").is_none());
    assert_eq!(answers.check("sure", &sure()), Ok(None));
}

/// P51.
/// proves: ST-02, ST-06
#[test]
fn p51_keys_made_for_one_process_each_do_not_open_the_others_states_and_the_report_says_why() {
    for (id_here, id_there, cause) in
        [("ephemeral", "ephemeral", OpenCause::NotAuthentic), ("a", "b", OpenCause::UnknownKey)]
    {
        let server = |id: &str, byte| shop_with(Keyring::new([(id, [byte; 32])]).unwrap());
        let (here, there) = (server(id_here, 1), server(id_there, 2));
        for (from, to) in [(&here, &there), (&there, &here)] {
            let state = sealed(from, NOW, None);
            assert_eq!(opened(to, NOW, None, &state), Some(cause));
        }
    }
}

/// P61.
/// proves: ST-04
#[test]
fn p61_lifetimes_have_a_default_no_nonsense_and_one_boundary() {
    let states = || RequestState::new(keys());
    let (second, month) = (Duration::from_secs(1), Duration::from_secs(30 * 86_400));
    for wrong in [Duration::ZERO, Duration::from_millis(999), month + second, Duration::MAX] {
        assert!(states().with_lifetimes(wrong, second).is_err(), "{wrong:?}");
        assert!(states().with_lifetimes(second, wrong).is_err(), "{wrong:?}");
    }
    let short = states().with_lifetimes(Duration::from_secs(10), second).unwrap();
    let short = Arc::new(Endpoint::new("shop").with_request_state(short));
    let at = |secs: i64| UnixTime::from_secs(NOW.as_secs().checked_add_signed(secs).unwrap());
    for (endpoint, principal, lifetime) in [
        (&sealing(), Some("alice"), 300),
        (&sealing(), None, 60),
        (&short, Some("alice"), 10),
        (&short, None, 1),
    ] {
        let state = sealed(endpoint, NOW, principal);
        for (now, cause) in [
            (at(lifetime - 1), None),
            (at(lifetime), Some(OpenCause::Expired)),
            (at(lifetime + 1), Some(OpenCause::Expired)),
            (at(-30), None),
            (at(-31), Some(OpenCause::NotYetValid)),
            (UnixTime::from_secs(0), Some(OpenCause::NotYetValid)),
            (UnixTime::from_secs(u64::MAX), Some(OpenCause::Expired)),
        ] {
            assert_eq!(opened(endpoint, now, principal, &state), cause, "{now:?}");
        }
    }
}

/// P61.
/// proves: ST-04
#[test]
fn p61_a_state_sealed_at_either_end_of_time_does_not_wrap() {
    let endpoint = sealing();
    let last = UnixTime::from_secs(u64::MAX);
    let state = sealed(&endpoint, last, None);
    assert_eq!(opened(&endpoint, last, None, &state), Some(OpenCause::Expired));
    let first = UnixTime::from_secs(0);
    let state = sealed(&endpoint, first, None);
    assert_eq!(opened(&endpoint, first, None, &state), None);
    assert_eq!(opened(&endpoint, UnixTime::from_secs(60), None, &state), Some(OpenCause::Expired));
}

/// proves: ST-02, ST-03
#[test]
fn a_server_with_the_new_key_first_and_one_with_the_old_key_only_agree_on_the_old() {
    let ring = |keys: &[(&str, u8)]| {
        shop_with(Keyring::new(keys.iter().map(|(id, byte)| (*id, [*byte; 32]))).unwrap())
    };
    let (old, both, new) =
        (ring(&[("old", 1)]), ring(&[("new", 2), ("old", 1)]), ring(&[("new", 2)]));
    let (by_old, by_both) = (sealed(&old, NOW, None), sealed(&both, NOW, None));
    for (endpoint, state, cause) in [
        (&both, &by_old, None),
        (&both, &by_both, None),
        (&new, &by_both, None),
        (&new, &by_old, Some(OpenCause::UnknownKey)),
        (&old, &by_both, Some(OpenCause::UnknownKey)),
    ] {
        assert_eq!(opened(endpoint, NOW, None, state), cause);
    }
}

/// proves: ST-01, ST-03
#[test]
fn a_state_opens_in_the_mode_that_it_was_sealed_in_and_in_no_other() {
    for (here, elsewhere) in [(sealing(), signing()), (signing(), sealing())] {
        let state = sealed(&here, NOW, None);
        assert_eq!(opened(&here, NOW, None, &state), None);
        assert_eq!(opened(&elsewhere, NOW, None, &state), Some(OpenCause::OtherMode));
    }
}
