//! A client and a server over a network that loses, copies, delays, reorders and forges messages.

use crate::invariants::{Invariant, Violation, shows_nothing_secret};
use crate::watch::{ClientWatch, response_text};
mod scene;
mod server;

use core::fmt;
use std::{collections::BTreeMap, sync::Arc};

use mrtr_core::{
    Instant,
    client::{Action, Event, Invocation, LegId, LegRequest, Reply},
    server::{
        Action as Does, Actions as Done, Ending, Event as Happens, Exchange, Incoming, Misuse,
        Need, ReportKind,
    },
    wire::{RawJson, RpcError},
};

pub use scene::PairScope;
use scene::{KEY, PairScene, SEALING_KEY, answers, json, random, start, time};
use server::{ServedRequest, Serving, States, state_of};

use super::{Fixed, Searched, Seen};

/// A client, a server, and what is under way between them.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Pair {
    scene: Fixed<PairScene>,
    /// The number of the call that is on, the call, and what has come out of it.
    number: usize,
    call: Invocation,
    watch: ClientWatch,
    now: Instant,
    /// What is under way, in no order.
    under_way: Vec<Message>,
    /// What the server works on, in no order.
    serving: Vec<Serving>,
    states: States,
    /// How often each leg has reached the server.
    came: BTreeMap<LegId, u8>,
    /// Whether the states of earlier have expired.
    is_late: bool,
    copies: u32,
    forgeries: u32,
}

/// A message under way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Message {
    leg: LegId,
    is_request: bool,
    text: Arc<str>,
}

/// How a handler ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It asks.
    Asks,
    /// It wants to be called again.
    Later,
    /// It has a result.
    Finishes,
    /// It fails.
    Fails,
    /// It gives up before it did anything.
    GivesUp,
}

/// A thing that can happen.
pub enum PairStep {
    /// A message arrives.
    Arrive(usize),
    /// A message is lost.
    Lose(usize),
    /// A message is copied.
    Copy(usize),
    /// The state in a request is changed under way.
    Forge(usize),
    /// The store of used states says whether a state is used for the first time.
    Redeem(usize),
    /// It cannot say.
    StoreFails(usize),
    /// A handler ends.
    End(usize, Ends),
    /// The client's person answers.
    Answer(usize),
    /// Something else happens to the client.
    Client(&'static str, Event),
    /// Time passes until something of the client is due: its tick.
    Tick,
    /// Another call begins.
    Call,
    /// The states that are out expire.
    Expire,
}

impl fmt::Debug for PairStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arrive(message) => write!(f, "message {message} arrives"),
            Self::Lose(message) => write!(f, "message {message} is lost"),
            Self::Copy(message) => write!(f, "message {message} is copied"),
            Self::Forge(message) => write!(f, "the state in message {message} is changed"),
            Self::Redeem(request) => write!(f, "the store speaks of request {request}"),
            Self::StoreFails(request) => write!(f, "the store fails for request {request}"),
            Self::End(request, how) => write!(f, "the handler of request {request}: {how:?}"),
            Self::Answer(answer) => write!(f, "somebody answers: {:?}", answers().get(*answer)),
            Self::Client(name, _) => f.write_str(name),
            Self::Tick => f.write_str("time passes until something is due: Tick"),
            Self::Call => f.write_str("another call begins"),
            Self::Expire => f.write_str("the states that are out expire"),
        }
    }
}

impl Pair {
    /// Starts the first call.
    #[must_use]
    pub fn start(setup: PairScope) -> Self {
        let now = Instant::from_millis(0);
        let (call, first) = start(1, &setup, now);
        let watch = ClientWatch::new(&first, setup.rounds_max);
        let mut pair = Self {
            scene: Fixed::new(PairScene::new(setup)),
            number: 1,
            call,
            watch,
            now,
            under_way: Vec::new(),
            serving: Vec::new(),
            states: States::default(),
            came: BTreeMap::new(),
            is_late: false,
            copies: setup.copies,
            forgeries: setup.forgeries,
        };
        pair.send_leg(&first);
        pair
    }

    fn setup(&self) -> &PairScope {
        &self.scene.setup
    }

