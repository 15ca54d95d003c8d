//! The machine of the host role.

use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec::Vec,
};

use thiserror::Error;

use super::{
    Action, Actions, Call, CloseReason, ConnectionId, Epoch, Event, Fault, FrameError, HostFrame,
    Limits, Misuse, Outcome, Owner, ProviderFrame, Record, RecordId, RecordKind, Report, Scope,
    Snapshot,
    active::ActiveInvocation,
    id::invocation_id,
    index::Index,
    ledger::{Input, Ledger, Reaction},
    recently_closed::RecentlyClosed,
};
use crate::{
    Instant, InvocationId, Phase,
    id::{RegistrationId, SessionId},
};

/// The owner of every question that a host's invocations ask people.
///
/// Events and the time go in, and actions come out of the same call. The broker is plain data: it
/// does nothing between two calls. The example has no store; `docs/host.md` in the repository shows
/// one.
///
/// ```
/// use form_model::{Content, Form};
/// use mrtr_core::host::{
///     Action, Broker, Call, ChangeKind, ConnectionId, Epoch, Event, HostFrame, Limits, Outcome,
///     ProviderFrame, Question, RegistrationId, Requester, SessionId, ToolCallId, TurnId,
/// };
/// use mrtr_core::wire::{InputResponse, RawJson};
/// use mrtr_core::{Instant, Phase};
///
/// let now = Instant::from_millis(0);
/// let mut broker = Broker::volatile(Epoch::new(1), Limits::default());
/// let connection = ConnectionId::new(1);
/// let registration = RegistrationId::new("files")?;
/// broker.handle(now, Event::Connected(connection))?;
/// broker.handle(now, Event::Registered { registration: registration.clone(), connection })?;
///
/// // A model calls a tool, and the provider accepts the call.
/// let session = SessionId::new("session-1")?;
/// let (turn, tool_call) = (TurnId::new("turn-1")?, ToolCallId::new("tool-call-1")?);
/// let request = RawJson::parse(r#"{"name":"deploy"}"#)?;
/// let call = Call::new(session.clone(), turn, tool_call, registration, request);
/// let (invocation, actions) = broker.call(now, call)?;
/// assert!(matches!(actions.as_slice(), [Action::Deliver { frame: HostFrame::Call { .. }, .. }]));
/// let frame = ProviderFrame::Accepted { invocation: invocation.clone() };
/// broker.handle(now, Event::Frame { connection, frame })?;
///
/// // The provider asks a question. Every surface of the session gets it.
/// let form = Form::from_schema(r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#)?;
/// let question = Question::form("Sure?", form, Requester::new("files", "github", "deploy"));
/// let frame = ProviderFrame::ask(invocation.clone(), 1, &question);
/// let actions = broker.handle(now, Event::Frame { connection, frame })?;
/// let [Action::Project(change)] = actions.as_slice() else { unreachable!() };
/// let ChangeKind::Opened(question) = &change.kind else { unreachable!() };
/// assert_eq!(broker.phase(&invocation), Some(Phase::AwaitingInteraction));
///
/// // A person answers on one of the surfaces, and the provider gets the answer.
/// let response = InputResponse::Accept(Content::new().with_flag("sure", true));
/// let answer = Event::Answer { interaction: question.id, session, response };
/// let actions = broker.handle(now, answer)?;
/// let [Action::Deliver { frame: HostFrame::InteractionResult { result, .. }, .. }, ..] =
///     actions.as_slice() else { unreachable!() };
/// assert_eq!(result.as_str(), r#"{"action":"accept","content":{"sure":true}}"#);
///
/// // The provider continues, and is done.
/// let frame = ProviderFrame::Result { invocation, result: RawJson::parse("{}")? };
/// let actions = broker.handle(now, Event::Frame { connection, frame })?;
/// assert!(matches!(actions.as_slice(), [Action::Settle { outcome: Outcome::Complete(_), .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Broker {
    /// The number of the last invocation.
    pub(super) last: u64,
    pub(super) active: BTreeMap<u64, Box<ActiveInvocation>>,
    pub(super) ledger: Ledger,
}

