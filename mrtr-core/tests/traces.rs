//! The golden traces of `tests/traces`: scenes of a call, each named as a sentence.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mrtr-core --test traces` rewrites what the calls do with the
//! input. The change is reviewed as a diff.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

#[path = "traces/play.rs"]
mod play;

use std::{env, fs, path::PathBuf};

use mrtr_core::trace::{Exposed, Redacted, Step};
use play::Player;

/// Plays a trace: keeps its comments and input, and writes under each input what the call does.
fn played(name: &str, trace: &str) -> String {
    let mut player = Player::new(true);
    let mut written = String::new();
    for line in trace.lines() {
        // Indented lines were written by an earlier play.
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
            differ.push(format!("{name} plays differently now:\n{now}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn there_are_traces_and_a_changed_one_is_noticed() {
    assert!(traces().len() >= 40, "{} traces", traces().len());
    let trace = "> {\"at\":0,\"start\":{\"version\":1,\"id\":\"c\",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}}\n";
    let now = played("a", trace);
    assert!(now.ends_with("  = running until 60000\n"), "{now}");
    assert_eq!(played("a", &now), now);
    assert_ne!(played("a", &now.replace("60000", "1")), now.replace("60000", "1"));
}

/// Returns the blocks of text in a part of the guide.
fn blocks(guide: &str) -> impl Iterator<Item = &str> {
    guide.split("```text\n").skip(1).map(|rest| rest.split_once("```").unwrap().0)
}

/// proves: CL-23
#[test]
fn the_guide_shows_steps_as_they_are_read_and_redacted() {
    let guide = include_str!("../../docs/traces.md");
    let (mut steps, mut views) = (0, 0);
    for block in blocks(guide) {
        let mut event = None;
        for line in block.lines() {
            let input = line.strip_prefix("> ").unwrap_or(line);
            if input.starts_with(r#"{"at""#) {
                let Exposed(step) = Exposed::read(input).unwrap_or_else(|error| {
                    panic!("{error}: {input}");
                });
                steps += 1;
                event = match step {
                    Step::Event { event, .. } => Some(event),
                    Step::Start { .. } => None,
                };
            } else if let Some(event) = event.take().filter(|_| line.starts_with(['{', '"'])) {
                assert_eq!(serde_json::to_string(&Redacted(&event)).unwrap(), line);
                views += 1;
            }
        }
    }
    assert!(steps >= 25 && views >= 16, "{steps} steps, {views} views");
}

/// proves: CL-23
#[test]
fn the_trace_that_the_guide_writes_by_hand_plays_as_it_is_written() {
    let guide = include_str!("../../docs/traces.md");
    let by_hand = guide.split_once("## A trace by hand").unwrap().1;
    let trace: String = blocks(by_hand).collect();
    assert_eq!(played("the guide", &trace), trace);
}
