//! Answers and replies that do not count: invalid, late, repeated, misdirected.

use form_model::{Content, Problem, Value};
use mrtr_core::{
    Limits, Phase,
    client::{Claims, Event, Misuse},
    wire::{InputResponse, ResponseError, WireError},
};

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, answer, asking, decoded, form, request, result_of, sent,
    state_only, yes,
};

fn asked_for(schema: &str) -> Play {
    let mut play = Play::new();
    play.serve(&asking(&[("c", &form(schema))], None));
    play
}

/// proves: CL-08, FM-06
#[test]
fn an_invalid_answer_is_refused_with_all_its_faults_and_can_be_given_again() {
    let mut play = asked_for(
        r#"{"type":"object","properties":{"environment":{"type":"string","enum":["staging"]},
            "replicas":{"type":"integer","minimum":1},"confirm":{"type":"boolean"}},
            "required":["confirm"]}"#,
    );
    let wrong = Content::new()
        .with_text("environment", "mars")
        .with_number("replicas", 0)
        .with_flag("other", true);
    let refused = play.assert_changes_nothing(answer(1, "c", InputResponse::Accept(wrong)));
    let Err(Misuse::Response(ResponseError::Invalid(faults))) = refused else {
        panic!("the answer is invalid")
    };
    let found: Vec<_> =
        faults.iter().map(|fault| (fault.field.as_str(), fault.problem.code())).collect();
    assert_eq!(
        found,
        [
            ("environment", "not-an-option"),
            ("replicas", "too-small"),
            ("confirm", "missing"),
            ("other", "unknown"),
        ]
    );
    assert_eq!((play.call.phase(), play.call.open()), (Phase::AwaitingInteraction, 1));

    let right = Content::new().with_text("environment", "staging").with_flag("confirm", false);
    assert!(play.answer(1, "c", InputResponse::Accept(right)).is_ok());
    assert_eq!(play.sent.len(), 2);
}

/// proves: CL-08, FM-04
#[test]
fn an_answer_that_is_too_large_is_refused_and_can_be_given_again() {
    let form_limits = form_model::Limits::default().answer_bytes_max(100);
    let mut play = Play::limited(Limits::default().form(form_limits));
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    play.serve(&asking(&[("c", &form(schema))], None));
    let accept = |count| InputResponse::Accept(Content::new().with_text("a", "x".repeat(count)));
    // `{"a":""}` is the content around the text, and all that is bounded.
    let refused = play.assert_changes_nothing(answer(1, "c", accept(93)));
    assert_eq!(refused, Err(Misuse::Response(ResponseError::TooLarge { bytes_max: 100 })));
    assert!(play.answer(1, "c", accept(92)).is_ok());
}

/// proves: CL-08, W-06
#[test]
fn content_that_is_not_a_flat_object_of_values_is_not_sent() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"array",
        "items":{"type":"string","enum":["x","y"]}}}}"#;
    for content in ["7", "[]", "\"a\"", r#"{"a":[],"a":[]}"#] {
        let response = format!(r#"{{"action":"accept","content":{content}}}"#);
        let refused = decoded(&response);
        let is_shape = matches!(&refused, Err(WireError::Shape { what, .. }) if what == "content");
        assert!(is_shape || refused == Err(WireError::duplicate("content")), "{content}");
    }
    for content in [r#"{"a":{"b":1}}"#, r#"{"a":null}"#, r#"{"a":[1]}"#, r#"{"a":[["x"]]}"#] {
        let response = format!(r#"{{"action":"accept","content":{content}}}"#);
        let response = decoded(&response).unwrap();
        let mut play = asked_for(schema);
        let refused = play.assert_changes_nothing(answer(1, "c", response));
        let Err(Misuse::Response(ResponseError::Invalid(faults))) = refused else {
            panic!("{content} is invalid")
        };
        assert!(faults.iter().all(|fault| matches!(fault.problem, Problem::WrongType { .. })));
    }
    let none = Content::new().with("a", Value::Choices(Vec::new()));
    assert!(asked_for(schema).answer(1, "c", InputResponse::Accept(none)).is_ok());
}

/// proves: CL-09
#[test]
fn an_answer_before_anything_is_asked_changes_nothing() {
    let mut play = Play::new();
    for round in [0, 1, u32::MAX] {
        let refused = play.assert_changes_nothing(answer(round, "c", yes()));
        assert_eq!(refused, Err(Misuse::WrongRound));
    }
}

/// proves: CL-09
#[test]
fn a_second_answer_to_the_same_question_changes_nothing() {
    let mut play = Play::new();
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], None));
    play.answer(1, "a", yes()).unwrap();
    for again in [yes(), InputResponse::Decline, InputResponse::Accept(Content::new())] {
        let refused = play.assert_changes_nothing(answer(1, "a", again));
        assert_eq!(refused, Err(Misuse::Answered));
    }
    let actions = play.answer(1, "b", yes()).unwrap();
    assert!(!sent(&actions).to_json().contains("decline"));
}

