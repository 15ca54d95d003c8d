//! What time does to a call: budgets, suspensions, pauses.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks, Instant, Limits, Phase,
    client::{Action, CloseReason, Event, Outcome},
};

use crate::play::{CONFIRM, DONE, Play, asked, asking, sent, settled, state_only, yes};

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Asserts that the call sleeps until a time, and does nothing a millisecond before it.
fn assert_sleeps_until(play: &mut Play, millis: u64) {
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(millis)));
    play.now = Instant::from_millis(millis - 1);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.now = Instant::from_millis(millis);
}

fn cancelled(play: &Play, clock: Clock) -> [Action; 2] {
    [Action::CancelLeg { leg: play.leg() }, Action::Settle(Outcome::TimedOut(clock))]
}

/// proves: CL-10
#[test]
fn the_leg_clock_is_suspended_while_somebody_fills_in_a_form() {
    let mut play = Play::timed(
        Clocks::default().leg(secs(10)).execution(Some(secs(10))).interaction(secs(3600)),
    );
    play.wait_secs(2);
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.wait_secs(600);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.answer(1, "c", yes()).unwrap();
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(610_000)));
    play.wait_secs(3);
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
}

/// proves: CL-10
#[test]
fn a_leg_that_takes_too_long_is_cancelled_and_ends_the_call() {
    let mut play = Play::new();
    assert_sleeps_until(&mut play, 60_000);
    assert_eq!(play.tick(), cancelled(&play, Clock::Leg));

    let mut play = Play::new();
    play.confirmed_round();
    assert_sleeps_until(&mut play, 60_000);
    assert_eq!(play.tick(), cancelled(&play, Clock::Leg));
}

/// proves: CL-10
#[test]
fn of_two_clocks_that_run_out_at_once_it_is_the_leg_that_took_too_long() {
    let mut play = Play::timed(Clocks::default().execution(Some(secs(60))));
    assert_sleeps_until(&mut play, 60_000);
    assert_eq!(play.tick(), cancelled(&play, Clock::Leg));
}

/// proves: CL-10
#[test]
fn every_leg_starts_with_a_fresh_budget() {
    let mut play = Play::new();
    for round in 0..5 {
        assert_eq!(play.call.deadline(), Some(Instant::from_millis(play.millis() + 60_000)));
        play.wait(59_999);
        assert_eq!(play.tick(), []);
        if round % 2 == 0 {
            play.confirmed_round();
        } else {
            play.serve(&state_only("\"s\""));
            play.wake();
        }
    }
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
}

/// proves: CL-10
#[test]
fn the_budget_of_all_legs_counts_legs_and_nothing_else() {
    let mut play = Play::timed(Clocks::default().execution(Some(secs(9))));
    play.wait_secs(3);
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.wait_secs(500);
    play.answer(1, "c", yes()).unwrap();
    play.wait_secs(2);
    play.serve(&state_only("\"s\""));
    play.wait_secs(100);
    sent(&play.tick());
    // Three and two seconds are spent, so four are left.
    let left = play.millis() + 4_000;
    assert_sleeps_until(&mut play, left);
    assert_eq!(play.tick(), cancelled(&play, Clock::Execution));
}

/// proves: CL-10
#[test]
fn nobody_is_asked_for_a_leg_that_would_have_no_time() {
    for result in [asking(&[("c", CONFIRM)], None), state_only("\"s\"")] {
        let mut play = Play::timed(Clocks::default().execution(Some(secs(1))));
        // The reply comes before the tick that would have been due a second ago.
        play.wait_secs(2);
        let actions = play.serve(&result);
        assert_eq!(actions, [Action::Settle(Outcome::TimedOut(Clock::Execution))]);
    }
    // A result that ends the call is as good late as in time.
    let mut play = Play::timed(Clocks::default().execution(Some(secs(1))));
    play.wait_secs(2);
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
}

/// proves: CL-04, CL-10
#[test]
fn clocks_without_an_end_and_rounds_without_a_cap_overflow_nothing() {
    let endless = Clocks::default()
        .leg(Duration::MAX)
        .leg_max(Some(Duration::MAX))
        .interaction(Duration::MAX)
        .execution(Some(Duration::MAX))
        .pause_min(Duration::MAX / 2 + secs(1))
        .pause_max(Duration::MAX);
    let limits = Limits::default().rounds_max(u32::MAX).clocks(endless);
    let mut play = Play::limited(limits);
    for _ in 0..3 {
        play.serve(&state_only("\"s\""));
        play.wake();
    }
}

