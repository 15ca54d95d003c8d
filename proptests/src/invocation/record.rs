//! What has come out of a call, and what must hold of it.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Action, Claims, Clock, Clocks, Instant, Invocation, LegRequest, Limits, Outcome, Phase,
    wire::{META_CAPABILITIES, META_VERSION},
};
use serde_json::value::RawValue;

use super::script::PARAMS;

/// Is what a reply must lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Questions under these keys, in their order.
    Asked(Vec<String>),
    Paused,
    /// The end, because the legs have spent their budget and nobody is asked for nothing.
    Spent,
    Complete,
    Error,
    Fault,
}

/// Says where the call is, by what it was seen to do.
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
    claims: Claims,
    limits: Limits,
    place: Place,
    /// When the call came to its place, by the latest time that moved it.
    since: Instant,
    told: Instant,
    executed: Duration,
    pause: Duration,
    /// The ids of all legs.
    legs: BTreeSet<String>,
    /// The params of the first leg.
    params: BTreeMap<String, String>,
    pub(super) round: u32,
    /// The state of the round that is on.
    state: Option<String>,
    /// The keys of the round that is on, and the answers that were taken.
    asked: BTreeMap<String, Option<String>>,
    pub(super) stopped: bool,
    pub(super) outcome: Option<Outcome>,
}

impl Record {
    pub(super) fn new(now: Instant, claims: Claims, limits: Limits, first: &LegRequest) -> Self {
        let params = members(first.params.as_str());
        assert_first(&params, claims);
        Self {
            claims,
            limits,
            place: Place::InFlight,
            since: now,
            told: now,
            executed: Duration::ZERO,
            pause: Duration::ZERO,
            legs: [first.leg.to_string()].into(),
            params,
            round: 0,
            state: None,
            asked: BTreeMap::new(),
            stopped: false,
            outcome: None,
        }
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
        matches!(self.asked.get(key), Some(None))
    }

    pub(super) fn open_keys(&self) -> Vec<String> {
        let open = self.asked.iter().filter(|(_, answer)| answer.is_none());
        open.map(|(key, _)| key.clone()).collect()
    }

    /// Tells what an `input_required` result with these questions must lead to.
    pub(super) fn next(&self, keys: Vec<String>) -> Next {
        let may_ask = keys.is_empty() || self.claims == form_claims();
        if self.claims == Claims::none() || !may_ask || self.round >= self.limits.rounds_max {
            Next::Fault
        } else if keys.is_empty() {
            Next::Paused
        } else {
            Next::Asked(keys)
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
                Next::Asked(actions.iter().map(|action| self.ask(action)).collect())
            }
            [Action::Settle(outcome)] => {
                self.settle(outcome);
                match outcome {
                    Outcome::Complete(_) => Next::Complete,
                    Outcome::Error(_) => Next::Error,
                    Outcome::Fault(_) => Next::Fault,
                    Outcome::TimedOut(Clock::Execution) if spent => Next::Spent,
                    other => panic!("a reply led to {other:?}"),
                }
            }
            other => panic!("a reply led to {other:?}"),
        };
        if let Some(next) = next {
            assert_eq!(found, next, "what a reply leads to");
        }
    }

    fn ask(&mut self, action: &Action) -> String {
        let Action::Ask { round, key, .. } = action else {
            panic!("{action:?} stands among questions")
        };
        assert_eq!(*round, self.round);
        assert_eq!(self.asked.insert(key.clone(), None), None, "a key is asked once a round");
        key.clone()
    }

    /// Takes note that an answer was taken.
    pub(super) fn answered(&mut self, key: &str, sent: String, actions: &[Action]) {
        assert_eq!(self.asked.insert(key.into(), Some(sent)), Some(None), "the question was open");
        if self.open_keys().is_empty() {
            self.sent(actions);
        } else {
            assert_eq!(actions, [], "the round is not answered yet");
        }
    }

    /// Takes note of a tick.
    pub(super) fn ticked(&mut self, due: bool, actions: &[Action]) {
        match self.place {
            Place::Pausing if due => self.sent(actions),
            Place::InFlight if due => {
                let outcome = self.ended(actions);
                let clock = self.leg_clock().1;
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
            answers.into_iter().map(|(key, answer)| (key, answer.unwrap())).collect();
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
                    let Action::Retract { round, key, .. } = action else {
                        panic!("{action:?} comes before an outcome")
                    };
                    assert_eq!(*round, self.round);
                    assert_eq!(open.remove(0), *key);
                }
            }
        }
        assert!(open.is_empty(), "what was asked is answered or taken back");
        match outcome {
            Outcome::Lost => assert!(!self.is_in_flight()),
            Outcome::OutcomeUnknown => assert!(self.is_in_flight()),
            Outcome::TimedOut(_) | Outcome::Stopped => {}
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
    }

    fn leg_clock(&self) -> (Instant, Clock) {
        let leg = (self.since + self.limits.clocks.leg, Clock::Leg);
        let Some(budget) = self.limits.clocks.execution else { return leg };
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

/// Asserts that the first leg carries what the call was given, and the claims beside it.
fn assert_first(params: &BTreeMap<String, String>, claims: Claims) {
    let mut given = members(PARAMS);
    let has_claims = claims != Claims::none();
    for (name, value) in params.iter().filter(|(name, _)| !has_claims || *name != "_meta") {
        assert_eq!(given.remove(name).as_ref(), Some(value));
    }
    if let Some(given) = given.remove("_meta") {
        let mut meta = members(params.get("_meta").unwrap());
        let claimed = if claims == form_claims() { FORM_CLAIM } else { "{}" };
        assert_eq!(meta.remove(META_CAPABILITIES).as_deref(), Some(claimed));
        assert_eq!(meta.remove(META_VERSION).as_deref(), Some(r#""2026-07-28""#));
        assert_eq!(meta, members(&given));
    }
    assert_eq!(given, BTreeMap::new(), "all that was given goes out");
}

const FORM_CLAIM: &str = r#"{"elicitation":{"form":{}}}"#;

/// Claims that somebody can fill in a form.
pub(super) fn form_claims() -> Claims {
    struct Screen;
    impl mrtr_core::AnswersForms for Screen {}
    Claims::none().with_form(&Screen)
}

/// Reads a JSON object into the exact texts of its members.
fn members(json: &str) -> BTreeMap<String, String> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).unwrap();
    members.into_iter().map(|(name, value)| (name, value.get().into())).collect()
}
