//! A run of the checks on a broken program, and a table of faults and the checks that they fail.

use core::{
    fmt::Debug,
    sync::atomic::{AtomicUsize, Ordering},
};
use std::{collections::BTreeSet, env, fs, process, process::Command, sync::Mutex, thread};

use serde_json::Value;

/// The report of the runner on a program, without INFO checks.
pub(crate) struct SuiteResult {
    pub(crate) all: BTreeSet<String>,
    pub(crate) failed: BTreeSet<String>,
    pub(crate) not_offered: BTreeSet<String>,
    pub(crate) is_success: bool,
    pub(crate) last_line: String,
}

/// Runs the checks whose ids begin with `only`. `rest` are the last arguments of the command line.
pub(crate) fn run(role: &str, only: &[&str], rest: &[String]) -> SuiteResult {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let json = env::temp_dir().join(format!("hard-{role}-{}-{run}.json", process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_hard"))
        .args([role, "--name", "broken", "--json"])
        .arg(&json)
        .args(only.iter().flat_map(|prefix| ["--only", prefix]))
        .args(rest)
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
    SuiteResult {
        all: ids(&["passed", "failed", "not_offered"]),
        failed: ids(&["failed"]),
        not_offered: ids(&["not_offered"]),
        is_success: output.status.success(),
        last_line: stdout.lines().last().unwrap().to_owned(),
    }
}

/// Expects that the rows name all checks of a correct program.
pub(crate) fn expect_all_named<F>(rows: &[(F, &[&str])], correct: &SuiteResult) {
    let named = rows.iter().flat_map(|(_, ids)| *ids).map(|id| (*id).to_owned());
    assert_eq!(named.collect::<BTreeSet<_>>(), correct.all);
}

/// Runs each row, and expects that exactly its checks fail.
pub(crate) fn expect_rows<F: Debug + Sync + 'static>(
    rows: &'static [(F, &[&'static str])],
    run: impl Fn(&'static F, &[&'static str]) -> SuiteResult + Sync,
) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    // The checks mostly wait.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((fault, ids)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let expected: BTreeSet<_> = ids.iter().map(|id| (*id).to_owned()).collect();
                    let SuiteResult { failed, is_success, last_line, .. } = run(fault, ids);
                    let is_counted = last_line.contains(&format!(" {} failed", expected.len()));
                    if failed != expected || is_success || !is_counted {
                        let missed: Vec<_> = expected.difference(&failed).cloned().collect();
                        let more: Vec<_> = failed.difference(&expected).cloned().collect();
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

/// Returns the first words of ids, as many as `count`, without repetitions.
pub(crate) fn families(ids: &[&'static str], count: usize) -> Vec<&'static str> {
    let family = |id: &'static str| match id.match_indices('-').nth(count - 1) {
        Some((end, _)) => &id[..end],
        None => id,
    };
    ids.iter().map(|id| family(id)).collect::<BTreeSet<_>>().into_iter().collect()
}
