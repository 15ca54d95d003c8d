//! A tool that deploys, after it has asked where to and whether.

use form_model::{BuildError, ChoiceField, FlagField, Form, FormBuilder};
use mrtr_core::{
    InputRequest, Need,
    exchange::{Elicited, Event, Run},
    wire::RpcError,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::handler::{finish, invalid_params};

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

/// Describes the tool.
pub(crate) fn description() -> Value {
    json!({
        "name": "deploy",
        "description": "Deploys an artifact, after asking where to.",
        "inputSchema": {
            "type": "object",
            "properties": {"artifact": {"type": "string"}},
            "required": ["artifact"],
        },
    })
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

/// Calls the tool. What it asks fits in one round, so it needs no flow.
pub(crate) fn call(run: &Run) -> Event {
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
