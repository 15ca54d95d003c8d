//! The server's side: who answers which method, over whatever transport it comes.

use mrtr_core::{
    exchange::{Event, Run},
    wire::{RawJson, RpcError},
};
use serde_json::{Value, json};

use crate::{prompt, resource, tool};

/// Runs a request that the exchange found sound.
pub(crate) fn handle(run: &Run) -> Event {
    match run.method.as_str() {
        "server/discover" => finish(&json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "deploy", "version": env!("CARGO_PKG_VERSION")}},
        })),
        "tools/list" => list("tools", &tool::description()),
        "tools/call" => tool::call(run),
        "prompts/list" => list("prompts", &prompt::description()),
        "prompts/get" => prompt::get(run),
        "resources/list" => list("resources", &resource::description()),
        "resources/read" => resource::read(run),
        _ => Event::Fail(RpcError::new(RpcError::METHOD_NOT_FOUND, "Method not found")),
    }
}

/// Lists the one thing of a kind that there is.
fn list(kind: &str, description: &Value) -> Event {
    finish(&json!({kind: [description], "ttlMs": 3_600_000, "cacheScope": "public"}))
}

pub(crate) fn finish(result: &Value) -> Event {
    match RawJson::from_value(result) {
        Ok(result) => Event::Finish(result),
        Err(_) => Event::Fail(RpcError::new(RpcError::INTERNAL, "Internal error")),
    }
}

pub(crate) fn invalid_params(message: &'static str) -> Event {
    Event::Fail(RpcError::new(RpcError::INVALID_PARAMS, message))
}
