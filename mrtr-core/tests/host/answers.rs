//! Answers: the host checks each against its question and takes the first that fits.

use form_model::Content;
use mrtr_core::{
    Phase,
    host::{
        Action, ChangeKind, Ending, Event, HostFrame, InteractionId, Limits, Misuse, ProviderFrame,
        Question,
    },
    wire::{Decision, Elicitation, InputResponse, RawJson, ResponseError},
};

use crate::{
    lines::{
        FILES, YES, accepted, asking, asking_json, call_of, failed, form, question, raw, released,
        requester, session, yes,
    },
    play::{At, Play},
};

const URL: &str = r#"{"url":"https://example.org/pay?token=1","message":"Pay",
    "requester":{"provider":"p","server":"s","tool":"t"}}"#;

/// Each response of a person, its decision, and what the provider gets.
fn decisions() -> [(InputResponse, Decision, &'static str); 3] {
    [
        (yes(), Decision::Accept, YES),
        (InputResponse::Decline, Decision::Decline, r#"{"action":"decline"}"#),
        (InputResponse::Cancel, Decision::Cancel, r#"{"action":"cancel"}"#),
    ]
}

fn stale(decision: Decision) -> Misuse {
    Misuse::Stale { won: Some(Ending::Answered(decision)) }
}

/// Returns an answer to the question that a call asked last.
fn answer(play: &Play, response: InputResponse) -> Event {
    Event::Answer { interaction: play.interaction(), session: session(1), response }
}

/// A play in which the question of a request is shown.
fn asked_json(play: Play, request: &str) -> Play {
    let mut play = play.brought(At::Accepted);
    play.say(asking_json(&play.call, 1, request));
    play.hold();
    assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));
    play
}

fn asked(question: &Question) -> Play {
    asked_json(Play::durable(), question.to_json().as_str())
}

/// Returns the answers that providers got.
fn results(play: &Play) -> Vec<(u64, &str)> {
    let results = play.delivered.iter().filter_map(|(_, frame)| match frame {
        HostFrame::InteractionResult { interaction, result, .. } => {
            Some((*interaction, result.as_str()))
        }
        _ => None,
    });
    results.collect()
}

/// proves: HB-05
#[test]
fn each_decision_reaches_the_provider_as_it_was_made() {
    for (response, decision, json) in decisions() {
        for mut play in At::Shown.plays() {
            let mut actions = play.answer(response.clone()).unwrap();
            actions.extend(play.hold());
            let [.., Action::Deliver { connection, frame }, Action::Project(change)] =
                actions.as_slice()
            else {
                panic!("expected an answer that is delivered, found {actions:?}")
            };
            let (invocation, result) = (play.call.clone(), RawJson::parse(json).unwrap());
            let expected = HostFrame::InteractionResult { invocation, interaction: 1, result };
            assert_eq!((*connection, frame), (FILES, &expected));
            let how = Ending::Answered(decision);
            assert_eq!(change.kind, ChangeKind::Ended { interaction: play.interaction(), how });
            assert_eq!(play.broker.phase(&play.call), Some(Phase::Resumed));
        }
    }
}

/// proves: HB-05
#[test]
fn the_first_valid_answer_wins_and_every_later_one_learns_how_the_question_ended() {
    // An answer is late before the store holds the first, after that, when the next question is open,
    // and when the call is over.
    let steps: [fn(&mut Play) -> Vec<Action>; 4] = [
        |_| Vec::new(),
        Play::hold,
        |play| play.say(asking(&play.call, 2)),
        |play| play.say(released(&play.call)),
    ];
    for (first, decision, json) in decisions() {
        for mut play in At::Shown.plays() {
            let interaction = play.interaction();
            play.answer(first.clone()).unwrap();
            for step in steps {
                step(&mut play);
                let invalid = [InputResponse::Accept(Content::new()), InputResponse::Consent];
                let valid = decisions().map(|(later, ..)| later);
                for response in valid.into_iter().chain(invalid) {
                    let event = Event::Answer { interaction, session: session(1), response };
                    assert_eq!(play.assert_changes_nothing(event), Err(stale(decision)));
                }
            }
            assert_eq!(results(&play), [(1, json)]);
        }
    }
}

/// proves: HB-05
#[test]
fn an_invalid_answer_is_refused_with_all_its_errors_and_another_may_come() {
    for mut play in At::Shown.plays() {
        let wrong = Content::new()
            .with_text("confirm", "yes")
            .with_text("remark", "x".repeat(21))
            .with_flag("admin", true);
        let event = answer(&play, InputResponse::Accept(wrong));
        let Err(Misuse::Response(ResponseError::Invalid(errors))) =
            play.assert_changes_nothing(event)
        else {
            panic!("the answer is invalid")
        };
        let found: Vec<_> =
            errors.iter().map(|error| (error.field.as_str(), error.problem.code())).collect();
        let expected = [("confirm", "wrong-type"), ("remark", "too-long"), ("admin", "unknown")];
        assert_eq!(found, expected);
        play.answer(yes()).unwrap();
        play.hold();
        assert_eq!(results(&play), [(1, YES)]);
    }
}

/// proves: HB-05
#[test]
fn an_answer_of_another_kind_is_refused_and_the_question_stays_open() {
    let others = || {
        let json = RawJson::parse("{}").unwrap();
        [InputResponse::Sampled(json.clone()), InputResponse::Roots(json)]
    };
    let mut play = Play::volatile().brought(At::Shown);
    for response in others().into_iter().chain([InputResponse::Consent]) {
        let event = answer(&play, response);
        assert_eq!(
            play.assert_changes_nothing(event),
            Err(Misuse::Response(ResponseError::WrongKind))
        );
    }
    play.answer(yes()).unwrap();

    // Agreement to a URL carries no content.
    let mut play = asked_json(Play::volatile(), URL);
    for response in others().into_iter().chain([yes(), InputResponse::Accept(Content::new())]) {
        let event = answer(&play, response);
        assert_eq!(
            play.assert_changes_nothing(event),
            Err(Misuse::Response(ResponseError::WrongKind))
        );
    }
    play.answer(InputResponse::Consent).unwrap();
    assert_eq!(results(&play), [(1, r#"{"action":"accept"}"#)]);
}

/// proves: HB-05
#[test]
fn an_answer_that_is_too_large_is_refused_and_the_question_stays_open() {
    let limits = Limits::default().form(form_model::Limits::default().answer_bytes_max(100));
    let any = form(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
    let question = Question::form("m", any, requester());
    let mut play = asked_json(Play::limited(limits), question.to_json().as_str());
    let accept = |count| InputResponse::Accept(Content::new().with_text("a", "x".repeat(count)));
    // The limit is on the content, which is the text and `{"a":""}` around it.
    let event = answer(&play, accept(93));
    assert_eq!(
        play.assert_changes_nothing(event),
        Err(Misuse::Response(ResponseError::TooLarge { bytes_max: 100 }))
    );
    assert!(play.answer(accept(92)).is_ok());
}

/// proves: FM-04, HB-04, HB-05
#[test]
fn every_accepted_question_can_be_answered_within_the_limits() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string","minLength":9}},
        "required":["a"]}"#;
    let request = Question::form("m", form(schema), requester()).to_json();
    let play = |answer_bytes_max| {
        let form = form_model::Limits::default().answer_bytes_max(answer_bytes_max);
        Play::limited(Limits::default().form(form)).brought(At::Accepted)
    };
    // `{"a":"xxxxxxxxx"}`
    let mut tight = play(16);
    assert_eq!(tight.refused_as(asking_json(&tight.call, 1, request.as_str())), "form");
    let shortest = InputResponse::Accept(Content::new().with_text("a", "x".repeat(9)));
    for response in [shortest, InputResponse::Decline, InputResponse::Cancel] {
        let mut play = play(17);
        play.say(asking_json(&play.call, 1, request.as_str()));
        play.hold();
        assert!(play.answer(response).is_ok());
    }
    // A refusal has no content, so that no limit on content concerns it.
    let nothing = Question::form("m", form(r#"{"type":"object","properties":{}}"#), requester());
    let url = raw(URL);
    for (request, bytes_max, response) in [
        (nothing.to_json(), 2, InputResponse::Accept(Content::new())),
        (nothing.to_json(), 2, InputResponse::Decline),
        (nothing.to_json(), 2, InputResponse::Cancel),
        (url.clone(), 0, InputResponse::Consent),
        (url, 0, InputResponse::Decline),
    ] {
        let mut play = play(bytes_max);
        play.say(asking_json(&play.call, 1, request.as_str()));
        play.hold();
        assert!(play.answer(response).is_ok());
    }
}

/// proves: HB-01, HB-05
#[test]
fn another_session_cannot_answer_and_learns_nothing_about_the_answer() {
    for at in [At::Opening, At::Shown, At::Committing, At::Resumed] {
        for mut play in at.plays() {
            let interaction = play.interaction();
            let foreign = || {
                let session = session(2);
                Event::Answer { interaction, session, response: yes() }
            };
            assert_eq!(play.assert_changes_nothing(foreign()), Err(Misuse::WrongSession), "{at:?}");
            play.say(failed(&play.call));
            assert_eq!(play.assert_changes_nothing(foreign()), Err(Misuse::WrongSession), "{at:?}");
        }
    }
}

/// proves: HB-05, HB-12
#[test]
fn an_answer_to_a_question_that_was_never_asked_is_refused() {
    for (id, expected) in [
        ("1.1.0", Misuse::UnknownInteraction),
        ("1.1.2", Misuse::UnknownInteraction),
        ("1.1.4294967295", Misuse::UnknownInteraction),
        ("1.0.1", Misuse::UnknownInteraction),
        ("1.2.1", Misuse::UnknownInteraction),
        ("1.18446744073709551615.1", Misuse::UnknownInteraction),
        ("2.1.1", Misuse::UnknownInteraction),
        ("0.1.1", Misuse::OldEpoch),
    ] {
        for at in [At::Opening, At::Shown, At::Committing, At::Resumed] {
            for mut play in at.plays() {
                let interaction = id.parse::<InteractionId>().unwrap();
                let event = Event::Answer { interaction, session: session(1), response: yes() };
                assert_eq!(play.assert_changes_nothing(event), Err(expected.clone()), "{id}");
            }
        }
    }
}

/// proves: HB-05, HB-06
#[test]
fn a_question_cannot_be_answered_before_it_is_shown() {
    let mut play = Play::durable().brought(At::Opening);
    let event = answer(&play, yes());
    assert_eq!(play.assert_changes_nothing(event), Err(Misuse::UnknownInteraction));
    play.hold();
    assert!(play.answer(yes()).is_ok());
}

/// proves: HB-05
#[test]
fn an_answered_question_cannot_become_unanswerable() {
    for at in [At::Committing, At::Resumed] {
        for mut play in at.plays() {
            let event = Event::Unanswerable(play.interaction());
            assert_eq!(play.assert_changes_nothing(event), Err(stale(Decision::Accept)), "{at:?}");
        }
    }
}

/// proves: HB-05
#[test]
fn an_answer_fits_the_question_it_names_and_no_other_of_the_same_call() {
    let other = r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
    let mut play = asked(&question());
    let invocation = play.call.clone();
    play.answer(yes()).unwrap();
    play.hold();
    let second = Question::form("Who?", form(other), requester());
    play.say(ProviderFrame::ask(invocation, 2, &second));
    play.hold();
    let event = answer(&play, yes());
    assert!(matches!(
        play.assert_changes_nothing(event),
        Err(Misuse::Response(ResponseError::Invalid(_)))
    ));
    play.answer(InputResponse::Accept(Content::new().with_text("name", "x"))).unwrap();
    play.hold();
    let expected = [(1, YES), (2, r#"{"action":"accept","content":{"name":"x"}}"#)];
    assert_eq!(results(&play), expected);
}

/// proves: HB-05
#[test]
fn an_answer_is_checked_against_the_form_that_the_host_shows() {
    let play = asked(&question());
    let snapshot = play.broker.snapshot(&session(1));
    let [shown] = snapshot.open.as_slice() else { panic!("one question is open") };
    let Elicitation::Form(request) = &shown.interaction.question.elicitation else {
        panic!("a form is asked")
    };
    for content in [
        Content::new(),
        Content::new().with_flag("confirm", false),
        Content::new().with_text("confirm", "true"),
        Content::new().with_flag("confirm", true).with_text("remark", "x".repeat(20)),
        Content::new().with_flag("confirm", true).with_text("remark", "x".repeat(21)),
    ] {
        let fits = request.form.accept(content.clone()).is_ok();
        let mut play = play.clone();
        assert_eq!(play.answer(InputResponse::Accept(content)).is_ok(), fits);
    }
}

/// proves: HB-05
#[test]
fn a_late_answer_learns_how_the_question_ended_however_long_it_was_open() {
    let limits = Limits::default().recently_closed_max(2);
    let mut play = Play::limited(limits).brought(At::Shown);
    let first = play.interaction();
    // More questions are answered in the meantime than the host remembers.
    for _ in 0..3 {
        play.start_as(call_of(1, 2, "files")).unwrap();
        play.say(accepted(&play.call));
        play.round(1);
    }
    let event = Event::Answer { interaction: first, session: session(1), response: yes() };
    play.handle(event.clone()).unwrap();
    play.hold();
    assert_eq!(play.assert_changes_nothing(event), Err(stale(Decision::Accept)));
}
