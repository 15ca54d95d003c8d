//! One call as the requirements have it: where it is, which clock runs, what must come of an event.

use core::time::Duration;
use std::collections::BTreeMap;

use mrtr_core::{
    Clock, Clocks, Instant, Limits, Phase,
    client::{Action, Binding, CloseReason, Event, Fault, LegRequest, Outcome, Reply},
    wire::{Elicitation, InputRequest},
};
use serde_json::Value;

use crate::{
    invariants::{Checked, Invariant},
    watch::{ClientWatch, members},
};

/// Where a call is, by what it was seen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallStage {
    InFlight,
    Asking,
    Pausing,
    Settled,
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AskedKind {
    Form,
    Url,
    Sampling,
    Roots,
}

impl AskedKind {
    const fn of(request: &InputRequest) -> Self {
        match request {
            InputRequest::Elicitation(Elicitation::Form(_)) => Self::Form,
            InputRequest::Elicitation(Elicitation::Url(_)) => Self::Url,
            InputRequest::Sampling(_) => Self::Sampling,
            InputRequest::Roots => Self::Roots,
        }
    }

    fn read(request: &str) -> Self {
        let request: Value = serde_json::from_str(request).unwrap_or_default();
        let text = |at| request.pointer(at).and_then(Value::as_str);
        match (text("/method"), text("/params/mode")) {
            (Some("sampling/createMessage"), _) => Self::Sampling,
            (Some("roots/list"), _) => Self::Roots,
            (_, Some("url")) => Self::Url,
            _ => Self::Form,
        }
    }
}

/// What must come of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NextOfCall {
    /// Nothing: the event is late, or changes nothing.
    Ignored,
    /// Nothing yet: the call goes on to wait.
    Waits,
    Pauses,
    Sends,
    /// Questions of these kinds, in the order of their keys.
    Asks(BTreeMap<String, AskedKind>),
    /// The end, after these actions.
    Ends(Vec<Action>, EndOfCall),
}

/// How a call must end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EndOfCall {
    Complete,
    Error,
    /// With a fault, for one of these reasons.
    Fault(Vec<Blame>),
    With(Outcome),
}

/// What a server did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// It asks for this, which the call did not claim.
    Undeclared(&'static str),
    Rounds,
    /// It breaks the protocol or a limit.
    Broken,
}

impl Blame {
    const fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Undeclared { kind } => Self::Undeclared(kind),
            Fault::RoundLimit { .. } => Self::Rounds,
            _ => Self::Broken,
        }
    }
}

impl NextOfCall {
    /// Returns an end with a fault.
    pub(crate) fn fault(blames: impl Into<Vec<Blame>>) -> Self {
        EndOfCall::Fault(blames.into()).into()
    }

    fn is_met_by(&self, actions: &[Action]) -> bool {
        match (self, actions) {
            (Self::Ignored | Self::Waits | Self::Pauses, []) | (Self::Sends, [Action::Send(_)]) => {
                true
            }
            (Self::Asks(asked), actions) => {
                let asked = asked.iter().map(|(key, kind)| (key.as_str(), *kind));
                actions.iter().map(question_of).eq(asked.map(Some))
            }
            (Self::Ends(closing, end), [found @ .., Action::Settle(outcome)]) => {
                found == closing && end.is_met_by(outcome)
            }
            _ => false,
        }
    }
}

impl From<EndOfCall> for NextOfCall {
    fn from(end: EndOfCall) -> Self {
        Self::Ends(Vec::new(), end)
    }
}

impl EndOfCall {
    fn is_met_by(&self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Self::Complete, Outcome::Complete(_)) | (Self::Error, Outcome::Error(_)) => true,
            (Self::Fault(blames), Outcome::Fault(fault)) => blames.contains(&Blame::of(fault)),
            (Self::With(expected), found) => expected == found,
            _ => false,
        }
    }
}

/// What was seen of an event that a call took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSight<'a> {
    pub(crate) now: Instant,
    pub(crate) event: &'a Event,
    /// What is to go to the server, if the event is an answer.
    pub(crate) sent: Option<&'a str>,
    /// The phases before and after.
    pub(crate) phases: [Phase; 2],
    /// Whether the call reports a change.
    pub(crate) is_moved: bool,
    pub(crate) actions: &'a [Action],
}

/// The model of one call, and beside it the watch of what must never be.
#[derive(Clone, Debug)]
pub(crate) struct CallModel {
    limits: Limits,
    binding: Binding,
    watch: ClientWatch,
    /// When the call came to its place, by the latest time that moved it.
    since: Instant,
    told: Instant,
    /// When the budget of the leg in flight began last.
    leg_since: Instant,
    executed: Duration,
    pause: Duration,
    /// The kinds of the questions of the round.
    kinds: BTreeMap<String, AskedKind>,
}

