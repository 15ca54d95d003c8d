//! A host, its providers, its store and its surfaces, and the checks after everything that happens.

use crate::invariants::{Checked, Invariant, Violation};
use std::collections::BTreeSet;

use mrtr_core::{
    Instant, InvocationId,
    host::{
        Action, Broker, Call, Change, CloseReason, Epoch, Event, InteractionId, Limits,
        ProviderFrame, Record, RecordId, Scope, SessionId, ToolCallId, TurnId,
    },
    wire::RawJson,
};

use crate::watch::{ChangeNumbers, HostWatch};

use super::{
    Does, HostOp, WhichScope,
    expected::Expected,
    host::Host,
    model::Model,
    script::{self, Fit, raw},
    setup::{SPANS, SURFACES, connection, limits, registration, session, turn},
    store::Store,
    surface::Surface,
};

/// A host and all that is around it.
///
/// ```
/// use mrtr_proptests::broker::{HostWorld, ops};
///
/// let mut world = HostWorld::new(0);
/// for op in ops(&[5, 0, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 27, 0, 0, 0]) {
///     world.apply(op);
/// }
/// assert!(world.seen().any(|place| place == "ended Answered(Accept)"));
/// ```
#[derive(Clone, Debug)]
pub struct HostWorld<H: Host = Broker> {
    pub(super) host: H,
    /// Has the same life as the host, but with providers that call themselves otherwise.
    pub(super) stranger: H,
    pub(super) model: Model,
    pub(super) watch: HostWatch,
    pub(super) numbers: ChangeNumbers,
    pub(super) store: Store,
    pub(super) surfaces: Vec<Surface>,
    /// All changes of this life.
    pub(super) changes: Vec<Change>,
    /// The questions of all lives whose answer went out.
    pub(super) delivered: BTreeSet<InteractionId>,
    pub(crate) now: Instant,
    pub(super) seen: BTreeSet<String>,
    /// What the last event that was handed to the host made it do.
    pub(super) done: Vec<Action>,
}

impl HostWorld {
    /// Starts a broker. The bits of `setup` choose its limits, its store, and who is there.
    ///
    /// # Panics
    ///
    /// A rule that does not hold as soon as somebody connects.
    #[must_use]
    pub fn new(setup: u8) -> Self {
        let kind = Broker::volatile(Epoch::new(0), Limits::default());
        Self::of(&kind, setup).unwrap_or_else(|broken| panic!("{broken}"))
    }
}

