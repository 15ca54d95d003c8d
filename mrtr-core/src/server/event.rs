//! The events of an exchange, and its actions.

use alloc::{boxed::Box, string::String, sync::Arc};

use thiserror::Error;

use super::{Answers, Report};
use crate::{
    UnixTime,
    debug::debug,
    seal::TokenId,
    wire::{Capabilities, RawJson},
};

/// The store's reply to [`Action::Redeem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The store replied.
    Redeemed {
        /// Whether the state was redeemed for the first time.
        first: bool,
    },
    /// The store could not be reached. The handler does not run.
    StoreFailed,
}

/// Something for the caller to do.
///
/// The enum is exhaustive: a caller carries out each action.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Redeem a state that may be used once: insert its id into the store if it is absent, and come
    /// back with [`Event::Redeemed`] or [`Event::StoreFailed`].
    Redeem {
        /// The id of the state.
        id: TokenId,
        /// When the store may forget it: 30 seconds after the state expires, because the clock of
        /// another server may be that far behind.
        until: UnixTime,
    },
    /// Take the id out of the store again: the handler did nothing, and the client may send its
    /// retry again.
    Release {
        /// The id of the state.
        id: TokenId,
    },
    /// Run the handler, and come back with its [`Ending`](super::Ending).
    Run(Box<Run>),
    /// Answer the request. It is the last action.
    Respond(Respond),
}

/// The output of a machine for one event: actions, in the order to carry them out, and reports for
/// the operator.
pub type Actions = crate::Actions<Action, Report>;

/// A request as its handler sees it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The method.
    pub method: String,
    /// The params as they arrived, with `_meta`, `inputResponses` and `requestState`.
    pub params: RawJson,
    /// The round: 1 for the first request of a call, n + 1 for the retry of round n. The count is in
    /// the sealed state. So without keys `round` is always 1.
    pub round: u32,
    /// Whoever calls the server, as the transport authenticated them; `None` for an anonymous
    /// client.
    pub principal: Option<Arc<str>>,
    /// The kinds of questions that the client says it can answer.
    pub capabilities: Capabilities,
    /// Whether the request is of an earlier revision. Then the handler cannot ask questions.
    pub is_legacy: bool,
    /// The handler's own state from the previous round ([`Need::state`](super::Need::state)).
    pub state: Option<RawJson>,
    /// The answers to the questions of the previous round.
    pub answers: Answers,
}

debug!(
    Run,
    |run| "Run({:?}, round {}, {:?}, {:?})",
    run.method,
    run.round,
    run.params,
    run.answers
);

/// The response to a request, as a transport writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Respond {
    /// The HTTP status: 200, 202 for a notification, 400 or 404. Other transports do not use it.
    pub status: u16,
    /// The JSON-RPC message; `None` for a notification.
    pub body: Option<RawJson>,
}

/// A mistake of the caller. The exchange is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The request is already answered.
    #[error("the request is already answered")]
    Answered,
    /// The handler may not run yet, because the reply of the store is missing.
    #[error("the state is not redeemed yet")]
    NotRedeemed,
    /// The store was not asked to redeem a state.
    #[error("no state is being redeemed")]
    NothingToRedeem,
}
