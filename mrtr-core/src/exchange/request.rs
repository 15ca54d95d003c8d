//! What a handler can ask the client's side.

use alloc::{format, string::String, vec::Vec};
use core::fmt;

use form_model::{Decoder, Form, Number};

use super::HandlerFault;
use crate::{
    Limits,
    wire::{
        Capabilities, DEPTH_MAX, RawJson, SamplingRequest, UrlRequest, WireError, check_depth,
        write_form_request, write_text,
    },
};

/// Is a question to the client's side.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// A form for a person.
    Form {
        /// What to say to the person.
        message: String,
        /// The form.
        form: Form,
    },
    /// A URL for a person to open.
    Url {
        /// What to say to the person.
        message: String,
        /// The URL.
        url: String,
    },
    /// A request to the client's model.
    Sampling(Sampling),
    /// A request to list the roots.
    Roots,
}

/// Writes how much is asked, and nothing of what is said.
impl fmt::Debug for InputRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { message, form } => write!(f, "Form({} bytes, {form:?})", message.len()),
            Self::Url { message, url } => write!(f, "Url({} bytes)", message.len() + url.len()),
            Self::Sampling(sampling) => write!(f, "{sampling:?}"),
            Self::Roots => f.write_str("Roots"),
        }
    }
}

impl InputRequest {
    /// Asks a person to fill in a form.
    #[must_use]
    pub fn form(message: impl Into<String>, form: Form) -> Self {
        Self::Form { message: message.into(), form }
    }

    /// Asks a person to open a URL: what a form must not ask, a page of the server's own can.
    #[must_use]
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url { message: message.into(), url: url.into() }
    }

    /// Asks the client's model.
    #[must_use]
    pub const fn sampling(sampling: Sampling) -> Self {
        Self::Sampling(sampling)
    }

    /// Asks for the roots.
    #[must_use]
    pub const fn roots() -> Self {
        Self::Roots
    }

    /// Returns the capabilities that a client must declare to be asked this.
    #[must_use]
    pub const fn needs(&self) -> Capabilities {
        match self {
            Self::Form { .. } => Capabilities { form: true, ..Capabilities::NONE },
            Self::Url { .. } => Capabilities { url: true, ..Capabilities::NONE },
            Self::Sampling(sampling) => sampling.needs(),
            Self::Roots => Capabilities { roots: true, ..Capabilities::NONE },
        }
    }

    /// Finds what a client would refuse, by reading it as a client does.
    pub(super) fn check(&self, limits: &Limits) -> Result<(), HandlerFault> {
        let fits = |message: &str| {
            let (what, max) = ("a message in bytes", limits.message_bytes_max);
            if message.trim().is_empty() {
                return Err(WireError::Shape {
                    what: "message",
                    expected: "one that says something",
                });
            }
            if message.len() > max { Err(WireError::TooLarge { what, max }) } else { Ok(()) }
        };
        match self {
            Self::Form { message, form } => {
                fits(message)?;
                let decoder = Decoder::new(limits.form.clone());
                decoder.decode(&form.to_schema()).map_err(HandlerFault::Form)?;
            }
            Self::Url { message, url } => {
                fits(message)?;
                UrlRequest::new(message, url)?;
            }
            Self::Sampling(sampling) => {
                let params = sampling.params();
                // Around them are the message, its result, the requests and this one.
                check_depth(&params, DEPTH_MAX - 4)?;
                SamplingRequest::decode(&params)?;
            }
            Self::Roots => {}
        }
        Ok(())
    }

    /// Writes it as JSON.
    pub(super) fn to_json(&self) -> RawJson {
        let mut json = String::new();
        self.write(&mut json);
        RawJson::composed(json)
    }

    fn write(&self, json: &mut String) {
        match self {
            Self::Form { message, form } => write_form_request(message, form, json),
            Self::Url { message, url } => {
                json.push_str(
                    r#"{"method":"elicitation/create","params":{"mode":"url","message":"#,
                );
                write_text(message, json);
                json.push_str(r#","url":"#);
                write_text(url, json);
                json.push_str("}}");
            }
            Self::Sampling(sampling) => {
                json.push_str(r#"{"method":"sampling/createMessage","params":"#);
                json.push_str(&sampling.params());
                json.push('}');
            }
            Self::Roots => json.push_str(r#"{"method":"roots/list"}"#),
        }
    }
}

/// Says whose context is to be included. Both but none are deprecated by the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncludeContext {
    /// Of this server.
    ThisServer,
    /// Of all servers that the client knows.
    AllServers,
}

/// Builds a request to the client's model. It always bounds the tokens.
///
/// ```
/// use mrtr_core::{InputRequest, exchange::Sampling};
///
/// let request = InputRequest::sampling(
///     Sampling::new(100)
///         .system_prompt("You are a helpful assistant.")
///         .user("What is the capital of France?"),
/// );
/// assert!(request.needs().sampling);
/// ```
#[derive(Clone, PartialEq)]
pub struct Sampling {
    max_tokens: u32,
    messages: Vec<String>,
    /// The other members, written.
    members: Vec<(&'static str, String)>,
    include_context: Option<IncludeContext>,
    uses_tools: bool,
}

impl fmt::Debug for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sampling({} messages)", self.messages.len())
    }
}

