//! The host role: one authority that owns every pending question of every invocation.
//!
//! Providers execute and surfaces show; both are outside, and neither is trusted. The broker binds
//! each question to who may ask it and who may answer it, takes the first answer that fits, lets the
//! store hold it, and only then delivers it. `docs/host.md` is the guide, `docs/frames.md` shows what
//! goes over a connection.

mod event;
mod frame;
mod id;
mod index;
mod invocation;
mod limits;
mod past;
mod projection;
mod question;
mod record;

use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec,
    vec::Vec,
};

use thiserror::Error;

pub use event::{
    Action, Actions, Call, Closure, Decision, Ending, Event, Misuse, Outcome, Refused, Report,
    Scope,
};
pub use frame::{FRAME_BYTES_MAX, HostFrame, ProviderFrame};
pub use id::{ConnectionId, Epoch, InteractionId};
pub use limits::Limits;
pub use projection::{Change, Gap, Shown, Snapshot, View, What};
pub use question::{Owner, PendingInteraction, Question, Requester};
pub use record::{Record, RecordId, RecordKind};

use crate::{
    Clock, Instant, InvocationId, Phase, RegistrationId, SessionId, Step, Trigger, lifecycle,
    wire::{RawJson, Response},
};
use id::{invocation_id, invocation_number};
use index::Index;
use invocation::{Answered, Expiry, Live, Pending, Stage};
use past::Past;

/// Is the one owner of all that a host's invocations ask people.
///
/// Events and the time go in, actions come out of the same call. The broker is plain data.
///
/// ```
/// use form_model::{Content, Form};
/// use mrtr_core::{Broker, Instant, Phase, RegistrationId, SessionId, ToolCallId, TurnId};
/// use mrtr_core::broker::{
///     Action, Call, ConnectionId, Epoch, Event, HostFrame, Limits, Outcome, ProviderFrame, Question,
///     Requester, What,
/// };
/// use mrtr_core::wire::{RawJson, Response};
///
/// let now = Instant::from_millis(0);
/// let mut broker = Broker::volatile(Epoch::new(1), Limits::default());
/// let connection = ConnectionId::new(1);
/// let registration = RegistrationId::new("files")?;
/// broker.handle(now, Event::Connected(connection))?;
/// broker.handle(now, Event::Registered { registration: registration.clone(), connection })?;
///
/// // A model calls a tool, and the provider takes it.
/// let session = SessionId::new("session-1")?;
/// let call = Call {
///     session: session.clone(),
///     turn: TurnId::new("turn-1")?,
///     tool_call: ToolCallId::new("tool-call-1")?,
///     registration,
///     request: RawJson::parse(r#"{"name":"deploy"}"#)?,
/// };
/// let (invocation, actions) = broker.call(now, call)?;
/// assert!(matches!(actions.as_slice(), [Action::Deliver { frame: HostFrame::Call { .. }, .. }]));
/// let frame = ProviderFrame::Accepted { invocation: invocation.clone() };
/// broker.handle(now, Event::Frame { connection, frame })?;
///
/// // It needs to know something. Every surface of the session hears of it.
/// let form = Form::from_schema(r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#)?;
/// let question = Question::form("Sure?", form, Requester::new("files", "github", "deploy"));
/// let frame = ProviderFrame::ask(invocation.clone(), 1, &question);
/// let actions = broker.handle(now, Event::Frame { connection, frame })?;
/// let [Action::Project(change)] = actions.as_slice() else { unreachable!() };
/// let What::Opened(shown) = &change.what else { unreachable!() };
/// assert_eq!(broker.phase(&invocation), Some(Phase::AwaitingInteraction));
///
/// // Somebody answers on any of them, and the provider gets the answer.
/// let response = Response::Accept(Content::new().with_flag("sure", true));
/// let answer = Event::Answer { interaction: shown.id, session, response };
/// let actions = broker.handle(now, answer)?;
/// let [Action::Deliver { frame: HostFrame::InteractionResult { result, .. }, .. }, ..] =
///     actions.as_slice() else { unreachable!() };
/// assert_eq!(result.as_str(), r#"{"action":"accept","content":{"sure":true}}"#);
///
/// let frame = ProviderFrame::Result { invocation, result: RawJson::parse("{}")? };
/// let actions = broker.handle(now, Event::Frame { connection, frame })?;
/// assert!(matches!(actions.as_slice(), [Action::Settle { outcome: Outcome::Complete(_), .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Broker {
    epoch: Epoch,
    /// Whether a store is to hold what is asked and answered, before anybody hears of it.
    is_durable: bool,
    limits: Limits,
    /// The number of the last invocation.
    last: u64,
    /// The number of the last change.
    changes: u64,
    live: BTreeMap<u64, Live>,
    index: Index,
    past: Past,
}

