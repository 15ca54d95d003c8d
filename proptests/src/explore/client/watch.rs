//! What has come out of one call, and whether it may.

use crate::invariants::{Invariant, SECRET, Violation};
use std::collections::BTreeMap;

use mrtr_core::{
    client::{Action, Event, LegId, LegRequest, Reply},
    wire::InputResponse,
};
use serde_json::Value;

/// Keeps what is needed to judge the next action of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(in crate::explore) struct Watch {
    /// The legs that were sent, and whether the last is in flight.
    pub(in crate::explore) legs: Vec<LegId>,
    pub(in crate::explore) is_in_flight: bool,
    is_stopped: bool,
    pub(in crate::explore) is_settled: bool,
    pub(in crate::explore) round: u32,
    /// The state that the round that is on came with.
    pub(in crate::explore) state: Option<String>,
    /// What the round that is on asks; with the answer, where there is one.
    pub(in crate::explore) asked: BTreeMap<String, Option<String>>,
    /// What was asked and is not answered or taken back.
    pub(in crate::explore) open: usize,
}

impl Watch {
    /// Takes note of an event that the machine took.
    pub(in crate::explore) fn event(
        &mut self,
        event: &Event,
        begins_round: bool,
    ) -> Result<(), Violation> {
        match event {
            Event::Reply { leg, reply } if self.is_in_flight && self.legs.last() == Some(leg) => {
                self.is_in_flight = false;
                if begins_round {
                    self.round += 1;
                    self.state = sealed(reply);
                    self.asked.clear();
                }
            }
            Event::Answer { key, response, .. } => {
                let rule = Invariant::EveryAskHasAnEnd;
                let open = self.asked.get_mut(key).filter(|answer| answer.is_none());
                rule.holds(open.is_some(), "an answer is to an open question")?;
                if let Some(open) = open {
                    *open = Some(written(response));
                    self.open -= 1;
                }
            }
            Event::Stop => self.is_stopped = true,
            _ => {}
        }
        Ok(())
    }

    /// Takes note of an action, and checks it against what came before.
    pub(in crate::explore) fn action(
        &mut self,
        action: &Action,
        rounds_max: u32,
    ) -> Result<(), Violation> {
        Invariant::OneOutcome.holds(!self.is_settled, "nothing follows an outcome")?;
        match action {
            Action::Send(request) => self.send(request, rounds_max),
            Action::CancelLeg { leg } => {
                let is_last = self.is_in_flight && self.legs.last() == Some(leg);
                self.is_in_flight = false;
                Invariant::Contract.holds(is_last, "what is cancelled is in flight")
            }
            Action::Ask { round, key, .. } => {
                let is_new = self.asked.insert(key.clone(), None).is_none();
                self.open += 1;
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(is_new && *round == self.round, "each key of a round is asked once")
            }
            Action::Retract { round, key, .. } => {
                let was_open = self.asked.remove(key) == Some(None) && *round == self.round;
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(was_open, "what is taken back was asked, and has no answer")?;
                self.open -= 1;
                Ok(())
            }
            Action::Settle(_) => {
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(self.open == 0, "what was asked is answered or taken back")?;
                (self.is_settled, self.is_in_flight) = (true, false);
                self.asked.clear();
                Ok(())
            }
        }
    }

    fn send(&mut self, request: &LegRequest, rounds_max: u32) -> Result<(), Violation> {
        Invariant::NothingIsSentAfterStop.holds(!self.is_stopped, "the caller has stopped")?;
        let is_idle = self.open == 0 && !self.is_in_flight;
        Invariant::OneThingAtATime.holds(is_idle, "a leg is sent when all else is over")?;
        Invariant::Contract
            .holds(!self.legs.contains(&request.leg), "a leg has an id of its own")?;
        self.legs.push(request.leg.clone());
        let legs_max = 1 + usize::try_from(rounds_max).unwrap();
        Invariant::LegsAreBounded.holds(self.legs.len() <= legs_max, "the rounds are bounded")?;
        self.is_in_flight = true;
        self.check_retry(request)?;
        (self.state, self.asked) = (None, BTreeMap::new());
        Ok(())
    }

    fn check_retry(&self, request: &LegRequest) -> Result<(), Violation> {
        let params: Value = serde_json::from_str(request.params.as_str()).unwrap();
        let responses = params["inputResponses"].as_object();
        let carried = responses
            .into_iter()
            .flatten()
            .map(|(key, json)| (key.clone(), Some(json.to_string())));
        let rule = Invariant::ARetryIsOfItsRound;
        let is_answered = carried.eq(self.asked.clone());
        rule.holds(is_answered, "a retry carries the answers to what its round asked")?;
        let is_own = params["requestState"].as_str() == self.state.as_deref();
        rule.holds(is_own, "a retry carries the state of its round, or none")?;
        let is_kept = params["arguments"]["key"] == SECRET && params["name"] == "deploy";
        Invariant::Contract.holds(is_kept, "a retry carries the params of the call")
    }
}

/// Reads the state of a round.
fn sealed(reply: &Reply) -> Option<String> {
    let Reply::Result(result) = reply else { return None };
    let result: Value = serde_json::from_str(result.as_str()).unwrap();
    result["requestState"].as_str().map(Into::into)
}

/// Writes what the server gets for an answer, as `serde_json` writes it.
fn written(response: &InputResponse) -> String {
    let json = match response {
        InputResponse::Accept(content) => {
            format!(r#"{{"action":"accept","content":{}}}"#, content.to_json())
        }
        InputResponse::Consent => r#"{"action":"accept"}"#.into(),
        InputResponse::Decline => r#"{"action":"decline"}"#.into(),
        InputResponse::Cancel => r#"{"action":"cancel"}"#.into(),
        InputResponse::Sampled(result) | InputResponse::Roots(result) => result.as_str().into(),
    };
    serde_json::from_str::<Value>(&json).unwrap().to_string()
}
