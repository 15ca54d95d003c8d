//! A restarted host closes what was open, and does nothing twice.

use std::collections::BTreeSet;

use mrtr_core::{
    InvocationId,
    host::{
        Action, Broker, CloseReason, Epoch, Event, Fault, Gap, InteractionId, Limits, Misuse,
        ProviderFrame, Record, RecordId, RecordKind, Scope, View,
    },
};

use crate::{
    lines::{FILES, MAIL, accepted, asking, call_of, result, session, yes},
    play::{At, Play},
};

/// The action for a question that was open when the host ended.
fn closing(id: &str) -> Action {
    let interaction = id.parse::<InteractionId>().unwrap();
    Action::Store(Record::Closed { interaction, why: CloseReason::HostRestarted })
}

fn id(interaction: &str, kind: RecordKind) -> RecordId {
    RecordId { interaction: interaction.parse::<InteractionId>().unwrap(), kind }
}

/// What the store holds when the host ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// The records that it has acknowledged.
    Acknowledged,
    /// All records that it was given, also those that it could not acknowledge any more.
    Everything,
}

/// Restarts the host.
fn restarted(play: &Play, held: Held) -> (Play, Vec<Action>) {
    let mut dying = play.clone();
    if held == Held::Everything {
        dying.hold();
    }
    dying.restarted()
}

/// proves: HB-12
#[test]
fn a_restarted_host_closes_open_questions_and_does_nothing_else() {
    for at in At::ALL {
        for held in [Held::Acknowledged, Held::Everything] {
            let play = Play::durable().brought(at);
            let (next, actions) = restarted(&play, held);
            let is_open = match (at, held) {
                (At::Called | At::Accepted | At::Resumed, _) => false,
                (At::Opening, held) => held == Held::Everything,
                (At::Shown, _) => true,
                // A held answer counts, whether or not it was delivered.
                (At::Committing, held) => held == Held::Acknowledged,
            };
            let expected = if is_open { vec![closing("1.1.1")] } else { Vec::new() };
            assert_eq!(actions, expected, "{at:?} {held:?}");
            assert_eq!(next.broker.invocations().count(), 0);
            assert_eq!(next.broker.deadline(), None);
            assert_eq!(next.broker.snapshot(&session(1)).open, []);
            assert_eq!((next.delivered.len(), next.changes.len()), (0, 0));
        }
    }
}

/// proves: HB-12
#[test]
fn a_lost_close_record_is_written_again_unless_an_answer_is_held() {
    for (at, holds_answer) in [(At::Shown, false), (At::Committing, false), (At::Committing, true)]
    {
        let mut play = Play::durable().brought(at);
        play.handle(Event::Stop(Scope::All)).unwrap();
        if holds_answer {
            play.handle(Event::Stored(id("1.1.1", RecordKind::Answered))).unwrap();
        }
        // Nobody can know whether the answer was delivered, so no record says that it was not.
        let expected = if holds_answer { Vec::new() } else { vec![closing("1.1.1")] };
        assert_eq!(play.restarted().1, expected, "{at:?} {holds_answer}");
    }
}

/// proves: HB-12
#[test]
fn nothing_from_an_earlier_epoch_counts() {
    for at in At::ALL {
        let play = Play::durable().brought(at);
        let (mut next, _) = restarted(&play, Held::Everything);
        // After the restart, a call and its question have the same numbers.
        next = next.brought(At::Shown);
        assert_eq!(next.interaction().to_string(), "2.1.1");
        let old = "1.1.1".parse::<InteractionId>().unwrap();
        let answer = Event::Answer { interaction: old, session: session(1), response: yes() };
        assert_eq!(next.assert_changes_nothing(answer), Err(Misuse::OldEpoch));
        let none = Event::Unanswerable(old);
        assert_eq!(next.assert_changes_nothing(none), Err(Misuse::OldEpoch));
        let stop = Event::Stop(Scope::Invocation(play.call.clone()));
        assert_eq!(next.assert_changes_nothing(stop), Ok(()));
        for kind in [RecordKind::Requested, RecordKind::Answered] {
            for says in [Event::Stored, Event::StoreFailed] {
                let event = says(RecordId { interaction: old, kind });
                assert_eq!(next.assert_changes_nothing(event), Err(Misuse::NotStoring));
            }
        }
        for frame in [accepted(&play.call), asking(&play.call, 9), result(&play.call)] {
            assert_eq!(next.refused(FILES, frame), (Fault::OldEpoch, None), "{at:?}");
        }
        next.answer(yes()).unwrap();
        next.hold();
    }
}

/// proves: HB-12
#[test]
fn a_stored_close_of_an_earlier_epoch_changes_nothing() {
    let (mut next, actions) = restarted(&Play::durable().brought(At::Shown), Held::Acknowledged);
    assert_eq!(actions.len(), 1);
    let closed = id("1.1.1", RecordKind::Closed);
    for says in [Event::StoreFailed, Event::Stored, Event::Stored] {
        assert_eq!(next.assert_changes_nothing(says(closed)), Ok(()));
    }
}

