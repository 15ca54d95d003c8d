//! The client's side: one call, and its outcome as a line of JSON.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    process::Command,
    sync::{Arc, mpsc},
};

use clap::Args;
use mrtr_core::{
    InvocationId, Limits,
    client::{Binding, Claims, Invocation, Outcome, Request, StartError},
    wire::{ClientInfo, Method, RawJson, WireError},
};
use mrtr_examples::{
    call::{Ended, Silent},
    client::Http,
    stdio::threads::Child,
    surface::{Given, Surface},
};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use crate::{Failure, claims};

/// What to call, and how.
#[derive(Args)]
pub(crate) struct Call {
    /// The URL of the server.
    #[arg(required_unless_present = "stdio", conflicts_with = "stdio")]
    url: Option<String>,
    /// Starts a server by a command, and calls it over its standard input and output.
    #[arg(long, requires = "command")]
    stdio: bool,
    /// The command.
    #[arg(last = true)]
    command: Vec<String>,
    /// The method: tools/call, prompts/get or resources/read.
    #[arg(long, default_value = "tools/call", value_parser = method)]
    method: Method,
    /// The tool, the prompt, or the URI of the resource.
    #[arg(long)]
    name: String,
    /// The arguments, as a JSON object.
    #[arg(long, default_value = "{}", value_parser = object)]
    arguments: Box<RawValue>,
    /// What is claimed: form, url, sampling, sampling.tools, sampling.context, roots, separated by
    /// commas; or none.
    #[arg(long, default_value = "form,url", value_parser = claims::parse)]
    claims: Claims,
    /// The answers: an object with an ElicitResult under the key of each question, or under *.
    #[arg(long, default_value = r#"{"*":{"action":"cancel"}}"#, value_parser = answers)]
    answers: Answers,
    /// The budget of one request.
    #[arg(long, default_value_t = 10_000)]
    timeout_ms: u64,
    /// The most rounds.
    #[arg(long)]
    rounds: Option<u32>,
}

type Answers = BTreeMap<String, RawJson>;

fn method(name: &str) -> Result<Method, String> {
    Method::from_name(name).ok_or_else(|| "expected a method that may ask".into())
}

/// Takes the text of an object as it is, because a double cannot hold every JSON number.
fn object(text: &str) -> Result<Box<RawValue>, String> {
    let object: Result<BTreeMap<String, Box<RawValue>>, _> = serde_json::from_str(text);
    object.and_then(|_| serde_json::from_str(text)).map_err(|error| error.to_string())
}

/// Takes the texts of the answers as they are.
fn answers(text: &str) -> Result<Answers, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

impl Call {
    /// Makes the call, and prints its outcome.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let method = self.method;
        let line = match self.carry_out().await {
            Ok(Ended::Settled(Outcome::Complete(result))) => {
                json!({"outcome": "complete", "text": text(method, &result)})
            }
            Ok(Ended::Settled(Outcome::Error(error))) => refusal(Some(error.code), &error.message),
            Ok(Ended::Settled(outcome)) => refusal(None, &outcome.to_string()),
            Ok(Ended::GaveUp(why)) => refusal(None, &why.to_string()),
            // A call that this side refuses to send has an outcome, too.
            Err(failure) => refusal(None, &failure.downcast::<StartError>()?.to_string()),
        };
        println!("{line}");
        Ok(())
    }

    async fn carry_out(self) -> Result<Ended, Failure> {
        let surface = surface(self.answers)?;
        let claims = self.claims;
        let params = RawJson::from_value(&Params::new(self.method, &self.name, &self.arguments))?;
        let binding = Binding::new(self.url.as_deref().unwrap_or("stdio"));
        let request = Request::new(InvocationId::new("call-1")?, self.method, params, binding)
            .with_client_info(ClientInfo::new("mrtr-peer", env!("CARGO_PKG_VERSION")));
        let limits = Limits::default();
        let rounds_max = self.rounds.unwrap_or(limits.rounds_max);
        let clocks = limits.clocks.leg(Duration::from_millis(self.timeout_ms));
        let limits = limits.rounds_max(rounds_max).clocks(clocks);
        let start = |now| Invocation::start(now, request, claims, limits);
        if let Some(url) = self.url {
            let http = Http::new(&url);
            let (call, actions) = start(http.now())?;
            return Ok(http.drive(call, actions, &surface, &Silent).await);
        }
        let (program, arguments) = self.command.split_first().ok_or("a command is missing")?;
        let mut command = Command::new(program);
        command.args(arguments);
        let child = Child::spawn(command)?;
        let (call, actions) = start(child.now())?;
        let surface: Arc<dyn Surface> = Arc::new(surface);
        let drive = move || child.drive(call, actions, &surface, &Silent, mpsc::channel());
        Ok(tokio::task::spawn_blocking(drive).await?)
    }
}

/// Makes the surface that answers.
fn surface(answers: Answers) -> Result<Given, WireError> {
    let sampled = json!({
        "role": "assistant",
        "model": "test",
        "content": {"type": "text", "text": "sampled text"},
        "stopReason": "endTurn",
    });
    let roots = json!({"roots": [{"uri": "file:///tmp"}]});
    let (sampled, roots) = (RawJson::from_value(&sampled)?, RawJson::from_value(&roots)?);
    Ok(Given { answers, sampled, roots })
}

/// The params of the call, with the arguments as they were given.
#[derive(Serialize)]
struct Params<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
}

impl<'a> Params<'a> {
    fn new(method: Method, name: &'a str, arguments: &'a RawValue) -> Self {
        match method {
            Method::ToolsCall | Method::PromptsGet => {
                Self { name: Some(name), uri: None, arguments: Some(arguments) }
            }
            Method::ResourcesRead | _ => Self { name: None, uri: Some(name), arguments: None },
        }
    }
}

fn refusal(code: Option<i64>, message: &str) -> Value {
    json!({"outcome": "error", "code": code, "message": message})
}

/// Finds the first text of a result.
fn text(method: Method, result: &RawJson) -> Value {
    let result: Value = serde_json::from_str(result.as_str()).unwrap_or_default();
    let (list, text) = match method {
        Method::ToolsCall => ("content", "/text"),
        Method::PromptsGet => ("messages", "/content/text"),
        Method::ResourcesRead | _ => ("contents", "/text"),
    };
    let all = result.get(list).and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| one.pointer(text)).next().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "this is a test")]

    use super::*;

    #[test]
    fn arguments_go_out_as_they_were_given() {
        let given = r#"{"a":9007199254740993,"b":0.1000000000000000055511151231257827}"#;
        let arguments = object(given).unwrap();
        let params = Params::new(Method::ToolsCall, "plain", &arguments);
        let params = RawJson::from_value(&params).unwrap();
        assert!(
            params.as_str().contains(&format!(r#""arguments":{given}"#)),
            "{}",
            params.as_str()
        );
        assert!(object("[1]").is_err() && object("{").is_err());
    }
}
