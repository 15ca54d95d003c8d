//! A resource: the log of what was deployed, which is read for a reason.

use form_model::{FormBuilder, TextField};
use mrtr_core::{
    exchange::{Event, Flow, Run},
    wire::RawJson,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::handler::invalid_params;

const URI: &str = "deploy://log";

/// Describes the resource.
pub(crate) fn description() -> Value {
    json!({
        "uri": URI,
        "name": "log",
        "description": "What was deployed, for whoever says why they read it.",
        "mimeType": "text/plain",
    })
}

#[derive(Deserialize)]
struct Read {
    uri: String,
}

/// Reads the resource.
pub(crate) fn read(run: &Run) -> Event {
    if !serde_json::from_str(run.params.as_str()).is_ok_and(|read: Read| read.uri == URI) {
        return invalid_params("Unknown resource");
    }
    Flow::run(run, |flow| {
        let form = FormBuilder::new().field(TextField::new("reason").required()).build()?;
        let answer = flow.accepted("reason", "Why do you read the log?", form)?;
        let reason = answer.text("reason").unwrap_or_default();
        let text = format!("build-41 was deployed to production\nthe log was read: {reason}");
        let contents = json!({"uri": URI, "mimeType": "text/plain", "text": text});
        // It is for who said why, and for this once.
        let result = json!({"contents": [contents], "ttlMs": 0, "cacheScope": "private"});
        Ok(RawJson::from_value(&result)?)
    })
}
