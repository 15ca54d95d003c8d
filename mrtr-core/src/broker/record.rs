//! What a host's store holds of each question: that it was asked, what was answered, how it closed.

use alloc::{format, string::String, sync::Arc};
use core::fmt;

use super::{
    Closure, ConnectionId, InteractionId, Limits, Owner, PendingInteraction, Question, Refused,
    exact::Exact, id::invocation_id,
};
use crate::{
    InvalidId, RegistrationId, SessionId, ToolCallId, TurnId,
    wire::{RawJson, WireError, Writer},
};

/// The version of a record's shape.
const VERSION: &str = "1";

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// That the question was asked.
    Requested,
    /// What was answered.
    Answered,
    /// How it was closed.
    Closed,
}

/// What a record can say, and the members of each.
const KINDS: [(&str, &[&str]); 3] = [
    (
        "requested",
        &["invocation", "session", "turn", "toolCall", "registration", "connection", "request"],
    ),
    ("answered", &["result"]),
    ("closed", &["why"]),
];

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
        let mut said = Writer::default();
        match self {
            Self::Requested(pending) => {
                let owner = pending.owner.as_ref();
                said.text("invocation", owner.invocation.as_str());
                said.text("session", owner.session.as_str());
                said.text("turn", owner.turn.as_str());
                said.text("toolCall", owner.tool_call.as_str());
                said.text("registration", owner.registration.as_str());
                said.member("connection", &format!("{}", owner.connection));
                said.member("request", pending.question.to_json().as_str());
            }
            Self::Answered { result, .. } => said.member("result", result.as_str()),
            Self::Closed { why, .. } => said.text("why", &format!("{why}")),
        }
        let RecordId { interaction, kind } = self.id();
        let mut record = Writer::default();
        record.member(kind.name(), &said.end());
        let mut line = Writer::default();
        line.member("version", VERSION);
        line.text("interaction", &format!("{interaction}"));
        line.member("record", &record.end());
        line.line()
    }

    /// Decodes a record. [`RecordId::decode`] is enough to find out what a host that starts anew has
    /// to close.
    ///
    /// # Errors
    ///
    /// A text that is not exactly a record, names another invocation than its question's, or whose
    /// question is over a limit.
    pub fn decode(json: &str, limits: &Limits) -> Result<Self, Refused> {
        let json = RawJson::parse_message(json)?;
        let (RecordId { interaction, kind }, said) = read(&json)?;
        Ok(match kind {
            RecordKind::Requested => {
                let invocation = said.invocation()?;
                if invocation != invocation_id(interaction.epoch, interaction.invocation) {
                    return Err(SHAPE.into());
                }
                let owner = Owner {
                    invocation,
                    session: said.id("session", SessionId::new)?,
                    turn: said.id("turn", TurnId::new)?,
                    tool_call: said.id("toolCall", ToolCallId::new)?,
                    registration: said.id("registration", RegistrationId::new)?,
                    connection: ConnectionId::new(said.number("connection")?),
                };
                let question = Question::read(said.raw("request")?, limits)?;
                let owner = Arc::new(owner);
                Self::Requested(Arc::new(PendingInteraction { id: interaction, owner, question }))
            }
            RecordKind::Answered => Self::Answered { interaction, result: said.carried("result")? },
            RecordKind::Closed => Self::Closed { interaction, why: closed(&said)? },
        })
    }
}

impl RecordId {
    /// Reads which record a text is, and leaves alone what it says.
    ///
    /// # Errors
    ///
    /// A text that is not a record.
    pub fn decode(json: &str) -> Result<Self, WireError> {
        let json = RawJson::parse_message(json)?;
        let (id, said) = read(&json)?;
        if id.kind == RecordKind::Closed {
            closed(&said)?;
        }
        Ok(id)
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

fn closed(said: &Exact<'_>) -> Result<Closure, WireError> {
    Closure::from_code(&said.text("why")?).ok_or(SHAPE)
}

fn read(json: &RawJson) -> Result<(RecordId, Exact<'_>), WireError> {
    let record = Exact::decode(json.as_str(), &["version", "interaction", "record"], SHAPE)?;
    if record.raw("version")? != VERSION {
        return Err(SHAPE);
    }
    let interaction = record.id("interaction", InteractionId::parse)?;
    let (name, said) = Exact::kind(record.raw("record")?, &KINDS, SHAPE)?;
    let kind = RecordKind::from_name(name).ok_or(SHAPE)?;
    Ok((RecordId { interaction, kind }, said))
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
        f.write_str(self.kind.name())
    }
}

impl core::str::FromStr for RecordId {
    type Err = InvalidId;

    /// Reads an id as [`Display`](fmt::Display) writes it.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (interaction, kind) = text.split_once(' ').ok_or(InvalidId)?;
        let kind = RecordKind::from_name(kind).ok_or(InvalidId)?;
        Ok(Self { interaction: InteractionId::parse(interaction)?, kind })
    }
}
