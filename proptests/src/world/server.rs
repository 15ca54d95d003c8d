//! The MCP servers of a world: an endpoint each, the requests that it works on, and a store of the
//! states that were used.

use crate::invariants::{Checked, Invariant, SECRET, Violation};
use std::{collections::BTreeMap, sync::Arc};

use mrtr_core::{
    UnixTime,
    seal::TokenId,
    server::{Action, Ending, Endpoint, Event, Exchange, Incoming, Report, Respond, Run},
    wire::{RawJson, RpcError},
};
use serde_json::Value;

use super::{
    Ends,
    endpoint::{
        Answer, Expected, FAILED, INTERNAL, INVALID_PARAMS, KnownEndpoint, Runs, answer, expect,
        is_single_use,
    },
    network::{Request, Response, Sender, take},
    plan::Turn,
    setup::{self, KEYS_MAX, endpoint},
    whole::World,
};
use crate::{
    broker::Host,
    random::{Dice, Random},
};

/// A server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) newest: usize,
    pub(super) oldest: usize,
    pub(super) running: Vec<Running>,
    /// The states that were used, and until when that is to be remembered.
    redeemed: BTreeMap<TokenId, UnixTime>,
    random: Random<Dice>,
}

/// A request that a server works on.
#[derive(Clone, Debug)]
pub(super) struct Running {
    exchange: Exchange,
    to: Option<Sender>,
    principal: String,
    waits_for: Awaited,
    expected: Runs,
}

/// What a request waits for.
#[derive(Clone, Debug)]
enum Awaited {
    /// The store, which is to redeem a state and remember that until a time.
    Store(TokenId, UnixTime),
    /// The end of its handler.
    Handler(Box<Run>),
}

/// What happens to a request.
#[derive(Debug)]
enum Happens {
    Store(Event),
    Ends(Ending),
}

impl Running {
    /// Returns the state that the request came with.
    pub(super) fn token(&self) -> Option<&str> {
        self.expected.token.as_deref()
    }
}

impl Server {
    pub(super) fn new(number: usize) -> Self {
        let random = Random(Dice::of_life(number as u64));
        let redeemed = BTreeMap::new();
        Self { newest: 0, oldest: 0, running: Vec::new(), redeemed, random }
    }

    /// Restarts the server. What it was doing is gone; what its store holds is not.
    pub(super) fn restart(&mut self, keys: super::Keys) {
        self.running.clear();
        if keys != super::Keys::Same && self.newest + 1 < KEYS_MAX {
            self.newest += 1;
            let is_rotated = keys == super::Keys::Rotated;
            self.oldest = if is_rotated { self.newest - 1 } else { self.newest };
        }
    }

    /// Returns whether a state is used for the first time, and remembers it as long as it must.
    fn redeem(&mut self, now: UnixTime, id: TokenId, until: UnixTime) -> bool {
        self.redeemed.retain(|_, until| now < *until);
        self.redeemed.insert(id, until).is_none()
    }
}

impl<H: Host> World<H> {
    pub(super) fn unix(&self) -> UnixTime {
        UnixTime::from_secs(1_800_000_000 + self.host.now.since_epoch().as_secs())
    }

    /// Returns the endpoint of a server, and what everybody may know of it.
    pub(super) fn endpoint(&self, number: usize) -> (&'static Arc<Endpoint>, KnownEndpoint) {
        let server = self.servers.get(number).unwrap();
        let (newest, oldest) = (server.newest, server.oldest);
        let held = if self.lies.server.keeps_keys { 0 } else { oldest };
        let known = KnownEndpoint { server: number, oldest, newest, now: self.unix().as_secs() };
        (endpoint(number, newest, held), known)
    }

