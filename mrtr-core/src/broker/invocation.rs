//! One invocation of a provider, as the broker holds it while it is live.

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use super::{
    Decision, Ending, Limits, Misuse, Owner, PendingInteraction, Question, Refused, Shown,
    index::Place,
};
use crate::{
    Clock, Instant, Phase, Transition, Trigger,
    clock::{Due, Timer},
    wire::{Elicitation, RawJson, Response},
};

/// Is an invocation that has not settled.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Live {
    pub(super) owner: Arc<Owner>,
    pub(super) place: Place,
    pub(super) phase: Phase,
    /// Whether the provider has taken it.
    pub(super) is_accepted: bool,
    pub(super) timer: Timer,
    /// Its legs: an answer begins another.
    pub(super) legs: u32,
    /// What the provider calls the questions that were asked for it, the open one included: each
    /// number is greater than the one before.
    pub(super) numbers: Vec<u64>,
    /// The question that is open: there is one exactly in `AwaitingInteraction`.
    pub(super) pending: Option<Pending>,
}

/// Is the question that is open.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Pending {
    pub(super) interaction: Arc<PendingInteraction>,
    /// What the provider calls it.
    pub(super) number: u64,
    /// The bytes of the request.
    pub(super) bytes: usize,
    pub(super) stage: Stage,
}

/// Says how far the question is.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) enum Stage {
    /// The store is asked to hold it. Nobody has seen it.
    Opening,
    /// It is shown, and waits for an answer.
    Open,
    /// It has its answer, which the store is asked to hold.
    Committing(Answered),
}

/// Is an answer that was checked.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct Answered {
    pub(super) decision: Decision,
    /// What goes to the provider.
    pub(super) result: RawJson,
}

impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answered({:?}, {:?})", self.decision, self.result)
    }
}

/// Names what runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    Clock(Clock),
    Store,
}

impl Live {
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

    /// Returns how many questions were asked for it, the open one included.
    pub(super) fn asked(&self) -> u32 {
        // `interactions_max` bounds them.
        u32::try_from(self.numbers.len()).unwrap_or(u32::MAX)
    }

    /// Tells whether the provider has given a question this number, and somebody was asked.
    pub(super) fn has_asked(&self, number: u64) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    /// Checks that the provider may give its next question a number.
    pub(super) fn check_number(&self, number: u64) -> Result<(), Refused> {
        let last = self.numbers.last().copied().unwrap_or_default();
        if number > last {
            return Ok(());
        }
        Err(if self.has_asked(number) {
            Refused::Duplicate { last }
        } else {
            Refused::Number { last }
        })
    }

    /// Moves the open question to a stage, and returns it.
    pub(super) fn enter(&mut self, stage: Stage) -> Option<Arc<PendingInteraction>> {
        let pending = self.pending.as_mut()?;
        pending.stage = stage;
        Some(pending.interaction.clone())
    }

    /// Returns when something runs out, and what.
    pub(super) fn due(&self, limits: &Limits) -> Option<(Instant, Expiry)> {
        let is_storing = self.pending.as_ref().is_some_and(|pending| pending.stage != Stage::Open);
        if is_storing {
            return Some((self.timer.since() + limits.store, Expiry::Store));
        }
        match self.timer.due(self.phase, &limits.clocks)? {
            (at, Due::Clock(clock)) => Some((at, Expiry::Clock(clock))),
            // A provider is never paused for.
            (_, Due::Pause) => None,
        }
    }
}

impl Live {
    /// Describes a change of phase that has been made.
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
    /// Checks that no answer was taken.
    pub(super) const fn unanswered(&self) -> Result<(), Misuse> {
        match &self.stage {
            Stage::Opening | Stage::Open => Ok(()),
            Stage::Committing(answer) => {
                Err(Misuse::Stale { won: Some(Ending::Answered(answer.decision)) })
            }
        }
    }

    /// Returns the question as surfaces show it, if they do.
    pub(super) fn shown(&self) -> Option<Shown> {
        let taken = match &self.stage {
            Stage::Opening => return None,
            Stage::Open => None,
            Stage::Committing(answer) => Some(answer.decision),
        };
        Some(Shown { interaction: self.interaction.clone(), taken })
    }
}

impl Question {
    /// Checks an answer.
    pub(super) fn answer(
        &self,
        response: Response,
        limits: &form_model::Limits,
    ) -> Result<Answered, Misuse> {
        let decision = match &response {
            Response::Accept(_) | Response::Consent => Decision::Accept,
            Response::Decline => Decision::Decline,
            Response::Dismiss => Decision::Dismiss,
            Response::Sampled(_) | Response::Roots(_) => return Err(Misuse::WrongKind),
        };
        let result = match &self.elicitation {
            Elicitation::Form(request) => request.answer(response, limits)?,
            Elicitation::Url(request) => request.answer(&response)?,
        };
        Ok(Answered { decision, result: RawJson::composed(result) })
    }
}
