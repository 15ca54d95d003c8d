//! What has come out of a call, and what must hold of it.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Clock, Clocks, Instant, Limits, Phase,
    client::{Action, Invocation, LegRequest, Outcome},
};

use super::{
    claims::ClaimSet,
    expected::{Blame, Next, close_reason},
    script::{Kind, Question, members},
};

/// A question of the round that is on.
#[derive(Clone, Debug)]
struct Asked {
    kind: Kind,
    /// What goes to the server for the answer that was taken.
    answer: Option<String>,
}

/// Where the call is, by what it was seen to do.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    InFlight,
    Asking,
    Pausing,
    Settled,
}

/// Remembers what was seen, and checks each new thing against it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    claims: &'static ClaimSet,
    limits: Limits,
    place: Place,
    /// When the call came to its place, by the latest time that moved it.
    since: Instant,
    told: Instant,
    /// When the budget of the leg in flight began last.
    leg_since: Instant,
    executed: Duration,
    pause: Duration,
    /// The ids of all legs.
    legs: BTreeSet<String>,
    /// The params of the first leg.
    params: BTreeMap<String, String>,
    pub(super) round: u32,
    /// The state of the round that is on.
    state: Option<String>,
    asked: BTreeMap<String, Asked>,
    pub(super) stopped: bool,
    pub(super) outcome: Option<Outcome>,
    /// What happened that not every life gets to.
    pub(super) seen: BTreeSet<&'static str>,
}

impl Record {
    pub(super) fn new(
        now: Instant,
        claims: &'static ClaimSet,
        limits: Limits,
        first: &LegRequest,
    ) -> Self {
        let params = members(first.params.as_str());
        claims.assert_first(&params);
        Self {
            claims,
            limits,
            place: Place::InFlight,
            since: now,
            told: now,
            leg_since: now,
            executed: Duration::ZERO,
            pause: Duration::ZERO,
            legs: [first.leg.to_string()].into(),
            params,
            round: 0,
            state: None,
            asked: BTreeMap::new(),
            stopped: false,
            outcome: None,
            seen: BTreeSet::new(),
        }
    }

