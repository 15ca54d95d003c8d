//! The seeds of the fuzz target: lives that get to everything that can happen to somebody.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::lives::{drawn, live_honestly};

/// The lives among which a place is looked for that no seed gets to.
const LIVES: u64 = 1_500;

/// Where the seeds must get to.
const PLACES: [&str; 121] = [
    // How a call ends for its host, and for its client.
    "settled complete",
    "settled failed",
    "settled lost",
    "settled outcome_unknown",
    "settled rejected",
    "settled released",
    "settled stopped",
    "settled store_failed",
    "settled timed_out Execution",
    "settled timed_out Interaction",
    "settled timed_out Leg",
    "settled unanswerable",
    "call complete",
    "call error -32021",
    "call error -32602",
    "call error -32603",
    "call error -32700",
    "call error -7",
    "call fault RoundLimit",
    "call fault Wire",
    "call lost",
    "call outcome_unknown",
    "call stopped",
    "call timed_out Leg",
    "call unanswerable",
    // What the network does.
    "a leg is cancelled",
    "a reply comes after the end",
    "a request comes twice",
    "a request is garbled",
    "a request is lost",
    "a request takes time",
    "a response comes twice",
    "a response is garbled",
    "a response is lost",
    "requests are reordered",
    "responses are reordered",
    "a line is cut in AwaitingInteraction",
    "a line is cut in Pausing",
    "a line is cut in Resumed",
    "a line is cut in Running",
    // Who starts anew, and when.
    "a provider crashes in AwaitingInteraction",
    "a provider crashes in Pausing",
    "a provider crashes in Resumed",
    "a provider crashes in Running",
    "a server restarts while it works",
    "a server restarts, Replaced keys",
    "a server restarts, Rotated keys",
    "a server restarts, Same keys",
    "the host restarts while AwaitingInteraction",
    "the host restarts while Resumed",
    "the host restarts while Running",
    "an epoch is not used again",
    "something is registered again",
    // What becomes of states.
    "a key that was rotated opens",
    "a replay is refused",
    "a request is refused",
    "a retry is sent",
    "a retry runs",
    "a state is given back",
    "a state is run again",
    "forged AnswersAsList",
    "forged NoAnswers",
    "forged NoState",
    "forged NoText",
    "forged NoVersion",
    "forged Nothing",
    "forged OneCharacter",
    "forged OtherMethod",
    "forged OtherParams",
    "forged OtherPrincipal",
    "forged OtherServer",
    "forged WrongAnswer",
    "reported HandlerFailed ",
    "reported HandlerFault ",
    "reported InputRequired ",
    "reported MissingCapability ",
    "reported Refused ",
    "reported StateRefused Expired",
    "reported StateRefused NotAuthentic",
    "reported StateRefused Malformed",
    "reported StateRefused NoKeyring",
    "reported StateRefused OtherMode",
    "reported StateRefused OtherParams",
    "reported StateRefused OtherPrincipal",
    "reported StateRefused UnknownKey",
    "reported StateReused ",
    "reported StoreFailed ",
    // What people and their surfaces do, and what becomes of what they are asked.
    "a handler gets an answer",
    "a question is refused",
    "a surface notices a gap",
    "an answer is refused",
    "an answer is taken",
    "closed Failed",
    "closed HostRestarted",
    "closed ProviderLost",
    "closed Retired",
    "closed Stopped",
    "closed StoreFailed",
    "closed Superseded",
    "closed TimedOut",
    "closed TurnEnded",
    "closed Unanswerable",
    "ended Answered(Accept)",
    "ended Answered(Decline)",
    "ended Answered(Cancel)",
    "ended Closed(ProviderLost)",
    "ended Closed(Stopped)",
    "ended Closed(Superseded)",
    "misuse NotRegistered",
    "misuse OldEpoch",
    "misuse WrongSession",
    "misuse limit 2",
    "misuse limit 3",
    "misuse stale Some(Answered(Accept))",
    "misuse stale Some(Answered(Decline))",
    "misuse stale Some(Closed(Stopped))",
    "misuse stale Some(Closed(TimedOut))",
    "refused limit 1",
    "refused limit 2",
    "refused not_live",
    "the store speaks in another order",
];