    /// Brings a request to its server.
    pub(super) fn receive(&mut self, request: Request) -> Checked {
        let Request { server, principal, message, from } = request;
        let (endpoint, known) = self.endpoint(server);
        let expected = expect(&self.ledger, known, &principal, &message);
        let incoming = Incoming::message(message.as_bytes()).with_principal(principal.as_str());
        let (exchange, actions) = Exchange::receive(endpoint, self.unix(), incoming);
        self.check_shown(&(&exchange, &actions))?;
        let reports = actions.reports().to_vec();
        let mut actions: Vec<_> = actions.into_iter().collect();
        (self.lies.server.acts)(&mut actions);
        self.check_shown(&actions)?;
        let waits_for = actions.first().and_then(|action| match action {
            Action::Redeem { id, until } => Some(Awaited::Store(*id, *until)),
            Action::Run(run) => Some(Awaited::Handler(run.clone())),
            _ => None,
        });
        let (expected, waits_for) = match (expected, waits_for) {
            (Expected::Runs(runs), Some(waits_for)) => (runs, waits_for),
            (Expected::Refuses(code, status), None) => {
                check_answer(&actions, Answer::Error(code), status)?;
                self.note("a request is refused");
                return self.respond(server, from, &actions, &reports);
            }
            (expected @ Expected::Refuses(..), Some(_)) => {
                let rule = Invariant::HandlersRunOnSoundStates;
                return Err(rule.broken(format!("the handler runs, expected {expected:?}")));
            }
            (expected @ Expected::Runs(_), None) => {
                let rule = Invariant::AsRequired;
                return Err(rule.broken(format!("{actions:?}, expected {expected:?}")));
            }
        };
        let is_used_once = expected.token.is_some() && is_single_use(server);
        let is_redeemed = matches!(waits_for, Awaited::Store(..));
        Invariant::HandlersRunOnSoundStates.same(
            "whether it is redeemed",
            &is_redeemed,
            &is_used_once,
        )?;
        if let Awaited::Handler(run) = &waits_for {
            self.check_run(server, run, &expected)?;
        }
        let running = Running { exchange, to: from, principal, waits_for, expected };
        self.servers.get_mut(server).unwrap().running.push(running);
        Ok(())
    }

    /// Goes on with a request of any server, by index.
    pub(super) fn serve_any(&mut self, index: u8, how: Ends) -> Checked {
        let busy = |server: &Server| server.running.len();
        let all: usize = self.servers.iter().map(busy).sum();
        let Some(mut at) = usize::from(index).checked_rem(all) else { return Ok(()) };
        for server in 0..self.servers.len() {
            let count = busy(self.servers.get(server).unwrap());
            if at < count {
                return self.serve(server, u8::try_from(at).unwrap_or(0), how);
            }
            at -= count;
        }
        Ok(())
    }

    /// Goes on with a request: its state is redeemed, or its handler ends.
    pub(super) fn serve(&mut self, number: usize, index: u8, how: Ends) -> Checked {
        let (now, server) = (self.unix(), self.servers.get_mut(number).unwrap());
        let Some(mut running) = take(&mut server.running, index) else { return Ok(()) };
        let (happens, expected) = self.come_of(number, &running, how);
        self.check_shown(&happens)?;
        let random = &mut self.servers.get_mut(number).unwrap().random;
        let actions = match happens {
            Happens::Store(event) => running.exchange.handle(event),
            Happens::Ends(ending) => running.exchange.end(now, random, ending),
        };
        let actions =
            actions.map_err(|misuse| Invariant::AsRequired.broken(format!("{misuse}")))?;
        let reports = actions.reports().to_vec();
        let mut actions: Vec<_> = actions.into_iter().collect();
        (self.lies.server.acts)(&mut actions);
        self.check_shown(&(&running.exchange, &actions, &reports))?;
        if let Some(answer) = expected {
            check_answer(&actions, answer, answer.status())?;
            if answer == Answer::Error(INVALID_PARAMS) {
                self.note("a replay is refused");
            }
            self.seal(number, &running, &actions)?;
            return self.respond(number, running.to, &actions, &reports);
        }
        let [Action::Run(run)] = actions.as_slice() else {
            return Err(Invariant::AsRequired.broken(format!("{actions:?}")));
        };
        self.check_run(number, run, &running.expected)?;
        running.waits_for = Awaited::Handler(run.clone());
        self.servers.get_mut(number).unwrap().running.push(running);
        Ok(())
    }

    /// Returns what happens to a request, and how it must be answered then, if it must.
    fn come_of(
        &mut self,
        number: usize,
        running: &Running,
        how: Ends,
    ) -> (Happens, Option<Answer>) {
        let now = self.unix();
        match &running.waits_for {
            Awaited::Store(..) if how == Ends::Fails => {
                (Happens::Store(Event::StoreFailed), Some(Answer::Error(INTERNAL)))
            }
            Awaited::Store(id, until) => {
                let server = self.servers.get_mut(number).unwrap();
                let first = (self.lies.server.redeems)(server.redeem(now, *id, *until));
                let refused = (!first).then_some(Answer::Error(INVALID_PARAMS));
                (Happens::Store(Event::Redeemed { first }), refused)
            }
            Awaited::Handler(run) => {
                let (ending, answer) = self.end(number, run, &running.principal, how);
                (Happens::Ends(ending), Some(answer))
            }
        }
    }