/// The error of a restarted host whose epoch is not above the epochs of the records in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an epoch above all those in the store")]
#[non_exhaustive]
pub struct EpochReused;

impl Broker {
    /// Makes a broker without a store. It delivers each answer at once, and a restart loses its
    /// questions.
    #[must_use]
    pub fn volatile(epoch: Epoch, limits: Limits) -> Self {
        let ledger = Ledger {
            epoch,
            is_durable: false,
            limits,
            changes: 0,
            index: Index::default(),
            recent: RecentlyClosed::default(),
        };
        Self { last: 0, active: BTreeMap::new(), ledger }
    }

    /// Makes a broker with a store. `held` are the ids of the records in the store, all of earlier
    /// epochs. The actions close the questions that were open when the host ended. The broker does
    /// not ask or execute anything again.
    ///
    /// # Errors
    ///
    /// Returns [`EpochReused`] if a record is of this epoch or a later one.
    pub fn durable(
        epoch: Epoch,
        limits: Limits,
        held: impl IntoIterator<Item = RecordId>,
    ) -> Result<(Self, Actions), EpochReused> {
        let (mut asked, mut ended) = (BTreeSet::new(), BTreeSet::new());
        for RecordId { interaction, kind } in held {
            if interaction.epoch >= epoch {
                return Err(EpochReused);
            }
            match kind {
                RecordKind::Requested => asked.insert(interaction),
                RecordKind::Answered | RecordKind::Closed => ended.insert(interaction),
            };
        }
        let why = CloseReason::HostRestarted;
        let closed =
            asked.difference(&ended).map(|&interaction| Record::Closed { interaction, why });
        let list = closed.map(Action::Store).collect();
        let mut broker = Self::volatile(epoch, limits);
        broker.ledger.is_durable = true;
        Ok((broker, Actions { list, reports: Vec::new() }))
    }

