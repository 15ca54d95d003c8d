//! Requests to a model, and the results of a model and of roots.

use alloc::{format, string::String, vec::Vec};

use form_model::Number;

use super::{Capabilities, DEPTH_MAX, Json, Object, RawJson, WireError, Writer, check_depth};
use crate::debug::debug;

/// A request to a model (sampling). Its messages pass through unchanged.
#[derive(Clone, PartialEq, Hash)]
pub struct SamplingRequest {
    /// The params, unchanged: `messages`, `maxTokens` and more.
    params: RawJson,
    /// Whether the model may use tools.
    uses_tools: bool,
    /// Whether the request includes context of MCP servers.
    uses_context: bool,
}

debug!(SamplingRequest, |it| "SamplingRequest({} bytes)", it.params.as_str().len());

impl SamplingRequest {
    /// Reads the params that a machine needs, and checks the shape of the others.
    pub(crate) fn decode(params: Json<'_>) -> Result<Self, WireError> {
        let object = Object::decode(params, "the params of sampling")?;
        let messages = object.get(MESSAGES).and_then(Json::elements).ok_or(MALFORMED_MESSAGES)?;
        messages.into_iter().try_for_each(check_message)?;
        let tokens = object.get(MAX_TOKENS).and_then(Json::number);
        if !tokens.is_some_and(|tokens| tokens.is_integer() && tokens > Number::ZERO) {
            return Err(WireError::shape(MAX_TOKENS, "a positive integer"));
        }
        for (name, is_shaped) in SHAPES {
            if object.get(name).is_some_and(|json| !is_shaped(json)) {
                return Err(WireError::shape(name, "one of the specification"));
            }
        }
        let context = object.get(INCLUDE_CONTEXT).map(|context| context.text().unwrap_or_default());
        let uses_context = match context.as_deref() {
            None | Some("none") => false,
            Some(context) if IncludeContext::from_name(context).is_some() => true,
            Some(_) => {
                return Err(WireError::shape(INCLUDE_CONTEXT, "none, thisServer or allServers"));
            }
        };
        Ok(Self {
            params: params.into(),
            uses_tools: object.get(TOOLS).is_some() || object.get(TOOL_CHOICE).is_some(),
            uses_context,
        })
    }

    /// Checks that a message can be written around the params.
    pub(crate) fn check_depth(&self) -> Result<(), WireError> {
        // The message, its result, the requests and this request add four levels around the params.
        check_depth(self.params.as_str(), DEPTH_MAX - 4)
    }

    /// Returns the params exactly as they came: `messages`, `maxTokens` and other members.
    #[must_use]
    pub const fn params(&self) -> &RawJson {
        &self.params
    }

    /// Returns whether the model may use tools.
    #[must_use]
    pub const fn uses_tools(&self) -> bool {
        self.uses_tools
    }

    /// Returns whether the request includes context of MCP servers.
    #[must_use]
    pub const fn uses_context(&self) -> bool {
        self.uses_context
    }

    /// Returns the capabilities that the request needs.
    #[must_use]
    pub const fn needs(&self) -> Capabilities {
        let sampling = Capabilities::NONE.with_sampling();
        let sampling = if self.uses_tools { sampling.with_sampling_tools() } else { sampling };
        if self.uses_context { sampling.with_sampling_context() } else { sampling }
    }
}

const MESSAGES: &str = "messages";
const MAX_TOKENS: &str = "maxTokens";
const SYSTEM_PROMPT: &str = "systemPrompt";
const STOP_SEQUENCES: &str = "stopSequences";
const TEMPERATURE: &str = "temperature";
const MODEL_PREFERENCES: &str = "modelPreferences";
const METADATA: &str = "metadata";
const TOOLS: &str = "tools";
const TOOL_CHOICE: &str = "toolChoice";
const INCLUDE_CONTEXT: &str = "includeContext";

