//! The tools, prompts and resources of a server.

use std::collections::BTreeMap;

use form_model::SafeText;
use mrtr_core::wire::{InvalidParamHeader, Json, PROTOCOL_VERSION, ParamHeaders, RpcError};
use mrtr_examples::client::CallError;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json, value::RawValue};

use crate::{Failure, calls::Caller};

/// The most pages of a list.
const PAGES_MAX: usize = 100;

/// The tools, prompts and resources of a server that can be called.
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Tool>,
    /// The names of the prompts.
    pub(crate) prompts: Vec<String>,
    /// The URIs of the resources.
    pub(crate) resources: Vec<String>,
}

/// A tool.
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The schema of its input, as it came. References are not fetched.
    pub(crate) input_schema: Box<RawValue>,
    pub(crate) param_headers: ParamHeaders,
}

impl Catalog {
    /// Asks a server for its lists.
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

/// Asks a server for its capabilities. Asks once more if the server refuses the revision, and lists it
/// among those that it speaks.
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

/// Returns whether a refusal of a revision lists ours among those that the server speaks.
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
        // The items stay texts: a schema goes back as it came.
        let page: BTreeMap<String, Box<RawValue>> = serde_json::from_str(page.as_str())?;
        let items = page.get(kind).ok_or_else(|| format!("expected {method} to list {kind}"))?;
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
    /// Leaves out a tool that must not be called over HTTP, and prints why.
    fn checked(self) -> Option<Tool> {
        let Self { name, input_schema } = self;
        let schema = Json::parse(input_schema.get()).map_err(InvalidParamHeader::from);
        match schema.and_then(ParamHeaders::from_schema) {
            Ok(param_headers) => Some(Tool { name, input_schema, param_headers }),
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