    /// Starts an invocation. The action delivers the call to its provider.
    ///
    /// # Errors
    ///
    /// Returns [`Misuse::NotRegistered`] if the registration is not known, or [`Misuse::Limit`] if
    /// the connection or the session has too many live invocations. The broker is unchanged.
    pub fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Actions), Misuse> {
        let Call { session, turn, tool_call, registration, request } = call;
        let index = &mut self.ledger.index;
        let connection =
            index.registrations.get(&registration).ok_or(Misuse::NotRegistered)?.connection;
        let on_it = index.connections.get(&connection).map_or(0, |counted| counted.invocations);
        let of_it = index.sessions.get(&session).map_or(0, |counted| counted.invocations.len());
        let limits = &self.ledger.limits;
        for (count, max, what) in [
            (on_it, limits.connection_invocations_max, "live invocations on a connection"),
            (of_it, limits.session_invocations_max, "live invocations of a session"),
        ] {
            if count >= max {
                return Err(Misuse::Limit { what, max });
            }
        }
        self.last += 1;
        let invocation = invocation_id(self.ledger.epoch, self.last);
        let id = invocation.clone();
        let owner = Owner { invocation: id, session, turn, tool_call, registration, connection };
        index.insert(self.last, &owner);
        let call = ActiveInvocation::new(now, self.last, Arc::new(owner));
        let due = call.due(limits).map(|(at, ..)| at);
        index.move_deadline(self.last, None, due);
        self.active.insert(self.last, Box::new(call));
        let frame = HostFrame::Call { invocation: invocation.clone(), request };
        Ok((invocation, Action::Deliver { connection, frame }.into()))
    }

    /// Takes an event, and returns the actions that follow from it.
    ///
    /// A frame that breaks a rule is refused, counted and reported as a [`Fault`]. It changes
    /// nothing else.
    ///
    /// # Errors
    ///
    /// Returns [`Misuse`] if the caller made a mistake, or if the answer of a surface is wrong. The
    /// broker is unchanged.
    pub fn handle(&mut self, now: Instant, event: Event) -> Result<Actions, Misuse> {
        let mut reaction = Reaction { now, actions: Actions::default() };
        match event {
            Event::Connected(connection) => self.ledger.index.connect(connection)?,
            Event::Disconnected(connection) => {
                let of_it = self.ledger.index.of_connection(connection);
                self.lose(&mut reaction, of_it, CloseReason::ProviderLost);
                self.ledger.index.disconnect(connection);
            }
            Event::Registered { registration, connection } => {
                self.ledger.index.connections.get(&connection).ok_or(Misuse::NotConnected)?;
                let of_it = self.ledger.index.of_registration(&registration);
                self.lose(&mut reaction, of_it, CloseReason::Superseded);
                self.ledger.index.retire(&registration);
                self.ledger.index.register(registration, connection);
            }
            Event::Retired(registration) => {
                let of_it = self.ledger.index.of_registration(&registration);
                self.lose(&mut reaction, of_it, CloseReason::Retired);
                self.ledger.index.retire(&registration);
            }
            Event::Frame { connection, frame } => {
                self.take_frame(&mut reaction, connection, frame);
            }
            Event::Unreadable { connection, error: FrameError { error, asks } } => {
                self.refuse(&mut reaction, connection, asks, Fault::Unreadable(error));
            }
            Event::Answer { interaction, session, response } => {
                let answer = self.read_answer(interaction, &session, response)?;
                let is_durable = self.ledger.is_durable;
                let input = if is_durable { Input::Taken(answer) } else { Input::Answered(answer) };
                self.step(&mut reaction, interaction.invocation, input);
            }
            Event::Unanswerable(interaction) => {
                self.open(interaction)?;
                let input = Input::Ended(Outcome::Unanswerable, CloseReason::Unanswerable);
                self.step(&mut reaction, interaction.invocation, input);
            }
            Event::Stored(record) => {
                if let Some(input) = self.read_stored(record)? {
                    self.step(&mut reaction, record.interaction.invocation, input);
                }
            }
            Event::StoreFailed(record) => {
                if self.read_stored(record)?.is_some() {
                    let input = Input::Ended(Outcome::StoreFailed, CloseReason::StoreFailed);
                    self.step(&mut reaction, record.interaction.invocation, input);
                }
            }
            Event::Stop(scope) => {
                let covered = self.covered(&scope);
                self.stop(&mut reaction, covered, CloseReason::Stopped);
            }
            Event::TurnEnded { session, turn } => {
                let covered = self.covered(&Scope::Turn(session, turn));
                self.stop(&mut reaction, covered, CloseReason::TurnEnded);
            }
            Event::Tick => self.expire(&mut reaction),
        }
        Ok(reaction.actions)
    }

    /// Returns when to come back with [`Event::Tick`] if no other event comes before; `None` if no
    /// invocation is live.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.ledger.index.deadlines.first().map(|(at, _)| *at)
    }

    /// Returns the open questions of a session.
    #[must_use]
    pub fn snapshot(&self, session: &SessionId) -> Snapshot {
        let Ledger { epoch, changes: number, index, .. } = &self.ledger;
        let open = index
            .of_session(session)
            .filter_map(|number| self.active.get(&number)?.pending.as_ref()?.visible());
        let mut open: Vec<_> = open.collect();
        open.sort_unstable_by_key(|visible| visible.interaction.id);
        Snapshot { epoch: *epoch, session: session.clone(), number: *number, open }
    }

    /// Returns the phase of an invocation; `None` if it is not live.
    #[must_use]
    pub fn phase(&self, invocation: &InvocationId) -> Option<Phase> {
        self.find(invocation).ok().map(|(_, call)| call.phase)
    }

    /// Returns what an invocation is bound to; `None` if it is not live.
    #[must_use]
    pub fn owner(&self, invocation: &InvocationId) -> Option<&Owner> {
        self.find(invocation).ok().map(|(_, call)| call.owner.as_ref())
    }

    /// Returns the live invocations.
    pub fn invocations(&self) -> impl Iterator<Item = &InvocationId> {
        self.active.values().map(|call| &call.owner.invocation)
    }

    /// Returns how many frames of a connection were refused; `None` if the connection is not known.
    #[must_use]
    pub fn refused(&self, connection: ConnectionId) -> Option<u64> {
        self.ledger.index.connections.get(&connection).map(|counted| counted.refused)
    }

    /// Returns the connection of a registration; `None` if there is no such registration.
    #[must_use]
    pub fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.ledger.index.registrations.get(registration).map(|on| on.connection)
    }

    /// Returns the epoch of the host.
    #[must_use]
    pub const fn epoch(&self) -> Epoch {
        self.ledger.epoch
    }

    /// Processes a frame, or refuses it.
    fn take_frame(
        &mut self,
        reaction: &mut Reaction,
        connection: ConnectionId,
        frame: ProviderFrame,
    ) {
        let mut asked = None;
        if let ProviderFrame::InteractionRequest { invocation, interaction, .. } = &frame {
            asked = Some((invocation.clone(), *interaction));
        }
        match self.read_frame(reaction.now, connection, frame) {
            Ok((number, input)) => self.step(reaction, number, input),
            Err(why) => self.refuse(reaction, connection, asked, why),
        }
    }

    /// Refuses a frame, or bytes that are not a frame. `asked` is the question in it, if there is
    /// one.
    fn refuse(
        &mut self,
        reaction: &mut Reaction,
        connection: ConnectionId,
        asked: Option<(InvocationId, u64)>,
        why: Fault,
    ) {
        if let Some((invocation, interaction)) = asked
            && self.is_told(connection, &invocation, interaction)
        {
            let code = why.code().into();
            let frame = HostFrame::InteractionRefused { invocation, interaction, code };
            reaction.actions.list.push(Action::Deliver { connection, frame });
        }
        if let Some(counted) = self.ledger.index.connections.get_mut(&connection) {
            counted.refused = counted.refused.saturating_add(1);
        }
        reaction.actions.reports.push(Report::Refused { connection, why });
    }

    fn covered(&self, scope: &Scope) -> Vec<u64> {
        match scope {
            Scope::Invocation(id) => self.find(id).map(|(number, _)| number).into_iter().collect(),
            Scope::Turn(session, turn) => self.ledger.index.of_turn(session, turn),
            Scope::Session(session) => self.ledger.index.of_session(session).collect(),
            Scope::All => self.active.keys().copied().collect(),
        }
    }

    fn stop(&mut self, reaction: &mut Reaction, covered: Vec<u64>, why: CloseReason) {
        for number in covered {
            self.step(reaction, number, Input::Ended(Outcome::Stopped, why));
        }
    }

    fn lose(&mut self, reaction: &mut Reaction, lost: Vec<u64>, why: CloseReason) {
        for number in lost {
            let call = self.active.get(&number);
            let works = call.is_some_and(|call| call.phase.is_in_flight());
            let outcome = if works { Outcome::OutcomeUnknown } else { Outcome::Lost };
            self.step(reaction, number, Input::Ended(outcome, why));
        }
    }

    /// Ends the invocations whose time has run out.
    fn expire(&mut self, reaction: &mut Reaction) {
        while let Some(&(at, number)) = self.ledger.index.deadlines.first() {
            let due = self.active.get(&number).and_then(|call| call.due(&self.ledger.limits));
            let (true, Some((_, outcome, why))) = (at <= reaction.now, due) else { return };
            self.step(reaction, number, Input::Ended(outcome, why));
        }
    }

    /// Applies an input to an invocation, and drops the invocation if it has settled.
    fn step(&mut self, reaction: &mut Reaction, number: u64, input: Input) {
        let Some(call) = self.active.get_mut(&number) else { return };
        self.ledger.step(reaction, call, input);
        if call.phase == Phase::Settled {
            self.active.remove(&number);
        }
    }
}
