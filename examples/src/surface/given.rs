//! Answers that were given beforehand, each under the key of its question.

use core::{
    future::{Future, ready},
    pin::Pin,
};
use std::collections::BTreeMap;

use form_model::Limits;
use mrtr_core::{
    AnswersForms, AnswersRoots, AnswersSampling, AnswersUrls, Event, Interaction,
    wire::{RawJson, Response},
};

use super::{GaveUp, Surface};

/// Answers each question by its key: a person, a model and the roots in one.
pub struct Given {
    /// The `ElicitResult` for each key; under `*`, that for any other.
    pub answers: BTreeMap<String, RawJson>,
    /// What a model answers: a `CreateMessageResult`.
    pub sampled: RawJson,
    /// The roots: a `ListRootsResult`.
    pub roots: RawJson,
}

impl AnswersForms for Given {}
impl AnswersUrls for Given {}
impl AnswersRoots for Given {}
impl AnswersSampling for Given {}

impl Surface for Given {
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let response = match interaction {
            Interaction::Form(_) => self.elicited(&key),
            // An agreement to open a page brings nothing back.
            Interaction::Url(_) => self.elicited(&key).map(|response| {
                if matches!(response, Response::Accept(_)) { Response::Consent } else { response }
            }),
            Interaction::Sampling(_) => Ok(Response::Sampled(self.sampled.clone())),
            Interaction::Roots => Ok(Response::Roots(self.roots.clone())),
        };
        Box::pin(ready(response.map(|response| Event::Answer { round, key, response })))
    }
}

impl Given {
    /// Finds what a person answers.
    fn elicited(&self, key: &str) -> Result<Response, GaveUp> {
        let answer = self.answers.get(key).or_else(|| self.answers.get("*"));
        let answer = answer.ok_or_else(|| GaveUp(format!("there is no answer to {key:?}")))?;
        Response::decode(answer.as_str(), &Limits::default())
            .map_err(|error| GaveUp(format!("the answer to {key:?} is none: {error}")))
    }
}
