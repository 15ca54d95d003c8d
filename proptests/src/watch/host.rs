//! The watch of one life of a host.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use mrtr_core::{
    InvocationId,
    host::{
        Action, Call, Change, ChangeKind, ConnectionId, Ending, Event, Fault, HostFrame,
        InteractionId, PendingInteraction, ProviderFrame, Record, RecordId, RecordKind, Scope,
        SessionId, Snapshot,
    },
    wire::Decision,
};

use super::same_json;
use crate::invariants::{Checked, Invariant};

/// An invocation as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchedCall {
    call: Arc<CallOwner>,
    connection: ConnectionId,
    is_settled: bool,
    /// The numbers that the provider gave its questions, in order.
    numbers: Vec<u64>,
    /// The last question.
    question: Option<WatchedQuestion>,
}

/// Who an invocation belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CallOwner {
    session: SessionId,
    turn: mrtr_core::host::TurnId,
    tool_call: mrtr_core::host::ToolCallId,
    registration: mrtr_core::host::RegistrationId,
}

/// A question as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchedQuestion {
    /// The broker's id for it.
    pub id: InteractionId,
    /// The provider's number for it.
    pub number: u64,
    /// Whether the store holds it, and whether it holds its answer.
    held: [bool; 2],
    /// Whether surfaces show it.
    pub is_shown: bool,
    /// The answer that was taken: what the provider is to get.
    pub given: Option<(Decision, String)>,
    is_taken: bool,
    is_delivered: bool,
    is_closed: bool,
    /// How surfaces heard that it is over: whether by an answer.
    ended: Option<bool>,
}

impl WatchedQuestion {
    const fn is_over(&self) -> bool {
        self.is_delivered || self.is_closed
    }
}

impl WatchedCall {
    /// Returns the connection of its provider.
    #[must_use]
    pub const fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// Returns whether it has its outcome.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Returns the last question.
    #[must_use]
    pub const fn question(&self) -> Option<&WatchedQuestion> {
        self.question.as_ref()
    }

    /// Returns the question that is not over.
    #[must_use]
    pub fn pending(&self) -> Option<&WatchedQuestion> {
        self.question.as_ref().filter(|asked| !asked.is_over() && !self.is_settled)
    }
}

/// What was seen of one life of a host, as far as the next action has to be judged by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostWatch {
    epoch: u64,
    is_durable: bool,
    connections: BTreeSet<ConnectionId>,
    calls: BTreeMap<InvocationId, WatchedCall>,
    /// The invocations that the event at hand has cancelled.
    cancelled: BTreeSet<InvocationId>,
}

impl HostWatch {
    /// Watches a host that begins a life.
    #[must_use]
    pub const fn new(epoch: u64, is_durable: bool) -> Self {
        Self {
            epoch,
            is_durable,
            connections: BTreeSet::new(),
            calls: BTreeMap::new(),
            cancelled: BTreeSet::new(),
        }
    }

    /// Returns an invocation of this life.
    #[must_use]
    pub fn call(&self, id: &InvocationId) -> Option<&WatchedCall> {
        self.calls.get(id)
    }

    /// Returns the invocations of this life.
    pub fn calls(&self) -> impl Iterator<Item = (&InvocationId, &WatchedCall)> {
        self.calls.iter()
    }

    /// Sees the start of an invocation.
    ///
    /// # Errors
    ///
    /// A violation of one of the invariants of a host.
    pub fn called(
        &mut self,
        id: &InvocationId,
        call: &Call,
        connection: ConnectionId,
        actions: &[Action],
    ) -> Checked {
        let Call { session, turn, tool_call, registration, request, .. } = call.clone();
        let owner = CallOwner { session, turn, tool_call, registration };
        let (numbers, question) = (Vec::new(), None);
        let call = Arc::new(owner);
        let watched = WatchedCall { call, connection, is_settled: false, numbers, question };
        let is_new = self.calls.insert(id.clone(), watched).is_none();
        Invariant::OneOutcome.holds_or(is_new, || format!("{id} is the id of two"))?;
        let frame = HostFrame::Call { invocation: id.clone(), request };
        let [Action::Deliver { connection: on, frame: sent }] = actions else {
            return Err(Invariant::OneOutcome.broken(format!("a provider gets {actions:?}")));
        };
        Invariant::AnswersReachWhoAsked.same("a call's connection", on, &connection)?;
        Invariant::OneOutcome.same("a call", &sent.to_json(), &frame.to_json())
    }

