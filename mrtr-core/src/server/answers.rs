//! The answers that a retry brings.

use alloc::{collections::BTreeMap, string::String};
use core::fmt;

use form_model::{Answer, Submission};

use crate::wire::{
    Decision, Expected, InputRequest, InputResponse, Object, RawJson, ResponseError,
};

/// The answers of a round, under the keys that were asked.
#[derive(Clone, PartialEq, Default)]
pub struct Answers {
    /// Answers to what the sealed state remembers was asked, each with its text.
    checked: BTreeMap<String, (InputResponse<Answer>, RawJson)>,
    /// Responses without a sealed state that tells what was asked, as they came.
    unchecked: BTreeMap<String, RawJson>,
    pub(super) limits: form_model::Limits,
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answers({} values)", self.checked.len() + self.unchecked.len())
    }
}

impl Answers {
    /// Returns an answer to what was asked with a sealed state. `None`: the client left it out, so
    /// ask again.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&InputResponse<Answer>> {
        self.checked.get(key).map(|(response, _)| response)
    }

    /// Returns what came back for a form that was asked with a sealed state.
    #[must_use]
    pub fn form(&self, key: &str) -> Option<Submission> {
        submission(self.get(key)?.clone())
    }

    /// Returns what a person decided about a form or a URL that was asked with a sealed state. It
    /// is what they said, not what they did on the page.
    #[must_use]
    pub fn decision(&self, key: &str) -> Option<Decision> {
        self.get(key)?.decision()
    }

    /// Checks the response under a key against what the handler would ask. It is for an endpoint
    /// without keys: no sealed state tells what was asked there. On an endpoint with keys it finds
    /// nothing.
    ///
    /// # Errors
    ///
    /// A response of a wrong shape, or one that does not fit the form.
    pub fn check(
        &self,
        key: &str,
        request: &InputRequest,
    ) -> Result<Option<InputResponse<Answer>>, ResponseError> {
        let json = self.unchecked.get(key);
        json.map(|json| request.expected().decode(json.as_json(), &self.limits)).transpose()
    }

    /// Returns the text of an answer that was checked.
    pub(super) fn text(&self, key: &str) -> Option<&RawJson> {
        self.checked.get(key).map(|(_, json)| json)
    }

    /// Takes responses without a sealed state that tells what was asked.
    pub(super) fn unchecked(responses: &Object<'_>, limits: &form_model::Limits) -> Self {
        let unchecked = responses.iter().map(|(key, json)| (key.into(), json.into())).collect();
        Self { unchecked, limits: limits.clone(), ..Self::default() }
    }

    /// Checks responses against what was asked. Keys that were not asked are ignored.
    pub(super) fn checked(
        responses: Option<&Object<'_>>,
        asked: &[(String, Expected<'_>)],
        limits: &form_model::Limits,
    ) -> Result<Self, ResponseError> {
        let mut answers = Self { limits: limits.clone(), ..Self::default() };
        for (key, expected) in asked {
            if let Some(json) = responses.and_then(|responses| responses.get(key)) {
                let response = expected.decode(json, limits)?;
                answers.checked.insert(key.clone(), (response, json.into()));
            }
        }
        Ok(answers)
    }
}

/// Returns the response to a form; `None` if something else was asked.
pub(super) fn submission(response: InputResponse<Answer>) -> Option<Submission> {
    match response {
        InputResponse::Accept(answer) => Some(Submission::Accept(answer)),
        InputResponse::Decline => Some(Submission::Decline),
        InputResponse::Cancel => Some(Submission::Cancel),
        InputResponse::Consent | InputResponse::Sampled(_) | InputResponse::Roots(_) => None,
    }
}
