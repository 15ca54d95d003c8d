//! Every way in which a call can end, in every state: it settles once, and leaves nothing behind.

use mrtr_core::{
    InvocationId,
    host::{
        Action, ChangeKind, CloseReason, ConnectionId, Ending, Event, Fault, HostFrame, Misuse,
        Record, RecordId, RecordKind, Report, Scope,
    },
    wire::Decision,
};

use crate::{
    lines::{
        FILES, MAIL, accepted, asking, call_of, failed, progress, registration, rejected, released,
        result, session, turn, yes,
    },
    play::{At, Play},
};

type Way = fn(&mut Play) -> Vec<Action>;

fn stop(play: &mut Play, scope: Scope) -> Vec<Action> {
    play.handle(Event::Stop(scope)).unwrap()
}

/// Hands over what the store says of the last record.
fn store_says(play: &mut Play, says: fn(RecordId) -> Event) -> Vec<Action> {
    let record = play.records.last().unwrap().id();
    play.handle(says(record)).unwrap()
}

fn overdue(play: &mut Play) -> Vec<Action> {
    play.now = play.broker.deadline().unwrap();
    play.handle(Event::Tick).unwrap()
}

const WAYS: [Way; 17] = [
    |play| play.say(result(&play.call)),
    |play| play.say(failed(&play.call)),
    |play| play.say(rejected(&play.call)),
    |play| play.say(released(&play.call)),
    |play| play.handle(Event::Disconnected(FILES)).unwrap(),
    |play| play.register("files", MAIL),
    |play| play.register("files", FILES),
    |play| play.handle(Event::Retired(registration("files"))).unwrap(),
    |play| stop(play, Scope::Invocation(play.call.clone())),
    |play| stop(play, Scope::Turn(session(1), turn(1))),
    |play| stop(play, Scope::Session(session(1))),
    |play| stop(play, Scope::All),
    |play| play.handle(Event::TurnEnded { session: session(1), turn: turn(1) }).unwrap(),
    |play| play.handle(Event::Unanswerable(play.interaction())).unwrap(),
    |play| store_says(play, Event::StoreFailed),
    overdue,
    overdue,
];

/// How a call ends: a row for each way, a column for each state. In capitals, the provider is told to
/// stop. A dash is a way that a state does not have. The last column is why an open question closes.
const TABLE: &str = "
    way          called          accepted        opening      shown        committing   resumed         closes as
    result       -               complete        INCONSISTENT INCONSISTENT INCONSISTENT complete        inconsistent
    failed       failed          failed          failed       failed       failed       failed          failed
    rejected     rejected        failed          failed       failed       failed       failed          rejected
    released     released        released        released     released     released     released        released
    disconnected outcome_unknown outcome_unknown lost         lost         lost         outcome_unknown provider_lost
    replaced     OUTCOME_UNKNOWN OUTCOME_UNKNOWN LOST         LOST         LOST         OUTCOME_UNKNOWN superseded
    renewed      OUTCOME_UNKNOWN OUTCOME_UNKNOWN LOST         LOST         LOST         OUTCOME_UNKNOWN superseded
    retired      OUTCOME_UNKNOWN OUTCOME_UNKNOWN LOST         LOST         LOST         OUTCOME_UNKNOWN retired
    stop_call    STOPPED         STOPPED         STOPPED      STOPPED      STOPPED      STOPPED         stopped
    stop_turn    STOPPED         STOPPED         STOPPED      STOPPED      STOPPED      STOPPED         stopped
    stop_session STOPPED         STOPPED         STOPPED      STOPPED      STOPPED      STOPPED         stopped
    stop_all     STOPPED         STOPPED         STOPPED      STOPPED      STOPPED      STOPPED         stopped
    turn_ended   STOPPED         STOPPED         STOPPED      STOPPED      STOPPED      STOPPED         turn_ended
    unanswerable -               -               UNANSWERABLE UNANSWERABLE -            -               unanswerable
    store_failed -               -               STORE_FAILED -            STORE_FAILED -               store_failed
    store_silent -               -               STORE_FAILED -            STORE_FAILED -               store_failed
    overdue      TIMED_OUT       TIMED_OUT       -            TIMED_OUT    -            TIMED_OUT       timed_out";

