//! What the server does.

use mrtr_core::{
    server::{Ending, Flow, Run, Stop},
    wire::{RawJson, RpcError},
};
use serde_json::json;

use super::{asking, exchange::Server, flows};

/// Runs a request that the exchange found valid.
pub(super) async fn handle(server: &Server, run: &Run) -> Ending {
    // This tool has no flow. See "A handler that asks".
    if run.method == "tools/call" && target(run).is_ok_and(|name| name == "delete") {
        return asking::delete(run);
    }
    let mut flow = Flow::open(run);
    let result = route(server, &mut flow).await;
    flow.close(result)
}

async fn route(server: &Server, flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let run = flow.request();
    match run.method.as_str() {
        "server/discover" => Ok(RawJson::from_value(&json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
        }))?),
        "tools/list" => Ok(RawJson::from_value(&flows::tools())?),
        "tools/call" => match target(run)?.as_str() {
            "deploy" => flows::deploy(flow).await,
            "sign_up" => flows::sign_up(flow),
            "pay" => flows::pay(server, flow),
            _ => Err(RpcError::new(RpcError::INVALID_PARAMS, "Unknown tool").into()),
        },
        "prompts/get" => flows::announce(flow),
        "resources/read" => flows::log(flow),
        _ => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, "Method not found").into()),
    }
}

/// Returns the name of the tool.
fn target(run: &Run) -> Result<String, RpcError> {
    #[derive(serde::Deserialize)]
    struct Params {
        name: String,
    }
    let params: Result<Params, _> = serde_json::from_str(run.params.as_str());
    params
        .map(|params| params.name)
        .map_err(|_| RpcError::new(RpcError::INVALID_PARAMS, "Expected a name"))
}
