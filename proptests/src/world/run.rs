//! What a handler gets to see, and what it asks for.

use crate::invariants::{Checked, Invariant, SECRET};
use std::collections::BTreeMap;

use mrtr_core::{
    server::{Action, Need, Run},
    wire::{InputResponse, RawJson, SamplingBuilder},
};
use serde_json::Value;

use super::{
    endpoint::Runs,
    ledger::{Question, Sealed, params_of, salient},
    plan::{self, Kind, Turn, key, turn},
    server::{Running, body},
    setup::KEYLESS,
    whole::World,
};
use crate::broker::Host;

/// What a handler has asked in the round that is being sealed.
#[derive(Clone, Debug, Default)]
pub(super) struct Asks {
    /// The questions by their keys.
    pub(super) asked: BTreeMap<String, usize>,
    state: String,
    method: String,
    principal: String,
    params: Value,
    round: u32,
}

impl<H: Host> World<H> {
    /// Checks what a handler sees, before it does anything.
    pub(super) fn check_run(&mut self, server: usize, run: &Run, expected: &Runs) -> Checked {
        let verified = Invariant::HandlersRunOnSoundStates;
        verified.same("a round", &run.round, &expected.round)?;
        let state = run.state.as_ref().map(|state| state.as_str().to_owned());
        verified.holds_or(state == expected.state, || "the handler gets another state".into())?;
        if let Some(token) = &expected.token {
            let sealed = self.ledger.sealed.get_mut(token).unwrap();
            sealed.runs += 1;
            let is_once = sealed.runs <= 1 + sealed.releases;
            let is_single_use = super::endpoint::is_single_use(server);
            let repeats = sealed.runs > 1;
            let is_rotated = self.servers.get(server).is_some_and(|it| it.newest > sealed.key);
            verified.holds_or(is_once || !is_single_use, || "a state is used again".into())?;
            if is_rotated {
                self.note("a key that was rotated opens");
            }
            self.note(if repeats { "a state is run again" } else { "a retry runs" });
        }
        let params = params_of(run);
        let Some((call, session)) =
            self.ledger.call_of(&params).map(|(call, called)| (call, called.session))
        else {
            return Err(Invariant::AnswersReachWhoAsked.broken("a call that nobody made"));
        };
        for (at, number) in self.asked_before(server, call, expected) {
            let asked = number.first().and_then(|number| self.ledger.questions.get(*number));
            let kind = asked.map_or(Kind::Form, |question| question.kind);
            let Some(answer) = self.answer_of(run, &at, kind) else {
                let is_left_out = !expected.answered.contains(&at);
                Invariant::AsRequired.holds_or(is_left_out, || "an answer is missing".into())?;
                continue;
            };
            let mut given = number.iter().filter_map(|number| self.ledger.taken(*number, &answer));
            let session = crate::broker::session(session);
            let is_theirs = given.any(|given| given.session == session);
            Invariant::AnswersReachWhoAsked.holds_or(is_theirs, || {
                format!("the answer to question {number:?} of call {call} is nobody's")
            })?;
            self.note("a handler gets an answer");
        }
        Ok(())
    }

    /// Returns the questions that a handler may get an answer to, by their keys: those that its
    /// state remembers, or all that its call was ever asked where there is none.
    fn asked_before(
        &self,
        server: usize,
        call: usize,
        expected: &Runs,
    ) -> BTreeMap<String, Vec<usize>> {
        let sealed = expected.token.as_ref().and_then(|token| self.ledger.sealed.get(token));
        if let Some(sealed) = sealed {
            let asked = sealed.asked.iter();
            return asked.map(|(key, number)| (key.clone(), vec![*number])).collect();
        }
        let mut asked = BTreeMap::<_, Vec<usize>>::new();
        if server == KEYLESS {
            for (number, question) in self.ledger.questions.iter().enumerate() {
                if question.call == call && question.server == server {
                    asked.entry(question.key.clone()).or_default().push(number);
                }
            }
        }
        asked
    }

