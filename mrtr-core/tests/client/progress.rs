//! What a progress report changes, and what a call says about its end.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks, Instant, Limits,
    client::{Action, Claims, Event, Fault, LegId, Misuse, Outcome},
    wire::{RawJson, RpcError, WireError},
};

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, asked, asking, faulted, form, request, settled, state_only, yes,
};

/// Starts a call whose legs have ten seconds, and 25 at most where they are extended.
fn timed(leg_max: Option<u64>, execution: Option<u64>) -> Play {
    let secs = Duration::from_secs;
    let (leg_max, execution) = (leg_max.map(secs), execution.map(secs));
    Play::timed(Clocks::default().leg(secs(10)).leg_max(leg_max).execution(execution))
}

/// Lets the server say that it works on the leg in flight.
fn progress(play: &mut Play) {
    let leg = play.leg();
    assert_eq!(play.handle(Event::Progress { leg }).unwrap(), []);
}

fn due(play: &Play) -> u128 {
    play.call.deadline().unwrap().since_epoch().as_millis()
}

/// proves: CL-22
#[test]
fn progress_gives_a_leg_fresh_time_up_to_its_maximum_and_not_beyond() {
    let mut play = timed(Some(25), None);
    for (at, until) in [(0, 10_000), (9, 19_000), (14, 24_000), (20, 25_000), (24, 25_000)] {
        play.now = Instant::from_millis(at * 1000);
        progress(&mut play);
        assert_eq!(due(&play), until);
    }
    play.now = Instant::from_millis(24_999);
    assert_eq!(play.assert_changes_nothing(Event::Tick), Ok(()));
    let leg = play.leg();
    assert_eq!(
        play.wake(),
        [Action::CancelLeg { leg }, Action::Settle(Outcome::TimedOut(Clock::Leg))]
    );
}

/// proves: CL-22
#[test]
fn progress_gives_no_time_where_no_maximum_is_configured() {
    let mut play = timed(None, None);
    for second in 1..10 {
        play.now = Instant::from_millis(second * 1000);
        progress(&mut play);
        assert_eq!(due(&play), 10_000);
    }
    assert_eq!(play.wake().len(), 2);
}

/// proves: CL-10, CL-22
#[test]
fn progress_takes_nothing_from_the_budget_of_all_legs_and_adds_nothing_to_it() {
    let mut play = timed(Some(25), Some(15));
    for second in [2, 4, 6, 12] {
        play.now = Instant::from_millis(second * 1000);
        progress(&mut play);
        assert_eq!(due(&play), (second * 1000 + 10_000).min(15_000).into());
    }
    // Twelve seconds are spent. Somebody fills in a form, and three are left.
    assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
    play.wait_secs(100);
    play.answer(1, "c", yes()).unwrap();
    assert_eq!(due(&play), 115_000);
}

/// proves: CL-22
#[test]
fn each_leg_has_its_own_maximum() {
    let mut play = timed(Some(25), None);
    play.wait_secs(9);
    progress(&mut play);
    play.wait_secs(9);
    play.serve(&state_only("\"s\""));
    play.wake();
    let start = u128::from(play.millis());
    assert_eq!(due(&play), start + 10_000);
    play.wait_secs(9);
    progress(&mut play);
    play.wait_secs(9);
    progress(&mut play);
    assert_eq!(due(&play), start + 25_000);
}

/// proves: CL-22, CL-09
#[test]
fn progress_for_a_leg_that_is_over_changes_nothing() {
    let mut play = timed(Some(25), None);
    let first = Event::Progress { leg: play.leg() };
    play.wait_secs(1);
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.wait_secs(1);
    assert_eq!(play.assert_changes_nothing(first.clone()), Ok(()));
    play.answer(1, "c", yes()).unwrap();
    let second = Event::Progress { leg: play.leg() };
    play.wait_secs(1);
    assert_eq!(play.assert_changes_nothing(first.clone()), Ok(()));
    play.serve(&state_only("\"s\""));
    assert_eq!(play.assert_changes_nothing(second.clone()), Ok(()));
    play.stop();
    for late in [first, second] {
        assert_eq!(play.assert_changes_nothing(late), Ok(()));
    }
}

/// proves: CL-22, CL-09
#[test]
fn progress_for_a_leg_that_was_not_sent_is_the_callers_mistake() {
    let started = |id| Play::started(request(id, PARAMS), Claims::none(), Limits::default());
    let mut ahead = Play::new();
    ahead.confirmed_round();
    let mut play = Play::new();
    let mut refused = |leg: LegId| play.assert_changes_nothing(Event::Progress { leg });
    assert_eq!(refused(ahead.leg()), Err(Misuse::UnknownLeg));
    assert_eq!(refused(started("call-8").leg()), Err(Misuse::WrongInvocation));
}

/// proves: CL-17, CL-20
#[test]
fn every_outcome_has_a_stable_code_and_words_that_hold_no_secret() {
    let secret = || RawJson::parse(r#""hunter2""#).unwrap();
    let mut error = RpcError::new(-32603, "hunter2");
    error.data = Some(secret());
    let fault = |fault| Outcome::Fault(fault);
    for (outcome, code, words) in [
        (Outcome::Complete(secret()), "complete", "the call is complete"),
        (Outcome::Error(error), "error", "the server answered with error -32603"),
        (
            fault(Fault::Wire(WireError::NotJson)),
            "fault",
            "the server's answer cannot be read: expected JSON",
        ),
        (
            fault(Fault::Undeclared { kind: "roots" }),
            "fault",
            "the server asks for roots, which the call did not claim",
        ),
        (
            fault(Fault::RoundLimit { rounds_max: 10 }),
            "fault",
            "the server asks again after 10 rounds, the most that the call allows",
        ),
        (Outcome::TimedOut(Clock::Leg), "timed_out", "the leg took too long"),
        (Outcome::TimedOut(Clock::Execution), "timed_out", "all legs together took too long"),
        (Outcome::TimedOut(Clock::Interaction), "timed_out", "nobody answered in time"),
        (Outcome::Stopped, "stopped", "the call was stopped"),
        (
            Outcome::Unanswerable,
            "unanswerable",
            "the server asked something that could not be answered here",
        ),
        (Outcome::Lost, "lost", "the connection was lost before the call was done"),
        (
            Outcome::OutcomeUnknown,
            "outcome_unknown",
            "the connection was lost while the server worked: what it was asked may be done, or not",
        ),
    ] {
        assert_eq!((outcome.code(), outcome.to_string().as_str()), (code, words));
        assert!(!format!("{outcome:?}").contains("hunter2"));
    }
}

/// proves: CL-17, CL-20
#[test]
fn what_a_server_did_wrong_is_told_without_its_words() {
    for result in [
        r#"{"resultType":"hunter2"}"#.into(),
        asking(&[("hunter2", r#"{"method":"hunter2"}"#)], Some("\"hunter2\"")),
        asking(&[("a", &form(r#"{"type":"object","properties":{"a":{"type":"hunter2"}}}"#))], None),
        asking(&[("hunter2", &CONFIRM.replace("Sure?", &"hunter2".repeat(9_999)))], None),
    ] {
        let result: String = result;
        let actions = Play::new().serve(&result);
        let fault = faulted(&actions);
        assert!(!format!("{fault} {fault:?} {}", settled(&actions)).contains("hunter2"), "{fault}");
    }
    assert_eq!(settled(&Play::new().serve(DONE)).to_string(), "the call is complete");
}
