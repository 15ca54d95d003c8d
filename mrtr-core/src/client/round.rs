//! One round: the questions of the server, and the answers so far.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use super::{Claims, Fault};
use crate::{
    Limits,
    debug::debug,
    wire::{INPUT_REQUIRED, InputRequest, Json, RawJson, StateText, check_round, check_state},
};

/// The current round. It is dropped when its retry is sent, so nothing of it reaches another round.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) questions: BTreeMap<String, Question>,
    pub(super) state: Option<StateText>,
}

/// One request of the round.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct Question {
    pub(super) request: InputRequest,
    /// The answer that was checked, ready to send.
    pub(super) answer: Option<RawJson>,
}

debug!(
    Round,
    |it| "Round({}, {} of {} open, {:?})",
    it.number,
    it.open_keys().count(),
    it.questions.len(),
    it.state
);

impl Round {
    /// Decodes and checks a whole round before any question is asked: one bad request fails it.
    pub(super) fn new(
        number: u32,
        requests: Vec<(String, Json<'_>)>,
        state: Option<StateText>,
        claims: Claims,
        limits: &Limits,
    ) -> Result<Self, Fault> {
        if !claims.allows_retries() {
            return Err(Fault::Undeclared { kind: INPUT_REQUIRED });
        }
        if number > limits.rounds_max {
            return Err(Fault::RoundLimit { rounds_max: limits.rounds_max });
        }
        check_state(state.as_ref().map_or(0, StateText::len), limits.state_bytes_max)?;
        let sizes = requests.iter().map(|(key, json)| (key.as_str(), json.len()));
        check_round(sizes, limits)?;
        let mut questions = BTreeMap::new();
        for (key, json) in requests {
            let request = InputRequest::decode(json, limits)?;
            if let Some(kind) = request.undeclared(claims.capabilities()) {
                return Err(Fault::Undeclared { kind });
            }
            questions.insert(key, Question { request, answer: None });
        }
        Ok(Self { number, questions, state })
    }

    /// Returns the keys without an answer, in order.
    pub(super) fn open_keys(&self) -> impl Iterator<Item = &String> {
        self.questions.iter().filter(|(_, question)| question.answer.is_none()).map(|(key, _)| key)
    }

    /// Returns the answers so far, with their keys.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.questions
            .iter()
            .filter_map(|(key, question)| Some((key.as_str(), question.answer.as_ref()?)))
    }
}
