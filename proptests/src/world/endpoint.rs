//! What the requirements make of a request to an endpoint: refuse it, with which code, or run its
//! handler, in which round and on what.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    ledger::{Ledger, Sealed, salient},
    plan::{Kind, Turn},
    setup::{KEYLESS, SINGLE_USE, lifetime, server_rounds_max},
};

/// What an endpoint must do with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Answer with an error of this code, and with this HTTP status. The handler does not run.
    Refuses(i64, u16),
    /// Run the handler, once the state is redeemed if it is used once.
    Runs(Runs),
}

/// What a handler must see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runs {
    pub(super) round: u32,
    pub(super) state: Option<String>,
    /// The answers that it gets, by their keys.
    pub(super) answered: BTreeSet<String>,
    /// The state that it came with.
    pub(super) token: Option<String>,
}

/// An endpoint as everybody knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownEndpoint {
    pub(super) server: usize,
    /// The keys that it opens with: from the oldest to the newest.
    pub(super) oldest: usize,
    pub(super) newest: usize,
    /// In seconds since 1970.
    pub(super) now: u64,
}

pub(super) const PARSE: i64 = -32700;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL: i64 = -32603;
pub(super) const MISSING_CAPABILITY: i64 = -32021;
/// The code with which a handler fails.
pub(super) const FAILED: i64 = -7;

/// Returns what a request must come to.
pub(super) fn expect(
    ledger: &Ledger,
    endpoint: KnownEndpoint,
    principal: &str,
    message: &str,
) -> Expected {
    let Ok(message) = serde_json::from_str::<Value>(message) else {
        return Expected::Refuses(PARSE, 400);
    };
    if message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_none() {
        return Expected::Refuses(INVALID_PARAMS, 400);
    }
    let refused = Expected::Refuses(INVALID_PARAMS, 200);
    runs(ledger, endpoint, principal, &message).map_or(refused, Expected::Runs)
}

/// Returns what a handler must see of a request of this version. `None`: it does not run.
fn runs(
    ledger: &Ledger,
    endpoint: KnownEndpoint,
    principal: &str,
    message: &Value,
) -> Option<Runs> {
    let method = message.get("method")?.as_str()?;
    let params = message.get("params")?;
    let responses = params.get("inputResponses");
    if responses.is_some_and(|responses| !responses.is_object()) {
        return None;
    }
    let mut runs = Runs { round: 1, state: None, answered: BTreeSet::new(), token: None };
    let Some(token) = params.get("requestState") else { return Some(runs) };
    let token = token.as_str()?;
    let sealed = ledger.sealed.get(token).filter(|_| endpoint.server != KEYLESS)?;
    let is_ours = sealed.server == endpoint.server
        && (endpoint.oldest..=endpoint.newest).contains(&sealed.key)
        && endpoint.now < sealed.at + lifetime(sealed.server)
        && sealed.principal == principal
        && sealed.method == method
        && sealed.params == salient(params);
    if !is_ours {
        return None;
    }
    for (key, number) in &sealed.asked {
        let kind = ledger.questions.get(*number)?.kind;
        if let Some(answer) = responses.and_then(|responses| responses.get(key)) {
            if !fits(kind, answer) {
                return None;
            }
            runs.answered.insert(key.clone());
        }
    }
    let Sealed { round, state, .. } = sealed;
    (runs.round, runs.state, runs.token) = (round + 1, Some(state.clone()), Some(token.into()));
    Some(runs)
}

/// Returns whether an answer fits its question.
fn fits(kind: Kind, answer: &Value) -> bool {
    let content = answer.get("content");
    match (answer.get("action").and_then(Value::as_str), kind) {
        (Some("decline" | "cancel"), _) | (Some("accept"), Kind::Url) => true,
        (Some("accept"), Kind::Form) => {
            let who = content.and_then(|content| content.get("who")).and_then(Value::as_str);
            who.is_some_and(|who| (1..=32).contains(&who.chars().count()))
        }
        _ => false,
    }
}

/// How a request must be answered, once its handler has done what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Result,
    Error(i64),
    /// With a round of so many questions.
    Round(usize),
}

/// Returns how a request must be answered, by the round that its handler ran in and what it did.
pub(super) fn answer(server: usize, round: u32, turn: Turn, questions: usize) -> Answer {
    let asks = |questions| {
        if round > server_rounds_max(server) {
            return Answer::Error(INTERNAL);
        }
        Answer::Round(questions)
    };
    match turn {
        Turn::Finish => Answer::Result,
        Turn::Fail | Turn::Abandon => Answer::Error(FAILED),
        Turn::Empty => Answer::Error(INTERNAL),
        Turn::Pause if server == KEYLESS => Answer::Error(INTERNAL),
        Turn::Pause => asks(0),
        Turn::Ask(_) => asks(questions),
        Turn::Sample => match asks(1) {
            Answer::Round(_) => Answer::Error(MISSING_CAPABILITY),
            other => other,
        },
    }
}

impl Answer {
    /// Returns the HTTP status of an answer that a handler has brought about.
    pub(super) const fn status(self) -> u16 {
        match self {
            Self::Error(MISSING_CAPABILITY) => 400,
            Self::Error(_) | Self::Result | Self::Round(_) => 200,
        }
    }
}

/// Returns whether a server lets each of its states be used once.
pub(super) const fn is_single_use(server: usize) -> bool {
    server == SINGLE_USE
}
