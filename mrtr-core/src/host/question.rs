//! The question of a provider, and the pending question that the host owns.

use alloc::{borrow::Cow, sync::Arc};
use core::fmt;

use form_model::{Form, SafeText};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ConnectionId, InteractionId, Limits, codec};
use crate::{
    InvocationId,
    codec::{Strict, present},
    id::{RegistrationId, SessionId, ToolCallId, TurnId},
    wire::{
        Decision, Elicitation, FormRequest, InputResponse, InvalidRequest, Json, RawJson,
        ResponseError, UrlRequest, WireError, Writer, within,
    },
};

/// Who asks, in the provider's own words. These names are for display only: no decision depends on
/// them. A surface must mark them as unverified.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Requester {
    /// The provider's name for itself.
    pub provider: SafeText,
    /// The provider's name for the server.
    pub server: SafeText,
    /// The provider's name for the tool.
    pub tool: SafeText,
}

impl Requester {
    /// Makes a requester from three names.
    #[must_use]
    pub fn new(provider: &str, server: &str, tool: &str) -> Self {
        let [provider, server, tool] = [provider, server, tool].map(SafeText::line);
        Self { provider, server, tool }
    }
}

/// The output has the lengths of the names only: the names are the provider's words.
impl fmt::Debug for Requester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [provider, server, tool] =
            [&self.provider, &self.server, &self.tool].map(|name| name.raw().len());
        write!(f, "Requester(names of {provider}, {server} and {tool} bytes)")
    }
}

/// A question to a person, as a provider sends it to the host.
///
/// ```
/// use form_model::Form;
/// use mrtr_core::host::{Limits, Question, Requester};
///
/// let form = Form::from_schema(r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#)?;
/// let requester = Requester::new("files", "github", "delete");
/// let question = Question::form("Really?", form, requester);
/// let json = question.to_json();
/// assert_eq!(Question::decode(json.as_json(), &Limits::default())?, question);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Question {
    /// Who asks, in the provider's words.
    pub requester: Requester,
    /// The form or the URL. A form has no notes.
    pub elicitation: Elicitation,
}

/// An answer that was checked.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct CheckedAnswer {
    pub(super) decision: Decision,
    /// The result for the provider.
    pub(super) result: RawJson,
}

impl Question {
    /// Makes a question from an elicitation of a server. The notes of its form
    /// ([`FormRequest::notes`]) are dropped, because a frame does not carry them.
    #[must_use]
    pub fn new(elicitation: Elicitation, requester: Requester) -> Self {
        let elicitation = match elicitation {
            Elicitation::Form(request) => {
                Elicitation::Form(FormRequest::new(request.message.raw(), request.form))
            }
            Elicitation::Url(_) => elicitation,
        };
        Self { requester, elicitation }
    }

    /// Makes a question with a form. Limits are not checked here: the host checks them when it
    /// decodes the question.
    #[must_use]
    pub fn form(message: &str, form: Form, requester: Requester) -> Self {
        Self { requester, elicitation: Elicitation::Form(FormRequest::new(message, form)) }
    }

    /// Decodes a question from an untrusted sender.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRequest`] if the value is over a limit, does not have the shape of a
    /// question, or has a form or a URL that cannot be shown.
    pub fn decode(json: Json<'_>, limits: &Limits) -> Result<Self, InvalidRequest> {
        let check_size = |json: &str| {
            within(json.len(), "an interaction request in bytes", limits.request_bytes_max)
        };
        let wrong = WireError::shape(
            "an interaction request",
            "a form or a url, a message and a requester, and nothing else",
        );
        check_size(json.as_str())?;
        let Text { form, url, message, requester: Strict(names) } =
            codec::decode(json, wrong.clone())?;
        within(message.len(), "a message in bytes", limits.message_bytes_max)?;
        for name in [&names.provider, &names.server, &names.tool] {
            within(name.len(), "the name of a requester in bytes", limits.label_bytes_max)?;
        }
        let requester = Requester::new(&names.provider, &names.server, &names.tool);
        match (form, url) {
            (Some(form), None) if form.get() != "null" => {
                let form = Form::from_canonical(form.get(), &limits.form);
                let form = form.map_err(InvalidRequest::Form)?;
                let question = Self::form(&message, form, requester);
                // The stored form of a question must be within the same limits. Only a number such
                // as 1e15 can become longer, and by less than eight times.
                if json.as_str().len() > limits.request_bytes_max / 8 {
                    check_size(question.to_json().as_str())?;
                }
                Ok(question)
            }
            (None, Some(url)) => {
                let elicitation = Elicitation::Url(UrlRequest::new(&message, &url)?);
                Ok(Self { requester, elicitation })
            }
            (Some(_), Some(_) | None) | (None, None) => Err(wrong.into()),
        }
    }

    /// Writes the question in the form that [`Question::decode`] reads.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        // The writer copies the form's text; serde would parse it again.
        RawJson::composed(Writer::object(|question| {
            match &self.elicitation {
                Elicitation::Form(asked) => question.json("form", &asked.form.to_canonical()),
                Elicitation::Url(asked) => question.text("url", &asked.url),
            }
            question.text("message", self.elicitation.message().raw());
            question.nested("requester", |requester| {
                requester.text("provider", self.requester.provider.raw());
                requester.text("server", self.requester.server.raw());
                requester.text("tool", self.requester.tool.raw());
            });
        }))
    }

    /// Checks an answer.
    pub(super) fn check(
        &self,
        response: InputResponse,
        limits: &form_model::Limits,
    ) -> Result<CheckedAnswer, ResponseError> {
        let decision = response.decision().ok_or(ResponseError::WrongKind)?;
        let result = self.elicitation.expected().check(response)?.encode(limits)?;
        Ok(CheckedAnswer { decision, result })
    }
}

/// A question as text. It has either `form` or `url`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    form: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    url: Option<Cow<'a, str>>,
    message: Cow<'a, str>,
    requester: Strict<Names<'a>>,
}

/// The names of a requester as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names<'a> {
    provider: Cow<'a, str>,
    server: Cow<'a, str>,
    tool: Cow<'a, str>,
}

/// What an invocation is bound to, from its start to its end. The broker sets it, and a provider
/// cannot change it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Owner {
    /// The invocation.
    pub invocation: InvocationId,
    /// The session whose people are asked.
    pub session: SessionId,
    /// The turn of the session.
    pub turn: TurnId,
    /// The tool call of the turn.
    pub tool_call: ToolCallId,
    /// The registration that executes the invocation.
    pub registration: RegistrationId,
    /// The connection of the registration when the invocation began.
    pub connection: ConnectionId,
}

/// A question that waits for an answer. The host owns it; surfaces show it.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct PendingInteraction {
    /// The id, which an answer names.
    pub id: InteractionId,
    /// The owner: everything that its invocation is bound to.
    pub owner: Arc<Owner>,
    /// The question, and who asks it.
    pub question: Question,
}
