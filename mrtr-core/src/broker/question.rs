//! What a provider asks for, as it crosses the process boundary, and the question that the host owns.

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use form_model::{Form, SafeText};

use super::{ConnectionId, InteractionId, Limits, Refused, exact::Exact};
use crate::{
    InvocationId, RegistrationId, SessionId, ToolCallId, TurnId,
    wire::{Elicitation, FormRequest, RawJson, UrlRequest, WireError, Writer},
};

/// Says who asks, in the words of the provider. It is for display alone: no decision is made on it,
/// and a screen says that it is unverified.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Requester {
    /// What the provider calls itself.
    pub provider: SafeText,
    /// What it says is the name of the server.
    pub server: SafeText,
    /// What it says is the name of the tool.
    pub tool: SafeText,
}

impl Requester {
    /// Makes a requester of three names.
    #[must_use]
    pub fn new(provider: &str, server: &str, tool: &str) -> Self {
        let [provider, server, tool] = [provider, server, tool].map(SafeText::line);
        Self { provider, server, tool }
    }
}

/// Leaves the names out: they are the peer's.
impl fmt::Debug for Requester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [provider, server, tool] =
            [&self.provider, &self.server, &self.tool].map(|name| name.raw().len());
        write!(f, "Requester(names of {provider}, {server} and {tool} bytes)")
    }
}

/// Is a question to a person, as a provider asks it of the host. No word of MCP is in it.
///
/// ```
/// use form_model::Form;
/// use mrtr_core::broker::{Limits, Question, Requester};
/// use mrtr_core::wire::Elicitation;
///
/// let form = Form::from_schema(r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#)?;
/// let requester = Requester::new("files", "github", "delete");
/// let question = Question::form("Really?", form, requester);
/// let json = question.to_json();
/// assert_eq!(Question::decode(json.as_str(), &Limits::default())?, question);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Question {
    /// Who asks, in the provider's words.
    pub requester: Requester,
    /// What is asked. A form that has crossed the boundary has no notes.
    pub elicitation: Elicitation,
}

const SHAPE: WireError = WireError::Shape {
    what: "an interaction request",
    expected: "a form or a url, a message and a requester, and nothing else",
};

impl Question {
    /// Asks with a form.
    #[must_use]
    pub fn form(message: &str, form: Form, requester: Requester) -> Self {
        let message = SafeText::paragraph(message);
        let elicitation = Elicitation::Form(FormRequest { message, form, notes: Vec::new() });
        Self { requester, elicitation }
    }

    /// Passes on what a server asked its client.
    #[must_use]
    pub fn passed_on(elicitation: Elicitation, requester: Requester) -> Self {
        match elicitation {
            Elicitation::Form(request) => {
                Self::form(request.message.raw(), request.form, requester)
            }
            Elicitation::Url(_) => Self { requester, elicitation },
        }
    }

    /// Decodes a request, whoever sent it.
    ///
    /// # Errors
    ///
    /// A text that is over a limit, has not exactly the shape of a request, or asks with a form or a
    /// URL that can not be shown.
    pub fn decode(json: &str, limits: &Limits) -> Result<Self, Refused> {
        check_size(json, limits)?;
        Self::read(RawJson::parse_message(json)?.as_str(), limits)
    }

    /// Reads a request whose text is known to be JSON.
    pub(super) fn read(json: &str, limits: &Limits) -> Result<Self, Refused> {
        check_size(json, limits)?;
        let names = ["form", "url", "message", "requester"];
        let request = Exact::decode(json, &names, SHAPE)?;
        let message = request.text("message")?;
        within(&message, "a message in bytes", limits.message_bytes_max)?;
        let requester = Requester::decode(request.raw("requester")?, limits)?;
        match (request.optional("form"), request.optional("url")) {
            (Some(form), None) if form != "null" => {
                let form = Form::from_canonical(form, &limits.form).map_err(Refused::Form)?;
                let question = Self::form(&message, form, requester);
                // What is stored is written anew, and has to be read within the same limits. Only a
                // number can grow, such as 1e15, and none does eightfold.
                if json.len() > limits.request_bytes_max / 8 {
                    check_size(question.to_json().as_str(), limits)?;
                }
                Ok(question)
            }
            (None, Some(_)) => {
                let request = UrlRequest::new(&message, &request.text("url")?)?;
                Ok(Self { requester, elicitation: Elicitation::Url(request) })
            }
            (Some(_), Some(_) | None) | (None, None) => Err(SHAPE.into()),
        }
    }

    /// Writes the request, as [`Question::decode`] reads it.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        let mut request = Writer::default();
        let message = match &self.elicitation {
            Elicitation::Form(asked) => {
                request.member("form", &asked.form.to_canonical());
                &asked.message
            }
            Elicitation::Url(asked) => {
                request.text("url", &asked.url);
                &asked.message
            }
        };
        request.text("message", message.raw());
        let mut requester = Writer::default();
        requester.text("provider", self.requester.provider.raw());
        requester.text("server", self.requester.server.raw());
        requester.text("tool", self.requester.tool.raw());
        request.member("requester", &requester.end());
        RawJson::composed(request.end())
    }
}

impl Requester {
    fn decode(json: &str, limits: &Limits) -> Result<Self, Refused> {
        let names = ["provider", "server", "tool"];
        let requester = Exact::decode(json, &names, SHAPE)?;
        let read = |name| {
            let text = requester.text(name)?;
            within(&text, "the name of a requester in bytes", limits.label_bytes_max)?;
            Ok::<_, Refused>(text)
        };
        Ok(Self::new(&read("provider")?, &read("server")?, &read("tool")?))
    }
}

/// Checks the size of a request before anything reads it.
fn check_size(json: &str, limits: &Limits) -> Result<(), WireError> {
    within(json, "an interaction request in bytes", limits.request_bytes_max)
}

fn within(text: &str, what: &'static str, max: usize) -> Result<(), WireError> {
    if text.len() > max { Err(WireError::TooLarge { what, max }) } else { Ok(()) }
}

/// Says what an invocation is bound to, from its start to its end. The broker binds it, and nothing
/// that a provider says changes it.
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
    /// What executes it.
    pub registration: RegistrationId,
    /// The connection that it was registered on when the invocation began.
    pub connection: ConnectionId,
}

/// Is a question that waits for an answer. The host owns it; surfaces show it.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct PendingInteraction {
    /// Its id, which an answer names.
    pub id: InteractionId,
    /// What it is bound to.
    pub owner: Arc<Owner>,
    /// What is asked, and who says that it asks.
    pub question: Question,
}
