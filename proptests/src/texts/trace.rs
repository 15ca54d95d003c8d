//! Traces of calls: lines that start a call or let something happen to it.

use crate::invariants::SECRET;
use std::collections::BTreeSet;

use mrtr_core::{
    Phase,
    client::{Action, Actions, Invocation, LegRequest, Misuse, StartError},
    trace::{Exposed, Redacted, Step},
};

/// Reads the lines of a trace and plays them, as they are and as they are written again. The value
/// tells whether a call started.
///
/// # Panics
///
/// If something does not hold.
pub fn trace(text: &str) -> bool {
    let steps: Vec<Step> = text.lines().filter_map(|line| step(line, false)).collect();
    play(steps, false)
}

/// Does the same with a trace that has [`SECRET`] in secrets only: nothing shows it.
///
/// # Panics
///
/// If something does not hold.
pub fn secret_trace(text: &str) -> bool {
    let steps: Vec<Step> = text.lines().filter_map(|line| step(line, true)).collect();
    play(steps, true)
}

/// Reads a line, which is written and read as the same step.
fn step(line: &str, keeps_secrets: bool) -> Option<Step> {
    let read = match Exposed::read(line) {
        Ok(Exposed(step)) => step,
        Err(error) => {
            assert_keeps(keeps_secrets, &format!("{error} {error:?}"));
            return None;
        }
    };
    let written = Exposed(read.clone()).to_line();
    let again = Exposed::read(&written).unwrap();
    assert!(again == Exposed(read.clone()), "{written}");
    assert_eq!(again.to_line(), written);
    let redacted = serde_json::to_string(&Redacted(&read));
    assert_keeps(keeps_secrets, &format!("{read:?} {}", redacted.unwrap()));
    Some(read)
}

/// Plays steps to two calls: they do the same, settle once, and do nothing more.
fn play(steps: Vec<Step>, keeps_secrets: bool) -> bool {
    let mut calls: Option<[Invocation; 2]> = None;
    let mut has_started = false;
    for step in steps {
        let Exposed(twin) = Exposed::read(&Exposed(step.clone()).to_line()).unwrap();
        match (step, twin) {
            (Step::Start { at, start }, Step::Start { start: twin, .. }) => {
                let [first, second] = [start, twin].map(|start| start.start(at));
                calls = started(first, second);
                has_started |= calls.is_some();
            }
            (Step::Event { at, event }, Step::Event { event: twin, .. }) => {
                let Some([call, second]) = &mut calls else { continue };
                let before = call.phase();
                let handled = call.handle(at, event);
                assert_eq!(second.handle(at, twin), handled, "a replay does the same");
                assert!(call == second, "a replay gets to the same");
                shown(&handled, keeps_secrets);
                settles_once(before, call.phase(), &handled);
            }
            (step, _) => panic!("a step stays what it is: {step:?}"),
        }
    }
    has_started
}

fn started(
    first: Result<(Invocation, Actions), StartError>,
    second: Result<(Invocation, Actions), StartError>,
) -> Option<[Invocation; 2]> {
    assert!(first == second, "a replay starts the same");
    let ((call, actions), (twin, _)) = (first.ok()?, second.ok()?);
    let [Action::Send(leg)] = actions.as_slice() else { panic!("a call starts by sending") };
    assert_headers(leg);
    Some([call, twin])
}

/// Writes what is to be done, with and without what is secret.
fn shown(handled: &Result<Actions, Misuse>, keeps_secrets: bool) {
    match handled {
        Err(misuse) => assert_keeps(keeps_secrets, &format!("{misuse} {misuse:?}")),
        Ok(actions) => {
            for action in actions.as_slice() {
                if let Action::Send(leg) = action {
                    assert_headers(leg);
                }
                assert!(serde_json::to_string(&Exposed(action)).is_ok());
                let redacted = serde_json::to_string(&Redacted(action)).unwrap();
                assert_keeps(keeps_secrets, &format!("{action:?} {redacted}"));
            }
            assert_keeps(keeps_secrets, &format!("{:?}", actions.reports()));
        }
    }
}

/// Checks that every header of a leg is valid in HTTP, and comes once.
fn assert_headers(leg: &LegRequest) {
    let mut names = BTreeSet::new();
    for (name, value) in leg.headers() {
        assert!(names.insert(name.to_ascii_lowercase()), "{name} comes twice");
        assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{name} is not printable");
    }
}

fn settles_once(before: Phase, after: Phase, handled: &Result<Actions, Misuse>) {
    let actions = handled.as_ref().map(Actions::as_slice).unwrap_or_default();
    let outcomes = actions.iter().filter(|action| matches!(action, Action::Settle(_))).count();
    let settles = before != Phase::Settled && after == Phase::Settled;
    assert_eq!(outcomes, usize::from(settles), "a call settles by its one outcome");
    assert!(before != Phase::Settled || actions.is_empty(), "nothing follows an outcome");
}

fn assert_keeps(keeps_secrets: bool, shown: &str) {
    assert!(!keeps_secrets || !shown.contains(SECRET), "a secret is shown: {shown}");
}
