//! What is under way between providers and servers.

use mrtr_core::client::LegId;

/// Who waits for a response.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) provider: usize,
    pub(super) leg: LegId,
}

/// A request to a server.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) server: usize,
    pub(super) principal: String,
    pub(super) message: String,
    /// Who waits; `None`: somebody who only wants to see what happens.
    pub(super) from: Option<Sender>,
}

/// A response of a server.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) to: Sender,
    pub(super) message: String,
}

/// The requests and responses under way, in no order, and the requests that somebody has seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    pub(super) requests: Vec<Request>,
    pub(super) responses: Vec<Response>,
    pub(super) overheard: Vec<Request>,
}

/// Takes one of several things by an index that may be any.
pub(super) fn take<T>(list: &mut Vec<T>, index: u8) -> Option<T> {
    let at = usize::from(index).checked_rem(list.len())?;
    Some(list.remove(at))
}
