//! What a server asks in a round, and what goes back.

use alloc::{string::String, vec::Vec};
use core::fmt;

use form_model::{Content, ContentError, Decoder, Faults, Form, Note, SafeText, Submission};

use super::{Object, RawJson, UrlRequest, WireError, text};
use crate::{Fault, Limits};

/// Is a form that a server wants filled in (elicitation, form mode).
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct FormRequest {
    /// What the server says to the person.
    pub message: SafeText,
    /// The form.
    pub form: Form,
    /// What the decoder read around.
    pub notes: Vec<Note>,
}

/// Writes how much the server asks, and nothing of what it says.
impl fmt::Debug for FormRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, form, notes } = self;
        let (bytes, fields) = (message.raw().len(), form.fields().len());
        write!(f, "FormRequest({bytes} bytes, {fields} fields, {} notes)", notes.len())
    }
}

/// Is a question to a person, by its mode.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Elicitation {
    /// A form to fill in.
    Form(FormRequest),
    /// A URL to open.
    Url(UrlRequest),
}

/// Says why an answer to a question does not count.
pub(crate) enum AnswerError {
    /// It is of another kind than the question.
    WrongKind,
    /// It does not fit the form.
    Invalid(Faults),
    /// Its content is larger than an answer may be.
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
}

impl Elicitation {
    /// Decodes the params of an `elicitation/create`.
    pub(crate) fn decode(params: &str, limits: &Limits) -> Result<Self, Fault> {
        let params = Object::decode(params, "the params of an elicitation")?;
        let required = |what: &'static str| {
            params.get(what).and_then(text).ok_or(WireError::Shape { what, expected: "a string" })
        };
        let is_form = match params.get("mode").map(|_| required("mode")).transpose()?.as_deref() {
            None | Some("form") => true,
            Some("url") => false,
            Some(_) => {
                return Err(WireError::Shape { what: "mode", expected: "form or url" }.into());
            }
        };
        let message = required("message")?;
        if message.len() > limits.message_bytes_max {
            let max = limits.message_bytes_max;
            return Err(WireError::TooLarge { what: "a message in bytes", max }.into());
        }
        if is_form {
            return Self::decode_form(&message, &params, limits);
        }
        Ok(Self::Url(UrlRequest::new(&message, &required("url")?)?))
    }

    fn decode_form(message: &str, params: &Object<'_>, limits: &Limits) -> Result<Self, Fault> {
        let schema = params
            .get("requestedSchema")
            .ok_or(WireError::Shape { what: "requestedSchema", expected: "a schema" })?;
        let decoded = Decoder::new(limits.form.clone()).decode(schema).map_err(Fault::Form)?;
        let message = SafeText::paragraph(message);
        Ok(Self::Form(FormRequest { message, form: decoded.form, notes: decoded.notes }))
    }
}

