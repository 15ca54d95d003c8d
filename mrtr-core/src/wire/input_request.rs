//! The questions of a server: the input requests of a round.
//!
//! The client reads them, the host's broker owns them, and the server's exchange writes them. All
//! three use the types of this file.

use alloc::{borrow::Cow, vec::Vec};

use form_model::{Decoder, Form, Note, Refusal, SafeText};
use thiserror::Error;

use super::{
    Capabilities, Json, Object, RawJson, SamplingRequest, UrlRequest, WireError, Writer,
    error::within,
    input_response::{Expected, InputResponse},
};
use crate::{Limits, debug::debug};

const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

/// An input request: one question of a round, which the client's side answers.
///
/// The enum is exhaustive: a client handles each kind. The specification has no other kinds.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum InputRequest {
    /// A question to a person: `elicitation/create`.
    Elicitation(Elicitation),
    /// A request to the client's model: `sampling/createMessage`.
    Sampling(SamplingRequest),
    /// A request for the client's roots: `roots/list`.
    Roots,
}

/// A question to a person: a form or a URL.
///
/// A host's broker takes only these requests, because people answer them.
///
/// The enum is exhaustive: a surface shows both.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Elicitation {
    /// A form to fill in.
    Form(FormRequest),
    /// A URL to open.
    Url(UrlRequest),
}

/// A form for a person to fill in (elicitation, form mode).
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct FormRequest {
    /// The server's message to the person.
    pub message: SafeText,
    /// The form.
    pub form: Form,
    /// Notes on parts of the schema that the specification does not allow and that the decoder
    /// accepted. A form from a builder or from a provider has no notes.
    pub notes: Vec<Note>,
}

impl FormRequest {
    /// Makes a request from a message and a form. A surface shows a cleaned message: see
    /// [`SafeText`]. The length of the message is checked when the request is sent.
    #[must_use]
    pub fn new(message: &str, form: Form) -> Self {
        Self { message: SafeText::paragraph(message), form, notes: Vec::new() }
    }

    fn decode(message: &str, params: &Object<'_>, limits: &Limits) -> Result<Self, InvalidRequest> {
        let schema =
            params.get("requestedSchema").ok_or(WireError::shape("requestedSchema", "a schema"))?;
        let decoded = Decoder::new(limits.form.clone())
            .decode(schema.as_str())
            .map_err(InvalidRequest::Form)?;
        Ok(Self { notes: decoded.notes, ..Self::new(message, decoded.form) })
    }
}

debug!(
    FormRequest,
    |it| "FormRequest({} bytes, {} fields, {} notes)",
    it.message.raw().len(),
    it.form.fields().len(),
    it.notes.len()
);

/// Why an input request is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InvalidRequest {
    /// It does not have the shape that the specification gives it, or is over a limit.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Its form cannot be shown.
    #[error("the form cannot be shown: {0}")]
    Form(Refusal),
}

impl InputRequest {
    /// Makes a request to a person to fill in a form. Its limits are checked when it is sent.
    #[must_use]
    pub fn form(message: &str, form: Form) -> Self {
        Self::Elicitation(Elicitation::Form(FormRequest::new(message, form)))
    }

    /// Makes a request to a person to open a URL. Ask for secrets on such a page, and never with a
    /// form.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if `url` is not an absolute http or https URL.
    pub fn url(message: &str, url: &str) -> Result<Self, WireError> {
        UrlRequest::new(message, url).map(|request| Self::Elicitation(Elicitation::Url(request)))
    }

    /// Decodes one request of a round.
    pub(crate) fn decode(json: Json<'_>, limits: &Limits) -> Result<Self, InvalidRequest> {
        let what = "an input request";
        let object = Object::decode(json, what)?;
        let method = object.get("method").and_then(Json::text);
        let method = method.ok_or(WireError::shape("an input request", "one with a method"))?;
        let params = object.get("params");
        let required = params.ok_or(WireError::shape("an input request", "one with params"));
        Ok(match method.as_ref() {
            ELICITATION => Self::Elicitation(Elicitation::decode(required?, limits)?),
            SAMPLING => Self::Sampling(SamplingRequest::decode(required?)?),
            ROOTS => {
                params.map(|params| Object::decode(params, "the params of roots")).transpose()?;
                Self::Roots
            }
            _ => {
                let expected = "elicitation/create, sampling/createMessage or roots/list";
                return Err(WireError::shape("the method of an input request", expected).into());
            }
        })
    }

    fn to_json(&self) -> RawJson {
        let (method, params) = match self {
            Self::Elicitation(elicitation) => (ELICITATION, Some(elicitation.params())),
            Self::Sampling(request) => (SAMPLING, Some(request.params().clone())),
            Self::Roots => (ROOTS, None),
        };
        RawJson::composed(Writer::object(|request| {
            request.text("method", method);
            if let Some(params) = params {
                request.json("params", params.as_str());
            }
        }))
    }

