//! The peer's two programs do what `conformance/README.md` says, with each other.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

const PEER: &str = env!("CARGO_BIN_EXE_peer");

/// The peer's server over HTTP. It is killed when it is dropped.
struct Served {
    process: Child,
    url: String,
}

impl Served {
    fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(PEER);
        command.args(["serve", "--port", "0"]).args(flags).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening ").unwrap().into();
        Self { process, url }
    }

    fn call(&self, options: &[&str]) -> Value {
        let mut command = Command::new(PEER);
        outcome(command.arg("call").arg(&self.url).args(options))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn call_over_stdio(options: &[&str]) -> Value {
    let mut command = Command::new(PEER);
    outcome(command.arg("call").args(options).args(["--stdio", "--", PEER, "serve", "--stdio"]))
}

/// Reads the last line that a call prints.
fn outcome(command: &mut Command) -> Value {
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?}");
    let output = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(output.lines().last().unwrap()).unwrap()
}

fn complete(text: &str) -> Value {
    json!({"outcome": "complete", "text": text})
}

const CLAIMS: &str = "form,url,sampling,sampling.tools,sampling.context,roots";

fn answers() -> String {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    json!({
        "target": accept(json!({"environment": "staging", "confirm": false})),
        "all": accept(json!({
            "text": "hé", "number": 0.5, "integer": 3, "flag": true, "choice": "a", "titled": "b",
            "legacy": "a", "choices": ["b"], "titled_choices": [],
        })),
        "a": accept(json!({"value": "A"})),
        "b": accept(json!({"value": "B"})),
        "first": accept(json!({"name": "octocat"})),
        "second": accept(json!({"count": 7})),
        "who": accept(json!({"name": "octocat"})),
        "*": {"action": "accept"},
    })
    .to_string()
}

#[test]
fn every_fixture_asks_and_answers_over_every_transport() {
    let spelled = r#"spellings:{"choice":"a","choices":["b"],"flag":true,"integer":3,"legacy":"a","number":0.5,"text":"hé","titled":"b","titled_choices":[]}"#;
    let json = Served::start(&[]);
    let events = Served::start(&["--sse", "--single-use"]);
    let answers = answers();
    for (method, name, text) in [
        ("tools/call", "plain", "plain"),
        ("tools/call", "form", "accepted:staging:false"),
        ("tools/call", "spellings", spelled),
        ("tools/call", "url", "consented"),
        ("tools/call", "sampling", "sampled:sampled text"),
        ("tools/call", "sampling_tools", "sampled:sampled text"),
        ("tools/call", "sampling_context", "sampled:sampled text"),
        ("tools/call", "roots", "roots:1"),
        ("tools/call", "several", "several:A:B"),
        ("tools/call", "two_rounds", "two:octocat:7"),
        ("tools/call", "state_only", "waited"),
        ("prompts/get", "ask", "prompt:octocat"),
        ("resources/read", "ask://resource", "resource:octocat"),
    ] {
        let options =
            ["--method", method, "--name", name, "--claims", CLAIMS, "--answers", &answers];
        for found in [json.call(&options), events.call(&options), call_over_stdio(&options)] {
            assert_eq!(found, complete(text), "{method} {name}");
        }
    }
}

#[test]
fn a_refusal_reaches_the_tool_and_what_is_not_claimed_is_not_asked() {
    let served = Served::start(&[]);
    let answer = |action: &str| json!({"*": {"action": action}}).to_string();
    for name in ["form", "url"] {
        for (action, text) in [("decline", "declined"), ("cancel", "cancelled")] {
            let found = served.call(&["--name", name, "--answers", &answer(action)]);
            assert_eq!(found, complete(text), "{name}");
        }
        // A call is cancelled where nothing else is said.
        assert_eq!(served.call(&["--name", name]), complete("cancelled"));
    }
    for (name, claims) in [
        ("form", "none"),
        ("form", "url,roots"),
        ("url", "form"),
        ("sampling", "form,url,roots"),
        ("sampling_tools", "sampling,sampling.context"),
        ("sampling_context", "sampling,sampling.tools"),
        ("roots", "form"),
    ] {
        let found = served.call(&["--name", name, "--claims", claims]);
        assert_eq!(found["code"], -32021, "{name} {claims} {found}");
    }
    assert_eq!(served.call(&["--name", "state_only", "--claims", "none"]), complete("waited"));
}

#[test]
fn what_either_side_refuses_is_an_outcome() {
    let served = Served::start(&["--rounds", "1"]);
    let answers = answers();
    assert_eq!(served.call(&["--name", "other"])["code"], -32602);
    // The server asks one round, and the client would take two.
    let found = served.call(&["--name", "two_rounds", "--answers", &answers]);
    assert_eq!(found["code"], -32603);
    let served = Served::start(&[]);
    let forever = ["--name", "forever", "--answers", &answers, "--rounds", "2"];
    let unfit = r#"{"target":{"action":"accept","content":{"environment":"mars"}}}"#;
    let no_action = r#"{"target":{"action":"perhaps"}}"#;
    for options in [
        &forever[..],
        &["--name", "form", "--answers", unfit],
        &["--name", "form", "--answers", no_action],
        &["--name", "form", "--answers", "{}"],
    ] {
        let found = served.call(options);
        assert_eq!(found["outcome"], "error", "{options:?}");
        assert_eq!(found["code"], Value::Null, "{options:?} {found}");
    }
    let mut nowhere = Command::new(PEER);
    let found = outcome(nowhere.args(["call", "http://127.0.0.1:1/mcp", "--name", "plain"]));
    assert_eq!(found["outcome"], "error");
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = Command::new(PEER).args(["serve", "--port", &port]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with(&format!("cannot listen at 127.0.0.1:{port}: ")), "{said}");
    assert!(!output.status.success() && output.stdout.is_empty());
}
