use std::{sync::Arc, time::Duration};

use lexopt::prelude::*;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::RequestContext,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::Error;

const TOOLS: [&str; 12] = [
    "plain",
    "form",
    "spellings",
    "url",
    "sampling",
    "sampling_tools",
    "sampling_context",
    "roots",
    "several",
    "two_rounds",
    "state_only",
    "forever",
];
const RESOURCE: &str = "ask://resource";

/// The state of a round.
#[derive(Default, Serialize, Deserialize)]
struct State {
    round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl State {
    fn round(round: u32) -> Option<Self> {
        Some(State { round, name: None })
    }
}

/// The decision of a handler: an end, or another round.
enum Step {
    Done(String),
    Ask(InputRequests, Option<State>),
}

#[derive(Deserialize)]
struct Target {
    environment: Environment,
    confirm: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Environment {
    Staging,
    Production,
}

impl Environment {
    fn as_str(&self) -> &'static str {
        match self {
            Environment::Staging => "staging",
            Environment::Production => "production",
        }
    }
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct Count {
    count: i64,
}

#[derive(Deserialize)]
struct Text {
    value: String,
}

fn schema(properties: Value, required: &[&str]) -> ElicitationSchema {
    serde_json::from_value(
        json!({"type": "object", "properties": properties, "required": required}),
    )
    .expect("a form of the kind the SDK models")
}

fn form(message: &str, properties: Value, required: &[&str]) -> InputRequest {
    InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.into(),
        requested_schema: schema(properties, required),
    }))
}

fn target() -> InputRequest {
    let properties = json!({
        "environment": {"type": "string", "enum": ["staging", "production"]},
        "confirm": {"type": "boolean"},
    });
    form("Where to?", properties, &["environment", "confirm"])
}

fn name() -> InputRequest {
    form("What name?", json!({"name": {"type": "string"}}), &["name"])
}

fn spellings() -> InputRequest {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let properties = json!({
        "text": {"type": "string", "minLength": 1, "maxLength": 10},
        "number": {"type": "number", "minimum": 0, "maximum": 1},
        "integer": {"type": "integer", "minimum": 1, "maximum": 5},
        "flag": {"type": "boolean", "default": true},
        "choice": {"type": "string", "enum": ["a", "b"]},
        "titled": {"type": "string", "oneOf": titled},
        "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        "choices": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "titled_choices": {"type": "array", "items": {"anyOf": titled}},
    });
    form("All of them", properties, &[])
}

fn sampling(tool: &str) -> InputRequest {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text("hello")], 10);
    InputRequest::CreateMessage(CreateMessageRequest::new(match tool {
        "sampling_tools" => params.with_tools(vec![Tool::new_with_raw(
            "t",
            None,
            object(json!({"type": "object"})),
        )]),
        "sampling_context" => params.with_include_context(ContextInclusion::ThisServer),
        _ => params,
    }))
}

fn ask<const N: usize>(
    requests: [(&str, InputRequest); N],
    state: Option<State>,
) -> Result<Step, ErrorData> {
    Ok(Step::Ask(requests.map(|(key, request)| (key.to_owned(), request)).into(), state))
}

fn done(text: impl Into<String>) -> Result<Step, ErrorData> {
    Ok(Step::Done(text.into()))
}

/// One call, first or retried, with its state opened.
struct Call {
    responses: InputResponses,
    state: Option<State>,
}