    /// Ends a handler, and says how the request must be answered.
    fn end(&mut self, number: usize, run: &Run, principal: &str, how: Ends) -> (Ending, Answer) {
        let error = RpcError::new(FAILED, SECRET).into();
        let result = |json: &str| RawJson::parse(json).unwrap();
        match how {
            Ends::Fails => return (Ending::Fail(error), Answer::Error(FAILED)),
            Ends::Abandons => return (Ending::Abandon(error), Answer::Error(FAILED)),
            Ends::AsPlanned => {}
        }
        let (turn, call, step) = self.turn_of(number, run);
        let ending = match turn {
            Turn::Finish => {
                let json = format!(r#"{{"call":{call},"said":"{SECRET}"}}"#);
                Ending::Finish(result(&json))
            }
            Turn::Fail => Ending::Fail(error),
            Turn::Abandon => Ending::Abandon(error),
            Turn::Empty | Turn::Pause | Turn::Sample | Turn::Ask(_) => {
                Ending::Need(self.need(number, call, step, turn, run, principal))
            }
        };
        let questions = self.asks.asked.len();
        (ending, answer(number, run.round, turn, questions))
    }

    /// Answers a request, with what an operator hears of it.
    fn respond(
        &mut self,
        number: usize,
        to: Option<Sender>,
        actions: &[Action],
        reports: &[Report],
    ) -> Checked {
        check_reports(number, &body(actions)?, reports)?;
        for Report { kind, .. } in reports {
            let said = format!("{kind:?}");
            let name = said.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
            let cause = said.split("cause: ").nth(1).map(|rest| rest.trim_end_matches(" }"));
            self.note(&format!("reported {name} {}", cause.unwrap_or_default()));
        }
        for action in actions {
            match action {
                Action::Respond(Respond { body: Some(body), .. }) => {
                    if let Some(to) = to.clone() {
                        let message = body.as_str().to_owned();
                        self.network.responses.push(Response { to, message });
                    }
                }
                Action::Release { id } => {
                    self.servers.get_mut(number).unwrap().redeemed.remove(id);
                    self.note("a state is given back");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Checks that an error and a round are reported once, and a result is not.
fn check_reports(server: usize, body: &Value, reports: &[Report]) -> Checked {
    let is_result = body.pointer("/result").is_some_and(|result| {
        result.pointer("/resultType").is_none_or(|kind| kind != "input_required")
    });
    let is_its = reports.iter().all(|report| *report.endpoint == *setup::name(server));
    let is_so = is_its && reports.len() == usize::from(!is_result);
    Invariant::AsRequired.holds_or(is_so, || format!("{reports:?} of server {server}"))
}

/// Compares an answer with what it must be.
fn check_answer(actions: &[Action], expected: Answer, status: u16) -> Checked {
    let body = body(actions)?;
    let error = body.pointer("/error/code").and_then(Value::as_i64);
    let is_round = body.pointer("/result/resultType").is_some_and(|kind| kind == "input_required");
    let found = match error {
        Some(code) => Answer::Error(code),
        None if is_round => {
            let requests = body.pointer("/result/inputRequests").and_then(Value::as_object);
            Answer::Round(requests.map_or(0, serde_json::Map::len))
        }
        None => Answer::Result,
    };
    Invariant::AsRequired.same("an answer", &found, &expected)?;
    let found = actions.iter().find_map(|action| match action {
        Action::Respond(respond) => Some(respond.status),
        _ => None,
    });
    Invariant::AsRequired.same("its status", &found, &Some(status))
}

/// Reads the answer to a request.
pub(super) fn body(actions: &[Action]) -> Result<Value, Violation> {
    let body = actions.iter().find_map(|action| match action {
        Action::Respond(respond) => respond.body.as_ref(),
        _ => None,
    });
    let body = body.and_then(|body| serde_json::from_str(body.as_str()).ok());
    body.ok_or_else(|| Invariant::AsRequired.broken("a request is not answered"))
}
