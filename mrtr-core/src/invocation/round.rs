//! One round: what the server asked, and the answers that are in.

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::fmt;

use super::{Claims, Fault, Interaction};
use crate::{
    Limits,
    wire::{RawJson, StateText, WireError, Writer, check_requests},
};

/// Is the round that is on. It is gone when its retry is sent: nothing of it reaches another.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) questions: BTreeMap<String, Question>,
    state: Option<StateText>,
}

/// Is one request of the round.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct Question {
    pub(super) interaction: Interaction,
    pub(super) answer: Option<Answered>,
}

/// Is the text of an answer that is ready to send.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Answered(pub(super) String);

impl fmt::Debug for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, asked) = (self.number, self.questions.len());
        write!(f, "Round({number}, {} of {asked} open, {:?})", self.open_keys().count(), self.state)
    }
}

impl Round {
    /// Decodes and checks a whole round before anybody is asked: one bad request fails it.
    pub(super) fn new(
        number: u32,
        requests: Vec<(String, RawJson)>,
        state: Option<StateText>,
        claims: Claims,
        limits: &Limits,
    ) -> Result<Self, Fault> {
        if !claims.allows_retries() {
            return Err(Fault::Undeclared { kind: "input_required" });
        }
        if number > limits.rounds_max {
            return Err(Fault::RoundLimit { rounds_max: limits.rounds_max });
        }
        let state_bytes = state.as_ref().map_or(0, StateText::len);
        if state_bytes > limits.state_bytes_max {
            let max = limits.state_bytes_max;
            return Err(WireError::TooLarge { what: "requestState in bytes", max }.into());
        }
        check_requests(&requests, limits)?;
        let mut questions = BTreeMap::new();
        for (key, request) in requests {
            let interaction = Interaction::decode(&request, claims, limits)?;
            questions.insert(key, Question { interaction, answer: None });
        }
        Ok(Self { number, questions, state })
    }

    /// Returns the keys that nobody has answered yet, in order.
    pub(super) fn open_keys(&self) -> impl Iterator<Item = &String> {
        self.questions.iter().filter(|(_, question)| question.answer.is_none()).map(|(key, _)| key)
    }

    /// Returns the bytes of the state, if there is one.
    pub(super) fn state_bytes(&self) -> Option<usize> {
        self.state.as_ref().map(StateText::len)
    }

    /// Writes the members that the retry of this round carries: the answers under their keys, in
    /// the order of the keys, and the exact state.
    pub(super) fn retry_members(&self) -> String {
        let mut members = Writer::default();
        if !self.questions.is_empty() {
            let mut responses = Writer::default();
            for (key, question) in &self.questions {
                if let Some(Answered(json)) = &question.answer {
                    responses.member(key, json);
                }
            }
            members.member("inputResponses", &responses.end());
        }
        if let Some(state) = &self.state {
            members.member("requestState", state.as_json());
        }
        members.into_members()
    }
}
