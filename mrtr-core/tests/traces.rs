//! The golden traces of `tests/traces`: scenes of a call, each named as a sentence.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mrtr-core --test traces` writes what the calls make of the input
//! now. The change is reviewed as a diff.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

#[path = "traces/play.rs"]
mod play;

use std::{env, fs, path::PathBuf};

use play::Player;

/// Writes a trace anew: comments and input as they stand, and under each input what comes of it.
fn played(name: &str, trace: &str) -> String {
    let mut player = Player::new(true);
    let mut written = String::new();
    for line in trace.lines() {
        // What stands indented was written by an earlier play.
        if line.starts_with("  ") {
            continue;
        }
        written.push_str(line);
        written.push('\n');
        if let Some(input) = line.strip_prefix("> ") {
            let under = player.play(input).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            written.push_str(&under);
        }
    }
    written
}

fn traces() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut traces: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "trace")).collect();
    traces.sort();
    traces
}

/// proves: CL-01, CL-23
#[test]
fn every_trace_plays_as_it_is_written() {
    let mut differ = Vec::new();
    for path in traces() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let trace = fs::read_to_string(&path).unwrap();
        let now = played(&name, &trace);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &now).unwrap();
        } else if now != trace {
            differ.push(format!("{name} plays otherwise now:\n{now}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn there_are_traces_and_a_changed_one_is_noticed() {
    assert!(traces().len() >= 40, "{} traces", traces().len());
    let trace = "> {\"at\":0,\"start\":{\"id\":\"c\",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}}\n";
    let now = played("a", trace);
    assert!(now.ends_with("  = running until 60000\n"), "{now}");
    assert_eq!(played("a", &now), now);
    assert_ne!(played("a", &now.replace("60000", "1")), now.replace("60000", "1"));
}
