//! What must hold, by the numbers of the design, and how it is said that it does not.

use core::fmt;

use crate::broker::{self, Rule};

/// Names something that must hold of a world, whatever happens. The first twelve are those of the
/// design, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// At most one end per invocation, and nothing after it.
    SettlesOnce = 1,
    /// No request goes out while somebody is asked or another is in flight.
    SendsAlone = 2,
    /// The leg's clock runs exactly while a leg is in flight, the people's exactly while somebody is
    /// asked.
    RunsItsClock = 3,
    /// Every question is followed by exactly one answer that counts, or taken back.
    EndsEachAsk = 4,
    /// A retry carries the keys that were asked in its round, and the state of its round or none.
    RetriesItsRound = 5,
    /// No answer reaches a server, connection, session or invocation other than the one that asked.
    KeepsToAsker = 6,
    /// What is stopped sends no request.
    StopsSending = 7,
    /// There are no more legs than the rounds allow, and the first.
    BoundsLegs = 8,
    /// What has settled leaves no question open, and what is open belongs to something live.
    LeavesNoOrphan = 9,
    /// An answer that counts is never replaced, and nothing is delivered before it is stored.
    StoresFirst = 10,
    /// No secret is in what is shown to an operator.
    KeepsSecrets = 11,
    /// A handler never runs on a state that did not verify, nor twice on a single-use one.
    RunsVerified = 12,
    /// Once the network fails no more and time passes, every call has ended, and nothing is left.
    EndsInTime = 13,
    /// Everybody does what the requirements make of what happened.
    AsRequired = 14,
}

impl Invariant {
    /// Lists the invariants.
    pub const ALL: [Self; 14] = [
        Self::SettlesOnce,
        Self::SendsAlone,
        Self::RunsItsClock,
        Self::EndsEachAsk,
        Self::RetriesItsRound,
        Self::KeepsToAsker,
        Self::StopsSending,
        Self::BoundsLegs,
        Self::LeavesNoOrphan,
        Self::StoresFirst,
        Self::KeepsSecrets,
        Self::RunsVerified,
        Self::EndsInTime,
        Self::AsRequired,
    ];

    /// Says that the invariant is broken, unless it holds.
    pub(super) fn holds(self, holds: bool, found: impl FnOnce() -> String) -> Checked {
        if holds { Ok(()) } else { Err(self.broken(found())) }
    }

    /// Says that the invariant is broken, unless two things are the same.
    pub(super) fn same<T: PartialEq + fmt::Debug>(
        self,
        what: &str,
        found: &T,
        expected: &T,
    ) -> Checked {
        self.holds(found == expected, || format!("{what}: found {found:?}, expected {expected:?}"))
    }

    pub(super) fn broken(self, found: impl Into<String>) -> Broken {
        Broken { invariant: self, found: found.into() }
    }
}

/// Says that something failed that the requirements do not let fail.
pub(super) fn failed(error: impl fmt::Display) -> Broken {
    Invariant::AsRequired.broken(error.to_string())
}

/// Says that an invariant does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The invariant.
    pub invariant: Invariant,
    /// What was found instead.
    pub found: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.invariant as u8;
        write!(f, "invariant {number}, {:?}, does not hold: {}", self.invariant, self.found)
    }
}

/// Is the end of a check.
pub type Checked = Result<(), Broken>;

impl From<broker::Broken> for Broken {
    /// Takes a rule that a host breaks for the invariant that it serves.
    fn from(broken: broker::Broken) -> Self {
        let invariant = match broken.rule {
            Rule::SettlesOnce | Rule::CallsOnce => Invariant::SettlesOnce,
            Rule::SameDeadline => Invariant::RunsItsClock,
            Rule::AsksOnce | Rule::EndsOnce => Invariant::EndsEachAsk,
            Rule::KeepsToConnection
            | Rule::KeepsToSession
            | Rule::KeepsOwner
            | Rule::AnswersWhatIsAsked => Invariant::KeepsToAsker,
            Rule::OnlyCancels => Invariant::StopsSending,
            Rule::IsCalled | Rule::LeavesNoOrphan | Rule::ShowsWhatIsOpen | Rule::RestartsClean => {
                Invariant::LeavesNoOrphan
            }
            Rule::KeepsAnswer | Rule::StoresFirst | Rule::RecordsInOrder => Invariant::StoresFirst,
            Rule::KeepsSecrets => Invariant::KeepsSecrets,
            Rule::NumbersChanges
            | Rule::RefusesByNumber
            | Rule::ChangesNothing
            | Rule::IgnoresNames
            | Rule::ViewsAgree
            | Rule::SameMisuse
            | Rule::SameRefusal
            | Rule::SameFrames
            | Rule::SameRecords
            | Rule::SameChanges
            | Rule::SameOutcomes
            | Rule::SameReports
            | Rule::SameState => Invariant::AsRequired,
        };
        invariant.broken(broken.to_string())
    }
}
