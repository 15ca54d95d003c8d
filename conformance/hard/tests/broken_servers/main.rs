//! Checks that cannot fail prove nothing. A correct server passes all checks of a server, and each
//! fault of a broken server fails the checks in its row of the table, and no others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

#[path = "../common/mod.rs"]
mod common;
mod fault;
mod fixtures;
mod http;
mod rows;
mod server;
mod state;

use core::slice;
use std::collections::BTreeSet;

use common::{SuiteResult, expect_all_named, expect_rows, families};
use fault::Fault;
use rows::ROWS;
use server::Server;

fn serve(server: Server) -> String {
    http::serve(move |request| server.answer(request))
}

/// Runs the checks whose ids begin with `only` on a server with these faults.
fn judge(faults: &'static [Fault], only: &[&str]) -> SuiteResult {
    let servers = [(300, 100), (1, 100), (300, 2)];
    let [url, ttl_url, rounds_url] =
        servers.map(|(ttl_secs, rounds_max)| serve(Server::new(faults, ttl_secs, rounds_max)));
    let options = [("--url", url), ("--ttl-url", ttl_url), ("--rounds-url", rounds_url)];
    let rest: Vec<_> = options.into_iter().flat_map(|(name, url)| [name.into(), url]).collect();
    common::run("server", only, &rest)
}

#[test]
fn a_correct_server_passes_everything_and_every_check_can_fail() {
    let judged = judge(&[], &[]);
    assert_eq!(judged.failed, BTreeSet::new());
    // The server sends no event streams.
    assert_eq!(judged.not_offered, BTreeSet::from(["always-no-requests".into()]));
    assert!(judged.is_success && judged.last_line.ends_with(" passed, 0 failed, 1 not offered"));
    expect_all_named(ROWS, &judged);
}

#[test]
fn a_correct_server_may_send_event_streams() {
    let judged = judge(&[Fault::Streams], &["always", "meta", "target", "version"]);
    assert_eq!((judged.failed, judged.not_offered), (BTreeSet::new(), BTreeSet::new()));
}

#[test]
fn each_fault_fails_the_checks_of_its_row_and_no_others() {
    expect_rows(ROWS, |fault, ids| judge(slice::from_ref(fault), &families(ids, 1)));
}
