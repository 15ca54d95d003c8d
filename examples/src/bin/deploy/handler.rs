//! The server's side: the handler of each method, on any transport.

use mrtr_core::{
    server::{Ending, Run},
    wire::RpcError,
};
use mrtr_examples::server::{finish, refuse};
use serde_json::{Value, json};

use crate::{prompt, resource, tool};

/// Runs a request that the exchange admitted.
pub(crate) fn handle(run: &Run) -> Ending {
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
        _ => refuse(RpcError::METHOD_NOT_FOUND, "Method not found"),
    }
}

/// Lists the one thing that there is of a kind.
fn list(kind: &str, description: &Value) -> Ending {
    finish(&json!({kind: [description], "ttlMs": 3_600_000, "cacheScope": "public"}))
}
