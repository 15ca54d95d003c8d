//! What the server of a world says, and what must come of it.

use mrtr_core::{client::Reply, wire::RawJson};

use super::{
    Questions, Says,
    claims::ClaimSet,
    hostile::{HOSTILE, MALFORMED},
    model::{Blame, EndOfCall, NextOfCall},
    script::{QUESTIONS, STATES, ScriptQuestion, asking, pick},
};

/// Writes what a server says, what must come of it, and the state that goes back. `is_last` tells
/// whether the call allows no more rounds.
pub(super) fn line(
    claims: &ClaimSet,
    is_last: bool,
    says: Says,
) -> (Reply, NextOfCall, Option<String>) {
    let next = |questions: &[_], is_spoiled| next(claims, is_last, questions, is_spoiled);
    let result = |text: &str| Reply::Result(RawJson::parse(text).unwrap());
    match says {
        Says::Complete => (result(r#"{"content":["SENTINEL"]}"#), EndOfCall::Complete.into(), None),
        Says::Error => {
            let error = r#"{"code":-32603,"message":"SENTINEL","data":"SENTINEL"}"#;
            (Reply::Error(RawJson::parse(error).unwrap()), EndOfCall::Error.into(), None)
        }
        Says::Hostile(index) => {
            let mut blames = vec![Blame::Broken];
            // Whether a result breaks the protocol or only the call's claims is told by either.
            if let NextOfCall::Ends(_, EndOfCall::Fault(more)) = next(&[], true) {
                blames.extend(more);
            }
            (result(pick::<&str>(&HOSTILE, index)), NextOfCall::fault(blames), None)
        }
        Says::StateOnly(index) => {
            let state = *pick::<&str>(&STATES, index);
            let next = next(&[], false);
            (result(&asking(&[], Some(state))), next, Some(state.into()))
        }
        Says::Ask { questions, with_state } => {
            let chosen = chosen(claims, questions);
            let requests: Vec<_> = chosen.iter().map(|known| (known.key, known.request)).collect();
            let state = with_state.then(|| *pick::<&str>(&STATES, questions.first));
            let next = next(&chosen, false);
            (result(&asking(&requests, state)), next, state.map(Into::into))
        }
        Says::Spoiled { questions, by } => {
            let chosen = chosen(claims, questions);
            let mut requests: Vec<_> =
                chosen.iter().map(|known| (known.key, known.request)).collect();
            let at = usize::from(questions.which) % (requests.len() + 1);
            requests.insert(at, ("bad", pick::<&str>(&MALFORMED, by)));
            (result(&asking(&requests, None)), next(&chosen, true), None)
        }
    }
}

/// Returns what an `input_required` result with these questions must lead to. A question that was
/// not claimed or is malformed fails the call.
fn next(
    claims: &ClaimSet,
    is_last: bool,
    questions: &[&ScriptQuestion],
    is_spoiled: bool,
) -> NextOfCall {
    if !claims.allows_retries {
        return NextOfCall::fault([Blame::Undeclared("input_required")]);
    }
    let needs = questions.iter().flat_map(|question| question.needs);
    let missing = needs.filter(|name| !claims.allows(name));
    let mut blames: Vec<_> = missing.map(|name| Blame::Undeclared(name)).collect();
    blames.extend(is_last.then_some(Blame::Rounds));
    blames.extend(is_spoiled.then_some(Blame::Broken));
    if !blames.is_empty() {
        NextOfCall::fault(blames)
    } else if questions.is_empty() {
        NextOfCall::Pauses
    } else {
        NextOfCall::Asks(questions.iter().map(|known| (known.key.into(), known.kind)).collect())
    }
}

/// Returns up to four questions of those that may be asked, at least one, and perhaps one more.
fn chosen(
    claims: &ClaimSet,
    Questions { stray, first, which }: Questions,
) -> Vec<&'static ScriptQuestion> {
    let may_be_asked = |known: &&ScriptQuestion| known.needs.iter().all(|name| claims.allows(name));
    let known: Vec<_> = QUESTIONS.iter().filter(may_be_asked).collect();
    let known = if known.is_empty() { QUESTIONS.iter().collect() } else { known };
    let four = known.iter().copied().cycle().skip(first.into()).take(known.len().min(4));
    let mut chosen: Vec<_> = four
        .clone()
        .zip(0..)
        .filter_map(|(known, bit)| (which >> bit & 1 == 1).then_some(known))
        .collect();
    if chosen.is_empty() {
        chosen = four.collect();
    }
    let stray = stray.then(|| pick(&QUESTIONS, which));
    chosen.extend(stray.filter(|stray| chosen.iter().all(|known| known.key != stray.key)));
    chosen
}
