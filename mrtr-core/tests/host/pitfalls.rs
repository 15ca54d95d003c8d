//! Mistakes of other hosts between a provider that asks and a person who answers.
//!
//! Pitfalls that other tests of this directory prove:
//!
//! - P01 by `clocks::the_providers_clock_is_suspended_exactly_while_the_question_is_pending`
//! - P17 by `answers::each_decision_reaches_the_provider_as_it_was_made`
//! - P25 by `binding::the_same_number_on_two_connections_and_two_calls_names_four_questions`
//! - P37 by `frames::a_request_for_anything_but_a_form_or_a_web_page_is_refused`

use form_model::Content;
use mrtr_core::{
    Clock, Phase,
    host::{
        Action, Broker, ChangeKind, CloseReason, Ending, Epoch, Event, Fault, HostFrame, Limits,
        Misuse, Outcome, Record, Report, Scope,
    },
    wire::InputResponse,
};

use crate::{
    lines::{
        FILES, YES, accepted, asking, asking_raw, call_of, failed, progress, question, result,
        session, yes,
    },
    play::{At, Play},
};

fn results(play: &Play) -> Vec<&str> {
    let results = play.delivered.iter().filter_map(|(_, frame)| match frame {
        HostFrame::InteractionResult { result, .. } => Some(result.as_str()),
        _ => None,
    });
    results.collect()
}

fn count(play: &Play, is: fn(&ChangeKind) -> bool) -> usize {
    play.changes.iter().filter(|change| is(&change.kind)).count()
}

/// proves: HB-05, HB-08
#[test]
fn p05_a_form_that_timed_out_is_removed_by_its_id_and_a_late_answer_learns_why() {
    for mut play in At::Shown.plays() {
        let interaction = play.interaction();
        play.now = play.broker.deadline().unwrap();
        play.handle(Event::Tick).unwrap();
        let how = Ending::Closed(CloseReason::TimedOut);
        assert_eq!(play.changes.last().unwrap().kind, ChangeKind::Ended { interaction, how });
        let late = Event::Answer { interaction, session: session(1), response: yes() };
        let refused = play.assert_changes_nothing(late).unwrap_err();
        assert_eq!(refused, Misuse::Stale { won: Some(how) });
        assert_eq!(refused.to_string(), "the question is answered or closed");
    }
}

/// proves: HB-07, HB-11
#[test]
fn p07_a_question_that_nobody_can_see_is_visible_to_the_host_and_ends() {
    for at in [At::Opening, At::Shown] {
        for mut play in at.plays() {
            assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));
            assert!(play.broker.deadline().is_some());
            // A host that knows that there is no surface says so.
            let mut told = play.clone();
            told.handle(Event::Unanswerable(told.interaction())).unwrap();
            assert_eq!(told.settled[&told.call], Outcome::Unanswerable);
            let why = CloseReason::Unanswerable;
            let cancel = HostFrame::Cancel { invocation: told.call.clone(), why };
            assert_eq!(told.delivered.last(), Some(&(FILES, cancel)));
            // Otherwise the clock ends the question.
            play.hold();
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap();
            assert_eq!(play.settled[&play.call], Outcome::TimedOut(Clock::Interaction));
        }
    }
}

/// proves: HB-06, HB-10
#[test]
fn p15_a_stop_and_an_answer_at_the_same_time_end_the_call_in_either_order() {
    let stop = |play: &Play| Event::Stop(Scope::Invocation(play.call.clone()));
    for mut play in At::Shown.plays() {
        play.handle(stop(&play)).unwrap();
        assert!(matches!(play.answer(yes()), Err(Misuse::Stale { .. })));
        assert_eq!(results(&play), [""; 0]);
    }
    // The answer is taken but not held yet: nobody gets it.
    let mut play = Play::durable().brought(At::Committing);
    play.handle(stop(&play)).unwrap();
    play.hold();
    assert_eq!(results(&play), [""; 0]);
    // The answer is on its way to the provider, and the cancellation follows it.
    for mut play in At::Resumed.plays() {
        play.handle(stop(&play)).unwrap();
        let frames: Vec<_> = play.delivered.iter().map(|(_, frame)| frame).collect();
        let [.., HostFrame::InteractionResult { .. }, HostFrame::Cancel { .. }] = frames[..] else {
            panic!("expected an answer and a cancellation, found {frames:?}")
        };
    }
}

/// proves: HB-05, HB-08, HB-10
#[test]
fn p19_no_answer_is_made_up() {
    let endings: [fn(&mut Play) -> Vec<Action>; 7] = [
        |play| play.handle(Event::Stop(Scope::All)).unwrap(),
        |play| play.handle(Event::Unanswerable(play.interaction())).unwrap(),
        |play| play.handle(Event::Disconnected(FILES)).unwrap(),
        |play| play.register("files", FILES),
        |play| play.say(failed(&play.call)),
        |play| play.say(result(&play.call)),
        |play| {
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap()
        },
    ];
    for end in endings {
        for at in [At::Opening, At::Shown] {
            for mut play in at.plays() {
                end(&mut play);
                assert_eq!(results(&play), [""; 0]);
                let is_answer = |record: &Record| matches!(record, Record::Answered { .. });
                assert!(!play.records.iter().any(is_answer));
                let taken = |what: &ChangeKind| {
                    let answered =
                        matches!(what, ChangeKind::Ended { how: Ending::Answered(_), .. });
                    answered || matches!(what, ChangeKind::Taken { .. })
                };
                assert_eq!(count(&play, taken), 0, "no surface is told of an answer either");
            }
        }
    }
}

