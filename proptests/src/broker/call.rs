//! One invocation as the requirements have it: who it belongs to, what it asked, and which clock runs.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks, Instant, InvocationId, Phase,
    host::{Call, ConnectionId, Ending, InteractionId, Limits},
    wire::{Decision, RawJson},
};

/// An invocation, live or over.
#[derive(Clone, Debug)]
pub(super) struct ModelCall {
    pub(super) id: InvocationId,
    pub(super) call: Call,
    pub(super) connection: ConnectionId,
    pub(super) is_accepted: bool,
    pub(super) is_over: bool,
    /// All questions that were taken, in order. Only the last can be open.
    pub(super) asked: Vec<ModelQuestion>,
    clock: CallStopwatch,
}

/// A question that a provider asked and the host took.
#[derive(Clone, Debug)]
pub(super) struct ModelQuestion {
    pub(super) id: InteractionId,
    /// What the provider calls it.
    pub(super) number: u64,
    pub(super) request: RawJson,
    /// Which question of the script it is.
    pub(super) question: usize,
    pub(super) stage: QuestionStage,
}

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionStage {
    /// The store is to hold it first.
    Opening,
    /// It is shown.
    Open,
    /// The store is to hold this answer first.
    Committing(Decision, &'static str),
    /// It is over.
    Ended(Ending),
}

/// Measures what an invocation has used up. Time that goes back stands still.
#[derive(Clone, Debug)]
struct CallStopwatch {
    told: Instant,
    /// When what runs began.
    since: Instant,
    /// When the provider's budget began last.
    leg_since: Instant,
    /// What the legs that are over have taken.
    executed: Duration,
}

impl ModelCall {
    pub(super) fn new(
        now: Instant,
        id: InvocationId,
        call: Call,
        connection: ConnectionId,
    ) -> Self {
        let clock =
            CallStopwatch { told: now, since: now, leg_since: now, executed: Duration::ZERO };
        let asked = Vec::new();
        Self { id, call, connection, is_accepted: false, is_over: false, asked, clock }
    }

    /// Returns the question that has not ended.
    pub(super) fn pending(&self) -> Option<&ModelQuestion> {
        self.asked.last().filter(|asked| !matches!(asked.stage, QuestionStage::Ended(_)))
    }

    /// Returns the greatest number that the provider has given a question.
    pub(super) fn number_last(&self) -> Option<u64> {
        self.asked.last().map(|asked| asked.number)
    }

    pub(super) fn phase(&self) -> Phase {
        match self.asked.last() {
            _ if self.is_over => Phase::Settled,
            None => Phase::Running,
            Some(_) if self.pending().is_some() => Phase::AwaitingInteraction,
            Some(_) => Phase::Resumed,
        }
    }

    /// Tells the time, which may have gone back.
    pub(super) fn tell(&mut self, now: Instant) {
        self.clock.told = self.clock.told.max(now);
    }

    /// Returns how far the last question is: whatever ran before stops, and something else begins.
    pub(super) fn turn(&mut self, stage: QuestionStage) {
        if let Some(asked) = self.asked.last_mut() {
            asked.stage = stage;
        }
        self.restart();
    }

    /// Takes a question: the provider's clock stops.
    pub(super) fn ask(&mut self, asked: ModelQuestion) {
        self.clock.executed += self.clock.told.since(self.clock.since);
        self.asked.push(asked);
        self.restart();
    }

    const fn restart(&mut self) {
        self.clock.since = self.clock.told;
        self.clock.leg_since = self.clock.told;
    }

    /// Takes note that the provider works: more time, if its leg has a maximum.
    pub(super) fn progress(&mut self, clocks: &Clocks) {
        if clocks.leg_max.is_some() {
            self.clock.leg_since = self.clock.told;
        }
    }

    /// Returns whether the provider would have no time to go on.
    pub(super) fn is_spent(&self, now: Instant, clocks: &Clocks) -> bool {
        let leg = self.clock.told.max(now).since(self.clock.since);
        clocks.execution.is_some_and(|budget| self.clock.executed + leg >= budget)
    }

    /// Returns when something runs out, and as what the invocation ends then.
    pub(super) fn due(&self, limits: &Limits) -> (Instant, Option<Clock>) {
        let CallStopwatch { since, leg_since, executed, .. } = self.clock;
        let Clocks { leg, leg_max, interaction, execution, .. } = limits.clocks;
        match self.pending().map(|asked| asked.stage) {
            Some(QuestionStage::Open) => (since + interaction, Some(Clock::Interaction)),
            Some(_) => (since + limits.store, None),
            None => {
                let last = leg_max.map(|leg_max| since + leg_max);
                let leg = last.map_or(leg_since + leg, |last| last.min(leg_since + leg));
                let all = execution.map(|budget| since + budget.saturating_sub(executed));
                match all {
                    Some(all) if all < leg => (all, Some(Clock::Execution)),
                    _ => (leg, Some(Clock::Leg)),
                }
            }
        }
    }
}
