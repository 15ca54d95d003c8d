//! A call that an adapter carries out: what all of them do alike, whatever carries the messages
//! and whatever waits.

use core::time::Duration;
use std::time::Instant as SystemInstant;

use mrtr_core::{Actions, Event, Instant, Invocation, LegId, LegRequest, Outcome, Phase};

use crate::surface::GaveUp;

/// Is what an adapter waits for: something that happened, or that there is no answer.
pub type Next = Result<Event, GaveUp>;

/// Says how a call ended.
pub enum Ended {
    /// By an outcome of the call.
    Settled(Outcome),
    /// Because nobody could answer; the call was stopped.
    GaveUp(GaveUp),
}

/// Hears what a call does.
pub trait Observer {
    /// A request goes out.
    fn sends(&self, request: &LegRequest, phase: Phase);
    /// A request came back, and the call is in this phase now.
    fn returned(&self, leg: &LegId, phase: Phase);
}

/// Writes a line for each request, and nothing of what is in it.
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

/// Is the clock of the machines. It begins when it is made.
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

/// Is a machine, its clock, and who watches it.
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

    /// Takes what came next, and returns what to do about it.
    pub(crate) fn handle(&mut self, next: Next) -> Actions {
        let event = next.unwrap_or_else(|why| self.give_up(why));
        let leg = if let Event::Reply { leg, .. } = &event { Some(leg.clone()) } else { None };
        let actions = match self.machine.handle(self.epoch.now(), event) {
            Ok(actions) => actions,
            Err(misuse) => {
                // The surface answered what the interaction does not take.
                let stop = self.give_up(GaveUp(misuse.to_string()));
                self.machine.handle(self.epoch.now(), stop).unwrap_or_default()
            }
        };
        if let Some(leg) = leg {
            self.observer.returned(&leg, self.machine.phase());
        }
        actions
    }

    /// Tells the observer of a request that goes out.
    pub(crate) fn sends(&self, request: &LegRequest) {
        self.observer.sends(request, self.machine.phase());
    }

    /// Returns how long to wait for what comes next, before it is a tick.
    pub(crate) fn wait(&self) -> Duration {
        let now = self.epoch.now();
        self.machine.deadline().map_or(Duration::MAX, |deadline| deadline.since(now))
    }

    /// Says how the call ended, of which the machine says this.
    pub(crate) fn end(self, outcome: Outcome) -> Ended {
        self.gave_up.map_or(Ended::Settled(outcome), Ended::GaveUp)
    }

    fn give_up(&mut self, why: GaveUp) -> Event {
        self.gave_up = Some(why);
        Event::Stop
    }
}