/// proves: CL-09
#[test]
fn an_answer_under_a_key_that_was_not_asked_changes_nothing() {
    let mut play = Play::new();
    play.serve(&asking(&[("a", CONFIRM)], None));
    for key in ["", "A", "a ", "admin"] {
        let refused = play.assert_changes_nothing(answer(1, key, yes()));
        assert_eq!(refused, Err(Misuse::UnknownKey));
    }
}

/// proves: CL-09
#[test]
fn an_answer_to_another_round_changes_nothing() {
    let mut play = Play::new();
    play.confirmed_round();
    play.serve(&asking(&[("c", CONFIRM)], None));
    for round in [0, 1, 3, u32::MAX] {
        let refused = play.assert_changes_nothing(answer(round, "c", yes()));
        assert_eq!(refused, Err(Misuse::WrongRound));
    }
    assert!(play.answer(2, "c", yes()).is_ok());
}

/// proves: CL-09
#[test]
fn a_late_answer_changes_nothing() {
    let mut play = Play::new();
    play.confirmed_round();
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::Closed));

    play.serve(&state_only("\"s\""));
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::WrongRound));
    assert_eq!(play.assert_changes_nothing(answer(2, "c", yes())), Err(Misuse::Closed));

    play.stop();
    for round in [1, 2] {
        assert!(play.assert_changes_nothing(answer(round, "c", yes())).is_err());
    }
}

/// proves: CL-09
#[test]
fn an_answer_after_the_interaction_ran_out_is_told_that_it_is_closed() {
    let mut play = Play::new();
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.wake();
    assert_eq!(play.call.phase(), Phase::Settled);
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::Closed));
}

/// proves: CL-09
#[test]
fn a_reply_to_a_leg_that_is_over_changes_nothing_whatever_it_says() {
    let mut play = Play::new();
    let first = play.leg();
    let hostile = state_only("\"x\"");
    for late in [DONE, hostile.as_str(), r#"{"resultType":"?"}"#] {
        let mut play = Play::new();
        play.serve(&asking(&[("c", CONFIRM)], None));
        assert_eq!(play.assert_changes_nothing(result_of(first.clone(), late)), Ok(()));
        play.answer(1, "c", yes()).unwrap();
        assert_eq!(play.assert_changes_nothing(result_of(first.clone(), late)), Ok(()));
        play.serve(&hostile);
        for leg in [first.clone(), play.leg()] {
            assert_eq!(play.assert_changes_nothing(result_of(leg, late)), Ok(()));
        }
        play.stop();
        assert_eq!(play.assert_changes_nothing(result_of(first.clone(), late)), Ok(()));
    }
    play.serve(DONE);
    assert_eq!(play.assert_changes_nothing(result_of(first, DONE)), Ok(()));
}

/// proves: CL-09
#[test]
fn a_reply_to_a_leg_that_was_not_sent_is_the_callers_mistake() {
    let mut ahead = Play::new();
    ahead.confirmed_round();
    let mut play = Play::new();
    let refused = play.assert_changes_nothing(result_of(ahead.leg(), DONE));
    assert_eq!(refused, Err(Misuse::UnknownLeg));
}

/// proves: CL-09
#[test]
fn a_reply_to_another_call_changes_nothing() {
    let other = Play::started(request("call-8", PARAMS), Claims::none(), Limits::default());
    let mut play = Play::new();
    let refused = play.assert_changes_nothing(result_of(other.leg(), DONE));
    assert_eq!(refused, Err(Misuse::WrongInvocation));
    play.serve(DONE);
    let refused = play.assert_changes_nothing(result_of(other.leg(), DONE));
    assert_eq!(refused, Err(Misuse::WrongInvocation));
}

/// proves: CL-08, CL-09
#[test]
fn what_was_refused_leaves_no_trace_on_the_wire() {
    let play = |with_mistakes: bool| {
        let mut play = Play::new();
        play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], Some("\"s\"")));
        let mistakes = [
            answer(1, "a", InputResponse::Accept(Content::new().with_text("confirm", "yes"))),
            answer(1, "z", yes()),
            answer(2, "a", yes()),
            result_of(play.leg(), DONE),
            Event::Tick,
        ];
        for mistake in mistakes.into_iter().filter(|_| with_mistakes) {
            let _ = play.assert_changes_nothing(mistake);
        }
        play.answer(1, "b", InputResponse::Cancel).unwrap();
        sent(&play.answer(1, "a", yes()).unwrap()).to_json()
    };
    assert_eq!(play(true), play(false));
}
