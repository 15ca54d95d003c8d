//! The server: the requests that it works on, and what it is known to have sealed.

use crate::invariants::{Invariant, Violation};
use core::hash::{Hash, Hasher};
use std::{collections::BTreeMap, sync::Arc};

use form_model::Submission;
use mrtr_core::{
    client::LegId,
    seal::TokenId,
    server::{Exchange, Run},
};
use serde_json::Value;

use super::scene::KEY;

/// A request that the server works on.
#[derive(Clone, Debug)]
pub(super) struct Serving {
    pub(super) known: ServedRequest,
    pub(super) exchange: Exchange,
}

/// What an exchange comes from. It says all of it: an exchange is made of its request, the time
/// and what the store said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ServedRequest {
    pub(super) leg: LegId,
    pub(super) message: Arc<str>,
    pub(super) is_late: bool,
    /// How often a request of this leg came before.
    pub(super) copy: u8,
    pub(super) round: u32,
    /// What the store is to say first.
    pub(super) redeems: Option<TokenId>,
}

impl PartialEq for Serving {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl Hash for Serving {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known.hash(state);
    }
}

/// What is known of the states that the server has sealed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct States {
    sealed: BTreeMap<Arc<str>, SealedState>,
    /// The ids that the store holds, each with its state.
    used: BTreeMap<TokenId, Arc<str>>,
}

/// One state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SealedState {
    by: LegId,
    is_late: bool,
    round: u32,
    /// What the client's person has answered.
    answer: Option<String>,
    /// Whether the handler has run on it, and did something.
    has_run: bool,
}

/// Reads a member of the params of a request.
fn param(message: &str, name: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(message).unwrap();
    message["params"].get(name).cloned()
}

/// Reads the state of a request.
pub(super) fn state_of(message: &str) -> Option<Arc<str>> {
    param(message, "requestState").and_then(|state| state.as_str().map(Into::into))
}

impl States {
    /// Takes note of a response that the server sends.
    pub(super) fn sealed(&mut self, by: &ServedRequest, body: &str) {
        let body: Value = serde_json::from_str(body).unwrap();
        if let Some(token) = body["result"]["requestState"].as_str() {
            let (is_late, round) = (by.is_late, by.round);
            let by = by.leg.clone();
            let sealed = SealedState { by, is_late, round, answer: None, has_run: false };
            self.sealed.insert(token.into(), sealed);
        }
    }

    /// Takes note of a request that the client sends.
    pub(super) fn answered(&mut self, message: &str) {
        let sealed = state_of(message).and_then(|token| self.sealed.get_mut(&token));
        if let (Some(sealed), Some(answers)) = (sealed, param(message, "inputResponses")) {
            sealed.answer = Some(answers[KEY].to_string());
        }
    }

    /// Returns whether a text has the beginning of a state in it.
    pub(super) fn are_shown(&self, text: &str) -> bool {
        self.sealed.keys().filter_map(|token| token.get(..24)).any(|head| text.contains(head))
    }

    /// Lets the store of used states take an id, and tells whether it is the first time.
    pub(super) fn redeem(&mut self, id: TokenId, message: &str) -> bool {
        self.used.insert(id, state_of(message).unwrap_or_default()).is_none()
    }

    /// Lets the store of used states give an id back.
    pub(super) fn release(&mut self, id: TokenId) {
        self.used.remove(&id);
    }

    /// Forgets what nobody has any more.
    pub(super) fn retain(&mut self, is_out: impl Fn(&str) -> bool) {
        self.sealed.retain(|token, _| is_out(token));
        self.used.retain(|_, token| is_out(token));
    }

    /// Takes note of a handler that gave up before it did anything.
    pub(super) fn given_up(&mut self, message: &str) {
        let sealed = state_of(message).and_then(|token| self.sealed.get_mut(&token));
        sealed.into_iter().for_each(|sealed| sealed.has_run = false);
    }

    /// Checks that a handler may run, on what it gets.
    pub(super) fn run(
        &mut self,
        known: &ServedRequest,
        run: Option<&Run>,
        is_single_use: bool,
    ) -> Result<(), Violation> {
        let rule = Invariant::HandlersRunOnSoundStates;
        let Some(token) = state_of(&known.message) else {
            let is_first = run.is_some_and(|run| run.round == 1 && run.state.is_none());
            return rule.holds(is_first, "who has no state is at the beginning");
        };
        let sealed = self.sealed.get_mut(&token);
        rule.holds(sealed.is_some(), "a state was sealed as it came")?;
        let (Some(sealed), Some(run)) = (sealed, run) else {
            return rule.holds(false, "a handler runs where the exchange says so");
        };
        let is_sound = sealed.is_late == known.is_late && run.round == sealed.round + 1;
        rule.holds(is_sound, "a state that has expired opens nothing")?;
        rule.holds(!(is_single_use && sealed.has_run), "a state is used once")?;
        sealed.has_run = is_single_use;
        let rule = Invariant::AnswersReachWhoAsked;
        let is_own = sealed.by.invocation() == known.leg.invocation();
        rule.holds(is_own, "a state goes back with the call that it was sealed for")?;
        let found = match run.answers.form(KEY) {
            None => None,
            Some(Submission::Accept(answer)) => {
                Some(format!(r#"{{"action":"accept","content":{}}}"#, answer.to_json()))
            }
            Some(Submission::Decline) => Some(r#"{"action":"decline"}"#.into()),
            Some(Submission::Cancel) => Some(r#"{"action":"cancel"}"#.into()),
        };
        rule.holds(found == sealed.answer, "a handler gets what was answered to what it asked")
    }
}