/// Reads the table: the name of each way, its cells, and why it closes a question.
fn rows() -> Vec<(&'static str, Vec<&'static str>, CloseReason)> {
    let rows = TABLE.trim().lines().skip(1).map(|row| {
        let cells: Vec<_> = row.split_whitespace().collect();
        let [name, outcomes @ .., why] = cells.as_slice() else { panic!("a row is empty") };
        let why = CloseReason::ALL.iter().copied().find(|known| known.to_string() == *why).unwrap();
        (*name, outcomes.to_vec(), why)
    });
    rows.collect()
}

/// Writes the actions at the end of a call as words.
fn words(actions: &[Action]) -> Vec<String> {
    let words = actions.iter().map(|action| match action {
        Action::Store(Record::Closed { why, .. }) => format!("store {why}"),
        Action::Project(change) => match &change.kind {
            ChangeKind::Ended { how: Ending::Closed(why), .. } => format!("close {why}"),
            other => panic!("expected a question to be closed, found {other:?}"),
        },
        Action::Deliver { frame: HostFrame::Cancel { why, .. }, .. } => format!("cancel {why}"),
        Action::Settle { outcome, .. } => format!("settle {}", outcome.code()),
        other => panic!("expected a call to end, found {other:?}"),
    });
    words.collect()
}

/// proves: HB-08, HB-09, HB-10
#[test]
fn each_ending_closes_the_question_tells_the_provider_and_settles_once() {
    assert_eq!(rows().len(), WAYS.len());
    for (way, (name, outcomes, why)) in WAYS.into_iter().zip(rows()) {
        for (at, cell) in At::ALL.into_iter().zip(outcomes) {
            for mut play in at.plays().into_iter().filter(|_| cell != "-") {
                let is_pending = matches!(at, At::Opening | At::Shown | At::Committing);
                let is_told = cell.starts_with(|letter: char| letter.is_ascii_uppercase());
                let expected = [
                    (is_pending && play.is_durable).then(|| format!("store {why}")),
                    (is_pending && at != At::Opening).then(|| format!("close {why}")),
                    is_told.then(|| format!("cancel {why}")),
                    Some(format!("settle {}", cell.to_lowercase())),
                ];
                let expected: Vec<_> = expected.into_iter().flatten().collect();
                assert_eq!(words(&way(&mut play)), expected, "{name} at {at:?}");
                let won = match at {
                    At::Called | At::Accepted => None,
                    At::Opening | At::Shown | At::Committing => Some(Ending::Closed(why)),
                    At::Resumed => Some(Ending::Answered(Decision::Accept)),
                };
                assert_is_over(play, won);
            }
        }
    }
}

/// Asserts that nothing of the call is left, and that later events do nothing.
fn assert_is_over(mut play: Play, won: Option<Ending>) {
    assert_eq!(play.broker.invocations().count(), 0);
    assert_eq!((play.broker.phase(&play.call), play.broker.owner(&play.call)), (None, None));
    assert_eq!(play.broker.snapshot(&session(1)).open, []);
    assert_eq!(play.broker.deadline(), None);

    let (call, interaction) = (play.call.clone(), play.interaction());
    let answer = || Event::Answer { interaction, session: session(1), response: yes() };
    let none = Event::Unanswerable(interaction);
    if won.is_some() {
        assert_eq!(play.assert_changes_nothing(answer()), Err(Misuse::Stale { won }));
        assert_eq!(play.assert_changes_nothing(none), Err(Misuse::Stale { won }));
    } else {
        assert_eq!(play.assert_changes_nothing(answer()), Err(Misuse::UnknownInteraction));
        assert_eq!(play.assert_changes_nothing(none), Err(Misuse::UnknownInteraction));
    }
    if play.is_durable && won.is_some() {
        for kind in [RecordKind::Requested, RecordKind::Answered, RecordKind::Closed] {
            for says in [Event::Stored, Event::StoreFailed] {
                let event = says(RecordId { interaction, kind });
                // What was answered was not closed.
                let was_given =
                    kind != RecordKind::Closed || matches!(won, Some(Ending::Closed(_)));
                let expected = if was_given { Ok(()) } else { Err(Misuse::NotStoring) };
                assert_eq!(play.assert_changes_nothing(event), expected);
            }
        }
    }
    for scope in [Scope::Invocation(call.clone()), Scope::Session(session(1)), Scope::All] {
        assert_eq!(play.assert_changes_nothing(Event::Stop(scope)), Ok(()));
    }
    play.wait(1_000_000_000);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    let is_connected = play.broker.refused(FILES).is_some();
    for frame in [accepted(&call), progress(&call), asking(&call, 9), result(&call), failed(&call)]
    {
        let why = if is_connected { Fault::NotLive } else { Fault::NotConnected };
        assert_eq!(play.refused(FILES, frame), (why, None));
    }
    // The call, the answer if there was one, and the end were delivered. No answer was made up, and
    // nothing was sent twice.
    let count =
        |is: fn(&HostFrame) -> bool| play.delivered.iter().filter(|(_, frame)| is(frame)).count();
    assert_eq!(count(|frame| matches!(frame, HostFrame::Call { .. })), 1);
    let answers = count(|frame| matches!(frame, HostFrame::InteractionResult { .. }));
    assert_eq!(answers, usize::from(matches!(won, Some(Ending::Answered(_)))));
    assert!(play.delivered.iter().all(|(connection, _)| *connection == FILES));
}

