//! Checks that cannot fail prove nothing: a sound client passes, and each fault of a broken one
//! fails the checks that are there for it.
//!
//! The client is `broken_client.py`, which python3 runs.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::std_instead_of_core,
    reason = "this is a test"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

/// What the runner says of a client.
struct Judged {
    failed: BTreeSet<String>,
    passed: usize,
    is_success: bool,
    last_line: String,
}

/// Runs the checks whose ids begin so on a client with these faults.
fn judge(faults: &str, only: &[&str]) -> Judged {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let json = std::env::temp_dir().join(format!("hard-{}-{run}.json", std::process::id()));
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_client.py");
    let output = Command::new(env!("CARGO_BIN_EXE_hard"))
        .args(["client", "--name", "broken", "--json"])
        .arg(&json)
        .args(only.iter().flat_map(|prefix| ["--only", prefix]))
        .args(["--command", "python3"])
        .arg(client)
        .arg(faults)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    fs::remove_file(&json).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let of = |verdict: &'static str| checks.iter().filter(move |check| check["verdict"] == verdict);
    let stdout = String::from_utf8(output.stdout).unwrap();
    Judged {
        failed: of("failed").map(|check| check["id"].as_str().unwrap().to_owned()).collect(),
        passed: of("passed").count(),
        is_success: output.status.success(),
        last_line: stdout.lines().last().unwrap().to_owned(),
    }
}

/// Runs the checks on a client with faults, and expects these to fail and no other.
fn fails(faults: &str, only: &[&str], expected: &[&str]) {
    let judged = judge(faults, only);
    let expected: BTreeSet<_> = expected.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(judged.failed, expected, "{faults}");
    assert!(!judged.is_success, "{faults}");
    assert!(judged.last_line.contains(&format!(" {} failed", expected.len())), "{faults}");
}

#[test]
fn a_sound_client_passes() {
    let only = [
        "state",
        "answers-",
        "claims-",
        "unclaimed-",
        "headers-",
        "rounds-two",
        "rounds-bad",
        "result-type",
        "redirect",
        "broken-",
        "errors-",
        "methods-",
        "forms-wrong",
        "parallel-",
        "always-",
    ];
    let judged = judge("none", &only);
    assert_eq!(judged.failed, BTreeSet::new());
    assert!(judged.passed > 140 && judged.is_success, "{}", judged.last_line);
}

#[test]
fn a_client_that_does_not_run_passes_nothing() {
    let output = Command::new(env!("CARGO_BIN_EXE_hard"))
        .args(["client", "--only", "state-another", "--command", "false"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.ends_with("0 passed, 1 failed, 0 not offered\n"), "{stdout}");
}

#[test]
fn a_state_that_is_touched_is_found_out() {
    let trimmed = ["state-echo-quotes", "state-echo-escapes", "state-echo-spaces"];
    fails("trims-state", &["state-echo"], &trimmed);
    fails("reads-state", &["state-echo"], &["state-echo-json-text"]);
    fails(
        "drops-empty-state",
        &["state-echo", "always-"],
        &["state-echo-empty", "always-state-text"],
    );
}

#[test]
fn a_state_that_is_kept_or_shown_is_found_out() {
    fails("keeps-state", &["state-none"], &["state-none-after-one"]);
    fails("shows-state", &["state-none", "always-"], &["always-state-kept-to-itself"]);
}

#[test]
fn a_retry_that_is_another_request_is_found_out() {
    fails("one-id", &["rounds-two", "always-"], &["always-new-ids"]);
    let rounded = ["params-same-numbers", "params-same-large-integer", "always-same-params"];
    fails("rounded-arguments", &["params-", "always-"], &rounded);
    fails("forgets-arguments", &["params-whole"], &["params-whole"]);
    let once = ["claims-each-leg", "always-same-params", "always-same-claims"];
    fails("claims-once", &["claims-", "always-"], &once);
    fails(
        "names-once",
        &["headers-name-plain", "always-"],
        &["headers-name-plain", "always-name-header"],
    );
}

#[test]
fn answers_of_another_shape_are_found_out() {
    let wrapped = ["answers-bare", "answers-several", "answers-sampling", "answers-roots"];
    fails(
        "wraps-answers",
        &["answers-bare", "answers-several", "answers-sampling", "answers-roots"],
        &wrapped,
    );
    let listed = ["answers-key-zero", "answers-several", "always-answers-object"];
    fails("lists-answers", &["answers-key-zero", "answers-several", "always-"], &listed);
    fails("cancels-for-declines", &["answers-"], &["answers-decline"]);
}

#[test]
fn answers_that_nobody_gave_are_found_out() {
    let unclaimed = [
        "unclaimed-form-of-url-only",
        "unclaimed-url",
        "unclaimed-roots",
        "rounds-bad-sibling-method",
    ];
    fails("makes-up-declines", &unclaimed, &unclaimed);
    let siblings =
        ["rounds-bad-sibling-method", "rounds-bad-sibling-null", "rounds-bad-sibling-unclaimed"];
    fails("skips-bad-requests", &siblings, &siblings);
    let everything = ["claims-none", "claims-form", "claims-url"];
    fails("claims-everything", &everything, &everything);
}

#[test]
fn answers_that_do_not_fit_are_found_out() {
    let sent = ["forms-wrong-type", "forms-wrong-range", "forms-wrong-null"];
    fails("sends-any-answer", &sent, &sent);
}

#[test]
fn a_client_that_never_stops_is_found_out() {
    fails("never-stops,no-pause", &["rounds-"], &["rounds-for-ever", "rounds-for-ever-waiting"]);
    fails("waits-for-ever", &["time-late-complete"], &["time-late-complete"]);
    fails("sends-again", &["broken-"], &["broken-before", "broken-within", "broken-retry"]);
}

#[test]
fn results_that_are_none_are_found_out_when_they_are_taken() {
    let types = [
        "result-type-unknown",
        "result-type-other-case",
        "result-type-empty",
        "result-type-null",
        "result-type-number",
    ];
    fails("any-type", &["result-type-"], &types);
    let ids = [
        "no-answer-other-id",
        "no-answer-id-null",
        "no-answer-no-id",
        "no-answer-round-of-other-id",
    ];
    fails("any-id", &["no-answer-"], &ids);
    fails("loses-codes", &["errors-internal", "errors-after"], &["errors-internal"]);
}

#[test]
fn a_client_that_size_kills_is_found_out() {
    fails("dies-of-depth", &["limits-depth-10000-meta"], &["limits-depth-10000-meta"]);
    fails("hoards", &["limits-state-ten-mb"], &["limits-state-ten-mb"]);
}

#[test]
fn a_client_that_is_led_astray_is_found_out() {
    let redirects = ["redirect-301", "redirect-302", "redirect-307", "redirect-308"];
    fails("follows-redirects", &["redirect-"], &redirects);
    let answered = ["stream-request-from-server", "always-one-message"];
    fails("answers-the-server", &["stream-", "always-one"], &answered);
    let names = ["headers-name-umlauts", "headers-name-spaces", "headers-name-looks-encoded"];
    fails("plain-names", &names, &names);
}
