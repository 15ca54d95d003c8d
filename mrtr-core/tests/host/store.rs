//! The store holds each question before it is shown, and each answer before it is delivered.

use mrtr_core::{
    Instant, Phase,
    host::{
        Action, ChangeKind, CloseReason, Ending, Event, HostFrame, InteractionId, Misuse, Outcome,
        Record, RecordId, RecordKind, Scope,
    },
    wire::{Decision, RawJson},
};

use crate::{
    lines::{FILES, YES, accepted, asking, call_of, released, session, yes},
    play::{At, Play},
};

const KINDS: [RecordKind; 3] = [RecordKind::Requested, RecordKind::Answered, RecordKind::Closed];

/// Returns the id of a record of the call's last question.
fn record(play: &Play, kind: RecordKind) -> RecordId {
    RecordId { interaction: play.interaction(), kind }
}

fn answers_delivered(play: &Play) -> usize {
    let is_answer = |frame: &HostFrame| matches!(frame, HostFrame::InteractionResult { .. });
    play.delivered.iter().filter(|(_, frame)| is_answer(frame)).count()
}

/// The actions when the store fails a call. `shown` tells whether people saw the question.
fn failure(play: &Play, shown: bool) -> Vec<Action> {
    let (interaction, invocation) = (play.interaction(), play.call.clone());
    let why = CloseReason::StoreFailed;
    let mut expected = vec![Action::Store(Record::Closed { interaction, why })];
    if shown {
        let mut change = play.changes.last().unwrap().clone();
        change.after = Some(change.number);
        change.number += 1;
        change.kind = ChangeKind::Ended { interaction, how: Ending::Closed(why) };
        expected.push(Action::Project(change));
    }
    let frame = HostFrame::Cancel { invocation: invocation.clone(), why };
    expected.push(Action::Deliver { connection: FILES, frame });
    expected.push(Action::Settle { invocation, outcome: Outcome::StoreFailed });
    expected
}

/// proves: HB-06
#[test]
fn a_question_is_held_before_it_is_shown_and_an_answer_before_it_is_delivered() {
    let mut play = Play::durable().brought(At::Accepted);
    let actions = play.say(asking(&play.call, 1));
    let [Action::Store(Record::Requested(stored))] = actions.as_slice() else {
        panic!("expected only to store, found {actions:?}")
    };
    let interaction = stored.id;
    let actions = play.handle(Event::Stored(record(&play, RecordKind::Requested))).unwrap();
    let [Action::Project(opened)] = actions.as_slice() else {
        panic!("expected only to show, found {actions:?}")
    };
    assert_eq!(opened.kind, ChangeKind::Opened(stored.clone()));

    let actions = play.answer(yes()).unwrap();
    let result = RawJson::parse(YES).unwrap();
    let [Action::Store(answered), Action::Project(taken)] = actions.as_slice() else {
        panic!("expected to store and to say so, found {actions:?}")
    };
    assert_eq!(*answered, Record::Answered { interaction, result: result.clone() });
    assert_eq!(taken.kind, ChangeKind::Taken { interaction, decision: Decision::Accept });
    assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));

    let actions = play.handle(Event::Stored(record(&play, RecordKind::Answered))).unwrap();
    let frame =
        HostFrame::InteractionResult { invocation: play.call.clone(), interaction: 1, result };
    let [Action::Deliver { connection: FILES, frame: delivered }, Action::Project(ended)] =
        actions.as_slice()
    else {
        panic!("expected to deliver and to say so, found {actions:?}")
    };
    assert_eq!(*delivered, frame);
    let how = Ending::Answered(Decision::Accept);
    assert_eq!(ended.kind, ChangeKind::Ended { interaction, how });
    assert_eq!(play.broker.phase(&play.call), Some(Phase::Resumed));
}