/// Calls each provider in each of two turns of two sessions, and leaves every second call with a
/// question. The names of the turns and sessions begin alike.
fn many_calls() -> (Play, Vec<InvocationId>) {
    let mut play = Play::durable();
    let mut calls = Vec::new();
    for (of_session, of_turn) in [(1, 1), (1, 10), (10, 1), (10, 10)] {
        for name in ["files", "mail"] {
            let call = play.start_as(call_of(of_session, of_turn, name)).unwrap();
            play.say(accepted(&call));
            if name == "mail" {
                play.say(asking(&call, 1));
                play.hold();
            }
            calls.push(call);
        }
    }
    (play, calls)
}

/// proves: HB-09, HB-10
#[test]
fn an_event_ends_the_calls_that_it_covers_and_no_others() {
    let (_, calls) = many_calls();
    let ended_turn = |of_session, of_turn| Event::TurnEnded {
        session: session(of_session),
        turn: turn(of_turn),
    };
    for (event, covered) in [
        (Event::Stop(Scope::Invocation(calls[3].clone())), vec![3]),
        (Event::Stop(Scope::Turn(session(1), turn(1))), vec![0, 1]),
        (Event::Stop(Scope::Turn(session(1), turn(10))), vec![2, 3]),
        (Event::Stop(Scope::Turn(session(10), turn(1))), vec![4, 5]),
        (Event::Stop(Scope::Session(session(1))), vec![0, 1, 2, 3]),
        (Event::Stop(Scope::Session(session(10))), vec![4, 5, 6, 7]),
        (Event::Stop(Scope::All), (0..8).collect()),
        (ended_turn(1, 1), vec![0, 1]),
        (ended_turn(10, 10), vec![6, 7]),
        (Event::Disconnected(FILES), vec![0, 2, 4, 6]),
        (Event::Retired(registration("mail")), vec![1, 3, 5, 7]),
        (
            Event::Registered { registration: registration("mail"), connection: FILES },
            vec![1, 3, 5, 7],
        ),
        // An unknown id covers nothing.
        (Event::Stop(Scope::Turn(session(2), turn(1))), vec![]),
        (Event::Stop(Scope::Turn(session(1), turn(2))), vec![]),
        (Event::Stop(Scope::Session(session(100))), vec![]),
        (Event::Stop(Scope::Invocation(InvocationId::new("0.1").unwrap())), vec![]),
        (Event::Stop(Scope::Invocation(InvocationId::new("1.9").unwrap())), vec![]),
        (ended_turn(1, 100), vec![]),
        (Event::Retired(registration("none")), vec![]),
        (Event::Disconnected(ConnectionId::new(9)), vec![]),
    ] {
        let (mut play, calls) = many_calls();
        play.handle(event.clone()).unwrap();
        let covered: Vec<_> = covered.into_iter().map(|index: usize| &calls[index]).collect();
        assert_eq!(play.settled.keys().collect::<Vec<_>>(), covered, "{event:?}");
        // All others go on until they end.
        for (call, name) in calls.iter().zip(["files", "mail"].into_iter().cycle()) {
            if covered.contains(&call) {
                continue;
            }
            play.call = call.clone();
            if name == "mail" {
                play.answer(yes()).unwrap();
                play.hold();
            }
            play.say(result(call));
            assert_eq!(play.settled[call].code(), "complete", "{event:?}");
        }
    }
}

