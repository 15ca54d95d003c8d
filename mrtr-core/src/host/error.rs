//! Who made a mistake: the caller, or a provider.

use form_model::Refusal;
use thiserror::Error;

use super::Ending;
use crate::wire::{InvalidRequest, ResponseError, WireError};

/// A mistake of the caller, or of a surface that the caller speaks for. The broker is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The connection is known already.
    #[error("expected a new connection, found one that is known")]
    AlreadyConnected,
    /// The connection is not known.
    #[error("expected a connection that is known, found another")]
    NotConnected,
    /// Nothing is registered under that id.
    #[error("nothing is registered under that id")]
    NotRegistered,
    /// The question is from an earlier start of the host.
    #[error("the question is from an earlier start of the host")]
    OldEpoch,
    /// No such question was asked.
    #[error("expected the id of a question that was asked, found another")]
    UnknownInteraction,
    /// The question belongs to another session.
    #[error("expected a question of this session, found one of another")]
    WrongSession,
    /// The question has ended, or has an answer that is about to be delivered.
    #[error("the question is answered or closed")]
    Stale {
        /// How it ended; `None` if that is not remembered any more.
        won: Option<Ending>,
    },
    /// The response is invalid. The question is open as before.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// The store was not asked to hold that record.
    #[error("expected a record that the store was asked to hold, found another")]
    NotStoring,
    /// A limit of the host is reached.
    #[error("{what}: expected at most {max}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

/// A mistake of a provider: the rule that its frame breaks. The frame changed nothing except the
/// count of refused frames.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are not a frame, the request in it is not a request, or one of them is over a limit.
    #[error("the frame cannot be read: {0}")]
    Unreadable(WireError),
    /// The frame came on a connection that the broker does not know.
    #[error("the connection is not known")]
    NotConnected,
    /// The invocation is from an earlier start of the host.
    #[error("the invocation is from an earlier start of the host")]
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
    /// The provider has accepted the invocation before.
    #[error("the invocation is accepted already")]
    AlreadyAccepted,
    /// The provider has asked a question with this number before.
    #[error("expected a question with a number above {last}, found one that was asked before")]
    Duplicate {
        /// The highest number that was used.
        last: u64,
    },
    /// The number of the question is 0, or is below one that was used, and was never used itself.
    #[error("expected a question with a number above {last}")]
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
    #[error("{what}: expected at most {max}")]
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