/// Says that the epoch of a new life is not above those of the records in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an epoch above all those in the store")]
pub struct EpochReused;

/// Is an event of one invocation with its guards resolved, and what it brings.
enum Input {
    Accepted,
    Progressed,
    Asked { question: Box<Question>, number: u64, bytes: usize },
    Published,
    Taken(Answered),
    Answered(Answered),
    Ended(End),
}

/// Is how an invocation ends, and why a question that is open closes.
struct End {
    outcome: Outcome,
    why: Closure,
    trigger: Trigger,
}

impl Input {
    const fn trigger(&self) -> Trigger {
        match self {
            Self::Accepted | Self::Progressed => Trigger::Progressed,
            Self::Asked { .. } => Trigger::Asked,
            Self::Published => Trigger::Published,
            Self::Taken(_) => Trigger::Taken,
            Self::Answered(_) => Trigger::RoundAnswered,
            Self::Ended(end) => end.trigger,
        }
    }
}

impl Broker {
    /// Makes a broker without a store: an answer is delivered as soon as it is taken.
    #[must_use]
    pub fn volatile(epoch: Epoch, limits: Limits) -> Self {
        Self {
            epoch,
            is_durable: false,
            limits,
            last: 0,
            changes: 0,
            live: BTreeMap::new(),
            index: Index::default(),
            past: Past::default(),
        }
    }

