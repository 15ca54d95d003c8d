//! What a call has used up, as the requirements count it.

use core::time::Duration;

use mrtr_core::{Clocks, Instant};

/// Where a call is, by what it was seen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    InFlight,
    Asking,
    Pausing,
    Settled,
}

/// Measures one call.
#[derive(Clone, Debug)]
pub(super) struct Stopwatch {
    clocks: Clocks,
    since: Instant,
    leg_since: Instant,
    pause: Duration,
}

impl Stopwatch {
    pub(super) const fn new(now: Instant, clocks: Clocks) -> Self {
        Self { clocks, since: now, leg_since: now, pause: Duration::ZERO }
    }

    /// The call comes to another place, or sends another leg.
    pub(super) fn turn(&mut self, now: Instant, to: Place) {
        (self.since, self.leg_since) = (now, now);
        match to {
            Place::Asking => self.pause = Duration::ZERO,
            Place::Pausing => {
                let next = (self.pause * 2).max(self.clocks.pause_min);
                self.pause = next.min(self.clocks.pause_max);
            }
            Place::InFlight | Place::Settled => {}
        }
    }

    /// The server says that it works on the leg.
    pub(super) const fn progress(&mut self, now: Instant) {
        if self.clocks.leg_max.is_some() {
            self.leg_since = now;
        }
    }

    /// Returns when something runs out.
    pub(super) fn due(&self, place: Place) -> Option<Instant> {
        match place {
            Place::Settled => None,
            Place::Asking => Some(self.since + self.clocks.interaction),
            Place::Pausing => Some(self.since + self.pause),
            Place::InFlight => {
                let leg = self.leg_since + self.clocks.leg;
                let last = self.clocks.leg_max.map(|leg_max| self.since + leg_max);
                Some(last.map_or(leg, |last| last.min(leg)))
            }
        }
    }
}
