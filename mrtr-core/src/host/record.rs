//! The records of a host's store: that a question was asked, its answer, and why it closed.

use alloc::{
    string::{String, ToString as _},
    sync::Arc,
};
use core::fmt;

use super::{
    CloseReason, ConnectionId, InteractionId, Limits, Owner, PendingInteraction, Question, codec,
    id::invocation_id,
};
use crate::{
    InvalidId, InvocationId,
    codec::from_word,
    id::{RegistrationId, SessionId, ToolCallId, TurnId},
    wire::{InvalidRequest, Json, Object, RawJson, WireError, Writer},
};

/// The version of the format of a record.
const VERSION: u64 = 1;

/// The members of a record of a question.
const REQUESTED: &[&str] =
    &["invocation", "session", "turn", "toolCall", "registration", "connection", "request"];

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
        let RecordId { interaction, kind } = self.id();
        codec::line(|line| {
            line.display("version", VERSION);
            line.text("interaction", &interaction.to_string());
            line.nested("record", |record| record.nested(kind.name(), |record| self.write(record)));
        })
    }

    fn write(&self, record: &mut Writer) {
        match self {
            Self::Requested(pending) => {
                let Owner { invocation, session, turn, tool_call, registration, connection } =
                    pending.owner.as_ref();
                record.text("invocation", invocation.as_str());
                record.text("session", session.as_str());
                record.text("turn", turn.as_str());
                record.text("toolCall", tool_call.as_str());
                record.text("registration", registration.as_str());
                record.display("connection", connection);
                record.json("request", pending.question.to_json().as_str());
            }
            Self::Answered { result, .. } => record.json("result", result.as_str()),
            Self::Closed { why, .. } => record.text("why", &why.to_string()),
        }
    }

    /// Decodes a record. A restarted host does not need it: [`RecordId::decode`] is enough for
    /// [`Broker::durable`](super::Broker::durable).
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRequest`] if the text is not a record of this version, its invocation does
    /// not match its question, or its question is over a limit.
    pub fn decode(line: &str, limits: &Limits) -> Result<Self, InvalidRequest> {
        let json = RawJson::parse_message(line)?;
        let (RecordId { interaction, kind }, mut record) = read(json.as_json()).ok_or(SHAPE)?;
        Ok(match kind {
            RecordKind::Requested => {
                let owner = owner(&mut record).ok_or(SHAPE)?;
                if owner.invocation != invocation_id(interaction.epoch, interaction.invocation) {
                    return Err(SHAPE.into());
                }
                let question = Question::decode(record.take("request").ok_or(SHAPE)?, limits)?;
                let owner = Arc::new(owner);
                Self::Requested(Arc::new(PendingInteraction { id: interaction, owner, question }))
            }
            RecordKind::Answered => {
                let result = record.take("result").ok_or(SHAPE)?.into();
                Self::Answered { interaction, result }
            }
            RecordKind::Closed => Self::Closed { interaction, why: why(&record).ok_or(SHAPE)? },
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
        let json = RawJson::parse_message(line)?;
        read(json.as_json()).map(|(id, _)| id).ok_or(SHAPE)
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

    /// Returns the members of such a record.
    const fn members(self) -> &'static [&'static str] {
        match self {
            Self::Requested => REQUESTED,
            Self::Answered => &["result"],
            Self::Closed => &["why"],
        }
    }
}

/// Reads a record as far as its id needs it, and returns the rest. The members of a question and of
/// an answer may have any value, or be absent.
fn read(json: Json<'_>) -> Option<(RecordId, Object<'_>)> {
    let mut line = codec::object(json)?;
    let version = line.take("version")?.unsigned()?;
    let interaction = line.take("interaction")?.text()?.parse().ok()?;
    let (kind, record) = codec::variant(line.take("record")?)?;
    let kind = RecordKind::from_name(&kind)?;
    let is_sound = version == VERSION
        && line.is_empty()
        && record.iter().all(|(name, _)| kind.members().contains(&name))
        && (kind != RecordKind::Closed || why(&record).is_some());
    is_sound.then_some((RecordId { interaction, kind }, record))
}

fn owner(record: &mut Object<'_>) -> Option<Owner> {
    let mut text = |name| record.take(name)?.text();
    Some(Owner {
        invocation: InvocationId::new(&text("invocation")?).ok()?,
        session: SessionId::new(&text("session")?).ok()?,
        turn: TurnId::new(&text("turn")?).ok()?,
        tool_call: ToolCallId::new(&text("toolCall")?).ok()?,
        registration: RegistrationId::new(&text("registration")?).ok()?,
        connection: ConnectionId::new(record.take("connection")?.unsigned()?),
    })
}

fn why(record: &Object<'_>) -> Option<CloseReason> {
    from_word(&record.get("why")?.text()?)
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
