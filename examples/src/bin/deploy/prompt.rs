//! A prompt that announces a deployment, after asking to whom and in which tone.

use form_model::{ChoiceField, FormBuilder};
use mrtr_core::{
    server::{Ending, Flow, Run},
    wire::RawJson,
};
use mrtr_examples::server::invalid_params;
use serde::Deserialize;
use serde_json::{Value, json};

/// Describes the prompt.
pub(crate) fn description() -> Value {
    json!({
        "name": "announce",
        "description": "Announces a deployment, after asking to whom.",
        "arguments": [{"name": "artifact", "required": true}],
    })
}

#[derive(Deserialize)]
struct Get {
    name: String,
    arguments: Arguments,
}

#[derive(Deserialize)]
struct Arguments {
    artifact: String,
}

/// Gets the prompt. It asks in two rounds, and is written as one function.
pub(crate) fn get(run: &Run) -> Ending {
    let get: Get = match serde_json::from_str(run.params.as_str()) {
        Ok(get) => get,
        Err(_) => return invalid_params("Expected the name of a prompt and an artifact"),
    };
    if get.name != "announce" {
        return invalid_params("Unknown prompt");
    }
    let artifact = get.arguments.artifact;
    Flow::run(run, |flow| {
        let form = FormBuilder::new()
            .field(ChoiceField::new("audience").option("team").option("customers").required())
            .build()?;
        let answer = flow.accepted("audience", "Who is to hear of it?", form)?;
        let audience = answer.text("audience").unwrap_or_default();
        let form = FormBuilder::new()
            .field(ChoiceField::new("tone").option("sober").option("proud").required())
            .build()?;
        let message = format!("How is the {audience} to hear of it?");
        let answer = flow.accepted("tone", &message, form)?;
        let tone = answer.text("tone").unwrap_or_default();
        let text = format!("Announce {artifact} to the {audience} in a {tone} tone.");
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        Ok(RawJson::from_value(&json!({"messages": [message]}))?)
    })
}