    /// Sees an event that was taken and what came of it. `given` is the decision and what the
    /// provider is to get, if the event is an answer.
    ///
    /// # Errors
    ///
    /// A violation of one of the invariants of a host.
    pub fn see(
        &mut self,
        event: &Event,
        given: Option<(Decision, String)>,
        actions: &[Action],
    ) -> Checked {
        self.event(event, given, actions)?;
        actions.iter().try_for_each(|action| self.action(event, action))?;
        self.after(event, actions)
    }

    /// Checks what comes of a frame that was refused. Who asks hears of it, on its own connection, of
    /// its own invocation and by the number that it gave, unless it has asked by that number. Nobody
    /// else hears of anything.
    ///
    /// # Errors
    ///
    /// A violation of [`Invariant::AnswersReachWhoAsked`].
    pub fn check_refused(&self, event: &Event, actions: &[Action], why: &Fault) -> Checked {
        let (Event::Frame { connection, .. } | Event::Unreadable { connection, .. }) = event else {
            return Err(Invariant::Contract.broken("frames are refused, and nothing else"));
        };
        let is_told = |(invocation, number): &(&InvocationId, u64)| {
            self.calls.get(*invocation).is_some_and(|own| {
                own.connection == *connection && !own.is_settled && !own.numbers.contains(number)
            })
        };
        let told = asked_by(event).filter(is_told).map(|(invocation, interaction)| {
            let (connection, invocation, code) =
                (*connection, invocation.clone(), why.code().into());
            let frame = HostFrame::InteractionRefused { invocation, interaction, code };
            Action::Deliver { connection, frame }
        });
        let rule = Invariant::AnswersReachWhoAsked;
        rule.holds(actions == told.as_slice(), "who is refused hears of it, and nobody else")
    }

