//! The clocks of one operation.

use core::time::Duration;

use thiserror::Error;

use crate::{Clocks, Instant, Phase};

/// The time limit that ran out. [`Clocks`] sets the limits.
///
/// The host's limit for its store is not here: if that one runs out, the outcome is
/// [`host::Outcome::StoreFailed`](crate::host::Outcome::StoreFailed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum Clock {
    /// The time limit of one leg.
    #[error("the leg took too long")]
    Leg,
    /// The time limit of all legs together.
    #[error("all legs together took too long")]
    Execution,
    /// The time limit for the answers of a round.
    #[error("nobody answered in time")]
    Interaction,
}

/// What runs out: a clock, or the pause before a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Clock(Clock),
    Pause,
}

/// The time that an operation has spent in its phase. The phase alone decides which clock runs, so
/// no clock can run in a phase that it does not belong to. The caller passes the limits of the
/// clocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Timer {
    /// The latest time that the caller passed.
    now: Instant,
    /// When the phase began.
    since: Instant,
    /// The time that all ended legs have taken.
    executed: Duration,
    /// When the limit of the leg began: with the leg, or with the server's last report of progress.
    leg_since: Instant,
    /// The pause of the current state-only round, or of the last one.
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

    /// Begins the same phase again, to wait for something else.
    pub(crate) const fn restart(&mut self) {
        self.since = self.now;
    }

    /// Returns when the phase began.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Restarts the limit of the leg in flight if `leg_max` is set.
    pub(crate) fn extend(&mut self, clocks: &Clocks) {
        if clocks.leg_max.is_some() {
            self.leg_since = self.now;
        }
    }

    /// Returns whether all legs together have reached their limit, if a leg that is in flight ends
    /// now.
    pub(crate) fn is_spent(&self, now: Instant, clocks: &Clocks) -> bool {
        let executed = self.executed.saturating_add(now.max(self.now).since(self.since));
        clocks.execution.is_some_and(|budget| executed >= budget)
    }

    /// Returns when something runs out, and what it is.
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
