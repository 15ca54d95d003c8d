//! The answers of a retry.

use alloc::{collections::BTreeMap, string::String};

use form_model::{Answer, Submission};

use crate::{
    debug::debug,
    wire::{Decision, Expected, InputRequest, InputResponse, Object, RawJson, ResponseError},
};

/// The answers of a round, each under the key of its question.
///
/// On an endpoint with keys, they have been checked against the questions in the sealed state: use
/// [`Answers::get`], [`Answers::form`] and [`Answers::decision`]. On an endpoint without keys, use
/// [`Answers::check`].
#[derive(Clone, PartialEq, Default)]
pub struct Answers {
    /// Answers to the questions in the sealed state, each with its text.
    checked: BTreeMap<String, (InputResponse<Answer>, RawJson)>,
    /// Responses on an endpoint without keys, as they arrived.
    unchecked: BTreeMap<String, RawJson>,
    pub(super) limits: form_model::Limits,
}

debug!(Answers, |answers| "Answers({} values)", answers.checked.len() + answers.unchecked.len());

impl Answers {
    /// Returns the answer to a question of the previous round. `None`: the client left it out, so
    /// ask again. On an endpoint without keys it is always `None`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&InputResponse<Answer>> {
        self.checked.get(key).map(|(response, _)| response)
    }

    /// Returns the person's answer to a form. `None`: there is no answer, or the question was not a
    /// form.
    #[must_use]
    pub fn form(&self, key: &str) -> Option<Submission> {
        submission(self.get(key)?.clone())
    }

    /// Returns the person's decision about a form or a URL. `None`: there is no answer, or no
    /// person was asked. For a URL, it is what the person said, not what they did on the page.
    #[must_use]
    pub fn decision(&self, key: &str) -> Option<Decision> {
        self.get(key)?.decision()
    }

    /// Checks the response under a key against the request that the handler sent. It is for an
    /// endpoint without keys, which has no sealed state to remember the request. Returns `Ok(None)`
    /// if there is no response, and always on an endpoint with keys.
    ///
    /// # Errors
    ///
    /// Returns [`ResponseError`] if the response is of another kind than the request, has a wrong
    /// shape, or does not fit the form.
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

    /// Keeps responses unchecked, for an endpoint without keys.
    pub(super) fn unchecked(responses: &Object<'_>, limits: &form_model::Limits) -> Self {
        let unchecked = responses.iter().map(|(key, json)| (key.into(), json.into())).collect();
        Self { unchecked, limits: limits.clone(), ..Self::default() }
    }

    /// Checks responses against the questions. Responses to other keys are ignored.
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
