//! The responses to input requests.

use alloc::{borrow::Cow, string::ToString as _};
use core::fmt;

use form_model::{Answer, Content, ContentError, FieldErrors, Form, Submission};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    Json, Object, PAYLOAD_DEPTH_MAX, RawJson, WireError, Writer, check_depth,
    error::within,
    sampling::{check_roots, check_sampled},
};
use crate::codec::from_word;

/// The response to an input request.
///
/// `C` is the type of the content of an accepted form. [`Content`] is unchecked input, and
/// [`Answer`] is content that fits the form. A machine checks a `Content`, and sends only an
/// `Answer`.
///
/// The enum is exhaustive: a caller that reads responses handles each kind.
#[derive(Clone, Debug, PartialEq)]
pub enum InputResponse<C = Content> {
    /// A person sent the form, with this content.
    Accept(C),
    /// A person agreed to open the URL. Only the server can find out what the person did on the
    /// page.
    Consent,
    /// A person said no, to a form or a URL.
    Decline,
    /// A person closed a form or a URL without an answer.
    Cancel,
    /// A model answered: a `CreateMessageResult`.
    Sampled(RawJson),
    /// The roots: a `ListRootsResult`.
    Roots(RawJson),
}

/// A person's decision: the action of an `ElicitResult`, without its content.
///
/// The enum is exhaustive: a caller handles all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// They sent the form, or agreed to open the URL.
    Accept,
    /// They said no.
    Decline,
    /// They closed it, and neither accepted nor declined.
    Cancel,
}

/// Why a response is invalid. The question stays open.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// It is of another kind than the request.
    #[error("expected a response of the kind that was asked, found one of another kind")]
    WrongKind,
    /// It does not have the shape that the specification gives it.
    #[error("the response is malformed: {0}")]
    Malformed(WireError),
    /// Its content does not fit the form.
    #[error("the answer does not fit the form: {0}")]
    Invalid(FieldErrors),
    /// The content, the model's answer or the list of roots is larger than `answer_bytes_max` of
    /// the form's limits.
    #[error("expected an answer of at most {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
}

impl From<Submission> for InputResponse {
    fn from(submission: Submission) -> Self {
        match submission {
            Submission::Accept(answer) => Self::Accept(answer.into()),
            Submission::Decline => Self::Decline,
            Submission::Cancel => Self::Cancel,
        }
    }
}

impl InputResponse {
    /// Decodes an `ElicitResult` (elicitation, response actions). Its `content` is ignored unless
    /// the action is `accept`. An `accept` without `content` is read with empty content.
    ///
    /// ```
    /// use form_model::{Content, Limits};
    /// use mrtr_core::wire::{InputResponse, Json};
    ///
    /// let result = Json::parse(r#"{"action":"accept","content":{"sure":true}}"#)?;
    /// let response = InputResponse::decode(result, &Limits::default())?;
    /// assert_eq!(response, InputResponse::Accept(Content::new().with_flag("sure", true)));
    /// # Ok::<(), mrtr_core::wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the value is not an `ElicitResult`, or if its content is larger
    /// than `answer_bytes_max`.
    pub fn decode(result: Json<'_>, limits: &form_model::Limits) -> Result<Self, WireError> {
        let object = Object::decode(result, "an elicitation result")?;
        let decision = from_word(&object.text("action")?)
            .ok_or(WireError::shape("action", "accept, decline or cancel"))?;
        Ok(match (decision, object.non_null("content")) {
            (Decision::Accept, None) => Self::Accept(Content::new()),
            (Decision::Accept, Some(content)) => {
                Self::Accept(Content::decode(content.as_str(), limits).map_err(content_error)?)
            }
            (Decision::Decline, _) => Self::Decline,
            (Decision::Cancel, _) => Self::Cancel,
        })
    }
}

fn content_error(error: ContentError) -> WireError {
    match error {
        ContentError::OverLimit { bytes_max } => {
            WireError::too_large("content in bytes", bytes_max)
        }
        ContentError::Duplicate => WireError::duplicate("content"),
        ContentError::NotAnObject | _ => WireError::shape("content", "an object of answers"),
    }
}

impl<C> InputResponse<C> {
    /// Returns the person's decision; `None` if no person was asked.
    #[must_use]
    pub const fn decision(&self) -> Option<Decision> {
        match self {
            Self::Accept(_) | Self::Consent => Some(Decision::Accept),
            Self::Decline => Some(Decision::Decline),
            Self::Cancel => Some(Decision::Cancel),
            Self::Sampled(_) | Self::Roots(_) => None,
        }
    }

    /// Returns the name of the variant: `accept`, `consent`, `decline`, `cancel`, `sampled` or
    /// `roots`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accept",
            Self::Consent => "consent",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
            Self::Sampled(_) => "sampled",
            Self::Roots(_) => "roots",
        }
    }
}

