//! What a server sends before it answers, and what an endpoint can have of its own: a place in the
//! handler, and arguments that are repeated in headers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

use core::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::Duration,
};
use std::{sync::Arc, thread, time::Instant};

use form_model::Form;
use mrtr_core::{
    InvocationId, Limits,
    client::{Binding, Claims, Invocation, Outcome, Request},
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Need, Run},
    wire::{InputRequest, Json, Method, ParamHeaders, RawJson, RpcError},
};
use mrtr_examples::{
    call::{Ended, Silent},
    client::{CallError, Http},
    server::{self, Caller, Format, Handler, Server},
    stdio,
    store::Memory,
    surface::Script,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// A handler that sends notifications, and finds out whether its caller is gone.
struct Telling {
    runs: Arc<AtomicU32>,
    is_gone: Arc<AtomicBool>,
    keyless: Arc<Endpoint>,
}

impl Telling {
    fn new() -> Self {
        Self {
            runs: Arc::default(),
            is_gone: Arc::default(),
            keyless: Arc::new(Endpoint::new("test")),
        }
    }
}

/// Returns the arguments that the tool `routed` repeats in headers.
fn routed() -> ParamHeaders {
    let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    ParamHeaders::from_schema(Json::parse(schema).unwrap()).unwrap()
}

impl Handler for Telling {
    fn run(&self, run: &Run, caller: &Caller<'_>) -> Ending {
        self.runs.fetch_add(1, Ordering::Relaxed);
        if run.params.as_str().contains("waits") {
            let until = Instant::now() + Duration::from_secs(10);
            caller.tell("notifications/progress", &json!({"progress": 1})).unwrap();
            while !caller.is_gone() && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
            self.is_gone.store(caller.is_gone(), Ordering::Relaxed);
            assert!(caller.tell("notifications/progress", &json!({})).is_err());
        }
        if run.params.as_str().contains("asks") {
            let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
            let form = Form::from_schema(schema).unwrap();
            return Ending::Need(Need::new().request("k", InputRequest::form("Well?", form)));
        }
        for step in 1..=2 {
            let id: Value = serde_json::from_str(caller.id().unwrap().as_str()).unwrap();
            let params = json!({"progress": step, "of": id});
            caller.tell("notifications/progress", &params).unwrap();
        }
        Ending::Finish(RawJson::parse(r#"{"content":[]}"#).unwrap())
    }

    fn endpoint(&self, target: &str) -> Option<&Arc<Endpoint>> {
        (target == "keyless asks").then_some(&self.keyless)
    }
}

fn server<H: Handler>(handler: H, format: Format) -> Server<H> {
    let keys = Keyring::new([("k", [1; 32])]).unwrap();
    let endpoint = Endpoint::new("test")
        .with_request_state(RequestState::new(keys))
        .with_param_headers("routed", routed());
    let endpoint = Arc::new(endpoint);
    Server { endpoint, handler, store: Arc::new(Memory::default()), reporter: |_| {}, format }
}

async fn served(handler: Telling, format: Format) -> String {
    let listener = server::listen(0).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(server::serve(listener, server(handler, format)));
    address
}

fn message(name: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string()
}

fn post(name: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\
         content-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: {name}\r\n{headers}\r\n{body}"
    )
}

async fn respond(address: &str, request: &str) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).await.unwrap();
    response
}

/// Finds the messages of a stream, whatever lies between them.
fn events(response: &str) -> Vec<Value> {
    let data = response.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

const BOTH: &str = "accept: application/json, text/event-stream\r\n";

#[tokio::test]
async fn a_handler_that_sends_notifications_gets_a_stream() {
    for format in [Format::Json, Format::EventStream] {
        let address = served(Telling::new(), format).await;
        let response = respond(&address, &post("t", BOTH, &message("t", &json!({})))).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.contains("content-type: text/event-stream\r\n"), "{response}");
        let events = events(&response);
        assert_eq!(events.len(), 3, "{response}");
        for (step, event) in (1..).zip(&events[..2]) {
            assert_eq!(event["method"], "notifications/progress");
            assert_eq!(event["params"], json!({"progress": step, "of": 7}));
        }
        assert_eq!(events[2]["result"]["resultType"], "complete");
    }
}

