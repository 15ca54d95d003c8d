//! Checks that cannot fail prove nothing: a sound server passes all of them, and each fault of a
//! broken one fails the checks that are there for it, and no others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod cases;
mod fault;
mod fixtures;
mod http;
mod server;
mod state;

use core::{
    slice,
    sync::atomic::{AtomicUsize, Ordering},
};
use std::{collections::BTreeSet, fs, process::Command, sync::Mutex, thread};

use cases::{CASES, NEVER_FAIL};
use fault::Fault;
use serde_json::Value;
use server::Server;

/// What the runner says of a server.
struct Judged {
    all: BTreeSet<String>,
    failed: BTreeSet<String>,
    not_offered: BTreeSet<String>,
    is_success: bool,
    last_line: String,
}

fn serve(server: Server) -> String {
    http::serve(move |request| server.answer(request))
}

/// Runs the checks whose ids begin so on a server with these faults.
fn judge(faults: &'static [Fault], only: &[&str]) -> Judged {
    let url = serve(Server::new(faults, 300, 100));
    let ttl_url = serve(Server::new(faults, 1, 100));
    let rounds_url = serve(Server::new(faults, 300, 2));
    let json = std::env::temp_dir().join(url.replace(['/', ':'], "-") + ".json");
    let output = Command::new(env!("CARGO_BIN_EXE_hard"))
        .args(["server", "--url", &url, "--ttl-url", &ttl_url, "--rounds-url", &rounds_url])
        .args(["--name", "broken", "--json"])
        .arg(&json)
        .args(only.iter().flat_map(|prefix| ["--only", prefix]))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    fs::remove_file(&json).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let ids = |verdicts: &[&str]| {
        let counts = checks.iter().filter(|check| check["level"] != "INFO");
        let of = counts.filter(|it| verdicts.contains(&it["verdict"].as_str().unwrap()));
        of.map(|check| check["id"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let stdout = String::from_utf8(output.stdout).unwrap();
    Judged {
        all: ids(&["passed", "failed", "not_offered"]),
        failed: ids(&["failed"]),
        not_offered: ids(&["not_offered"]),
        is_success: output.status.success(),
        last_line: stdout.lines().last().unwrap().to_owned(),
    }
}

/// Returns the beginnings of ids that have something in common with these.
fn families(ids: &[&'static str]) -> Vec<&'static str> {
    let families: BTreeSet<_> =
        ids.iter().map(|id| id.split_once('-').map_or(*id, |(it, _)| it)).collect();
    families.into_iter().collect()
}

#[test]
fn a_sound_server_passes_everything_and_every_check_can_fail() {
    let judged = judge(&[], &[]);
    assert_eq!(judged.failed, BTreeSet::new());
    // It sends no event streams.
    assert_eq!(judged.not_offered, BTreeSet::from(["always-no-requests".into()]));
    assert!(judged.is_success && judged.last_line.ends_with(" passed, 0 failed, 1 not offered"));

    let can_fail = CASES.iter().flat_map(|(_, ids)| *ids).chain(NEVER_FAIL);
    let can_fail: BTreeSet<_> = can_fail.map(|id| (*id).to_owned()).collect();
    assert_eq!(can_fail, judged.all);
}

#[test]
fn a_sound_server_may_send_event_streams() {
    let judged = judge(&[Fault::Streams], &["always", "meta", "target", "version"]);
    assert_eq!((judged.failed, judged.not_offered), (BTreeSet::new(), BTreeSet::new()));
}

#[test]
fn each_fault_fails_the_checks_that_are_there_for_it_and_no_others() {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    // Most of the time goes by in waiting.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((fault, expected)) = CASES.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let judged = judge(slice::from_ref(fault), &families(expected));
                    let expected = expected.iter().map(|id| (*id).to_owned()).collect();
                    if judged.failed != expected || judged.is_success {
                        let missed: Vec<_> = expected.difference(&judged.failed).cloned().collect();
                        let more: Vec<_> = judged.failed.difference(&expected).cloned().collect();
                        let line = format!("{fault:?}: missed {missed:?}, and {more:?} failed");
                        wrong.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
