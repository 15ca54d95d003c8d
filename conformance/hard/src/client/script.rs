//! The script of the scripted server: one step for each leg of a call.

use core::time::Duration;

/// The placeholder for the id of the request.
pub(crate) const ID: &str = "%ID%";
/// The placeholder for the argument `n` of the call.
pub(crate) const N: &str = "%N%";
/// The placeholder for the URL of the scripted server, without its path.
pub(crate) const HERE: &str = "%HERE%";
/// The placeholder for the URL of a second server, which the client does not know.
pub(crate) const ELSEWHERE: &str = "%ELSEWHERE%";

/// The state of most rounds, as JSON. Checks search for it where it must not be.
pub(crate) const STATE: &str = r#""opaque-7f3a9c""#;
/// The text of [`STATE`].
pub(crate) const STATE_MARK: &str = "opaque-7f3a9c";

/// An answer and its delay.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The delay.
    pub(crate) after: Duration,
    /// The answer.
    pub(crate) reply: Reply,
}

/// An answer of the scripted server. Its bytes may contain placeholders.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// One document with its status. Over stdio it is one line.
    Document { status: u16, body: Vec<u8> },
    /// Several messages: events of a stream over HTTP, lines over stdio.
    Messages(Vec<Vec<u8>>),
    /// The parts of an event stream, each after a pause. `open` is how long it stays open at the end.
    Stream { parts: Vec<(Duration, Vec<u8>)>, open: Duration },
    /// One document in several chunks, with the chunked coding over HTTP.
    Chunks(Vec<Vec<u8>>),
    /// A whole response with its head. The head may declare a longer body.
    Bytes(Vec<u8>),
    /// No answer: the connection closes.
    Hangup,
    /// No answer: the connection stays open.
    Silence,
}

/// All answers of a scripted server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The answers to the legs of the call. The last one repeats.
    pub(crate) legs: Vec<Step>,
    /// Answers to other methods, in place of the correct ones.
    pub(crate) others: Vec<(&'static str, Step)>,
}

impl Step {
    /// Delays the answer.
    pub(crate) fn late(mut self, millis: u64) -> Self {
        self.after = Duration::from_millis(millis);
        self
    }

    /// Sets the status.
    pub(crate) fn with_status(mut self, code: u16) -> Self {
        if let Reply::Document { status, .. } = &mut self.reply {
            *status = code;
        }
        self
    }

    /// Puts other messages before the answer.
    pub(crate) fn behind(self, messages: &[&str]) -> Self {
        let mut all: Vec<Vec<u8>> = messages.iter().map(|text| text.as_bytes().to_vec()).collect();
        if let Reply::Document { body, .. } = self.reply {
            all.push(body);
        }
        reply(Reply::Messages(all))
    }

    /// Returns the answer as text.
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

/// Answers with any bytes as one document.
pub(crate) fn document(body: impl Into<Vec<u8>>) -> Step {
    reply(Reply::Document { status: 200, body: body.into() })
}

/// Answers with exactly this head and body. The response ends with the connection, or where its head
/// says.
pub(crate) fn response(head: &str, body: &str) -> Step {
    let text = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}");
    reply(Reply::Bytes(text.into_bytes()))
}

/// Answers with a result.
pub(crate) fn result(result: &str) -> Step {
    document(message(ID, result))
}

/// Returns a JSON-RPC response with a result.
pub(crate) fn message(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Answers with a JSON-RPC error.
pub(crate) fn error(error: &str) -> Step {
    document(format!(r#"{{"jsonrpc":"2.0","id":{ID},"error":{error}}}"#))
}

/// Answers with the complete result of a tool.
pub(crate) fn complete(text: &str) -> Step {
    result(&complete_result(text))
}

/// Answers with a complete prompt.
pub(crate) fn prompt(text: &str) -> Step {
    let content = format!(r#"{{"type":"text","text":"{text}"}}"#);
    let message = format!(r#"{{"role":"user","content":{content}}}"#);
    result(&format!(r#"{{"resultType":"complete","messages":[{message}]}}"#))
}

/// Answers with a complete resource.
pub(crate) fn resource(text: &str) -> Step {
    let content = format!(r#"{{"uri":"ask://resource","text":"{text}"}}"#);
    result(&format!(
        r#"{{"resultType":"complete","contents":[{content}],"ttlMs":0,"cacheScope":"private"}}"#
    ))
}

/// Returns the complete result of a tool.
pub(crate) fn complete_result(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap_or_default();
    format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":{text}}}]}}"#)
}

/// Answers with a round: requests, and a state if there is one, both as JSON.
pub(crate) fn asks(requests: &str, state: Option<&str>) -> Step {
    result(&round(Some(requests), state))
}

/// Answers with a state-only round.
pub(crate) fn waits(state: &str) -> Step {
    result(&round(None, Some(state)))
}

/// Returns an `input_required` result.
pub(crate) fn round(requests: Option<&str>, state: Option<&str>) -> String {
    let mut members = String::from(r#""resultType":"input_required""#);
    for (name, value) in [("inputRequests", requests), ("requestState", state)] {
        if let Some(value) = value {
            members.push_str(&format!(r#","{name}":{value}"#));
        }
    }
    format!("{{{members}}}")
}

/// The schema of most forms: one required text.
pub(crate) const VALUE: &str =
    r#"{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}"#;

/// Returns a request for a form.
pub(crate) fn form(schema: &str) -> String {
    let params = format!(r#"{{"mode":"form","message":"Please","requestedSchema":{schema}}}"#);
    format!(r#"{{"method":"elicitation/create","params":{params}}}"#)
}

/// Returns an object with one request.
pub(crate) fn under(key: &str, request: &str) -> String {
    let key = serde_json::to_string(key).unwrap_or_default();
    format!("{{{key}:{request}}}")
}

/// Answers with a round that asks for `value` under the key `k`.
pub(crate) fn asks_value(state: Option<&str>) -> Step {
    result(&value_round(state))
}

/// Returns a result that asks for `value` under the key `k`.
pub(crate) fn value_round(state: Option<&str>) -> String {
    round(Some(&under("k", &form(VALUE))), state)
}

/// Returns a request of the server that stands outside a result.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Returns a request for a text of a model, with further members of its params.
pub(crate) fn sampling(more: &str) -> String {
    let content = r#"{"type":"text","text":"hello"}"#;
    let messages = format!(r#"[{{"role":"user","content":{content}}}]"#);
    let params = format!(r#"{{"messages":{messages},"maxTokens":10{more}}}"#);
    format!(r#"{{"method":"sampling/createMessage","params":{params}}}"#)
}

/// A request for the roots.
pub(crate) const ROOTS: &str = r#"{"method":"roots/list","params":{}}"#;

/// Returns a request to open a URL.
pub(crate) fn url(url: &str) -> String {
    let params = format!(r#"{{"mode":"url","message":"Please","url":"{url}"}}"#);
    format!(r#"{{"method":"elicitation/create","params":{params}}}"#)
}