impl Call {
    fn answer<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        T::deserialize(self.responses.get(key)?).ok()
    }

    /// Returns `declined` or `cancelled` if the user refused the question under `key`.
    fn refused(&self, key: &str) -> Option<&'static str> {
        match self.answer::<ElicitResult>(key)?.action {
            ElicitationAction::Decline => Some("declined"),
            ElicitationAction::Cancel => Some("cancelled"),
            _ => None,
        }
    }

    /// Returns the accepted content under `key`, if it is there and fits.
    fn accepted<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let result = self.answer::<ElicitResult>(key)?;
        let content = result.content.filter(|_| result.action == ElicitationAction::Accept)?;
        serde_json::from_value(content).ok()
    }

    /// Asks for `name` with one form, for the prompt and the resource.
    fn who(&self, kind: &str) -> Result<Step, ErrorData> {
        if self.state.is_some() {
            if let Some(refusal) = self.refused("who") {
                return done(refusal);
            }
            if let Some(Name { name }) = self.accepted("who") {
                return done(format!("{kind}:{name}"));
            }
        }
        ask([("who", name())], State::round(1))
    }

    fn tool(&self, tool: &str) -> Result<Step, ErrorData> {
        match tool {
            "plain" => done("plain"),
            "form" => {
                if self.state.is_some() {
                    if let Some(refusal) = self.refused("target") {
                        return done(refusal);
                    }
                    if let Some(Target { environment, confirm }) = self.accepted("target") {
                        return done(format!("accepted:{}:{confirm}", environment.as_str()));
                    }
                }
                ask([("target", target())], State::round(1))
            }
            "spellings" => match (self.refused("all"), self.accepted::<JsonObject>("all")) {
                (Some(refusal), _) => done(refusal),
                // The map is sorted by its keys.
                (None, Some(content)) => done(format!("spellings:{}", Value::Object(content))),
                (None, None) => ask([("all", spellings())], None),
            },
            "url" => match self.answer::<ElicitResult>("pay") {
                Some(_) => done(self.refused("pay").unwrap_or("consented")),
                None => {
                    let pay = ElicitRequestParams::UrlElicitationParams {
                        meta: None,
                        message: "Pay here".into(),
                        url: "https://example.org/pay".into(),
                        elicitation_id: String::new(),
                    };
                    ask([("pay", InputRequest::Elicitation(ElicitRequest::new(pay)))], None)
                }
            },
            "sampling" | "sampling_tools" | "sampling_context" => {
                match self.answer::<CreateMessageResult>("model") {
                    Some(result) => {
                        let blocks = result.message.content.into_vec();
                        let text = blocks
                            .iter()
                            .find_map(|block| block.as_text())
                            .map(|text| text.text.as_str());
                        done(format!("sampled:{}", text.unwrap_or_default()))
                    }
                    None => ask([("model", sampling(tool))], None),
                }
            }
            "roots" => match self.answer::<ListRootsResult>("roots") {
                Some(result) => done(format!("roots:{}", result.roots.len())),
                None => {
                    ask([("roots", InputRequest::ListRoots(ListRootsRequest::default()))], None)
                }
            },
            "several" => {
                if self.state.is_some() {
                    if let Some(refusal) = self.refused("a").or(self.refused("b")) {
                        return done(refusal);
                    }
                    if let (Some(a), Some(b)) =
                        (self.accepted::<Text>("a"), self.accepted::<Text>("b"))
                    {
                        return done(format!("several:{}:{}", a.value, b.value));
                    }
                }
                let value =
                    |message| form(message, json!({"value": {"type": "string"}}), &["value"]);
                ask([("b", value("Value of b")), ("a", value("Value of a"))], State::round(1))
            }
            "two_rounds" => self.two_rounds(),
            "state_only" if self.state.is_some() => done("waited"),
            "state_only" => ask([], State::round(1)),
            "forever" => ask(
                [("again", form("Again?", json!({"ok": {"type": "boolean"}}), &[]))],
                State::round(1),
            ),
            _ => Err(ErrorData::invalid_params("unknown tool", None)),
        }
    }

    fn two_rounds(&self) -> Result<Step, ErrorData> {
        let round = self.state.as_ref().map_or(0, |state| state.round);
        let key = if round == 1 { "first" } else { "second" };
        if let Some(refusal) = self.refused(key).filter(|_| round > 0) {
            return done(refusal);
        }
        let named = match &self.state {
            Some(State { round: 1, .. }) => self.accepted::<Name>("first").map(|first| first.name),
            Some(state) => state.name.clone(),
            None => None,
        };
        let Some(named) = named else {
            return ask([("first", name())], State::round(1));
        };
        match self.accepted::<Count>("second").filter(|_| round == 2) {
            Some(Count { count }) => done(format!("two:{named}:{count}")),
            None => {
                let count = form("How many?", json!({"count": {"type": "integer"}}), &["count"]);
                ask([("second", count)], Some(State { round: 2, name: Some(named) }))
            }
        }
    }
}

#[derive(Clone)]
struct Peer {
    codec: Arc<RequestStateCodec>,
    ttl: Option<Duration>,
}

