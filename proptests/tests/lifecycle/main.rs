//! The real machines in scopes that have an end: everything that can happen to them happens, and no
//! invariant breaks. `docs/LIFECYCLE.md` is written from what they do.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod exact;
mod invariants;
mod page;
#[path = "../source/mod.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod source;

use std::{collections::BTreeSet, env, fs};

use mrtr_proptests::explore::{Counts, Found, Scope, Size, read_golden, scopes};

/// The threads that a test may take.
const THREADS: usize = 2;

/// Explores the scopes that every run explores.
fn explore_small() -> Vec<(Scope, Found)> {
    let small = scopes().into_iter().filter(|scope| scope.size == Size::Small);
    let found = |scope: Scope| {
        let found = scope.explore(THREADS).unwrap_or_else(|broken| panic!("{broken}"));
        (scope, found)
    };
    small.map(found).collect()
}

/// proves: PR-06, PR-01
#[test]
fn the_page_says_what_the_machines_do() {
    let golden = fs::read_to_string(source::root().join("proptests/explore.golden")).unwrap();
    let golden = read_golden(&golden);
    let explored = explore_small();
    for (scope, found) in &explored {
        let kept = golden.iter().find(|(name, _)| name == scope.name).map(|(_, counts)| *counts);
        assert_eq!(
            kept,
            Some(Counts::from(found)),
            "{}: UPDATE_GOLDEN=1 cargo explore",
            scope.name
        );
    }
    let written = page::write(&explored, &golden);
    let path = source::root().join("docs/LIFECYCLE.md");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(written.lines()).find(|(kept, written)| kept != written);
    assert!(kept == written, "UPDATE_GOLDEN=1 rewrites docs/LIFECYCLE.md; first: {differs:?}");
}

#[test]
fn the_golden_file_counts_every_scope_and_a_million_states() {
    let golden = fs::read_to_string(source::root().join("proptests/explore.golden")).unwrap();
    let golden = read_golden(&golden);
    assert!(golden.iter().map(|(name, _)| name).eq(scopes().iter().map(|scope| scope.name)));
    let names: BTreeSet<_> = golden.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), golden.len(), "each scope has a name of its own");
    assert!(golden.iter().map(|(_, counts)| counts.states).sum::<u64>() >= 1_000_000);
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let folders = ["mrtr-core", "proptests", "examples"];
    let sources: Vec<_> = folders.into_iter().flat_map(source::files).collect();
    for test in invariants::tests() {
        let signature = format!("fn {test}(");
        let is_there = sources.iter().any(|(_, text)| text.contains(&signature));
        assert!(is_there, "{test}");
    }
}
