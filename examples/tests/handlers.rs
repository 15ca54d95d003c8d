//! What a handler may do besides asking: await, and fail for a reason that is not the client's.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use std::{
    fs, io,
    sync::{Arc, Mutex},
};

use form_model::{FormBuilder, TextField};
use mrtr_core::{
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Flow, Report, Run, Stop},
    wire::RawJson,
};
use mrtr_examples::{
    server::{Format, Server, describe},
    stdio,
    store::Memory,
};
use serde_json::{Value, json};

/// The lines of the operator's log.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn log(report: &Report) {
    LOG.lock().unwrap().push(describe(report));
}

/// Reads the file that a person names. It awaits after the answer, and fails if there is no such
/// file.
fn read_file(run: &Run) -> Ending {
    let mut flow = Flow::open(run);
    let read = async {
        let form = FormBuilder::new().field(TextField::new("file").required()).build()?;
        let answer = flow.accepted("file", "Which file?", form)?;
        let file = answer.text("file").unwrap_or_default().to_owned();
        let text = smol::unblock(|| fs::read_to_string(file)).await?;
        Ok(RawJson::from_value(&json!({"content": [{"type": "text", "text": text}]}))?)
    };
    let result: Result<RawJson, Stop> = smol::block_on(read);
    flow.close(result)
}

fn request(retry: Option<(&str, &Value)>) -> String {
    let mut params = json!({"name": "read", "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    }});
    if let Some((file, state)) = retry {
        let content = json!({"file": file});
        params["inputResponses"] = json!({"file": {"action": "accept", "content": content}});
        params["requestState"] = state.clone();
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

fn server() -> Server {
    let keys = Keyring::new([("k", [1; 32])]).unwrap();
    let endpoint = Endpoint::new("files").with_request_state(RequestState::new(keys));
    let (endpoint, store) = (Arc::new(endpoint), Arc::new(Memory::default()));
    Server { endpoint, handler: read_file, store, reporter: log, format: Format::Json }
}

fn respond(server: &Server, message: &str) -> Value {
    let mut output = Vec::new();
    stdio::server::serve(server, format!("{message}\n").as_bytes(), &mut output).unwrap();
    serde_json::from_slice(&output).unwrap()
}

/// Plays both rounds, and returns the last answer.
fn read(file: &str) -> Value {
    let server = server();
    let asked = respond(&server, &request(None));
    respond(&server, &request(Some((file, &asked["result"]["requestState"]))))
}

/// proves: SV-10
#[test]
fn a_handler_may_await_after_it_has_asked() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/handlers.rs");
    let answer = read(file);
    assert_eq!(answer["result"]["content"][0]["text"], include_str!("handlers.rs"));
}

#[test]
fn the_cause_of_an_error_is_in_the_log_and_not_in_the_answer() {
    let answer = read("/no/such/file");
    assert_eq!(answer["error"], json!({"code": -32603, "message": "Internal error"}));
    let log = LOG.lock().unwrap();
    let lines: Vec<_> = log.iter().filter(|line| line.contains("HandlerFailed")).collect();
    let [line] = lines.as_slice() else { panic!("{log:?}") };
    assert!(line.starts_with("server files: tools/call: "), "{line}");
    let cause = io::Error::from_raw_os_error(2).to_string();
    assert!(line.ends_with(&cause), "{line}");
}
