//! Methods that have no rounds: `server/discover`, `tools/list`.

use core::error::Error;

use mrtr_core::{
    client::Binding,
    wire::{
        InvalidParamHeader, Json, META_CAPABILITIES, META_CLIENT_INFO, META_VERSION,
        PROTOCOL_VERSION, ParamHeaders, RawJson, Revision, RpcError, RpcResponse, expect_complete,
        request_headers,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Writes a request of a method that has no rounds. `params` is an object.
pub(super) fn message(id: &str, method: &str, mut params: Value) -> String {
    if let Some(params) = params.as_object_mut() {
        let meta = json!({
            META_VERSION: PROTOCOL_VERSION,
            META_CLIENT_INFO: {"name": "example-host", "version": "1.4.0"},
            META_CAPABILITIES: {},
        });
        params.insert("_meta".into(), meta);
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Sends one over HTTP, and returns its result or the server's error.
pub(super) async fn request(
    http: &reqwest::Client,
    url: &str,
    method: &str,
    params: Value,
) -> Result<Result<RawJson, RpcError>, Box<dyn Error>> {
    let mut post = http.post(url).body(message("1", method, params));
    for (name, value) in request_headers(Revision::default(), method, None) {
        post = post.header(name, &*value);
    }
    result("1", &post.send().await?.bytes().await?)
}

/// Reads the message that answered.
pub(super) fn result(
    id: &str,
    message: &[u8],
) -> Result<Result<RawJson, RpcError>, Box<dyn Error>> {
    let response = RpcResponse::decode(message)?;
    match response.outcome {
        Ok(result) if response.id.as_deref() == Some(id) => {
            // `input_required` is not allowed here.
            expect_complete(result.as_json())?;
            Ok(Ok(result))
        }
        Ok(_) => Err("the server answered another request".into()),
        Err(error) => Ok(Err(RpcError::decode(error.as_json(), 16 * 1024)?)),
    }
}

/// Picks the revision to speak, of those that a server supports.
pub(super) fn newest(supported: &[String]) -> Option<Revision> {
    supported.iter().filter_map(|name| name.parse().ok()).max()
}

/// Reads which revisions a server supports from its error -32022.
pub(super) fn supported(error: &RpcError) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_ref().filter(|_| error.code == RpcError::UNSUPPORTED_VERSION)?;
    serde_json::from_str(data.as_str()).ok().map(|data: Data| data.supported)
}

/// A tool, as the client keeps it.
pub(super) struct Tool {
    pub(super) name: String,
    /// All that the server says of the tool.
    pub(super) definition: String,
    pub(super) param_headers: ParamHeaders,
}

impl Tool {
    /// Reads one element of the `tools` of `tools/list`. A tool with an invalid `x-mcp-header` must
    /// not be offered over HTTP.
    pub(super) fn read(definition: &Value) -> Result<Self, Box<dyn Error>> {
        let schema = definition.get("inputSchema").unwrap_or(&Value::Null).to_string();
        let param_headers = ParamHeaders::from_schema(Json::parse(&schema)?);
        Ok(Self {
            name: definition.get("name").and_then(Value::as_str).ok_or("no name")?.into(),
            definition: definition.to_string(),
            param_headers: param_headers
                .map_err(|error: InvalidParamHeader| format!("a tool is left out: {error}"))?,
        })
    }

    /// Makes the binding of a call of this tool. `connection` is your own name for the connection.
    /// Never reuse it, even for the same server.
    pub(super) fn binding(&self, connection: &str, server: &str) -> Binding {
        Binding::new(&format!("{connection}\n{server}\n{}", self.definition))
    }
}
