//! The watch of one call of the client role.

use std::{collections::BTreeMap, sync::Arc};

use mrtr_core::{
    Instant, Phase,
    client::{Action, Event, Invocation, LegId, LegRequest, Reply},
    wire::InputResponse,
};
use serde_json::{Value, value::RawValue};

use crate::invariants::{Checked, Invariant};

/// What was seen of one call, as far as the next action has to be judged by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientWatch {
    rounds_max: u32,
    /// The params of the first leg, by their names.
    first: Arc<BTreeMap<String, String>>,
    /// The legs that were sent. The last is in flight, or over.
    legs: Vec<LegId>,
    is_in_flight: bool,
    is_stopped: bool,
    is_settled: bool,
    /// The number of the round that is on, or was last.
    round: u32,
    /// The text of the state that the round came with.
    state: Option<String>,
    /// The questions of the round, each with what is to go to the server, once it is answered.
    asked: BTreeMap<String, Option<String>>,
}

impl ClientWatch {
    /// Watches a call that has sent its first leg.
    #[must_use]
    pub fn new(first: &LegRequest, rounds_max: u32) -> Self {
        Self {
            rounds_max,
            first: Arc::new(members(first.params.as_str())),
            legs: vec![first.leg.clone()],
            is_in_flight: true,
            is_stopped: false,
            is_settled: false,
            round: 0,
            state: None,
            asked: BTreeMap::new(),
        }
    }

    /// Returns the legs that were sent. There is at least one.
    #[must_use]
    pub fn legs(&self) -> &[LegId] {
        &self.legs
    }

    /// Returns the leg that was sent last.
    ///
    /// # Panics
    ///
    /// Never: a call begins with a leg.
    #[must_use]
    pub fn last_leg(&self) -> &LegId {
        self.legs.last().unwrap()
    }

    /// Returns the number of the round that is on, or was last.
    #[must_use]
    pub const fn round(&self) -> u32 {
        self.round
    }

    /// Returns the text of the state of the round that is on.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Returns the questions of the round, each with its answer.
    #[must_use]
    pub const fn asked(&self) -> &BTreeMap<String, Option<String>> {
        &self.asked
    }

    /// Returns the keys of the questions that are not answered.
    pub fn open(&self) -> impl Iterator<Item = &String> {
        self.asked.iter().filter(|(_, answer)| answer.is_none()).map(|(key, _)| key)
    }

    /// Returns whether a question is open.
    #[must_use]
    pub fn is_open(&self, key: &str) -> bool {
        self.asked.get(key) == Some(&None)
    }

    /// Returns whether a leg is in flight.
    #[must_use]
    pub const fn is_in_flight(&self) -> bool {
        self.is_in_flight
    }

    /// Returns whether the call has its outcome.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Sees an event that was taken and what came of it: the phases before and after, and the
    /// actions. `sent` is what is to go to the server, if the event is an answer.
    ///
    /// # Errors
    ///
    /// A violation of one of the invariants of a call.
    pub fn see(
        &mut self,
        event: &Event,
        sent: Option<&str>,
        [before, after]: [Phase; 2],
        actions: &[Action],
    ) -> Checked {
        let waits = matches!(after, Phase::AwaitingInteraction | Phase::Pausing);
        self.event(event, sent, waits && before != after)?;
        actions.iter().try_for_each(|action| self.action(action))
    }