/// Lives to where random ones seldom get: the setup, and four bytes for each thing that happens.
const WRITTEN: [(&str, &[u8]); 3] = [
    // A call, its request arrives and takes time, the server starts anew.
    ("a server restarts while it works", &[0, 14, 0, 0, 0, 0, 3, 0, 0, 23, 0, 7, 0, 57, 0, 0, 0]),
    // A call of the server whose states are used once, an answer, the retry waits for the store.
    (
        "reported StoreFailed ",
        &[
            0, 14, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 37, 0, 0, 0, 0, 3, 0, 0, 23, 0, 7, 0, 27, 0, 6,
            0,
        ],
    ),
    // Two calls ask, and the store speaks of the second question first.
    (
        "the store speaks in another order",
        &[
            1, 14, 0, 0, 0, 14, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 17, 0, 0, 0, 3, 0, 0, 34, 10,
            1, 0,
        ],
    ),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/world")
}

/// Rewrites the seeds with `UPDATE_GOLDEN=1`.
///
/// proves: PR-02
#[test]
fn seeds_get_to_everything_that_there_is() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write();
    }
    let mut seen = BTreeSet::new();
    for file in fs::read_dir(folder()).unwrap() {
        seen.extend(live_honestly(&fs::read(file.unwrap().path()).unwrap()));
    }
    let missing: Vec<_> = PLACES.into_iter().filter(|place| !seen.contains(*place)).collect();
    assert!(missing.is_empty(), "{missing:?} of {seen:?}");
}

/// Looks for lives that get to each place, and makes short those that are needed.
fn write() {
    let mut left = BTreeSet::from(PLACES);
    let mut lives = Vec::new();
    for bytes in (0..LIVES).map(drawn) {
        let seen = live_honestly(&bytes);
        let found: Vec<_> = left.iter().copied().filter(|place| seen.contains(*place)).collect();
        left.retain(|place| !seen.contains(*place));
        lives.extend(found.into_iter().map(|place| (place, bytes.clone())));
        if left.is_empty() {
            break;
        }
    }
    fs::create_dir_all(folder()).unwrap();
    // What a fuzzer has found stays.
    for place in PLACES {
        let _ = fs::remove_file(file_of(place));
    }
    for (place, bytes) in WRITTEN {
        keep(place, bytes);
    }
    // The rare places come first: what a life gets to on the way needs none of its own.
    let mut covered: BTreeSet<_> = WRITTEN.iter().map(|(place, _)| String::from(*place)).collect();
    for (place, bytes) in lives.into_iter().rev() {
        if covered.contains(place) {
            continue;
        }
        let bytes = shortened(bytes, place);
        covered.extend(live_honestly(&bytes));
        keep(place, &bytes);
    }
}

/// Writes a seed under the name of the place that it gets to.
fn keep(place: &str, bytes: &[u8]) {
    fs::write(file_of(place), bytes).unwrap();
}

fn file_of(place: &str) -> PathBuf {
    let name: String = place.chars().filter(|char| !"(),".contains(*char)).collect();
    folder().join(name.trim().replace([' ', '_'], "-").to_lowercase())
}

/// Takes away whatever a life does not need to get to a place.
fn shortened(mut bytes: Vec<u8>, place: &str) -> Vec<u8> {
    let mut size = 16;
    while size > 1 {
        let mut at = 1;
        while at < bytes.len() {
            let mut shorter = bytes.clone();
            shorter.drain(at..(at + 4 * size).min(bytes.len()));
            if live_honestly(&shorter).contains(place) {
                bytes = shorter;
            } else {
                at += 4 * size;
            }
        }
        size /= 2;
    }
    bytes
}
