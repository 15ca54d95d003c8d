//! The mistakes of the caller, and those of a provider.

use form_model::Refusal;
use thiserror::Error;

use super::Ending;
use crate::wire::{InvalidRequest, ResponseError, WireError};

/// A mistake of the caller, or of a surface whose answer the caller handed over. The broker is
/// unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The connection has the id of a connection that is still open.
    #[error("expected a new connection, found one that is open")]
    AlreadyConnected,
    /// The connection is not known.
    #[error("the connection is not open")]
    NotConnected,
    /// Nothing is registered under that id.
    #[error("nothing is registered under that id")]
    NotRegistered,
    /// The question is from an earlier run of the host.
    #[error("the question is from an earlier run of the host")]
    OldEpoch,
    /// No such question was asked.
    #[error("expected the id of a question that was asked, found an unused id")]
    UnknownInteraction,
    /// The question belongs to another session.
    #[error("expected a question of this session, found one of another session")]
    WrongSession,
    /// The question has ended, or has an answer that is about to be delivered.
    #[error("the question is answered or closed")]
    Stale {
        /// Why the answer is too late: the question ended, or another answer was taken first.
        /// `None`: the broker no longer remembers the question.
        won: Option<Ending>,
    },
    /// The response is invalid. The question stays open.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// The store was not asked to hold that record.
    #[error("the store was not asked to hold this record")]
    NotStoring,
    /// A limit of the host is reached.
    #[error("{what}: expected at most {max}, found more")]
    Limit {
        /// What is limited, with its unit.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

/// A mistake of a provider: the rule that its frame breaks. The frame changes nothing except the
/// count of refused frames.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are not a frame, the `request` of the frame is not a
    /// [`Question`](super::Question), or one of them is over a limit.
    #[error("the frame cannot be read: {0}")]
    Unreadable(WireError),
    /// The frame came on a connection that the broker does not know.
    #[error("the connection is not known")]
    NotConnected,
    /// The invocation is from an earlier run of the host.
    #[error("the invocation is from an earlier run of the host")]
    OldEpoch,
    /// The invocation is over, or never existed.
    #[error("the invocation is not live")]
    NotLive,
    /// The invocation belongs to another connection.
    #[error("the invocation belongs to another connection")]
    WrongConnection,
    /// The provider has not accepted the invocation yet.
    #[error("the invocation is not accepted yet")]
    NotAccepted,
    /// The provider has already accepted the invocation.
    #[error("the invocation is already accepted")]
    AlreadyAccepted,
    /// The provider has already asked a question with this number.
    #[error("expected a question number above {last}, found one that was already used")]
    Duplicate {
        /// The highest number that was used.
        last: u64,
    },
    /// The number of the question is 0, or is an unused number below the highest used one.
    #[error("expected a question number above {last}")]
    Number {
        /// The highest number that was used; 0 before the first.
        last: u64,
    },
    /// Another question of the invocation is open.
    #[error("another question of the invocation is open")]
    Pending,
    /// The form cannot be shown.
    #[error("the form cannot be shown: {0}")]
    Form(Refusal),
    /// A limit of the host is reached.
    #[error("{what}: expected at most {max}, found more")]
    Limit {
        /// What is limited, with its unit.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

impl Fault {
    /// Returns a stable code, for frames and for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::NotConnected => "not_connected",
            Self::OldEpoch => "old_epoch",
            Self::NotLive => "not_live",
            Self::WrongConnection => "wrong_connection",
            Self::NotAccepted => "not_accepted",
            Self::AlreadyAccepted => "already_accepted",
            Self::Duplicate { .. } => "duplicate",
            Self::Number { .. } => "number",
            Self::Pending => "pending",
            Self::Form(_) => "form",
            Self::Limit { .. } => "limit",
        }
    }
}

impl From<InvalidRequest> for Fault {
    fn from(error: InvalidRequest) -> Self {
        match error {
            InvalidRequest::Wire(error) => Self::Unreadable(error),
            InvalidRequest::Form(refusal) => Self::Form(refusal),
        }
    }
}
