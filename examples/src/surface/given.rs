//! Answers that were given in advance, each under the key of its question.

use core::{
    future::{Future, ready},
    pin::Pin,
};
use std::collections::BTreeMap;

use form_model::Limits;
use mrtr_core::{
    client::Event,
    wire::{Elicitation, InputRequest, InputResponse, RawJson},
};

use super::{GaveUp, Surface};

/// A surface that answers each question by its key: a person, a model and the roots in one.
pub struct Given {
    /// The `ElicitResult` for each key; under `*`, the one for all other keys.
    pub answers: BTreeMap<String, RawJson>,
    /// The answer of a model: a `CreateMessageResult`.
    pub sampled: RawJson,
    /// The roots: a `ListRootsResult`.
    pub roots: RawJson,
}

impl Surface for Given {
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let response = match request {
            InputRequest::Elicitation(elicitation) => self.elicited(&key, &elicitation),
            InputRequest::Sampling(_) => Ok(InputResponse::Sampled(self.sampled.clone())),
            InputRequest::Roots => Ok(InputResponse::Roots(self.roots.clone())),
        };
        Box::pin(ready(response.map(|response| Event::Answer { round, key, response })))
    }
}

impl Given {
    /// Finds the answer of a person.
    fn elicited(&self, key: &str, asked: &Elicitation) -> Result<InputResponse, GaveUp> {
        let answer = self.answers.get(key).or_else(|| self.answers.get("*"));
        let answer = answer.ok_or_else(|| GaveUp(format!("there is no answer to {key:?}")))?;
        asked
            .decode_response(answer.as_json(), &Limits::default())
            .map_err(|error| GaveUp(format!("the answer to {key:?} is malformed: {error}")))
    }
}
