//! The prompt and the resource of the peer's server.

use mrtr_core::{
    server::{Ending, Flow, Run, Stop},
    wire::RawJson,
};
use mrtr_examples::server::invalid_params;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::forms;

const PROMPT: &str = "ask";
const RESOURCE: &str = "ask://resource";

/// Describes the one prompt.
pub(crate) fn prompt() -> Value {
    json!([{"name": PROMPT, "description": "Asks for a name."}])
}

/// Describes the one resource.
pub(crate) fn resource() -> Value {
    json!([{
        "uri": RESOURCE,
        "name": "resource",
        "description": "Asks for a name.",
        "mimeType": "text/plain",
    }])
}

/// Gets the prompt.
pub(crate) fn get(run: &Run) -> Ending {
    #[derive(Deserialize)]
    struct Get {
        name: String,
    }
    if !serde_json::from_str(run.params.as_str()).is_ok_and(|get: Get| get.name == PROMPT) {
        return invalid_params("Unknown prompt");
    }
    Flow::run(run, |flow| {
        let text = format!("prompt:{}", name(flow)?);
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        Ok(RawJson::from_value(&json!({"messages": [message]}))?)
    })
}

/// Reads the resource.
pub(crate) fn read(run: &Run) -> Ending {
    #[derive(Deserialize)]
    struct Read {
        uri: String,
    }
    if !serde_json::from_str(run.params.as_str()).is_ok_and(|read: Read| read.uri == RESOURCE) {
        return invalid_params("Unknown resource");
    }
    Flow::run(run, |flow| {
        let text = format!("resource:{}", name(flow)?);
        let contents = json!([{"uri": RESOURCE, "mimeType": "text/plain", "text": text}]);
        // The text repeats the name, so it is not cached.
        let result = json!({"contents": contents, "ttlMs": 0, "cacheScope": "private"});
        Ok(RawJson::from_value(&result)?)
    })
}

fn name(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let answer = flow.accepted("who", "Who asks?", forms::text("name")?)?;
    Ok(answer.text("name").unwrap_or_default().into())
}