    pub(super) const fn claims(&self) -> &'static ClaimSet {
        self.claims
    }

    pub(super) fn is_in_flight(&self) -> bool {
        self.place == Place::InFlight
    }

    pub(super) fn legs_sent(&self) -> usize {
        self.legs.len()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.place == Place::Settled
    }

    pub(super) fn is_open(&self, key: &str) -> bool {
        self.asked.get(key).is_some_and(|asked| asked.answer.is_none())
    }

    pub(super) fn open_keys(&self) -> Vec<String> {
        self.open_kinds().map(|(key, _)| key.clone()).collect()
    }

    pub(super) fn open_kinds(&self) -> impl Iterator<Item = (&String, Kind)> {
        let open = self.asked.iter().filter(|(_, asked)| asked.answer.is_none());
        open.map(|(key, asked)| (key, asked.kind))
    }

    /// Returns what an `input_required` result with these questions must lead to. One that was not
    /// claimed, or that is none, fails them all.
    pub(super) fn next(&self, questions: &[&Question], is_spoiled: bool) -> Next {
        if !self.claims.allows_retries {
            return Next::Fault([Blame::Undeclared("input_required")].into());
        }
        let needs = questions.iter().flat_map(|question| question.needs);
        let missing = needs.filter(|name| !self.claims.allows(name));
        let mut blames: Vec<_> = missing.map(|name| Blame::Undeclared(name)).collect();
        blames.extend((self.round >= self.limits.rounds_max).then_some(Blame::Rounds));
        blames.extend(is_spoiled.then_some(Blame::Broken));
        if !blames.is_empty() {
            Next::Fault(blames)
        } else if questions.is_empty() {
            Next::Paused
        } else {
            Next::Asked(questions.iter().map(|known| (known.key.into(), known.kind)).collect())
        }
    }

    /// Takes note that the leg in flight was answered, and of what came of it. Without `next`, what
    /// came of it is taken as it is.
    pub(super) fn replied(
        &mut self,
        next: Option<Next>,
        state: Option<String>,
        actions: &[Action],
        after: &Invocation,
    ) {
        assert!(self.is_in_flight());
        self.executed += self.told.since(self.since);
        let spent = self.limits.clocks.execution.is_some_and(|budget| self.executed >= budget);
        let next = match next {
            Some(Next::Asked(_) | Next::Paused) if spent => Some(Next::Spent),
            next => next,
        };
        let waits = matches!(after.phase(), Phase::AwaitingInteraction | Phase::Pausing);
        if waits {
            self.round += 1;
            self.state = state;
        }
        let found = match actions {
            [] => {
                let doubled = self.pause * 2;
                let Clocks { pause_min, pause_max, .. } = self.limits.clocks;
                self.pause = doubled.clamp(pause_min, pause_max);
                self.go(Place::Pausing);
                Next::Paused
            }
            [Action::Ask { .. }, ..] => {
                self.pause = Duration::ZERO;
                self.go(Place::Asking);
                let asked: BTreeMap<_, _> = actions.iter().map(|action| self.ask(action)).collect();
                assert_eq!(asked.len(), actions.len(), "a key is asked once a round");
                assert!(
                    actions.is_sorted_by_key(key_of),
                    "questions come in the order of their keys"
                );
                let kinds: BTreeSet<_> = asked.values().collect();
                if kinds.len() == 4 {
                    self.seen.insert("all kinds are asked");
                }
                Next::Asked(asked)
            }
            [Action::Settle(outcome)] => {
                self.settle(outcome);
                match outcome {
                    Outcome::Complete(_) => Next::Complete,
                    Outcome::Error(_) => Next::Error,
                    Outcome::Fault(fault) => Next::Fault([Blame::of(fault)].into()),
                    Outcome::TimedOut(Clock::Execution) if spent => Next::Spent,
                    other => panic!("a reply led to {other:?}"),
                }
            }
            other => panic!("a reply led to {other:?}"),
        };
        match (next, found) {
            (None, _) => {}
            (Some(Next::Fault(blames)), Next::Fault(found)) => {
                assert!(found.iter().all(|blame| blames.contains(blame)), "{found:?}: {blames:?}");
            }
            (Some(next), found) => assert_eq!(found, next, "what a reply leads to"),
        }
    }

    fn ask(&mut self, action: &Action) -> (String, Kind) {
        let Action::Ask { round, key, request } = action else {
            panic!("{action:?} stands among questions")
        };
        assert_eq!(*round, self.round);
        let kind = Kind::of(request);
        self.asked.insert(key.clone(), Asked { kind, answer: None });
        (key.clone(), kind)
    }

    /// Takes note that an answer was taken.
    pub(super) fn answered(&mut self, key: &str, sent: String, actions: &[Action]) {
        let asked = self.asked.get_mut(key).unwrap();
        assert_eq!(asked.answer.replace(sent), None, "the question was open");
        self.seen.insert(match asked.kind {
            Kind::Form => "a form is answered",
            Kind::Url => "a URL is answered",
            Kind::Sampling => "a model answers",
            Kind::Roots => "roots are listed",
        });
        if self.open_keys().is_empty() {
            self.sent(actions);
        } else {
            assert_eq!(actions, [], "the round is not answered yet");
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

    /// Takes note of a tick.
    pub(super) fn ticked(&mut self, due: bool, actions: &[Action]) {
        match self.place {
            Place::Pausing if due => self.sent(actions),
            Place::InFlight if due => {
                let clock = self.leg_clock().1;
                let outcome = self.ended(actions);
                assert_eq!(*outcome, Outcome::TimedOut(clock));
            }
            Place::Asking if due => {
                let outcome = self.ended(actions);
                assert_eq!(*outcome, Outcome::TimedOut(Clock::Interaction));
            }
            Place::Pausing | Place::InFlight | Place::Asking | Place::Settled => {
                assert_eq!(actions, [], "nothing is due");
            }
        }
    }

    /// Takes note that a retry was sent, and nothing else. Invariants 2, 5, 7 and 8.
    fn sent(&mut self, actions: &[Action]) {
        let [Action::Send(request)] = actions else { panic!("a retry is due, found {actions:?}") };
        assert!(!self.is_in_flight() && self.open_keys().is_empty() && !self.stopped);
        assert!(self.legs.insert(request.leg.to_string()), "a leg has an id of its own");
        assert!(self.legs.len() <= 1 + usize::try_from(self.limits.rounds_max).unwrap());
        let mut params = members(request.params.as_str());
        let state_bytes = self.state.as_ref().map(|state| state.len() - 2);
        assert_eq!(request.state_bytes, state_bytes);
        assert_eq!(params.remove("requestState"), self.state.take(), "the state of the round");
        let responses = params.remove("inputResponses").map(|json| members(&json));
        let answers = core::mem::take(&mut self.asked);
        let answers: BTreeMap<_, _> =
            answers.into_iter().map(|(key, asked)| (key, asked.answer.unwrap())).collect();
        assert_eq!(responses.unwrap_or_default(), answers, "the answers of the round");
        assert_eq!(params, self.params, "the params of the first leg");
        self.go(Place::InFlight);
    }

    /// Takes note that the call ended other than by a reply. Invariants 1, 4 and 9.
    pub(super) fn ended<'a>(&mut self, actions: &'a [Action]) -> &'a Outcome {
        let [closing @ .., Action::Settle(outcome)] = actions else {
            panic!("an outcome is due, found {actions:?}")
        };
        let gives_up = matches!(outcome, Outcome::TimedOut(_) | Outcome::Stopped);
        let mut open = self.open_keys();
        match closing {
            [Action::CancelLeg { leg }] => {
                assert!(self.is_in_flight() && gives_up);
                assert_eq!(self.legs.len(), usize::try_from(leg.number()).unwrap());
            }
            closing => {
                assert!(!(self.is_in_flight() && gives_up), "the leg is cancelled");
                for action in closing {
                    let Action::Retract { round, key, why } = action else {
                        panic!("{action:?} comes before an outcome")
                    };
                    assert_eq!((*round, Some(*why)), (self.round, close_reason(outcome)));
                    assert_eq!(open.remove(0), *key);
                }
            }
        }
        assert!(open.is_empty(), "what was asked is answered or taken back");
        match outcome {
            Outcome::Lost => assert!(!self.is_in_flight()),
            Outcome::OutcomeUnknown => assert!(self.is_in_flight()),
            Outcome::TimedOut(_) | Outcome::Stopped => {}
            Outcome::Unanswerable => assert_eq!(self.place, Place::Asking),
            other => panic!("{other:?} is no end without a reply"),
        }
        self.settle(outcome);
        outcome
    }

    fn settle(&mut self, outcome: &Outcome) {
        self.go(Place::Settled);
        self.asked.clear();
        self.outcome = Some(outcome.clone());
    }

    /// Takes note that time moved the call.
    pub(super) fn told(&mut self, now: Instant) {
        self.told = self.told.max(now);
    }

    fn go(&mut self, to: Place) {
        assert_ne!(self.place, Place::Settled, "nothing follows an outcome");
        self.place = to;
        self.since = self.told;
        self.leg_since = self.told;
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

    /// Returns when the call has something to do by itself.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.place {
            Place::InFlight => Some(self.leg_clock().0),
            Place::Asking => Some(self.since + self.limits.clocks.interaction),
            Place::Pausing => Some(self.since + self.pause),
            Place::Settled => None,
        }
    }

    /// Checks what a call tells of itself against what was seen of it. Invariants 3 and 9.
    pub(super) fn check(&self, call: &Invocation) {
        assert_eq!(call.deadline(), self.deadline(), "exactly the clock of the place runs");
        assert_eq!(call.open(), self.open_keys().len());
        assert_eq!(call.phase().is_in_flight(), self.is_in_flight());
        assert_eq!(call.phase() == Phase::AwaitingInteraction, self.place == Place::Asking);
        assert_eq!(call.phase() == Phase::Pausing, self.place == Place::Pausing);
        assert_eq!(call.phase() == Phase::Settled, self.is_settled());
    }
}

fn key_of(action: &Action) -> Option<String> {
    match action {
        Action::Ask { key, .. } => Some(key.clone()),
        _ => None,
    }
}