/// proves: HB-05, HB-11
#[test]
fn p21_a_person_who_cancels_a_form_is_not_asked_again() {
    for mut play in At::Shown.plays() {
        play.answer(InputResponse::Cancel).unwrap();
        play.hold();
        play.say(progress(&play.call));
        // A repeated question is not asked again either.
        assert_eq!(play.refused_as(asking(&play.call, 1)), "duplicate");
        play.say(result(&play.call));
        assert_eq!(count(&play, |what| matches!(what, ChangeKind::Opened(_))), 1);
        assert_eq!(results(&play), [r#"{"action":"cancel"}"#]);
    }
}

/// proves: HB-05, HB-06
#[test]
fn p23_no_answer_replaces_another() {
    let answer =
        |interaction, response| Event::Answer { interaction, session: session(1), response };
    let decline = r#"{"action":"decline"}"#;
    // Two questions are answered in each order, and then the store holds the answers.
    for is_reversed in [false, true] {
        let mut play = Play::durable();
        let mut asked = [(); 2].map(|()| {
            play.start();
            play.say(accepted(&play.call));
            play.say(asking(&play.call, 1));
            play.hold();
            play.interaction()
        });
        let [first, second] = asked;
        if is_reversed {
            asked.reverse();
        }
        for interaction in asked {
            let response = if interaction == first { yes() } else { InputResponse::Decline };
            play.handle(answer(interaction, response)).unwrap();
            // A second answer does not change the first.
            assert!(
                play.assert_changes_nothing(answer(interaction, InputResponse::Cancel)).is_err()
            );
        }
        play.hold();
        let held = play.records.iter().filter_map(|record| match record {
            Record::Answered { interaction, result } => Some((*interaction, result.as_str())),
            _ => None,
        });
        let mut held: Vec<_> = held.collect();
        held.sort_unstable();
        assert_eq!(held, [(first, YES), (second, decline)]);
        let mut out = results(&play);
        out.sort_unstable();
        assert_eq!(out, [YES, decline]);
    }
}

/// proves: HB-08, HB-15
#[test]
fn p45_a_hundred_thousand_calls_that_are_abandoned_leave_nothing_and_open_no_more_than_the_limit() {
    const COUNT: usize = 100_000;
    let limits = Limits::default()
        .connection_invocations_max(COUNT)
        .session_invocations_max(COUNT)
        .recently_closed_max(8);
    let mut play = Play::of(Broker::volatile(Epoch::new(1), limits), false);
    let (broker, now) = (&mut play.broker, play.now);
    let (mut opened, request) = (0, question().to_json());
    for _ in 0..COUNT {
        let (call, _) = broker.call(now, call_of(1, 1, "files")).unwrap();
        for frame in [accepted(&call), asking_raw(&call, 1, &request)] {
            let actions = broker.handle(now, Event::Frame { connection: FILES, frame }).unwrap();
            for report in actions.reports() {
                if let Report::Refused { why, .. } = report {
                    let what = "open questions of a session";
                    assert_eq!(*why, Fault::Limit { what, max: 64 });
                }
            }
            let is_opened = |action: &Action| matches!(action, Action::Project(_));
            opened += actions.as_slice().iter().filter(|action| is_opened(action)).count();
        }
    }
    assert!(broker.call(now, call_of(1, 1, "files")).is_err());
    assert_eq!((opened, broker.snapshot(&session(1)).open.len()), (64, 64));
    // Nobody answers: the clocks end all calls.
    let mut settled = 0;
    while let Some(due) = broker.deadline() {
        let actions = broker.handle(due, Event::Tick).unwrap();
        let is_settled = |action: &Action| matches!(action, Action::Settle { .. });
        settled += actions.as_slice().iter().filter(|action| is_settled(action)).count();
    }
    assert_eq!((settled, broker.invocations().count()), (COUNT, 0));
    let left = format!("{broker:?}").len();
    assert!(left < 4_000, "{left} bytes are left");
}

/// proves: HB-08, HB-09, HB-10, HB-15
#[test]
fn p85_no_ending_of_a_call_leaves_a_question_counted() {
    let endings: [fn(&mut Play) -> Vec<Action>; 5] = [
        |play| play.handle(Event::Disconnected(FILES)).unwrap(),
        |play| play.handle(Event::Stop(Scope::All)).unwrap(),
        |play| {
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap()
        },
        |play| {
            // An answer that does not fit neither closes nor opens a question.
            play.answer(InputResponse::Accept(Content::new())).unwrap_err();
            play.answer(InputResponse::Cancel).unwrap_or_default();
            play.hold();
            play.say(result(&play.call))
        },
        |play| play.say(failed(&play.call)),
    ];
    // A session may have one open question, and a connection may hold the bytes of one.
    let bytes = question().to_json().as_str().len();
    let limits = Limits::default().session_pending_max(1).connection_bytes_max(bytes);
    for end in endings {
        for at in [At::Opening, At::Shown, At::Committing] {
            let mut play = Play::limited(limits.clone()).brought(at);
            end(&mut play);
            assert_eq!(play.broker.snapshot(&session(1)).open, [], "{at:?}");
            if play.broker.refused(FILES).is_none() {
                play.connect(FILES);
                play.register("files", FILES);
            }
            // There is room for exactly one question again.
            play = play.brought(At::Shown);
            play.start();
            play.say(accepted(&play.call));
            assert_eq!(play.refused_as(asking(&play.call, 1)), "limit", "{at:?}");
        }
    }
}
