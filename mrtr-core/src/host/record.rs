//! The records of a host's store: that a question was asked, its answer, and why it closed.

use alloc::{string::String, sync::Arc};
use core::fmt;

use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::{
    CloseReason, ConnectionId, InteractionId, Limits, Owner, PendingInteraction, Question,
    codec::{self, Carried},
    id::invocation_id,
};
use crate::{
    InvalidId, InvocationId,
    codec::{Strict, present, word},
    id::{RegistrationId, SessionId, ToolCallId, TurnId},
    wire::{InvalidRequest, RawJson, WireError},
};

/// The version of the format of a record.
const VERSION: u8 = 1;

const SHAPE: WireError = WireError::shape("a record", "one of version 1, and nothing else");

/// An entry of the store about one question. It has the answer as plain text: protect the store
/// like the answers, and never log a record.
///
/// The enum is exhaustive: a store handles each kind of record.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The question was asked.
    Requested(Arc<PendingInteraction>),
    /// The question was answered. A later record does not replace the answer.
    Answered {
        /// The question.
        interaction: InteractionId,
        /// The answer, as the provider receives it.
        result: RawJson,
    },
    /// The question closed before an answer was delivered.
    Closed {
        /// The question.
        interaction: InteractionId,
        /// The reason.
        why: CloseReason,
    },
}

/// The id of a record. No two records of a store have the same id.
///
/// The struct is exhaustive: a store makes one from the two parts of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The question that the record is about.
    pub interaction: InteractionId,
    /// The kind of the record.
    pub kind: RecordKind,
}

/// The kind of a record: what it says of its question.
///
/// The enum is exhaustive, like [`Record`]: a store handles each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// The question itself.
    Requested,
    /// The answer to the question.
    Answered,
    /// Why the question closed.
    Closed,
}

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
                let Owner { invocation, session, turn, tool_call, registration, connection } =
                    pending.owner.as_ref().clone();
                let connection = connection.number();
                let request = Carried(pending.question.to_json());
                Fact::Requested(Strict(Requested {
                    invocation,
                    session,
                    turn,
                    tool_call,
                    registration,
                    connection,
                    request,
                }))
            }
            Self::Answered { result, .. } => {
                Fact::Answered { result: Some(Carried(result.clone())) }
            }
            Self::Closed { why, .. } => Fact::Closed { why: *why },
        };
        let interaction = self.id().interaction;
        codec::line(&Line { version: VERSION, interaction, record: Strict(record) })
    }

    /// Decodes a record. A restarted host does not need it: [`RecordId::decode`] is enough for
    /// [`Broker::durable`](super::Broker::durable).
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRequest`] if the text is not a record of this version, its invocation does
    /// not match its question, or its question is over a limit.
    pub fn decode(line: &str, limits: &Limits) -> Result<Self, InvalidRequest> {
        let (interaction, fact) = read(&RawJson::parse_message(line)?)?;
        Ok(match fact {
            Fact::Requested(Strict(requested)) => {
                let Requested { invocation, session, turn, tool_call, registration, .. } =
                    requested;
                if invocation != invocation_id(interaction.epoch, interaction.invocation) {
                    return Err(SHAPE.into());
                }
                let connection = ConnectionId::new(requested.connection);
                let owner =
                    Owner { invocation, session, turn, tool_call, registration, connection };
                let question = Question::decode(requested.request.0.as_json(), limits)?;
                let owner = Arc::new(owner);
                Self::Requested(Arc::new(PendingInteraction { id: interaction, owner, question }))
            }
            Fact::Answered { result } => {
                Self::Answered { interaction, result: result.ok_or(SHAPE)?.0 }
            }
            Fact::Closed { why } => Self::Closed { interaction, why },
        })
    }
}

impl RecordId {
    /// Reads only the id of a record's line. It does not decode the question or the answer.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the text is not a record of this version.
    pub fn decode(line: &str) -> Result<Self, WireError> {
        let (interaction, fact) = read::<PassedOver>(&RawJson::parse_message(line)?)?;
        let kind = match fact {
            Fact::Requested(_) => RecordKind::Requested,
            Fact::Answered { .. } => RecordKind::Answered,
            Fact::Closed { .. } => RecordKind::Closed,
        };
        Ok(Self { interaction, kind })
    }
}

impl RecordKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Answered => "answered",
            Self::Closed => "closed",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Requested, Self::Answered, Self::Closed].into_iter().find(|kind| kind.name() == name)
    }
}

/// A record as text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<R> {
    version: u8,
    interaction: InteractionId,
    record: Strict<Fact<R>>,
}

/// The content of a record as text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Fact<R> {
    Requested(Strict<R>),
    Answered {
        #[serde(default, deserialize_with = "present")]
        result: Option<Carried>,
    },
    Closed {
        #[serde(deserialize_with = "word")]
        why: CloseReason,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Requested {
    invocation: InvocationId,
    session: SessionId,
    turn: TurnId,
    tool_call: ToolCallId,
    registration: RegistrationId,
    connection: u64,
    request: Carried,
}

/// The members of [`Requested`], each with any value or absent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[allow(dead_code, reason = "the members are only passed over")]
struct PassedOver {
    invocation: IgnoredAny,
    session: IgnoredAny,
    turn: IgnoredAny,
    tool_call: IgnoredAny,
    registration: IgnoredAny,
    connection: IgnoredAny,
    request: IgnoredAny,
}

fn read<'a, R: Deserialize<'a>>(json: &'a RawJson) -> Result<(InteractionId, Fact<R>), WireError> {
    let line: Line<R> = codec::decode(json.as_json(), SHAPE)?;
    if line.version == VERSION { Ok((line.interaction, line.record.0)) } else { Err(SHAPE) }
}

/// Writes `<interaction> <kind>`, such as `7.12.1 answered`. A store can use it as a key.
impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.interaction)?;
        f.write_str(self.kind.name())
    }
}

impl core::str::FromStr for RecordId {
    type Err = InvalidId;

    /// Reads an id as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidId`] for any other spelling.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (interaction, kind) = text.split_once(' ').ok_or(InvalidId)?;
        let kind = RecordKind::from_name(kind).ok_or(InvalidId)?;
        Ok(Self { interaction: interaction.parse()?, kind })
    }
}