impl Peer {
    fn new(ttl: Option<Duration>) -> Result<Self, Error> {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| error.to_string())?;
        Ok(Peer { codec: Arc::new(RequestStateCodec::try_new(key)?), ttl })
    }

    /// Opens the state, runs the handler, and seals the new state. Both states are bound to `request`.
    fn run(
        &self,
        request: &str,
        responses: Option<InputResponses>,
        state: Option<String>,
        handler: impl FnOnce(&Call) -> Result<Step, ErrorData>,
    ) -> Result<Result<String, InputRequiredResult>, ErrorData> {
        let state = state
            .map(|sealed| self.codec.open_json_with(&sealed, request.as_bytes()))
            .transpose()
            .map_err(|_| {
                ErrorData::invalid_params("tampered, expired or unknown request state", None)
            })?;
        match handler(&Call { responses: responses.unwrap_or_default(), state })? {
            Step::Done(text) => Ok(Ok(text)),
            Step::Ask(requests, state) => {
                let mut options = SealOptions::new().associated_data(request.as_bytes());
                if let Some(ttl) = self.ttl {
                    options = options.ttl(ttl);
                }
                let sealed = state
                    .map(|state| self.codec.seal_json_with(&state, &options))
                    .transpose()
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                Ok(Err(InputRequiredResult::new(
                    (!requests.is_empty()).then_some(requests),
                    sealed,
                )))
            }
        }
    }
}

/// Returns the binding of a state: the method, the name, and the arguments.
fn request(method: &str, name: &str, arguments: Option<&JsonObject>) -> String {
    json!([method, name, arguments.cloned().unwrap_or_default()]).to_string()
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.protocol_version = ProtocolVersion::V_2026_07_28;
        info.server_info = Implementation::new("rmcp-peer", "0.0.0");
        info
    }

    fn supported_protocol_versions(&self) -> std::borrow::Cow<'static, [ProtocolVersion]> {
        vec![ProtocolVersion::V_2026_07_28].into()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.map(|tool| {
            let properties =
                if tool == "form" { json!({"note": {"type": "string"}}) } else { json!({}) };
            Tool::new(tool, tool, object(json!({"type": "object", "properties": properties})))
        });
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let bound = request("tools/call", &params.name, params.arguments.as_ref());
        let step = self.run(&bound, params.input_responses, params.request_state, |call| {
            call.tool(&params.name)
        })?;
        Ok(match step {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
            Err(required) => required.into(),
        })
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("ask", Some("ask"), None)]))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if params.name != "ask" {
            return Err(ErrorData::invalid_params("unknown prompt", None));
        }
        let bound = request("prompts/get", &params.name, params.arguments.as_ref());
        let step = self
            .run(&bound, params.input_responses, params.request_state, |call| call.who("prompt"))?;
        Ok(match step {
            Ok(text) => {
                GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
            }
            Err(required) => required.into(),
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(RESOURCE, "ask")]))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if params.uri != RESOURCE {
            return Err(ErrorData::resource_not_found("unknown resource", None));
        }
        let bound = request("resources/read", &params.uri, None);
        let step = self.run(&bound, params.input_responses, params.request_state, |call| {
            call.who("resource")
        })?;
        Ok(match step {
            Ok(text) => {
                ReadResourceResult::new(vec![ResourceContents::text(text, RESOURCE)]).into()
            }
            Err(required) => required.into(),
        })
    }
}

pub async fn main(mut args: lexopt::Parser) -> Result<(), Error> {
    let (mut port, mut over_stdio, mut sse, mut ttl) = (None, false, false, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("port") => port = Some(args.value()?.parse::<u16>()?),
            Long("stdio") => over_stdio = true,
            Long("sse") => sse = true,
            Long("ttl") => ttl = Some(Duration::try_from_secs_f64(args.value()?.parse()?)?),
            Long("rounds") => drop(args.value()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let peer = Peer::new(ttl)?;
    if over_stdio {
        peer.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let listener = tokio::net::TcpListener::bind((
        "127.0.0.1",
        port.ok_or("serve needs --port N or --stdio")?,
    ))
    .await?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(!sse)
        // The default takes requests of every origin.
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"])
        .with_stateless_protocol_metadata_required(true);
    let service = StreamableHttpService::new(
        move || Ok(peer.clone()),
        Arc::<LocalSessionManager>::default(),
        config,
    );
    println!("listening http://127.0.0.1:{}/mcp", listener.local_addr()?.port());
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
