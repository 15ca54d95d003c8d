//! `docs/LIFECYCLE.md`, written from what the machines do when everything that can happen to them
//! happens, in a small scope.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod calls;
mod explore;
mod hosts;
mod page;
#[path = "../source/mod.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod source;

use core::time::Duration;
use std::{env, fs};

use calls::Calling;
use explore::{Seen, explore};
use hosts::{Hosting, Setup};
use page::Scope;

/// The time that the legs of a call have together, where they have one.
const EXECUTION: Option<Duration> = Some(Duration::from_secs(30));

/// proves: PR-06, PR-01 in part
#[test]
fn the_page_says_what_the_machines_do() {
    let calling = |name, execution| {
        let (start, began): (Calling, Seen) = Calling::start(execution);
        let mut found = explore(start);
        found.seen.insert(began);
        Scope { name, found }
    };
    let hosting = |name, is_durable, calls, execution| Scope {
        name,
        found: explore(Hosting::start(Setup { is_durable, calls, execution })),
    };
    let client = [
        calling("an invocation, two questions in a round, two rounds", None),
        calling("the same, with 30 s for all its legs", EXECUTION),
    ];
    let volatile = [
        hosting("a broker, one invocation and all that can happen to it", false, 1, None),
        hosting("the same, with 30 s for all its legs", false, 1, EXECUTION),
        hosting("two invocations of two providers in one session", false, 2, None),
    ];
    let durable = [
        hosting("a broker with a store, one invocation", true, 1, None),
        hosting("the same, with 30 s for all its legs", true, 1, EXECUTION),
        hosting("two invocations, with a store", true, 2, None),
    ];
    let written = page::write(&client, &volatile, &durable);
    let path = source::root().join("docs/LIFECYCLE.md");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(written.lines()).find(|(kept, written)| kept != written);
    assert!(kept == written, "UPDATE_GOLDEN=1 rewrites docs/LIFECYCLE.md; first: {differs:?}");
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let folders = ["mrtr-core", "proptests", "examples"];
    let sources: Vec<_> = folders.into_iter().flat_map(source::files).collect();
    for test in page::tests() {
        let signature = format!("fn {test}(");
        let is_there = sources.iter().any(|(_, text)| text.contains(&signature));
        assert!(is_there, "{test}");
    }
}
