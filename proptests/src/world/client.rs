//! What the requirements make of the events of one call of the client role.

use std::collections::BTreeSet;

use mrtr_core::{
    Instant, Limits, Phase,
    client::{Action, Binding, Event, LegRequest, Outcome, Reply},
};

use super::clock::{ProvidedPlace, ProvidedStopwatch};
use crate::{
    invariants::{Checked, Invariant},
    watch::{ClientWatch, members},
};

/// A call as the requirements have it, beside the watch of what must never be.
#[derive(Clone, Debug)]
pub(super) struct ProvidedModel {
    watch: ClientWatch,
    rounds_max: u32,
    binding: Binding,
    clock: ProvidedStopwatch,
}

/// What must come of an event.
#[derive(Debug, PartialEq, Eq)]
enum NextOfProvided {
    Nothing,
    Asks(BTreeSet<String>),
    Pauses,
    Sends,
    Settles { code: &'static str, cancels: bool },
}

impl ProvidedModel {
    pub(super) fn new(now: Instant, limits: &Limits, first: &LegRequest) -> Self {
        Self {
            watch: ClientWatch::new(first, limits.rounds_max),
            rounds_max: limits.rounds_max,
            binding: first.binding.clone(),
            clock: ProvidedStopwatch::new(now, limits.clocks),
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.watch.is_settled()
    }

    /// Returns where the call is, by what it was seen to do.
    fn place(&self) -> ProvidedPlace {
        match &self.watch {
            watch if watch.is_settled() => ProvidedPlace::Settled,
            watch if watch.is_in_flight() => ProvidedPlace::InFlight,
            watch if watch.open().next().is_some() => ProvidedPlace::Asking,
            _ => ProvidedPlace::Pausing,
        }
    }

    /// Sees an event, the phases before and after it, and what came of it. `sent` is what is to go
    /// to the server, if the event is an answer that was taken.
    pub(super) fn see(
        &mut self,
        now: Instant,
        event: &Event,
        sent: Option<&str>,
        phases: [Phase; 2],
        actions: &[Action],
    ) -> Checked {
        let expected = self.expect(now, event, sent.is_some());
        let before = self.place();
        let is_its = |leg| before == ProvidedPlace::InFlight && leg == self.watch.last_leg();
        let is_replied = matches!(event, Event::Reply { leg, .. } if is_its(leg));
        if matches!(event, Event::Progress { leg } if is_its(leg)) {
            self.clock.progress(now);
        }
        self.watch.see(event, sent, phases, actions)?;
        let after = self.place();
        if after != before || actions.iter().any(|action| matches!(action, Action::Send(_))) {
            self.clock.turn(now, after);
        }
        let cancels = actions.iter().any(|action| matches!(action, Action::CancelLeg { .. }));
        let found = match actions.last() {
            Some(Action::Settle(outcome)) => {
                NextOfProvided::Settles { code: outcome.code(), cancels }
            }
            Some(Action::Send(_)) => NextOfProvided::Sends,
            Some(Action::Ask { .. }) => NextOfProvided::Asks(self.watch.open().cloned().collect()),
            None if is_replied => NextOfProvided::Pauses,
            _ => NextOfProvided::Nothing,
        };
        let is_over = self.watch.round() > self.rounds_max;
        let rule = if is_over { Invariant::LegsAreBounded } else { Invariant::AsRequired };
        rule.same(&format!("what comes of {event:?}"), &found, &expected)
    }

    /// Returns what the requirements make of an event.
    fn expect(&self, now: Instant, event: &Event, is_taken: bool) -> NextOfProvided {
        let place = self.place();
        let in_flight = place == ProvidedPlace::InFlight;
        let settles = |code| NextOfProvided::Settles { code, cancels: false };
        let gives_up = |code| NextOfProvided::Settles { code, cancels: in_flight };
        let open = self.watch.open().count();
        if self.is_settled() {
            return NextOfProvided::Nothing;
        }
        match event {
            Event::BindingChanged(binding) if *binding == self.binding => NextOfProvided::Nothing,
            Event::Reply { leg, reply } if in_flight && leg == self.watch.last_leg() => {
                self.expect_reply(reply)
            }
            Event::Answer { .. } if is_taken && open == 1 => NextOfProvided::Sends,
            Event::Failed { .. } if open > 0 => settles("unanswerable"),
            Event::BindingChanged(_) | Event::ConnectionLost if in_flight => {
                settles("outcome_unknown")
            }
            Event::BindingChanged(_) | Event::ConnectionLost => settles("lost"),
            Event::Stop => gives_up("stopped"),
            Event::Tick if self.clock.due(place).is_some_and(|due| due <= now) => {
                if place == ProvidedPlace::Pausing {
                    NextOfProvided::Sends
                } else {
                    gives_up("timed_out")
                }
            }
            _ => NextOfProvided::Nothing,
        }
    }

    fn expect_reply(&self, reply: &Reply) -> NextOfProvided {
        let settles = |code| NextOfProvided::Settles { code, cancels: false };
        let result = match reply {
            Reply::Error(_) => return settles("error"),
            Reply::Result(result) => members(result.as_str()),
            _ => return settles("fault"),
        };
        if result.get("resultType").is_none_or(|name| name != r#""input_required""#) {
            return settles("complete");
        }
        if self.watch.round() >= self.rounds_max {
            return settles("fault");
        }
        match result.get("inputRequests") {
            Some(requests) => NextOfProvided::Asks(members(requests).into_keys().collect()),
            None => NextOfProvided::Pauses,
        }
    }

    /// Checks what a call tells of itself between two events.
    pub(super) fn check(&self, phase: Phase, open: usize, deadline: Option<Instant>) -> Checked {
        self.watch.check_told(phase, open, deadline)?;
        let due = self.clock.due(self.place());
        Invariant::ClocksRunWhereTheyBelong.same("the clock of a call", &deadline, &due)
    }
}

/// Names how a call ended, with its cause.
pub(super) fn outcome_said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error(error) => format!("error {}", error.code),
        Outcome::Fault(fault) => {
            let what = format!("{fault:?}");
            let what = what.split(['(', ' ', '{']).next().unwrap_or_default().to_owned();
            format!("fault {what}")
        }
        Outcome::TimedOut(clock) => format!("timed_out {clock:?}"),
        other => other.code().into(),
    }
}
