//! What the scripted server says: one step for each leg of the call.

use core::time::Duration;

/// Stands in for the id of the request that is answered.
pub(crate) const ID: &str = "%ID%";
/// Stands in for the argument `n` of the call.
pub(crate) const N: &str = "%N%";
/// Stands in for the URL of the scripted server, without its path.
pub(crate) const HERE: &str = "%HERE%";
/// Stands in for the URL of another server, which the client was never told of.
pub(crate) const ELSEWHERE: &str = "%ELSEWHERE%";

/// The state of rounds in which it is not the point. It is looked for where it may not be.
pub(crate) const STATE: &str = r#""opaque-7f3a9c""#;
/// What is looked for.
pub(crate) const STATE_MARK: &str = "opaque-7f3a9c";

/// An answer, and when it comes.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// How long the server takes.
    pub(crate) after: Duration,
    /// The answer.
    pub(crate) reply: Reply,
}

/// An answer of the scripted server. Bytes may hold the placeholders.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// One document with its status: over stdio, one line.
    Document { status: u16, body: Vec<u8> },
    /// Messages one after another: over HTTP the events of a stream, over stdio lines.
    Messages(Vec<Vec<u8>>),
    /// The bytes of an event stream, each after a pause, and how long it stays open at the end.
    Stream { parts: Vec<(Duration, Vec<u8>)>, open: Duration },
    /// One document in chunks: over HTTP with the chunked coding.
    Chunks(Vec<Vec<u8>>),
    /// All of a response, its head too. What it declares need not come.
    Bytes(Vec<u8>),
    /// Nothing, and the connection is closed.
    Hangup,
    /// Nothing, and the connection stays open.
    Silence,
}

/// What a scripted server does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// What it answers to the legs of the call; the last step again and again.
    pub(crate) legs: Vec<Step>,
    /// What it answers to other methods, instead of what is sound.
    pub(crate) others: Vec<(&'static str, Step)>,
}

impl Step {
    /// Comes later.
    pub(crate) fn late(mut self, millis: u64) -> Self {
        self.after = Duration::from_millis(millis);
        self
    }

    /// Comes with another status.
    pub(crate) fn with_status(mut self, code: u16) -> Self {
        if let Reply::Document { status, .. } = &mut self.reply {
            *status = code;
        }
        self
    }

    /// Comes as the last of several messages.
    pub(crate) fn behind(self, messages: &[&str]) -> Self {
        let mut all: Vec<Vec<u8>> = messages.iter().map(|text| text.as_bytes().to_vec()).collect();
        if let Reply::Document { body, .. } = self.reply {
            all.push(body);
        }
        reply(Reply::Messages(all))
    }

    /// Returns the document that this step sends, if it sends one.
    pub(crate) fn body(&self) -> String {
        match &self.reply {
            Reply::Document { body, .. } | Reply::Bytes(body) => {
                String::from_utf8_lossy(body).into()
            }
            Reply::Messages(parts) | Reply::Chunks(parts) => {
                String::from_utf8_lossy(&parts.concat()).into()
            }
            Reply::Stream { parts, .. } => {
                parts.iter().map(|(_, part)| String::from_utf8_lossy(part)).collect()
            }
            Reply::Hangup => "nothing, and closes the connection".into(),
            Reply::Silence => "nothing".into(),
        }
    }
}

/// Answers at once.
pub(crate) fn reply(reply: Reply) -> Step {
    Step { after: Duration::ZERO, reply }
}

/// Answers with a document, whatever it holds.
pub(crate) fn document(body: impl Into<Vec<u8>>) -> Step {
    reply(Reply::Document { status: 200, body: body.into() })
}

/// Answers with a response whose head and body are as they are written here. It ends with the
/// connection, or where its head says.
pub(crate) fn response(head: &str, body: &str) -> Step {
    let text = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}");
    reply(Reply::Bytes(text.into_bytes()))
}