#[tokio::test]
async fn a_client_that_accepts_no_stream_gets_the_answer_alone() {
    let address = served(Telling::new(), Format::EventStream).await;
    let accept = "accept: application/json\r\n";
    let response = respond(&address, &post("t", accept, &message("t", &json!({})))).await;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    assert_eq!(serde_json::from_str::<Value>(body).unwrap()["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_handler_finds_out_that_its_client_is_gone() {
    let handler = Telling::new();
    let is_gone = handler.is_gone.clone();
    let address = served(handler, Format::Json).await;
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let request = post("waits", BOTH, &message("waits", &json!({})));
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut begin = [0; 16];
    socket.read_exact(&mut begin).await.unwrap();
    drop(socket);
    let found_out = async {
        while !is_gone.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(10), found_out).await.unwrap();
}

#[test]
fn over_stdio_notifications_are_lines_before_the_answer() {
    let input = format!("{}\n", message("t", &json!({})));
    let mut output = Vec::new();
    stdio::server::serve(&server(Telling::new(), Format::Json), input.as_bytes(), &mut output)
        .unwrap();
    let output = String::from_utf8(output).unwrap();
    let lines: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{output}");
    assert_eq!(lines[0]["params"]["progress"], 1);
    assert_eq!(lines[1]["params"]["progress"], 2);
    assert_eq!(lines[2]["id"], 7);
}

#[tokio::test]
async fn an_endpoint_is_picked_by_the_header_only_if_the_message_agrees() {
    let address = served(Telling::new(), Format::Json).await;
    let ask = async |header: &str, name: &str| {
        let response = respond(&address, &post(header, "", &message(name, &json!({})))).await;
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()
    };
    assert!(ask("asks", "asks").await["result"]["requestState"].is_string());
    let keyless = ask("keyless asks", "keyless asks").await;
    assert_eq!(keyless["result"]["resultType"], "input_required");
    assert_eq!(keyless["result"].get("requestState"), None);
    assert_eq!(ask("keyless asks", "asks").await["error"]["code"], RpcError::HEADER_MISMATCH);
}

#[tokio::test]
async fn an_argument_that_differs_from_its_header_never_reaches_the_handler() {
    let handler = Telling::new();
    let runs = handler.runs.clone();
    let address = served(handler, Format::Json).await;
    let body = message("routed", &json!({"region": "west"}));
    for (header, status) in [
        ("", "400"),
        ("mcp-param-region: east\r\n", "400"),
        ("mcp-param-region: west\r\nmcp-param-region: west\r\n", "400"),
        ("Mcp-Param-Region: =?base64?d2VzdA==?=\r\n", "200"),
    ] {
        let response = respond(&address, &post("routed", header, &body)).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{header}: {response}");
        assert_eq!(status == "400", response.contains(r#""code":-32020"#), "{response}");
        assert_eq!(runs.load(Ordering::Relaxed), u32::from(status == "200"), "{header}");
    }
}

#[tokio::test]
async fn a_client_repeats_arguments_as_it_was_told() {
    let address = served(Telling::new(), Format::Json).await;
    let url = format!("http://{address}/mcp");
    for (is_told, expected) in [(true, None), (false, Some(RpcError::HEADER_MISMATCH))] {
        let http = Http::new(&url);
        let params = RawJson::parse(r#"{"name":"routed","arguments":{"region":"wést"}}"#).unwrap();
        let id = InvocationId::new("call-1").unwrap();
        let request = Request::new(id, Method::ToolsCall, params, Binding::new(&url))
            .with_param_headers(if is_told { routed() } else { ParamHeaders::default() });
        let claims = Claims::none().with_form();
        let started = Invocation::start(http.now(), request, claims, Limits::default());
        let (call, actions) = started.unwrap();
        let ended = http.drive(call, actions, &Script::Decline, &Silent).await;
        let Ended::Settled(outcome) = ended else { panic!("nobody is asked") };
        let code = if let Outcome::Error(error) = &outcome { Some(error.code) } else { None };
        assert_eq!(code, expected, "{outcome:?}");
    }
}

#[tokio::test]
async fn a_method_without_rounds_is_called_without_a_machine() {
    let address = served(Telling::new(), Format::EventStream).await;
    let http = Http::new(&format!("http://{address}/mcp"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let result = http.call("list-1", "tools/list", &json!({"_meta": meta})).await.unwrap();
    assert!(result.as_str().contains(r#""content":[]"#));
    let refused = http.call("list-2", "tools/list", &json!({})).await;
    let Err(CallError::Refused(error)) = refused else { panic!("it has no _meta") };
    assert_eq!(error.code, RpcError::INVALID_PARAMS);
    let nobody = Http::new("http://127.0.0.1:1/mcp").call("list-3", "tools/list", &json!({})).await;
    assert!(matches!(nobody, Err(CallError::Connection(_))));
}
