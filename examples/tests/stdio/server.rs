//! The server: a line in, a line out.

use std::sync::Arc;

use mrtr_core::{
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Run},
    wire::RawJson,
};
use mrtr_examples::{
    server::{Format, Server},
    stdio,
    store::Memory,
};
use serde_json::{Value, json};

fn handler(run: &Run) -> Ending {
    let result = if run.method == "tools/list" { "{\n  \"tools\": []\n}" } else { "{}" };
    Ending::Finish(RawJson::parse(result).unwrap())
}

/// Serves an input, and returns what came out of it.
fn served(input: &[u8]) -> Vec<Value> {
    let keys = Keyring::new([("k", [1; 32])]).unwrap();
    let endpoint = Arc::new(Endpoint::new("test").with_request_state(RequestState::new(keys)));
    let mut output = Vec::new();
    let server = Server {
        endpoint,
        handler,
        store: Arc::new(Memory::default()),
        reporter: |_| {},
        format: Format::Json,
    };
    stdio::server::serve(&server, input, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.is_empty() || output.ends_with('\n'));
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u32, method: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}}).to_string()
}

/// proves: W-10
#[test]
fn a_server_answers_each_request_in_a_line_and_a_notification_not_at_all() {
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call-1.1"}}"#;
    let (first, last) = (request(1, "tools/list"), request(2, "ping"));
    let answers = served(format!("{first}\n{cancel}\n\n{last}\r\n").as_bytes());
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["id"], 1);
    assert_eq!(answers[0]["result"]["tools"], json!([]));
    assert_eq!(answers[1]["id"], 2);
    assert!(served(cancel.as_bytes()).is_empty());
}

/// proves: W-10, W-11
#[test]
fn a_server_refuses_what_is_not_a_request_and_reads_on() {
    let long = "x".repeat(5_000_000);
    for (line, code) in [
        ("hello", -32700),
        (r#"{"jsonrpc":"2.0","id":"call-1.1","result":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32602),
        (&long, -32600),
    ] {
        let answers = served(format!("{line}\n{}\n", request(2, "ping")).as_bytes());
        assert_eq!(answers.len(), 2, "{code}");
        assert_eq!(answers[0]["error"]["code"], code);
        assert_eq!(answers[1]["id"], 2, "{code}");
    }
    // What has no end of line may be half of a message.
    assert!(served(request(1, "ping").as_bytes()).is_empty());
}
