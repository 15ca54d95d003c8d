//! The acceptance criteria of the Maka RFC that concern the host, one by one, with a store and
//! without. The others are proved for the client (`tests/client/acceptance.rs`), and with real
//! surfaces (14).

use core::time::Duration;

use mrtr_core::{
    Phase,
    host::{
        Action, ChangeKind, CloseReason, ConnectionId, Ending, Event, Fault, HostFrame, Misuse,
        Outcome, Record, Scope, View,
    },
    wire::InputResponse,
};

use crate::{
    lines::{
        FILES, MAIL, YES, accepted, asking, call_of, failed, registration, rejected, released,
        result, session, yes,
    },
    play::{At, Play},
};

/// The states in which a question is open.
const PENDING: [At; 3] = [At::Opening, At::Shown, At::Committing];

fn pending() -> impl Iterator<Item = (At, Play)> {
    PENDING.into_iter().flat_map(|at| at.plays().into_iter().map(move |play| (at, play)))
}

/// Returns the delivered answers, each with its connection.
fn answers(play: &Play) -> Vec<(ConnectionId, &str)> {
    let answers = play.delivered.iter().filter_map(|(to, frame)| match frame {
        HostFrame::InteractionResult { result, .. } => Some((*to, result.as_str())),
        _ => None,
    });
    answers.collect()
}

/// Asserts that no question is open and no call is live.
fn assert_nothing_left(play: &Play) {
    assert_eq!(play.broker.invocations().count(), 0);
    assert_eq!(play.broker.snapshot(&session(1)).open, []);
    assert_eq!(play.views[&session(1)].open().count(), 0);
    assert_eq!(play.broker.deadline(), None);
}

/// proves: HB-08, HB-10
#[test]
fn criterion_07_a_stop_of_everything_sends_no_answer_and_leaves_no_question_and_no_call() {
    for (at, mut play) in pending() {
        // Another call is at work.
        let call = play.call.clone();
        let other = play.start_as(call_of(1, 2, "mail")).unwrap();
        play.say(accepted(&other));
        let sent = play.delivered.len();
        play.handle(Event::Stop(Scope::All)).unwrap();
        let why = CloseReason::Stopped;
        let cancelled = [
            (FILES, HostFrame::Cancel { invocation: call.clone(), why }),
            (MAIL, HostFrame::Cancel { invocation: other.clone(), why }),
        ];
        assert_eq!(play.delivered[sent..], cancelled, "{at:?}");
        for call in [&call, &other] {
            assert_eq!(play.settled[call], Outcome::Stopped);
        }
        assert_nothing_left(&play);
        // Whatever comes after it sends nothing either.
        play.hold();
        play.wait(1_000_000);
        play.handle(Event::Tick).unwrap();
        assert_eq!(play.delivered.len(), sent + 2);
        assert_eq!(answers(&play), []);
    }
}

