//! The answers that a retry brings.

use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};
use core::fmt;

use form_model::{Answer, Decoder, Form};

use super::{InputRequest, Need};
use crate::wire::{
    Object, RawJson, Response, WireError, check_roots, check_sampled, text, write_text,
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

/// Is what came back for a URL. It says what the person said, not what they did on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The person agreed to open it.
    Given,
    /// The person said no.
    Declined,
    /// The person closed it without an answer.
    Dismissed,
}

/// Is an answer, by the kind of what was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// To a form.
    Form(Elicited),
    /// To a URL.
    Url(Consent),
    /// To a request to the model: a `CreateMessageResult`.
    Sampled(RawJson),
    /// The roots: a `ListRootsResult`.
    Roots(RawJson),
}

/// Says why an answer is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// It has not the shape of an answer to what was asked.
    #[error("expected an answer of the kind that was asked")]
    Shape,
    /// It does not fit the form.
    #[error("the answer does not fit the form: {0}")]
    Faults(form_model::Faults),
}

/// Is the kind of what was asked, and the form if it was one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'f> {
    Form(Cow<'f, Form>),
    Url,
    Sampling,
    Roots,
}

impl<'f> From<&'f InputRequest> for Kind<'f> {
    fn from(request: &'f InputRequest) -> Self {
        match request {
            InputRequest::Form { form, .. } => Self::Form(Cow::Borrowed(form)),
            InputRequest::Url { .. } => Self::Url,
            InputRequest::Sampling(_) => Self::Sampling,
            InputRequest::Roots => Self::Roots,
        }
    }
}

