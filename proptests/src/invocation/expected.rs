//! What must come of what a server says, and of how a call ends.

use std::collections::BTreeMap;

use mrtr_core::client::{CloseReason, Fault, Outcome};

use super::script::AskedKind;

/// What a reply must lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextOfCall {
    /// Questions of these kinds, in the order of their keys.
    Asked(BTreeMap<String, AskedKind>),
    Paused,
    /// The end, because the legs have spent their budget and nobody is asked for nothing.
    Spent,
    Complete,
    Error,
    /// The end, for one of these reasons.
    Fault(Vec<Blame>),
}

/// What a server did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// It asks for this, which the call did not claim.
    Undeclared(&'static str),
    Rounds,
    /// It breaks the protocol or a limit.
    Broken,
}

impl Blame {
    pub(super) fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Undeclared { kind } => Self::Undeclared(kind),
            Fault::RoundLimit { .. } => Self::Rounds,
            _ => Self::Broken,
        }
    }
}

/// Returns why what was open is taken back by an outcome.
pub(super) fn close_reason(outcome: &Outcome) -> Option<CloseReason> {
    match outcome {
        Outcome::TimedOut(_) => Some(CloseReason::TimedOut),
        Outcome::Stopped => Some(CloseReason::Stopped),
        Outcome::Lost => Some(CloseReason::Lost),
        Outcome::Unanswerable => Some(CloseReason::Unanswerable),
        _ => None,
    }
}
