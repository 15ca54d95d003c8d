//! Watches one call of the client role, and knows nothing but what everybody could see.

use crate::invariants::{Checked, Invariant};
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Instant, Limits, Phase,
    client::{Action, Binding, Event, LegId, LegRequest, Outcome, Reply},
};

use super::{
    clock::{Place, Stopwatch},
    ledger::same,
};
use crate::invocation::members;

/// Remembers what was seen of a call.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    rounds_max: u32,
    binding: Binding,
    place: Place,
    clock: Stopwatch,
    /// The params of the first leg.
    first: BTreeMap<String, String>,
    legs: u32,
    leg: LegId,
    rounds: u32,
    /// The keys of the round, those of them that wait, and what came back for the others.
    asked: BTreeSet<String>,
    open: BTreeSet<String>,
    given: BTreeMap<String, String>,
    /// The text of the round's state.
    state: Option<String>,
    is_stopped: bool,
}

/// What must come of an event.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Nothing,
    Asks(BTreeSet<String>),
    Pauses,
    Sends,
    Settles { code: &'static str, cancels: bool },
}

impl Watch {
    pub(super) fn new(now: Instant, limits: &Limits, first: &LegRequest) -> Self {
        Self {
            rounds_max: limits.rounds_max,
            binding: first.binding.clone(),
            place: Place::InFlight,
            clock: Stopwatch::new(now, limits.clocks),
            first: members(first.params.as_str()),
            legs: 1,
            leg: first.leg.clone(),
            rounds: 0,
            asked: BTreeSet::new(),
            open: BTreeSet::new(),
            given: BTreeMap::new(),
            state: None,
            is_stopped: false,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.place == Place::Settled
    }

    /// Sees an event and what came of it. `answer`: what is to go to the server, if the event is an
    /// answer that was taken.
    pub(super) fn see(
        &mut self,
        now: Instant,
        event: &Event,
        answer: Option<&str>,
        actions: &[Action],
    ) -> Checked {
        let expected = self.expect(now, event, answer.is_some());
        let before = self.place;
        self.before(now, event, answer)?;
        for action in actions {
            self.act(now, action)?;
        }
        let found = self.found(before, event, actions);
        let is_over = self.rounds > self.rounds_max;
        let rule = if is_over { Invariant::LegsAreBounded } else { Invariant::AsRequired };
        rule.same(&format!("what comes of {event:?}"), &found, &expected)
    }

    /// Returns what the requirements make of an event.
    fn expect(&self, now: Instant, event: &Event, is_taken: bool) -> Next {
        let in_flight = self.place == Place::InFlight;
        let settles = |code| Next::Settles { code, cancels: false };
        let gives_up = |code| Next::Settles { code, cancels: in_flight };
        if self.is_settled() {
            return Next::Nothing;
        }
        match event {
            Event::BindingChanged(binding) if *binding == self.binding => Next::Nothing,
            Event::Reply { leg, reply } if in_flight && *leg == self.leg => {
                self.expect_reply(reply)
            }
            Event::Answer { .. } if is_taken && self.open.len() == 1 => Next::Sends,
            Event::Failed { .. } if !self.open.is_empty() => settles("unanswerable"),
            Event::BindingChanged(_) | Event::ConnectionLost if in_flight => {
                settles("outcome_unknown")
            }
            Event::BindingChanged(_) | Event::ConnectionLost => settles("lost"),
            Event::Stop => gives_up("stopped"),
            Event::Tick if self.clock.due(self.place).is_some_and(|due| due <= now) => {
                if self.place == Place::Pausing { Next::Sends } else { gives_up("timed_out") }
            }
            _ => Next::Nothing,
        }
    }

    fn expect_reply(&self, reply: &Reply) -> Next {
        let settles = |code| Next::Settles { code, cancels: false };
        let result = match reply {
            Reply::Error(_) => return settles("error"),
            Reply::Result(result) => members(result.as_str()),
            _ => return settles("fault"),
        };
        if result.get("resultType").is_none_or(|name| name != r#""input_required""#) {
            return settles("complete");
        }
        if self.rounds >= self.rounds_max {
            return settles("fault");
        }
        match result.get("inputRequests") {
            Some(requests) => Next::Asks(members(requests).into_keys().collect()),
            None => Next::Pauses,
        }
    }

    fn before(&mut self, now: Instant, event: &Event, answer: Option<&str>) -> Checked {
        match event {
            Event::Stop => self.is_stopped = true,
            Event::Progress { leg } if *leg == self.leg && self.place == Place::InFlight => {
                self.clock.progress(now);
            }
            Event::Answer { key, .. } => {
                if let Some(json) = answer {
                    let was_open = self.open.remove(key);
                    Invariant::EveryAskHasAnEnd
                        .holds_or(was_open, || "an answer to nothing".into())?;
                    self.given.insert(key.clone(), json.into());
                }
            }
            Event::Reply { leg, reply: Reply::Result(result) }
                if *leg == self.leg && self.place == Place::InFlight =>
            {
                let result = members(result.as_str());
                let requests = result.get("inputRequests").map(|json| members(json));
                self.asked = requests.unwrap_or_default().into_keys().collect();
                self.given.clear();
                self.state = result.get("requestState").cloned();
            }
            _ => {}
        }
        Ok(())
    }

    fn act(&mut self, now: Instant, action: &Action) -> Checked {
        let leg = self.leg.clone();
        Invariant::OneOutcome
            .holds_or(!self.is_settled(), || format!("{leg}: {action:?} after the end"))?;
        match action {
            Action::Send(request) => self.send(now, request),
            Action::CancelLeg { leg } => {
                let is_so = *leg == self.leg && self.place == Place::InFlight;
                Invariant::AsRequired.holds_or(is_so, || format!("{action:?}"))
            }
            Action::Ask { key, .. } => {
                if self.place != Place::Asking {
                    self.rounds += 1;
                    self.turn(now, Place::Asking);
                }
                let is_new = self.open.insert(key.clone());
                Invariant::EveryAskHasAnEnd.holds_or(is_new, || format!("{leg}: {action:?} again"))
            }
            Action::Retract { key, .. } => {
                let was_open = self.open.remove(key);
                Invariant::EveryAskHasAnEnd.holds_or(was_open, || format!("{leg}: {action:?}"))
            }
            Action::Settle(_) => {
                let left = self.open.len();
                Invariant::EveryAskHasAnEnd
                    .holds_or(left == 0, || format!("{leg}: settled, with {left} questions"))?;
                self.turn(now, Place::Settled);
                Ok(())
            }
        }
    }

    fn send(&mut self, now: Instant, request: &LegRequest) -> Checked {
        let leg = &request.leg;
        Invariant::NothingIsSentAfterStop
            .holds_or(!self.is_stopped, || format!("{leg} after the stop"))?;
        self.legs += 1;
        let is_within = self.legs <= 1 + self.rounds_max;
        Invariant::LegsAreBounded.holds_or(is_within, || format!("{leg} is one too many"))?;
        let is_alone = self.place != Place::InFlight && self.open.is_empty();
        Invariant::OneThingAtATime.holds_or(is_alone, || format!("{leg} beside {}", self.leg))?;
        let is_fresh = leg.number() == self.legs && leg.invocation() == self.leg.invocation();
        Invariant::AsRequired.holds_or(is_fresh, || format!("{leg} after {}", self.leg))?;
        self.check_retry(request)?;
        self.leg = request.leg.clone();
        self.turn(now, Place::InFlight);
        Ok(())
    }

    /// Checks that a retry is the first request, with what came of the round beside it.
    fn check_retry(&self, request: &LegRequest) -> Checked {
        let (rule, leg) = (Invariant::ARetryIsOfItsRound, &request.leg);
        let mut params = members(request.params.as_str());
        let answers = params.remove("inputResponses").map(|json| members(&json));
        let answers = answers.unwrap_or_default();
        let keys = answers.keys().cloned().collect::<BTreeSet<_>>();
        rule.holds_or(keys == self.asked, || format!("{leg} has other keys"))?;
        for (key, json) in &answers {
            let is_given = self.given.get(key).is_some_and(|given| same(given, json));
            rule.holds_or(is_given, || format!("{leg} has an answer that nobody gave"))?;
        }
        let is_its_state = params.remove("requestState") == self.state;
        rule.holds_or(is_its_state, || format!("{leg} has another state"))?;
        rule.holds_or(params == self.first, || format!("{leg} has other params"))
    }

    fn turn(&mut self, now: Instant, to: Place) {
        self.place = to;
        self.clock.turn(now, to);
    }

    /// Returns what came, in the words of what was expected.
    fn found(&self, before: Place, event: &Event, actions: &[Action]) -> Next {
        let cancels = actions.iter().any(|action| matches!(action, Action::CancelLeg { .. }));
        match actions.last() {
            Some(Action::Settle(outcome)) => Next::Settles { code: outcome.code(), cancels },
            Some(Action::Send(_)) => Next::Sends,
            Some(Action::Ask { .. }) => Next::Asks(self.open.clone()),
            None if before == Place::InFlight
                && matches!(event, Event::Reply { leg, .. } if *leg == self.leg) =>
            {
                Next::Pauses
            }
            _ => Next::Nothing,
        }
    }

    /// Takes note that the call pauses: that is to be seen by nothing but its phase.
    pub(super) fn pauses(&mut self, now: Instant, phase: Phase) {
        if phase == Phase::Pausing && self.place == Place::InFlight {
            self.rounds += 1;
            self.turn(now, Place::Pausing);
        }
    }

    /// Checks what a call tells of itself between two events.
    pub(super) fn check(&self, phase: Phase, open: usize, deadline: Option<Instant>) -> Checked {
        let leg = &self.leg;
        let place = match phase {
            Phase::Running | Phase::Resumed => Place::InFlight,
            Phase::AwaitingInteraction => Place::Asking,
            Phase::Pausing => Place::Pausing,
            Phase::Settled => Place::Settled,
        };
        Invariant::AsRequired.same(&format!("the place of {leg}"), &place, &self.place)?;
        let due = self.clock.due(self.place);
        Invariant::ClocksRunWhereTheyBelong.same(
            &format!("the clock of {leg}"),
            &deadline,
            &due,
        )?;
        let has_open = self.place == Place::Asking;
        let is_sound = open == self.open.len() && (open > 0) == has_open;
        Invariant::NoQuestionWithoutInvocation
            .holds_or(is_sound, || format!("{leg}: {open} open in {phase:?}"))
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
