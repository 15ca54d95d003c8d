//! Limits of a server: the lifetime of a state, and the rounds of a flow.

use core::time::Duration;
use std::{
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    CheckResult, CheckSpec, exchange::Outcome, fixture::Fixture, honest, info, own, should,
    target::Target,
};
use crate::check::Problem;

/// The wait before a state with a lifetime of one second is used.
const WAIT: Duration = Duration::from_millis(2500);
/// The number of rounds that are played of a flow that should end.
const ROUNDS_MAX: usize = 12;

pub(super) const SPECS: &[CheckSpec] = &[
    should(
        "state-expired",
        "mrtr, server requirement 5: reject state presented after it lapses; ST-04",
        "A state with a lifetime of 1 s comes back at once, and another one after 2.5 s.",
        |target| {
            let short_lived = other(&target.short_lived, "--ttl-url")?;
            target.needs(Fixture::Form)?;
            soon(short_lived)?;
            let state = short_lived.state_of(Fixture::Form)?;
            thread::sleep(WAIT);
            let call = Fixture::Form.call().answers(Fixture::Form.answers()).state(Some(&state));
            short_lived.send(&call).refused_or_asked_again(Fixture::Form.keys())
        },
    ),
    own(
        "rounds-capped",
        "SV-02: any number of rounds up to the server's own cap",
        "A flow asks without end, and the server is limited to two rounds.",
        capped,
    ),
    own(
        "rounds-within-cap",
        "SV-02: any number of rounds up to the server's own cap",
        "A flow has two rounds, and the server is limited to two rounds.",
        |target| {
            let two_rounds = other(&target.two_rounds, "--rounds-url")?;
            target.needs(Fixture::TwoRounds)?;
            honest::two_rounds(two_rounds)
        },
    ),
    info(
        "state-other-process",
        "ST-02; mrtr: servers need no shared storage, but they need a shared key",
        "A state of another process of the same server.",
        |target| {
            let other = other(&target.two_rounds, "--rounds-url")?;
            target.needs(Fixture::TwoRounds)?;
            let state = other.second_state("alice")?;
            let answers = super::fixture::count(3);
            Ok(target.send(&Fixture::TwoRounds.call().answers(answers).state(Some(&state))).word())
        },
    ),
];

/// Waits for the next whole second. If a server counts in whole seconds, a state that it seals at the
/// end of a second lives for a moment only.
fn begin_a_second() {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let of_this_second = Duration::from_nanos(since_1970.subsec_nanos().into());
    thread::sleep(Duration::from_secs(1).saturating_sub(of_this_second));
}

/// Expects that a state works within its lifetime. It is tried three times, because a busy machine may
/// be too slow.
fn soon(short_lived: &Target) -> Result<(), Problem> {
    let mut found = Ok(());
    for _ in 0..3 {
        begin_a_second();
        let seen = short_lived.play(Fixture::Form, &Fixture::Form.answers())?;
        found = seen.done("accepted:staging:true");
        if found.is_ok() {
            break;
        }
    }
    found
}

/// Returns another process of the server.
fn other<'t>(other: &'t Option<Box<Target>>, option: &str) -> Result<&'t Target, Problem> {
    other.as_deref().ok_or_else(|| Problem::NotOffered(format!("there is no {option}")))
}

fn capped(target: &Target) -> CheckResult {
    let two_rounds = other(&target.two_rounds, "--rounds-url")?;
    target.needs(Fixture::Forever)?;
    let mut round = two_rounds.begin(Fixture::Forever)?;
    for asked in 1..=ROUNDS_MAX {
        let call = Fixture::Forever.call().answers(Fixture::Forever.answers());
        let seen = two_rounds.send(&call.state(round.state.as_deref()));
        match &seen.outcome {
            Outcome::Asks(next) => round = next.clone(),
            Outcome::Error { .. } | Outcome::ToolError if asked == 2 => {
                return Ok(format!("asked twice, then {}", seen.word()));
            }
            Outcome::Error { .. }
            | Outcome::ToolError
            | Outcome::Complete(_)
            | Outcome::Nothing => {
                return Err(seen.fail(&format!("an error after 2 rounds, not after {asked}")));
            }
        }
    }
    Err(Problem::NotOffered(format!("it asked {ROUNDS_MAX} times: it has no such setting")))
}
