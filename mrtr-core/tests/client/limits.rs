//! The limits of a round: what is as large as allowed passes, and what is one larger does not.

use mrtr_core::{Limits, Phase, client::Fault, wire::WireError};

use crate::play::{CONFIRM, Play, asking, faulted, form, state_only};

/// Asserts that a result passes under one limit, and is refused, before anything is asked, under
/// one that is lower by one.
fn assert_bound(result: &str, what: &'static str, max: usize, set: impl Fn(&mut Limits, usize)) {
    for (bound, passes) in [(max, true), (max - 1, false)] {
        let mut limits = Limits::default();
        set(&mut limits, bound);
        let mut play = Play::limited(limits);
        let actions = play.serve(result);
        if passes {
            assert_ne!(play.call.phase(), Phase::Settled, "{what} of {bound}");
        } else {
            let too_large = Fault::Wire(WireError::too_large(what, bound));
            assert_eq!(*faulted(&actions), too_large);
            assert_eq!(play.sent.len(), 1);
        }
    }
}

/// proves: CL-06
#[test]
fn a_state_is_bounded_in_bytes_of_its_text() {
    for (state, bytes) in [(r#""abc""#, 3), (r#""\u0061""#, 6), ("\"é\"", 2)] {
        for result in [state_only(state), asking(&[("c", CONFIRM)], Some(state))] {
            assert_bound(&result, "requestState in bytes", bytes, |limits, max| {
                limits.state_bytes_max = max;
            });
        }
    }
}

/// proves: CL-06
#[test]
fn a_round_is_bounded_in_requests() {
    let requests = [("a", CONFIRM), ("b", CONFIRM), ("c", CONFIRM)];
    assert_bound(&asking(&requests, None), "inputRequests in requests", 3, |limits, max| {
        limits.requests_max = max;
    });
}

/// proves: CL-06
#[test]
fn a_request_is_bounded_in_bytes_and_so_are_all_of_a_round() {
    let requests = [("a", CONFIRM), ("b", CONFIRM)];
    let one = CONFIRM.len();
    assert_bound(&asking(&requests, None), "an input request in bytes", one, |limits, max| {
        limits.request_bytes_max = max;
    });
    assert_bound(&asking(&requests, None), "inputRequests in bytes", 2 * one, |limits, max| {
        limits.round_bytes_max = max;
    });
}

/// proves: CL-06
#[test]
fn a_key_is_bounded_in_bytes() {
    let what = "the key of an input request in bytes";
    for (key, bytes) in [("abc", 3), ("é", 2)] {
        assert_bound(&asking(&[(key, CONFIRM)], None), what, bytes, |limits, max| {
            limits.key_bytes_max = max;
        });
    }
}

/// proves: CL-06, FM-04
#[test]
fn a_message_is_bounded_in_bytes() {
    // "Please"
    let request = form(r#"{"type":"object","properties":{}}"#);
    assert_bound(&asking(&[("c", &request)], None), "a message in bytes", 6, |limits, max| {
        limits.message_bytes_max = max;
    });
}

/// proves: CL-06, FM-04
#[test]
fn a_form_is_read_within_the_limits_of_the_call() {
    let two =
        form(r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}}}"#);
    for (fields_max, passes) in [(2, true), (1, false)] {
        let mut limits = Limits::default();
        limits.form.fields_max = fields_max;
        let mut play = Play::limited(limits);
        let actions = play.serve(&asking(&[("a", CONFIRM), ("b", &two)], None));
        if passes {
            assert_eq!(play.call.open(), 2);
        } else {
            let Fault::Form(refusal) = faulted(&actions) else { panic!("the form is refused") };
            assert_eq!(refusal.code.as_str(), "over-limit");
        }
    }
}

/// proves: CL-06
#[test]
fn the_defaults_are_those_that_the_documentation_names() {
    let long = format!("\"{}\"", "s".repeat(64 * 1024));
    let mut play = Play::new();
    play.serve(&state_only(&long));
    assert_eq!(play.call.phase(), Phase::Pausing);
    let mut play = Play::new();
    let longer = long.replacen('s', "ss", 1);
    assert!(matches!(faulted(&play.serve(&state_only(&longer))), Fault::Wire(_)));

    let keys: Vec<String> = (0..17).map(|index| index.to_string()).collect();
    let requests: Vec<_> = keys.iter().map(|key| (key.as_str(), CONFIRM)).collect();
    let mut play = Play::new();
    play.serve(&asking(&requests[..16], None));
    assert_eq!(play.call.open(), 16);
    let mut play = Play::new();
    assert!(matches!(faulted(&play.serve(&asking(&requests, None))), Fault::Wire(_)));
}
