//! Many calls, many questions, many mistakes: each bound has a typed refusal, and nothing grows without
//! end.

use core::time::Duration;
use std::time::Instant as Wall;

use mrtr_core::{
    Instant, InvocationId,
    host::{
        Action, Broker, ConnectionId, Epoch, Event, Fault, HostFrame, InteractionId, Limits,
        Misuse, Report, Scope,
    },
    wire::WireError,
};

use crate::{
    lines::{
        FILES, accepted, asking, asking_raw, call_of, failed, progress, question, registration,
        released, result, session, yes,
    },
    play::{At, Play},
};

fn volatile(limits: Limits) -> Play {
    Play::of(Broker::volatile(Epoch::new(1), limits), false)
}

/// proves: HB-15
#[test]
fn calls_over_a_limit_are_refused_until_one_ends() {
    let on_connection = Limits::default().connection_invocations_max(2);
    let of_session = Limits::default().session_invocations_max(2);
    for (limits, what, other) in [
        (on_connection, "live invocations on a connection", call_of(1, 1, "mail")),
        (of_session, "live invocations of a session", call_of(2, 1, "files")),
    ] {
        let mut play = Play::limited(limits);
        let first = play.start();
        play.start();
        for _ in 0..3 {
            let refused = play.start_as(call_of(1, 7, "files"));
            assert_eq!(refused, Err(Misuse::Limit { what, max: 2 }));
        }
        // Others are not affected.
        play.start_as(other).unwrap();
        play.say(failed(&first));
        assert!(play.start_as(call_of(1, 7, "files")).is_ok());
        assert!(play.start_as(call_of(1, 7, "files")).is_err());
    }
}

/// proves: HB-15
#[test]
fn questions_over_a_limit_are_refused_until_one_ends() {
    let bytes = question().to_json().as_str().len();
    let of_session = Limits::default().session_pending_max(2);
    let of_connection = Limits::default().connection_bytes_max(2 * bytes + 1);
    for (limits, what, max, other) in [
        (of_session, "open questions of a session", 2, call_of(2, 1, "files")),
        (
            of_connection,
            "bytes of the open questions of a connection",
            2 * bytes + 1,
            call_of(1, 1, "mail"),
        ),
    ] {
        let ends: [fn(&mut Play) -> Vec<Action>; 3] = [
            |play| play.answer(yes()).unwrap(),
            |play| play.say(released(&play.call)),
            |play| play.handle(Event::Stop(Scope::Invocation(play.call.clone()))).unwrap(),
        ];
        for end in ends {
            let mut play = volatile(limits.clone());
            let calls = [(); 3].map(|()| play.start());
            for call in &calls {
                play.say(accepted(call));
            }
            play.say(asking(&calls[0], 1));
            play.say(asking(&calls[1], 1));
            let (why, told) = play.refused(FILES, asking(&calls[2], 1));
            assert_eq!(why, Fault::Limit { what, max });
            let told = told.unwrap();
            assert!(matches!(&told, HostFrame::InteractionRefused { code, .. } if code == "limit"));
            play.start_as(other.clone()).unwrap();
            play.say(accepted(&play.call));
            play.say(asking(&play.call, 1));
            assert_eq!(play.changes.len(), 3, "others are not concerned");

            play.call = calls[0].clone();
            end(&mut play);
            // The refused question may be asked again.
            play.say(asking(&calls[2], 1));
            assert!(matches!(play.reports.last().unwrap(), Report::Moved(_)));
        }
    }
}

/// proves: HB-15
#[test]
fn a_call_asks_at_most_as_many_questions_as_its_limit() {
    let limits = Limits::default().interactions_max(3);
    let mut play = Play::limited(limits).brought(At::Accepted);
    for number in 1..=3 {
        play.round(number);
    }
    let what = "questions of an invocation";
    let (why, _) = play.refused(FILES, asking(&play.call.clone(), 4));
    assert_eq!(why, Fault::Limit { what, max: 3 });
    play.say(result(&play.call));
    assert_eq!(play.settled[&play.call].code(), "complete");
    // The next call has a count of its own.
    play = play.brought(At::Accepted);
    play.round(1);
}

/// proves: HB-03, HB-15
#[test]
fn a_flood_of_refused_frames_changes_only_their_count() {
    const COUNT: u64 = 100_000;
    let mut play = Play::durable().brought(At::Shown);
    let kinds = [
        asking(&play.call, 1),
        asking(&play.call, 2),
        asking(&play.call, u64::MAX),
        accepted(&play.call),
        result(&InvocationId::new("1.77").unwrap()),
    ];
    let mut counted = play.broker.clone();
    let flood = kinds.into_iter().cycle();
    for frame in flood.take(usize::try_from(COUNT).unwrap()) {
        let event = Event::Frame { connection: FILES, frame };
        let actions = play.broker.handle(play.now, event).unwrap();
        // The output for each frame is bounded, too: one action and one report.
        assert!(actions.as_slice().len() <= 1 && actions.reports().len() == 1);
        let unreadable = Event::Unreadable { connection: FILES, error: WireError::NotJson.into() };
        let _ = counted.handle(play.now, unreadable).unwrap();
    }
    assert!(play.broker == counted);
    assert_eq!(play.broker.refused(FILES), Some(COUNT));
    play.answer(yes()).unwrap();
    play.hold();
    play.say(result(&play.call));
    assert_eq!(play.settled[&play.call].code(), "complete");
}