/// proves: HB-09
#[test]
fn a_replacement_of_a_provider_gets_no_earlier_question_and_no_earlier_answer() {
    for at in At::ALL {
        for mut play in at.plays() {
            let (old, interaction) = (play.call.clone(), play.interaction());
            play.register("files", MAIL);
            play.hold();
            let late = Event::Answer { interaction, session: session(1), response: yes() };
            assert!(play.assert_changes_nothing(late).is_err());
            let to_mail = |play: &Play| {
                play.delivered.iter().filter(|(connection, _)| *connection == MAIL).count()
            };
            assert_eq!(to_mail(&play), 0, "{at:?}");
            // It cannot accept the old call, and the next call is another one.
            assert_eq!(play.refused(MAIL, accepted(&old)), (Fault::NotLive, None));
            let new = play.start();
            assert_ne!(new, old);
            assert_eq!(to_mail(&play), 1);
            assert_eq!(play.refused(FILES, accepted(&new)), (Fault::WrongConnection, None));
            play.say(accepted(&new));
            play.round(1);
            assert_eq!(to_mail(&play), 2);
        }
    }
}

/// proves: HB-09
#[test]
fn a_provider_that_reconnects_has_no_calls() {
    for at in At::ALL {
        for mut play in at.plays() {
            let old = play.call.clone();
            play.handle(Event::Disconnected(FILES)).unwrap();
            play.connect(FILES);
            assert_eq!(play.broker.registered_on(&registration("files")), None);
            play.register("files", FILES);
            play.hold();
            assert_eq!(play.refused(FILES, result(&old)), (Fault::NotLive, None), "{at:?}");
        }
    }
}

/// proves: HB-08
#[test]
fn a_closed_question_begins_no_leg() {
    for at in At::ALL {
        for mut play in at.plays() {
            stop(&mut play, Scope::All);
            let Some(Report::Moved(last)) = play.reports.last() else { panic!("it has moved") };
            let legs = if at == At::Resumed { 2 } else { 1 };
            assert_eq!(last.leg, legs, "{at:?}");
        }
    }
}

/// proves: HB-09
#[test]
fn calls_end_in_the_order_in_which_they_began_however_they_are_interleaved() {
    // More than nine: the order is that of numbers, not of their texts. Two providers may share a
    // connection.
    for (is_asked, is_shared) in [(false, false), (true, false), (false, true), (true, true)] {
        for (event, parity) in [
            (Event::Disconnected(FILES), Some(0).filter(|_| !is_shared)),
            (Event::Stop(Scope::All), None),
        ] {
            let mut play = Play::durable();
            let connections = [FILES, if is_shared { FILES } else { MAIL }];
            play.register("mail", connections[1]);
            let names = ["files", "mail"].into_iter().cycle();
            let calls: Vec<_> = (0..13_u32)
                .zip(names)
                .map(|(at, name)| play.start_as(call_of(at % 3, at % 2, name)).unwrap())
                .collect();
            for (at, call) in calls.iter().enumerate().rev() {
                let connection = connections[at % 2];
                play.say_on(connection, accepted(call));
                if is_asked {
                    play.say_on(connection, asking(call, 1));
                    play.hold();
                }
            }
            let actions = play.handle(event.clone()).unwrap();
            let settled: Vec<_> = actions
                .into_iter()
                .filter_map(|action| match action {
                    Action::Settle { invocation, .. } => Some(invocation),
                    _ => None,
                })
                .collect();
            let covered = calls.iter().enumerate();
            let covered = covered.filter(|(at, _)| parity.is_none_or(|parity| at % 2 == parity));
            let covered: Vec<_> = covered.map(|(_, call)| call.clone()).collect();
            assert_eq!(settled, covered, "{event:?}");
        }
    }
}
