//! What a caller wants: requests, claims, and what is kept of them.

use core::error::Error;

use mrtr_core::{
    InvocationId,
    client::{Binding, Claims, Event, Request},
    trace::Redacted,
    wire::{ClientInfo, Method, RawJson, Revision},
};
use serde_json::json;

/// Makes a request of a tool, with all that can go into `_meta`.
pub(super) fn deploy(id: &str, binding: Binding) -> Result<Request, Box<dyn Error>> {
    let params = RawJson::from_value(&json!({
        "name": "deploy",
        "arguments": {"build": "build-42"},
        "_meta": {
            // The server may report progress under this token.
            "progressToken": id,
            // Your own member. The server must support it.
            "com.example/idempotencyKey": "order-7",
        },
    }))?;
    let request = Request::new(InvocationId::new(id)?, Method::ToolsCall, params, binding)
        .with_client_info(ClientInfo::new("example-host", "1.4.0"));
    Ok(request)
}

/// Makes a request of a resource. A prompt is `Method::PromptsGet`, with a `name`.
pub(super) fn log(id: &str, binding: Binding) -> Result<Request, Box<dyn Error>> {
    let params = RawJson::parse(r#"{"uri":"deploy://log"}"#)?;
    Ok(Request::new(InvocationId::new(id)?, Method::ResourcesRead, params, binding))
}

/// Claims what this program can answer.
pub(super) fn claims(has_screen: bool) -> Claims {
    if has_screen {
        Claims::none().with_form().with_url()
    } else {
        // Nobody can be asked. The server may still ask to be called again.
        Claims::none().with_retries()
    }
}

/// Makes a request of an earlier revision.
pub(super) fn earlier(id: &str, binding: Binding) -> Result<(Request, Claims), Box<dyn Error>> {
    let params = RawJson::parse(r#"{"name":"deploy","arguments":{"build":"build-42"}}"#)?;
    let request = Request::new(InvocationId::new(id)?, Method::ToolsCall, params, binding)
        .with_revision(Revision::V2025_11_25);
    Ok((request, Claims::none()))
}

/// Writes a line for a log: what happened, and how large it was.
pub(super) fn line(event: &Event) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Redacted(event))
}
