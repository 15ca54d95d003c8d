//! One invocation, as the broker keeps it until it settles.

use alloc::{sync::Arc, vec::Vec};

use super::{
    Ending, Fault, Limits, Misuse, Owner, PendingInteraction, VisibleInteraction, index::Place,
    question::CheckedAnswer,
};
use crate::{
    Clock, Instant, Phase, Transition, Trigger,
    timer::{Due, Timer},
};

/// An invocation that has not settled.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct ActiveInvocation {
    pub(super) owner: Arc<Owner>,
    pub(super) place: Place,
    pub(super) phase: Phase,
    /// Whether the provider has accepted it.
    pub(super) is_accepted: bool,
    pub(super) timer: Timer,
    /// The number of its legs. Each answer begins another leg.
    pub(super) legs: u32,
    /// The provider's numbers of all its questions, including the open one. Each is greater than
    /// the one before.
    pub(super) numbers: Vec<u64>,
    /// The open question. It is `Some` exactly in `AwaitingInteraction`.
    pub(super) pending: Option<Pending>,
}

/// The open question.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Pending {
    pub(super) interaction: Arc<PendingInteraction>,
    /// The provider's number for it.
    pub(super) number: u64,
    /// The length of the request in bytes.
    pub(super) bytes: usize,
    pub(super) stage: Stage,
}

/// The stage of the open question.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) enum Stage {
    /// The store has not confirmed the question. No surface shows it yet.
    Opening,
    /// Surfaces show the question, and it waits for an answer.
    Open,
    /// The question has its answer, and the store has not confirmed the answer.
    Committing(CheckedAnswer),
}

/// What runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    Clock(Clock),
    Store,
}

impl ActiveInvocation {
    pub(super) const fn new(now: Instant, owner: Arc<Owner>, place: Place) -> Self {
        Self {
            owner,
            place,
            phase: Phase::Running,
            is_accepted: false,
            timer: Timer::new(now),
            legs: 1,
            numbers: Vec::new(),
            pending: None,
        }
    }

    /// Returns how many questions were asked, including the open one.
    pub(super) fn asked(&self) -> u32 {
        // `interactions_max` bounds them.
        u32::try_from(self.numbers.len()).unwrap_or(u32::MAX)
    }

    /// Returns whether the provider has asked a question with this number.
    pub(super) fn has_asked(&self, number: u64) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    /// Checks the provider's number for its next question.
    pub(super) fn check_number(&self, number: u64) -> Result<(), Fault> {
        let last = self.numbers.last().copied().unwrap_or_default();
        if number > last {
            return Ok(());
        }
        Err(if self.has_asked(number) { Fault::Duplicate { last } } else { Fault::Number { last } })
    }

    /// Moves the open question to a stage, and returns it.
    pub(super) fn enter(&mut self, stage: Stage) -> Option<Arc<PendingInteraction>> {
        let pending = self.pending.as_mut()?;
        pending.stage = stage;
        Some(pending.interaction.clone())
    }

    /// Returns when something runs out, and what it is.
    pub(super) fn due(&self, limits: &Limits) -> Option<(Instant, Expiry)> {
        let is_storing = self.pending.as_ref().is_some_and(|pending| pending.stage != Stage::Open);
        if is_storing {
            return Some((self.timer.since() + limits.store, Expiry::Store));
        }
        match self.timer.due(self.phase, &limits.clocks)? {
            (at, Due::Clock(clock)) => Some((at, Expiry::Clock(clock))),
            // A broker never pauses.
            (_, Due::Pause) => None,
        }
    }

    /// Describes a change of phase after it was made.
    pub(super) fn transition(&self, from: Phase, cause: Trigger) -> Transition {
        let open = usize::from(self.pending.is_some());
        Transition {
            invocation: self.owner.invocation.clone(),
            leg: self.legs,
            round: self.asked(),
            from,
            to: self.phase,
            cause,
            open,
        }
    }

    /// Asserts what holds between any two events.
    pub(super) fn check(&self) {
        debug_assert_eq!(
            self.pending.is_some(),
            self.phase == Phase::AwaitingInteraction,
            "a question is open exactly while an answer is waited for"
        );
    }
}

impl Pending {
    /// Checks that the question has no answer yet.
    pub(super) const fn unanswered(&self) -> Result<(), Misuse> {
        match &self.stage {
            Stage::Opening | Stage::Open => Ok(()),
            Stage::Committing(answer) => {
                Err(Misuse::Stale { won: Some(Ending::Answered(answer.decision)) })
            }
        }
    }

    /// Returns the question as surfaces show it; `None` if it is not shown yet.
    pub(super) fn visible(&self) -> Option<VisibleInteraction> {
        let taken = match &self.stage {
            Stage::Opening => return None,
            Stage::Open => None,
            Stage::Committing(answer) => Some(answer.decision),
        };
        Some(VisibleInteraction { interaction: self.interaction.clone(), taken })
    }
}