type Check = fn(Json<'_>) -> bool;

/// The members that pass through, and the check of each.
const SHAPES: [(&str, Check); 7] = [
    (SYSTEM_PROMPT, |json| json.text().is_some()),
    (STOP_SEQUENCES, |json| json.is_array()),
    (TEMPERATURE, |json| json.is_number()),
    (MODEL_PREFERENCES, |json| json.is_object()),
    (METADATA, |json| json.is_object()),
    (TOOLS, |json| json.is_array()),
    (TOOL_CHOICE, |json| json.is_object()),
];

const MALFORMED_MESSAGES: WireError =
    WireError::shape(MESSAGES, "an array of messages with role and content");

fn check_message(json: Json<'_>) -> Result<(), WireError> {
    let object = Object::decode(json, "a message of sampling").map_err(|_| MALFORMED_MESSAGES)?;
    let role = object.get("role").and_then(Json::text);
    match role.as_deref() {
        Some("user" | "assistant") if object.get("content").is_some_and(is_content) => Ok(()),
        _ => Err(MALFORMED_MESSAGES),
    }
}

fn is_content(json: Json<'_>) -> bool {
    json.is_object() || json.is_array()
}

/// Checks that a value has the shape of a `CreateMessageResult`.
pub(crate) fn check_sampled(json: Json<'_>) -> Result<(), WireError> {
    let object = Object::decode(json, "a sampling result")?;
    match object.get("role").and_then(Json::text).as_deref() {
        Some("assistant" | "user") => {}
        _ => return Err(WireError::shape("role", "assistant or user")),
    }
    object.text("model")?;
    if !object.get("content").is_some_and(is_content) {
        return Err(WireError::shape("content", "an object or an array"));
    }
    Ok(())
}

/// Checks that a value is a `ListRootsResult`.
pub(crate) fn check_roots(json: Json<'_>) -> Result<(), WireError> {
    let object = Object::decode(json, "a roots result")?;
    let malformed = WireError::shape("roots", "an array of objects with a uri");
    let Some(roots) = object.get("roots").and_then(Json::elements) else { return Err(malformed) };
    for root in roots {
        let root = Object::decode(root, "a root")?;
        if root.get("uri").and_then(Json::text).is_none() {
            return Err(malformed);
        }
    }
    Ok(())
}

/// The servers whose context a model gets. Both variants are deprecated by the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncludeContext {
    /// The context of this server.
    ThisServer,
    /// The context of all servers that the client knows.
    AllServers,
}

impl IncludeContext {
    const fn name(self) -> &'static str {
        match self {
            Self::ThisServer => "thisServer",
            Self::AllServers => "allServers",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::ThisServer, Self::AllServers].into_iter().find(|context| context.name() == name)
    }
}