/// proves: HB-05, HB-15
#[test]
fn as_many_closed_questions_are_remembered_as_the_limit_allows() {
    for recently_closed_max in [0, 1, 10] {
        let mut play = volatile(Limits::default().recently_closed_max(recently_closed_max));
        let mut asked: Vec<InteractionId> = Vec::new();
        for _ in 0..20 {
            play.start();
            play.say(accepted(&play.call));
            for number in 1..=2 {
                play.round(number);
                asked.push(play.interaction());
            }
            play.say(result(&play.call));
        }
        let remembered = |interaction: &InteractionId| {
            let (interaction, session) = (*interaction, session(1));
            let late = Event::Answer { interaction, session, response: yes() };
            match play.broker.clone().handle(play.now, late) {
                Err(Misuse::Stale { won }) => won.is_some(),
                other => panic!("expected a late answer to be stale, found {other:?}"),
            }
        };
        let known: Vec<_> = asked.iter().map(remembered).collect();
        let last = known.iter().rev().take_while(|known| **known).count();
        let all = known.iter().filter(|known| **known).count();
        assert_eq!((last, all), (recently_closed_max, recently_closed_max));
    }
}

/// proves: HB-15
#[test]
fn a_host_does_not_grow_with_the_calls_that_it_has_settled() {
    let limits = Limits::default().recently_closed_max(16);
    let mut broker = Broker::volatile(Epoch::new(1), limits);
    let size = |broker: &Broker| format!("{broker:?}").len();
    let mut sizes = Vec::new();
    for count in 0..3_000_u32 {
        let (connection, now) =
            (ConnectionId::new(count.into()), Instant::from_millis(count.into()));
        let mut handle = |event| drop(broker.handle(now, event).unwrap());
        handle(Event::Connected(connection));
        let registration = registration(&format!("r-{count}"));
        handle(Event::Registered { registration, connection });
        let call = call_of(count, count, &format!("r-{count}"));
        let (invocation, _) = broker.call(now, call).unwrap();
        let mut handle = |event| drop(broker.handle(now, event).unwrap());
        handle(Event::Frame { connection, frame: accepted(&invocation) });
        handle(Event::Frame { connection, frame: asking(&invocation, 1) });
        handle(Event::Disconnected(connection));
        assert_eq!(broker.invocations().count(), 0);
        if count >= 1_100 {
            sizes.push(size(&broker));
        }
    }
    // All numbers have four digits, so the size is equal to the byte.
    assert!(sizes.iter().all(|size| *size == sizes[0]), "{:?}", sizes.iter().max());
}

/// Plays some calls among so many others, and returns the shortest time that it took.
fn time_among(others: u32) -> Duration {
    let most = usize::MAX;
    let limits = Limits::default()
        .connection_invocations_max(most)
        .session_invocations_max(most)
        .session_pending_max(most);
    let (mut broker, _) = Broker::durable(Epoch::new(1), limits, []).unwrap();
    let now = Instant::from_millis(0);
    let handle = |broker: &mut Broker, event| drop(broker.handle(now, event).unwrap());
    handle(&mut broker, Event::Connected(FILES));
    let files = registration("files");
    handle(&mut broker, Event::Registered { registration: files, connection: FILES });
    let say =
        |broker: &mut Broker, frame| handle(broker, Event::Frame { connection: FILES, frame });
    // All of one session, one turn, one registration and one connection.
    for _ in 0..others {
        let (invocation, _) = broker.call(now, call_of(1, 1, "files")).unwrap();
        say(&mut broker, accepted(&invocation));
    }
    let request = question().to_json();
    let mut life = || {
        let start = Wall::now();
        for _ in 0..50 {
            let (invocation, _) = broker.call(now, call_of(1, 1, "files")).unwrap();
            say(&mut broker, accepted(&invocation));
            say(&mut broker, progress(&invocation));
            say(&mut broker, accepted(&invocation));
            let actions = broker
                .handle(
                    now,
                    Event::Frame { connection: FILES, frame: asking_raw(&invocation, 1, &request) },
                )
                .unwrap();
            let [Action::Store(requested)] = actions.as_slice() else { panic!("{actions:?}") };
            let (id, interaction) = (requested.id(), requested.id().interaction);
            handle(&mut broker, Event::Stored(id));
            let answer = Event::Answer { interaction, session: session(1), response: yes() };
            let actions = broker.handle(now, answer).unwrap();
            let [Action::Store(answered), _] = actions.as_slice() else { panic!("{actions:?}") };
            let answered = answered.id();
            handle(&mut broker, Event::Stored(answered));
            handle(&mut broker, Event::Tick);
            let stop = Event::Stop(Scope::Invocation(invocation));
            handle(&mut broker, stop);
        }
        start.elapsed()
    };
    (0..10).map(|_| life()).min().unwrap()
}

/// proves: HB-15
#[test]
fn an_event_takes_no_longer_among_many_other_calls() {
    // Work that grows with the number of calls would take a hundred times as long.
    let (few, many) = (time_among(500), time_among(50_000));
    assert!(many < few * 10, "{few:?} among few, {many:?} among many");
}
