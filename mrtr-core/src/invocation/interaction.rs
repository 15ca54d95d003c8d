//! A question to somebody, and what counts as an answer to it.

use alloc::string::String;

use super::{Claims, Fault, Misuse};
use crate::{
    Limits,
    wire::{
        AnswerError, Capabilities, Elicitation, FormRequest, Object, RawJson, Response,
        SamplingRequest, UrlRequest, WireError, check_roots, check_sampled, text,
    },
};

/// Is a question to somebody.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Interaction {
    /// A form for a person to fill in.
    Form(FormRequest),
    /// A URL for a person to open.
    Url(UrlRequest),
    /// A request to a model.
    Sampling(SamplingRequest),
    /// A request to list the roots.
    Roots,
}

impl Interaction {
    /// Decodes one request of a round, which the call must have claimed that it can answer.
    pub(super) fn decode(
        request: &RawJson,
        claims: Claims,
        limits: &Limits,
    ) -> Result<Self, Fault> {
        let object = Object::decode(request.as_str(), "an input request")?;
        let method = object
            .get("method")
            .and_then(text)
            .ok_or(WireError::Shape { what: "an input request", expected: "one with a method" })?;
        let params = || {
            let expected = "one with params";
            object.get("params").ok_or(WireError::Shape { what: "an input request", expected })
        };
        let interaction = match method.as_ref() {
            "elicitation/create" => Elicitation::decode(params()?, limits)?.into(),
            "sampling/createMessage" => Self::Sampling(SamplingRequest::decode(params()?)?),
            "roots/list" => match object.get("params") {
                None => Self::Roots,
                Some(params) => {
                    Object::decode(params, "the params of roots")?;
                    Self::Roots
                }
            },
            _ => {
                let expected = "elicitation/create, sampling/createMessage or roots/list";
                let what = "the method of an input request";
                return Err(WireError::Shape { what, expected }.into());
            }
        };
        let missing = claims.capabilities().missing(interaction.needs());
        match interaction.kind_of(missing) {
            Some(kind) => Err(Fault::Undeclared { kind }),
            None => Ok(interaction),
        }
    }

    /// Returns the capabilities that the call must have claimed.
    const fn needs(&self) -> Capabilities {
        match self {
            Self::Form(_) => Capabilities { form: true, ..Capabilities::NONE },
            Self::Url(_) => Capabilities { url: true, ..Capabilities::NONE },
            Self::Sampling(request) => request.needs(),
            Self::Roots => Capabilities { roots: true, ..Capabilities::NONE },
        }
    }

    /// Names what is missing. `None`: nothing is.
    const fn kind_of(&self, missing: Capabilities) -> Option<&'static str> {
        match self {
            _ if missing.is_empty() => None,
            Self::Form(_) => Some("form elicitation"),
            Self::Url(_) => Some("URL elicitation"),
            Self::Sampling(_) if missing.sampling_tools => Some("sampling with tools"),
            Self::Sampling(_) if missing.sampling_context => Some("sampling with context"),
            Self::Sampling(_) => Some("sampling"),
            Self::Roots => Some("roots"),
        }
    }

    /// Checks an answer and writes what goes to the server: the bare result, nothing around it.
    pub(super) fn answer(
        &self,
        response: Response,
        limits: &form_model::Limits,
    ) -> Result<String, Misuse> {
        match (self, response) {
            (Self::Form(request), response) => Ok(request.answer(response, limits)?),
            (Self::Url(request), response) => Ok(request.answer(&response)?),
            (Self::Sampling(_), Response::Sampled(result)) => {
                check_sampled(result.as_str()).map_err(Misuse::Malformed)?;
                bounded(&result, limits)
            }
            (Self::Roots, Response::Roots(result)) => {
                check_roots(result.as_str()).map_err(Misuse::Malformed)?;
                bounded(&result, limits)
            }
            (
                Self::Sampling(_) | Self::Roots,
                Response::Accept(_)
                | Response::Consent
                | Response::Decline
                | Response::Dismiss
                | Response::Sampled(_)
                | Response::Roots(_),
            ) => Err(Misuse::WrongKind),
        }
    }
}

/// Takes what no form has bounded.
fn bounded(result: &RawJson, limits: &form_model::Limits) -> Result<String, Misuse> {
    let bytes_max = limits.answer_bytes_max;
    if result.as_str().len() > bytes_max {
        return Err(Misuse::TooLarge { bytes_max });
    }
    Ok(result.as_str().into())
}

impl From<Elicitation> for Interaction {
    fn from(elicitation: Elicitation) -> Self {
        match elicitation {
            Elicitation::Form(request) => Self::Form(request),
            Elicitation::Url(request) => Self::Url(request),
        }
    }
}

impl From<AnswerError> for Misuse {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::WrongKind => Self::WrongKind,
            AnswerError::Invalid(faults) => Self::Invalid(faults),
            AnswerError::TooLarge { bytes_max } => Self::TooLarge { bytes_max },
        }
    }
}
