//! What ends by itself: a state's life, a flow's rounds.

use core::time::Duration;
use std::{
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    Found, Spec, fixture::Fixture, honest, info, own, seen::Outcome, should, target::Target,
};
use crate::check::Problem;

/// How long a state is kept that lives for a second.
const WAIT: Duration = Duration::from_millis(2500);
/// How many rounds are played of a flow that should end.
const ROUNDS_MAX: usize = 12;

pub(super) const SPECS: &[Spec] = &[
    should(
        "state-expired",
        "mrtr, server requirement 5: reject state presented after it lapses; ST-04",
        "A state that lives for a second comes back at once, and another after two and a half.",
        |target| {
            let short_lived = other(&target.short_lived, "--ttl-url")?;
            target.needs(Fixture::Form)?;
            soon(short_lived)?;
            let state = short_lived.state_of(Fixture::Form)?;
            thread::sleep(WAIT);
            let call = Fixture::Form.call().answers(Fixture::Form.answers()).state(Some(&state));
            short_lived.send(&call).held(Fixture::Form.keys())
        },
    ),
    own(
        "rounds-capped",
        "SV-02: any number of rounds up to the server's own cap",
        "A flow that asks without end, at a server that asks at most twice.",
        capped,
    ),
    own(
        "rounds-within-cap",
        "SV-02: any number of rounds up to the server's own cap",
        "A flow of two rounds, at a server that asks at most twice.",
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

/// Waits for the next whole second. A server that counts in whole seconds may let a state that it
/// seals at the end of one live for almost nothing.
fn begin_a_second() {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let of_this_second = Duration::from_nanos(since_1970.subsec_nanos().into());
    thread::sleep(Duration::from_secs(1).saturating_sub(of_this_second));
}

/// Expects a state to live, for a while at least. A machine that has more to do may take too long
/// for it once or twice.
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

fn capped(target: &Target) -> Found {
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
