//! The invariants: what must hold of every machine, whatever happens. Search, properties, fuzzing
//! and the world of all machines check this one list.

use core::fmt;

/// Text that stands in arguments, answers, states and keys. Nothing that is formatted may show it.
pub const SECRET: &str = "SENTINEL";

/// [`SECRET`] as a list of bytes is formatted.
const SECRET_BYTES: &str = "83, 69, 78, 84, 73, 78, 69, 76";

/// Something that must hold of the machines. There are no others.
///
/// The first twelve are the design's, by its numbers.
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
    /// 13
    EverythingEnds = 13,
    /// 14
    AsRequired = 14,
    /// 15
    Contract = 15,
}

impl Invariant {
    /// All invariants, in the order of their numbers.
    pub const ALL: [Self; 15] = [
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
        Self::EverythingEnds,
        Self::AsRequired,
        Self::Contract,
    ];

    /// Returns its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// Returns what always holds, in a sentence.
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
            Self::EverythingEnds => {
                "Once the network fails no more and time passes, every call has ended and nothing is left open."
            }
            Self::AsRequired => {
                "Everybody does what an independent model of the requirements expects."
            }
            Self::Contract => {
                "A refusal changes nothing, a tick that is not due does nothing, and what a machine tells of itself is true."
            }
        }
    }

    /// Breaks the invariant unless something is so.
    ///
    /// # Errors
    ///
    /// A violation that says what should have been so.
    pub fn holds(self, is_so: bool, what: &str) -> Checked {
        if is_so { Ok(()) } else { Err(self.broken(what)) }
    }

    /// Breaks the invariant unless something is so. The text is made when it is needed.
    ///
    /// # Errors
    ///
    /// A violation that says what was found.
    pub fn holds_or(self, is_so: bool, found: impl FnOnce() -> String) -> Checked {
        if is_so { Ok(()) } else { Err(self.broken(found())) }
    }

    /// Breaks the invariant unless two things are the same.
    ///
    /// # Errors
    ///
    /// A violation that shows both.
    pub fn same<T: PartialEq + fmt::Debug>(self, what: &str, found: &T, expected: &T) -> Checked {
        self.holds_or(found == expected, || {
            format!("{what}: found {found:?}, expected {expected:?}")
        })
    }

    /// Returns a violation of the invariant.
    pub fn broken(self, what: impl Into<String>) -> Violation {
        Violation { invariant: self, what: what.into() }
    }
}

/// An invariant that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant.
    pub invariant: Invariant,
    /// What should have been so, or what was found instead.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { invariant, what } = self;
        write!(f, "invariant {}, {invariant:?}, is broken: {what}", invariant.number())
    }
}

/// The end of a check.
pub type Checked = Result<(), Violation>;

/// Returns the violation that an error is where the requirements let nothing fail.
pub fn failed(error: impl fmt::Display) -> Violation {
    Invariant::AsRequired.broken(error.to_string())
}

/// Checks that a text shows nothing secret, neither as text nor as a list of bytes.
///
/// # Errors
///
/// A violation of [`Invariant::NothingSecretIsShown`]. It does not repeat the text.
pub fn shows_nothing_secret(text: &str) -> Checked {
    let is_shown = [SECRET, SECRET_BYTES].iter().any(|secret| text.contains(secret));
    Invariant::NothingSecretIsShown.holds(!is_shown, "a secret is shown")
}