/// proves: CL-10
#[test]
fn a_question_that_nobody_answers_ends_the_call_and_closes_what_is_open() {
    let mut play = Play::new();
    play.wait_secs(5);
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM), ("c", CONFIRM)], None));
    play.wait_secs(300);
    // One answer does not give the others more time.
    play.answer(1, "b", yes()).unwrap();
    assert_sleeps_until(&mut play, 605_000);
    let retract =
        |key: &str| Action::Retract { round: 1, key: key.into(), why: CloseReason::TimedOut };
    assert_eq!(
        play.tick(),
        [retract("a"), retract("c"), Action::Settle(Outcome::TimedOut(Clock::Interaction))]
    );
}

/// proves: CL-10
#[test]
fn each_round_has_its_own_time_to_answer() {
    let mut play = Play::new();
    for round in 1..=3 {
        play.serve(&asking(&[("c", CONFIRM)], None));
        assert_eq!(play.call.deadline(), Some(Instant::from_millis(play.millis() + 600_000)));
        play.wait(599_999);
        assert_eq!(play.tick(), []);
        play.answer(round, "c", yes()).unwrap();
    }
}

/// proves: CL-04
#[test]
fn pauses_double_from_a_quarter_of_a_second_to_four_seconds() {
    let mut play = Play::new();
    for pause in [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000] {
        play.wait(7);
        assert_eq!(play.serve(&state_only("\"s\"")), []);
        assert_eq!((play.call.phase(), play.call.open()), (Phase::Pausing, 0));
        let over = play.millis() + pause;
        assert_sleeps_until(&mut play, over);
        sent(&play.tick());
    }
}

/// proves: CL-04
#[test]
fn a_round_that_asks_makes_pauses_short_again() {
    let mut play = Play::new();
    for pause in [250, 500, 1_000] {
        play.serve(&state_only("\"s\""));
        let over = play.millis() + pause;
        assert_sleeps_until(&mut play, over);
        sent(&play.tick());
    }
    play.confirmed_round();
    for pause in [250, 500] {
        play.serve(&state_only("\"s\""));
        let over = play.millis() + pause;
        assert_sleeps_until(&mut play, over);
        sent(&play.tick());
    }
}

/// proves: CL-04, CL-11
#[test]
fn a_stop_during_a_pause_sends_nothing_then_or_later() {
    let mut play = Play::new();
    play.serve(&state_only("\"s\""));
    play.wait(100);
    assert_eq!(*settled(&play.stop()), Outcome::Stopped);
    play.wait_secs(10);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    assert_eq!(play.sent.len(), 1);
}

/// proves: CL-10
#[test]
fn a_tick_that_is_not_due_changes_nothing_in_any_phase() {
    let mut play = Play::new();
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.serve(&asking(&[("c", CONFIRM)], None));
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.answer(1, "c", yes()).unwrap();
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.serve(&state_only("\"s\""));
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    play.stop();
    assert_eq!(play.call.deadline(), None);
    play.wait_secs(1_000_000);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
}

/// proves: CL-10
#[test]
fn a_tick_that_comes_late_does_what_was_due() {
    let mut play = Play::new();
    play.wait_secs(3600);
    assert_eq!(play.tick(), cancelled(&play, Clock::Leg));

    let mut play = Play::new();
    play.serve(&state_only("\"s\""));
    play.wait_secs(3600);
    sent(&play.tick());
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(3_660_000)));
}

/// proves: CL-10
#[test]
fn time_that_goes_back_gives_nothing_and_takes_nothing() {
    let mut play = Play::new();
    play.wait_secs(100);
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.now = Instant::from_millis(0);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(700_000)));

    play.answer(1, "c", yes()).unwrap();
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(160_000)));
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));

    assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
    assert_eq!(play.call.deadline(), Some(Instant::from_millis(700_000)));
    play.wait_secs(700);
    assert_eq!(play.tick().len(), 2);
}

/// proves: CL-10
#[test]
fn the_end_of_time_is_as_far_as_a_clock_goes() {
    let endless = Clocks::default()
        .leg(Duration::MAX)
        .leg_max(Some(Duration::MAX))
        .interaction(Duration::MAX)
        .execution(Some(Duration::MAX));
    let mut play = Play::timed(endless);
    play.wait_secs(1);
    assert_eq!(play.tick(), []);
    play.confirmed_round();
    assert_eq!(play.call.deadline(), Some(Instant::from_epoch(Duration::MAX)));
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
}
