//! What everybody could see: who called, who was asked, who answered, what was sealed, what ran.

use crate::watch::same_json;
use std::collections::BTreeMap;

use mrtr_core::{InvocationId, host::SessionId, server::Run};
use serde_json::Value;

use super::plan::Kind;

/// A call of a tool by the model of a session. Its number stands in its params.
#[derive(Clone, Debug)]
pub(super) struct LedgerCall {
    pub(super) invocation: InvocationId,
    pub(super) session: u8,
    pub(super) plan: usize,
    pub(super) server: usize,
    /// How it ended, once it has.
    pub(super) ended: Option<String>,
}

/// A question that a server asked. Its number stands in its words.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The call that it was asked for.
    pub(super) call: usize,
    pub(super) server: usize,
    pub(super) key: String,
    pub(super) kind: Kind,
}

/// An answer that somebody gave.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) session: SessionId,
    /// The question, by the words on the screen.
    pub(super) question: usize,
    pub(super) json: &'static str,
    /// Whether the host has taken it.
    pub(super) is_taken: bool,
}

/// A state that a server sealed.
#[derive(Clone, Debug)]
pub(super) struct Sealed {
    pub(super) server: usize,
    pub(super) key: usize,
    /// In seconds since 1970.
    pub(super) at: u64,
    pub(super) principal: String,
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) round: u32,
    /// The questions of the round by their keys.
    pub(super) asked: BTreeMap<String, usize>,
    /// What the handler wants back.
    pub(super) state: String,
    /// How often a handler has run on it, and how often it was given back.
    pub(super) runs: usize,
    pub(super) releases: usize,
}

/// Remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    pub(super) calls: Vec<LedgerCall>,
    pub(super) questions: Vec<Question>,
    pub(super) answers: Vec<Given>,
    pub(super) sealed: BTreeMap<String, Sealed>,
}

impl Ledger {
    /// Returns the call that params are of.
    pub(super) fn call_of(&self, params: &Value) -> Option<(usize, &LedgerCall)> {
        let number = params.pointer("/arguments/call").and_then(Value::as_u64)?;
        let number = usize::try_from(number).ok()?;
        Some((number, self.calls.get(number)?))
    }

    /// Returns the call of an invocation.
    pub(super) fn called(&mut self, invocation: &InvocationId) -> Option<(usize, &mut LedgerCall)> {
        self.calls.iter_mut().enumerate().find(|(_, call)| call.invocation == *invocation)
    }

    /// Returns an answer that the host has taken to a question, and that came to this.
    pub(super) fn taken(&self, question: usize, json: &str) -> Option<&Given> {
        let is_it = |given: &&Given| given.is_taken && given.question == question;
        self.answers.iter().filter(is_it).find(|given| same_json(given.json, json))
    }
}

/// Returns what a digest of params is made of.
pub(super) fn salient(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(members) = params.as_object_mut() {
        for name in ["_meta", "inputResponses", "requestState"] {
            members.remove(name);
        }
    }
    params
}

/// Reads the params of a run.
pub(super) fn params_of(run: &Run) -> Value {
    serde_json::from_str(run.params.as_str()).unwrap_or_default()
}
