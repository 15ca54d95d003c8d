//! A call that an adapter carries out: what all adapters do alike, on any transport and runtime.

use core::time::Duration;
use std::time::Instant as SystemInstant;

use mrtr_core::{
    Instant, Phase,
    client::{Actions, Event, Invocation, LegId, LegRequest, Outcome},
};

use crate::surface::GaveUp;

/// What an adapter waits for: the next event of a call, or why nobody can answer.
pub type Next = Result<Event, GaveUp>;

/// How a call ended.
pub enum Ended {
    /// The call had an outcome.
    Settled(Outcome),
    /// Nobody could answer, and the call was stopped.
    GaveUp(GaveUp),
}

/// A watcher of the legs of a call.
pub trait Observer {
    /// Hears of a leg that is sent.
    fn sends(&self, request: &LegRequest, phase: Phase);
    /// Hears of a leg that was answered, and of the phase that the call is in now.
    fn returned(&self, leg: &LegId, phase: Phase);
}

/// An observer that does nothing.
pub struct Silent;

impl Observer for Silent {
    fn sends(&self, _: &LegRequest, _: Phase) {}
    fn returned(&self, _: &LegId, _: Phase) {}
}

/// An observer that writes a line for each leg, without its content.
pub struct Log(pub fn(&str));

impl Observer for Log {
    fn sends(&self, request: &LegRequest, phase: Phase) {
        let state = match request.state_bytes {
            None => "no requestState".into(),
            Some(bytes) => format!("requestState of {bytes} bytes"),
        };
        self.0(&format!("→ {} {} ({phase:?}, {state})", request.leg, request.method.as_str()));
    }

    fn returned(&self, leg: &LegId, phase: Phase) {
        self.0(&format!("← {leg} ({phase:?})"));
    }
}

/// The clock of the machines. It begins when it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch(SystemInstant);

impl Epoch {
    pub(crate) fn new() -> Self {
        Self(SystemInstant::now())
    }

    pub(crate) fn now(self) -> Instant {
        Instant::from_epoch(self.0.elapsed())
    }
}

/// A machine with its clock and its observer.
pub(crate) struct Call<'a> {
    machine: Invocation,
    epoch: Epoch,
    observer: &'a dyn Observer,
    gave_up: Option<GaveUp>,
}

impl<'a> Call<'a> {
    pub(crate) const fn new(machine: Invocation, epoch: Epoch, observer: &'a dyn Observer) -> Self {
        Self { machine, epoch, observer, gave_up: None }
    }

    /// Hands the machine what came next, and returns its actions.
    pub(crate) fn handle(&mut self, next: Next) -> Actions {
        let event = next.unwrap_or_else(|why| self.give_up(why));
        let leg = if let Event::Reply { leg, .. } = &event { Some(leg.clone()) } else { None };
        let actions = match self.machine.handle(self.epoch.now(), event) {
            Ok(actions) => actions,
            Err(misuse) => {
                // The surface gave an answer that the question does not accept.
                let stop = self.give_up(GaveUp(misuse.to_string()));
                self.machine.handle(self.epoch.now(), stop).unwrap_or_default()
            }
        };
        if let Some(leg) = leg {
            self.observer.returned(&leg, self.machine.phase());
        }
        actions
    }

    /// Tells the observer of a leg that is sent.
    pub(crate) fn sends(&self, request: &LegRequest) {
        self.observer.sends(request, self.machine.phase());
    }

    /// Returns how long to wait for the next event before a tick is due.
    pub(crate) fn wait(&self) -> Duration {
        let now = self.epoch.now();
        self.machine.deadline().map_or(Duration::MAX, |deadline| deadline.since(now))
    }

    /// Returns how the call ended: by the machine's outcome, unless somebody gave up.
    pub(crate) fn end(self, outcome: Outcome) -> Ended {
        self.gave_up.map_or(Ended::Settled(outcome), Ended::GaveUp)
    }

    fn give_up(&mut self, why: GaveUp) -> Event {
        self.gave_up = Some(why);
        Event::Stop
    }
}
