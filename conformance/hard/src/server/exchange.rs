//! A response, and its meaning in MCP.

use core::time::Duration;
use std::{collections::BTreeMap, io};

use serde_json::Value;

use crate::{
    check::{Problem, cut},
    http::{Response, events},
};

/// A round of a server.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) requests: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
}

/// The meaning of a response.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// A complete result, with its first text.
    Complete(String),
    /// A complete result with `isError`.
    ToolError,
    /// An `input_required` result.
    Asks(Round),
    /// A JSON-RPC error.
    Error { code: i64, data: Value },
    /// No response of MCP.
    Nothing,
}

/// A request and its response.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// The request, shortened for a person.
    pub(crate) sent: String,
    /// The response, shortened for a person.
    came_back: String,
    /// The status. `None` if there was no response.
    pub(crate) status: Option<u16>,
    /// The media type.
    pub(crate) media_type: String,
    /// Every message of the response.
    pub(crate) messages: Vec<Value>,
    pub(crate) outcome: Outcome,
    pub(crate) took: Duration,
}

impl Exchange {
    /// Reads a response.
    pub(crate) fn read(sent: String, response: io::Result<Response>, took: Duration) -> Self {
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                return Self {
                    sent,
                    came_back: format!("no response: {error}"),
                    status: None,
                    media_type: String::new(),
                    messages: Vec::new(),
                    outcome: Outcome::Nothing,
                    took,
                };
            }
        };
        let media_type = response.media_type();
        let messages: Vec<Value> = if media_type == "text/event-stream" {
            events(&response.body)
                .iter()
                .filter_map(|text| serde_json::from_str(text).ok())
                .collect()
        } else {
            serde_json::from_slice(&response.body).into_iter().collect()
        };
        let body = String::from_utf8_lossy(&response.body);
        let came_back = format!("{} {}", response.status, cut(&body, 3000));
        let outcome = messages.iter().find_map(outcome).unwrap_or(Outcome::Nothing);
        let status = Some(response.status);
        Self { sent, came_back, status, media_type, messages, outcome, took }
    }

    /// Makes a failure.
    pub(crate) fn fail(&self, expected: &str) -> Problem {
        let came_back = format!("{} (expected {expected})", self.came_back);
        Problem::Failed { sent: self.sent.clone(), came_back }
    }

    /// Returns the message with the result or the error.
    pub(crate) fn response(&self) -> Option<&Value> {
        self.messages.iter().find(|message| outcome(message).is_some())
    }

    /// Expects a complete result with this text.
    pub(crate) fn done(&self, text: &str) -> Result<(), Problem> {
        match &self.outcome {
            Outcome::Complete(found) if found == text => Ok(()),
            Outcome::Complete(_)
            | Outcome::ToolError
            | Outcome::Asks(_)
            | Outcome::Error { .. }
            | Outcome::Nothing => Err(self.fail(&format!("a complete result with text {text}"))),
        }
    }

    /// Expects a round with exactly these keys.
    pub(crate) fn asks(&self, keys: &[&str]) -> Result<Round, Problem> {
        match &self.outcome {
            Outcome::Asks(round) if round.requests.keys().eq(keys) => Ok(round.clone()),
            Outcome::Asks(_)
            | Outcome::Complete(_)
            | Outcome::ToolError
            | Outcome::Error { .. }
            | Outcome::Nothing => Err(self.fail(&format!("input_required under {keys:?}"))),
        }
    }

    /// Expects an error with this code and this status.
    pub(crate) fn error(&self, code: i64, status: u16) -> Result<(), Problem> {
        match self.outcome {
            Outcome::Error { code: found, .. } if found == code && self.status == Some(status) => {
                Ok(())
            }
            Outcome::Error { .. }
            | Outcome::Complete(_)
            | Outcome::ToolError
            | Outcome::Asks(_)
            | Outcome::Nothing => Err(self.fail(&format!("error {code} with status {status}"))),
        }
    }

    /// Expects a refusal, or the questions of the first round again. Returns which of them came.
    pub(crate) fn refused_or_asked_again(&self, first: &[&str]) -> Result<String, Problem> {
        match &self.outcome {
            Outcome::Error { .. } | Outcome::ToolError => Ok(self.word()),
            Outcome::Asks(round) if round.requests.keys().eq(first) => Ok("asked again".into()),
            Outcome::Nothing if self.status.is_some_and(|status| (400..500).contains(&status)) => {
                Ok(self.word())
            }
            Outcome::Asks(_) | Outcome::Complete(_) | Outcome::Nothing => {
                Err(self.fail("a refusal, or the first question again"))
            }
        }
    }

    /// Expects any JSON-RPC response.
    pub(crate) fn answered(&self) -> Result<String, Problem> {
        match self.outcome {
            Outcome::Nothing => Err(self.fail("an answer of JSON-RPC")),
            Outcome::Complete(_)
            | Outcome::ToolError
            | Outcome::Asks(_)
            | Outcome::Error { .. } => Ok(self.word()),
        }
    }

    /// Returns the outcome in a word.
    pub(crate) fn word(&self) -> String {
        match &self.outcome {
            Outcome::Complete(_) => "complete".into(),
            Outcome::ToolError => "isError".into(),
            Outcome::Asks(_) => "asked".into(),
            Outcome::Error { code, .. } => {
                format!("{code} ({})", self.status.unwrap_or_default())
            }
            Outcome::Nothing => {
                self.status.map_or("no response".into(), |status| format!("HTTP {status}"))
            }
        }
    }
}

/// Returns the outcome of a message, if it is a response.
fn outcome(message: &Value) -> Option<Outcome> {
    if let Some(error) = message.get("error") {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        let data = error.get("data").cloned().unwrap_or_default();
        return Some(Outcome::Error { code, data });
    }
    let result = message.get("result")?;
    if result.get("resultType").and_then(Value::as_str) == Some("input_required") {
        let requests = result.get("inputRequests").and_then(Value::as_object);
        let requests = requests.into_iter().flatten();
        let requests = requests.map(|(key, request)| (key.clone(), request.clone())).collect();
        let state = result.get("requestState").and_then(Value::as_str).map(Into::into);
        return Some(Outcome::Asks(Round { requests, state }));
    }
    if result.get("isError") == Some(&Value::Bool(true)) {
        return Some(Outcome::ToolError);
    }
    let places = ["/content/0/text", "/messages/0/content/text", "/contents/0/text"];
    let text = places.iter().find_map(|place| result.pointer(place)?.as_str());
    Some(Outcome::Complete(text.unwrap_or_default().into()))
}