impl<H: Host> HostWorld<H> {
    /// Starts a host that is one of a kind.
    ///
    /// # Errors
    ///
    /// A rule that does not hold as soon as somebody connects.
    pub fn of(kind: &H, setup: u8) -> Result<Self, Violation> {
        let (is_durable, limits) = (setup & 1 == 1, limits(setup));
        let epoch = 7;
        let held = is_durable.then(Vec::new);
        let (host, _) = kind.anew(Epoch::new(epoch), limits.clone(), held).unwrap();
        let surfaces = SURFACES.map(|of| Surface::new(host.snapshot(&session(of)))).into();
        let mut world = Self {
            stranger: host.clone(),
            host,
            model: Model::new(epoch, is_durable, limits),
            watch: HostWatch::new(epoch, is_durable),
            numbers: ChangeNumbers::default(),
            store: Store::default(),
            surfaces,
            changes: Vec::new(),
            delivered: BTreeSet::new(),
            now: Instant::from_millis(1_000_000),
            seen: BTreeSet::new(),
            done: Vec::new(),
        };
        if setup & 64 == 0 {
            for number in 0..2 {
                world.try_apply(HostOp::Connect(number))?;
                world.try_apply(HostOp::Register { registration: number, connection: number })?;
            }
        }
        Ok(world)
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Panics
    ///
    /// A rule that does not hold.
    pub fn apply(&mut self, op: HostOp) {
        if let Err(broken) = self.try_apply(op) {
            panic!("{broken}\nafter {op:?}");
        }
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Errors
    ///
    /// A rule that does not hold.
    pub fn try_apply(&mut self, op: HostOp) -> Checked {
        let now = self.now;
        match op {
            HostOp::Tick => self.tick(),
            HostOp::Wait(span) => self.wait(|now, span| now + span, span),
            HostOp::Back(span) => self.wait(
                |now, span| Instant::from_epoch(now.since_epoch().saturating_sub(span)),
                span,
            ),
            HostOp::RunOut { early } => self.run_out(early),
            HostOp::Connect(number) => self.connected(connection(number)),
            HostOp::Disconnect(number) => self.disconnected(connection(number)),
            HostOp::Register { registration, connection: on } => {
                self.registered(registration, connection(on))
            }
            HostOp::Retire(what) => {
                let registration = registration(what);
                let expected = self.model.retire(now, &registration);
                self.step(Event::Retired(registration), expected)
            }
            HostOp::Call { session: of, turn: of_turn, registration: what } => {
                self.call(session(of), turn(of_turn), what)
            }
            HostOp::Say { invocation, connection, says } => {
                let invocation = self.invocation(invocation);
                let connection = self.connection(connection, &invocation);
                let (frame, request) = self.frame(invocation, says);
                let read = ProviderFrame::decode(frame.to_json().as_bytes());
                Invariant::AsRequired.same("a frame", &read.as_ref(), &Ok(&frame))?;
                let expected = self.model.frame(now, connection, &frame, request);
                self.step(Event::Frame { connection, frame }, expected)
            }
            HostOp::Garble { connection: on, bytes } => {
                let connection = connection(on);
                let bytes = script::pick(&script::GARBAGE, bytes).unwrap();
                let error = ProviderFrame::decode(bytes).unwrap_err();
                let expected = self.model.garbled(connection);
                self.step(Event::Unreadable { connection, error }, expected)
            }
            HostOp::Misspell { invocation, connection, number } => {
                let invocation = self.invocation(invocation);
                let connection = self.connection(connection, &invocation);
                let number = self.number(&invocation, number);
                let bytes = script::misspelt(&invocation, number);
                let error = ProviderFrame::decode(bytes.as_bytes()).unwrap_err();
                let expected = self.model.misspelt(connection, invocation, number);
                self.step(Event::Unreadable { connection, error }, expected)
            }
            HostOp::Answer { question, session, how } => {
                let interaction = self.question(question);
                let session = self.session(session, interaction);
                let (response, fit) = self.response(interaction, how);
                let expected = self.model.answer(now, interaction, &session, fit);
                let given = match fit {
                    Fit::Fits(decision, json) => Some((decision, json.into())),
                    Fit::Unfit(_) => None,
                };
                self.step_given(Event::Answer { interaction, session, response }, given, expected)
            }
            HostOp::Unanswerable(question) => self.unanswerable(self.question(question)),
            HostOp::Store { record, held } => match self.record(record) {
                Some(id) => self.stored(id, held),
                None => Ok(()),
            },
            HostOp::Stop(scope) => self.stop(scope),
            HostOp::EndTurn { session: of, turn: of_turn } => {
                let (session, turn) = (session(of), turn(of_turn));
                let is_covered = Model::is_of_turn(&session, &turn);
                let expected = self.model.stop(now, CloseReason::TurnEnded, is_covered);
                self.step(Event::TurnEnded { session, turn }, expected)
            }
            HostOp::Restart { forgets } => self.restart(forgets),
            HostOp::Surface { surface, does } => self.surface(surface, does),
        }
    }

    /// Returns what happened that not every life gets to.
    pub fn seen(&self) -> impl Iterator<Item = &str> {
        self.seen.iter().map(String::as_str)
    }

    fn wait(&mut self, turn: fn(Instant, core::time::Duration) -> Instant, span: u8) -> Checked {
        let span = core::time::Duration::from_millis(*script::pick(&SPANS, span).unwrap());
        self.now = turn(self.now, span);
        Ok(())
    }

    fn tick(&mut self) -> Checked {
        let expected = self.model.tick(self.now);
        self.step(Event::Tick, expected)
    }

    fn run_out(&mut self, early: bool) -> Checked {
        let Some(at) = self.host.deadline() else { return Ok(()) };
        let margin = core::time::Duration::from_millis(early.into());
        let at = Instant::from_epoch(at.since_epoch().saturating_sub(margin));
        self.now = self.now.max(at);
        self.tick()
    }

    fn call(&mut self, session: SessionId, turn: TurnId, what: u8) -> Checked {
        let request = raw(r#"{"name":"deploy","arguments":{"key":"SENTINEL"}}"#);
        self.call_with(session, turn, what, request).map(drop)
    }

    /// Has something done, and returns what the host calls it, if it takes it.
    pub(super) fn call_with(
        &mut self,
        session: SessionId,
        turn: TurnId,
        what: u8,
        request: RawJson,
    ) -> Result<Option<InvocationId>, Violation> {
        self.done.clear();
        let tool_call = ToolCallId::new(&format!("c-{}", self.model.calls.len())).unwrap();
        let call = Call::new(session, turn, tool_call, registration(what), request);
        let may_call = self.model.may_call(&call);
        let before = self.host.clone();
        let result = self.host.call(self.now, call.clone());
        let strange = self.stranger.call(self.now, call.clone());
        self.check_shown(&result, &strange)?;
        let begun = match (result, may_call) {
            (Err(misuse), may_call) => {
                let misuses = may_call.err().unwrap_or_default();
                self.refused(&misuse, &Expected { misuses, ..Expected::default() }, &before)?;
                None
            }
            (Ok((id, _)), Err(misuses)) => {
                return Err(Invariant::AsRequired.broken(format!("{id} for one of {misuses:?}")));
            }
            (Ok((id, out)), Ok(connection)) => {
                let is_new = !self.model.old_calls.contains(&id);
                Invariant::OneOutcome.holds_or(is_new, || format!("{id} is of another life"))?;
                self.watch.called(&id, &call, connection, &out.actions)?;
                let expected = self.model.called(self.now, id.clone(), call, connection);
                expected.check(&out)?;
                self.done.extend(out.actions);
                Some(id)
            }
        };
        self.check().map(|()| begun)
    }

    fn stored(&mut self, id: RecordId, held: bool) -> Checked {
        let was_written = self.store.was_written(id);
        self.store.say(id, held);
        let expected = self.model.stored(self.now, id, held, was_written);
        self.step(if held { Event::Stored(id) } else { Event::StoreFailed(id) }, expected)
    }

    fn stop(&mut self, scope: WhichScope) -> Checked {
        let (now, why) = (self.now, CloseReason::Stopped);
        let (scope, expected) = match scope {
            WhichScope::Invocation(which) => {
                let id = self.invocation(which);
                let expected = self.model.stop(now, why, |call| call.id == id);
                (Scope::Invocation(id), expected)
            }
            WhichScope::Turn(of, of_turn) => {
                let (session, turn) = (session(of), turn(of_turn));
                let expected = self.model.stop(now, why, Model::is_of_turn(&session, &turn));
                (Scope::Turn(session, turn), expected)
            }
            WhichScope::Session(of) => {
                let session = session(of);
                let expected = self.model.stop(now, why, |call| call.call.session == session);
                (Scope::Session(session), expected)
            }
            WhichScope::All => (Scope::All, self.model.stop(now, why, |_| true)),
        };
        self.step(Event::Stop(scope), expected)
    }

    fn surface(&mut self, surface: u8, does: Does) -> Checked {
        let at = usize::from(surface) % self.surfaces.len();
        let Some(surface) = self.surfaces.get_mut(at) else { return Ok(()) };
        let gapped = surface.act(does, &self.changes)?;
        if gapped.is_some() {
            self.seen.insert("a surface notices a gap".into());
        }
        if gapped.is_some() || does == Does::Reread {
            surface.reread(self.host.snapshot(surface.session()));
        }
        self.check()
    }

    /// Restarts the host with what the store holds.
    fn restart(&mut self, forgets: bool) -> Checked {
        let rule = Invariant::NoQuestionWithoutInvocation;
        self.store.restart(forgets);
        let (epoch, limits) = (self.model.epoch + 1, self.model.limits.clone());
        let held: Option<Vec<_>> = self.model.is_durable.then(|| self.store.held().collect());
        let epochs = held.iter().flatten().map(|record| record.interaction.epoch());
        if let Some(last) = epochs.max() {
            let again = self.host.anew(last, limits.clone(), held.clone());
            rule.holds_or(again.is_err(), || format!("{last} is the epoch of two lives"))?;
            self.seen.insert("an epoch is not used again".into());
        }
        let (host, out) = self.host.anew(Epoch::new(epoch), limits.clone(), held).unwrap();
        let mut left = self.store.left_open();
        for action in &out.actions {
            let Action::Store(record @ Record::Closed { interaction, why }) = action else {
                return Err(rule.broken(format!("{action:?}")));
            };
            let is_due = left.remove(interaction) && *why == CloseReason::HostRestarted;
            rule.holds_or(is_due, || format!("{action:?}"))?;
            self.store.put(record, &limits)?;
            self.seen.insert(format!("closed {why:?}"));
        }
        rule.holds_or(left.is_empty() && out.reports.is_empty(), || {
            format!("{left:?} stays open")
        })?;
        self.store.check_past(&self.delivered, epoch)?;
        self.stranger = host.clone();
        self.host = host;
        self.model.restart(epoch);
        self.watch = HostWatch::new(epoch, self.model.is_durable);
        self.numbers = ChangeNumbers::default();
        self.surfaces.iter_mut().for_each(Surface::outlive);
        self.changes.clear();
        self.check()
    }
}
