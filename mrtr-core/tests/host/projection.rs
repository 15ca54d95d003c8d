//! What surfaces see: a snapshot, and changes that name the change before, so that none is missed.

use std::collections::BTreeMap;

use mrtr_core::{
    InvocationId,
    host::{
        Action, Broker, Change, ChangeKind, Ending, Epoch, Event, Gap, InteractionId, Limits,
        Misuse, SessionId, Snapshot, View, VisibleInteraction,
    },
    wire::{Decision, InputResponse},
};

use crate::{
    lines::{accepted, asking, call_of, released, result, session, yes},
    play::{At, Play},
};

type Step = Box<dyn Fn(&mut Play) -> Vec<Action>>;

/// What happened to a session: its changes, and what was open after each.
struct Story {
    changes: Vec<Change>,
    /// The open questions, by the number of the change. Under 0 are those before any change.
    open: BTreeMap<u64, Vec<VisibleInteraction>>,
    /// A snapshot before any change, and one after each.
    snapshots: Vec<Snapshot>,
}

/// Plays two questions at once, an answer, a close, a time in which nothing is live, and another
/// question. Between them, another session has a question.
fn story() -> Story {
    let mut play = Play::durable();
    let mut story = Story {
        changes: Vec::new(),
        open: [(0, Vec::new())].into(),
        snapshots: vec![play.broker.snapshot(&session(1))],
    };
    let ask = |of_session| {
        move |play: &mut Play| {
            play.start_as(call_of(of_session, 1, "files")).unwrap();
            play.say(accepted(&play.call));
            play.say(asking(&play.call, 1));
            play.hold()
        }
    };
    let answer = |interaction| {
        move |play: &mut Play| {
            let event = Event::Answer { interaction, session: session(1), response: yes() };
            play.handle(event).unwrap()
        }
    };
    let id = |text: &str| text.parse::<InteractionId>().unwrap();
    let call = |text| InvocationId::new(text).unwrap();
    let steps: [Step; 10] = [
        Box::new(ask(1)),
        Box::new(ask(2)),
        Box::new(ask(1)),
        Box::new(answer(id("1.1.1"))),
        Box::new(Play::hold),
        Box::new(move |play| play.say(released(&call("1.3")))),
        Box::new(move |play| play.say(result(&call("1.1")))),
        Box::new(ask(1)),
        Box::new(answer(id("1.4.1"))),
        Box::new(Play::hold),
    ];
    for step in steps {
        let count = play.changes.len();
        step(&mut play);
        let new = play.changes[count..].iter().filter(|change| change.session == session(1));
        for change in new {
            let snapshot = play.broker.snapshot(&session(1));
            story.open.insert(change.number, snapshot.open.clone());
            story.snapshots.push(snapshot);
            story.changes.push(change.clone());
        }
    }
    assert_eq!((story.changes.len(), story.open.len()), (8, 9), "a step makes a change at most");
    story
}

/// proves: HB-11
#[test]
fn changes_have_growing_numbers_and_name_the_change_before_in_their_session() {
    let Story { changes, .. } = story();
    let numbers: Vec<_> = changes.iter().map(|change| (change.number, change.after)).collect();
    let expected = [
        (1, None),
        (3, Some(1)),
        (4, Some(3)),
        (5, Some(4)),
        (6, Some(5)),
        // Nothing was live before it, so a surface that missed the changes before shows nothing wrong.
        (7, None),
        (8, Some(7)),
        (9, Some(8)),
    ];
    assert_eq!(numbers, expected);
}

/// proves: HB-11
#[test]
fn a_surface_shows_no_wrong_state_however_changes_are_lost_repeated_or_reordered() {
    let Story { changes, open, snapshots } = story();
    // Every sequence of up to four changes, from every snapshot on.
    let mut rows = vec![Vec::new()];
    for length in 0..4 {
        let longer = rows.iter().filter(|row: &&Vec<usize>| row.len() == length);
        let longer =
            longer.flat_map(|row| (0..changes.len()).map(move |next| [row, &[next][..]].concat()));
        rows.extend(longer.collect::<Vec<_>>());
    }
    for snapshot in snapshots {
        for row in &rows {
            let mut view = View::new(snapshot.clone());
            // The view shows what was open after this change.
            let mut at = open.range(..=snapshot.number).next_back().unwrap().0;
            for change in row.iter().map(|index| &changes[*index]) {
                let before = view.clone();
                match view.apply(change.clone()) {
                    Ok(()) => at = at.max(&change.number),
                    Err(Gap) => assert!(view == before, "a gap leaves all as it was"),
                }
                assert!(view.open().eq(&open[at]), "{row:?} from {}", snapshot.number);
            }
        }
    }
}

/// proves: HB-11
#[test]
fn a_surface_notices_a_missed_change_with_the_next_one() {
    let Story { changes, open, snapshots } = story();
    for (start, snapshot) in snapshots.iter().enumerate() {
        let mut view = View::new(snapshot.clone());
        for change in &changes[start..] {
            view.apply(change.clone()).unwrap();
        }
        assert!(view.open().eq(&open[&9]));
    }
    for lost in 0..changes.len() - 1 {
        let mut view = View::new(snapshots[lost].clone());
        let next = &changes[lost + 1];
        // If nothing was live in between, nothing is missing.
        let expected = if next.after.is_some() { Err(Gap) } else { Ok(()) };
        assert_eq!(view.apply(next.clone()), expected, "{lost}");
        // A snapshot repairs the view. Changes that it contains may still come.
        let mut view = View::new(snapshots[lost + 2].clone());
        for change in &changes {
            view.apply(change.clone()).unwrap();
        }
        assert!(view.open().eq(&open[&9]));
    }
}

