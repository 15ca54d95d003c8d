//! Sealed states: what comes back of them, and what makes them worthless.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod json;
#[path = "../kept/mod.rs"]
mod kept;

use core::time::Duration;
use std::sync::Arc;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use mrtr_core::{
    UnixTime,
    seal::OpenCause,
    server::{Endpoint, Incoming, Need, Run},
    wire::RawJson,
};
use mrtr_proptests::exchange::{
    Came, Counting, NOW, all_kinds, ask, code_of, endpoint, first_round, message, receive, states,
};
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::Value;

use json::{any_json, respell};
use kept::config;

const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
const ALICE: Option<&str> = Some("alice");

fn call(method: &str, arguments: &str, state: Option<&str>) -> String {
    let state = state.map(|state| Value::from(state).to_string());
    let mut members = vec![("arguments", arguments)];
    members.extend(state.as_deref().map(|state| ("requestState", state)));
    message(method, &members)
}

fn come(endpoint: &Arc<Endpoint>, now: UnixTime, principal: Option<&str>, sent: &str) -> Came {
    receive(endpoint, now, Incoming::message(sent.as_bytes()).with_principal(principal))
}

fn need(state: &str) -> Need {
    all_kinds().state(RawJson::parse(state).unwrap())
}

/// Seals a state for alice.
fn seal(endpoint: &Arc<Endpoint>, sent: &str) -> String {
    first_round(endpoint, NOW, ALICE, sent, need(r#""SENTINEL""#))
}

fn opened(came: Came) -> Run {
    match came {
        Came::Runs(_, run) => *run,
        other => panic!("the state opens, found {other:?}"),
    }
}

/// Returns why a state was refused. The client hears the same each time.
fn cause(came: Came) -> OpenCause {
    const ANSWER: &str =
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid requestState"}}"#;
    match came {
        Came::Refused(respond, Some(cause)) => {
            assert_eq!((respond.status, respond.body.unwrap().as_str()), (200, ANSWER));
            cause
        }
        other => panic!("the state is refused, found {other:?}"),
    }
}

/// A change of a sequence of bytes or of characters.
#[derive(Clone, Debug)]
enum Edit<T> {
    Change(Index, T),
    Remove(Index),
    Add(Index, T),
    Swap(Index, Index),
    Cut(Index),
}

fn any_edit<T: core::fmt::Debug + Clone>(
    item: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Edit<T>> {
    let index = any::<Index>;
    prop_oneof![
        (index(), item.clone()).prop_map(|(at, new)| Edit::Change(at, new)),
        index().prop_map(Edit::Remove),
        (index(), item).prop_map(|(at, new)| Edit::Add(at, new)),
        (index(), index()).prop_map(|(a, b)| Edit::Swap(a, b)),
        index().prop_map(Edit::Cut),
    ]
}

fn edited<T: Clone>(items: &[T], edit: &Edit<T>) -> Vec<T> {
    let (mut items, len) = (items.to_vec(), items.len());
    match edit {
        Edit::Change(at, new) => items[at.index(len)] = new.clone(),
        Edit::Remove(at) => drop(items.remove(at.index(len))),
        Edit::Add(at, new) => items.insert(at.index(len + 1), new.clone()),
        Edit::Swap(a, b) => items.swap(a.index(len), b.index(len)),
        Edit::Cut(at) => items.truncate(at.index(len)),
    }
    items
}

/// The causes of a token that is not as it was made. Which it is depends on the place.
fn assert_worthless(endpoint: &Arc<Endpoint>, token: &str) {
    let cause = cause(come(endpoint, NOW, ALICE, &call("tools/call", "{}", Some(token))));
    let expected = [
        OpenCause::Malformed,
        OpenCause::OtherMode,
        OpenCause::UnknownKey,
        OpenCause::NotAuthentic,
    ];
    assert!(expected.contains(&cause), "{cause:?} of {token}");
}

proptest! {
    #![proptest_config(config(1))]

    /// proves: ST-01, ST-03, SV-02, PR-02
    #[test]
    fn what_a_handler_seals_it_gets_back_round_after_round(
        signed: bool, method in 0..3_usize, arguments in any_json(), principal: Option<String>,
        sealed in vec(any_json(), 1..4),
    ) {
        let (endpoint, arguments) = (Arc::new(endpoint(signed)), arguments.to_string());
        let (method, principal) = (METHODS[method], principal.as_deref());
        let mut rng = Counting::default();
        let mut state: Option<(String, String)> = None;
        for (round, next) in (1..).zip(sealed) {
            let token = state.as_ref().map(|(token, _)| token.as_str());
            let came = come(&endpoint, NOW, principal, &call(method, &arguments, token));
            let Came::Runs(mut exchange, run) = came else { panic!("it runs, found {came:?}") };
            prop_assert_eq!(run.round, round);
            let found = run.state.as_ref().map(RawJson::as_str);
            prop_assert_eq!(found, state.as_ref().map(|(_, json)| json.as_str()));
            let next = next.to_string();
            state = Some((ask(&mut exchange, NOW, &mut rng, need(&next)), next));
        }
    }

    /// proves: ST-06, PR-02
    #[test]
    fn a_token_with_any_change_of_a_character_or_a_byte_is_refused(
        signed: bool,
        of_text in any_edit(prop_oneof!["[A-Za-z0-9_-]", "[ =+/\\.é]"].prop_map(|s| s.chars().next().unwrap())),
        of_bytes in any_edit(any::<u8>()),
    ) {
        let endpoint = Arc::new(endpoint(signed));
        let token = seal(&endpoint, &call("tools/call", "{}", None));
        let bytes = Base64UrlUnpadded::decode_vec(&token).unwrap();
        let text: String = edited(&token.chars().collect::<Vec<_>>(), &of_text).iter().collect();
        let bytes = Base64UrlUnpadded::encode_string(&edited(&bytes, &of_bytes));
        for changed in [text, bytes] {
            if changed != token {
                assert_worthless(&endpoint, &changed);
            }
        }
    }

    /// proves: ST-03, ST-06, PR-02
    #[test]
    fn a_state_is_worthless_wherever_something_is_other_than_it_was(
        signed: bool, method in 0..3_usize, arguments in any_json(), others in any_json(),
        (principal, other) in any::<(Option<String>, Option<String>)>(),
    ) {
        let keys = [("k1", [7; 32])];
        let here = Arc::new(endpoint(signed));
        let at = |name: &str, signed, keys| {
            Endpoint::new(name).with_request_state(states(signed, keys))
        };
        let text = arguments.to_string();
        let (from, other_method) = (METHODS[method], METHODS[(method + 1) % 3]);
        let who = principal.as_deref();
        let token = first_round(&here, NOW, who, &call(from, &text, None), need("1"));
        let token = Some(token.as_str());
        let sent = call(from, &text, token);
        for (endpoint, expected) in [
            (at("deployment", signed, &keys), OpenCause::NotAuthentic),
            (at("deployments", !signed, &keys), OpenCause::OtherMode),
            (at("deployments", signed, &[("k2", [7; 32])]), OpenCause::UnknownKey),
            (at("deployments", signed, &[("k1", [8; 32])]), OpenCause::NotAuthentic),
            (Endpoint::new("deployments"), OpenCause::NoKeyring),
        ] {
            prop_assert_eq!(cause(come(&Arc::new(endpoint), NOW, who, &sent)), expected);
        }
        let moved = call(other_method, &text, token);
        prop_assert_eq!(cause(come(&here, NOW, who, &moved)), OpenCause::NotAuthentic);
        if principal != other {
            let came = come(&here, NOW, other.as_deref(), &sent);
            prop_assert_eq!(cause(came), OpenCause::OtherPrincipal);
        }
        if arguments != others {
            let came = come(&here, NOW, who, &call(from, &others.to_string(), token));
            prop_assert_eq!(cause(came), OpenCause::OtherParams);
        }
        // Another version has no rounds here at all.
        let Came::Refused(respond, None) = come(&here, NOW, who, &sent.replace("2026-07-28", "2026-07-29"))
        else { panic!("another version is refused") };
        prop_assert_eq!((respond.status, code_of(&respond)), (400, -32022));
        prop_assert_eq!(opened(come(&here, NOW, who, &sent)).round, 2);
    }

    /// proves: ST-03, PR-02
    #[test]
    fn params_that_are_written_otherwise_are_the_same(
        signed: bool, arguments in any_json(), styles in vec(any::<u8>(), 1..20),
    ) {
        let endpoint = Arc::new(endpoint(signed));
        let token = seal(&endpoint, &call("tools/call", &arguments.to_string(), None));
        let respelled = respell(&arguments, &mut styles.iter().copied().cycle());
        let sent = call("tools/call", &respelled, Some(&token));
        prop_assert_eq!(opened(come(&endpoint, NOW, ALICE, &sent)).round, 2, "{}", respelled);
    }

    /// proves: ST-04, PR-02
    #[test]
    fn a_state_opens_from_30_seconds_before_it_was_issued_until_it_expires(
        signed: bool, known: bool, issued in prop_oneof![0..100_u64, any::<u64>(), u64::MAX - 100..=u64::MAX],
        lifetimes in (1..=2_592_000_u64, 1..=2_592_000_u64), near in -2..=2_i64, anywhere in any::<u64>(),
    ) {
        let (of_known, of_unknown) = lifetimes;
        let states = states(signed, &[("k1", [7; 32])])
            .with_lifetimes(Duration::from_secs(of_known), Duration::from_secs(of_unknown));
        let endpoint = Endpoint::new("deployments").with_request_state(states.unwrap());
        let endpoint = Arc::new(endpoint);
        let (who, lifetime) = if known { (ALICE, of_known) } else { (None, of_unknown) };
        let time = UnixTime::from_secs;
        let token = first_round(&endpoint, time(issued), who, &call("tools/call", "{}", None), need("1"));
        let sent = call("tools/call", "{}", Some(&token));
        let expires = issued.saturating_add(lifetime);
        let edges = [issued, issued.saturating_sub(30), expires];
        for now in edges.map(|edge| edge.saturating_add_signed(near)).into_iter().chain([anywhere]) {
            let came = come(&endpoint, time(now), who, &sent);
            if now >= expires {
                prop_assert_eq!(cause(came), OpenCause::Expired);
            } else if issued.saturating_sub(now) > 30 {
                prop_assert_eq!(cause(came), OpenCause::NotYetValid);
            } else {
                prop_assert_eq!(opened(came).round, 2);
            }
        }
    }

    /// proves: ST-02, PR-02
    #[test]
    fn a_rotated_ring_opens_what_its_old_keys_sealed_and_a_new_ring_does_not(
        signed: bool, seed in any::<[[u8; 32]; 2]>(),
    ) {
        let [old, new] = seed;
        prop_assume!(old != new && !seed.contains(&[0; 32]));
        let ring = |keys: &[_]| {
            Arc::new(Endpoint::new("deployments").with_request_state(states(signed, keys)))
        };
        let before = ring(&[("old", old)]);
        let rotated = ring(&[("new", new), ("old", old)]);
        let after = ring(&[("new", new)]);
        let first = call("tools/call", "{}", None);
        let by_old = call("tools/call", "{}", Some(&seal(&before, &first)));
        prop_assert_eq!(opened(come(&rotated, NOW, ALICE, &by_old)).round, 2);
        prop_assert_eq!(cause(come(&after, NOW, ALICE, &by_old)), OpenCause::UnknownKey);
        let by_new = call("tools/call", "{}", Some(&seal(&rotated, &first)));
        prop_assert_eq!(opened(come(&after, NOW, ALICE, &by_new)).round, 2);
        prop_assert_eq!(cause(come(&before, NOW, ALICE, &by_new)), OpenCause::UnknownKey);
    }
}

/// proves: ST-06
#[test]
fn every_bit_of_a_token_counts_and_no_byte_is_lost_added_or_swapped() {
    for signed in [false, true] {
        let endpoint = Arc::new(endpoint(signed));
        let token = seal(&endpoint, &call("tools/call", "{}", None));
        let bytes = Base64UrlUnpadded::decode_vec(&token).unwrap();
        for around in [" ", "=", "==", "A", "\n", "\0"] {
            assert_worthless(&endpoint, &format!("{token}{around}"));
            assert_worthless(&endpoint, &format!("{around}{token}"));
        }
        let mut changed = Vec::new();
        for (at, byte) in bytes.iter().enumerate() {
            for bit in 0..8 {
                changed.push(bytes.clone());
                changed.last_mut().unwrap()[at] ^= 1 << bit;
            }
            let (before, rest) = bytes.split_at(at);
            changed.push([before, &rest[1..]].concat());
            changed.push([before, &[*byte], rest].concat());
            let mut swapped = bytes.clone();
            swapped.swap(at, (at + 1) % bytes.len());
            changed.push(swapped);
        }
        for changed in changed.iter().filter(|changed| **changed != bytes) {
            assert_worthless(&endpoint, &Base64UrlUnpadded::encode_string(changed));
        }
    }
}

/// proves: ST-03
#[test]
fn members_in_another_order_and_one_with_a_fraction_are_the_same_and_two_is_not() {
    let endpoint = Arc::new(endpoint(false));
    let token = seal(&endpoint, &call("tools/call", r#"{"a":1,"b":[2]}"#, None));
    let answer =
        |arguments: &str| come(&endpoint, NOW, ALICE, &call("tools/call", arguments, Some(&token)));
    assert_eq!(opened(answer(r#"{"b":[2.0],"a":1.0}"#)).round, 2);
    for other in [r#"{"a":2,"b":[2]}"#, r#"{"a":"1","b":[2]}"#, r#"{"a":1}"#] {
        assert_eq!(cause(answer(other)), OpenCause::OtherParams);
    }
}