    /// Puts a message under way; one more than fits is lost.
    fn send(&mut self, message: Message) {
        if self.under_way.len() < self.setup().under_way_max {
            let at = self.under_way.partition_point(|other| *other < message);
            self.under_way.insert(at, message);
        }
    }

    /// Checks that a text shows no secret, and no state that is out.
    fn check_shown(&self, text: &str) -> Result<(), Violation> {
        shows_nothing_secret(text)?;
        let is_shown = self.states.are_shown(text);
        Invariant::NothingSecretIsShown.holds(!is_shown, "what is formatted is no state")
    }

    /// What is shown of what the client said.
    fn shown(&self, list: &[Action]) -> String {
        let mut shown = format!("{list:?}");
        if let Some(Action::Send(request)) = list.first() {
            shown += &(self.setup().client.logs)(request);
        }
        shown
    }

    fn send_leg(&mut self, request: &LegRequest) {
        let (leg, text) = (request.leg.clone(), Arc::<str>::from(request.to_json()));
        self.states.answered(&text);
        self.send(Message { leg, is_request: true, text });
    }

    /// Brings an event to the client. `None`: it changes nothing.
    fn client(&mut self, event: &Event) -> Result<(), Violation> {
        let before = self.call.clone();
        let actions = match self.call.handle(self.now, event.clone()) {
            Ok(actions) => actions,
            Err(misuse) => {
                self.check_shown(&format!("{misuse} {misuse:?}"))?;
                return Invariant::Contract
                    .holds(self.call == before, "what is refused changes nothing");
            }
        };
        let phase = self.call.phase();
        let has_moved = !actions.reports().is_empty();
        let first = start(self.number, self.setup(), self.now).1;
        let mut list = actions.into_iter().collect();
        (self.setup().client.acts)(event, before.phase(), &first, &mut list);
        self.check_shown(&self.shown(&list))?;
        let sent = match event {
            Event::Answer { response, .. } => Some(response_text(response)),
            _ => None,
        };
        let phases = [before.phase(), phase];
        if has_moved {
            self.watch.see(event, sent.as_deref(), phases, &list)?;
        } else {
            Invariant::Contract.holds(list.is_empty(), "what is ignored does nothing")?;
        }
        for action in &list {
            if let Action::Send(request) = action {
                self.send_leg(request);
            }
        }
        Ok(())
    }

    fn arrive(&mut self, index: usize) -> Result<(), Violation> {
        let Message { leg, is_request, text } = self.under_way.remove(index);
        if is_request {
            return self.request(leg, text);
        }
        let reply = Reply::read(&leg, text.as_bytes());
        self.client(&Event::Reply { leg, reply })
    }