/// A builder of requests to a model. `maxTokens` is required: the model's answer has at most this
/// number of tokens. [`SamplingBuilder::build`] checks all values.
///
/// ```
/// use mrtr_core::wire::{InputRequest, SamplingBuilder};
///
/// let request: InputRequest = SamplingBuilder::new(100)
///     .system_prompt("You are a helpful assistant.")
///     .user("What is the capital of France?")
///     .build()?
///     .into();
/// assert!(request.needs().sampling);
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SamplingBuilder {
    max_tokens: u32,
    messages: Vec<String>,
    /// The other members, written as JSON.
    members: Vec<(&'static str, String)>,
}

debug!(SamplingBuilder, |builder| "SamplingBuilder({} messages)", builder.messages.len());

impl SamplingBuilder {
    /// Begins a request. The answer has at most `max_tokens` tokens. [`SamplingBuilder::build`]
    /// refuses 0.
    #[must_use]
    pub const fn new(max_tokens: u32) -> Self {
        Self { max_tokens, messages: Vec::new(), members: Vec::new() }
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
        self.messages.push(Writer::object(|message| {
            message.text("role", role);
            message.nested("content", |content| {
                content.text("type", "text");
                content.text("text", text);
            });
        }));
        self
    }

    /// Adds a message as JSON, for content other than text: an object with `role` and `content`.
    #[must_use]
    pub fn message(mut self, message: &RawJson) -> Self {
        self.messages.push(message.as_str().into());
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system_prompt(self, prompt: &str) -> Self {
        self.member(SYSTEM_PROMPT, serde_json::to_string(prompt).unwrap_or_default())
    }

    /// Sets the temperature. Its range is not checked.
    #[must_use]
    pub fn temperature(self, temperature: Number) -> Self {
        self.member(TEMPERATURE, format!("{temperature}"))
    }

    /// Sets the texts at which the model stops.
    #[must_use]
    pub fn stop_sequences(self, sequences: &[&str]) -> Self {
        self.member(STOP_SEQUENCES, serde_json::to_string(sequences).unwrap_or_default())
    }

    /// Sets the preferences for a model, as a JSON object.
    #[must_use]
    pub fn model_preferences(self, preferences: &RawJson) -> Self {
        self.member(MODEL_PREFERENCES, preferences.as_str().into())
    }

    /// Sets data for the provider of the model, as a JSON object.
    #[must_use]
    pub fn metadata(self, metadata: &RawJson) -> Self {
        self.member(METADATA, metadata.as_str().into())
    }

    /// Gives the model tools, as a JSON array. The client must declare `sampling.tools`.
    #[must_use]
    pub fn tools(self, tools: &RawJson) -> Self {
        self.member(TOOLS, tools.as_str().into())
    }

    /// Sets how the model uses its tools, as a JSON object. The client must declare
    /// `sampling.tools`.
    #[must_use]
    pub fn tool_choice(self, choice: &RawJson) -> Self {
        self.member(TOOL_CHOICE, choice.as_str().into())
    }

    /// Includes context. The client must declare `sampling.context`.
    #[must_use]
    pub fn include_context(self, context: IncludeContext) -> Self {
        self.member(INCLUDE_CONTEXT, format!("\"{}\"", context.name()))
    }

    /// Sets a member. A member that is set twice keeps the last value.
    fn member(mut self, name: &'static str, json: String) -> Self {
        self.members.retain(|(known, _)| *known != name);
        self.members.push((name, json));
        self
    }

    /// Builds the request.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the request is for 0 tokens, if a value has a wrong shape, or if it
    /// nests too deep to be sent.
    pub fn build(self) -> Result<SamplingRequest, WireError> {
        let json = Writer::object(|params| {
            params.json(MESSAGES, &format!("[{}]", self.messages.join(",")));
            params.display(MAX_TOKENS, self.max_tokens);
            for (name, value) in &self.members {
                params.json(name, value);
            }
        });
        // The message, its result, the requests and this request add four levels around the params.
        check_depth(&json, DEPTH_MAX - 4)?;
        SamplingRequest::decode(Json::composed(&json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text).unwrap()
    }

    fn decode(params: &str) -> Result<SamplingRequest, WireError> {
        SamplingRequest::decode(json(params))
    }

    /// proves: W-03
    #[test]
    fn a_sampling_request_has_messages_and_a_bound_of_tokens() {
        for (params, tools, context) in [
            (r#"{"messages":[],"maxTokens":1}"#, false, false),
            (
                r#"{"messages":[{"role":"user","content":[]}],"maxTokens":1e2,"tools":[]}"#,
                true,
                false,
            ),
            (r#"{"messages":[],"maxTokens":1,"toolChoice":{"mode":"none"}}"#, true, false),
            (r#"{"messages":[],"maxTokens":1,"includeContext":"none"}"#, false, false),
            (r#"{"messages":[],"maxTokens":1,"includeContext":"allServers"}"#, false, true),
        ] {
            let request = decode(params).unwrap();
            assert_eq!((request.uses_tools, request.uses_context), (tools, context), "{params}");
            assert_eq!(request.params.as_str(), params);
        }
        for wrong in [
            "[]",
            r#"{"maxTokens":1}"#,
            r#"{"messages":{},"maxTokens":1}"#,
            r#"{"messages":[{}],"maxTokens":1}"#,
            r#"{"messages":[{"role":"system","content":{}}],"maxTokens":1}"#,
            r#"{"messages":[{"role":"user","content":"hi"}],"maxTokens":1}"#,
            r#"{"messages":[],"maxTokens":1,"tools":{}}"#,
            r#"{"messages":[],"maxTokens":1,"systemPrompt":7}"#,
            r#"{"messages":[],"maxTokens":1,"temperature":"hot"}"#,
            r#"{"messages":[]}"#,
            r#"{"messages":[],"maxTokens":0}"#,
            r#"{"messages":[],"maxTokens":1.5}"#,
            r#"{"messages":[],"maxTokens":"1"}"#,
            r#"{"messages":[],"maxTokens":1,"includeContext":"everything"}"#,
            r#"{"messages":[],"maxTokens":1,"includeContext":null}"#,
            r#"{"messages":[],"messages":[],"maxTokens":1}"#,
        ] {
            assert!(decode(wrong).is_err(), "{wrong}");
        }
    }

    /// proves: W-07
    #[test]
    fn results_of_a_model_and_of_roots_have_their_shapes() {
        let sampled =
            r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#;
        assert_eq!(check_sampled(json(sampled)), Ok(()));
        for wrong in [
            "7",
            "{}",
            r#"{"role":"system","model":"m","content":{}}"#,
            r#"{"role":"assistant","content":{}}"#,
            r#"{"role":"assistant","model":"m","content":"Paris"}"#,
            r#"{"action":"accept"}"#,
        ] {
            assert!(check_sampled(json(wrong)).is_err(), "{wrong}");
        }
        for right in [r#"{"roots":[]}"#, r#"{"roots":[{"uri":"file:///a","name":"A"}],"_meta":{}}"#]
        {
            assert_eq!(check_roots(json(right)), Ok(()));
        }
        for wrong in
            ["[]", "{}", r#"{"roots":{}}"#, r#"{"roots":[7]}"#, r#"{"roots":[{"name":"A"}]}"#]
        {
            assert!(check_roots(json(wrong)).is_err(), "{wrong}");
        }
    }
}
