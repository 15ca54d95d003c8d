//! The `requestState`: opaque, exact, and of one round only.

use mrtr_core::{Phase, wire::InputResponse};

use crate::play::{CONFIRM, Play, asking, param, sent, state_only, yes};

/// States as JSON text: empty, escaped, with surrogates that are no Unicode, with what looks like
/// the end of the message, long.
fn states() -> Vec<String> {
    let mut states: Vec<String> = [
        r#""""#,
        r#""opaque""#,
        r#""a\/b/c""#,
        r#""\u0041A\u00e9é""#,
        r#""\ud800""#,
        r#""\udc00\ud800 \uD83D\uDE00""#,
        r#""\\\"\\""#,
        r#""\u0000\n\t\b\f\r""#,
        r#""\"},\"inputResponses\":{\"x\":1""#,
        "\"\u{7f}\u{2028}\u{feff}\u{10ffff}\"",
        r#""{\"user\":\"alice\"}""#,
    ]
    .map(Into::into)
    .into();
    states.push(format!("\"{}\"", "s".repeat(60_000)));
    states
}

/// proves: CL-02, W-08
#[test]
fn a_state_goes_back_byte_for_byte_with_the_answers() {
    for state in states() {
        let mut play = Play::new();
        play.serve(&asking(&[("c", CONFIRM)], Some(&format!(" {state}\n"))));
        let actions = play.answer(1, "c", yes()).unwrap();
        assert_eq!(sent(&actions).state_bytes, Some(state.len() - 2));
        assert_eq!(param(sent(&actions), "requestState"), Some(state));
    }
}

/// proves: CL-02, CL-04, W-08
#[test]
fn a_state_goes_back_byte_for_byte_where_nobody_is_asked() {
    for state in states() {
        let mut play = Play::new();
        assert_eq!(play.serve(&state_only(&state)), []);
        let actions = play.wake();
        assert_eq!(param(sent(&actions), "requestState"), Some(state));
        assert_eq!(param(sent(&actions), "inputResponses"), None);
    }
}

/// proves: CL-03
#[test]
fn a_round_without_a_state_is_retried_without_one() {
    for result in [asking(&[("c", CONFIRM)], None), asking(&[("c", CONFIRM)], Some("null"))] {
        let mut play = Play::new();
        play.serve(&result);
        let actions = play.answer(1, "c", yes()).unwrap();
        assert_eq!(param(sent(&actions), "requestState"), None);
        assert_eq!(sent(&actions).state_bytes, None);
    }
}

/// proves: CL-03
#[test]
fn nothing_of_a_round_reaches_a_later_one() {
    let mut play = Play::new();
    play.serve(&asking(&[("first", CONFIRM)], Some("\"one\"")));
    play.answer(1, "first", yes()).unwrap();

    play.serve(&asking(&[("second", CONFIRM)], None));
    let actions = play.answer(2, "second", yes()).unwrap();
    assert_eq!(param(sent(&actions), "requestState"), None);
    assert_eq!(
        param(sent(&actions), "inputResponses").unwrap(),
        r#"{"second":{"action":"accept","content":{"confirm":true}}}"#
    );

    play.serve(&state_only("\"three\""));
    let actions = play.wake();
    assert_eq!(param(sent(&actions), "requestState").unwrap(), "\"three\"");
    assert_eq!(param(sent(&actions), "inputResponses"), None);

    // The same key again is a new question: the answer of before does not count for it.
    play.serve(&asking(&[("first", CONFIRM)], None));
    assert_eq!(play.call.open(), 1);
    let actions = play.answer(4, "first", InputResponse::Decline).unwrap();
    assert_eq!(
        param(sent(&actions), "inputResponses").unwrap(),
        r#"{"first":{"action":"decline"}}"#
    );
}

/// proves: W-02, CL-04
#[test]
fn no_requests_beside_a_state_are_a_state_only() {
    for requests in ["{}", "null"] {
        let mut play = Play::new();
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{requests},"requestState":"s"}}"#
        );
        assert_eq!(play.serve(&result), []);
        assert_eq!(play.call.phase(), Phase::Pausing);
        assert_eq!(param(sent(&play.wake()), "inputResponses"), None);
    }
}
