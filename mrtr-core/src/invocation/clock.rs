//! The clocks of one invocation.

use core::time::Duration;

use thiserror::Error;

use crate::{Clocks, Instant, Phase};

/// Names a clock that can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Clock {
    /// The budget of one leg.
    #[error("the leg took too long")]
    Leg,
    /// The budget of all legs together.
    #[error("the legs took too long in all")]
    Execution,
    /// The time that somebody may take to answer.
    #[error("nobody answered in time")]
    Interaction,
}

/// Is what runs out next: a clock, or the pause after which the call goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Clock(Clock),
    Pause,
}

/// Times the phase that the invocation is in. What runs follows from the phase alone, so no clock
/// can run in a phase that it does not belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Timer {
    clocks: Clocks,
    /// The latest time that was told.
    now: Instant,
    /// When the phase began.
    since: Instant,
    /// What the legs that are over have taken.
    executed: Duration,
    /// When the leg's budget began last: with the leg, or with the server's word that it works.
    leg_since: Instant,
    /// The pause of the state-only round that is on, or the last one.
    pause: Option<Duration>,
}

impl Timer {
    pub(super) const fn new(now: Instant, clocks: Clocks) -> Self {
        Self { clocks, now, since: now, executed: Duration::ZERO, leg_since: now, pause: None }
    }

    /// Takes the time, which does not go back.
    pub(super) fn tell(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }

    /// Ends one phase and begins another.
    pub(super) fn turn(&mut self, from: Phase, to: Phase) {
        // A leg that only reports progress goes on, and is counted when it ends.
        if from == to {
            return;
        }
        if from.is_in_flight() {
            self.executed = self.executed.saturating_add(self.now.since(self.since));
        }
        match to {
            Phase::Pausing => {
                let doubled =
                    self.pause.map_or(self.clocks.pause_min, |pause| pause.saturating_mul(2));
                self.pause = Some(doubled.min(self.clocks.pause_max));
            }
            Phase::AwaitingInteraction => self.pause = None,
            Phase::Running | Phase::Resumed | Phase::Settled => {}
        }
        self.since = self.now;
        self.leg_since = self.now;
    }

    /// Gives the leg in flight a fresh budget, where that is configured.
    pub(super) fn extend(&mut self) {
        if self.clocks.leg_max.is_some() {
            self.leg_since = self.now;
        }
    }

    /// Tells whether the legs have spent their budget in all, if a leg that is in flight ends now.
    pub(super) fn is_spent(&self, now: Instant) -> bool {
        let executed = self.executed.saturating_add(now.max(self.now).since(self.since));
        self.clocks.execution.is_some_and(|budget| executed >= budget)
    }

    /// Returns when something runs out, and what.
    pub(super) fn due(&self, phase: Phase) -> Option<(Instant, Due)> {
        match phase {
            Phase::Running | Phase::Resumed => {
                let extended = self.leg_since + self.clocks.leg;
                let last = self.clocks.leg_max.map(|leg_max| self.since + leg_max);
                let leg = last.map_or(extended, |last| extended.min(last));
                let leg = (leg, Due::Clock(Clock::Leg));
                let Some(budget) = self.clocks.execution else { return Some(leg) };
                let left = budget.saturating_sub(self.executed);
                let execution = (self.since + left, Due::Clock(Clock::Execution));
                Some(if execution.0 < leg.0 { execution } else { leg })
            }
            Phase::AwaitingInteraction => {
                Some((self.since + self.clocks.interaction, Due::Clock(Clock::Interaction)))
            }
            Phase::Pausing => Some((self.since + self.pause.unwrap_or_default(), Due::Pause)),
            Phase::Settled => None,
        }
    }

    /// Returns what has run out by a time.
    pub(super) fn ran_out(&self, now: Instant, phase: Phase) -> Option<Due> {
        let (at, due) = self.due(phase)?;
        (at <= now).then_some(due)
    }
}