    /// Brings a request to the server.
    fn request(&mut self, leg: LegId, message: Arc<str>) -> Result<(), Violation> {
        let message = if self.setup().server.changes_answers {
            message.replace(r#""sure":true"#, r#""sure":false"#).into()
        } else {
            message
        };
        let came = self.came.entry(leg.clone()).or_default();
        let copy = *came;
        *came += 1;
        let is_late = self.is_late;
        let incoming = Incoming::message(message.as_bytes()).with_principal("alice");
        let (exchange, actions) = Exchange::receive(&self.scene.endpoint, time(is_late), incoming);
        self.check_shown(&format!("{exchange:?} {actions:?}"))?;
        let known =
            ServedRequest { leg, message: message.clone(), is_late, copy, round: 1, redeems: None };
        let serving = Serving { known, exchange };
        let mut reports = actions.reports().iter();
        let is_refused =
            reports.any(|report| matches!(report.kind, ReportKind::StateRefused { .. }));
        if self.setup().server.runs_anyway && is_refused {
            self.states.run(&serving.known, None, self.setup().is_single_use)?;
        }
        self.serve(serving, actions.as_slice())
    }

    /// Carries out what the server said, and keeps the request while it is not answered.
    fn serve(&mut self, mut serving: Serving, list: &[Does]) -> Result<(), Violation> {
        let is_single_use = self.setup().is_single_use;
        let mut is_answered = false;
        for action in list {
            match action {
                Does::Redeem { id, .. } => {
                    let rule = Invariant::HandlersRunOnSoundStates;
                    rule.holds(is_single_use, "states are redeemed where they are used once")?;
                    serving.known.redeems = Some(*id);
                }
                Does::Release { id } => self.states.release(*id),
                Does::Run(run) => {
                    serving.known.round = run.round;
                    serving.known.redeems = None;
                    self.states.run(&serving.known, Some(run), is_single_use)?;
                }
                Does::Respond(respond) => {
                    is_answered = true;
                    let body = respond.body.as_ref().map_or("", RawJson::as_str);
                    self.states.sealed(&serving.known, body);
                    let leg = serving.known.leg.clone();
                    self.send(Message { leg, is_request: false, text: body.into() });
                }
            }
        }
        if !is_answered {
            let at = self.serving.partition_point(|other| other.known < serving.known);
            self.serving.insert(at, serving);
        }
        Ok(())
    }

    /// Lets something happen to a request that the server works on.
    fn server(
        &mut self,
        index: usize,
        happens: impl FnOnce(&mut Serving) -> Result<Done, Misuse>,
    ) -> Result<(), Violation> {
        let mut serving = self.serving.remove(index);
        let actions = happens(&mut serving);
        let mut shown = format!("{:?} {actions:?}", serving.exchange);
        if self.setup().server.logs_its_key {
            shown += &format!("{SEALING_KEY:?}");
        }
        let Ok(actions) = actions else {
            return Invariant::Contract.holds(false, "an exchange takes what it waits for");
        };
        self.serve(serving, actions.as_slice())?;
        // A state that was sealed just now is known from now on.
        self.check_shown(&shown)
    }

    fn redeem(&mut self, index: usize) -> Result<(), Violation> {
        let known = self.serving.get(index).map(|serving| serving.known.clone()).unwrap();
        let is_first = self.states.redeem(known.redeems.unwrap(), &known.message);
        let first = (self.setup().server.redeems)(is_first);
        self.server(index, |serving| serving.exchange.handle(Happens::Redeemed { first }))
    }

    fn end(&mut self, index: usize, how: Ends) -> Result<(), Violation> {
        let failed = || RpcError::new(-32000, "SENTINEL").into();
        let ending = match how {
            Ends::Asks => Ending::Need(self.scene.need.clone()),
            Ends::Later => Ending::Need(Need::new().state(json(r#"{"step":"SENTINEL"}"#))),
            Ends::Finishes => Ending::Finish(json(r#"{"content":"SENTINEL"}"#)),
            Ends::Fails => Ending::Fail(failed()),
            Ends::GivesUp => {
                let message = self.serving.get(index).map(|serving| serving.known.message.clone());
                self.states.given_up(&message.unwrap());
                Ending::Abandon(failed())
            }
        };
        self.server(index, |serving| {
            let mut random = random(&serving.known.leg, serving.known.copy);
            serving.exchange.end(time(serving.known.is_late), &mut random, ending)
        })
    }

    /// Changes one character of the state in a request.
    fn forge(&mut self, index: usize) {
        let mut message = self.under_way.remove(index);
        let token = state_of(&message.text).unwrap();
        let middle = token.len() / 2;
        let (head, tail) = token.split_at(middle);
        let other = if tail.starts_with('A') { "B" } else { "A" };
        let forged = format!("{head}{other}{}", tail.get(1..).unwrap_or_default());
        message.text = message.text.replace(&*token, &forged).into();
        self.send(message);
    }

    fn happen(&mut self, op: &PairStep) -> Result<(), Violation> {
        match op {
            PairStep::Arrive(index) => self.arrive(*index)?,
            PairStep::Lose(index) => {
                self.under_way.remove(*index);
            }
            PairStep::Copy(index) => {
                self.copies -= 1;
                let message = self.under_way.get(*index).cloned().unwrap();
                self.send(message);
            }
            PairStep::Forge(index) => {
                self.forgeries -= 1;
                self.forge(*index);
            }
            PairStep::Redeem(index) => self.redeem(*index)?,
            PairStep::StoreFails(index) => {
                self.server(*index, |serving| serving.exchange.handle(Happens::StoreFailed))?;
            }
            PairStep::End(index, how) => self.end(*index, *how)?,
            PairStep::Answer(answer) => {
                let response = answers().get(*answer).cloned().unwrap();
                let round = self.watch.round();
                self.client(&Event::Answer { round, key: KEY.into(), response })?;
            }
            PairStep::Client(_, event) => {
                self.client(event)?;
                // What came back over the connection goes with it.
                if *event == Event::ConnectionLost {
                    self.under_way.retain(|message| message.is_request);
                }
            }
            PairStep::Tick => {
                self.now = self.call.deadline().unwrap();
                self.client(&Event::Tick)?;
            }
            PairStep::Call => {
                self.number += 1;
                let (call, first) = start(self.number, self.setup(), self.now);
                self.call = call;
                self.watch = ClientWatch::new(&first, self.setup().rounds_max);
                self.send_leg(&first);
            }
            PairStep::Expire => self.is_late = true,
        }
        Ok(())
    }

    /// Forgets what can play no part any more: states that nobody has, and how often a request came
    /// that does not come again.
    fn forget(&mut self) {
        let Self { under_way, serving, states, came, watch, .. } = self;
        states.retain(|token| {
            watch.state().is_some_and(|state| state.trim_matches('"') == token)
                || under_way.iter().any(|message| message.text.contains(token))
                || serving.iter().any(|serving| serving.known.message.contains(token))
        });
        came.retain(|leg, _| {
            under_way.iter().any(|message| message.is_request && message.leg == *leg)
        });
    }

    /// Lists what may happen to what is under way.
    fn network(&self, ops: &mut Vec<PairStep>) {
        let setup = self.setup();
        let has_room = self.under_way.len() < setup.under_way_max;
        let mut last = None;
        for (index, message) in self.under_way.iter().enumerate() {
            // What happens to one of two that are the same, happens to the other.
            if last.replace(message) == Some(message) {
                continue;
            }
            if !message.is_request || self.serving.len() < setup.serving_max {
                ops.push(PairStep::Arrive(index));
            }
            ops.push(PairStep::Lose(index));
            if self.copies > 0 && has_room {
                ops.push(PairStep::Copy(index));
            }
            if self.forgeries > 0 && message.is_request && state_of(&message.text).is_some() {
                ops.push(PairStep::Forge(index));
            }
        }
    }

    /// Lists how the requests that the server works on may go on.
    fn handlers(&self, ops: &mut Vec<PairStep>) {
        let setup = self.setup();
        for (index, serving) in self.serving.iter().enumerate() {
            if serving.known.redeems.is_some() {
                ops.push(PairStep::Redeem(index));
                if setup.gives_up {
                    ops.push(PairStep::StoreFails(index));
                }
                continue;
            }
            ops.extend([Ends::Finishes, Ends::Fails].map(|how| PairStep::End(index, how)));
            // A server that asks on and on is in the scopes of the client alone.
            if serving.known.round <= setup.rounds_max {
                ops.extend([Ends::Asks, Ends::Later].map(|how| PairStep::End(index, how)));
            }
            if setup.gives_up && serving.known.round > 1 {
                ops.push(PairStep::End(index, Ends::GivesUp));
            }
        }
    }
}

impl Searched for Pair {
    type Op = PairStep;

    fn ops(&self) -> Vec<PairStep> {
        let setup = self.setup();
        let mut ops = Vec::new();
        self.network(&mut ops);
        self.handlers(&mut ops);
        if self.watch.open().next().is_some() {
            ops.extend((0..answers().len()).map(PairStep::Answer));
        }
        if self.watch.is_settled() {
            if self.number < setup.calls {
                ops.push(PairStep::Call);
            }
        } else {
            ops.push(PairStep::Client("the caller stops", Event::Stop));
            ops.push(PairStep::Client("the connection drops", Event::ConnectionLost));
            ops.push(PairStep::Tick);
        }
        if setup.expires && !self.is_late {
            ops.push(PairStep::Expire);
        }
        ops
    }

    fn step(&self, op: &PairStep) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next = self.clone();
        next.happen(op)?;
        next.forget();
        Ok((Some(next), Vec::new()))
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_shown(&format!("{:?}", self.call))?;
        self.watch.check(&self.call)
    }
}
