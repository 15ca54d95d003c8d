//! A model that a server wants to ask, and the roots that it wants to know.

use alloc::vec::Vec;
use core::fmt;

use serde_json::value::RawValue;

use super::{Capabilities, Object, RawJson, WireError, text};

/// Is a request to a model (sampling). Its messages pass through.
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The params, exactly as they came: `messages`, `maxTokens` and what else there is.
    pub params: RawJson,
    /// Whether the model may use tools.
    pub uses_tools: bool,
    /// Whether context of servers is to be included.
    pub uses_context: bool,
}

impl fmt::Debug for SamplingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SamplingRequest({} bytes)", self.params.as_str().len())
    }
}

impl SamplingRequest {
    /// Reads the params, as far as it is decided on them.
    pub(crate) fn decode(params: &str) -> Result<Self, WireError> {
        let object = Object::decode(params, "the params of sampling")?;
        let messages = object.get("messages").and_then(elements).ok_or(MESSAGES)?;
        messages.iter().try_for_each(|message| check_message(message.get()))?;
        let tokens =
            object.get("maxTokens").and_then(|json| json.parse::<form_model::Number>().ok());
        if !tokens.is_some_and(|tokens| tokens.is_integer() && tokens > form_model::Number::ZERO) {
            return Err(WireError::Shape { what: "maxTokens", expected: "a positive integer" });
        }
        for (name, is_shaped) in SHAPES {
            if object.get(name).is_some_and(|json| !is_shaped(json)) {
                return Err(WireError::Shape { what: name, expected: "one of the specification" });
            }
        }
        let uses_context = match object.get("includeContext").map(text) {
            None => false,
            Some(Some(context)) => match context.as_ref() {
                "none" => false,
                "thisServer" | "allServers" => true,
                _ => return Err(INCLUDE_CONTEXT),
            },
            Some(None) => return Err(INCLUDE_CONTEXT),
        };
        Ok(Self {
            params: RawJson::part(params),
            uses_tools: object.get("tools").is_some() || object.get("toolChoice").is_some(),
            uses_context,
        })
    }

    /// Returns the capabilities that a client must declare to be asked this.
    pub(crate) const fn needs(&self) -> Capabilities {
        Capabilities {
            sampling: true,
            sampling_tools: self.uses_tools,
            sampling_context: self.uses_context,
            ..Capabilities::NONE
        }
    }
}

type Check = fn(&str) -> bool;

/// The members that pass through, and whether each can be what its name says.
const SHAPES: [(&str, Check); 7] = [
    ("systemPrompt", |json| text(json).is_some()),
    ("stopSequences", |json| json.starts_with('[')),
    ("temperature", |json| json.starts_with(|first: char| first == '-' || first.is_ascii_digit())),
    ("modelPreferences", |json| json.starts_with('{')),
    ("metadata", |json| json.starts_with('{')),
    ("tools", |json| json.starts_with('[')),
    ("toolChoice", |json| json.starts_with('{')),
];

const MESSAGES: WireError =
    WireError::Shape { what: "messages", expected: "an array of messages with role and content" };

fn elements(json: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json).ok()
}

fn check_message(json: &str) -> Result<(), WireError> {
    let object = Object::decode(json, "a message of sampling").map_err(|_| MESSAGES)?;
    let role = object.get("role").and_then(text);
    let has_content = object.get("content").is_some_and(|json| json.starts_with(['{', '[']));
    match role.as_deref() {
        Some("user" | "assistant") if has_content => Ok(()),
        _ => Err(MESSAGES),
    }
}

const INCLUDE_CONTEXT: WireError =
    WireError::Shape { what: "includeContext", expected: "none, thisServer or allServers" };

/// Checks that a text is a `CreateMessageResult`, as far as its kind goes.
pub(crate) fn check_sampled(json: &str) -> Result<(), WireError> {
    let object = Object::decode(json, "a sampling result")?;
    let is_content = |json: &str| json.starts_with(['{', '[']);
    match object.get("role").and_then(text).as_deref() {
        Some("assistant" | "user") => {}
        _ => return Err(WireError::Shape { what: "role", expected: "assistant or user" }),
    }
    if object.get("model").and_then(text).is_none() {
        return Err(WireError::Shape { what: "model", expected: "a string" });
    }
    if !object.get("content").is_some_and(is_content) {
        return Err(WireError::Shape { what: "content", expected: "an object or an array" });
    }
    Ok(())
}

/// Checks that a text is a `ListRootsResult`.
pub(crate) fn check_roots(json: &str) -> Result<(), WireError> {
    let object = Object::decode(json, "a roots result")?;
    let malformed = WireError::Shape { what: "roots", expected: "an array of objects with a uri" };
    let roots = object.get("roots").and_then(elements).ok_or(malformed)?;
    for root in roots {
        let root = Object::decode(root.get(), "a root")?;
        if root.get("uri").and_then(text).is_none() {
            return Err(malformed);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let request = SamplingRequest::decode(params).unwrap();
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
            assert!(SamplingRequest::decode(wrong).is_err(), "{wrong}");
        }
    }

    /// proves: W-07
    #[test]
    fn results_of_a_model_and_of_roots_have_their_shapes() {
        let sampled =
            r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#;
        assert_eq!(check_sampled(sampled), Ok(()));
        for wrong in [
            "7",
            "{}",
            r#"{"role":"system","model":"m","content":{}}"#,
            r#"{"role":"assistant","content":{}}"#,
            r#"{"role":"assistant","model":"m","content":"Paris"}"#,
            r#"{"action":"accept"}"#,
        ] {
            assert!(check_sampled(wrong).is_err(), "{wrong}");
        }
        for right in [r#"{"roots":[]}"#, r#"{"roots":[{"uri":"file:///a","name":"A"}],"_meta":{}}"#]
        {
            assert_eq!(check_roots(right), Ok(()));
        }
        for wrong in
            ["[]", "{}", r#"{"roots":{}}"#, r#"{"roots":[7]}"#, r#"{"roots":[{"name":"A"}]}"#]
        {
            assert!(check_roots(wrong).is_err(), "{wrong}");
        }
    }
}
