//! The clocks of one operation.

use core::time::Duration;

use thiserror::Error;

use crate::{Clocks, Instant, Phase};

/// A clock that can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
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

/// What runs out next: a clock, or the pause after which the call goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Clock(Clock),
    Pause,
}

/// The time of the phase that an operation is in. The phase alone decides which clock runs, so no clock
/// can run in a phase that it does not belong to. The caller brings how long each may run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Timer {
    /// The latest time that was told.
    now: Instant,
    /// When the phase began.
    since: Instant,
    /// What the legs that are over have taken.
    executed: Duration,
    /// When the leg's budget began last: with the leg, or when the server reported progress.
    leg_since: Instant,
    /// The pause of the state-only round that is on, or the last one.
    pause: Option<Duration>,
}

impl Timer {
    pub(crate) const fn new(now: Instant) -> Self {
        Self { now, since: now, executed: Duration::ZERO, leg_since: now, pause: None }
    }

    /// Takes the time. A time before the latest one counts as the latest one.
    pub(crate) fn tell(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }

    /// Ends one phase and begins another.
    pub(crate) fn turn(&mut self, from: Phase, to: Phase, clocks: &Clocks) {
        // A leg that only reports progress goes on, and is counted when it ends.
        if from == to {
            return;
        }
        if from.is_in_flight() {
            self.executed = self.executed.saturating_add(self.now.since(self.since));
        }
        match to {
            Phase::Pausing => {
                let doubled = self.pause.map_or(clocks.pause_min, |pause| pause.saturating_mul(2));
                self.pause = Some(doubled.min(clocks.pause_max));
            }
            Phase::AwaitingInteraction => self.pause = None,
            Phase::Running | Phase::Resumed | Phase::Settled => {}
        }
        self.since = self.now;
        self.leg_since = self.now;
    }

    /// Begins the same phase again: it waits for something else now.
    pub(crate) const fn restart(&mut self) {
        self.since = self.now;
    }

    /// Returns when the phase began.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Gives the leg in flight a fresh budget if `leg_max` is set.
    pub(crate) fn extend(&mut self, clocks: &Clocks) {
        if clocks.leg_max.is_some() {
            self.leg_since = self.now;
        }
    }

    /// Tells whether the legs have spent their budget in all, if a leg that is in flight ends now.
    pub(crate) fn is_spent(&self, now: Instant, clocks: &Clocks) -> bool {
        let executed = self.executed.saturating_add(now.max(self.now).since(self.since));
        clocks.execution.is_some_and(|budget| executed >= budget)
    }

    /// Returns when something runs out, and what.
    pub(crate) fn due(&self, phase: Phase, clocks: &Clocks) -> Option<(Instant, Due)> {
        match phase {
            Phase::Running | Phase::Resumed => {
                let extended = self.leg_since + clocks.leg;
                let last = clocks.leg_max.map(|leg_max| self.since + leg_max);
                let leg = last.map_or(extended, |last| extended.min(last));
                let leg = (leg, Due::Clock(Clock::Leg));
                let Some(budget) = clocks.execution else { return Some(leg) };
                let left = budget.saturating_sub(self.executed);
                let execution = (self.since + left, Due::Clock(Clock::Execution));
                Some(if execution.0 < leg.0 { execution } else { leg })
            }
            Phase::AwaitingInteraction => {
                Some((self.since + clocks.interaction, Due::Clock(Clock::Interaction)))
            }
            Phase::Pausing => Some((self.since + self.pause.unwrap_or_default(), Due::Pause)),
            Phase::Settled => None,
        }
    }

    /// Returns what has run out by a time.
    pub(crate) fn ran_out(&self, now: Instant, phase: Phase, clocks: &Clocks) -> Option<Due> {
        let (at, due) = self.due(phase, clocks)?;
        (at <= now).then_some(due)
    }
}