/// proves: HB-12
#[test]
fn a_close_record_is_written_again_at_each_start_until_it_is_held() {
    let (second, actions) = restarted(&Play::durable().brought(At::Shown), Held::Acknowledged);
    assert_eq!(actions, [closing("1.1.1")]);
    let (mut third, actions) = second.restarted();
    assert_eq!(actions, [closing("1.1.1")]);
    third.hold();
    let (fourth, actions) = third.restarted();
    assert_eq!(actions, []);
    assert_eq!(fourth.broker.epoch(), Epoch::new(4));
    let kinds: Vec<_> = fourth.store.iter().map(|line| RecordId::decode(line).unwrap()).collect();
    let [requested, closed] = [RecordKind::Requested, RecordKind::Closed];
    assert_eq!(kinds, [id("1.1.1", requested), id("1.1.1", closed)]);
}

/// proves: HB-12
#[test]
fn a_question_that_is_closed_in_the_store_is_not_closed_again() {
    let mut play = Play::durable().brought(At::Shown);
    play.handle(Event::Stop(Scope::All)).unwrap();
    let (_, actions) = restarted(&play, Held::Acknowledged);
    assert_eq!(actions, [closing("1.1.1")], "that it was stopped is not held");
    let (_, actions) = restarted(&play, Held::Everything);
    assert_eq!(actions, []);
}

/// proves: HB-12
#[test]
fn records_may_come_in_any_order_and_more_than_once() {
    use RecordKind::{Answered, Closed, Requested};
    let held = [
        id("2.7.1", Requested),
        id("1.1.1", Closed),
        id("1.1.2", Answered),
        id("1.3.1", Requested),
        id("1.1.2", Requested),
        id("2.7.1", Requested),
        id("1.1.1", Requested),
        id("1.1.3", Requested),
        id("2.7.2", Answered),
        // An answer that was held, and was not delivered because of a stop.
        id("2.8.1", Requested),
        id("2.8.1", Closed),
        id("2.8.1", Answered),
    ];
    let expected = [closing("1.1.3"), closing("1.3.1"), closing("2.7.1")];
    let start =
        |held: Vec<RecordId>| Broker::durable(Epoch::new(3), Limits::default(), held).unwrap();
    let (first, actions) = start(held.to_vec());
    assert_eq!(actions.as_slice(), expected);
    for shift in 0..held.len() {
        let mut held = held;
        held.rotate_left(shift);
        let (broker, actions) = start(held.to_vec());
        assert_eq!(actions.as_slice(), expected);
        assert!(broker == first);
        held.reverse();
        assert_eq!(start(held.to_vec()).1.as_slice(), expected);
    }
}

/// proves: HB-12
#[test]
fn an_epoch_that_is_in_the_store_is_refused() {
    let start = |epoch, kind| {
        let held = [id("4.1.1", RecordKind::Requested), id("5.1.1", kind)];
        Broker::durable(Epoch::new(epoch), Limits::default(), held)
    };
    for kind in [RecordKind::Requested, RecordKind::Answered, RecordKind::Closed] {
        for epoch in [0, 4, 5] {
            let refused = start(epoch, kind).unwrap_err();
            assert_eq!(refused.to_string(), "expected an epoch above all those in the store");
        }
        for epoch in [6, u64::MAX] {
            assert!(start(epoch, kind).is_ok());
        }
    }
}

/// proves: HB-11, HB-12
#[test]
fn a_surface_notices_a_restart_and_begins_with_a_snapshot() {
    let old = Play::durable().brought(At::Shown);
    let (next, _) = restarted(&old, Held::Acknowledged);
    let next = next.brought(At::Shown);
    let mut view = old.views[&session(1)].clone();
    let before = view.clone();
    for change in &next.changes {
        assert_eq!(view.apply(change.clone()), Err(Gap));
        assert!(view == before);
    }
    let view = View::new(next.broker.snapshot(&session(1)));
    let open: Vec<_> = view.open().map(|shown| shown.interaction.id.to_string()).collect();
    assert_eq!(open, ["2.1.1"]);
}

/// proves: HB-12
#[test]
fn many_questions_of_many_calls_are_each_closed_once() {
    let mut play = Play::durable();
    for count in 0..40 {
        let name = if count % 2 == 0 { "files" } else { "mail" };
        play.start_as(call_of(1 + count % 3, 1, name)).unwrap();
        play.say(accepted(&play.call));
        if count % 4 == 0 {
            play.round(1);
        }
        play.say(asking(&play.call, 2));
        play.hold();
    }
    let (_, actions) = play.restarted();
    let closed: BTreeSet<_> = actions.iter().map(|action| format!("{action:?}")).collect();
    assert_eq!((actions.len(), closed.len()), (40, 40));
}

/// proves: HB-12
#[test]
fn a_provider_that_missed_the_restart_is_refused_until_it_is_called_again() {
    let (mut next, _) = restarted(&Play::durable().brought(At::Shown), Held::Acknowledged);
    let old = InvocationId::new("1.1").unwrap();
    let answered =
        ProviderFrame::decode(br#"{"result":{"invocation":"1.1","result":{}}}"#).unwrap();
    assert_eq!(next.refused(MAIL, answered), (Fault::OldEpoch, None));
    assert_eq!(next.refused(FILES, asking(&old, 2)), (Fault::OldEpoch, None));
    next.start();
    next.say(accepted(&next.call));
    next.round(1);
    next.say(result(&next.call));
    assert_eq!(next.settled[&next.call].code(), "complete");
}
