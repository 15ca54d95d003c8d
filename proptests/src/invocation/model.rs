//! One call as the requirements have it: where it is, which clock runs, what must come of an event.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Clock, Clocks, Instant, Limits,
    client::{Action, LegRequest, Outcome},
};

use super::{
    claims::ClaimSet,
    expected::{Blame, NextOfCall, close_reason},
    script::{AskedKind, ScriptQuestion},
};
use crate::{
    invariants::{Checked, Invariant, Violation},
    watch::{ClientWatch, members},
};

/// Where the call is, by what it was seen to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CallStage {
    InFlight,
    Asking,
    Pausing,
    Settled,
}

/// The model of one call, beside the watch of what must never be.
#[derive(Clone, Debug)]
pub(super) struct CallModel {
    claims: &'static ClaimSet,
    limits: Limits,
    pub(super) watch: ClientWatch,
    /// When the call came to its place, by the latest time that moved it.
    since: Instant,
    told: Instant,
    /// When the budget of the leg in flight began last.
    leg_since: Instant,
    executed: Duration,
    pause: Duration,
    /// The kinds of the questions of the round.
    kinds: BTreeMap<String, AskedKind>,
    pub(super) outcome: Option<Outcome>,
    /// What happened that not every life gets to.
    pub(super) seen: BTreeSet<&'static str>,
}

impl CallModel {
    pub(super) fn new(
        now: Instant,
        claims: &'static ClaimSet,
        limits: Limits,
        first: &LegRequest,
    ) -> Self {
        claims.assert_first(&members(first.params.as_str()));
        Self {
            claims,
            watch: ClientWatch::new(first, limits.rounds_max),
            limits,
            since: now,
            told: now,
            leg_since: now,
            executed: Duration::ZERO,
            pause: Duration::ZERO,
            kinds: BTreeMap::new(),
            outcome: None,
            seen: BTreeSet::new(),
        }
    }

