//! The adapters over real sockets: what a server may answer, and what a client may send.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

use core::time::Duration;
use std::{
    io::ErrorKind,
    sync::{Arc, Mutex},
};

use mrtr_core::{
    Clock, Clocks, InvocationId, Limits,
    client::{Binding, Claims, Fault, Invocation, Outcome, Request},
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Run},
    wire::{Method, RawJson},
};
use mrtr_examples::{
    call::{Ended, Silent},
    client::Http,
    server::{self, Format, Server},
    store::Memory,
    surface::Script,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

fn yes() -> Script {
    Script::Accept(vec![("confirm".into(), "true".into())])
}

async fn call(url: &str, script: &Script) -> Ended {
    call_within(&Http::new(url), url, script, Limits::default()).await
}

async fn call_within(http: &Http, url: &str, script: &Script, limits: Limits) -> Ended {
    let params = RawJson::parse(r#"{"name":"größe","arguments":{}}"#).unwrap();
    let id = InvocationId::new("call-1").unwrap();
    let request = Request::new(id, Method::ToolsCall, params, Binding::new(url));
    let claims = Claims::none().with_form();
    let (call, actions) = Invocation::start(http.now(), request, claims, limits).unwrap();
    http.drive(call, actions, script, &Silent).await
}

async fn outcome(url: &str) -> Outcome {
    match call(url, &yes()).await {
        Ended::Settled(outcome) => outcome,
        Ended::GaveUp(why) => panic!("{why}"),
    }
}

/// Serves one canned response after another, and keeps what was sent.
async fn canned(responses: Vec<Vec<u8>>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    tokio::spawn(async move {
        for response in responses {
            let (mut socket, _) = listener.accept().await.unwrap();
            let request = read_request(&mut socket).await;
            seen.lock().unwrap().push(request);
            socket.write_all(&response).await.unwrap();
        }
    });
    (url, requests)
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = socket.read(&mut chunk).await.unwrap();
        read.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&read);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
        });
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return text.into_owned();
        }
    }
}

fn http(content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into()
}