/// proves: HB-06, HB-09
#[test]
fn criterion_08_an_answer_that_was_committed_reaches_nothing_that_took_the_providers_place() {
    let replacements: [fn(&mut Play); 4] = [
        |play| {
            play.handle(Event::Disconnected(FILES)).unwrap();
            play.connect(ConnectionId::new(3));
            play.register("files", ConnectionId::new(3));
        },
        |play| {
            play.handle(Event::Disconnected(FILES)).unwrap();
            play.connect(FILES);
            play.register("files", FILES);
        },
        |play| drop(play.register("files", MAIL)),
        |play| {
            play.handle(Event::Retired(registration("files"))).unwrap();
            play.register("files", FILES);
        },
    ];
    for replace in replacements {
        let mut play = Play::durable().brought(At::Committing);
        let (old, interaction) = (play.call.clone(), play.interaction());
        replace(&mut play);
        assert_eq!(play.settled[&old], Outcome::Lost);
        assert_nothing_left(&play);
        // Now the store holds the answer.
        assert_eq!(play.hold(), []);
        play.start();
        play.say(accepted(&play.call));
        play.say(asking(&play.call, 1));
        play.hold();
        assert_eq!(answers(&play), []);
        let again = Event::Answer { interaction, session: session(1), response: yes() };
        assert!(matches!(play.assert_changes_nothing(again), Err(Misuse::Stale { .. })));
        // The replacement asks a question with the same number. It gets an answer of its own.
        play.answer(InputResponse::Decline).unwrap();
        play.hold();
        let to = play.broker.owner(&play.call).unwrap().connection;
        assert_eq!(answers(&play), [(to, r#"{"action":"decline"}"#)]);
    }
}

/// proves: HB-11
#[test]
fn criterion_09_a_surface_that_reconnects_shows_the_form_again_and_may_answer_it() {
    for mut play in At::Shown.plays() {
        let before = play.views[&session(1)].clone();
        play.views.clear();
        let again = View::new(play.broker.snapshot(&session(1)));
        assert!(again.open().eq(before.open()));
        let [shown] = again.open().collect::<Vec<_>>()[..] else { panic!("one form is open") };
        let interaction = shown.interaction.id;
        play.views.insert(session(1), again.clone());
        play.handle(Event::Answer { interaction, session: session(1), response: yes() }).unwrap();
        play.hold();
        assert_eq!(answers(&play), [(FILES, YES)]);
    }
}

/// proves: HB-09, HB-12
#[test]
fn criterion_09_a_provider_or_a_host_that_restarts_closes_the_form_and_does_nothing_again() {
    for (at, mut play) in pending() {
        let next = play.is_durable.then(|| {
            let mut dying = play.clone();
            dying.hold();
            dying.restarted()
        });
        let interaction = play.interaction();
        play.handle(Event::Disconnected(FILES)).unwrap();
        let why = CloseReason::ProviderLost;
        if at != At::Opening {
            let how = Ending::Closed(why);
            assert_eq!(play.changes.last().unwrap().kind, ChangeKind::Ended { interaction, how });
        }
        assert_nothing_left(&play);
        assert_eq!(play.delivered.len(), 1, "the tool was called once");
        let Some((mut next, actions)) = next else { continue };

        let why = CloseReason::HostRestarted;
        let closed = Action::Store(Record::Closed { interaction, why });
        // A question whose answer the store holds is not pending any more, even if the answer was not
        // delivered.
        let expected = if at == At::Committing { Vec::new() } else { vec![closed] };
        assert_eq!(actions, expected, "{at:?}");
        let late = Event::Answer { interaction, session: session(1), response: yes() };
        assert_eq!(next.assert_changes_nothing(late), Err(Misuse::OldEpoch));
        let call = play.call.clone();
        assert_eq!(next.refused(FILES, accepted(&call)), (Fault::OldEpoch, None));
        assert_eq!(next.delivered, [], "the tool is not called again");
    }
}

/// proves: HB-07
#[test]
fn criterion_10_the_execution_timeout_is_suspended_while_the_question_is_pending_and_armed_after_it()
 {
    for mut play in At::Accepted.plays() {
        play.wait(59_000);
        play.say(asking(&play.call, 1));
        play.hold();
        play.wait(599_000);
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        // A question that is refused suspends nothing.
        play.answer(yes()).unwrap();
        play.hold();
        let due = play.now + Duration::from_secs(60);
        play.wait(1_000);
        assert_eq!(play.refused_as(asking(&play.call, 1)), "duplicate");
        assert_eq!(play.broker.deadline(), Some(due));
        play.wait(58_999);
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        play.wait(1);
        play.handle(Event::Tick).unwrap();
        assert_eq!(play.settled[&play.call].code(), "timed_out");
    }
}

/// proves: HB-08
#[test]
fn criterion_16_a_result_a_failure_a_cancellation_and_a_release_close_the_question() {
    type Way = fn(&mut Play) -> Vec<Action>;
    let ways: [(Way, CloseReason); 5] = [
        (|play| play.say(result(&play.call)), CloseReason::Inconsistent),
        (|play| play.say(failed(&play.call)), CloseReason::Failed),
        (|play| play.say(rejected(&play.call)), CloseReason::Rejected),
        (|play| play.say(released(&play.call)), CloseReason::Released),
        (
            |play| play.handle(Event::Stop(Scope::Invocation(play.call.clone()))).unwrap(),
            CloseReason::Stopped,
        ),
    ];
    for (way, why) in ways {
        for (at, mut play) in pending() {
            let (interaction, changes) = (play.interaction(), play.changes.len());
            way(&mut play);
            let ended = ChangeKind::Ended { interaction, how: Ending::Closed(why) };
            let told: Vec<_> = play.changes[changes..].iter().map(|change| &change.kind).collect();
            let expected = if at == At::Opening { Vec::new() } else { vec![&ended] };
            assert_eq!(told, expected, "{at:?} {why}");
            if play.is_durable {
                assert_eq!(play.records.last(), Some(&Record::Closed { interaction, why }));
            }
            assert_nothing_left(&play);
            assert_eq!(play.settled.len(), 1);
            let has_result = matches!(play.settled[&play.call], Outcome::Complete(_));
            assert!(!has_result, "a result beside an open question does not count");
            assert_eq!(answers(&play), []);
        }
    }
    // A call whose question was answered ends like any other.
    for mut play in At::Resumed.plays() {
        play.say(result(&play.call));
        assert!(matches!(play.settled[&play.call], Outcome::Complete(_)));
        assert_eq!(play.broker.phase(&play.call), None::<Phase>);
    }
}
