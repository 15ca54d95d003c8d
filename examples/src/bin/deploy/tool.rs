//! The server's side: a tool that deploys, after it has asked where to and whether.

use form_model::{BuildError, ChoiceField, FlagField, Form, FormBuilder};
use mrtr_core::{
    InputRequest, Need,
    exchange::{Elicited, Event, Run},
    wire::{RawJson, RpcError},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Makes what the tool asks.
fn target() -> Result<Form, BuildError> {
    let environment = ChoiceField::new("environment")
        .title("Environment")
        .description("Where to deploy")
        .option("staging")
        .option("production")
        .default("staging")
        .required();
    let confirm = FlagField::new("confirm").title("Really deploy?").required();
    FormBuilder::new().field(environment).field(confirm).build()
}

/// Runs a request that the exchange found sound.
pub(crate) fn handle(run: &Run) -> Event {
    match run.method.as_str() {
        "server/discover" => finish(&json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "deploy", "version": env!("CARGO_PKG_VERSION")}},
        })),
        "tools/list" => finish(&json!({
            "tools": [{
                "name": "deploy",
                "description": "Deploys an artifact, after asking where to.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"artifact": {"type": "string"}},
                    "required": ["artifact"],
                },
            }],
            "ttlMs": 3_600_000,
            "cacheScope": "public",
        })),
        "tools/call" => call(run),
        _ => Event::Fail(RpcError::new(RpcError::METHOD_NOT_FOUND, "Method not found")),
    }
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Arguments,
}

#[derive(Deserialize)]
struct Arguments {
    artifact: String,
}

fn call(run: &Run) -> Event {
    let call: Call = match serde_json::from_str(run.params.as_str()) {
        Ok(call) => call,
        Err(_) => return invalid_params("Expected the name of a tool, and an artifact"),
    };
    if call.name != "deploy" {
        return invalid_params("Unknown tool");
    }
    let artifact = call.arguments.artifact;
    match run.answers.form("target") {
        None => ask(&artifact),
        Some(Elicited::Accepted(answer)) => match answer.text("environment") {
            Some(environment) if answer.flag("confirm") == Some(true) => {
                text(&format!("deployed {artifact} to {environment}"))
            }
            _ => text(&format!("{artifact} was not deployed: it was not confirmed")),
        },
        Some(Elicited::Declined) => text(&format!("{artifact} was not deployed: declined")),
        Some(Elicited::Dismissed) => text(&format!("{artifact} was not deployed: dismissed")),
    }
}

fn ask(artifact: &str) -> Event {
    match target() {
        Ok(form) => {
            let message = format!("Choose the deployment target of {artifact}");
            Event::Need(Need::new().request("target", InputRequest::form(message, form)))
        }
        Err(_) => Event::Fail(RpcError::new(RpcError::INTERNAL, "Internal error")),
    }
}

fn text(text: &str) -> Event {
    finish(&json!({"content": [{"type": "text", "text": text}]}))
}

fn finish(result: &Value) -> Event {
    match RawJson::from_value(result) {
        Ok(result) => Event::Finish(result),
        Err(_) => Event::Fail(RpcError::new(RpcError::INTERNAL, "Internal error")),
    }
}

fn invalid_params(message: &'static str) -> Event {
    Event::Fail(RpcError::new(RpcError::INVALID_PARAMS, message))
}
