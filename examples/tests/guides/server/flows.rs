//! Handlers that are written once, as flows.

use form_model::{ChoiceField, FlagField, FormBuilder, TextField};
use mrtr_core::{
    server::{Flow, HandlerError, Stop},
    wire::{Decision, InputRequest, RawJson, RpcError},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{builds, exchange::Server};

#[derive(Deserialize)]
struct Params<A> {
    arguments: A,
}

#[derive(Deserialize)]
struct Deploy {
    build: String,
}

/// Deploys a build, after asking where to and, for production, whether.
pub(super) async fn deploy(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let params: Params<Deploy> = serde_json::from_str(flow.request().params.as_str())
        .map_err(|_| RpcError::new(RpcError::INVALID_PARAMS, "Expected a build"))?;
    let build = params.arguments.build;
    // Check in each round that the build exists: it may have changed since the state was sealed.
    if !builds::exists(&build).await? {
        return Err(RpcError::new(RpcError::INVALID_PARAMS, "Unknown build").into());
    }
    let place = ChoiceField::new("place").option("staging").option("production").required();
    let form = FormBuilder::new().field(place).build()?;
    let answer = flow.accepted("place", "Where to?", form)?;
    let place = answer.text("place").unwrap_or_default();
    if place == "production" {
        let form = FormBuilder::new().field(FlagField::new("sure").required()).build()?;
        let answer = flow.accepted("sure", "To production, really?", form)?;
        if answer.flag("sure") != Some(true) {
            return text("not deployed");
        }
    }
    // Side effects are allowed only from here on.
    builds::deploy(&build, place).await?;
    text(&format!("{build} is deployed to {place}"))
}

fn text(text: &str) -> Result<RawJson, Stop> {
    Ok(RawJson::from_value(&json!({"content": [{"type": "text", "text": text}]}))?)
}

/// Takes a name that is free. The form cannot know which are.
pub(super) fn sign_up(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let form = FormBuilder::new().field(TextField::new("name").required()).build()?;
    let answer = flow.accepted("name", "Which name?", form.clone())?;
    if answer.text("name") == Some("root") {
        let request = InputRequest::form("That name is taken. Which other?", form);
        return Err(flow.again("name", request));
    }
    text("welcome")
}

/// Pays on a page of its own, because a form must not ask for a card.
pub(super) fn pay(server: &Server, flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let run = flow.request();
    if !run.capabilities.url {
        // This client cannot be sent to a page.
        return text("Pay at https://pay.example.com, and call again.");
    }
    let said = flow.url("page", "Please pay on this page.", "https://pay.example.com/order/7")?;
    if said != Decision::Accept {
        return text("not paid");
    }
    // The person agreed to open the page. Whether they paid, only the page knows.
    let key = idempotency_key(run.params.as_str());
    match server.payments.settle(key.as_deref()) {
        Ok(receipt) => text(&receipt),
        // Nothing has happened, so the same retry may be sent again.
        Err(error) => Err(Stop::Abandoned(HandlerError::internal(error))),
    }
}

/// Reads a key under which a client repeats a call that may have been done already.
fn idempotency_key(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "com.example/idempotencyKey")]
        key: Option<String>,
    }
    serde_json::from_str::<Params>(params).ok()?.meta.key
}

/// Gets a prompt, after asking who reads it.
pub(super) fn announce(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let audience = ChoiceField::new("audience").option("team").option("customers").required();
    let form = FormBuilder::new().field(audience).build()?;
    let answer = flow.accepted("audience", "Who is to read it?", form)?;
    let text =
        format!("Announce the deployment to the {}.", answer.text("audience").unwrap_or_default());
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    Ok(RawJson::from_value(&json!({"messages": [message]}))?)
}

/// Reads a resource, after asking why.
pub(super) fn log(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let form = FormBuilder::new().field(TextField::new("reason").required()).build()?;
    let answer = flow.accepted("reason", "Why do you read the log?", form)?;
    let text = format!("Read because: {}", answer.text("reason").unwrap_or_default());
    Ok(RawJson::from_value(&json!({
        "contents": [{"uri": "deploy://log", "mimeType": "text/plain", "text": text}],
        // The result is for this person and must not be cached.
        "ttlMs": 0,
        "cacheScope": "private",
    }))?)
}

/// Lists the tools. They are the same for everybody.
pub(super) fn tools() -> Value {
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    json!({
        "tools": [
            tool("deploy", json!({"build": {"type": "string", "x-mcp-header": "Build"}})),
            tool("delete", json!({})),
            tool("sign_up", json!({})),
            tool("pay", json!({})),
        ],
        "ttlMs": 300_000,
        "cacheScope": "public",
    })
}