impl InputResponse<Answer> {
    /// Writes the bare result for the server or the provider that asked.
    pub(crate) fn encode(&self, limits: &form_model::Limits) -> Result<RawJson, ResponseError> {
        let bytes_max = limits.answer_bytes_max;
        let fits = |json: &str| {
            within(json.len(), "", bytes_max).map_err(|_| ResponseError::TooLarge { bytes_max })
        };
        let elicited = |action: Decision, content: Option<&str>| {
            RawJson::composed(Writer::object(|result| {
                result.text("action", &action.to_string());
                if let Some(content) = content {
                    result.json("content", content);
                }
            }))
        };
        Ok(match self {
            Self::Accept(answer) => {
                let content = answer.to_json();
                fits(&content)?;
                elicited(Decision::Accept, Some(&content))
            }
            Self::Consent => elicited(Decision::Accept, None),
            Self::Decline => elicited(Decision::Decline, None),
            Self::Cancel => elicited(Decision::Cancel, None),
            Self::Sampled(json) | Self::Roots(json) => {
                fits(json.as_str())?;
                check_depth(json.as_str(), PAYLOAD_DEPTH_MAX).map_err(ResponseError::Malformed)?;
                json.clone()
            }
        })
    }
}

/// The response that a request expects: its kind, and the form if it is one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected<'f> {
    Form(Cow<'f, Form>),
    Url,
    Sampling,
    Roots,
}

impl Expected<'_> {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Form(_) => "form",
            Self::Url => "url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Checks a response.
    pub(crate) fn check(
        &self,
        response: InputResponse,
    ) -> Result<InputResponse<Answer>, ResponseError> {
        use InputResponse::{Accept, Cancel, Consent, Decline, Roots, Sampled};
        match (self, response) {
            (Self::Form(form), Accept(content)) => {
                form.accept(content).map(Accept).map_err(ResponseError::Invalid)
            }
            (Self::Url, Consent) => Ok(Consent),
            (Self::Form(_) | Self::Url, Decline) => Ok(Decline),
            (Self::Form(_) | Self::Url, Cancel) => Ok(Cancel),
            (Self::Sampling, Sampled(result)) => {
                check_sampled(result.as_json()).map_err(ResponseError::Malformed)?;
                Ok(Sampled(result))
            }
            (Self::Roots, Roots(result)) => {
                check_roots(result.as_json()).map_err(ResponseError::Malformed)?;
                Ok(Roots(result))
            }
            (
                Self::Form(_) | Self::Url | Self::Sampling | Self::Roots,
                Accept(_) | Consent | Decline | Cancel | Sampled(_) | Roots(_),
            ) => Err(ResponseError::WrongKind),
        }
    }

    /// Decodes a response. Its content is not checked yet.
    pub(crate) fn read(
        &self,
        json: Json<'_>,
        limits: &form_model::Limits,
    ) -> Result<InputResponse, WireError> {
        Ok(match self {
            Self::Form(_) => InputResponse::decode(json, limits)?,
            // Consent has no content. Content that comes with it is ignored.
            Self::Url => {
                let response = InputResponse::decode(json, limits)?;
                let accepts = response.decision() == Some(Decision::Accept);
                if accepts { InputResponse::Consent } else { response }
            }
            Self::Sampling => InputResponse::Sampled(json.into()),
            Self::Roots => InputResponse::Roots(json.into()),
        })
    }

    /// Decodes and checks a response.
    pub(crate) fn decode(
        &self,
        json: Json<'_>,
        limits: &form_model::Limits,
    ) -> Result<InputResponse<Answer>, ResponseError> {
        self.check(self.read(json, limits).map_err(ResponseError::Malformed)?)
    }
}

impl fmt::Display for Decision {
    /// Writes the action.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Result<InputResponse, WireError> {
        InputResponse::decode(Json::parse(json)?, &form_model::Limits::default())
    }

    /// proves: W-06
    #[test]
    fn the_three_actions_stay_apart() {
        let content = Content::new().with_text("name", "octocat");
        let accept = r#"{"action":"accept","content":{"name":"octocat"}}"#;
        assert_eq!(decode(accept), Ok(InputResponse::Accept(content)));
        assert_eq!(decode(r#"{"action":"accept"}"#), Ok(InputResponse::Accept(Content::new())));
        assert_eq!(decode(r#"{"action":"decline"}"#), Ok(InputResponse::Decline));
        assert_eq!(decode(r#"{"action":"cancel"}"#), Ok(InputResponse::Cancel));
        let large =
            alloc::format!(r#"{{"action":"accept","content":{{"a":"{}"}}}}"#, "x".repeat(300_000));
        assert_eq!(decode(&large), Err(WireError::too_large("content in bytes", 262_144)));
        // Content beside a refusal is not an answer.
        let declined = r#"{"action":"decline","content":{"a":1}}"#;
        assert_eq!(decode(declined), Ok(InputResponse::Decline));
        let typed = r#"{"action":"decline","resultType":"complete"}"#;
        assert_eq!(decode(typed), Ok(InputResponse::Decline));
    }

    /// proves: W-07
    #[test]
    fn other_values_are_not_elicitation_results() {
        for wrong in [
            "12345",
            "null",
            "[]",
            "{}",
            r#"{"action":"submit"}"#,
            r#"{"action":null}"#,
            r#"{"action":"accept","content":7}"#,
            r#"{"action":"accept","content":[]}"#,
            r#"{"action":"accept","content":{"a":1,"a":2}}"#,
            r#"{"action":"accept","action":"decline"}"#,
            r#"{"method":"elicitation/create","result":{"action":"accept"}}"#,
            r#"{"action":"decline"} garbage"#,
            r#"{"action":"accept""#,
        ] {
            assert!(decode(wrong).is_err(), "{wrong}");
        }
    }
}