    fn event(
        &mut self,
        event: &Event,
        given: Option<(Decision, String)>,
        actions: &[Action],
    ) -> Checked {
        match event {
            Event::Connected(connection) => {
                self.connections.insert(*connection);
            }
            // What is gone gets nothing, not even on its way out.
            Event::Disconnected(connection) => {
                self.connections.remove(connection);
            }
            Event::Stored(RecordId { interaction, kind }) => {
                let asked = self.question(*interaction).filter(|asked| !asked.is_over());
                let Some(WatchedQuestion { held: [question, answer], .. }) = asked else {
                    return Ok(());
                };
                match kind {
                    RecordKind::Requested => *question = true,
                    RecordKind::Answered => *answer = true,
                    RecordKind::Closed => {}
                }
            }
            Event::Answer { interaction, session, .. } if !actions.is_empty() => {
                let owner = self.owner_of(*interaction).map(|(_, call)| &call.call.session);
                let rule = Invariant::AnswersReachWhoAsked;
                rule.holds(owner == Some(session), "an answer is of the session that is asked")?;
                let rule = Invariant::StoredThenDelivered;
                if let Some(asked) = self.question(*interaction) {
                    rule.holds(asked.is_shown, "who answers was shown the question")?;
                    let is_first = asked.given.is_none() && !asked.is_over();
                    rule.holds(is_first, "the first answer wins")?;
                    asked.given = given;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the invocation that has asked a question last.
    fn owner_of(&self, id: InteractionId) -> Option<(&InvocationId, &WatchedCall)> {
        let is_its =
            |call: &WatchedCall| call.question.as_ref().is_some_and(|asked| asked.id == id);
        self.calls.iter().find(|(_, call)| is_its(call))
    }

    /// Returns a question that is the last of its invocation.
    fn question(&mut self, id: InteractionId) -> Option<&mut WatchedQuestion> {
        self.calls
            .values_mut()
            .find_map(|call| call.question.as_mut().filter(|asked| asked.id == id))
    }

    fn action(&mut self, event: &Event, action: &Action) -> Checked {
        let of = self.invocation_of(action);
        let Some(call) = of.as_ref().and_then(|id| self.calls.get_mut(id)) else {
            return Err(Invariant::NoQuestionWithoutInvocation.broken(format!("{action:?}")));
        };
        Invariant::OneOutcome.holds_or(!call.is_settled, || format!("{action:?} follows"))?;
        match action {
            Action::Settle { .. } => {
                call.is_settled = true;
                let asked = call.question.as_ref();
                let is_over = asked.is_none_or(|asked| asked.is_over() || !self.is_durable);
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(is_over, "a question is answered or closed before its call ends")?;
                let is_shown = asked.is_some_and(|asked| asked.is_shown);
                let rule = Invariant::NoQuestionWithoutInvocation;
                rule.holds(!is_shown, "a call that is over asks nothing")
            }
            Action::Deliver { connection, frame } => {
                let is_there = call.connection == *connection;
                let is_there = is_there && self.connections.contains(connection);
                Invariant::AnswersReachWhoAsked.holds_or(is_there, || format!("{action:?}"))?;
                self.deliver(event, frame)
            }
            Action::Store(record) => self.store(event, record),
            Action::Project(change) => {
                let owner = &call.call.session;
                let rule = Invariant::AnswersReachWhoAsked;
                rule.same("a change's session", &change.session, owner)?;
                self.project(event, &change.kind)
            }
        }
    }

    /// Returns the invocation that an action is done for.
    fn invocation_of(&self, action: &Action) -> Option<InvocationId> {
        let of_question = |id: &InteractionId| self.owner_of(*id).map(|(id, _)| id.clone());
        match action {
            Action::Deliver { frame, .. } => Some(frame.invocation().clone()),
            Action::Settle { invocation, .. } => Some(invocation.clone()),
            Action::Store(Record::Requested(pending))
            | Action::Project(Change { kind: ChangeKind::Opened(pending), .. }) => {
                Some(pending.owner.invocation.clone())
            }
            Action::Store(record) => of_question(&record.id().interaction),
            Action::Project(Change { kind: ChangeKind::Taken { interaction, .. }, .. })
            | Action::Project(Change { kind: ChangeKind::Ended { interaction, .. }, .. }) => {
                of_question(interaction)
            }
        }
    }

    fn deliver(&mut self, event: &Event, frame: &HostFrame) -> Checked {
        let rule = Invariant::AnswersReachWhoAsked;
        let Some(call) = self.calls.get_mut(frame.invocation()) else { return Ok(()) };
        match frame {
            HostFrame::Call { .. } => {
                Invariant::OneThingAtATime.holds(false, "a call goes to its provider once")
            }
            HostFrame::Cancel { invocation, .. } => {
                let is_first = self.cancelled.insert(invocation.clone());
                Invariant::NothingIsSentAfterStop.holds_or(is_first, || format!("{frame:?} again"))
            }
            HostFrame::InteractionRefused { invocation, interaction, .. } => {
                let is_asked = asked_by(event) == Some((invocation, *interaction));
                let is_taken = call.numbers.contains(interaction);
                rule.holds_or(is_asked && !is_taken, || format!("{frame:?}"))
            }
            HostFrame::InteractionResult { interaction, result, .. } => {
                let is_stop = matches!(event, Event::Stop(_) | Event::TurnEnded { .. });
                let stop = Invariant::NothingIsSentAfterStop;
                stop.holds(!is_stop, "nothing goes on for who has stopped")?;
                let open = call.question.as_mut().filter(|asked| !asked.is_over());
                let Some(asked) = open else {
                    return Err(rule.broken(format!("{frame:?} answers nothing")));
                };
                rule.same("a number", interaction, &asked.number)?;
                let Some((_, given)) = &asked.given else {
                    let rule = Invariant::OneThingAtATime;
                    return rule.holds(false, "nothing goes on while somebody is asked");
                };
                let rule = Invariant::StoredThenDelivered;
                let is_given = same_json(given, result.as_str());
                rule.holds_or(is_given, || format!("an answer: {result:?}"))?;
                let is_held = !self.is_durable || (asked.is_taken && asked.held[1]);
                asked.is_delivered = true;
                rule.holds(is_held, "an answer is stored before it is delivered")
            }
        }
    }

    fn store(&mut self, event: &Event, record: &Record) -> Checked {
        let rule = Invariant::StoredThenDelivered;
        let id = record.id();
        rule.holds_or(self.is_durable, || format!("{id} without a store"))?;
        if let Record::Requested(pending) = record {
            return self.ask(event, pending);
        }
        let Some(asked) = self.question(id.interaction) else {
            return Err(rule.broken(format!("{id} before it was asked")));
        };
        match record {
            Record::Answered { result, .. } => {
                let is_first = !core::mem::replace(&mut asked.is_taken, true);
                let given = asked
                    .given
                    .as_ref()
                    .is_some_and(|(_, given)| is_first && same_json(given, result.as_str()));
                rule.holds_or(given, || format!("an answer is stored again, or changed: {id}"))?;
            }
            Record::Closed { .. } => {
                // Twice the same record is the store's affair, an end after an end the surfaces'.
                rule.holds_or(!asked.is_closed, || format!("{id} again"))?;
                let is_first = !asked.is_delivered && asked.ended.is_none();
                Invariant::EveryAskHasAnEnd.holds_or(is_first, || format!("{id} after its end"))?;
                asked.is_closed = true;
            }
            Record::Requested(_) => {}
        }
        Ok(())
    }

    /// Sees a question for the first time: it is what the event asks, and belongs to whom it should.
    fn ask(&mut self, event: &Event, pending: &PendingInteraction) -> Checked {
        let rule = Invariant::EveryAskHasAnEnd;
        let (id, owner) = (pending.id, &pending.owner);
        let asked = asked_by(event).filter(|(invocation, _)| **invocation == owner.invocation);
        let Some((_, number)) = asked else {
            return Err(rule.broken(format!("{id} is asked by nobody")));
        };
        let is_ours = id.epoch().number() == self.epoch;
        rule.holds_or(is_ours, || format!("{id} is of another life"))?;
        if let Some(call) = self.calls.get_mut(&owner.invocation) {
            let last = call.question.as_ref();
            let again = last.is_some_and(|last| last.id == id);
            Invariant::StoredThenDelivered.holds_or(!again, || format!("{id} again"))?;
            let is_free = last.is_none_or(|last| last.is_over() || last.ended.is_some());
            rule.holds_or(is_free, || format!("{id} beside another"))?;
            let is_new = last.is_none_or(|last| last.id < id);
            rule.holds_or(is_new, || format!("{id} is the id of two"))?;
            call.numbers.push(number);
            call.question = Some(WatchedQuestion {
                id,
                number,
                held: [false; 2],
                is_shown: false,
                given: None,
                is_taken: false,
                is_delivered: false,
                is_closed: false,
                ended: None,
            });
        }
        self.check_owner(pending)
    }

    fn check_owner(&self, pending: &PendingInteraction) -> Checked {
        let owner = pending.owner.as_ref();
        let bound = self.calls.get(&owner.invocation);
        let is_so = bound.is_some_and(|WatchedCall { call, connection, .. }| {
            (&owner.session, &owner.turn, &owner.tool_call, &owner.registration)
                == (&call.session, &call.turn, &call.tool_call, &call.registration)
                && owner.connection == *connection
        });
        Invariant::AnswersReachWhoAsked.holds_or(is_so, || format!("an owner: {owner:?}"))
    }

    fn project(&mut self, event: &Event, kind: &ChangeKind) -> Checked {
        let rule = Invariant::EveryAskHasAnEnd;
        let id = match kind {
            ChangeKind::Opened(pending) if self.is_durable => {
                self.check_owner(pending)?;
                pending.id
            }
            ChangeKind::Opened(pending) => {
                let is_shown = self.question(pending.id).is_some();
                rule.holds_or(!is_shown, || format!("{} is shown again", pending.id))?;
                self.ask(event, pending)?;
                pending.id
            }
            ChangeKind::Taken { interaction, .. } | ChangeKind::Ended { interaction, .. } => {
                *interaction
            }
        };
        let is_durable = self.is_durable;
        let Some(asked) = self.question(id) else {
            let is_shown = matches!(kind, ChangeKind::Opened(_));
            let rule = if is_shown { Invariant::StoredThenDelivered } else { rule };
            return Err(rule.broken(format!("{kind:?}")));
        };
        match kind {
            ChangeKind::Opened(_) => {
                let is_held = asked.held[0] || !is_durable;
                let stored = Invariant::StoredThenDelivered;
                stored.holds(is_held, "a question is stored before it is shown")?;
                let is_new = !asked.is_shown && !asked.is_over();
                asked.is_shown = true;
                rule.holds_or(is_new, || format!("{id} is shown again"))
            }
            ChangeKind::Taken { decision, .. } => {
                let given = asked.given.as_ref().map(|(decision, _)| *decision);
                let is_so = asked.is_shown && asked.is_taken && given == Some(*decision);
                Invariant::StoredThenDelivered
                    .holds_or(is_so, || format!("{id} is taken as {decision:?}"))
            }
            ChangeKind::Ended { how, .. } => {
                let was_shown = core::mem::replace(&mut asked.is_shown, false);
                let is_first = was_shown && asked.ended.is_none();
                rule.holds_or(is_first, || format!("{id} ends again or was never shown"))?;
                let decision = asked.given.as_ref().map(|(decision, _)| *decision);
                let is_so = match how {
                    Ending::Answered(said) => asked.is_delivered && decision == Some(*said),
                    Ending::Closed(_) => !asked.is_delivered,
                };
                asked.ended = Some(asked.is_delivered);
                asked.is_closed |= !is_durable && !asked.is_delivered;
                rule.holds_or(is_so, || format!("{id} ended as {how:?}"))
            }
        }
    }

    /// Checks what must hold when all the actions of an event are carried out.
    fn after(&mut self, event: &Event, actions: &[Action]) -> Checked {
        if matches!(event, Event::Stop(_) | Event::TurnEnded { .. }) {
            self.check_stop(event, actions)?;
        }
        for id in core::mem::take(&mut self.cancelled) {
            let is_over = self.calls.get(&id).is_some_and(WatchedCall::is_settled);
            Invariant::NothingIsSentAfterStop.holds_or(is_over, || format!("{id} goes on"))?;
        }
        for call in self.calls.values() {
            let Some(asked) = &call.question else { continue };
            // Who was shown it hears of its end, and nobody else.
            let is_told = !asked.is_over() || !asked.is_shown;
            Invariant::EveryAskHasAnEnd.holds_or(is_told, || format!("{asked:?}"))?;
            let is_orphan = call.is_settled && !asked.is_over() && asked.ended.is_none();
            Invariant::NoQuestionWithoutInvocation.holds_or(!is_orphan, || format!("{asked:?}"))?;
        }
        Ok(())
    }

    /// Checks that what is stopped gets one word, and that nothing else is touched.
    fn check_stop(&self, event: &Event, actions: &[Action]) -> Checked {
        let rule = Invariant::NothingIsSentAfterStop;
        let covered = |id: &InvocationId| {
            let Some(WatchedCall { call, .. }) = self.calls.get(id) else { return false };
            match event {
                Event::Stop(Scope::Invocation(one)) => id == one,
                Event::Stop(Scope::Session(session)) => call.session == *session,
                Event::Stop(Scope::Turn(session, turn)) | Event::TurnEnded { session, turn } => {
                    call.session == *session && call.turn == *turn
                }
                _ => true,
            }
        };
        for action in actions {
            let is_covered = self.invocation_of(action).is_some_and(|id| covered(&id));
            let is_cancel = match action {
                Action::Deliver { frame, .. } => matches!(frame, HostFrame::Cancel { .. }),
                _ => true,
            };
            rule.holds_or(is_covered && is_cancel, || format!("{action:?}"))?;
        }
        let left = self.calls.iter().find(|(id, call)| covered(id) && !call.is_settled);
        rule.holds_or(left.is_none(), || format!("{left:?} is left"))?;
        let settles = |action: &&Action| matches!(action, Action::Settle { .. });
        let cancels = |action: &&Action| matches!(action, Action::Deliver { .. });
        let settled = actions.iter().filter(settles).count();
        rule.same("cancels", &actions.iter().filter(cancels).count(), &settled)
    }

    /// Checks that a snapshot shows exactly what is open.
    ///
    /// # Errors
    ///
    /// A violation of [`Invariant::NoQuestionWithoutInvocation`].
    pub fn check_snapshot(&self, snapshot: &Snapshot) -> Checked {
        let of_it = |call: &&WatchedCall| call.call.session == snapshot.session;
        let shown = self.calls.values().filter(of_it).filter_map(WatchedCall::pending);
        let shown: BTreeSet<_> =
            shown.filter(|asked| asked.is_shown).map(|asked| asked.id).collect();
        let found = snapshot.open.iter().map(|visible| visible.interaction.id).collect();
        let rule = Invariant::NoQuestionWithoutInvocation;
        rule.same("what a snapshot shows", &found, &shown)
    }

    /// Returns whether a session is shown something.
    #[must_use]
    pub fn shows(&self, session: &SessionId) -> bool {
        let of_it = |call: &&WatchedCall| call.call.session == *session;
        let mut pending = self.calls.values().filter(of_it).filter_map(WatchedCall::pending);
        pending.any(|asked| asked.is_shown)
    }
}

/// Returns the invocation and the number of what an event asks, or tries to ask.
fn asked_by(event: &Event) -> Option<(&InvocationId, u64)> {
    match event {
        Event::Frame {
            frame: ProviderFrame::InteractionRequest { invocation, interaction, .. },
            ..
        } => Some((invocation, *interaction)),
        Event::Unreadable { error, .. } => {
            error.asks.as_ref().map(|(invocation, interaction)| (invocation, *interaction))
        }
        _ => None,
    }
}

/// The numbers of a host's changes: they grow, and each change names the one before it of its
/// session.
#[derive(Clone, Debug, Default)]
pub struct ChangeNumbers {
    last: u64,
    of_session: BTreeMap<SessionId, u64>,
}

impl ChangeNumbers {
    /// Sees a change. `is_blank`: the session was shown nothing before.
    ///
    /// # Errors
    ///
    /// A violation of [`Invariant::Contract`].
    pub fn see(&mut self, change: &Change, is_blank: bool) -> Checked {
        let Change { session, number, after, kind, .. } = change;
        let last = self.of_session.insert(session.clone(), *number);
        let rule = Invariant::Contract;
        rule.holds_or(*number > self.last, || format!("{number} after {}", self.last))?;
        self.last = *number;
        // A surface that hears that nothing was open before drops all that it shows.
        let begins = after.is_none() && matches!(kind, ChangeKind::Opened(_)) && is_blank;
        rule.holds_or(begins || *after == last, || {
            format!("{number} after {after:?}, not {last:?}")
        })
    }
}
