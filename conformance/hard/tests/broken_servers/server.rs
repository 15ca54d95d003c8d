//! A server with the fixtures of the contract. It is correct, except for the given faults.

use std::sync::Mutex;

use mrtr_core::wire::{
    Capabilities, Json, META_CAPABILITIES, META_VERSION, PROTOCOL_VERSION, read_header_value,
};
use serde_json::{Map, Value, json};

use crate::{
    fault::Fault,
    fixtures::{self, Step},
    http::{Request, Response},
    state::States,
};

/// A server with faults.
pub(crate) struct Server {
    faults: &'static [Fault],
    states: States,
    rounds_max: u64,
    last_capabilities: Mutex<Value>,
    memory: Mutex<Value>,
    is_dead: Mutex<bool>,
}

/// A refusal: a status and an error.
pub(crate) type Refused = (u16, Value);

/// The end of a request: a result or a refusal.
type Ended = Result<Value, Refused>;

pub(crate) fn error(status: u16, code: i64) -> Refused {
    (status, json!({"code": code, "message": "no"}))
}

impl Server {
    pub(crate) fn new(faults: &'static [Fault], ttl_secs: u64, rounds_max: u64) -> Self {
        let rounds_max = match faults {
            [Fault::OneRoundMore] => rounds_max + 1,
            [Fault::OneRoundLess] => rounds_max - 1,
            _ => rounds_max,
        };
        Self {
            faults,
            states: States::new(faults, ttl_secs),
            rounds_max,
            last_capabilities: Mutex::default(),
            memory: Mutex::default(),
            is_dead: Mutex::new(false),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Answers an HTTP request.
    pub(crate) fn answer(&self, request: &Request) -> Response {
        let (status, message) = self.message(request);
        let mut media_type = "application/json";
        let mut body = message.map_or_else(String::new, |message| message.to_string());
        if self.has(Fault::PlainText) {
            media_type = "text/plain";
        }
        if status == 200 && (self.has(Fault::Streams) || self.has(Fault::StreamsRequests)) {
            media_type = "text/event-stream";
            body = format!("event: message\ndata: {body}\n\n");
        }
        if status == 200 && self.has(Fault::StreamsRequests) {
            body = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n\n{body}");
        }
        Response { status, media_type, body }
    }

    fn message(&self, request: &Request) -> (u16, Option<Value>) {
        if *self.is_dead.lock().unwrap() {
            return (500, None);
        }
        let is_foreign =
            request.header("origin").is_ok_and(|it| it.is_some_and(|it| it.contains("evil")));
        match request.method.as_str() {
            _ if self.has(Fault::AnyOriginAndMethod) => {}
            "POST" if is_foreign => return (403, None),
            "POST" => {}
            _ => return (405, None),
        }
        let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
            if request.body.windows(100).any(|it| it.iter().all(|byte| *byte == b'[')) {
                *self.is_dead.lock().unwrap() = self.has(Fault::DiesOfNesting);
            }
            let (status, error) = error(if self.has(Fault::HangsUp) { 0 } else { 400 }, -32700);
            return (status, Some(json!({"jsonrpc": "2.0", "error": error})));
        };
        if !message.is_object() || message.get("method").is_none() {
            return (400, Some(json!({"jsonrpc": "2.0", "error": error(400, -32600).1})));
        }
        let id = match message.get("id") {
            Some(_) if self.has(Fault::OneId) => json!(1),
            Some(id) => id.clone(),
            None if self.has(Fault::AnswersNotifications) => {
                return (200, Some(json!({"result": {}})));
            }
            None => return (202, None),
        };
        match self.run(request, &message) {
            Ok(result) => (200, Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))),
            Err((status, mut error)) => {
                if self.has(Fault::OneCode) {
                    error["code"] = (-32603).into();
                }
                if self.has(Fault::OwnCode) {
                    error["code"] = (-32042).into();
                }
                let status = if self.has(Fault::OneStatus) { 200 } else { status };
                (status, Some(json!({"jsonrpc": "2.0", "id": id, "error": error})))
            }
        }
    }

    fn run(&self, request: &Request, message: &Value) -> Ended {
        let method = message["method"].as_str().unwrap_or_default();
        let none = Map::new();
        let is_lax = self.has(Fault::LaxMeta);
        let params = message["params"].as_object().or(is_lax.then_some(&none));
        let params = params.ok_or_else(|| error(400, -32602))?;
        let meta = params.get("_meta").and_then(Value::as_object).or(is_lax.then_some(&none));
        let meta = meta.ok_or_else(|| error(400, -32602))?;
        let version = meta.get(META_VERSION).and_then(Value::as_str);
        let version =
            version.or(is_lax.then_some(PROTOCOL_VERSION)).ok_or_else(|| error(400, -32602))?;
        if is_lax && !meta.contains_key("io.modelcontextprotocol/clientInfo") && !meta.is_empty() {
            return Err(error(400, -32602));
        }
        if !self.has(Fault::NoHeaders) {
            self.check_headers(request, version, method, params)
                .map_err(|()| error(400, -32020))?;
        }
        if version != PROTOCOL_VERSION && !is_lax {
            let data = json!({"supported": [PROTOCOL_VERSION], "requested": version});
            return Err((400, json!({"code": -32022, "message": "no", "data": data})));
        }
        let declared = meta.get(META_CAPABILITIES).cloned().or(is_lax.then(|| json!({})));
        let declared = declared.ok_or_else(|| error(400, -32602))?;
        if !declared.is_object() && !is_lax {
            return Err(error(400, -32602));
        }
        if self.has(Fault::WantsEverything) {
            self.gate(&json!({}), declared.clone())?;
        }
        self.dispatch(request, method, params, declared)
    }

    fn dispatch(
        &self,
        request: &Request,
        method: &str,
        params: &Map<String, Value>,
        declared: Value,
    ) -> Ended {
        let complete = |mut result: Value| {
            if !self.has(Fault::NoResultType) {
                result["resultType"] = "complete".into();
            }
            Ok(result)
        };
        let listed = |names: &[&str], kind: &str, parameter: &str| {
            if self.has(Fault::ListsAsk) {
                return Ok(json!({"resultType": "input_required", "requestState": "x"}));
            }
            let entries: Vec<_> = names.iter().map(|name| json!({parameter: name})).collect();
            complete(json!({kind: entries}))
        };
        match method {
            "server/discover" if self.has(Fault::EmptyResults) => complete(json!({})),
            "server/discover" => complete(json!({"supportedVersions": [PROTOCOL_VERSION]})),
            "tools/list" => listed(fixtures::TOOLS, "tools", "name"),
            "prompts/list" => listed(&["ask"], "prompts", "name"),
            "resources/list" => listed(&["ask://resource"], "resources", "uri"),
            "tools/call" | "prompts/get" | "resources/read" => {
                match self.call(request, method, params, declared)? {
                    Step::Done(_) if self.has(Fault::EmptyResults) => complete(json!({})),
                    Step::Done(text) if self.has(Fault::NoTextAfterRefusal) => {
                        let is_refused = text == "declined" || text == "cancelled";
                        let has_note = params.get("arguments").is_some_and(|it| *it != json!({}));
                        let text = if is_refused || has_note { "" } else { &text };
                        complete(fixtures::result(method, text))
                    }
                    Step::Done(text) => complete(fixtures::result(method, &text)),
                    Step::Ask(requests, state) => self.asked(request, params, requests, state),
                    Step::Unknown => Err(error(400, -32602)),
                }
            }
            _ => Err(error(404, -32601)),
        }
    }

    fn call(
        &self,
        request: &Request,
        method: &str,
        params: &Map<String, Value>,
        declared: Value,
    ) -> Result<Step, Refused> {
        let invalid = || error(200, -32602);
        let mut state = match params.get("requestState") {
            None => Value::Null,
            Some(state) => self.states.open(state, request, params)?,
        };
        let answers = params.get("inputResponses").cloned().unwrap_or_else(|| json!({}));
        let is_lax = self.has(Fault::UncheckedAnswers);
        let answers = match answers {
            Value::Array(all) if self.has(Fault::UnwrapsArrays) => json!({"target": all.first()}),
            answers => answers,
        };
        let answers = answers.as_object().cloned().or(is_lax.then(Map::new)).ok_or_else(invalid)?;
        if self.has(Fault::SharedMemory) && !state.is_null() {
            state["said"] = self.memory.lock().unwrap().clone();
        }
        if self.has(Fault::EmptyResults)
            && params.get("name") == Some(&json!("forever"))
            && state["round"] == 1
        {
            return Ok(Step::Done(String::new()));
        }
        let step =
            fixtures::step(self.faults, method, params, &state, &answers).ok_or_else(invalid)?;
        let Step::Ask(requests, said) = &step else { return Ok(step) };
        if self.has(Fault::FailsOnMissing) && !state.is_null() && state["said"] == *said {
            return Err(invalid());
        }
        let round = state["round"].as_u64().unwrap_or_default();
        if round >= self.rounds_max {
            return Err(error(200, -32603));
        }
        self.gate(requests, declared)?;
        *self.memory.lock().unwrap() = said.clone();
        Ok(Step::Ask(requests.clone(), json!({"said": said, "round": round + 1})))
    }

    /// Checks that a client declares what these requests need.
    fn gate(&self, requests: &Value, declared: Value) -> Result<(), Refused> {
        let mut known = self.last_capabilities.lock().unwrap();
        if !self.has(Fault::RemembersCapabilities) || known.is_null() || declared != json!({}) {
            *known = declared;
        }
        let mut declared = known.clone();
        drop(known);
        if self.has(Fault::RefusesCapabilities) && declared.get("teleport").is_some() {
            return Err(error(400, -32602));
        }
        if self.has(Fault::AnyCapabilityType) {
            let all = declared.as_object_mut().into_iter().flatten();
            all.filter(|(_, it)| !it.is_object()).for_each(|(_, it)| *it = json!({}));
        }
        let declared = declared.to_string();
        let declared = Json::parse(&declared).and_then(Capabilities::decode);
        let declared = declared.map_err(|_| error(400, -32602))?;
        let missing = declared.missing(fixtures::needs(self.faults, requests));
        if missing.is_empty() || self.has(Fault::NoGate) {
            return Ok(());
        }
        let missing: Value = serde_json::from_str(&missing.to_json()).unwrap();
        let data = json!({"requiredCapabilities": missing});
        Err((400, json!({"code": -32021, "message": "no", "data": data})))
    }

    fn asked(
        &self,
        request: &Request,
        params: &Map<String, Value>,
        requests: Value,
        state: Value,
    ) -> Ended {
        let mut result = json!({"resultType": "input_required"});
        if requests != json!({}) {
            result["inputRequests"] = requests;
        } else if self.has(Fault::OddRounds) {
            return Ok(result);
        }
        result["requestState"] = self.states.seal(state, request, params).into();
        Ok(result)
    }

    fn check_headers(
        &self,
        request: &Request,
        version: &str,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<(), ()> {
        let read = |name| {
            let value = request.header(name)?.ok_or(())?;
            if self.has(Fault::ExactHeaders) {
                return if request.spells(name) { Ok(String::from(value)) } else { Err(()) };
            }
            if !value.is_ascii() {
                return Err(());
            }
            read_header_value(value).map(String::from).ok_or(())
        };
        let is_same = |one: String, other: &str| if one == other { Ok(()) } else { Err(()) };
        is_same(read("MCP-Protocol-Version")?, version)?;
        is_same(read("Mcp-Method")?, method)?;
        match params.get("name").or(params.get("uri")) {
            Some(name) => is_same(read("Mcp-Name")?, name.as_str().unwrap_or_default()),
            None => Ok(()),
        }
    }
}
