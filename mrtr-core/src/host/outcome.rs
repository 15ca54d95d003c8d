//! How an invocation ends, and how a question ends.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Clock,
    wire::{Decision, RawJson},
};

/// How an invocation ended.
///
/// The enum is exhaustive: a caller handles each outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The provider's result.
    Complete(RawJson),
    /// The provider did not accept the invocation, for this reason.
    Rejected(RawJson),
    /// The provider failed, with this error.
    Failed(RawJson),
    /// The provider gave the invocation up without a result. It may have executed the call, or not.
    Released,
    /// The provider sent a result while a question of the invocation was open. The result is
    /// dropped, and the question is closed.
    Inconsistent,
    /// A clock ran out.
    TimedOut(Clock),
    /// The caller stopped the invocation, or its turn ended.
    Stopped,
    /// No surface could show the question.
    Unanswerable,
    /// The store failed to hold a question or an answer, or did not confirm it in time.
    StoreFailed,
    /// The connection or the registration went away while a question was open. The provider
    /// executed nothing at that time.
    Lost,
    /// The connection or the registration went away while the provider worked. It may have executed
    /// the call, or not.
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

    /// Returns whether the provider may still work on an invocation with this outcome.
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

/// How a question ended.
///
/// The enum is exhaustive: a question is either answered or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It was answered, and the answer was delivered. In [`Misuse::Stale`](super::Misuse::Stale),
    /// the answer may still be waiting for the store.
    Answered(Decision),
    /// It was closed before an answer was delivered.
    Closed(CloseReason),
}

/// Why a question closed before an answer was delivered.
///
/// A later version can add reasons: handle an unknown one like [`CloseReason::Stopped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CloseReason {
    /// The caller stopped the invocation.
    Stopped,
    /// The turn ended.
    TurnEnded,
    /// Nobody answered in time.
    TimedOut,
    /// The provider's connection is gone.
    ProviderLost,
    /// A new registration replaced the provider's.
    Superseded,
    /// The provider's registration ended.
    Retired,
    /// The provider rejected the invocation after it had accepted it.
    Rejected,
    /// The provider failed.
    Failed,
    /// The provider gave the invocation up.
    Released,
    /// The provider sent a result while the question was open.
    Inconsistent,
    /// No surface could show the question.
    Unanswerable,
    /// The store failed to hold the question or the answer, or did not confirm it in time.
    StoreFailed,
    /// The host restarted.
    HostRestarted,
}

impl CloseReason {
    /// All reasons.
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

/// Writes the reason as frames and records spell it, such as `turn_ended`.
impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
