//! What the server of a world says, and what must come of it.

use mrtr_core::{client::Reply, wire::RawJson};

use super::{
    Questions, Says,
    claims::ClaimSet,
    expected::{Blame, NextOfCall},
    hostile::{HOSTILE, MALFORMED},
    model::CallModel,
    script::{QUESTIONS, STATES, ScriptQuestion, asking, pick},
};

/// Writes what a server says, what must come of it, and the state that goes back.
pub(super) fn line(model: &CallModel, says: Says) -> (Reply, NextOfCall, Option<String>) {
    let result = |text: &str| Reply::Result(RawJson::parse(text).unwrap());
    match says {
        Says::Complete => (result(r#"{"content":["SENTINEL"]}"#), NextOfCall::Complete, None),
        Says::Error => {
            let error = r#"{"code":-32603,"message":"SENTINEL","data":"SENTINEL"}"#;
            (Reply::Error(RawJson::parse(error).unwrap()), NextOfCall::Error, None)
        }
        Says::Hostile(index) => {
            let mut blames = vec![Blame::Broken];
            // Whether a result breaks the protocol or only the call's claims is told by either.
            if let NextOfCall::Fault(more) = model.next(&[], true) {
                blames.extend(more);
            }
            (result(pick::<&str>(&HOSTILE, index)), NextOfCall::Fault(blames), None)
        }
        Says::StateOnly(index) => {
            let state = *pick::<&str>(&STATES, index);
            let next = model.next(&[], false);
            (result(&asking(&[], Some(state))), next, Some(state.into()))
        }
        Says::Ask { questions, with_state } => {
            let chosen = chosen(model.claims(), questions);
            let requests: Vec<_> = chosen.iter().map(|known| (known.key, known.request)).collect();
            let state = with_state.then(|| *pick::<&str>(&STATES, questions.first));
            let next = model.next(&chosen, false);
            (result(&asking(&requests, state)), next, state.map(Into::into))
        }
        Says::Spoiled { questions, by } => {
            let chosen = chosen(model.claims(), questions);
            let mut requests: Vec<_> =
                chosen.iter().map(|known| (known.key, known.request)).collect();
            let at = usize::from(questions.which) % (requests.len() + 1);
            requests.insert(at, ("bad", pick::<&str>(&MALFORMED, by)));
            (result(&asking(&requests, None)), model.next(&chosen, true), None)
        }
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
