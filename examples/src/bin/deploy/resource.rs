//! A resource: the log of deployments, which asks why it is read.

use form_model::{FormBuilder, TextField};
use mrtr_core::{
    server::{Ending, Flow, Run},
    wire::RawJson,
};
use mrtr_examples::server::invalid_params;
use serde::Deserialize;
use serde_json::{Value, json};

const URI: &str = "deploy://log";

/// Describes the resource.
pub(crate) fn description() -> Value {
    json!({
        "uri": URI,
        "name": "log",
        "description": "The log of deployments, after asking why it is read.",
        "mimeType": "text/plain",
    })
}

#[derive(Deserialize)]
struct Read {
    uri: String,
}

/// Reads the resource.
pub(crate) fn read(run: &Run) -> Ending {
    if !serde_json::from_str(run.params.as_str()).is_ok_and(|read: Read| read.uri == URI) {
        return invalid_params("Unknown resource");
    }
    Flow::run(run, |flow| {
        let form = FormBuilder::new().field(TextField::new("reason").required()).build()?;
        let answer = flow.accepted("reason", "Why do you read the log?", form)?;
        let reason = answer.text("reason").unwrap_or_default();
        let text = format!("build-41 was deployed to production\nthe log was read: {reason}");
        let contents = json!({"uri": URI, "mimeType": "text/plain", "text": text});
        // The text repeats the reason, so it is not cached.
        let result = json!({"contents": [contents], "ttlMs": 0, "cacheScope": "private"});
        Ok(RawJson::from_value(&result)?)
    })
}
