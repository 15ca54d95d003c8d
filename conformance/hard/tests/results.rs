//! The page of results has, for each failed check, what was sent, what came back, and the clause.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use std::{env, fs, path::Path, process::Command};

use serde_json::{Value, json};

fn check(id: &str, level: &str, verdict: &Value) -> Value {
    let mut check = json!({"id": id, "level": level, "source": "basic, x", "about": "It is so."});
    check.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    check
}

fn report(at: u64, checks: &[Value]) -> String {
    json!({"name": "x", "role": "server", "at": at, "checks": checks}).to_string()
}

#[test]
fn each_failure_has_a_line_and_all_checks_are_counted() {
    let folder = env::temp_dir().join(format!("hard-{}-results", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let passed = json!({"verdict": "passed", "seen": "ok"});
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {}});
    let sent = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"_meta": meta, "name": "form", "arguments": {}}});
    let asks = json!({"jsonrpc": "2.0", "id": 1, "result":
        {"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}}});
    let came_back = format!("2 of 3 (a, b), first 200 {asks} (expected an error)");
    let failed = json!({"verdict": "failed", "sent": sent.to_string(), "came_back": came_back});
    let ours = [check("one", "MUST", &passed), check("two", "OWN", &passed)];
    let python = [check("one", "MUST", &failed), check("two", "OWN", &passed)];
    fs::write(folder.join("server-ours.json"), report(86_400, &ours)).unwrap();
    fs::write(folder.join("server-python.json"), report(0, &python)).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("results.py");
    let output = Command::new("python3").arg(script).arg(&folder).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = String::from_utf8(output.stdout).unwrap();
    for line in [
        "1970-01-02, MCP 2026-07-28. `conformance/run` writes this page; nobody edits it.",
        "| server, MUST | 1 / 0 | not run | 0 / 1 | not run |",
        "| server, OWN | 1 / 0 | not run | 1 / 0 | not run |",
        "basic, x",
        "- `one`: It is so. Sent: `tools/call form declaring {}`. **python**: 200, input_required k: \
         roots/list; expected an error (2 of 3 cases: a, b)",
        "| `one` | MUST | yes | ? | **no** | ? |",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
}
