//! What a server has.

use std::collections::BTreeMap;

use form_model::SafeText;
use mrtr_core::wire::{PROTOCOL_VERSION, RpcError};
use mrtr_examples::{client::CallError, mirrored::Mirrored};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json, value::RawValue};

use crate::{Failure, calls::Caller};

/// The pages that a list may have.
const PAGES_MAX: usize = 100;

/// Is what a server has, as far as it can be called.
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Tool>,
    /// The names of the prompts.
    pub(crate) prompts: Vec<String>,
    /// The URIs of the resources.
    pub(crate) resources: Vec<String>,
}

/// Is a tool.
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The schema of its input, as it came. What it refers to is not fetched.
    pub(crate) input_schema: Box<RawValue>,
    pub(crate) mirrored: Mirrored,
}

impl Catalog {
    /// Asks a server what it has.
    pub(crate) async fn find(caller: &Caller) -> Result<Self, Failure> {
        let capabilities = discover(caller).await?;
        let has = |kind: &str| capabilities.contains_key(kind);
        let mut catalog = Self { tools: Vec::new(), prompts: Vec::new(), resources: Vec::new() };
        if has("tools") {
            let listed: Vec<ListedTool> = list(caller, "tools/list", "tools").await?;
            catalog.tools = listed.into_iter().filter_map(ListedTool::checked).collect();
        }
        if has("prompts") {
            let listed: Vec<Prompt> = list(caller, "prompts/list", "prompts").await?;
            catalog.prompts = listed.into_iter().map(|prompt| prompt.name).collect();
        }
        if has("resources") {
            let listed: Vec<Resource> = list(caller, "resources/list", "resources").await?;
            catalog.resources = listed.into_iter().map(|resource| resource.uri).collect();
        }
        Ok(catalog)
    }
}

/// Asks a server what it can do. A server that refuses the revision, and lists it among those that
/// it speaks, is asked again.
async fn discover(caller: &Caller) -> Result<Map<String, Value>, Failure> {
    #[derive(Deserialize)]
    struct Discovered {
        capabilities: Map<String, Value>,
    }
    let mut found = caller.plain("server/discover", json!({})).await;
    if let Err(CallError::Refused(error)) = &found
        && speaks_ours(error)
    {
        found = caller.plain("server/discover", json!({})).await;
    }
    let discovered: Discovered = serde_json::from_str(found?.as_str())?;
    Ok(discovered.capabilities)
}

/// Returns whether a refusal of a revision names ours as one that the server speaks.
fn speaks_ours(error: &RpcError) -> bool {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_ref().and_then(|data| serde_json::from_str(data.as_str()).ok());
    error.code == RpcError::UNSUPPORTED_VERSION
        && data.is_some_and(|data: Data| data.supported.iter().any(|v| v == PROTOCOL_VERSION))
}

/// Lists all of a kind, page by page.
async fn list<T: DeserializeOwned>(
    caller: &Caller,
    method: &str,
    kind: &str,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    let mut params = json!({});
    for _ in 0..PAGES_MAX {
        let page = caller.plain(method, params).await?;
        // What is listed stays as it came.
        let page: BTreeMap<String, Box<RawValue>> = serde_json::from_str(page.as_str())?;
        let items = page.get(kind).ok_or_else(|| format!("{method} lists no {kind}"))?;
        all.extend(serde_json::from_str::<Vec<T>>(items.get())?);
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    Ok(all)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool {
    name: String,
    input_schema: Box<RawValue>,
}

impl ListedTool {
    /// Leaves a tool out that is not to be called, and says so.
    fn checked(self) -> Option<Tool> {
        let Self { name, input_schema } = self;
        let schema = serde_json::from_str(input_schema.get()).unwrap_or_default();
        match Mirrored::from_schema(&schema) {
            Ok(mirrored) => Some(Tool { name, input_schema, mirrored }),
            Err(why) => {
                eprintln!("the tool {} is left out: {why}", SafeText::line(&name));
                None
            }
        }
    }
}

#[derive(Deserialize)]
struct Prompt {
    name: String,
}

#[derive(Deserialize)]
struct Resource {
    uri: String,
}
