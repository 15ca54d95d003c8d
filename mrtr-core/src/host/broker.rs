//! The machine of the host role.

use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec,
    vec::Vec,
};

use thiserror::Error;

use super::{
    Action, Actions, Call, CloseReason, ConnectionId, Epoch, Event, Fault, FrameError, HostFrame,
    InteractionId, Limits, Misuse, Outcome, Owner, ProviderFrame, Record, RecordId, RecordKind,
    Report, Scope, Snapshot,
    active::{ActiveInvocation, Expiry},
    id::invocation_id,
    index::Index,
    ledger::{End, Input, Ledger},
    recently_closed::RecentlyClosed,
};
use crate::{
    Instant, InvocationId, Phase, Trigger,
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
        let close = |interaction: &InteractionId| {
            Action::Store(Record::Closed {
                interaction: *interaction,
                why: CloseReason::HostRestarted,
            })
        };
        let list = asked.difference(&ended).map(close).collect();
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
        let on = index.registration(&registration).ok_or(Misuse::NotRegistered)?;
        let connection = on.connection;
        let on_it = index.connection(connection).map_or(0, |counted| counted.invocations);
        let of_it = index.session_number(&session).and_then(|number| index.session(number));
        let of_it = of_it.map_or(0, |counted| counted.invocations);
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
        let place = index.insert(self.last, on.number, &owner);
        let call = ActiveInvocation::new(now, Arc::new(owner), place);
        let due = call.due(limits).map(|(at, _)| at);
        index.move_deadline(self.last, None, due);
        self.active.insert(self.last, Box::new(call));
        let frame = HostFrame::Call { invocation: invocation.clone(), request };
        let list = vec![Action::Deliver { connection, frame }];
        Ok((invocation, Actions { list, reports: Vec::new() }))
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
        let mut actions = Actions::default();
        match event {
            Event::Connected(connection) => self.ledger.index.connect(connection)?,
            Event::Disconnected(connection) => {
                let of_it = self.ledger.index.of_connection(connection);
                self.lose(now, of_it, CloseReason::ProviderLost, &mut actions);
                self.ledger.index.disconnect(connection);
            }
            Event::Registered { registration, connection } => {
                self.ledger.index.connection(connection).ok_or(Misuse::NotConnected)?;
                let of_it = self.ledger.index.of_registration(&registration);
                self.lose(now, of_it, CloseReason::Superseded, &mut actions);
                self.ledger.index.retire(&registration);
                self.ledger.index.register(registration, connection);
            }
            Event::Retired(registration) => {
                let of_it = self.ledger.index.of_registration(&registration);
                self.lose(now, of_it, CloseReason::Retired, &mut actions);
                self.ledger.index.retire(&registration);
            }
            Event::Frame { connection, frame } => {
                self.take_frame(now, connection, frame, &mut actions);
            }
            Event::Unreadable { connection, error: FrameError { error, asks } } => {
                self.refuse(connection, asks, Fault::Unreadable(error), &mut actions);
            }
            Event::Answer { interaction, session, response } => {
                let answer = self.read_answer(interaction, &session, response)?;
                let input = if self.ledger.is_durable {
                    Input::Taken(answer)
                } else {
                    Input::Answered(answer)
                };
                self.step(now, interaction.invocation, input, &mut actions);
            }
            Event::Unanswerable(interaction) => {
                self.open(interaction)?;
                let end = End {
                    outcome: Outcome::Unanswerable,
                    why: CloseReason::Unanswerable,
                    trigger: Trigger::Unanswerable,
                };
                self.step(now, interaction.invocation, Input::Ended(end), &mut actions);
            }
            Event::Stored(record) => {
                if let Some(input) = self.read_stored(record)? {
                    self.step(now, record.interaction.invocation, input, &mut actions);
                }
            }
            Event::StoreFailed(record) => {
                if self.read_stored(record)?.is_some() {
                    let input = Input::Ended(End::store_failed());
                    self.step(now, record.interaction.invocation, input, &mut actions);
                }
            }
            Event::Stop(scope) => {
                let covered = self.covered(&scope);
                self.stop(now, covered, CloseReason::Stopped, &mut actions);
            }
            Event::TurnEnded { session, turn } => {
                let covered = self.ledger.index.of_turn(&session, &turn);
                self.stop(now, covered, CloseReason::TurnEnded, &mut actions);
            }
            Event::Tick => self.expire(now, &mut actions),
        }
        Ok(actions)
    }

    /// Returns when to come back with [`Event::Tick`] if no other event comes before; `None` if no
    /// invocation is live.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.ledger.index.first_deadline().map(|(at, _)| at)
    }

    /// Returns the open questions of a session.
    #[must_use]
    pub fn snapshot(&self, session: &SessionId) -> Snapshot {
        let pending =
            self.ledger.index.of_session(session).filter_map(|number| self.active.get(&number));
        let mut open: Vec<_> =
            pending.filter_map(|call| call.pending.as_ref()?.visible()).collect();
        open.sort_unstable_by_key(|visible| visible.interaction.id);
        Snapshot {
            epoch: self.ledger.epoch,
            session: session.clone(),
            number: self.ledger.changes,
            open,
        }
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
        self.ledger.index.connection(connection).map(|counted| counted.refused)
    }

    /// Returns the connection of a registration; `None` if there is no such registration.
    #[must_use]
    pub fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.ledger.index.registration(registration).map(|on| on.connection)
    }

    /// Returns the epoch of the host.
    #[must_use]
    pub const fn epoch(&self) -> Epoch {
        self.ledger.epoch
    }

    /// Processes a frame, or refuses it.
    fn take_frame(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        frame: ProviderFrame,
        actions: &mut Actions,
    ) {
        let asked = match &frame {
            ProviderFrame::InteractionRequest { invocation, interaction, .. } => {
                Some((invocation.clone(), *interaction))
            }
            ProviderFrame::Accepted { .. }
            | ProviderFrame::Rejected { .. }
            | ProviderFrame::Progress { .. }
            | ProviderFrame::Result { .. }
            | ProviderFrame::Failed { .. }
            | ProviderFrame::Released { .. } => None,
        };
        match self.read_frame(now, connection, frame) {
            Ok((number, input)) => self.step(now, number, input, actions),
            Err(why) => self.refuse(connection, asked, why, actions),
        }
    }

    /// Refuses a frame, or bytes that are not a frame. `asked` is the question in it, if there is
    /// one.
    fn refuse(
        &mut self,
        connection: ConnectionId,
        asked: Option<(InvocationId, u64)>,
        why: Fault,
        actions: &mut Actions,
    ) {
        if let Some((invocation, interaction)) = asked
            && self.is_told(connection, &invocation, interaction)
        {
            let code = why.code().into();
            let frame = HostFrame::InteractionRefused { invocation, interaction, code };
            actions.list.push(Action::Deliver { connection, frame });
        }
        if let Some(counted) = self.ledger.index.connection_mut(connection) {
            counted.refused = counted.refused.saturating_add(1);
        }
        actions.reports.push(Report::Refused { connection, why });
    }

    fn covered(&self, scope: &Scope) -> Vec<u64> {
        match scope {
            Scope::Invocation(id) => self.find(id).map(|(number, _)| number).into_iter().collect(),
            Scope::Turn(session, turn) => self.ledger.index.of_turn(session, turn),
            Scope::Session(session) => self.ledger.index.of_session(session).collect(),
            Scope::All => self.active.keys().copied().collect(),
        }
    }

    fn stop(&mut self, now: Instant, covered: Vec<u64>, why: CloseReason, actions: &mut Actions) {
        for number in covered {
            let end = End { outcome: Outcome::Stopped, why, trigger: Trigger::Stopped };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    fn lose(&mut self, now: Instant, lost: Vec<u64>, why: CloseReason, actions: &mut Actions) {
        for number in lost {
            let is_in_flight =
                self.active.get(&number).is_some_and(|call| call.phase.is_in_flight());
            let outcome = if is_in_flight { Outcome::OutcomeUnknown } else { Outcome::Lost };
            let end = End { outcome, why, trigger: Trigger::Lost };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    /// Ends the invocations whose time has run out.
    fn expire(&mut self, now: Instant, actions: &mut Actions) {
        while let Some((at, number)) = self.ledger.index.first_deadline() {
            let due = self.active.get(&number).and_then(|call| call.due(&self.ledger.limits));
            let (true, Some((_, expiry))) = (at <= now, due) else { return };
            let end = match expiry {
                Expiry::Clock(clock) => End::timed_out(clock),
                Expiry::Store => End::store_failed(),
            };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    /// Applies an input to an invocation, and drops the invocation if it has settled.
    fn step(&mut self, now: Instant, number: u64, input: Input, actions: &mut Actions) {
        let Some(call) = self.active.get_mut(&number) else { return };
        self.ledger.step(now, call, number, input, actions);
        if call.phase == Phase::Settled {
            self.active.remove(&number);
        }
    }
}