/// proves: HB-06
#[test]
fn only_the_expected_word_of_the_store_moves_a_call() {
    let waits_for = |at| match at {
        At::Opening => Some(RecordKind::Requested),
        At::Committing => Some(RecordKind::Answered),
        _ => None,
    };
    for at in [At::Opening, At::Shown, At::Committing, At::Resumed] {
        let mut play = Play::durable().brought(at);
        for kind in KINDS.into_iter().filter(|kind| Some(*kind) != waits_for(at)) {
            // The store may repeat what it holds. A record that it was never given is a mistake.
            let was_given = match kind {
                RecordKind::Requested => true,
                RecordKind::Answered => at == At::Resumed,
                RecordKind::Closed => false,
            };
            for event in [Event::Stored, Event::StoreFailed] {
                let event = event(record(&play, kind));
                let expected = if was_given { Ok(()) } else { Err(Misuse::NotStoring) };
                assert_eq!(play.assert_changes_nothing(event), expected, "{at:?} {kind:?}");
            }
        }
        assert_eq!(answers_delivered(&play), usize::from(at == At::Resumed));
    }
}

/// proves: HB-06
#[test]
fn the_store_cannot_hold_a_record_that_it_was_not_given() {
    for at in [At::Accepted, At::Opening, At::Committing] {
        let mut play = Play::durable().brought(at);
        for id in ["1.2.1", "1.1.2", "1.1.0", "2.1.1", "0.1.1", "1.0.1"] {
            let interaction = id.parse::<InteractionId>().unwrap();
            // A question of an earlier epoch may have been closed at the start.
            for kind in
                KINDS.into_iter().filter(|kind| id != "0.1.1" || *kind != RecordKind::Closed)
            {
                for event in [Event::Stored, Event::StoreFailed] {
                    let event = event(RecordId { interaction, kind });
                    let refused = play.assert_changes_nothing(event);
                    assert_eq!(refused, Err(Misuse::NotStoring), "{at:?} {id}");
                }
            }
        }
    }
    for at in [At::Shown, At::Resumed] {
        let mut play = Play::volatile().brought(at);
        for kind in KINDS {
            let event = Event::Stored(record(&play, kind));
            assert_eq!(play.assert_changes_nothing(event), Err(Misuse::NotStoring));
        }
    }
}

/// proves: HB-06
#[test]
fn only_a_closed_question_has_a_close_record() {
    for at in [At::Opening, At::Shown, At::Committing] {
        let mut play = Play::durable().brought(at);
        let closed = Event::Stored(record(&play, RecordKind::Closed));
        assert_eq!(play.assert_changes_nothing(closed.clone()), Err(Misuse::NotStoring), "{at:?}");
        play.say(released(&play.call));
        for _ in 0..2 {
            assert_eq!(play.assert_changes_nothing(closed.clone()), Ok(()), "{at:?}");
        }
    }
    let mut play = Play::durable().brought(At::Resumed);
    let closed = Event::StoreFailed(record(&play, RecordKind::Closed));
    play.say(released(&play.call));
    assert_eq!(play.assert_changes_nothing(closed), Err(Misuse::NotStoring));
}

/// proves: HB-06
#[test]
fn the_store_may_repeat_itself() {
    let mut play = Play::durable().brought(At::Shown);
    let requested = Event::Stored(record(&play, RecordKind::Requested));
    assert_eq!(play.assert_changes_nothing(requested.clone()), Ok(()));
    play.answer(yes()).unwrap();
    assert_eq!(play.assert_changes_nothing(requested), Ok(()));
    play.hold();
    let answered = Event::Stored(record(&play, RecordKind::Answered));
    assert_eq!(play.assert_changes_nothing(answered.clone()), Ok(()));
    play.say(asking(&play.call, 2));
    assert_eq!(play.assert_changes_nothing(answered.clone()), Ok(()));
    play.say(released(&play.call));
    assert_eq!(play.assert_changes_nothing(answered), Ok(()));
    assert_eq!(answers_delivered(&play), 1);
}