impl Kind<'_> {
    /// Checks an answer, as JSON, against what was asked.
    pub(super) fn answer(
        &self,
        json: &str,
        limits: &form_model::Limits,
    ) -> Result<Answered, AnswerError> {
        let elicited = || Response::decode(json, limits).map_err(|_| AnswerError::Shape);
        Ok(match self {
            Self::Form(form) => Answered::Form(match elicited()? {
                Response::Accept(content) => {
                    Elicited::Accepted(form.accept(content).map_err(AnswerError::Faults)?)
                }
                Response::Decline => Elicited::Declined,
                Response::Dismiss => Elicited::Dismissed,
                Response::Consent | Response::Sampled(_) | Response::Roots(_) => {
                    return Err(AnswerError::Shape);
                }
            }),
            Self::Url => Answered::Url(match elicited()? {
                // An agreement carries no content, and none that comes with it counts.
                Response::Accept(_) | Response::Consent => Consent::Given,
                Response::Decline => Consent::Declined,
                Response::Dismiss => Consent::Dismissed,
                Response::Sampled(_) | Response::Roots(_) => return Err(AnswerError::Shape),
            }),
            Self::Sampling => {
                check_sampled(json).map_err(|_| AnswerError::Shape)?;
                Answered::Sampled(RawJson::part(json))
            }
            Self::Roots => {
                check_roots(json).map_err(|_| AnswerError::Shape)?;
                Answered::Roots(RawJson::part(json))
            }
        })
    }

    /// Names the kind.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Form(_) => "form",
            Self::Url => "url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Writes the kind, as a sealed state remembers it.
    fn write(&self, json: &mut String) {
        let name = self.name();
        match self {
            Self::Form(form) => json.push_str(&format!(r#"{{"{name}":{}}}"#, form.to_schema())),
            Self::Url | Self::Sampling | Self::Roots => json.push_str(&format!(r#""{name}""#)),
        }
    }

    fn read(json: &str, limits: &form_model::Limits) -> Option<Self> {
        match text(json).as_deref() {
            Some("url") => return Some(Self::Url),
            Some("sampling") => return Some(Self::Sampling),
            Some("roots") => return Some(Self::Roots),
            Some(_) => return None,
            None => {}
        }
        let object = Object::decode(json, "a sealed state").ok()?;
        let decoded = Decoder::new(limits.clone()).decode(object.get("form")?).ok()?;
        Some(Self::Form(Cow::Owned(decoded.form)))
    }
}

/// Is the answers of a round, under the keys that were asked.
#[derive(Clone, PartialEq, Default)]
pub struct Answers {
    /// Answers to what the sealed state remembers that was asked.
    checked: BTreeMap<String, (Answered, RawJson)>,
    /// Answers that no sealed state vouches for, as they came.
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
    pub fn get(&self, key: &str) -> Option<&Answered> {
        self.checked.get(key).map(|(answered, _)| answered)
    }

    /// Returns the text of an answer that was checked.
    pub(super) fn text(&self, key: &str) -> Option<&RawJson> {
        self.checked.get(key).map(|(_, json)| json)
    }

    /// Returns what came back for a form that was asked with a sealed state.
    #[must_use]
    pub fn form(&self, key: &str) -> Option<&Elicited> {
        match self.get(key)? {
            Answered::Form(elicited) => Some(elicited),
            Answered::Url(_) | Answered::Sampled(_) | Answered::Roots(_) => None,
        }
    }

    /// Returns what came back for a URL that was asked with a sealed state.
    #[must_use]
    pub fn url(&self, key: &str) -> Option<Consent> {
        match self.get(key)? {
            Answered::Url(consent) => Some(*consent),
            Answered::Form(_) | Answered::Sampled(_) | Answered::Roots(_) => None,
        }
    }

    /// Checks what came back under a key against what would be asked, for a server without a
    /// keyring: nothing else says what was asked, or that anything was.
    ///
    /// # Errors
    ///
    /// An answer of a wrong shape, or one that does not fit the form.
    pub fn check(
        &self,
        key: &str,
        request: &InputRequest,
    ) -> Result<Option<Answered>, AnswerError> {
        let Some(json) = self.unchecked.get(key) else { return Ok(None) };
        Kind::from(request).answer(json.as_str(), &self.limits).map(Some)
    }

    /// Takes answers that no sealed state vouches for.
    pub(super) fn unchecked(responses: &Object<'_>, limits: &form_model::Limits) -> Self {
        let unchecked =
            responses.iter().map(|(key, json)| (key.into(), RawJson::part(json))).collect();
        Self { unchecked, limits: limits.clone(), ..Self::default() }
    }

    /// Checks answers against what was asked. Keys that were not asked are not seen.
    pub(super) fn checked(
        responses: Option<&Object<'_>>,
        asked: &Asked,
        limits: &form_model::Limits,
    ) -> Result<Self, AnswerError> {
        let mut answers = Self { limits: limits.clone(), ..Self::default() };
        for (key, kind) in &asked.kinds {
            if let Some(json) = responses.and_then(|responses| responses.get(key)) {
                let answered = kind.answer(json, limits)?;
                answers.checked.insert(key.clone(), (answered, RawJson::part(json)));
            }
        }
        Ok(answers)
    }
}

/// Is what a sealed state remembers: what was asked, and what the handler wants back.
#[derive(Default)]
pub(super) struct Asked {
    /// Whether the state may be used only once.
    pub(super) single_use: bool,
    kinds: Vec<(String, Kind<'static>)>,
    pub(super) state: Option<RawJson>,
}

impl Asked {
    /// Writes the payload of a sealed state.
    pub(super) fn encode(need: &Need, single_use: bool) -> String {
        let Need { requests, state } = need;
        let mut json = format!(r#"{{"singleUse":{single_use},"asked":{{"#);
        for (index, (key, request)) in requests.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            write_text(key, &mut json);
            json.push(':');
            Kind::from(request).write(&mut json);
        }
        json.push('}');
        if let Some(state) = state {
            json.push_str(&format!(r#","state":{}"#, state.as_str()));
        }
        json.push('}');
        json
    }

    /// Reads the payload of a sealed state that was opened.
    pub(super) fn decode(payload: &[u8], limits: &form_model::Limits) -> Result<Self, WireError> {
        let malformed = WireError::Shape { what: "a sealed state", expected: "one of this crate" };
        let text = core::str::from_utf8(payload).map_err(|_| malformed)?;
        let object = Object::decode(text, "a sealed state")?;
        let asked = Object::decode(object.get("asked").ok_or(malformed)?, "a sealed state")?;
        let kind = |(key, json): (&str, &str)| {
            Ok((key.into(), Kind::read(json, limits).ok_or(malformed)?))
        };
        let kinds = asked.iter().map(kind).collect::<Result<_, WireError>>()?;
        let single_use = object.get("singleUse").ok_or(malformed)? == "true";
        Ok(Self { single_use, kinds, state: object.get("state").map(RawJson::part) })
    }
}
