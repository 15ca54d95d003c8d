//! What went wrong elsewhere, where a host stands between the one who asks and the one who answers.
//!
//! The items of the list of pitfalls that are proved by other tests of this directory:
//!
//! - P01 by `clocks::the_providers_clock_is_suspended_exactly_while_the_question_is_pending`
//! - P17 by `answers::each_decision_reaches_the_provider_as_it_was_made`
//! - P25 by `binding::the_same_number_on_two_connections_and_two_calls_is_of_four_questions`
//! - P37 by `frames::a_request_that_asks_for_anything_but_a_form_or_a_web_page_is_refused`

use form_model::Content;
use mrtr_core::{
    Clock, Phase,
    broker::{
        Action, Broker, Closure, Ending, Epoch, Event, HostFrame, Limits, Misuse, Outcome, Record,
        Refused, Report, Scope, What,
    },
    wire::Response,
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

fn count(play: &Play, is: fn(&What) -> bool) -> usize {
    play.changes.iter().filter(|change| is(&change.what)).count()
}

/// proves: HB-05, HB-08
#[test]
fn p05_a_form_that_ran_out_is_taken_off_by_its_id_and_a_late_answer_is_told_why() {
    for mut play in At::Shown.plays() {
        let interaction = play.interaction();
        play.now = play.broker.deadline().unwrap();
        play.handle(Event::Tick).unwrap();
        let how = Ending::Closed(Closure::TimedOut);
        assert_eq!(play.changes.last().unwrap().what, What::Ended { interaction, how });
        let late = Event::Answer { interaction, session: session(1), response: yes() };
        let refused = play.assert_changes_nothing(late).unwrap_err();
        assert_eq!(refused, Misuse::Stale { won: Some(how) });
        assert_eq!(refused.to_string(), "the question is answered or closed");
    }
}

/// proves: HB-07, HB-11
#[test]
fn p07_a_question_that_nobody_can_see_says_that_it_waits_and_ends() {
    for at in [At::Opening, At::Shown] {
        for mut play in at.plays() {
            assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));
            assert!(play.broker.deadline().is_some());
            // A host that knows that there is no surface says so,
            let mut told = play.clone();
            told.handle(Event::Unanswerable(told.interaction())).unwrap();
            assert_eq!(told.settled[&told.call], Outcome::Unanswerable);
            let why = Closure::Unanswerable;
            let cancel = HostFrame::Cancel { invocation: told.call.clone(), why };
            assert_eq!(told.delivered.last(), Some(&(FILES, cancel)));
            // and for one that does not the clock does.
            play.hold();
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap();
            assert_eq!(play.settled[&play.call], Outcome::TimedOut(Clock::Interaction));
        }
    }
}

/// proves: HB-06, HB-10
#[test]
fn p15_a_stop_that_comes_as_the_answer_does_ends_the_call_in_either_order() {
    let stop = |play: &Play| Event::Stop(Scope::Invocation(play.call.clone()));
    for mut play in At::Shown.plays() {
        play.handle(stop(&play)).unwrap();
        assert!(matches!(play.answer(yes()), Err(Misuse::Stale { .. })));
        assert_eq!(results(&play), [""; 0]);
    }
    // The answer was taken, and is not held yet: nobody gets it.
    let mut play = Play::durable().brought(At::Committing);
    play.handle(stop(&play)).unwrap();
    play.hold();
    assert_eq!(results(&play), [""; 0]);
    // The answer is on its way to the provider, and the cancellation comes behind it.
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
fn p19_no_answer_is_made_up_for_anybody() {
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
                let taken = |what: &What| {
                    let answered = matches!(what, What::Ended { how: Ending::Answered(_), .. });
                    answered || matches!(what, What::Taken { .. })
                };
                assert_eq!(count(&play, taken), 0, "no surface is told of an answer either");
            }
        }
    }
}

/// proves: HB-05, HB-11
#[test]
fn p21_who_closes_a_form_is_asked_no_second_time() {
    for mut play in At::Shown.plays() {
        play.answer(Response::Dismiss).unwrap();
        play.hold();
        play.say(progress(&play.call));
        // Nor if the provider repeats the question in its own words.
        assert_eq!(play.refused_as(asking(&play.call, 1)), "duplicate");
        play.say(result(&play.call));
        assert_eq!(count(&play, |what| matches!(what, What::Opened(_))), 1);
        assert_eq!(results(&play), [r#"{"action":"cancel"}"#]);
    }
}

/// proves: HB-05, HB-06
#[test]
fn p23_no_answer_is_written_over_another() {
    let answer =
        |interaction, response| Event::Answer { interaction, session: session(1), response };
    let decline = r#"{"action":"decline"}"#;
    // Two questions are answered in each order, and the store holds the answers at last.
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
            let response = if interaction == first { yes() } else { Response::Decline };
            play.handle(answer(interaction, response)).unwrap();
            // Whoever comes second changes nothing of what is about to be held.
            assert!(play.assert_changes_nothing(answer(interaction, Response::Dismiss)).is_err());
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
    let limits = Limits {
        connection_invocations_max: COUNT,
        session_invocations_max: COUNT,
        past_max: 8,
        ..Limits::default()
    };
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
                    assert_eq!(*why, Refused::Limit { what, max: 64 });
                }
            }
            let is_opened = |action: &Action| matches!(action, Action::Project(_));
            opened += actions.as_slice().iter().filter(|action| is_opened(action)).count();
        }
    }
    assert!(broker.call(now, call_of(1, 1, "files")).is_err());
    assert_eq!((opened, broker.snapshot(&session(1)).open.len()), (64, 64));
    // Nobody comes back: the clocks end them all.
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
fn p85_whatever_ends_a_call_no_question_is_counted_any_more() {
    let endings: [fn(&mut Play) -> Vec<Action>; 5] = [
        |play| play.handle(Event::Disconnected(FILES)).unwrap(),
        |play| play.handle(Event::Stop(Scope::All)).unwrap(),
        |play| {
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap()
        },
        |play| {
            // An answer that does not fit closes nothing, and opens nothing either.
            play.answer(Response::Accept(Content::new())).unwrap_err();
            play.answer(Response::Dismiss).unwrap_or_default();
            play.hold();
            play.say(result(&play.call))
        },
        |play| play.say(failed(&play.call)),
    ];
    // One question is all that a session may have, and a connection may hold.
    let bytes = question().to_json().as_str().len();
    let limits =
        Limits { session_pending_max: 1, connection_bytes_max: bytes, ..Limits::default() };
    for end in endings {
        for at in [At::Opening, At::Shown, At::Committing] {
            let mut play = Play::limited(limits.clone()).brought(at);
            end(&mut play);
            assert_eq!(play.broker.snapshot(&session(1)).open, [], "{at:?}");
            if play.broker.refused(FILES).is_none() {
                play.connect(FILES);
                play.register("files", FILES);
            }
            // So there is room for exactly one again.
            play = play.brought(At::Shown);
            play.start();
            play.say(accepted(&play.call));
            assert_eq!(play.refused_as(asking(&play.call, 1)), "limit", "{at:?}");
        }
    }
}
