//! The frames that `docs/frames.md` shows are those that are read and written.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use mrtr_core::host::{CloseReason, FRAME_BYTES_MAX, HostFrame, Limits, ProviderFrame, Question};

const DOCUMENT: &str = include_str!("../../docs/frames.md");

/// Returns the lines of the JSON blocks of a section.
fn frames(section: &str) -> impl Iterator<Item = &'static str> {
    let (_, rest) = DOCUMENT.split_once(&format!("## {section}\n")).unwrap();
    let section = rest.split_once("\n## ").map_or(rest, |(section, _)| section);
    section.lines().filter(|line| line.starts_with('{'))
}

fn kind(frame: &str) -> &str {
    frame.split('"').nth(1).unwrap()
}

/// proves: HB-04
#[test]
fn every_frame_of_a_host_is_shown_as_it_is_written() {
    let mut kinds: Vec<_> = frames("From the host").map(kind).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["call", "cancel", "interaction_refused", "interaction_result"]);
    for frame in frames("From the host") {
        assert_eq!(HostFrame::decode(frame.as_bytes()).unwrap().to_json(), frame);
        assert!(ProviderFrame::decode(frame.as_bytes()).is_err(), "{frame}");
    }
}

/// proves: HB-04
#[test]
fn every_frame_of_a_provider_is_shown_as_it_is_written() {
    let mut kinds: Vec<_> = frames("From the provider").map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let all =
        ["accepted", "failed", "interaction_request", "progress", "rejected", "released", "result"];
    assert_eq!(kinds, all);
    for frame in frames("From the provider") {
        let decoded = ProviderFrame::decode(frame.as_bytes()).unwrap();
        assert_eq!(decoded.to_json(), frame);
        assert!(HostFrame::decode(frame.as_bytes()).is_err(), "{frame}");
        if let ProviderFrame::InteractionRequest { request, .. } = decoded {
            let question = Question::decode(request.as_json(), &Limits::default()).unwrap();
            assert_eq!(question.to_json(), request);
        }
    }
}

#[test]
fn every_reason_and_the_limit_are_named() {
    for why in CloseReason::ALL {
        assert!(DOCUMENT.contains(&format!("`{why}`")), "{why}");
    }
    assert_eq!(FRAME_BYTES_MAX, 4 * 1024 * 1024);
    assert!(DOCUMENT.contains("4 MiB"));
}
