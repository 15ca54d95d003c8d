//! The clocks of a host's calls: budgets, and when they stand still.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks, Instant, Phase,
    host::{Action, Broker, CloseReason, Epoch, Event, HostFrame, Limits, Outcome},
};

use crate::{
    lines::{FILES, MAIL, accepted, asking, call_of, progress, result, yes},
    play::{At, Play},
};

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn timed(clocks: Clocks) -> Play {
    let limits = Limits::default().clocks(clocks);
    Play::of(Broker::volatile(Epoch::new(1), limits), false)
}

/// Asserts that the deadline is so far away, and that nothing happens a millisecond earlier.
fn assert_sleeps(play: &mut Play, millis: u64) {
    assert_eq!(play.broker.deadline(), Some(play.now + Duration::from_millis(millis)));
    play.wait(millis - 1);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.wait(1);
}

/// Hands over a tick, and returns the outcomes.
fn woken(play: &mut Play) -> Vec<Outcome> {
    let actions = play.handle(Event::Tick).unwrap();
    let outcomes = actions.into_iter().filter_map(|action| match action {
        Action::Settle { outcome, .. } => Some(outcome),
        _ => None,
    });
    outcomes.collect()
}

/// proves: HB-07
#[test]
fn each_state_has_a_fresh_clock_of_its_own() {
    for at in At::ALL {
        for mut play in at.plays() {
            let (millis, outcome) = match at {
                At::Called | At::Accepted | At::Resumed => (60_000, Outcome::TimedOut(Clock::Leg)),
                At::Shown => (600_000, Outcome::TimedOut(Clock::Interaction)),
                At::Opening | At::Committing => (30_000, Outcome::StoreFailed),
            };
            assert_sleeps(&mut play, millis);
            assert_eq!(woken(&mut play), [outcome], "{at:?}");
        }
    }
}

/// proves: HB-07
#[test]
fn the_providers_clock_is_suspended_exactly_while_the_question_is_pending() {
    for mut play in At::Accepted.plays() {
        for number in 1..=5 {
            // The provider uses all but a millisecond of its time before each question.
            play.wait(59_999);
            assert_eq!(woken(&mut play), []);
            play.say(asking(&play.call, number));
            play.wait(if play.is_durable { 29_999 } else { 0 });
            assert_eq!(woken(&mut play), []);
            play.hold();
            play.wait(599_999);
            assert_eq!(woken(&mut play), []);
            play.answer(yes()).unwrap();
            play.wait(if play.is_durable { 29_999 } else { 0 });
            assert_eq!(woken(&mut play), []);
            play.hold();
            let due = play.now + secs(60);
            assert_eq!(play.broker.deadline(), Some(due), "a fresh budget, armed at settlement");
        }
        play.say(result(&play.call));
        assert_eq!(play.broker.deadline(), None);
    }
}

/// proves: HB-07
#[test]
fn people_have_their_time_from_when_they_see_the_question() {
    let mut play = Play::durable().brought(At::Opening);
    play.wait(29_000);
    play.hold();
    assert_sleeps(&mut play, 600_000);
    assert_eq!(woken(&mut play), [Outcome::TimedOut(Clock::Interaction)]);
}

/// proves: HB-07, HB-08
#[test]
fn a_clock_that_runs_out_cancels_the_call_and_closes_its_question() {
    for at in At::ALL {
        for mut play in at.plays() {
            play.now = play.broker.deadline().unwrap();
            play.handle(Event::Tick).unwrap();
            let is_storing = matches!(at, At::Opening | At::Committing);
            let why = if is_storing { CloseReason::StoreFailed } else { CloseReason::TimedOut };
            let cancel = HostFrame::Cancel { invocation: play.call.clone(), why };
            assert_eq!(play.delivered.last(), Some(&(FILES, cancel)), "{at:?}");
            assert_eq!(play.broker.deadline(), None);
        }
    }
}

/// proves: HB-07
#[test]
fn waiting_does_not_count_against_the_budget_of_all_legs() {
    let mut play = timed(Clocks::default().execution(Some(secs(9))));
    let mut play = {
        play = play.brought(At::Accepted);
        play.wait(3_000);
        play.say(asking(&play.call, 1));
        play.wait(500_000);
        play
    };
    play.answer(yes()).unwrap();
    play.wait(2_000);
    play.say(asking(&play.call, 2));
    play.wait(500_000);
    play.answer(yes()).unwrap();
    // Three and two seconds are spent, so four are left.
    assert_sleeps(&mut play, 4_000);
    assert_eq!(woken(&mut play), [Outcome::TimedOut(Clock::Execution)]);
}

