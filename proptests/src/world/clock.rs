//! What a call has used up, as the requirements count it.

use core::time::Duration;

use mrtr_core::{Clocks, Instant};

/// Where a call is, by what it was seen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProvidedPlace {
    InFlight,
    Asking,
    Pausing,
    Settled,
}

/// Measures one call.
#[derive(Clone, Debug)]
pub(super) struct ProvidedStopwatch {
    clocks: Clocks,
    since: Instant,
    leg_since: Instant,
    pause: Duration,
}

impl ProvidedStopwatch {
    pub(super) const fn new(now: Instant, clocks: Clocks) -> Self {
        Self { clocks, since: now, leg_since: now, pause: Duration::ZERO }
    }

    /// The call comes to another place, or sends another leg.
    pub(super) fn turn(&mut self, now: Instant, to: ProvidedPlace) {
        (self.since, self.leg_since) = (now, now);
        match to {
            ProvidedPlace::Asking => self.pause = Duration::ZERO,
            ProvidedPlace::Pausing => {
                let next = (self.pause * 2).max(self.clocks.pause_min);
                self.pause = next.min(self.clocks.pause_max);
            }
            ProvidedPlace::InFlight | ProvidedPlace::Settled => {}
        }
    }

    /// The server says that it works on the leg.
    pub(super) const fn progress(&mut self, now: Instant) {
        if self.clocks.leg_max.is_some() {
            self.leg_since = now;
        }
    }

    /// Returns when something runs out.
    pub(super) fn due(&self, place: ProvidedPlace) -> Option<Instant> {
        match place {
            ProvidedPlace::Settled => None,
            ProvidedPlace::Asking => Some(self.since + self.clocks.interaction),
            ProvidedPlace::Pausing => Some(self.since + self.pause),
            ProvidedPlace::InFlight => {
                let leg = self.leg_since + self.clocks.leg;
                let last = self.clocks.leg_max.map(|leg_max| self.since + leg_max);
                Some(last.map_or(leg, |last| last.min(leg)))
            }
        }
    }
}
