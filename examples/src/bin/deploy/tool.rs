//! A tool that deploys, after asking where to and whether to.

use form_model::{BuildError, ChoiceField, FlagField, Form, FormBuilder, Submission};
use mrtr_core::{
    server::{Ending, HandlerError, Need, Run},
    wire::InputRequest,
};
use mrtr_examples::server::{finish, invalid_params};
use serde::Deserialize;
use serde_json::{Value, json};

/// Makes the form that the tool asks with.
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

/// Calls the tool. It asks one form in one round, so it needs no flow.
pub(crate) fn call(run: &Run) -> Ending {
    let call: Call = match serde_json::from_str(run.params.as_str()) {
        Ok(call) => call,
        Err(_) => return invalid_params("Expected the name of a tool and an artifact"),
    };
    if call.name != "deploy" {
        return invalid_params("Unknown tool");
    }
    let artifact = call.arguments.artifact;
    match run.answers.form("target") {
        None => ask(&artifact),
        Some(Submission::Accept(answer)) => match answer.text("environment") {
            Some(environment) if answer.flag("confirm") == Some(true) => {
                text(&format!("deployed {artifact} to {environment}"))
            }
            _ => text(&format!("{artifact} was not deployed: it was not confirmed")),
        },
        Some(Submission::Decline) => text(&format!("{artifact} was not deployed: declined")),
        Some(Submission::Cancel) => text(&format!("{artifact} was not deployed: cancelled")),
    }
}

fn ask(artifact: &str) -> Ending {
    match target() {
        Ok(form) => {
            let message = format!("Choose the deployment target of {artifact}");
            Ending::Need(Need::new().request("target", InputRequest::form(&message, form)))
        }
        Err(error) => Ending::Fail(HandlerError::internal(error)),
    }
}

fn text(text: &str) -> Ending {
    finish(&json!({"content": [{"type": "text", "text": text}]}))
}