impl CallModel {
    pub(crate) fn new(now: Instant, limits: Limits, first: &LegRequest) -> Self {
        Self {
            watch: ClientWatch::new(first, limits.rounds_max),
            limits,
            binding: first.binding.clone(),
            since: now,
            told: now,
            leg_since: now,
            executed: Duration::ZERO,
            pause: Duration::ZERO,
            kinds: BTreeMap::new(),
        }
    }

    pub(crate) const fn watch(&self) -> &ClientWatch {
        &self.watch
    }

    /// Returns the kinds of the questions of the round.
    pub(crate) const fn kinds(&self) -> &BTreeMap<String, AskedKind> {
        &self.kinds
    }

    /// Returns whether the call allows no more rounds.
    pub(crate) fn is_last_round(&self) -> bool {
        self.watch.round() >= self.limits.rounds_max
    }

    fn stage(&self) -> CallStage {
        match &self.watch {
            watch if watch.is_settled() => CallStage::Settled,
            watch if watch.is_in_flight() => CallStage::InFlight,
            watch if watch.open().next().is_some() => CallStage::Asking,
            _ => CallStage::Pausing,
        }
    }

    /// Sees an event and what came of it. `leads` is what a reply must lead to, if that is known.
    pub(crate) fn see(&mut self, sight: CallSight<'_>, leads: Option<NextOfCall>) -> Checked {
        let CallSight { now, event, sent, phases, is_moved, actions } = sight;
        let told = if is_moved { self.told.max(now) } else { self.told };
        let before = self.stage();
        let expected = self.expect(sight, told, leads);
        self.watch.see(event, sent, phases, actions)?;
        self.told = told;
        if matches!(event, Event::Progress { .. }) && expected == Some(NextOfCall::Waits) {
            self.progressed();
        }
        if self.stage() != before || actions.iter().any(|action| matches!(action, Action::Send(_)))
        {
            self.turn(before);
        }
        if let [Action::Ask { .. }, ..] = actions {
            let asked = actions.iter().filter_map(question_of);
            self.kinds = asked.map(|(key, kind)| (key.into(), kind)).collect();
        }
        let Some(expected) = expected else { return Ok(()) };
        let is_met = expected.is_met_by(actions) && !(is_moved && expected == NextOfCall::Ignored);
        let is_over = self.watch.round() > self.limits.rounds_max;
        let rule = if is_over { Invariant::LegsAreBounded } else { Invariant::AsRequired };
        rule.holds_or(is_met, || {
            format!("what comes of {event:?}: found {actions:?}, expected {expected:?}")
        })
    }

    /// Returns what must come of an event. `None`: anything may come.
    fn expect(
        &self,
        CallSight { now, event, sent, .. }: CallSight<'_>,
        told: Instant,
        leads: Option<NextOfCall>,
    ) -> Option<NextOfCall> {
        let (watch, stage) = (&self.watch, self.stage());
        let in_flight = stage == CallStage::InFlight;
        let is_its = |leg| in_flight && leg == watch.last_leg();
        Some(match event {
            _ if stage == CallStage::Settled => NextOfCall::Ignored,
            Event::Reply { leg, .. } if is_its(leg) => {
                let spent = self.executed + told.since(self.since);
                match leads? {
                    NextOfCall::Asks(_) | NextOfCall::Pauses
                        if self.limits.clocks.execution.is_some_and(|budget| spent >= budget) =>
                    {
                        EndOfCall::With(Outcome::TimedOut(Clock::Execution)).into()
                    }
                    next => next,
                }
            }
            Event::Progress { leg } if is_its(leg) => NextOfCall::Waits,
            Event::Answer { .. } if sent.is_some() => match watch.open().count() {
                1 => NextOfCall::Sends,
                _ => NextOfCall::Waits,
            },
            Event::Failed { .. } if stage == CallStage::Asking => self.ends(Outcome::Unanswerable),
            Event::BindingChanged(binding) if *binding == self.binding => NextOfCall::Ignored,
            Event::BindingChanged(_) | Event::ConnectionLost if in_flight => {
                self.ends(Outcome::OutcomeUnknown)
            }
            Event::BindingChanged(_) | Event::ConnectionLost => self.ends(Outcome::Lost),
            Event::Stop => self.ends(Outcome::Stopped),
            Event::Tick => match self.due().filter(|(at, _)| *at <= now) {
                Some((_, Some(clock))) => self.ends(Outcome::TimedOut(clock)),
                Some((_, None)) => NextOfCall::Sends,
                None => NextOfCall::Ignored,
            },
            _ => NextOfCall::Ignored,
        })
    }

