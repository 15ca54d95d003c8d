//! What must hold, by name, and how it is said that it does not.

use core::fmt;

/// Names something that must hold of a host, whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Everything that is done belongs to an invocation that the host has begun in this life.
    IsCalled,
    /// An invocation is called once, and never again.
    CallsOnce,
    /// An invocation settles once, and nothing follows.
    SettlesOnce,
    /// A frame goes to the connection of its invocation, as long as it is there.
    KeepsToConnection,
    /// A change goes to the session of its invocation.
    KeepsToSession,
    /// What is shown and what is stored says whose it is, as the host has bound it.
    KeepsOwner,
    /// An invocation has one open question at most, and each question an id of its own.
    AsksOnce,
    /// A provider gets one answer to a question, by the number that it gave it.
    AnswersWhatIsAsked,
    /// The answer is the first that fitted, as it was given.
    KeepsAnswer,
    /// Where there is a store, nothing is shown or delivered before the store holds it.
    StoresFirst,
    /// The store is asked once to hold something, and an end only after a beginning.
    RecordsInOrder,
    /// A question ends once: by an answer that is delivered, or closed. Who was shown it hears of it.
    EndsOnce,
    /// An invocation that has settled leaves no question open, and a question has a live invocation.
    LeavesNoOrphan,
    /// A snapshot shows what is open, and nothing else.
    ShowsWhatIsOpen,
    /// Changes are numbered in order, and each names the one before it of its session.
    NumbersChanges,
    /// What is stopped is cancelled, and gets nothing else.
    OnlyCancels,
    /// A provider hears of a refusal only where it asked by a number that was never taken.
    RefusesByNumber,
    /// What is refused, and what has nothing to do, changes nothing.
    ChangesNothing,
    /// What providers call themselves makes no difference.
    IgnoresNames,
    /// No secret is in what is shown to an operator.
    KeepsSecrets,
    /// A surface that has the last change of its session shows what the host has.
    ViewsAgree,
    /// A host that starts anew closes what was open, and does nothing else.
    RestartsClean,
    /// The model expects the same mistake of the caller.
    SameMisuse,
    /// The model expects the same refusal.
    SameRefusal,
    /// The model expects the same frames.
    SameFrames,
    /// The model expects the same records.
    SameRecords,
    /// The model expects the same changes.
    SameChanges,
    /// The model expects the same outcomes.
    SameOutcomes,
    /// The model expects the same reports of phases.
    SameReports,
    /// The model expects the same clock to run out next.
    SameDeadline,
    /// The model expects the same phases, owners, registrations and counts.
    SameState,
}

impl Rule {
    /// Lists the rules.
    pub const ALL: [Self; 31] = [
        Self::IsCalled,
        Self::CallsOnce,
        Self::SettlesOnce,
        Self::KeepsToConnection,
        Self::KeepsToSession,
        Self::KeepsOwner,
        Self::AsksOnce,
        Self::AnswersWhatIsAsked,
        Self::KeepsAnswer,
        Self::StoresFirst,
        Self::RecordsInOrder,
        Self::EndsOnce,
        Self::LeavesNoOrphan,
        Self::ShowsWhatIsOpen,
        Self::NumbersChanges,
        Self::OnlyCancels,
        Self::RefusesByNumber,
        Self::ChangesNothing,
        Self::IgnoresNames,
        Self::KeepsSecrets,
        Self::ViewsAgree,
        Self::RestartsClean,
        Self::SameMisuse,
        Self::SameRefusal,
        Self::SameFrames,
        Self::SameRecords,
        Self::SameChanges,
        Self::SameOutcomes,
        Self::SameReports,
        Self::SameDeadline,
        Self::SameState,
    ];

    /// Says that the rule is broken, unless it holds.
    pub(super) fn holds(self, holds: bool, found: impl FnOnce() -> String) -> Checked {
        if holds { Ok(()) } else { Err(self.broken(found())) }
    }

    /// Says that the rule is broken, unless two things are the same.
    pub(super) fn same<T: PartialEq + fmt::Debug>(
        self,
        what: &str,
        found: &T,
        expected: &T,
    ) -> Checked {
        self.holds(found == expected, || format!("{what}: found {found:?}, expected {expected:?}"))
    }

    pub(super) const fn broken(self, found: String) -> Broken {
        Broken { rule: self, found }
    }
}

/// Says that a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// What was found instead.
    pub found: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} does not hold: {}", self.rule, self.found)
    }
}

/// Is the end of a check.
pub type Checked = Result<(), Broken>;
