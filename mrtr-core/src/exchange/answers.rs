//! The answers that a retry brings.

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::fmt::{self, Write as _};

use form_model::{Answer, Decoder, Form};

use super::InputRequest;
use crate::{
    Limits,
    wire::{Object, RawJson, Response, WireError, write_text},
};

/// Is what came back for a form.
///
/// Only an accepted form has content, and it is an [`Answer`] that fits the form that was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicited {
    /// The person sent it.
    Accepted(Answer),
    /// The person said no.
    Declined,
    /// The person closed it without an answer.
    Dismissed,
}

impl Elicited {
    /// Checks what came back against the form that was asked.
    fn new(response: Response, form: &Form) -> Result<Self, AnswerError> {
        match response {
            Response::Accept(content) => {
                form.accept(content).map(Self::Accepted).map_err(AnswerError::Faults)
            }
            Response::Decline => Ok(Self::Declined),
            Response::Dismiss => Ok(Self::Dismissed),
            Response::Consent | Response::Sampled(_) | Response::Roots(_) => {
                Err(AnswerError::Shape)
            }
        }
    }
}

/// Says why an answer is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// It has not the shape of an answer to a form.
    #[error("expected the result of a form")]
    Shape,
    /// It does not fit the form.
    #[error("the answer does not fit the form: {0}")]
    Faults(form_model::Faults),
}

/// Is the answers of a round, under the keys that were asked.
#[derive(Clone, PartialEq, Default)]
pub struct Answers {
    /// Answers to forms that the sealed state remembers.
    checked: BTreeMap<String, Elicited>,
    /// Answers that no sealed state vouches for; `None` where one is no answer to a form.
    unchecked: BTreeMap<String, Option<Response>>,
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answers({} values)", self.checked.len() + self.unchecked.len())
    }
}

impl Answers {
    /// Returns what came back for a form that was asked with a sealed state. `None`: the client
    /// left it out, so ask again.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Elicited> {
        self.checked.get(key)
    }

    /// Checks what came back under a key against a form, for a server without a keyring: nothing
    /// else says what was asked, or that anything was.
    ///
    /// # Errors
    ///
    /// An answer of a wrong shape, or one that does not fit the form.
    pub fn check(&self, key: &str, form: &Form) -> Result<Option<Elicited>, AnswerError> {
        match self.unchecked.get(key) {
            None => Ok(None),
            Some(None) => Err(AnswerError::Shape),
            Some(Some(response)) => Elicited::new(response.clone(), form).map(Some),
        }
    }

    /// Takes answers that no sealed state vouches for.
    pub(super) fn unchecked(responses: &Object<'_>, limits: &Limits) -> Self {
        let decoded = |json| Response::decode(json, &limits.form).ok();
        let unchecked = responses.iter().map(|(key, json)| (key.into(), decoded(json))).collect();
        Self { checked: BTreeMap::new(), unchecked }
    }

    /// Checks answers against what was asked. Keys that were not asked are not seen.
    pub(super) fn checked(
        responses: Option<&Object<'_>>,
        asked: &Asked,
        limits: &Limits,
    ) -> Result<Self, AnswerError> {
        let mut checked = BTreeMap::new();
        for (key, form) in &asked.forms {
            let Some(json) = responses.and_then(|responses| responses.get(key)) else { continue };
            let response = Response::decode(json, &limits.form).map_err(|_| AnswerError::Shape)?;
            checked.insert(key.clone(), Elicited::new(response, form)?);
        }
        Ok(Self { checked, unchecked: BTreeMap::new() })
    }
}

/// Is what a sealed state remembers: the forms that were asked, and what the handler wants back.
#[derive(Default)]
pub(super) struct Asked {
    forms: Vec<(String, Form)>,
    pub(super) state: Option<RawJson>,
}

impl Asked {
    /// Writes the payload of a sealed state.
    pub(super) fn encode(requests: &[(String, InputRequest)], state: Option<&RawJson>) -> String {
        let mut json = String::from(r#"{"asked":{"#);
        for (index, (key, request)) in requests.iter().enumerate() {
            let InputRequest::Form { form, .. } = request;
            if index > 0 {
                json.push(',');
            }
            write_text(key, &mut json);
            let _ = write!(json, ":{}", form.to_schema());
        }
        json.push('}');
        if let Some(state) = state {
            let _ = write!(json, r#","state":{}"#, state.as_str());
        }
        json.push('}');
        json
    }

    /// Reads the payload of a sealed state that was opened.
    pub(super) fn decode(payload: &[u8], limits: &Limits) -> Result<Self, WireError> {
        let malformed = WireError::Shape { what: "a sealed state", expected: "one of this crate" };
        let text = core::str::from_utf8(payload).map_err(|_| malformed)?;
        let object = Object::decode(text, "a sealed state")?;
        let asked = Object::decode(object.get("asked").ok_or(malformed)?, "a sealed state")?;
        let decoder = Decoder::new(limits.form.clone());
        let mut forms = Vec::with_capacity(asked.len());
        for (key, schema) in asked.iter() {
            let decoded = decoder.decode(schema).map_err(|_| malformed)?;
            forms.push((key.into(), decoded.form));
        }
        Ok(Self { forms, state: object.get("state").map(RawJson::part) })
    }
}
