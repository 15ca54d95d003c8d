use std::{collections::BTreeMap, time::Duration};

use lexopt::prelude::*;
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError,
    model::*,
    service::{ClientInitializeError, RequestContext},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::json;
use tokio::time::timeout;

use crate::Error;

struct Options {
    /// The URL, or the command of a stdio server.
    target: Result<String, Vec<String>>,
    method: String,
    name: String,
    arguments: JsonObject,
    claims: Vec<String>,
    answers: BTreeMap<String, ElicitResult>,
    timeout: Duration,
    rounds: usize,
}

fn parse(mut args: lexopt::Parser) -> Result<Options, Error> {
    let (mut url, mut stdio, mut command, mut name) = (None, false, vec![], None);
    let mut method = "tools/call".to_owned();
    let mut arguments = JsonObject::new();
    let mut claims = "form,url".to_owned();
    let mut answers =
        BTreeMap::from([("*".to_owned(), ElicitResult::new(ElicitationAction::Cancel))]);
    let mut timeout_ms = 10_000;
    let mut rounds = DEFAULT_MRTR_MAX_ROUNDS;
    while let Some(arg) = args.next()? {
        match arg {
            Long("stdio") => stdio = true,
            Long("method") => method = args.value()?.string()?,
            Long("name") => name = Some(args.value()?.string()?),
            Long("arguments") => arguments = serde_json::from_str(&args.value()?.string()?)?,
            Long("claims") => claims = args.value()?.string()?,
            Long("answers") => answers = serde_json::from_str(&args.value()?.string()?)?,
            Long("timeout-ms") => timeout_ms = args.value()?.parse()?,
            Long("rounds") => rounds = args.value()?.parse()?,
            // A first positional argument is the URL, or the command behind `--`.
            Value(value) if stdio => {
                command.push(value.string()?);
                for argument in args.raw_args()? {
                    command.push(argument.string()?);
                }
            }
            Value(value) if url.is_none() => url = Some(value.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let target = match (url, command.is_empty()) {
        (None, false) => Err(command),
        (Some(url), true) => Ok(url),
        _ => return Err("call needs URL, or --stdio -- COMMAND".into()),
    };
    Ok(Options {
        target,
        method,
        name: name.ok_or("call needs --name")?,
        arguments,
        claims: claims.split(',').filter(|claim| *claim != "none").map(str::to_owned).collect(),
        answers,
        timeout: Duration::from_millis(timeout_ms),
        rounds,
    })
}

struct Handler {
    capabilities: ClientCapabilities,
    answers: BTreeMap<String, ElicitResult>,
}

fn capabilities(claims: &[String]) -> ClientCapabilities {
    let has = |claim: &str| claims.iter().any(|given| given == claim);
    let mut capabilities = ClientCapabilities::default();
    if has("form") || has("url") {
        let mut elicitation = ElicitationCapability::new();
        elicitation.form = has("form").then(Default::default);
        elicitation.url = has("url").then(Default::default);
        capabilities.elicitation = Some(elicitation);
    }
    if claims.iter().any(|claim| claim.starts_with("sampling")) {
        let mut sampling = SamplingCapability::default();
        sampling.tools = has("sampling.tools").then(JsonObject::new);
        sampling.context = has("sampling.context").then(JsonObject::new);
        capabilities.sampling = Some(sampling);
    }
    capabilities.roots = has("roots").then(Default::default);
    capabilities
}

/// Requests that are not claimed go to the SDK's default handlers, as in a client without handlers.
impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.capabilities.clone(), Implementation::new("rmcp-peer", "0.0.0"))
            .with_protocol_version(ProtocolVersion::V_2026_07_28)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if self.capabilities.elicitation.is_none() {
            return ().create_elicitation(request, context).await;
        }
        // The id of an embedded request is its key in `inputRequests`.
        let given = self.answers.get(&context.id.to_string()).or_else(|| self.answers.get("*"));
        Ok(given.cloned().unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.capabilities.sampling.is_none() {
            return ().create_message(request, context).await;
        }
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("sampled text"), "test".into()))
    }

    async fn list_roots(
        &self,
        context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        if self.capabilities.roots.is_none() {
            return ().list_roots(context).await;
        }
        Ok(ListRootsResult::new(vec![Root::new("file:///tmp")]))
    }
}

struct Failure {
    /// The code of a JSON-RPC error. `None` for other failures.
    code: Option<i32>,
    message: String,
}

impl Failure {
    fn local(error: impl std::error::Error) -> Self {
        Failure { code: None, message: error.to_string() }
    }

    fn rpc(error: ErrorData) -> Self {
        Failure { code: Some(error.code.0), message: error.message.into() }
    }
}

impl From<ClientInitializeError> for Failure {
    fn from(error: ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::JsonRpcError(error) => Failure::rpc(error),
            error => Failure::local(error),
        }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Failure::rpc(error),
            error => Failure::local(error),
        }
    }
}

async fn outcome(options: Options) -> Result<String, Failure> {
    let handler = Handler { capabilities: capabilities(&options.claims), answers: options.answers };
    let lifecycle =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let start = async {
        match options.target {
            Ok(url) => {
                handler
                    .serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle)
                    .await
            }
            Err(command) => {
                let mut child = tokio::process::Command::new(&command[0]);
                child.args(&command[1..]).kill_on_drop(true);
                let transport = TokioChildProcess::new(child).map_err(Failure::local)?;
                handler.serve_with_lifecycle(transport, lifecycle).await
            }
        }
        .map_err(Failure::from)
    };
    // Neither the start nor the loop of the SDK takes a timeout.
    let client = timeout(options.timeout, start).await.map_err(Failure::local)??;

    let flow = async {
        let text = match options.method.as_str() {
            "tools/call" => {
                let params =
                    CallToolRequestParams::new(options.name).with_arguments(options.arguments);
                let result = client.call_tool_with_mrtr_max_rounds(params, options.rounds).await?;
                result
                    .content
                    .iter()
                    .find_map(|block| block.as_text())
                    .map(|text| text.text.clone())
            }
            "prompts/get" => {
                let params =
                    GetPromptRequestParams::new(options.name).with_arguments(options.arguments);
                let result = client.get_prompt_with_mrtr_max_rounds(params, options.rounds).await?;
                result
                    .messages
                    .iter()
                    .find_map(|message| message.content.as_text())
                    .map(|text| text.text.clone())
            }
            _ => {
                let params = ReadResourceRequestParams::new(options.name);
                let result =
                    client.read_resource_with_mrtr_max_rounds(params, options.rounds).await?;
                result.contents.into_iter().find_map(|content| match content {
                    ResourceContents::TextResourceContents { text, .. } => Some(text),
                    _ => None,
                })
            }
        };
        Ok::<_, ServiceError>(text.unwrap_or_default())
    };
    let result = timeout(options.timeout, flow).await;
    // Ends a child process too.
    let _ = client.cancel().await;
    Ok(result.map_err(Failure::local)??)
}

pub async fn main(args: lexopt::Parser) -> Result<(), Error> {
    let options = parse(args)?;
    if !["tools/call", "prompts/get", "resources/read"].contains(&options.method.as_str()) {
        return Err(format!("unknown method {}", options.method).into());
    }
    let line = match outcome(options).await {
        Ok(text) => json!({"outcome": "complete", "text": text}),
        Err(Failure { code, message }) => {
            json!({"outcome": "error", "code": code, "message": message})
        }
    };
    println!("{line}");
    Ok(())
}