    pub(super) const fn claims(&self) -> &'static ClaimSet {
        self.claims
    }

    pub(super) fn place(&self) -> CallStage {
        match &self.watch {
            watch if watch.is_settled() => CallStage::Settled,
            watch if watch.is_in_flight() => CallStage::InFlight,
            watch if watch.open().next().is_some() => CallStage::Asking,
            _ => CallStage::Pausing,
        }
    }

    pub(super) fn open_keys(&self) -> Vec<String> {
        self.watch.open().cloned().collect()
    }

    pub(super) fn open_kinds(&self) -> Vec<(String, AskedKind)> {
        let open = self.watch.open();
        open.filter_map(|key| Some((key.clone(), *self.kinds.get(key)?))).collect()
    }

    /// Returns what an `input_required` result with these questions must lead to. A question that
    /// was not claimed or is malformed fails the call.
    pub(super) fn next(&self, questions: &[&ScriptQuestion], is_spoiled: bool) -> NextOfCall {
        if !self.claims.allows_retries {
            return NextOfCall::Fault([Blame::Undeclared("input_required")].into());
        }
        let needs = questions.iter().flat_map(|question| question.needs);
        let missing = needs.filter(|name| !self.claims.allows(name));
        let mut blames: Vec<_> = missing.map(|name| Blame::Undeclared(name)).collect();
        blames.extend((self.watch.round() >= self.limits.rounds_max).then_some(Blame::Rounds));
        blames.extend(is_spoiled.then_some(Blame::Broken));
        if !blames.is_empty() {
            NextOfCall::Fault(blames)
        } else if questions.is_empty() {
            NextOfCall::Paused
        } else {
            NextOfCall::Asked(
                questions.iter().map(|known| (known.key.into(), known.kind)).collect(),
            )
        }
    }

    /// Takes note that time moved the call, before what came of it is seen.
    pub(super) fn tell(&mut self, now: Instant) {
        self.told = self.told.max(now);
    }

    /// Takes note that the call came to another place, or sent another leg.
    pub(super) fn turn(&mut self, before: CallStage) {
        if before == CallStage::InFlight {
            self.executed += self.told.since(self.since);
        }
        (self.since, self.leg_since) = (self.told, self.told);
        match self.place() {
            CallStage::Pausing => {
                let Clocks { pause_min, pause_max, .. } = self.limits.clocks;
                self.pause = (self.pause * 2).clamp(pause_min, pause_max);
            }
            CallStage::Asking => self.pause = Duration::ZERO,
            CallStage::InFlight | CallStage::Settled => {}
        }
    }

    /// Checks what came of a reply to the leg in flight. Without `next`, all that may come is right.
    pub(super) fn replied(&mut self, next: Option<NextOfCall>, actions: &[Action]) -> Checked {
        let found = match actions {
            [] => NextOfCall::Paused,
            [Action::Ask { .. }, ..] => {
                let keys = actions.iter().map(key_of);
                let in_order = keys.clone().is_sorted() && keys.clone().all(|key| key.is_some());
                Invariant::AsRequired
                    .holds(in_order, "questions come in the order of their keys")?;
                self.kinds = actions.iter().filter_map(kind_of).collect();
                let kinds: BTreeSet<_> = self.kinds.values().collect();
                if kinds.len() == 4 {
                    self.seen.insert("all kinds are asked");
                }
                NextOfCall::Asked(self.kinds.clone())
            }
            [Action::Settle(outcome)] => {
                self.outcome = Some(outcome.clone());
                match outcome {
                    Outcome::Complete(_) => NextOfCall::Complete,
                    Outcome::Error(_) => NextOfCall::Error,
                    Outcome::Fault(fault) => NextOfCall::Fault([Blame::of(fault)].into()),
                    Outcome::TimedOut(Clock::Execution) if self.is_spent() => NextOfCall::Spent,
                    other => return Err(unexpected("a reply", other)),
                }
            }
            other => return Err(unexpected("a reply", &other)),
        };
        match (next, found) {
            (None, _) => Ok(()),
            (Some(NextOfCall::Asked(_) | NextOfCall::Paused), found) if self.is_spent() => {
                Invariant::AsRequired.same("what a reply leads to", &found, &NextOfCall::Spent)
            }
            (Some(NextOfCall::Fault(blames)), NextOfCall::Fault(found)) => {
                let is_so = found.iter().all(|blame| blames.contains(blame));
                Invariant::AsRequired.holds_or(is_so, || format!("{found:?}: {blames:?}"))
            }
            (Some(next), found) => {
                Invariant::AsRequired.same("what a reply leads to", &found, &next)
            }
        }
    }

    /// Returns whether the legs that are over have spent the budget of all.
    fn is_spent(&self) -> bool {
        self.limits.clocks.execution.is_some_and(|budget| self.executed >= budget)
    }

    /// Checks what came of an answer that was taken.
    pub(super) fn answered(&mut self, key: &str, actions: &[Action]) -> Checked {
        self.seen.extend(self.kinds.get(key).map(|kind| match kind {
            AskedKind::Form => "a form is answered",
            AskedKind::Url => "a URL is answered",
            AskedKind::Sampling => "a model answers",
            AskedKind::Roots => "roots are listed",
        }));
        if self.place() == CallStage::Asking {
            Invariant::AsRequired.same("an answer that is not the last", &actions, &&[][..])
        } else {
            Self::sent(actions)
        }
    }

    /// Takes note that the server says that it works on the leg in flight: a fresh budget, if the
    /// leg has a maximum, and up to that.
    pub(super) fn progressed(&mut self) {
        let before = self.leg_clock();
        if self.limits.clocks.leg_max.is_some() {
            self.leg_since = self.told;
        }
        let is_longer = before.1 == Clock::Leg && self.leg_clock().0 > before.0;
        self.seen.extend(is_longer.then_some("a leg has more time"));
    }

    /// Checks what came of a tick: `due` is the clock that ran out, `before` where the call was.
    pub(super) fn ticked(
        &mut self,
        due: Option<Clock>,
        before: CallStage,
        open: &[String],
        actions: &[Action],
    ) -> Checked {
        match (before, due) {
            (CallStage::Pausing, Some(_)) => Self::sent(actions),
            (_, Some(clock)) => {
                let outcome = self.ended(before, open, actions)?;
                Invariant::AsRequired.same("a clock", &outcome, &Outcome::TimedOut(clock))
            }
            (_, None) => Invariant::AsRequired.same("an early tick", &actions, &&[][..]),
        }
    }

    fn sent(actions: &[Action]) -> Checked {
        let is_so = matches!(actions, [Action::Send(_)]);
        Invariant::AsRequired.holds_or(is_so, || format!("a retry is due, found {actions:?}"))
    }

    /// Checks that the call ended other than by a reply, in a place with open questions.
    pub(super) fn ended(
        &mut self,
        before: CallStage,
        open: &[String],
        actions: &[Action],
    ) -> Result<Outcome, Violation> {
        let [closing @ .., Action::Settle(outcome)] = actions else {
            return Err(unexpected("an end", &actions));
        };
        let gives_up = matches!(outcome, Outcome::TimedOut(_) | Outcome::Stopped);
        let in_flight = before == CallStage::InFlight;
        let cancels = matches!(closing, [Action::CancelLeg { .. }]);
        let rule = Invariant::AsRequired;
        rule.same("that a leg is cancelled", &cancels, &(in_flight && gives_up))?;
        if !cancels {
            let found: Option<Vec<_>> = closing.iter().map(retracted).collect();
            let why = close_reason(outcome);
            let expected: Option<Vec<_>> =
                open.iter().map(|key| Some((self.watch.round(), key.clone(), why?))).collect();
            rule.same("what is taken back", &found, &expected)?;
        }
        let is_so = match outcome {
            Outcome::Lost => !in_flight,
            Outcome::OutcomeUnknown => in_flight,
            Outcome::TimedOut(_) | Outcome::Stopped => true,
            Outcome::Unanswerable => before == CallStage::Asking,
            _ => false,
        };
        rule.holds_or(is_so, || format!("{outcome:?} ends a call that is {before:?}"))?;
        self.outcome = Some(outcome.clone());
        Ok(outcome.clone())
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

    /// Returns when the call has something to do by itself, and which clock runs out then.
    pub(super) fn due(&self) -> Option<(Instant, Clock)> {
        match self.place() {
            CallStage::InFlight => Some(self.leg_clock()),
            CallStage::Asking => {
                Some((self.since + self.limits.clocks.interaction, Clock::Interaction))
            }
            CallStage::Pausing => Some((self.since + self.pause, Clock::Leg)),
            CallStage::Settled => None,
        }
    }

    /// Checks the deadline that a call tells.
    pub(super) fn check_deadline(&self, deadline: Option<Instant>) -> Checked {
        let due = self.due().map(|(at, _)| at);
        Invariant::ClocksRunWhereTheyBelong.same("the clock of a call", &deadline, &due)
    }
}

fn unexpected(of: &str, found: &impl core::fmt::Debug) -> Violation {
    Invariant::AsRequired.broken(format!("{of} led to {found:?}"))
}

fn key_of(action: &Action) -> Option<String> {
    match action {
        Action::Ask { key, .. } => Some(key.clone()),
        _ => None,
    }
}

fn kind_of(action: &Action) -> Option<(String, AskedKind)> {
    match action {
        Action::Ask { key, request, .. } => Some((key.clone(), AskedKind::of(request))),
        _ => None,
    }
}

fn retracted(action: &Action) -> Option<(u32, String, mrtr_core::client::CloseReason)> {
    match action {
        Action::Retract { round, key, why } => Some((*round, key.clone(), *why)),
        _ => None,
    }
}