    /// Writes what a handler gets under a key, as the person's side wrote it.
    fn answer_of(&self, run: &Run, key: &str, kind: Kind) -> Option<String> {
        let unchecked = || run.answers.check(key, &plan::ask(kind, 0)).ok().flatten();
        let answered = run.answers.get(key).cloned().or_else(unchecked)?;
        let action = match answered {
            InputResponse::Accept(answer) => {
                return Some(format!(r#"{{"action":"accept","content":{}}}"#, answer.to_json()));
            }
            InputResponse::Consent => "accept",
            InputResponse::Decline => "decline",
            InputResponse::Cancel => "cancel",
            InputResponse::Sampled(_) | InputResponse::Roots(_) => return None,
        };
        Some(format!(r#"{{"action":"{action}"}}"#))
    }

    /// Returns what a handler does: the turn of its plan, for which call, at which step.
    pub(super) fn turn_of(&mut self, server: usize, run: &Run) -> (Turn, usize, usize) {
        self.asks = Asks::default();
        let Some((call, called)) = self.ledger.call_of(&params_of(run)) else {
            return (Turn::Fail, 0, 0);
        };
        let plan = called.plan;
        let state = run.state.as_ref().map(|state| state.as_str());
        let state: Option<Value> = state.and_then(|state| serde_json::from_str(state).ok());
        let step = state.and_then(|state| state.get("step").and_then(Value::as_u64));
        let asked = step.map_or(0, |step| usize::try_from(step).unwrap_or_default());
        let is_first = step.is_none() && server != KEYLESS;
        let is_answered = match turn(plan, asked) {
            Turn::Ask(kinds) => {
                let mut kinds = kinds.iter().enumerate();
                kinds.all(|(at, kind)| self.answer_of(run, &key(at), *kind).is_some())
            }
            _ => step.is_some(),
        };
        let next = if !is_first && is_answered { asked + 1 } else { asked };
        (turn(plan, next), call, next)
    }

    /// Makes what a handler needs, and remembers it.
    pub(super) fn need(
        &mut self,
        server: usize,
        call: usize,
        step: usize,
        turn: Turn,
        run: &Run,
        principal: &str,
    ) -> Need {
        let mut need = Need::new();
        let mut asked = BTreeMap::new();
        let kinds = if let Turn::Ask(kinds) = turn { kinds } else { &[] };
        for (at, kind) in kinds.iter().enumerate() {
            let number = self.ledger.questions.len();
            self.ledger.questions.push(Question { call, server, key: key(at), kind: *kind });
            need = need.request(key(at), plan::ask(*kind, number));
            asked.insert(key(at), number);
        }
        if turn == Turn::Sample {
            need = need.request(key(0), SamplingBuilder::new(9).user(SECRET).build().unwrap());
        }
        let state = format!(r#"{{"step":{step},"kept":"{SECRET}"}}"#);
        if turn != Turn::Empty && (server != KEYLESS || turn == Turn::Pause) {
            need = need.state(RawJson::parse(&state).unwrap());
        }
        self.asks = Asks {
            asked,
            state,
            method: run.method.clone(),
            principal: principal.into(),
            params: salient(&params_of(run)),
            round: run.round,
        };
        need
    }

    /// Remembers the state of a round that goes out, and what a request gave back.
    pub(super) fn seal(&mut self, server: usize, running: &Running, actions: &[Action]) -> Checked {
        let is_released = actions.iter().any(|action| matches!(action, Action::Release { .. }));
        let token = running.token().filter(|_| is_released);
        if let Some(sealed) = token.and_then(|token| self.ledger.sealed.get_mut(token)) {
            sealed.releases += 1;
        }
        let body = body(actions)?;
        let Some(token) = body.pointer("/result/requestState").and_then(Value::as_str) else {
            return Ok(());
        };
        let Asks { asked, state, method, principal, params, round } =
            core::mem::take(&mut self.asks);
        let (runs, releases, key) = (0, 0, self.servers.get(server).unwrap().newest);
        let at = self.unix().as_secs();
        let sealed = Sealed {
            server,
            key,
            at,
            principal,
            method,
            params,
            round,
            asked,
            state,
            runs,
            releases,
        };
        let is_new = self.ledger.sealed.insert(token.into(), sealed).is_none();
        Invariant::AsRequired.holds_or(is_new, || "two states are the same".into())
    }
}