impl Sampling {
    /// Begins a request for at most so many tokens.
    #[must_use]
    pub const fn new(max_tokens: u32) -> Self {
        Self {
            max_tokens,
            messages: Vec::new(),
            members: Vec::new(),
            include_context: None,
            uses_tools: false,
        }
    }

    /// Adds a text of the user.
    #[must_use]
    pub fn user(self, text: &str) -> Self {
        self.text("user", text)
    }

    /// Adds a text of the assistant.
    #[must_use]
    pub fn assistant(self, text: &str) -> Self {
        self.text("assistant", text)
    }

    fn text(mut self, role: &str, text: &str) -> Self {
        let mut message = format!(r#"{{"role":"{role}","content":{{"type":"text","text":"#);
        write_text(text, &mut message);
        message.push_str("}}");
        self.messages.push(message);
        self
    }

    /// Adds a message as JSON, for content that is no text.
    #[must_use]
    pub fn message(mut self, message: &RawJson) -> Self {
        self.messages.push(message.as_str().into());
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system_prompt(self, prompt: &str) -> Self {
        let mut json = String::new();
        write_text(prompt, &mut json);
        self.member("systemPrompt", json)
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(self, temperature: Number) -> Self {
        self.member("temperature", format!("{temperature}"))
    }

    /// Sets the texts at which the model stops.
    #[must_use]
    pub fn stop_sequences(self, sequences: &[&str]) -> Self {
        let json = serde_json::to_string(sequences).unwrap_or_default();
        self.member("stopSequences", json)
    }

    /// Sets the preferences for a model, as JSON.
    #[must_use]
    pub fn model_preferences(self, preferences: &RawJson) -> Self {
        self.member("modelPreferences", preferences.as_str().into())
    }

    /// Sets what is passed through to the provider of the model, as JSON.
    #[must_use]
    pub fn metadata(self, metadata: &RawJson) -> Self {
        self.member("metadata", metadata.as_str().into())
    }

    /// Gives the model tools, as JSON. The client must have declared `sampling.tools`.
    #[must_use]
    pub fn tools(self, tools: &RawJson) -> Self {
        Self { uses_tools: true, ..self.member("tools", tools.as_str().into()) }
    }

    /// Says how the model uses its tools, as JSON. The client must have declared `sampling.tools`.
    #[must_use]
    pub fn tool_choice(self, choice: &RawJson) -> Self {
        Self { uses_tools: true, ..self.member("toolChoice", choice.as_str().into()) }
    }

    /// Includes context. The client must have declared `sampling.context`.
    #[must_use]
    pub fn include_context(self, context: IncludeContext) -> Self {
        Self { include_context: Some(context), ..self }
    }

    /// Sets a member. One that is there gets the new value.
    fn member(mut self, name: &'static str, json: String) -> Self {
        self.members.retain(|(known, _)| *known != name);
        self.members.push((name, json));
        self
    }

    const fn needs(&self) -> Capabilities {
        Capabilities {
            sampling: true,
            sampling_tools: self.uses_tools,
            sampling_context: self.include_context.is_some(),
            ..Capabilities::NONE
        }
    }

    fn params(&self) -> String {
        let (tokens, messages) = (self.max_tokens, self.messages.join(","));
        let mut json = format!(r#"{{"messages":[{messages}],"maxTokens":{tokens}"#);
        match self.include_context {
            None => {}
            Some(IncludeContext::ThisServer) => json.push_str(r#","includeContext":"thisServer""#),
            Some(IncludeContext::AllServers) => json.push_str(r#","includeContext":"allServers""#),
        }
        for (name, value) in &self.members {
            json.push_str(&format!(r#","{name}":{value}"#));
        }
        json.push('}');
        json
    }
}
