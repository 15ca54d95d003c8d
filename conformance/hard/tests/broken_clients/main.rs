//! Checks that cannot fail prove nothing. A correct client passes all checks of a client, and each
//! fault of a broken client fails the checks in its row of the table, and no others.
//!
//! The client is a program in Python, in the folder `client`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "this is a test"
)]

#[path = "../common/mod.rs"]
mod common;
mod rows;

use std::{collections::BTreeSet, path::Path, process::Command, sync::LazyLock};

use common::{SuiteResult, expect_all_named, expect_rows, families};
use rows::ROWS;

/// Returns the command of a client with a fault, or of a correct one.
fn client(fault: &str) -> Vec<String> {
    // The program in PATH may be a wrapper script, which takes longer than the client.
    static PYTHON: LazyLock<String> = LazyLock::new(|| {
        let print = ["-c", "import sys; print(sys.executable, end='')"];
        String::from_utf8(Command::new("python3").args(print).output().unwrap().stdout).unwrap()
    });
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_clients/client/main.py");
    let cache = format!("pycache_prefix={}", env!("CARGO_TARGET_TMPDIR"));
    [&*PYTHON, "-S", "-X", &cache, program.to_str().unwrap(), fault].map(String::from).into()
}

/// Runs the checks whose ids begin with `only` on a client with a fault.
fn judge(fault: &str, only: &[&str]) -> SuiteResult {
    common::run("client", only, &[vec!["--command".into()], client(fault)].concat())
}

/// Returns the checks that are made for a row: those whose ids begin with the same two words. The
/// rules for all calls need calls, so they are made of a call with two rounds.
fn made_for(ids: &[&'static str]) -> Vec<&'static str> {
    let (rules, ids): (Vec<_>, Vec<_>) = ids.iter().partition(|id| id.starts_with("always-"));
    let rules = if rules.is_empty() { [].as_slice() } else { &["always-", "rounds-two"] };
    [&families(&ids, 2), rules].concat()
}

#[test]
fn a_correct_client_passes_everything_and_every_check_can_fail() {
    let judged = judge("", &[]);
    assert_eq!((&judged.failed, &judged.not_offered), (&BTreeSet::new(), &BTreeSet::new()));
    assert!(judged.is_success && judged.last_line.ends_with(" passed, 0 failed, 0 not offered"));
    expect_all_named(ROWS, &judged);
}

#[test]
fn each_fault_fails_the_checks_of_its_row_and_no_others() {
    expect_rows(ROWS, |fault, ids| judge(fault, &made_for(ids)));
}

#[test]
fn each_fault_of_the_client_has_a_row() {
    let [program, arguments @ .., _] = client("").try_into().map(|it: [String; 6]| it).unwrap();
    let output = Command::new(program).args(arguments).arg("--faults").output().unwrap();
    let faults = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<_> = ROWS.iter().map(|(fault, _)| *fault).collect();
    assert_eq!(faults.lines().collect::<Vec<_>>(), rows);
}

#[test]
fn a_client_that_does_not_run_passes_nothing() {
    let only = ["state-another"];
    let judged = common::run("client", &only, &["--command".into(), "false".into()]);
    assert_eq!(judged.failed, only.map(String::from).into());
    assert!(!judged.is_success);
    assert_eq!(judged.last_line, "0 passed, 1 failed, 0 not offered");
}
