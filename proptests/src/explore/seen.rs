//! What a world tells of an event, for the page that is drawn from it.

use core::{fmt, time::Duration};

use mrtr_core::{Phase, Trigger};

/// Where an operation stands, as it is seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The phase.
    pub phase: Phase,
    /// What its question waits for.
    pub stage: Stage,
}

/// What a question waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Nothing is asked.
    None,
    /// The store is to hold the question.
    QuestionAtStore,
    /// Somebody is to answer.
    Shown,
    /// The store is to hold the answer.
    AnswerAtStore,
}

/// An action: what is to be done, and what about it differs from time to time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// What is to be done.
    pub kind: String,
    /// What differs.
    pub detail: String,
}

impl Label {
    /// Makes a label.
    pub fn new(kind: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind: kind.into(), detail: detail.into() }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " {}", self.detail) }
    }
}

/// What one event was seen to do to one operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The event.
    pub event: &'static str,
    /// Where the operation was; `None`: there was none before.
    pub from: Option<Place>,
    /// Where it is.
    pub to: Place,
    /// What it did.
    pub what: What,
}

/// What an event did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It began the operation.
    Began(Vec<Label>),
    /// It moved the operation, perhaps to the same phase.
    Moved {
        /// The cause.
        by: Trigger,
        /// What is to be done about it.
        actions: Vec<Label>,
        /// How long the operation had been in its place, if that is what ended it.
        after: Option<Duration>,
    },
    /// It was refused, and changed nothing.
    Refused(String),
}

/// Writes the name of a variant as codes are written.
#[must_use]
pub fn snake(name: &str) -> String {
    let mut code = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.push(letter.to_ascii_lowercase());
    }
    code
}