/// proves: HB-11
#[test]
fn a_late_surface_shows_the_same_questions_and_may_answer() {
    for at in At::ALL {
        for mut play in at.plays() {
            let late = View::new(play.broker.snapshot(&session(1)));
            let there = &play.views[&session(1)];
            assert!(late.open().eq(there.open()), "{at:?}");
            let shown: Vec<_> = late.open().cloned().collect();
            let is_shown = matches!(at, At::Shown | At::Committing);
            assert_eq!(shown.len(), usize::from(is_shown), "{at:?}");
            let Some(shown) = shown.first() else { continue };
            assert_eq!(shown.taken.is_some(), at == At::Committing);
            let interaction = shown.interaction.id;
            let answer = Event::Answer { interaction, session: session(1), response: yes() };
            let expected = match shown.taken {
                None => Ok(()),
                Some(won) => Err(Misuse::Stale { won: Some(Ending::Answered(won)) }),
            };
            assert_eq!(play.handle(answer).map(drop), expected);
        }
    }
}

/// proves: HB-05, HB-11
#[test]
fn of_two_surfaces_that_answer_the_first_wins_and_both_remove_the_question() {
    let mut play = Play::durable().brought(At::Shown);
    let mut views = [(); 2].map(|()| View::new(play.broker.snapshot(&session(1))));
    let interaction = play.interaction();
    let answer = |response| Event::Answer { interaction, session: session(1), response };
    play.handle(answer(InputResponse::Decline)).unwrap();
    let won = Some(Ending::Answered(Decision::Decline));
    assert_eq!(play.handle(answer(yes())), Err(Misuse::Stale { won }));
    let taken = play.changes.last().unwrap().clone();
    for view in &mut views {
        view.apply(taken.clone()).unwrap();
        assert_eq!(view.open().next().unwrap().taken, Some(Decision::Decline));
    }
    play.hold();
    for view in &mut views {
        view.apply(play.changes.last().unwrap().clone()).unwrap();
        assert_eq!(view.open().count(), 0);
    }
}

/// proves: HB-01, HB-11
#[test]
fn a_session_is_told_nothing_of_another() {
    let mut play = Play::durable().brought(At::Shown);
    let mut other = View::new(play.broker.snapshot(&session(2)));
    play.answer(yes()).unwrap();
    play.hold();
    assert!(play.changes.iter().all(|change| change.session == session(1)));
    // A surface that gets a change by mistake shows nothing of it.
    let before = other.clone();
    for change in &play.changes {
        other.apply(change.clone()).unwrap();
    }
    assert!(other == before);
}

/// proves: HB-11, HB-12
#[test]
fn a_change_from_another_start_of_the_host_is_a_gap() {
    let play = Play::durable().brought(At::Shown);
    for epoch in [0, 2] {
        let mut change = play.changes[0].clone();
        change.epoch = Epoch::new(epoch);
        let mut view = View::new(play.broker.snapshot(&session(1)));
        let before = view.clone();
        assert_eq!(view.apply(change), Err(Gap));
        assert!(view == before);
    }
}

/// proves: HB-11
#[test]
fn a_snapshot_of_a_session_without_questions_is_empty() {
    let broker = Broker::volatile(Epoch::new(7), Limits::default());
    let nobody = SessionId::new("nobody").unwrap();
    let snapshot = broker.snapshot(&nobody);
    assert_eq!((snapshot.epoch, &snapshot.session, snapshot.number), (Epoch::new(7), &nobody, 0));
    assert_eq!(snapshot.open, []);
}

/// proves: HB-11
#[test]
fn a_snapshot_has_its_questions_in_the_order_of_their_ids() {
    let mut play = Play::volatile();
    for of_turn in [2, 1, 3] {
        play.start_as(call_of(1, of_turn, "files")).unwrap();
        play.say(accepted(&play.call));
        play.say(asking(&play.call, 1));
    }
    let snapshot = play.broker.snapshot(&session(1));
    let ids = snapshot.open.iter().map(|shown| shown.interaction.id.to_string());
    assert_eq!(ids.collect::<Vec<_>>(), ["1.1.1", "1.2.1", "1.3.1"]);
}

/// proves: HB-11
#[test]
fn a_question_opens_once_and_ends_once_for_each_surface() {
    for at in At::ALL {
        for mut play in at.plays() {
            play.say(released(&play.call));
            let count = |is: fn(&ChangeKind) -> bool| {
                play.changes.iter().filter(|change| is(&change.kind)).count()
            };
            let opened = count(|what| matches!(what, ChangeKind::Opened(_)));
            let ended = count(|what| matches!(what, ChangeKind::Ended { .. }));
            let expected = matches!(at, At::Shown | At::Committing | At::Resumed);
            assert_eq!((opened, ended), (usize::from(expected), opened), "{at:?}");
        }
    }
}
