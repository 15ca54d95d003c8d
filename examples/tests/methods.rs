//! The three methods that may ask, of the server of the demo, over every transport and format.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
};

use mrtr_core::{
    InvocationId, Limits, Phase,
    client::{Binding, Claims, Invocation, LegId, LegRequest, Outcome, Request},
    wire::{Method, RawJson, RpcError},
};
use mrtr_examples::{
    call::{Ended, Observer},
    client::Http,
    stdio,
    surface::{Script, Surface},
};
use serde_json::{Value, json};

/// The server of the demo over HTTP. It is killed when it is dropped.
struct Served {
    process: Child,
    url: String,
}

impl Served {
    fn start(flags: &[&str]) -> Self {
        let mut command = deploy(&["serve", "--port", "0"]);
        let mut process = command.args(flags).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("serving ").unwrap().into();
        Self { process, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn deploy(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deploy"));
    command.args(args);
    command
}

/// Counts the requests that went out.
#[derive(Default)]
struct Legs(Mutex<usize>);

impl Observer for Legs {
    fn sends(&self, _: &LegRequest, _: Phase) {
        *self.0.lock().unwrap() += 1;
    }

    fn returned(&self, _: &LegId, _: Phase) {}
}

fn accepts() -> Script {
    let given = [
        ("environment", "production"),
        ("confirm", "true"),
        ("audience", "customers"),
        ("tone", "sober"),
        ("reason", "an audit"),
    ];
    Script::Accept(given.map(|(name, value)| (name.into(), value.into())).into())
}

fn request(method: Method, params: &Value) -> Request {
    let id = InvocationId::new("call-1").unwrap();
    Request::new(id, method, RawJson::from_value(params).unwrap(), Binding::new("served"))
}

fn settled(ended: Ended) -> Outcome {
    match ended {
        Ended::Settled(outcome) => outcome,
        Ended::GaveUp(why) => panic!("{why}"),
    }
}

/// Calls, and returns the outcome and how many requests it took.
fn over_http(url: &str, request: Request, script: &Script) -> (Outcome, usize) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let http = Http::new(url);
    let claims = Claims::none().with_form();
    let (call, actions) =
        Invocation::start(http.now(), request, claims, Limits::default()).unwrap();
    let legs = Legs::default();
    let ended = runtime.block_on(http.drive(call, actions, script, &legs));
    (settled(ended), legs.0.into_inner().unwrap())
}

fn over_stdio(request: Request, script: Script) -> (Outcome, usize) {
    let child = stdio::threads::Child::spawn(deploy(&["serve", "--stdio"])).unwrap();
    let claims = Claims::none().with_form();
    let (call, actions) =
        Invocation::start(child.now(), request, claims, Limits::default()).unwrap();
    let legs = Legs::default();
    let surface: Arc<dyn Surface> = Arc::new(script);
    let ended = child.drive(call, actions, &surface, &legs, mpsc::channel());
    (settled(ended), legs.0.into_inner().unwrap())
}

/// Returns each method with its params, the place of the text in its result, that text, and the
/// number of requests that the call takes.
fn methods() -> [(Method, Value, &'static str, &'static str, usize); 3] {
    let arguments = json!({"artifact": "build-42"});
    [
        (
            Method::ToolsCall,
            json!({"name": "deploy", "arguments": arguments}),
            "/content/0/text",
            "deployed build-42 to production",
            2,
        ),
        (
            Method::PromptsGet,
            json!({"name": "announce", "arguments": arguments}),
            "/messages/0/content/text",
            "Announce build-42 to the customers in a sober tone.",
            3,
        ),
        (
            Method::ResourcesRead,
            json!({"uri": "deploy://log"}),
            "/contents/0/text",
            "build-41 was deployed to production\nthe log was read: an audit",
            2,
        ),
    ]
}

/// proves: SV-01, SV-02, SV-10
#[test]
fn all_three_methods_ask_and_answer_over_every_transport() {
    let (json, stream) = (Served::start(&[]), Served::start(&["--sse"]));
    for (method, params, place, expected, legs) in methods() {
        for (over, (outcome, sent)) in [
            ("json", over_http(&json.url, request(method, &params), &accepts())),
            ("stream", over_http(&stream.url, request(method, &params), &accepts())),
            ("stdio", over_stdio(request(method, &params), accepts())),
        ] {
            let Outcome::Complete(result) = outcome else { panic!("{over}: {outcome:?}") };
            let result: Value = serde_json::from_str(result.as_str()).unwrap();
            assert_eq!(result.pointer(place).unwrap(), expected, "{over}");
            assert_eq!(sent, legs, "{over}: {method:?}");
        }
    }
}

/// proves: SV-01
#[test]
fn what_a_handler_refuses_is_an_error_over_every_transport() {
    let (json, stream) = (Served::start(&[]), Served::start(&["--sse"]));
    let refused = |outcome: Outcome, message: &str| {
        let expected = RpcError::new(RpcError::INVALID_PARAMS, message.to_owned());
        assert_eq!(outcome, Outcome::Error(expected));
    };
    for (method, params, message) in [
        (
            Method::ToolsCall,
            json!({"name": "other", "arguments": {"artifact": "a"}}),
            "Unknown tool",
        ),
        (
            Method::PromptsGet,
            json!({"name": "announce", "arguments": {"artifact": "a"}}),
            "The person did not agree",
        ),
        (Method::ResourcesRead, json!({"uri": "deploy://other"}), "Unknown resource"),
        (Method::ResourcesRead, json!({"uri": "deploy://log"}), "The person did not agree"),
    ] {
        for url in [&json.url, &stream.url] {
            refused(over_http(url, request(method, &params), &Script::Decline).0, message);
        }
        refused(over_stdio(request(method, &params), Script::Decline).0, message);
    }
}
