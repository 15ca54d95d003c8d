//! What a host's store holds of each question: that it was asked, what was answered, how it closed.

use alloc::{format, string::String, sync::Arc};
use core::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Closure, ConnectionId, InteractionId, Limits, Owner, PendingInteraction, Question, Refused,
    question::write,
};
use crate::{
    InvalidId, InvocationId, RegistrationId, SessionId, ToolCallId, TurnId,
    wire::{RawJson, WireError},
};

/// The version of a record's shape.
const VERSION: u32 = 1;

/// Is one fact about one question, for the store. An answer stands in it as it was given: a store is
/// kept like the answers themselves, and no record belongs in a log.
#[derive(Clone, PartialEq)]
pub enum Record {
    /// It was asked.
    Requested(Arc<PendingInteraction>),
    /// It was answered. Nothing replaces an answer.
    Answered {
        /// The question.
        interaction: InteractionId,
        /// The answer, as the provider gets it.
        result: RawJson,
    },
    /// It is closed, and no answer was delivered.
    Closed {
        /// The question.
        interaction: InteractionId,
        /// Why.
        why: Closure,
    },
}

/// Names a record: no two records of a store have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The question that it is about.
    pub interaction: InteractionId,
    /// What it says.
    pub kind: RecordKind,
}

/// Says what a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// That the question was asked.
    Requested,
    /// What was answered.
    Answered,
    /// How it was closed.
    Closed,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordData {
    version: u32,
    interaction: InteractionId,
    record: Said,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Said {
    Requested {
        invocation: InvocationId,
        session: SessionId,
        turn: TurnId,
        tool_call: ToolCallId,
        registration: RegistrationId,
        connection: u64,
        request: RawJson,
    },
    Answered {
        result: RawJson,
    },
    Closed {
        why: Closure,
    },
}

const SHAPE: WireError =
    WireError::Shape { what: "a record", expected: "one of version 1, and nothing else" };

impl Record {
    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> RecordId {
        let (interaction, kind) = match self {
            Self::Requested(pending) => (pending.id, RecordKind::Requested),
            Self::Answered { interaction, .. } => (*interaction, RecordKind::Answered),
            Self::Closed { interaction, .. } => (*interaction, RecordKind::Closed),
        };
        RecordId { interaction, kind }
    }

    /// Writes the record as one line of JSON, without the end of the line. It may hold secrets.
    #[must_use]
    pub fn to_json(&self) -> String {
        let record = match self {
            Self::Requested(pending) => {
                let owner = pending.owner.as_ref().clone();
                Said::Requested {
                    invocation: owner.invocation,
                    session: owner.session,
                    turn: owner.turn,
                    tool_call: owner.tool_call,
                    registration: owner.registration,
                    connection: owner.connection.number(),
                    request: pending.question.to_json(),
                }
            }
            Self::Answered { result, .. } => Said::Answered { result: result.clone() },
            Self::Closed { why, .. } => Said::Closed { why: *why },
        };
        write(&RecordData { version: VERSION, interaction: self.id().interaction, record })
    }

    /// Decodes a record. [`RecordId::decode`] is enough to find out what a host that starts anew has
    /// to close.
    ///
    /// # Errors
    ///
    /// A text that is not exactly a record, or whose question is over a limit.
    pub fn decode(json: &str, limits: &Limits) -> Result<Self, Refused> {
        let (interaction, said) = read(json)?;
        Ok(match said {
            Said::Requested {
                invocation,
                session,
                turn,
                tool_call,
                registration,
                connection,
                request,
            } => {
                let connection = ConnectionId::new(connection);
                let owner =
                    Owner { invocation, session, turn, tool_call, registration, connection };
                let question = Question::decode(request.as_str(), limits)?;
                let owner = Arc::new(owner);
                Self::Requested(Arc::new(PendingInteraction { id: interaction, owner, question }))
            }
            Said::Answered { result } => Self::Answered { interaction, result },
            Said::Closed { why } => Self::Closed { interaction, why },
        })
    }
}

impl RecordId {
    /// Reads which record a text is, and leaves alone what it says.
    ///
    /// # Errors
    ///
    /// A text that is not exactly a record.
    pub fn decode(json: &str) -> Result<Self, WireError> {
        let (interaction, said) = read(json)?;
        let kind = match said {
            Said::Requested { .. } => RecordKind::Requested,
            Said::Answered { .. } => RecordKind::Answered,
            Said::Closed { .. } => RecordKind::Closed,
        };
        Ok(Self { interaction, kind })
    }
}

fn read(json: &str) -> Result<(InteractionId, Said), WireError> {
    crate::wire::check_depth(json, crate::wire::DEPTH_MAX)?;
    let data: RecordData = serde_json::from_str(json).map_err(|_| SHAPE)?;
    if data.version != VERSION {
        return Err(SHAPE);
    }
    Ok((data.interaction, data.record))
}

/// Writes what the record says, and of what it holds the size.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested(pending) => write!(f, "Requested({pending:?})"),
            Self::Answered { interaction, result } => {
                write!(f, "Answered({interaction}, {result:?})")
            }
            Self::Closed { interaction, why } => write!(f, "Closed({interaction}, {why})"),
        }
    }
}

/// Writes `<interaction> <kind>`: a key for a store.
impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.interaction)?;
        self.kind.serialize(f)
    }
}

impl core::str::FromStr for RecordId {
    type Err = InvalidId;

    /// Reads an id as [`Display`](fmt::Display) writes it.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (interaction, kind) = text.split_once(' ').ok_or(InvalidId)?;
        let kind = serde_json::from_str(&format!("\"{kind}\"")).map_err(|_| InvalidId)?;
        Ok(Self { interaction: InteractionId::parse(interaction)?, kind })
    }
}
