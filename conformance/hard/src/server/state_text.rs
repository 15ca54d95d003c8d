//! The text of a state: changed, cut, extended, in other spellings, or invented.

use core::time::Duration;

use super::{
    CheckResult, CheckSpec,
    call::text,
    cases::each,
    exchange::{Exchange, Outcome},
    fixture::{Fixture, count},
    info, must, own,
    rewrite::{flip, forge, readable, respell},
    should,
    target::Target,
};

/// Mrtr, server requirement 4.
const INTEGRITY: &str = "mrtr, server requirement 4: reject state that fails verification";
/// The time limit of the refusal of a huge state, on a busy machine.
const REFUSAL_MAX: Duration = Duration::from_secs(5);

/// The name in the states.
const NAME: &str = "alice";

pub(super) const SPECS: &[CheckSpec] = &[
    must(
        "state-flip",
        INTEGRITY,
        "Each character of the state is changed in turn; then the unchanged state works.",
        |target| {
            attack(target, |state| {
                let all = state.char_indices().map(|(at, _)| at);
                all.filter_map(|at| Some((format!("character {at}"), flip(state, at)?))).collect()
            })
        },
    ),
    must(
        "state-truncated",
        INTEGRITY,
        "The state is cut at every length; then the unchanged state works.",
        |target| {
            attack(target, |state| {
                // A state without some of its padding is another spelling, not a cut one.
                let end = state.trim_end_matches('=').len();
                let cuts =
                    state.char_indices().map(|(at, _)| at).filter(|at| (1..end).contains(at));
                cuts.filter_map(|at| Some((format!("cut at {at}"), state.get(..at)?.into())))
                    .collect()
            })
        },
    ),
    must("state-appended", INTEGRITY, "Text is added before and after the state.", |target| {
        attack(target, |state| {
            let appended =
                ["AAAA", "tampered", ".AAAA", state].map(|more| format!("{state}{more}"));
            let prepended = ["AAAA", "x"].map(|more| format!("{more}{state}"));
            let all = appended.into_iter().chain(prepended);
            all.enumerate().map(|(index, state)| (format!("no. {index}"), state)).collect()
        })
    }),
    must(
        "state-forged",
        INTEGRITY,
        "The name in the state is replaced if it can be read, and states are invented.",
        |target| attack(target, |state| forge(state, NAME)),
    ),
    own(
        "state-other-spelling",
        "ST-10: a state has one spelling; the others do not change its content",
        "The same bytes in other spellings of base64: padding, alphabet, unused bits, white space.",
        |target| attack(target, respell),
    ),
    should("state-empty", INTEGRITY, "The state is an empty text, or white space.", |target| {
        attack(target, |_| {
            ["", " ", "\u{0}"].map(|state| (format!("{state:?}"), state.into())).into()
        })
    }),
    should(
        "state-wrong-type",
        "schema, CallToolRequestParams: requestState is a string",
        "The state is a number, an object, an array, a truth value.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state(NAME)?;
            let wrapped = format!("[{}]", text(&state));
            let values = ["7", "{}", "[]", "true", &wrapped];
            each(values.map(|value| (value.chars().take(20).collect::<String>(), value)), |value| {
                let call = Fixture::TwoRounds.call().answers(count(3)).with("requestState", value);
                target.send(&call).refused_or_asked_again(Fixture::TwoRounds.keys())
            })
        },
    ),
    own(
        "state-megabyte",
        "ST-05: what is too large is refused before it is decoded",
        "States of a megabyte are refused within five seconds, and the server goes on.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state(NAME)?;
            let more = "A".repeat(1 << 20);
            let states = [
                ("made up", more.clone()),
                ("extended", state + &more),
                ("dots", ".".repeat(1 << 20)),
            ];
            each(states, |state| {
                let seen = second(target, &state);
                let word = seen.refused_or_asked_again(Fixture::TwoRounds.keys())?;
                if seen.took > REFUSAL_MAX {
                    return Err(seen.fail(&format!("a refusal within 5 s, not {:?}", seen.took)));
                }
                target.still_works()?;
                Ok(word)
            })
        },
    ),
    should(
        "state-refusal-code",
        "schema, InvalidParamsError: -32602",
        "A state that was changed is refused by an error of JSON-RPC, -32602.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state(NAME)?;
            let flipped = flip(&state, state.len() / 2).unwrap_or_default();
            each([("changed", flipped), ("made up", "AAAA".into())], |state: String| {
                let seen = second(target, &state);
                match seen.outcome {
                    Outcome::Error { code: -32602, .. } => Ok(seen.word()),
                    Outcome::Error { .. }
                    | Outcome::Complete(_)
                    | Outcome::ToolError
                    | Outcome::Asks(_)
                    | Outcome::Nothing => Err(seen.fail("error -32602")),
                }
            })
        },
    ),
    info(
        "state-refusals-alike",
        "ST-06",
        "States are refused for several reasons; can a client distinguish them.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state(NAME)?;
            let other = target.needs(Fixture::Form).and_then(|()| target.state_of(Fixture::Form));
            let flipped = flip(&state, state.len() / 2).unwrap_or_default();
            let mut refusals: Vec<_> =
                [flipped, "AAAA".into(), "é".into(), other.unwrap_or_default()]
                    .iter()
                    .filter_map(|state| second(target, state).response()?.get("error").cloned())
                    .map(|error| error.to_string())
                    .collect();
            refusals.sort();
            refusals.dedup();
            Ok(format!("{} kinds of refusal", refusals.len()))
        },
    ),
    info(
        "state-readable",
        "mrtr, server requirement 2",
        "Can a client read its answer in the state.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.second_state("Quetzalcoatl")?;
            let is_readable = readable(&state, "Quetzalcoatl");
            Ok(format!(
                "{}, {} characters",
                if is_readable { "readable" } else { "not readable" },
                state.len()
            ))
        },
    ),
];

/// Sends the second round of `two_rounds` with a state.
fn second(target: &Target, state: &str) -> Exchange {
    target.send(&Fixture::TwoRounds.call().answers(count(3)).state(Some(state)))
}

/// Expects that all changed states are refused, and that the valid one is then accepted.
///
/// The state is of a second round. It holds the answer of the first, and the result shows it.
fn attack(target: &Target, states: impl Fn(&str) -> Vec<(String, String)>) -> CheckResult {
    target.needs(Fixture::TwoRounds)?;
    let state = target.second_state(NAME)?;
    let found = each(states(&state), |changed| {
        second(target, &changed).refused_or_asked_again(Fixture::TwoRounds.keys())
    });
    second(target, &state).done("two:alice:3")?;
    found
}