    /// Returns the end of the call other than by a reply: what was open is taken back, and a leg
    /// that is given up is cancelled.
    fn ends(&self, outcome: Outcome) -> NextOfCall {
        let why = match outcome {
            Outcome::TimedOut(_) => CloseReason::TimedOut,
            Outcome::Stopped => CloseReason::Stopped,
            Outcome::Unanswerable => CloseReason::Unanswerable,
            _ => CloseReason::Lost,
        };
        let gives_up = matches!(outcome, Outcome::TimedOut(_) | Outcome::Stopped);
        let round = self.watch.round();
        let closing = if gives_up && self.watch.is_in_flight() {
            vec![Action::CancelLeg { leg: self.watch.last_leg().clone() }]
        } else {
            let open = self.watch.open().cloned();
            open.map(|key| Action::Retract { round, key, why }).collect()
        };
        NextOfCall::Ends(closing, EndOfCall::With(outcome))
    }

    /// Returns what a reply to the leg in flight must lead to, by its text. A result that asks is
    /// sound, and asks for what was claimed.
    pub(crate) fn read(&self, reply: &Reply) -> NextOfCall {
        let result = match reply {
            Reply::Error(_) => return EndOfCall::Error.into(),
            Reply::Result(result) => members(result.as_str()),
            _ => return NextOfCall::fault([Blame::Broken]),
        };
        if result.get("resultType").is_none_or(|name| name != r#""input_required""#) {
            return EndOfCall::Complete.into();
        }
        if self.is_last_round() {
            return NextOfCall::fault([Blame::Rounds]);
        }
        let Some(requests) = result.get("inputRequests") else { return NextOfCall::Pauses };
        let requests = members(requests).into_iter();
        NextOfCall::Asks(requests.map(|(key, json)| (key, AskedKind::read(&json))).collect())
    }

    /// Gives the leg in flight a fresh budget, if it has a maximum, and up to that.
    const fn progressed(&mut self) {
        if self.limits.clocks.leg_max.is_some() {
            self.leg_since = self.told;
        }
    }

    /// Starts the clocks of the place that the call came to, or of another leg.
    fn turn(&mut self, before: CallStage) {
        if before == CallStage::InFlight {
            self.executed += self.told.since(self.since);
        }
        (self.since, self.leg_since) = (self.told, self.told);
        match self.stage() {
            CallStage::Pausing => {
                let Clocks { pause_min, pause_max, .. } = self.limits.clocks;
                self.pause = (self.pause * 2).clamp(pause_min, pause_max);
            }
            CallStage::Asking => self.pause = Duration::ZERO,
            CallStage::InFlight | CallStage::Settled => {}
        }
    }

    fn leg_clock(&self) -> (Instant, Clock) {
        let Clocks { leg, leg_max, execution, .. } = self.limits.clocks;
        let last = leg_max.map(|leg_max| self.since + leg_max);
        let leg = self.leg_since + leg;
        let leg = (last.map_or(leg, |last| leg.min(last)), Clock::Leg);
        let Some(budget) = execution else { return leg };
        let execution = self.since + budget.saturating_sub(self.executed);
        if execution < leg.0 { (execution, Clock::Execution) } else { leg }
    }

    /// Returns when the call has something to do by itself, and which clock runs out then. A pause
    /// has none.
    pub(crate) fn due(&self) -> Option<(Instant, Option<Clock>)> {
        match self.stage() {
            CallStage::InFlight => {
                let (at, clock) = self.leg_clock();
                Some((at, Some(clock)))
            }
            CallStage::Asking => {
                let at = self.since + self.limits.clocks.interaction;
                Some((at, Some(Clock::Interaction)))
            }
            CallStage::Pausing => Some((self.since + self.pause, None)),
            CallStage::Settled => None,
        }
    }

    /// Checks what a call tells of itself between two events.
    pub(crate) fn check(&self, phase: Phase, open: usize, deadline: Option<Instant>) -> Checked {
        self.watch.check_told(phase, open, deadline)?;
        let due = self.due().map(|(at, _)| at);
        Invariant::ClocksRunWhereTheyBelong.same("the clock of a call", &deadline, &due)?;
        let pauses = self.stage() == CallStage::Pausing;
        Invariant::Contract.same("that a call pauses", &(phase == Phase::Pausing), &pauses)
    }
}

fn question_of(action: &Action) -> Option<(&str, AskedKind)> {
    match action {
        Action::Ask { key, request, .. } => Some((key, AskedKind::of(request))),
        _ => None,
    }
}