    /// Writes the request, and then reads it as a client does. So it finds everything that a client
    /// would refuse.
    pub(crate) fn encode(&self, limits: &Limits) -> Result<RawJson, InvalidRequest> {
        if let Self::Elicitation(elicitation) = self
            && elicitation.message().raw().trim().is_empty()
        {
            return Err(WireError::shape("message", "one that is not empty").into());
        }
        if let Self::Sampling(request) = self {
            request.check_depth()?;
        }
        let json = self.to_json();
        Self::decode(json.as_json(), limits)?;
        Ok(json)
    }

    /// Returns the name of the kind: `form`, `url`, `sampling` or `roots`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.expected().kind()
    }

    /// Returns the kind of response that the request expects.
    pub(crate) const fn expected(&self) -> Expected<'_> {
        match self {
            Self::Elicitation(elicitation) => elicitation.expected(),
            Self::Sampling(_) => Expected::Sampling,
            Self::Roots => Expected::Roots,
        }
    }

    /// Returns the capabilities that the request needs.
    #[must_use]
    pub const fn needs(&self) -> Capabilities {
        match self {
            Self::Elicitation(Elicitation::Form(_)) => Capabilities::NONE.with_form(),
            Self::Elicitation(Elicitation::Url(_)) => Capabilities::NONE.with_url(),
            Self::Sampling(request) => request.needs(),
            Self::Roots => Capabilities::NONE.with_roots(),
        }
    }

    /// Returns the name of the first capability that the request needs and the client does not
    /// declare; `None` if it declares all.
    pub(crate) const fn undeclared(&self, declared: Capabilities) -> Option<&'static str> {
        let missing = declared.missing(self.needs());
        match self {
            _ if missing.is_empty() => None,
            Self::Elicitation(Elicitation::Form(_)) => Some("form elicitation"),
            Self::Elicitation(Elicitation::Url(_)) => Some("URL elicitation"),
            Self::Sampling(_) if missing.sampling_tools => Some("sampling with tools"),
            Self::Sampling(_) if missing.sampling_context => Some("sampling with context"),
            Self::Sampling(_) => Some("sampling"),
            Self::Roots => Some("roots"),
        }
    }
}

impl Elicitation {
    /// Returns the message to the person.
    #[must_use]
    pub const fn message(&self) -> &SafeText {
        match self {
            Self::Form(request) => &request.message,
            Self::Url(request) => &request.message,
        }
    }

    /// Decodes the `ElicitResult` for this question. For a URL, accept is read as consent. The
    /// content of a form is not checked yet.
    ///
    /// ```
    /// use form_model::Limits;
    /// use mrtr_core::wire::{Elicitation, InputResponse, Json, UrlRequest};
    ///
    /// let asked = Elicitation::Url(UrlRequest::new("Sign in", "https://example.com/in")?);
    /// let result = Json::parse(r#"{"action":"accept"}"#)?;
    /// let response = asked.decode_response(result, &Limits::default())?;
    /// assert_eq!(response, InputResponse::Consent);
    /// # Ok::<(), mrtr_core::wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`WireError`], as [`InputResponse::decode`] does.
    pub fn decode_response(
        &self,
        result: Json<'_>,
        limits: &form_model::Limits,
    ) -> Result<InputResponse, WireError> {
        self.expected().read(result, limits)
    }

    pub(crate) const fn expected(&self) -> Expected<'_> {
        match self {
            Self::Form(request) => Expected::Form(Cow::Borrowed(&request.form)),
            Self::Url(_) => Expected::Url,
        }
    }

    fn decode(params: Json<'_>, limits: &Limits) -> Result<Self, InvalidRequest> {
        let params = Object::decode(params, "the params of an elicitation")?;
        let is_form = match params.get("mode").map(|_| params.text("mode")).transpose()?.as_deref()
        {
            None | Some("form") => true,
            Some("url") => false,
            Some(_) => return Err(WireError::shape("mode", "form or url").into()),
        };
        let message = params.text("message")?;
        within(message.len(), "a message in bytes", limits.message_bytes_max)?;
        Ok(if is_form {
            Self::Form(FormRequest::decode(&message, &params, limits)?)
        } else {
            Self::Url(UrlRequest::new(&message, &params.text("url")?)?)
        })
    }

    fn params(&self) -> RawJson {
        RawJson::composed(Writer::object(|params| match self {
            Self::Form(request) => {
                params.text("mode", "form");
                params.text("message", request.message.raw());
                params.json("requestedSchema", &request.form.to_schema());
            }
            Self::Url(request) => {
                params.text("mode", "url");
                params.text("message", request.message.raw());
                params.text("url", &request.url);
            }
        }))
    }
}

impl From<Elicitation> for InputRequest {
    fn from(elicitation: Elicitation) -> Self {
        Self::Elicitation(elicitation)
    }
}

impl From<SamplingRequest> for InputRequest {
    fn from(request: SamplingRequest) -> Self {
        Self::Sampling(request)
    }
}