impl FormRequest {
    /// Checks an answer and writes the `ElicitResult`. It is the content that is bounded, as it is
    /// where it is read.
    pub(crate) fn answer(
        &self,
        response: Response,
        limits: &form_model::Limits,
    ) -> Result<String, AnswerError> {
        match response {
            Response::Accept(content) => {
                let answer = self.form.accept(content).map_err(AnswerError::Invalid)?;
                let (content, bytes_max) = (answer.to_json(), limits.answer_bytes_max);
                if content.len() > bytes_max {
                    return Err(AnswerError::TooLarge { bytes_max });
                }
                Ok(alloc::format!(r#"{{"action":"accept","content":{content}}}"#))
            }
            Response::Consent | Response::Sampled(_) | Response::Roots(_) => {
                Err(AnswerError::WrongKind)
            }
            Response::Decline => Ok(DECLINED.into()),
            Response::Dismiss => Ok(DISMISSED.into()),
        }
    }
}

impl UrlRequest {
    /// Checks an answer and writes the `ElicitResult`.
    pub(crate) fn answer(&self, response: &Response) -> Result<String, AnswerError> {
        match response {
            Response::Consent => Ok(CONSENTED.into()),
            Response::Accept(_) | Response::Sampled(_) | Response::Roots(_) => {
                Err(AnswerError::WrongKind)
            }
            Response::Decline => Ok(DECLINED.into()),
            Response::Dismiss => Ok(DISMISSED.into()),
        }
    }
}

/// Writes a form as an input request.
#[cfg(feature = "request-state")]
pub(crate) fn write_form_request(message: &str, form: &Form, json: &mut String) {
    json.push_str(r#"{"method":"elicitation/create","params":{"mode":"form","message":"#);
    super::write_text(message, json);
    json.push_str(r#","requestedSchema":"#);
    json.push_str(&form.to_schema());
    json.push_str("}}");
}

/// Is the answer to an interaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// A person sent the form, with this content. It is checked against the form before it goes out.
    Accept(Content),
    /// A person agreed to open the URL. Whether they are done there, the server finds out itself.
    Consent,
    /// A person said no, to a form or a URL.
    Decline,
    /// A person closed a form or a URL without an answer. On the wire this is `cancel`.
    Dismiss,
    /// A model answered: a `CreateMessageResult`.
    Sampled(RawJson),
    /// The roots: a `ListRootsResult`.
    Roots(RawJson),
}

impl From<Submission> for Response {
    fn from(submission: Submission) -> Self {
        match submission {
            Submission::Accept(answer) => Self::Accept(answer.into()),
            Submission::Decline => Self::Decline,
            Submission::Dismiss => Self::Dismiss,
        }
    }
}

impl Response {
    /// Decodes an `ElicitResult` (elicitation, response actions). Content counts only with accept,
    /// and accept without content is an empty one.
    ///
    /// # Errors
    ///
    /// A text that has not that shape.
    pub fn decode(json: &str, limits: &form_model::Limits) -> Result<Self, WireError> {
        let object = Object::decode(json, "an elicitation result")?;
        let action = object
            .get("action")
            .and_then(text)
            .ok_or(WireError::Shape { what: "action", expected: "a string" })?;
        match action.as_ref() {
            "accept" => match object.non_null("content") {
                None => Ok(Self::Accept(Content::new())),
                Some(content) => {
                    Content::decode(content, limits).map(Self::Accept).map_err(content_error)
                }
            },
            "decline" => Ok(Self::Decline),
            "cancel" => Ok(Self::Dismiss),
            _ => Err(WireError::Shape { what: "action", expected: "accept, decline or cancel" }),
        }
    }
}

fn content_error(error: ContentError) -> WireError {
    match error {
        ContentError::OverLimit { bytes_max: max } => {
            WireError::TooLarge { what: "content in bytes", max }
        }
        ContentError::Duplicate => WireError::Duplicate { what: "content" },
        ContentError::NotAnObject | _ => {
            WireError::Shape { what: "content", expected: "an object of answers" }
        }
    }
}

/// The `ElicitResult` of a person who agreed to open a URL.
const CONSENTED: &str = r#"{"action":"accept"}"#;

/// The `ElicitResult` of a person who said no.
const DECLINED: &str = r#"{"action":"decline"}"#;

/// The `ElicitResult` of a person who closed the form.
const DISMISSED: &str = r#"{"action":"cancel"}"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Result<Response, WireError> {
        Response::decode(json, &form_model::Limits::default())
    }

    /// proves: W-06
    #[test]
    fn the_three_actions_stay_apart() {
        let content = Content::new().with_text("name", "octocat");
        let accept = r#"{"action":"accept","content":{"name":"octocat"}}"#;
        assert_eq!(decode(accept), Ok(Response::Accept(content)));
        assert_eq!(decode(r#"{"action":"accept"}"#), Ok(Response::Accept(Content::new())));
        assert_eq!(decode(DECLINED), Ok(Response::Decline));
        assert_eq!(decode(DISMISSED), Ok(Response::Dismiss));
        let large =
            alloc::format!(r#"{{"action":"accept","content":{{"a":"{}"}}}}"#, "x".repeat(300_000));
        assert_eq!(
            decode(&large),
            Err(WireError::TooLarge { what: "content in bytes", max: 262_144 })
        );
        // Content beside a refusal is no answer.
        assert_eq!(decode(r#"{"action":"decline","content":{"a":1}}"#), Ok(Response::Decline));
        assert_eq!(
            decode(r#"{"action":"decline","resultType":"complete"}"#),
            Ok(Response::Decline)
        );
    }

    /// proves: W-07
    #[test]
    fn what_is_no_elicitation_result_is_refused() {
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
        ] {
            assert!(decode(wrong).is_err(), "{wrong}");
        }
    }
}