fn json(leg: &str, result: &str) -> Vec<u8> {
    http("application/json", &format!(r#"{{"jsonrpc":"2.0","id":"{leg}","result":{result}}}"#))
}

const ASKS: &str = r#"{"resultType":"input_required","requestState":"opaque","inputRequests":{"sure":{
    "method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{
    "type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}}}}}"#;
const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

/// proves: CL-02
#[tokio::test]
async fn a_call_goes_through_json_and_event_streams_alike() {
    let asks = ASKS.replace('\n', "");
    let stream = |leg: &str, result: &str| {
        let message = format!(r#"{{"jsonrpc":"2.0","id":"{leg}","result":{result}}}"#);
        let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
        http(
            "text/event-stream; charset=utf-8",
            &format!(": hello\n\nevent: message\ndata: {progress}\n\ndata: {message}\n\n"),
        )
    };
    for responses in [
        vec![json("call-1.1", ASKS), json("call-1.2", DONE)],
        vec![stream("call-1.1", &asks), stream("call-1.2", DONE)],
    ] {
        let (url, requests) = canned(responses).await;
        assert!(matches!(outcome(&url).await, Outcome::Complete(_)));
        let requests = requests.lock().unwrap();
        assert!(
            requests[0].contains("\r\nmcp-name: =?base64?Z3LDtsOfZQ==?=\r\n"),
            "{}",
            requests[0]
        );
        assert!(requests[0].contains("\r\nmcp-protocol-version: 2026-07-28\r\n"));
        assert!(requests[1].contains(
            r#""inputResponses":{"sure":{"action":"accept","content":{"confirm":true}}},"requestState":"opaque""#
        ));
    }
}

/// proves: CL-13
#[tokio::test]
async fn answers_and_state_are_sent_to_no_server_that_another_points_to() {
    let (elsewhere, seen) = canned(vec![json("call-1.2", DONE)]).await;
    let redirect = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    let (url, _) = canned(vec![json("call-1.1", ASKS), redirect.into()]).await;
    assert!(matches!(outcome(&url).await, Outcome::Fault(Fault::Wire(_))));
    assert!(seen.lock().unwrap().is_empty());
}

/// proves: CL-06, CL-17, W-11
#[tokio::test]
async fn a_hostile_server_gets_one_stable_outcome_and_nothing_more() {
    let fields: Vec<_> = (0..100_000).map(|i| format!(r#""f{i}":{{"type":"string"}}"#)).collect();
    let many = ASKS.replace(r#""confirm":{"type":"boolean"}"#, &fields.join(","));
    let deep = format!(r#"{{"a":{}"#, "[".repeat(100_000));
    for response in [
        json("call-1.1", &ASKS.replace("elicitation/create", "elicitation/destroy")),
        json(
            "call-1.1",
            &ASKS.replace(r#""requestState":"#, r#""requestState":"x","requestState":"#),
        ),
        json("call-1.1", r#"{"resultType":"input_required","inputRequests":7}"#),
        json("call-1.1", &many),
        json("call-1.1", &deep),
        json("call-9.9", DONE),
        http("application/json", "\u{feff}{}"),
        http("text/html", "<html>"),
        http("text/event-stream", "data: {\n\n"),
        http("text/event-stream", ": nothing\n\n"),
        http("application/json", &" ".repeat(5 * 1024 * 1024)),
        http("text/event-stream", &format!("data: {}", "x".repeat(5 * 1024 * 1024))),
    ] {
        let (url, requests) = canned(vec![response]).await;
        let outcome = outcome(&url).await;
        assert!(matches!(outcome, Outcome::Fault(_)), "{outcome:?}");
        assert_eq!(requests.lock().unwrap().len(), 1);
    }
}

/// proves: CL-17
#[tokio::test]
async fn a_result_of_another_media_type_is_a_fault() {
    let message = format!(r#"{{"jsonrpc":"2.0","id":"call-1.1","result":{DONE}}}"#);
    for media_type in ["text/html", "text/plain", "application/jsonp", "text/event-streams", ""] {
        let (url, requests) = canned(vec![http(media_type, &message)]).await;
        let outcome = outcome(&url).await;
        assert!(matches!(outcome, Outcome::Fault(Fault::Wire(_))), "{media_type}: {outcome:?}");
        assert_eq!(requests.lock().unwrap().len(), 1);
    }
    for media_type in ["application/json", "Application/JSON ; charset=UTF-8"] {
        let (url, _) = canned(vec![http(media_type, &message)]).await;
        assert!(matches!(outcome(&url).await, Outcome::Complete(_)), "{media_type}");
    }
}

/// proves: CL-09
#[tokio::test]
async fn an_event_of_another_name_is_skipped() {
    let answer = format!(r#"data: {{"jsonrpc":"2.0","id":"call-1.1","result":{DONE}}}"#);
    for (name, is_message) in [("message", true), ("ping", false), ("Message", false)] {
        let events = format!("event: ping\ndata: {{\"at\":1}}\n\nevent: {name}\n{answer}\n\n");
        let (url, _) = canned(vec![http("text/event-stream", &events)]).await;
        let is_complete = matches!(outcome(&url).await, Outcome::Complete(_));
        assert_eq!(is_complete, is_message, "{name}");
    }
}

/// proves: CL-13
#[tokio::test]
async fn a_connection_that_breaks_leaves_the_outcome_unknown() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n";
    for broken in [
        String::new(),
        format!("{head}content-type: application/json\r\n\r\n{{"),
        format!("{head}content-type: text/event-stream\r\n\r\n: soon\n\n"),
    ] {
        let (url, _) = canned(vec![broken.into()]).await;
        assert_eq!(outcome(&url).await, Outcome::OutcomeUnknown);
    }
    assert_eq!(outcome("http://127.0.0.1:1/mcp").await, Outcome::OutcomeUnknown);
}

/// proves: CL-10, CL-11
#[tokio::test]
async fn a_leg_that_times_out_is_cancelled_by_closing_its_response() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: working\n\n";
    for begun in ["", head] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            read_request(&mut socket).await;
            socket.write_all(begun.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            let ended = socket.read_to_end(&mut rest).await.map_err(|error| error.kind());
            // Nothing is sent on another connection either.
            let more = timeout(Duration::from_millis(100), listener.accept()).await;
            (ended, more.is_ok())
        });
        let http = Http::new(&url);
        let clocks = Clocks::default().leg(Duration::from_millis(500));
        let limits = Limits::default().clocks(clocks);
        let ended = call_within(&http, &url, &yes(), limits).await;
        assert!(matches!(ended, Ended::Settled(Outcome::TimedOut(Clock::Leg))));
        // The client still exists: it closed the response only.
        let (ended, more) = timeout(Duration::from_secs(10), server).await.unwrap().unwrap();
        assert!(matches!(ended, Ok(0) | Err(ErrorKind::ConnectionReset)), "{ended:?}");
        assert!(!more);
        drop(http);
    }
}

/// proves: CL-08
#[tokio::test]
async fn an_answer_that_does_not_fit_is_not_sent() {
    let (url, requests) = canned(vec![json("call-1.1", ASKS)]).await;
    let script = Script::Accept(vec![("confirm".into(), "perhaps".into())]);
    let Ended::GaveUp(why) = call(&url, &script).await else { panic!("nobody could answer") };
    assert!(why.to_string().contains("perhaps is not yes or no"), "{why}");
    assert_eq!(requests.lock().unwrap().len(), 1);
}

fn handler(_: &Run) -> Ending {
    Ending::Finish(RawJson::parse(DONE).unwrap())
}

async fn status(request: &str) -> (u16, String) {
    respond(Format::Json, request).await
}

async fn respond(format: Format, request: &str) -> (u16, String) {
    let listener = server::listen(0).await.unwrap();
    let address = listener.local_addr().unwrap();
    let keys = Keyring::new([("k", [1; 32])]).unwrap();
    let endpoint = Arc::new(Endpoint::new("test").with_request_state(RequestState::new(keys)));
    tokio::spawn(server::serve(
        listener,
        Server { endpoint, handler, store: Arc::new(Memory::default()), reporter: |_| {}, format },
    ));
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).await.unwrap();
    (response.split(' ').nth(1).unwrap().parse().unwrap(), response)
}

fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{
    "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const HEADERS: &str = "content-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\n\
     mcp-method: tools/call\r\nmcp-name: t\r\n";

/// proves: W-10
#[tokio::test]
async fn a_server_takes_posts_of_json_from_its_own_machine() {
    let host = "host: localhost:80\r\n";
    let with = |more: &str| post(&format!("{HEADERS}{more}"), BODY);
    for (request, expected) in [
        (with(host), 200),
        (with("Host: LOCALHOST\r\nOrigin: http://LocalHost:3000\r\n"), 200),
        (with("host: [::1]:80\r\norigin: https://127.0.0.1\r\n"), 200),
        (with("host: evil.example\r\n"), 403),
        (with("host: localhost.evil.example\r\n"), 403),
        (with("host: localhost\r\norigin: http://evil.example\r\n"), 403),
        (with("host: localhost\r\norigin: null\r\n"), 403),
        (with("host: localhost\r\norigin: http://localhost.evil.example\r\n"), 403),
        (with("host: localhost\r\nmcp-name: t\r\n"), 400),
        (with("host: localhost\r\nmcp-name: other\r\n"), 400),
        (with(host).replace("mcp-name: t", "mcp-name: other"), 400),
        (with(host).replace("mcp-method: tools/call\r\n", ""), 400),
        (with(host).replace("application/json", "text/plain"), 415),
        (with(host).replacen("POST", "GET", 1), 405),
        (with(host).replacen("POST", "DELETE", 1), 405),
        (with(host).replacen("/mcp", "/other", 1), 404),
    ] {
        let (found, response) = status(&request).await;
        assert_eq!(found, expected, "{request}\n{response}");
    }
    let (_, response) = status(&with(host).replace("mcp-name: t", "mcp-name: other")).await;
    assert!(response.contains(r#""code":-32020"#), "{response}");
}

/// proves: W-10
#[tokio::test]
async fn a_server_of_event_streams_sends_one_event_to_a_client_that_accepts_them() {
    let with = |more: &str| post(&format!("{HEADERS}host: localhost\r\n{more}"), BODY);
    let both = "accept: application/json, text/event-stream\r\n";
    for (format, accept, is_stream) in [
        (Format::EventStream, both, true),
        (
            Format::EventStream,
            "accept: application/json\r\naccept: Text/Event-Stream;q=0.5\r\n",
            true,
        ),
        (Format::EventStream, "accept: application/json\r\n", false),
        (Format::EventStream, "accept: */*\r\n", false),
        (Format::EventStream, "", false),
        (Format::Json, both, false),
    ] {
        let (found, response) = respond(format, &with(accept)).await;
        assert_eq!(found, 200, "{response}");
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{DONE}}}"#);
        let (media_type, expected) = if is_stream {
            ("text/event-stream", format!("event: message\ndata: {message}\n\n"))
        } else {
            ("application/json", message)
        };
        assert!(head.contains(&format!("content-type: {media_type}\r\n")), "{accept}: {head}");
        assert_eq!(body, expected, "{accept}");
    }
    // A refusal needs its status, which a stream does not have.
    let refused = with(both).replace("mcp-name: t", "mcp-name: other");
    let (found, response) = respond(Format::EventStream, &refused).await;
    assert_eq!(found, 400, "{response}");
    assert!(response.contains("content-type: application/json\r\n"), "{response}");
}

/// proves: W-10
#[tokio::test]
async fn a_handler_that_takes_its_time_holds_no_other_request() {
    fn slow_or_not(run: &Run) -> Ending {
        if run.params.as_str().contains(r#""name":"slow""#) {
            std::thread::sleep(Duration::from_secs(3));
        }
        handler(run)
    }
    let listener = server::listen(0).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (store, format) = (Arc::new(Memory::default()), Format::Json);
    let endpoint = Arc::new(Endpoint::new("test"));
    let server = Server { endpoint, handler: slow_or_not, store, reporter: |_| {}, format };
    tokio::spawn(server::serve(listener, server));
    let fast = post(&format!("{HEADERS}host: localhost\r\n"), BODY);
    let slow =
        fast.replace(r#""name":"t""#, r#""name":"slow""#).replace("mcp-name: t", "mcp-name: slow");
    let length = |body: usize| format!("content-length: {body}\r\n");
    let slow = slow.replace(&length(BODY.len()), &length(BODY.len() + 3));
    let mut waits = TcpStream::connect(address).await.unwrap();
    waits.write_all(slow.as_bytes()).await.unwrap();
    // This test has one thread, as its server has.
    let mut goes = TcpStream::connect(address).await.unwrap();
    goes.write_all(fast.as_bytes()).await.unwrap();
    let mut response = String::new();
    let answered = timeout(Duration::from_secs(2), goes.read_to_string(&mut response)).await;
    answered.expect("it is answered while the other runs").unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    waits.read_to_string(&mut response).await.unwrap();
    assert_eq!(response.matches("HTTP/1.1 200").count(), 2, "{response}");
}
