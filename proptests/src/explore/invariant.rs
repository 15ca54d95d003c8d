//! The invariants of the machines, and what it is to break one.

use core::fmt;

use super::{SECRET, SECRET_BYTES};

/// Is one invariant of the machines. There are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// 1
    OneOutcome = 1,
    /// 2
    OneThingAtATime = 2,
    /// 3
    ClocksRunWhereTheyBelong = 3,
    /// 4
    EveryAskHasAnEnd = 4,
    /// 5
    ARetryIsOfItsRound = 5,
    /// 6
    AnswersReachWhoAsked = 6,
    /// 7
    NothingIsSentAfterStop = 7,
    /// 8
    LegsAreBounded = 8,
    /// 9
    NoQuestionWithoutInvocation = 9,
    /// 10
    StoredThenDelivered = 10,
    /// 11
    NothingSecretIsShown = 11,
    /// 12
    HandlersRunOnSoundStates = 12,
}

impl Invariant {
    /// Lists them in order.
    pub const ALL: [Self; 12] = [
        Self::OneOutcome,
        Self::OneThingAtATime,
        Self::ClocksRunWhereTheyBelong,
        Self::EveryAskHasAnEnd,
        Self::ARetryIsOfItsRound,
        Self::AnswersReachWhoAsked,
        Self::NothingIsSentAfterStop,
        Self::LegsAreBounded,
        Self::NoQuestionWithoutInvocation,
        Self::StoredThenDelivered,
        Self::NothingSecretIsShown,
        Self::HandlersRunOnSoundStates,
    ];

    /// Returns its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// Says what always holds.
    #[must_use]
    pub const fn statement(self) -> &'static str {
        match self {
            Self::OneOutcome => "At most one `Settle` per invocation, and nothing after it.",
            Self::OneThingAtATime => {
                "No `Send` while an interaction is pending or a leg is in flight."
            }
            Self::ClocksRunWhereTheyBelong => {
                "The leg clock runs if and only if a leg is in flight; the interaction clock if and only if somebody is asked."
            }
            Self::EveryAskHasAnEnd => {
                "Every `Ask` is followed by exactly one of: an answer consumed, a `Retract`."
            }
            Self::ARetryIsOfItsRound => {
                "A retry carries exactly the keys that were asked in its round, and the state of its round or none."
            }
            Self::AnswersReachWhoAsked => {
                "No answer reaches a server, connection, session or invocation other than the one that asked."
            }
            Self::NothingIsSentAfterStop => "After `Stop`, no `Send`.",
            Self::LegsAreBounded => "The number of legs is at most 1 + `rounds_max`.",
            Self::NoQuestionWithoutInvocation => {
                "No settled invocation has a pending interaction; no pending interaction lacks a live invocation."
            }
            Self::StoredThenDelivered => {
                "A committed answer is never replaced; nothing is delivered before it is stored."
            }
            Self::NothingSecretIsShown => {
                "A sentinel placed in `requestState`, in answers and in keys appears in no `Debug`, error, report or projection."
            }
            Self::HandlersRunOnSoundStates => {
                "The handler never runs on a state that did not verify, nor twice on a single-use one."
            }
        }
    }

    /// Breaks the invariant unless something is so.
    ///
    /// # Errors
    ///
    /// It is not.
    pub fn holds(self, is_so: bool, what: &str) -> Result<(), Violation> {
        Rule::Invariant(self).holds(is_so, what)
    }
}

/// Is what can be broken: an invariant, or what the contract of a machine promises beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An invariant.
    Invariant(Invariant),
    /// What is refused changes nothing; a tick that is not due does nothing; what a machine tells of
    /// itself is so; a machine does not panic.
    Contract,
}

impl Rule {
    /// Breaks the rule unless something is so.
    ///
    /// # Errors
    ///
    /// It is not.
    pub fn holds(self, is_so: bool, what: &str) -> Result<(), Violation> {
        if is_so { Ok(()) } else { Err(Violation { rule: self, what: what.into() }) }
    }
}

/// Is a rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// What should have been so.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Invariant(invariant) => {
                write!(f, "invariant {} is broken: {}", invariant.number(), self.what)
            }
            Rule::Contract => write!(f, "the contract is broken: {}", self.what),
        }
    }
}

/// Checks that a text shows nothing secret, neither as text nor as a list of bytes: invariant 11.
///
/// # Errors
///
/// It does.
pub(super) fn shows_nothing(text: &str) -> Result<(), Violation> {
    let is_shown = text.contains(SECRET) || text.contains(SECRET_BYTES);
    Invariant::NothingSecretIsShown.holds(!is_shown, "what is formatted is no secret")
}
