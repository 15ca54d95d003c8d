//! What goes into an exchange, and what comes out.

use alloc::string::String;
use core::fmt;

use thiserror::Error;

use super::{Answers, Report};
use crate::{
    UnixTime,
    seal::TokenId,
    wire::{Capabilities, RawJson},
};

/// The reply of the store that was asked to redeem a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The store was reached.
    Redeemed {
        /// Whether the state was redeemed for the first time.
        first: bool,
    },
    /// The store could not be reached. The handler does not run.
    StoreFailed,
}

/// Something for the caller to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Redeem a state that may be used once: insert its id into the store if it is absent, and come
    /// back with [`Event::Redeemed`].
    Redeem {
        /// The id.
        id: TokenId,
        /// When the store may forget it: 30 seconds after the state expires, because the clock of
        /// another server may be that far behind.
        until: UnixTime,
    },
    /// Take the id out of the store again.
    Release {
        /// The id.
        id: TokenId,
    },
    /// Run the handler, and come back with its [`Ending`](super::Ending).
    Run(Run),
    /// Answer the request. Nothing follows.
    Respond(Respond),
}

/// What came of an event: actions to carry out, in that order, and reports for the operator.
pub type Actions = crate::Actions<Action, Report>;

/// What a handler runs on.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The method.
    pub method: String,
    /// The params exactly as they came, with `_meta` and what only a retry carries.
    pub params: RawJson,
    /// The round: 1 for the first request of a call, n + 1 for the retry of round n. It is counted
    /// by the sealed state.
    pub round: u32,
    /// The caller, as the transport found out; `None` for an anonymous one.
    pub principal: Option<String>,
    /// What the client declares that it can answer.
    pub capabilities: Capabilities,
    /// Whether the request is of an earlier revision, on which nothing can be asked.
    pub is_legacy: bool,
    /// What the handler wanted back, in an earlier round.
    pub state: Option<RawJson>,
    /// The answers of the round, under the keys that were asked.
    pub answers: Answers,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, params, round, answers, .. } = self;
        write!(f, "Run({method}, round {round}, {params:?}, {answers:?})")
    }
}

/// The answer to a request, as a transport writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Respond {
    /// The HTTP status; other transports leave it out.
    pub status: u16,
    /// The JSON-RPC message; `None` answers a notification.
    pub body: Option<RawJson>,
}

/// A mistake of the caller. The machine is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The request is answered.
    #[error("the request is answered")]
    Answered,
    /// The handler does not run yet: the reply of the store is missing.
    #[error("the state is not redeemed yet")]
    NotRedeemed,
    /// The store was not asked.
    #[error("no state is being redeemed")]
    NothingToRedeem,
}