/// proves: HB-06
#[test]
fn records_of_different_calls_may_be_held_in_any_order() {
    let mut play = Play::durable();
    let mut asked = Vec::new();
    for name in ["files", "mail", "files"] {
        play.start_as(call_of(1, 1, name)).unwrap();
        play.say(accepted(&play.call));
        play.say(asking(&play.call, 1));
        asked.push((play.call.clone(), play.interaction()));
    }
    for kind in [RecordKind::Requested, RecordKind::Answered] {
        for (count, (call, interaction)) in asked.iter().enumerate().rev() {
            let actions = play.handle(Event::Stored(RecordId { interaction: *interaction, kind }));
            let has_moved = match kind {
                RecordKind::Requested => play.broker.snapshot(&session(1)).open.len() == 3 - count,
                _ => play.broker.phase(call) == Some(Phase::Resumed),
            };
            assert!(has_moved, "{actions:?}");
        }
        for (_, interaction) in asked.iter().filter(|_| kind == RecordKind::Requested) {
            let interaction = *interaction;
            let answer = Event::Answer { interaction, session: session(1), response: yes() };
            play.handle(answer).unwrap();
        }
    }
    assert_eq!(answers_delivered(&play), 3);
}

/// proves: HB-06
#[test]
fn a_record_that_the_store_cannot_hold_ends_the_call_and_is_not_delivered() {
    for (at, kind) in [(At::Opening, RecordKind::Requested), (At::Committing, RecordKind::Answered)]
    {
        let mut play = Play::durable().brought(at);
        // Another call of the same session is not affected.
        let (call, other) = (play.call.clone(), play.start());
        play.call = call;
        let expected = failure(&play, at == At::Committing);
        let actions = play.handle(Event::StoreFailed(record(&play, kind))).unwrap();
        assert_eq!(actions, expected, "{at:?}");
        assert_eq!(answers_delivered(&play), 0);
        assert_eq!(play.broker.invocations().collect::<Vec<_>>(), [&other]);
    }
}

/// proves: HB-06
#[test]
fn a_store_that_does_not_reply_in_time_has_failed() {
    for (at, kind) in [(At::Opening, RecordKind::Requested), (At::Committing, RecordKind::Answered)]
    {
        let mut play = Play::durable().brought(At::Accepted);
        play.wait(50_000);
        play.say(asking(&play.call, 1));
        if at == At::Committing {
            play.hold();
            play.wait(500_000);
            play.answer(yes()).unwrap();
        }
        let due = play.now + core::time::Duration::from_secs(30);
        assert_eq!(play.broker.deadline(), Some(due), "{at:?}");
        play.wait(29_999);
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        play.wait(1);
        let expected = failure(&play, at == At::Committing);
        assert_eq!(play.handle(Event::Tick).unwrap(), expected, "{at:?}");
        // The record is held after all, which is too late.
        let late = Event::Stored(record(&play, kind));
        assert_eq!(play.assert_changes_nothing(late), Ok(()));
        assert_eq!(answers_delivered(&play), 0);
    }
}

/// proves: HB-06, HB-10
#[test]
fn an_answer_that_is_held_after_a_stop_goes_nowhere() {
    let mut play = Play::durable().brought(At::Committing);
    play.handle(Event::Stop(Scope::All)).unwrap();
    assert_eq!(play.hold(), []);
    assert_eq!(answers_delivered(&play), 0);
    let kinds: Vec<_> = play.records.iter().map(|record| record.id().kind).collect();
    assert_eq!(kinds, KINDS);
}

/// proves: HB-06
#[test]
fn surfaces_see_that_an_answer_is_taken_while_the_store_is_asked_to_hold_it() {
    let mut play = Play::durable().brought(At::Shown);
    let taken = |play: &Play| play.broker.snapshot(&session(1)).open[0].taken;
    assert_eq!(taken(&play), None);
    play.answer(yes()).unwrap();
    assert_eq!(taken(&play), Some(Decision::Accept));
    play.hold();
    assert_eq!(play.broker.snapshot(&session(1)).open, []);
}

/// proves: HB-06
#[test]
fn without_a_store_an_answer_is_delivered_at_once() {
    let mut play = Play::volatile().brought(At::Shown);
    play.now = Instant::from_millis(5_000);
    let actions = play.answer(yes()).unwrap();
    assert!(matches!(actions.as_slice(), [Action::Deliver { .. }, Action::Project(_)]));
    assert_eq!(play.records, []);
}
