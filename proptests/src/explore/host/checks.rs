//! What holds in every state of a host, and of what changes nothing.

use crate::invariants::{Invariant, Violation, shows_nothing_secret};
use core::{hash::Hash, time::Duration};
use std::sync::OnceLock;

use mrtr_core::{
    Clock, Instant, Phase,
    host::{Action, Broker, ConnectionId, Event, Outcome},
    wire::WireError,
};

use super::{CallPlace, Hosting, Provider, waits};
use crate::{
    explore::{Place, Stage},
    watch::WatchedCall,
};

/// The broker after it has refused a frame of a connection, worked out when it is needed.
#[derive(Debug, Default)]
pub(super) struct Counted(OnceLock<Vec<(ConnectionId, Broker)>>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hash for Counted {
    fn hash<H: core::hash::Hasher>(&self, _: &mut H) {}
}

impl Hosting {
    /// Checks what holds between any two events.
    pub(super) fn check_state(&self) -> Result<(), Violation> {
        for called in &self.calls {
            self.check_place(called)?;
            let phase = self.broker.phase(&called.invocation);
            let is_so = phase == Some(called.place.phase).filter(|_| !self.is_settled(called));
            Invariant::Contract.holds(is_so, "the broker tells the phase of what is live")?;
        }
        shows_nothing_secret(&format!("{:?}", self.broker))?;
        self.check_shown()?;
        let is_live = self.calls.iter().any(|called| !self.is_settled(called));
        let rule = Invariant::ClocksRunWhereTheyBelong;
        match self.deadline() {
            None => rule.holds(!is_live, "a call that is not over has a clock"),
            Some(at) => self.check_tick(at),
        }
    }

    /// A frame that is refused changes nothing but how many were. The count is left out, or there
    /// would be no end to the states.
    pub(super) fn check_refused(&self, after: &Broker, at: &Event) -> Result<(), Violation> {
        let (Event::Frame { connection, .. } | Event::Unreadable { connection, .. }) = at else {
            return Invariant::Contract.holds(false, "frames are refused, and nothing else");
        };
        let counted = self.counted.0.get_or_init(|| {
            let count = |provider: &Provider| {
                let (connection, error) = (provider.connection, WireError::NotJson.into());
                let mut broker = self.broker.clone();
                let event = Event::Unreadable { connection, error };
                let _ = broker.handle(self.now, event).unwrap();
                (connection, broker)
            };
            self.providers.iter().map(count).collect()
        });
        let counted = counted.iter().find(|(of, _)| of == connection);
        let is_counted = counted.map_or(&self.broker, |(_, broker)| broker) == after;
        Invariant::Contract.holds(is_counted, "what is refused changes nothing")
    }

    /// What concerns one call leaves the others alone.
    pub(super) fn check_others(&self, next: &Self, of: Option<usize>) -> Result<(), Violation> {
        let Some(number) = of else { return Ok(()) };
        let pairs = self.calls.iter().zip(&next.calls).enumerate();
        let mut others = pairs.filter(|(index, _)| index + 1 != number).map(|(_, pair)| pair);
        let watched = |of: &Self, call: &CallPlace| of.watch.call(&call.invocation).cloned();
        let is_so = others.all(|(a, b)| a == b && watched(self, a) == watched(next, b));
        Invariant::AnswersReachWhoAsked.holds(is_so, "another call is as it was")
    }

    fn is_settled(&self, called: &CallPlace) -> bool {
        self.watch.call(&called.invocation).is_none_or(WatchedCall::is_settled)
    }

    /// Checks that the place that the broker tells is what the call waits for.
    fn check_place(&self, called: &CallPlace) -> Result<(), Violation> {
        let Place { phase, stage } = called.place;
        let watched = self.watch.call(&called.invocation).unwrap();
        let is_asked = phase == Phase::AwaitingInteraction;
        let is_so = (phase == Phase::Settled) == watched.is_settled()
            && is_asked == watched.pending().is_some()
            && (!is_asked || stage == waits(watched));
        Invariant::Contract.holds(is_so, "the phase says what is waited for")
    }

    fn check_shown(&self) -> Result<(), Violation> {
        let rule = Invariant::NoQuestionWithoutInvocation;
        let live: Vec<_> = self.calls.iter().filter(|called| !self.is_settled(called)).collect();
        let is_so = self.broker.invocations().eq(live.iter().map(|called| &called.invocation));
        rule.holds(is_so, "what is live is what was called and is not settled")?;
        let sessions = if self.setup().is_apart { self.setup().calls } else { 1 };
        for number in 1..=sessions {
            let session = self.setup().session(number);
            let snapshot = self.broker.snapshot(&session);
            self.watch.check_snapshot(&snapshot)?;
            let screens = self.screens.iter().filter(|_| number == 1);
            screens.into_iter().try_for_each(|screen| screen.check(&snapshot))?;
        }
        Ok(())
    }

    /// Checks what a tick does: nothing before the deadline, and at it what the place is there for.
    fn check_tick(&self, at: Instant) -> Result<(), Violation> {
        let rule = Invariant::ClocksRunWhereTheyBelong;
        let mut broker = self.broker.clone();
        if let Some(early) = at.since_epoch().checked_sub(Duration::from_millis(1)) {
            let actions = broker.handle(Instant::from_epoch(early), Event::Tick).unwrap();
            let is_idle = actions.as_slice().is_empty() && broker == self.broker;
            Invariant::Contract.holds(is_idle, "a tick that is not due does nothing")?;
        }
        let actions = broker.handle(at, Event::Tick).unwrap();
        let mut is_settled = false;
        for action in actions.as_slice() {
            let Action::Settle { invocation, outcome } = action else { continue };
            is_settled = true;
            let waits = self.watch.call(invocation).map(waits);
            let is_so = match outcome {
                Outcome::TimedOut(Clock::Leg | Clock::Execution) => waits == Some(Stage::None),
                Outcome::TimedOut(Clock::Interaction) => waits == Some(Stage::Shown),
                Outcome::StoreFailed => {
                    matches!(waits, Some(Stage::QuestionAtStore | Stage::AnswerAtStore))
                }
                _ => false,
            };
            rule.holds(is_so, "what runs out is what is waited for")?;
        }
        rule.holds(is_settled, "what is due comes with the tick")
    }
}
