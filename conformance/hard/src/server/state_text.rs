//! The text of a state: changed, cut, extended, spelled otherwise, made up.

use core::time::Duration;

use super::{
    Found, Spec,
    call::text,
    cases::each,
    fixture::{Fixture, count},
    info, must, own,
    rewrite::{flip, forge, readable, respell},
    seen::{Outcome, Seen},
    should,
    target::Target,
};

/// Mrtr, server requirement 4.
const INTEGRITY: &str = "mrtr, server requirement 4: reject state that fails verification";
/// How long a server may take to refuse what is too large, on a machine that has more to do.
const REFUSAL_MAX: Duration = Duration::from_secs(5);

/// The name that the states hold.
const NAME: &str = "alice";

pub(super) const SPECS: &[Spec] = &[
    must(
        "state-flip",
        INTEGRITY,
        "Each character of the state is changed in turn; at last the state as it was.",
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
        "The state is cut at every length; at last the state as it was.",
        |target| {
            attack(target, |state| {
                // Padding holds nothing; what is left of it is another spelling.
                let end = state.trim_end_matches('=').len();
                let cuts =
                    state.char_indices().map(|(at, _)| at).filter(|at| (1..end).contains(at));
                cuts.filter_map(|at| Some((format!("cut at {at}"), state.get(..at)?.into())))
                    .collect()
            })
        },
    ),
    must(
        "state-appended",
        INTEGRITY,
        "Something is written before and behind the state.",
        |target| {
            attack(target, |state| {
                let appended =
                    ["AAAA", "tampered", ".AAAA", state].map(|more| format!("{state}{more}"));
                let prepended = ["AAAA", "x"].map(|more| format!("{more}{state}"));
                let all = appended.into_iter().chain(prepended);
                all.enumerate().map(|(index, state)| (format!("no. {index}"), state)).collect()
            })
        },
    ),
    must(
        "state-forged",
        INTEGRITY,
        "The name in the state is replaced, wherever it can be read; and states are made up.",
        |target| attack(target, |state| forge(state, NAME)),
    ),
    own(
        "state-other-spelling",
        "ST-10: a state has one spelling; what it says is not changed by the others",
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
                target.send(&call).held(Fixture::TwoRounds.keys())
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
                let word = seen.held(Fixture::TwoRounds.keys())?;
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
        "States that are refused for several reasons: whether a client can tell them apart.",
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
        "Whether a client can read in the state what it was told.",
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
fn second(target: &Target, state: &str) -> Seen {
    target.send(&Fixture::TwoRounds.call().answers(count(3)).state(Some(state)))
}

/// Expects none of the states that are made of a good one to be taken, and then that one to be.
///
/// It is the state of a second round: it holds what the first one said, and the result shows it.
fn attack(target: &Target, states: impl Fn(&str) -> Vec<(String, String)>) -> Found {
    target.needs(Fixture::TwoRounds)?;
    let state = target.second_state(NAME)?;
    let found =
        each(states(&state), |changed| second(target, &changed).held(Fixture::TwoRounds.keys()));
    second(target, &state).done("two:alice:3")?;
    found
}
