//! Time: each leg has its own budget, and a late answer changes nothing.

use core::time::Duration;

use super::YES;
use crate::{
    check::Level::{self, Info, Own, Should},
    client::{
        call::call,
        case::Case,
        played_call::PlayedCall,
        script::{Reply, STATE, Step, asks_value, complete, reply},
    },
};

const PER_LEG: &str = "CL-10: each leg has a budget of its own";

fn silence() -> Step {
    reply(Reply::Silence)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        ends(
            "time-first-leg-ends",
            Own,
            "a server never answers; the call ends when its budget of 1.5 s is over",
            1,
            vec![silence()],
        ),
        ends(
            "time-retry-ends",
            Own,
            "a server never answers the retry; the call ends when its budget of 1.5 s is over",
            2,
            vec![asks_value(Some(STATE)), silence()],
        ),
        ends(
            "time-late-round",
            Should,
            "a round comes after the budget of the leg; nothing is answered",
            1,
            vec![asks_value(Some(STATE)).late(6000), complete("late")],
        ),
        ends(
            "time-late-complete",
            Should,
            "the result comes after the budget of the leg; it does not count",
            1,
            vec![complete("late").late(6000)],
        ),
        each_leg(),
        trickle(),
    ]
}

/// The tolerance for a slow machine. A client that waits for the answer takes much longer.
const GRACE: Duration = Duration::from_millis(4400);

fn ends(
    id: &'static str,
    level: Level,
    about: &'static str,
    legs: usize,
    steps: Vec<Step>,
) -> Case {
    Case::new(call("ask").answers_all(YES).timeout_ms(1500), steps).check(
        id,
        level,
        "cancellation, behavior 5: a response that comes afterward is ignored; CL-10",
        about,
        move |play: &PlayedCall| {
            play.expect_legs(legs)?;
            play.expect_error()?;
            let sent = play.leg(legs - 1)?.at;
            let took = play.ended.at.saturating_duration_since(sent);
            if took > Duration::from_millis(1500) + GRACE {
                return Err(play.fails(format!("it ended after {} ms", took.as_millis())));
            }
            Ok(format!("after {} ms {}", took.as_millis(), play.said()))
        },
    )
}

fn each_leg() -> Case {
    let steps = [
        asks_value(Some(STATE)).late(1500),
        asks_value(Some(STATE)).late(1500),
        complete("done").late(1500),
    ];
    Case::new(call("ask").answers_all(YES).timeout_ms(3000), steps).check(
        "time-each-leg",
        Own,
        PER_LEG,
        "three legs of 1.5 s each, with a budget of 3 s for a request; the call is complete",
        |play| {
            play.expect_complete("done")?;
            Ok(format!("complete after {} ms", play.took().as_millis()))
        },
    )
}

/// A stream of comments without an answer.
fn trickle() -> Case {
    let parts = (0..40).map(|_| (Duration::from_millis(250), b": wait\n\n".to_vec())).collect();
    let step = reply(Reply::Stream { parts, open: Duration::ZERO });
    Case::new(call("ask").answers_all(YES).timeout_ms(1500), [step]).check(
        "time-trickle",
        Info,
        PER_LEG,
        "comments come for 10 s and no answer; how long does a budget of 1.5 s last",
        |play| {
            play.expect_error()?;
            let took = play.ended.at.saturating_duration_since(play.leg(0)?.at);
            Ok(format!("{} ms", took.as_millis()))
        },
    )
}