    fn event(&mut self, event: &Event, sent: Option<&str>, begins_round: bool) -> Checked {
        match event {
            Event::Reply { leg, reply } if self.is_in_flight && self.last_leg() == leg => {
                self.is_in_flight = false;
                if begins_round {
                    self.round += 1;
                    self.state = state_of(reply);
                    self.asked.clear();
                }
            }
            Event::Answer { key, .. } => {
                let rule = Invariant::EveryAskHasAnEnd;
                let open = self.asked.get_mut(key).filter(|answer| answer.is_none());
                rule.holds(open.is_some(), "an answer is to an open question")?;
                if let Some(open) = open {
                    *open = sent.map(Into::into);
                }
            }
            Event::Stop => self.is_stopped = true,
            _ => {}
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> Checked {
        Invariant::OneOutcome.holds(!self.is_settled, "nothing follows an outcome")?;
        match action {
            Action::Send(request) => self.send(request),
            Action::CancelLeg { leg } => {
                let is_last = self.is_in_flight && self.last_leg() == leg;
                self.is_in_flight = false;
                Invariant::Contract.holds(is_last, "what is cancelled is in flight")
            }
            Action::Ask { round, key, .. } => {
                let is_new = self.asked.insert(key.clone(), None).is_none();
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(is_new && *round == self.round, "each key of a round is asked once")
            }
            Action::Retract { round, key, .. } => {
                let was_open = self.asked.remove(key) == Some(None) && *round == self.round;
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(was_open, "what is taken back was asked, and has no answer")
            }
            Action::Settle(_) => {
                let rule = Invariant::EveryAskHasAnEnd;
                let is_over = self.open().next().is_none();
                rule.holds(is_over, "what was asked is answered or taken back")?;
                (self.is_settled, self.is_in_flight) = (true, false);
                self.asked.clear();
                Ok(())
            }
        }
    }

    fn send(&mut self, request: &LegRequest) -> Checked {
        Invariant::NothingIsSentAfterStop.holds(!self.is_stopped, "the caller has stopped")?;
        let legs_max = 1 + usize::try_from(self.rounds_max).unwrap_or(usize::MAX - 1);
        Invariant::LegsAreBounded.holds(self.legs.len() < legs_max, "the rounds are bounded")?;
        let is_idle = self.open().next().is_none() && !self.is_in_flight;
        Invariant::OneThingAtATime.holds(is_idle, "a leg is sent when all else is over")?;
        let is_next = usize::try_from(request.leg.number()) == Ok(self.legs.len() + 1)
            && request.leg.invocation() == self.last_leg().invocation();
        Invariant::Contract.holds(is_next, "a leg has an id of its own")?;
        self.legs.push(request.leg.clone());
        self.is_in_flight = true;
        self.check_retry(request)?;
        (self.state, self.asked) = (None, BTreeMap::new());
        Ok(())
    }

    /// Checks that a retry is the first request, with what came of the round beside it.
    fn check_retry(&self, request: &LegRequest) -> Checked {
        let rule = Invariant::ARetryIsOfItsRound;
        let mut params = members(request.params.as_str());
        let responses = params.remove("inputResponses").map(|json| members(&json));
        let responses = responses.unwrap_or_default();
        rule.holds(
            responses.keys().eq(self.asked.keys()),
            "a retry carries the keys of its round",
        )?;
        let mut pairs = responses.values().zip(self.asked.values());
        let is_answered =
            pairs.all(|(json, given)| given.as_ref().is_some_and(|given| same_json(given, json)));
        rule.holds(is_answered, "a retry carries the answers to what its round asked")?;
        let state = params.remove("requestState");
        rule.holds(state == self.state, "a retry carries the state of its round, or none")?;
        let bytes = state.map(|state| state.len() - 2);
        Invariant::Contract
            .holds(request.state_bytes == bytes, "a leg tells the size of its state")?;
        rule.holds(params == *self.first, "a retry carries the params of the call")
    }

    /// Checks what a call tells of itself between two events.
    ///
    /// # Errors
    ///
    /// A violation of one of the invariants of a call.
    pub fn check(&self, call: &Invocation) -> Checked {
        self.check_told(call.phase(), call.open(), call.deadline())
    }

    /// Checks a phase, a count of open questions and a deadline.
    ///
    /// # Errors
    ///
    /// A violation of one of the invariants of a call.
    pub fn check_told(&self, phase: Phase, open: usize, deadline: Option<Instant>) -> Checked {
        let agrees = open == self.open().count() && (phase == Phase::Settled) == self.is_settled;
        let rule = Invariant::NoQuestionWithoutInvocation;
        rule.holds(agrees, "what is open is what was asked of a call that is live")?;
        let agrees = phase.is_in_flight() == self.is_in_flight
            && (phase == Phase::AwaitingInteraction) == (open > 0);
        Invariant::Contract.holds(agrees, "the phase says what is waited for")?;
        let rule = Invariant::ClocksRunWhereTheyBelong;
        rule.holds(deadline.is_none() == self.is_settled, "a call has a clock until it is over")
    }
}

/// Returns the text of the state that a reply brings.
fn state_of(reply: &Reply) -> Option<String> {
    let Reply::Result(result) = reply else { return None };
    members(result.as_str()).remove("requestState").filter(|state| state != "null")
}

/// Writes what the server gets for an answer.
pub(crate) fn response_text(response: &InputResponse) -> String {
    match response {
        InputResponse::Accept(content) => {
            format!(r#"{{"action":"accept","content":{}}}"#, content.to_json())
        }
        InputResponse::Consent => r#"{"action":"accept"}"#.into(),
        InputResponse::Decline => r#"{"action":"decline"}"#.into(),
        InputResponse::Cancel => r#"{"action":"cancel"}"#.into(),
        InputResponse::Sampled(result) | InputResponse::Roots(result) => result.as_str().into(),
    }
}

/// Reads a JSON object into the exact texts of its members.
pub(crate) fn members(json: &str) -> BTreeMap<String, String> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).unwrap();
    members.into_iter().map(|(name, value)| (name, value.get().into())).collect()
}

/// Returns whether two texts are the same JSON.
pub(crate) fn same_json(one: &str, other: &str) -> bool {
    let read = |json| serde_json::from_str::<Value>(json).ok();
    one == other || (read(one).is_some() && read(one) == read(other))
}
