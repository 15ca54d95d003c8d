//! The checks of a client, by theme.

pub(crate) mod always;
mod answers;
mod broken;
mod claims;
mod forms;
mod headers;
mod http;
mod limits;
mod messages;
pub(crate) mod parallel;
mod params;
mod rounds;
mod state;
mod stdio;
mod stream;
mod time;
mod version;

use super::case::Case;

/// Returns all cases in their order.
pub(crate) fn cases() -> Vec<Case> {
    [
        state::cases(),
        params::cases(),
        claims::cases(),
        answers::cases(),
        forms::cases(),
        rounds::cases(),
        messages::cases(),
        limits::cases(),
        time::cases(),
        headers::cases(),
        broken::cases(),
        http::cases(),
        stream::cases(),
        version::cases(),
        stdio::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A valid answer to the form of most cases.
const YES: &str = r#"{"action":"accept","content":{"value":"v"}}"#;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn check_ids_are_unique_and_plain() {
        let mut ids: Vec<&str> =
            cases().iter().flat_map(|case| &case.items).map(|item| item.id).collect();
        ids.extend(always::CHECKS.iter().map(|check| check.id));
        ids.extend(parallel::CHECKS.iter().map(|check| check.id));
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(ids.len() > 250, "{}", ids.len());
        let is_plain =
            |id: &str| id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        assert!(ids.iter().all(|id| is_plain(id)));
    }
}