/// proves: HB-07
#[test]
fn nobody_is_asked_for_a_provider_that_has_no_time_left() {
    let mut play = timed(Clocks::default().execution(Some(secs(1))));
    play.start();
    play.say(accepted(&play.call));
    // The frame comes before the tick that was due a second ago.
    play.wait(2_000);
    play.say(asking(&play.call, 1));
    assert_eq!(play.settled[&play.call], Outcome::TimedOut(Clock::Execution));
    assert_eq!(play.changes, []);

    // A late result still counts.
    let mut play = timed(Clocks::default().execution(Some(secs(1))));
    play.start();
    play.say(accepted(&play.call));
    play.wait(2_000);
    play.say(result(&play.call));
    assert!(matches!(play.settled[&play.call], Outcome::Complete(_)));
}

/// proves: HB-07
#[test]
fn progress_gives_more_time_if_that_is_configured_and_never_more_than_leg_max() {
    let mut play = Play::volatile().brought(At::Accepted);
    play.wait(50_000);
    play.say(progress(&play.call));
    assert_sleeps(&mut play, 10_000);

    let clocks = Clocks::default().leg(secs(10)).leg_max(Some(secs(25)));
    for at in [At::Accepted, At::Resumed] {
        let mut play = timed(clocks).brought(at);
        for left in [10_000, 7_000] {
            play.wait(9_000);
            play.say(progress(&play.call));
            let left = Duration::from_millis(left);
            assert_eq!(play.broker.deadline(), Some(play.now + left));
        }
        assert_sleeps(&mut play, 7_000);
        assert_eq!(woken(&mut play), [Outcome::TimedOut(Clock::Leg)]);
    }
}

/// proves: HB-07
#[test]
fn progress_while_somebody_is_asked_changes_nothing() {
    for at in [At::Opening, At::Shown, At::Committing] {
        for mut play in at.plays() {
            play.wait(1_000);
            let frame = progress(&play.call);
            let event = Event::Frame { connection: FILES, frame };
            assert_eq!(play.assert_changes_nothing(event), Ok(()), "{at:?}");
        }
    }
}

/// proves: HB-07
#[test]
fn a_tick_ends_all_that_is_due_and_nothing_else() {
    let mut play = Play::durable();
    let mut calls = Vec::new();
    for (name, wait) in [("files", 1_000), ("mail", 1_000), ("files", 10_000), ("mail", 0)] {
        calls.push(play.start_as(call_of(1, 1, name)).unwrap());
        play.wait(wait);
    }
    // One of the two that would be due waits for people instead.
    play.say(accepted(&calls[1]));
    play.say(asking(&calls[1], 1));
    play.hold();
    play.wait(52_000);
    let outcomes = woken(&mut play);
    assert_eq!(outcomes, [Outcome::TimedOut(Clock::Leg), Outcome::TimedOut(Clock::Leg)]);
    let live: Vec<_> = play.broker.invocations().collect();
    assert_eq!(live, [&calls[1], &calls[3]]);
    assert_eq!(play.settled.keys().collect::<Vec<_>>(), [&calls[0], &calls[2]]);
}

/// proves: HB-07
#[test]
fn time_that_goes_back_gives_nothing_and_takes_nothing() {
    for at in At::ALL {
        for mut play in at.plays() {
            let due = play.broker.deadline();
            play.now = Instant::from_millis(0);
            assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
            play.say_on(MAIL, progress(&play.call));
            play.say(progress(&play.call));
            assert_eq!(play.broker.deadline(), due, "{at:?}");
        }
    }
    let mut play = Play::volatile().brought(At::Accepted);
    play.now = Instant::from_millis(0);
    play.say(asking(&play.call, 1));
    assert_eq!(play.broker.deadline(), Some(Instant::from_millis(601_000)));
    play.answer(yes()).unwrap();
    assert_eq!(play.broker.deadline(), Some(Instant::from_millis(61_000)));
}

/// proves: HB-07
#[test]
fn endless_clocks_overflow_nothing() {
    let endless = Clocks::default()
        .leg(Duration::MAX)
        .leg_max(Some(Duration::MAX))
        .interaction(Duration::MAX)
        .execution(Some(Duration::MAX))
        .pause_min(Duration::MAX)
        .pause_max(Duration::MAX);
    let limits = Limits::default().clocks(endless).store(Duration::MAX);
    for at in At::ALL {
        let mut play = Play::limited(limits.clone()).brought(at);
        assert_eq!(play.broker.deadline(), Some(Instant::from_epoch(Duration::MAX)), "{at:?}");
        play.now = Instant::from_epoch(Duration::MAX - secs(1));
        assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
        play.now = Instant::from_epoch(Duration::MAX);
        assert_eq!(woken(&mut play).len(), 1);
    }
}

/// proves: HB-07
#[test]
fn clocks_of_zero_run_out_at_once() {
    let none = Clocks::default().leg(Duration::ZERO).interaction(Duration::ZERO);
    let mut play = timed(none).brought(At::Shown);
    assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));
    assert_eq!(woken(&mut play), [Outcome::TimedOut(Clock::Interaction)]);
}
