//! How an invocation ends, and how a question ends.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Clock,
    wire::{Decision, RawJson},
};

/// How an invocation ended. The enum is exhaustive: a caller handles each outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The provider's result.
    Complete(RawJson),
    /// The provider did not accept the invocation, for this reason.
    Rejected(RawJson),
    /// The provider failed, with this error.
    Failed(RawJson),
    /// The provider gave the invocation up without a result. What it was asked may be done, or not.
    Released,
    /// The provider sent a result while a question of the invocation was open. Neither counts.
    Inconsistent,
    /// A clock ran out.
    TimedOut(Clock),
    /// Somebody stopped it, or its turn ended.
    Stopped,
    /// Nobody could be asked.
    Unanswerable,
    /// The store could not hold a question or an answer.
    StoreFailed,
    /// The connection or the registration went away while somebody was asked. Nothing was executed
    /// at that time.
    Lost,
    /// The connection or the registration went away while the provider worked. What it was asked may
    /// be done, or not.
    OutcomeUnknown,
}

impl Outcome {
    /// Returns a stable code, for records and for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Rejected(_) => "rejected",
            Self::Failed(_) => "failed",
            Self::Released => "released",
            Self::Inconsistent => "inconsistent",
            Self::TimedOut(_) => "timed_out",
            Self::Stopped => "stopped",
            Self::Unanswerable => "unanswerable",
            Self::StoreFailed => "store_failed",
            Self::Lost => "lost",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }

    /// Tells whether the provider may still work on an invocation that ended like this.
    pub(super) const fn leaves_provider_at_work(&self) -> bool {
        match self {
            Self::Complete(_) | Self::Rejected(_) | Self::Failed(_) | Self::Released => false,
            Self::Inconsistent
            | Self::TimedOut(_)
            | Self::Stopped
            | Self::Unanswerable
            | Self::StoreFailed
            | Self::Lost
            | Self::OutcomeUnknown => true,
        }
    }
}

/// How a question ended. The enum is exhaustive: a question is either answered or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It was answered.
    Answered(Decision),
    /// It was closed, and no answer was delivered.
    Closed(CloseReason),
}

/// Why a question closed without an answer that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CloseReason {
    /// Somebody stopped the invocation.
    Stopped,
    /// The turn ended.
    TurnEnded,
    /// Nobody answered in time.
    TimedOut,
    /// The provider's connection is gone.
    ProviderLost,
    /// Something else is registered in the provider's place.
    Superseded,
    /// The provider is not registered any more.
    Retired,
    /// The provider did not accept the invocation.
    Rejected,
    /// The provider failed.
    Failed,
    /// The provider gave the invocation up.
    Released,
    /// The provider sent a result while the question was open.
    Inconsistent,
    /// Nobody could be asked.
    Unanswerable,
    /// The store could not hold the question or the answer.
    StoreFailed,
    /// The host restarted.
    HostRestarted,
}

impl CloseReason {
    /// Lists the reasons.
    pub const ALL: &[Self] = &[
        Self::Stopped,
        Self::TurnEnded,
        Self::TimedOut,
        Self::ProviderLost,
        Self::Superseded,
        Self::Retired,
        Self::Rejected,
        Self::Failed,
        Self::Released,
        Self::Inconsistent,
        Self::Unanswerable,
        Self::StoreFailed,
        Self::HostRestarted,
    ];
}

/// Writes the code.
impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