/// Answers with a result.
pub(crate) fn result(result: &str) -> Step {
    document(message(ID, result))
}

/// Writes a result of JSON-RPC under an id, as JSON.
pub(crate) fn message(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Answers with a JSON-RPC error.
pub(crate) fn error(error: &str) -> Step {
    document(format!(r#"{{"jsonrpc":"2.0","id":{ID},"error":{error}}}"#))
}

/// Answers that a tool's call is complete, with a text.
pub(crate) fn complete(text: &str) -> Step {
    result(&complete_result(text))
}

/// Answers that a prompt is complete, with a text.
pub(crate) fn prompt(text: &str) -> Step {
    let content = format!(r#"{{"type":"text","text":"{text}"}}"#);
    let message = format!(r#"{{"role":"user","content":{content}}}"#);
    result(&format!(r#"{{"resultType":"complete","messages":[{message}]}}"#))
}

/// Answers that a resource is complete, with a text.
pub(crate) fn resource(text: &str) -> Step {
    let content = format!(r#"{{"uri":"ask://resource","text":"{text}"}}"#);
    result(&format!(
        r#"{{"resultType":"complete","contents":[{content}],"ttlMs":0,"cacheScope":"private"}}"#
    ))
}

/// Returns the result of a call that is complete.
pub(crate) fn complete_result(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap_or_default();
    format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":{text}}}]}}"#)
}

/// Asks: requests as JSON, and a state as JSON if there is one.
pub(crate) fn asks(requests: &str, state: Option<&str>) -> Step {
    result(&round(Some(requests), state))
}

/// Answers with a state alone.
pub(crate) fn waits(state: &str) -> Step {
    result(&round(None, Some(state)))
}

/// Writes a result that asks.
pub(crate) fn round(requests: Option<&str>, state: Option<&str>) -> String {
    let mut members = String::from(r#""resultType":"input_required""#);
    for (name, value) in [("inputRequests", requests), ("requestState", state)] {
        if let Some(value) = value {
            members.push_str(&format!(r#","{name}":{value}"#));
        }
    }
    format!("{{{members}}}")
}

/// The field of the forms in which the field is not the point.
pub(crate) const VALUE: &str =
    r#"{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}"#;

/// Writes a form request with a schema.
pub(crate) fn form(schema: &str) -> String {
    let params = format!(r#"{{"mode":"form","message":"Please","requestedSchema":{schema}}}"#);
    format!(r#"{{"method":"elicitation/create","params":{params}}}"#)
}

/// Writes a map with one request.
pub(crate) fn under(key: &str, request: &str) -> String {
    let key = serde_json::to_string(key).unwrap_or_default();
    format!("{{{key}:{request}}}")
}

/// Asks for the one field `value` under the key `k`.
pub(crate) fn asks_value(state: Option<&str>) -> Step {
    result(&value_round(state))
}

/// Writes a result that asks for the one field `value` under the key `k`.
pub(crate) fn value_round(state: Option<&str>) -> String {
    round(Some(&under("k", &form(VALUE))), state)
}

/// Writes a request of a server that is not embedded in a result.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Writes a request for a text of a model, with further members of its params.
pub(crate) fn sampling(more: &str) -> String {
    let content = r#"{"type":"text","text":"hello"}"#;
    let messages = format!(r#"[{{"role":"user","content":{content}}}]"#);
    let params = format!(r#"{{"messages":{messages},"maxTokens":10{more}}}"#);
    format!(r#"{{"method":"sampling/createMessage","params":{params}}}"#)
}

/// A request for the roots.
pub(crate) const ROOTS: &str = r#"{"method":"roots/list","params":{}}"#;

/// Writes a request to open a URL.
pub(crate) fn url(url: &str) -> String {
    let params = format!(r#"{{"mode":"url","message":"Please","url":"{url}"}}"#);
    format!(r#"{{"method":"elicitation/create","params":{params}}}"#)
}