    /// Makes a broker with a store, which holds these records of earlier lives. The actions close
    /// what was open when the last one ended; nothing is asked or executed again.
    ///
    /// # Errors
    ///
    /// A record of this epoch or a later one.
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
            Action::Store(Record::Closed { interaction: *interaction, why: Closure::HostRestarted })
        };
        let list = asked.difference(&ended).map(close).collect();
        let broker = Self { is_durable: true, ..Self::volatile(epoch, limits) };
        Ok((broker, Actions { list, reports: Vec::new() }))
    }

    /// Starts an invocation. The action is to deliver it to its provider.
    ///
    /// # Errors
    ///
    /// A registration that is not there, or a limit that is reached. Nothing has changed.
    pub fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Actions), Misuse> {
        let Call { session, turn, tool_call, registration, request } = call;
        let connection = self.index.registered_on(&registration).ok_or(Misuse::NotRegistered)?;
        let on_it = self.index.connection(connection).map_or(0, |counted| counted.invocations);
        let of_it = self.index.session(&session).map_or(0, |counted| counted.invocations);
        for (count, max, what) in [
            (on_it, self.limits.connection_invocations_max, "live invocations on a connection"),
            (of_it, self.limits.session_invocations_max, "live invocations of a session"),
        ] {
            if count >= max {
                return Err(Misuse::Limit { what, max });
            }
        }
        self.last += 1;
        let invocation = invocation_id(self.epoch, self.last);
        let id = invocation.clone();
        let owner = Owner { invocation: id, session, turn, tool_call, registration, connection };
        self.index.insert(self.last, &owner);
        let live = Live::new(now, Arc::new(owner));
        let due = live.due(&self.limits).map(|(at, _)| at);
        self.index.move_deadline(self.last, None, due);
        self.live.insert(self.last, live);
        let frame = HostFrame::Call { invocation: invocation.clone(), request };
        let list = vec![Action::Deliver { connection, frame }];
        Ok((invocation, Actions { list, reports: Vec::new() }))
    }

    /// Takes an event and returns what to do about it.
    ///
    /// What a provider did wrong is refused, counted and reported, and changes nothing else.
    ///
    /// # Errors
    ///
    /// A mistake of the caller, or of a surface that it speaks for. Nothing has changed.
    pub fn handle(&mut self, now: Instant, event: Event) -> Result<Actions, Misuse> {
        let mut actions = Actions::default();
        match event {
            Event::Connected(connection) => self.index.connect(connection)?,
            Event::Disconnected(connection) => {
                self.lose(
                    now,
                    self.index.of_connection(connection),
                    Closure::ProviderLost,
                    &mut actions,
                );
                self.index.disconnect(connection);
            }
            Event::Registered { registration, connection } => {
                self.index.connection(connection).ok_or(Misuse::NotConnected)?;
                let of_it = self.index.of_registration(&registration);
                self.lose(now, of_it, Closure::Superseded, &mut actions);
                self.index.register(registration, connection);
            }
            Event::Retired(registration) => {
                let of_it = self.index.of_registration(&registration);
                self.lose(now, of_it, Closure::Retired, &mut actions);
                self.index.retire(&registration);
            }
            Event::Frame { connection, frame } => {
                self.take_frame(now, connection, frame, &mut actions);
            }
            Event::Unreadable { connection, error } => {
                self.refuse(connection, Refused::Unreadable(error), &mut actions);
            }
            Event::Answer { interaction, session, response } => {
                let answer = self.read_answer(interaction, &session, response)?;
                let input =
                    if self.is_durable { Input::Taken(answer) } else { Input::Answered(answer) };
                self.step(now, interaction.invocation, input, &mut actions);
            }
            Event::Unanswerable(interaction) => {
                self.open(interaction)?;
                let end = End {
                    outcome: Outcome::Unanswerable,
                    why: Closure::Unanswerable,
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
                self.stop(now, covered, Closure::Stopped, &mut actions);
            }
            Event::TurnEnded { session, turn } => {
                let covered = self.index.of_turn(&session, &turn);
                self.stop(now, covered, Closure::TurnEnded, &mut actions);
            }
            Event::Tick => self.expire(now, &mut actions),
        }
        Ok(actions)
    }

    /// Returns when to come back with [`Event::Tick`], if nothing happens before. `None`: nothing is
    /// live.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.index.first_deadline().map(|(at, _)| at)
    }

    /// Returns the questions of a session that are open.
    #[must_use]
    pub fn snapshot(&self, session: &SessionId) -> Snapshot {
        let pending = self.index.of_session(session).filter_map(|number| self.live.get(&number));
        let open = pending.filter_map(|live| live.pending.as_ref()?.shown()).collect();
        Snapshot { epoch: self.epoch, session: session.clone(), number: self.changes, open }
    }

    /// Returns the phase of an invocation; `None` if it is not live.
    #[must_use]
    pub fn phase(&self, invocation: &InvocationId) -> Option<Phase> {
        self.live_of(invocation).ok().map(|(_, live)| live.phase)
    }

    /// Returns what a live invocation is bound to.
    #[must_use]
    pub fn owner(&self, invocation: &InvocationId) -> Option<&Owner> {
        self.live_of(invocation).ok().map(|(_, live)| live.owner.as_ref())
    }

    /// Returns the invocations that are live.
    pub fn invocations(&self) -> impl Iterator<Item = &InvocationId> {
        self.live.values().map(|live| &live.owner.invocation)
    }

    /// Returns how many frames of a connection were refused; `None` if it is not known.
    #[must_use]
    pub fn refused(&self, connection: ConnectionId) -> Option<u64> {
        self.index.connection(connection).map(|counted| counted.refused)
    }

    /// Returns the connection that a registration is on.
    #[must_use]
    pub fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.index.registered_on(registration)
    }

    /// Returns the life of the host.
    #[must_use]
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Takes a frame, or refuses it.
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
            Err(why) => {
                if let (Some((invocation, interaction)), true) = (asked, why.is_told()) {
                    let code = why.code().into();
                    let frame = HostFrame::InteractionRefused { invocation, interaction, code };
                    actions.list.push(Action::Deliver { connection, frame });
                }
                self.refuse(connection, why, actions);
            }
        }
    }

    fn refuse(&mut self, connection: ConnectionId, why: Refused, actions: &mut Actions) {
        if let Some(counted) = self.index.connection_mut(connection) {
            counted.refused = counted.refused.saturating_add(1);
        }
        actions.reports.push(Report::Refused { connection, why });
    }

    /// Resolves the guards of a frame.
    fn read_frame(
        &self,
        now: Instant,
        connection: ConnectionId,
        frame: ProviderFrame,
    ) -> Result<(u64, Input), Refused> {
        self.index.connection(connection).ok_or(Refused::NotConnected)?;
        let (number, live) = self.live_of(frame.invocation())?;
        if live.owner.connection != connection {
            return Err(Refused::WrongConnection);
        }
        let accepted = || if live.is_accepted { Ok(()) } else { Err(Refused::NotAccepted) };
        let input = match frame {
            ProviderFrame::Accepted { .. } if live.is_accepted => {
                return Err(Refused::AlreadyAccepted);
            }
            ProviderFrame::Accepted { .. } => Input::Accepted,
            ProviderFrame::Progress { .. } => {
                accepted()?;
                Input::Progressed
            }
            ProviderFrame::InteractionRequest { interaction, request, .. } => {
                accepted()?;
                self.read_request(now, live, interaction, &request)?
            }
            ProviderFrame::Result { result, .. } => {
                accepted()?;
                Input::Ended(End::result(live, result))
            }
            // That nothing was done is believed of a provider that has not begun.
            ProviderFrame::Rejected { error, .. } if !live.is_accepted => {
                Input::Ended(End::error(live, Outcome::Rejected(error), Closure::Rejected))
            }
            ProviderFrame::Rejected { error, .. } => {
                Input::Ended(End::error(live, Outcome::Failed(error), Closure::Rejected))
            }
            ProviderFrame::Failed { error, .. } => {
                Input::Ended(End::error(live, Outcome::Failed(error), Closure::Failed))
            }
            ProviderFrame::Released { .. } => Input::Ended(End {
                outcome: Outcome::Released,
                why: Closure::Released,
                trigger: Trigger::Abandoned,
            }),
        };
        Ok((number, input))
    }

    /// Reads what a provider asks: first what is cheap to refuse, then the form.
    fn read_request(
        &self,
        now: Instant,
        live: &Live,
        number: u64,
        request: &RawJson,
    ) -> Result<Input, Refused> {
        if number <= live.number_last {
            return Err(Refused::Duplicate { last: live.number_last });
        }
        if live.pending.is_some() {
            return Err(Refused::Pending);
        }
        let limits = &self.limits;
        let bytes = request.as_str().len();
        let session = self.index.session(&live.owner.session);
        let connection = self.index.connection(live.owner.connection);
        let held = connection.map_or(0, |counted| counted.pending_bytes);
        for (count, max, what) in [
            (
                live.asked as usize + 1,
                limits.interactions_max as usize,
                "questions of an invocation",
            ),
            (
                session.map_or(0, |counted| counted.pending) + 1,
                limits.session_pending_max,
                "open questions of a session",
            ),
            (
                held.saturating_add(bytes),
                limits.connection_bytes_max,
                "bytes of the open questions of a connection",
            ),
        ] {
            if count > max {
                return Err(Refused::Limit { what, max });
            }
        }
        let question = Question::decode(request.as_str(), limits)?;
        // Nobody is asked for a provider that would have no time to go on.
        Ok(if live.timer.is_spent(now, &limits.clocks) {
            Input::Ended(End::timed_out(Clock::Execution))
        } else {
            Input::Asked { question: Box::new(question), number, bytes }
        })
    }

    /// Checks an answer: that it is to an open question of the session, and fits it.
    fn read_answer(
        &self,
        interaction: InteractionId,
        session: &SessionId,
        response: Response,
    ) -> Result<Answered, Misuse> {
        let (live, pending) = self.pending(interaction, Some(session))?;
        match &pending.stage {
            Stage::Open => {}
            // Nobody was shown it.
            Stage::Opening => return Err(Misuse::UnknownInteraction),
            Stage::Committing(answer) => {
                return Err(Misuse::Stale { won: Some(Ending::Answered(answer.decision)) });
            }
        }
        debug_assert_eq!(live.phase, Phase::AwaitingInteraction, "an open question is waited for");
        let answered = pending.interaction.question.answer(response)?;
        let bytes_max = self.limits.form.answer_bytes_max;
        if answered.result.as_str().len() > bytes_max {
            return Err(Misuse::TooLarge { bytes_max });
        }
        Ok(answered)
    }

    /// Finds a question that has no answer yet.
    fn open(&self, interaction: InteractionId) -> Result<(), Misuse> {
        match &self.pending(interaction, None)?.1.stage {
            Stage::Opening | Stage::Open => Ok(()),
            Stage::Committing(answer) => {
                Err(Misuse::Stale { won: Some(Ending::Answered(answer.decision)) })
            }
        }
    }

    /// Finds a question that has not ended. Whose it is, is checked before anything else is told of
    /// it.
    fn pending(
        &self,
        interaction: InteractionId,
        session: Option<&SessionId>,
    ) -> Result<(&Live, &Pending), Misuse> {
        if interaction.epoch < self.epoch {
            return Err(Misuse::OldEpoch);
        }
        let was_made = interaction.invocation > 0 && interaction.invocation <= self.last;
        if interaction.epoch > self.epoch || !was_made || interaction.number == 0 {
            return Err(Misuse::UnknownInteraction);
        }
        let owned_by = |owner: &SessionId| match session {
            Some(session) if session != owner => Err(Misuse::WrongSession),
            Some(_) | None => Ok(()),
        };
        let Some(live) = self.live.get(&interaction.invocation) else {
            return Err(match self.past.get(interaction) {
                Some((owner, how)) => {
                    owned_by(owner)?;
                    Misuse::Stale { won: Some(*how) }
                }
                None => Misuse::Stale { won: None },
            });
        };
        owned_by(&live.owner.session)?;
        match &live.pending {
            Some(pending) if pending.interaction.id == interaction => Ok((live, pending)),
            Some(_) | None if interaction.number > live.asked => Err(Misuse::UnknownInteraction),
            Some(_) | None => {
                Err(Misuse::Stale { won: self.past.get(interaction).map(|(_, how)| *how) })
            }
        }
    }

    /// Reads what the store holds. `None`: what it was to hold is not waited for any more.
    fn read_stored(&self, record: RecordId) -> Result<Option<Input>, Misuse> {
        if !self.is_durable {
            return Err(Misuse::NotStoring);
        }
        // Nothing waits for a closure: one that is not held is made again when the host starts anew.
        if record.kind == RecordKind::Closed {
            return Ok(None);
        }
        let pending = match self.pending(record.interaction, None) {
            Ok((_, pending)) => pending,
            Err(Misuse::Stale { .. }) => return Ok(None),
            Err(_) => return Err(Misuse::NotStoring),
        };
        match (&pending.stage, record.kind) {
            (Stage::Opening, RecordKind::Requested) => Ok(Some(Input::Published)),
            (Stage::Committing(answer), RecordKind::Answered) => {
                Ok(Some(Input::Answered(answer.clone())))
            }
            (Stage::Open | Stage::Committing(_), RecordKind::Requested) => Ok(None),
            (Stage::Opening | Stage::Open, RecordKind::Answered)
            | (Stage::Opening | Stage::Open | Stage::Committing(_), RecordKind::Closed) => {
                Err(Misuse::NotStoring)
            }
        }
    }

    fn covered(&self, scope: &Scope) -> Vec<u64> {
        match scope {
            Scope::Invocation(id) => {
                self.live_of(id).map(|(number, _)| number).into_iter().collect()
            }
            Scope::Turn(session, turn) => self.index.of_turn(session, turn),
            Scope::Session(session) => self.index.of_session(session).collect(),
            Scope::All => self.live.keys().copied().collect(),
        }
    }

    fn stop(&mut self, now: Instant, covered: Vec<u64>, why: Closure, actions: &mut Actions) {
        for number in covered {
            let end = End { outcome: Outcome::Stopped, why, trigger: Trigger::Stopped };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    fn lose(&mut self, now: Instant, lost: Vec<u64>, why: Closure, actions: &mut Actions) {
        for number in lost {
            let is_in_flight = self.live.get(&number).is_some_and(|live| live.phase.is_in_flight());
            let outcome = if is_in_flight { Outcome::OutcomeUnknown } else { Outcome::Lost };
            let end = End { outcome, why, trigger: Trigger::Lost };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    /// Ends whatever has run out.
    fn expire(&mut self, now: Instant, actions: &mut Actions) {
        while let Some((at, number)) = self.index.first_deadline() {
            let due = self.live.get(&number).and_then(|live| live.due(&self.limits));
            let (true, Some((_, expiry))) = (at <= now, due) else { return };
            let end = match expiry {
                Expiry::Clock(clock) => End::timed_out(clock),
                Expiry::Store => End::store_failed(),
            };
            self.step(now, number, Input::Ended(end), actions);
        }
    }

    /// Looks the cell up, makes the change, and lists the actions.
    fn step(&mut self, now: Instant, number: u64, input: Input, actions: &mut Actions) {
        let Some(mut live) = self.live.remove(&number) else { return };
        let cause = input.trigger();
        let from = live.phase;
        if let Step::Go(to) = lifecycle::step(from, cause) {
            let due = live.due(&self.limits).map(|(at, _)| at);
            live.timer.tell(now);
            live.phase = to;
            live.timer.turn(from, to, &self.limits.clocks);
            self.apply(&mut live, number, input, actions);
            let transition = live.transition(from, cause);
            actions.reports.push(Report::Moved(transition));
            self.index.move_deadline(number, due, live.due(&self.limits).map(|(at, _)| at));
        }
        live.check();
        if live.phase == Phase::Settled {
            self.index.remove(number, &live.owner);
        } else {
            self.live.insert(number, live);
        }
    }

    fn apply(&mut self, live: &mut Live, number: u64, input: Input, actions: &mut Actions) {
        match input {
            Input::Accepted => live.is_accepted = true,
            Input::Progressed => live.timer.extend(&self.limits.clocks),
            Input::Asked { question, number: called, bytes } => {
                self.ask(live, number, *question, (called, bytes), actions);
            }
            Input::Published => {
                if let Some(pending) = &mut live.pending {
                    pending.stage = Stage::Open;
                    let what = What::Opened(pending.interaction.clone());
                    self.project(&live.owner.session, what, actions);
                }
                live.timer.restart();
            }
            Input::Taken(answer) => {
                if let Some(pending) = &mut live.pending {
                    let interaction = pending.interaction.id;
                    let Answered { decision, result } = answer.clone();
                    actions.list.push(Action::Store(Record::Answered { interaction, result }));
                    pending.stage = Stage::Committing(answer);
                    let what = What::Taken { interaction, decision };
                    self.project(&live.owner.session, what, actions);
                }
                live.timer.restart();
            }
            Input::Answered(Answered { decision, result }) => {
                if let Some(pending) = live.pending.take() {
                    let (invocation, interaction) = (live.owner.invocation.clone(), pending.number);
                    let frame = HostFrame::InteractionResult { invocation, interaction, result };
                    let connection = live.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                    self.end(&pending, Ending::Answered(decision), actions);
                }
            }
            Input::Ended(End { outcome, why, .. }) => {
                if let Some(pending) = live.pending.take() {
                    if self.is_durable {
                        let interaction = pending.interaction.id;
                        actions.list.push(Action::Store(Record::Closed { interaction, why }));
                    }
                    self.end(&pending, Ending::Closed(why), actions);
                }
                let invocation = live.owner.invocation.clone();
                if why != Closure::ProviderLost && outcome.leaves_provider_at_work() {
                    let frame = HostFrame::Cancel { invocation: invocation.clone(), why };
                    let connection = live.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                }
                actions.list.push(Action::Settle { invocation, outcome });
            }
        }
    }

    /// Opens a question of an invocation.
    fn ask(
        &mut self,
        live: &mut Live,
        invocation: u64,
        question: Question,
        (number, bytes): (u64, usize),
        actions: &mut Actions,
    ) {
        live.asked += 1;
        live.number_last = number;
        let id = InteractionId { epoch: self.epoch, invocation, number: live.asked };
        let owner = live.owner.clone();
        let interaction = Arc::new(PendingInteraction { id, owner, question });
        if let Some(session) = self.index.session_mut(&live.owner.session) {
            session.pending += 1;
        }
        if let Some(connection) = self.index.connection_mut(live.owner.connection) {
            connection.pending_bytes += bytes;
        }
        let stage = if self.is_durable {
            actions.list.push(Action::Store(Record::Requested(interaction.clone())));
            Stage::Opening
        } else {
            let what = What::Opened(interaction.clone());
            self.project(&live.owner.session, what, actions);
            Stage::Open
        };
        live.pending = Some(Pending { interaction, number, bytes, stage });
    }

    /// Lets go of a question, and tells who was shown it.
    fn end(&mut self, pending: &Pending, how: Ending, actions: &mut Actions) {
        let PendingInteraction { id, owner, .. } = pending.interaction.as_ref();
        if let Some(session) = self.index.session_mut(&owner.session) {
            session.pending -= 1;
        }
        if let Some(connection) = self.index.connection_mut(owner.connection) {
            connection.pending_bytes -= pending.bytes;
        }
        self.past.insert(*id, owner.session.clone(), how, self.limits.past_max);
        if pending.stage != Stage::Opening {
            let what = What::Ended { interaction: *id, how };
            self.project(&owner.session, what, actions);
        }
    }

    fn project(&mut self, session: &SessionId, what: What, actions: &mut Actions) {
        self.changes += 1;
        let number = self.changes;
        let counted = self.index.session_mut(session);
        let after = counted.and_then(|counted| counted.change.replace(number));
        let (epoch, session) = (self.epoch, session.clone());
        actions.list.push(Action::Project(Change { epoch, session, number, after, what }));
    }

    /// Finds a live invocation.
    fn live_of(&self, id: &InvocationId) -> Result<(u64, &Live), Refused> {
        let (epoch, number) = invocation_number(id).ok_or(Refused::NotLive)?;
        if epoch < self.epoch {
            return Err(Refused::OldEpoch);
        }
        let live = self.live.get(&number).filter(|_| epoch == self.epoch);
        live.map(|live| (number, live)).ok_or(Refused::NotLive)
    }
}

impl End {
    /// A result ends an invocation; one that comes while a question is open ends it otherwise.
    fn result(live: &Live, result: RawJson) -> Self {
        let why = Closure::Inconsistent;
        if live.pending.is_some() {
            return Self { outcome: Outcome::Inconsistent, why, trigger: Trigger::Faulted };
        }
        Self { outcome: Outcome::Complete(result), why, trigger: Trigger::Completed }
    }

    const fn error(live: &Live, outcome: Outcome, why: Closure) -> Self {
        let trigger = if live.phase.is_in_flight() { Trigger::Errored } else { Trigger::Abandoned };
        Self { outcome, why, trigger }
    }

    const fn timed_out(clock: Clock) -> Self {
        let outcome = Outcome::TimedOut(clock);
        Self { outcome, why: Closure::TimedOut, trigger: Trigger::TimedOut }
    }

    const fn store_failed() -> Self {
        let why = Closure::StoreFailed;
        Self { outcome: Outcome::StoreFailed, why, trigger: Trigger::Faulted }
    }
}
