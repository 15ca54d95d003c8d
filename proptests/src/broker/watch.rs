//! Watches what a host does, and knows nothing but what everybody could see.
//!
//! The model says what is right in every detail. This says what must never be, whatever the model
//! says: it is fed with events and actions alone.

use crate::invariants::{Checked, Invariant};
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    InvocationId,
    host::{
        Action, Call, Change, ChangeKind, ConnectionId, Ending, Event, FrameError, HostFrame,
        InteractionId, PendingInteraction, ProviderFrame, Record, RecordId, RecordKind,
        RegistrationId, Scope, SessionId, Snapshot,
    },
    wire::Decision,
};

/// An invocation as it was seen.
#[derive(Clone, Debug)]
struct Seen {
    call: Call,
    connection: ConnectionId,
    is_settled: bool,
    is_cancelled: bool,
}

/// A question as it was seen.
#[derive(Clone, Debug)]
struct Question {
    invocation: InvocationId,
    /// What its provider calls it.
    number: u64,
    is_shown: bool,
    /// The first answer that fitted, and what the provider is to get for it.
    given: Option<(Decision, String)>,
    is_taken: bool,
    is_delivered: bool,
    is_closed: bool,
    /// How those who were shown it heard that it is over.
    ended: Option<Ending>,
}

impl Question {
    const fn is_over(&self) -> bool {
        self.is_delivered || self.is_closed || self.ended.is_some()
    }
}

/// Remembers what was seen of one life of a host.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    epoch: u64,
    is_durable: bool,
    connections: BTreeSet<ConnectionId>,
    calls: BTreeMap<InvocationId, Seen>,
    questions: BTreeMap<InteractionId, Question>,
    written: BTreeSet<RecordId>,
    held: BTreeSet<RecordId>,
    /// The number of the last change, and of the last of each session.
    changes: u64,
    changes_of: BTreeMap<SessionId, u64>,
}

impl Watch {
    pub(super) const fn new(epoch: u64, is_durable: bool) -> Self {
        Self {
            epoch,
            is_durable,
            connections: BTreeSet::new(),
            calls: BTreeMap::new(),
            questions: BTreeMap::new(),
            written: BTreeSet::new(),
            held: BTreeSet::new(),
            changes: 0,
            changes_of: BTreeMap::new(),
        }
    }

    /// Sees the start of an invocation.
    pub(super) fn called(
        &mut self,
        id: &InvocationId,
        call: Call,
        connection: ConnectionId,
        actions: &[Action],
    ) -> Checked {
        let (request, registration) = (call.request.clone(), call.registration.clone());
        let seen = Seen { call, connection, is_settled: false, is_cancelled: false };
        Invariant::OneOutcome
            .holds_or(self.calls.insert(id.clone(), seen).is_none(), || format!("{id}"))?;
        let frame = HostFrame::Call { invocation: id.clone(), request };
        let [Action::Deliver { connection: on, frame: sent }] = actions else {
            return Err(Invariant::OneOutcome.broken(format!("{registration} gets {actions:?}")));
        };
        Invariant::AnswersReachWhoAsked.same("a call's connection", on, &connection)?;
        Invariant::OneOutcome.same("a call", &sent.to_json(), &frame.to_json())
    }

    /// Sees an event and what came of it. `given`: what the provider is to get, where the event is
    /// an answer that fits its question.
    pub(super) fn see(
        &mut self,
        event: &Event,
        given: Option<(Decision, String)>,
        actions: &[Action],
    ) -> Checked {
        self.before(event, given, actions);
        for action in actions {
            self.act(event, action)?;
        }
        self.after(event, actions)
    }

    fn before(&mut self, event: &Event, given: Option<(Decision, String)>, actions: &[Action]) {
        match event {
            Event::Connected(connection) => {
                self.connections.insert(*connection);
            }
            // What is gone gets nothing, not even on its way out.
            Event::Disconnected(connection) => {
                self.connections.remove(connection);
            }
            Event::Stored(record) => {
                self.held.insert(*record);
            }
            Event::Answer { interaction, .. } if !actions.is_empty() => {
                if let Some(question) = self.questions.get_mut(interaction) {
                    question.given = question.given.take().or(given);
                }
            }
            _ => {}
        }
    }

    fn act(&mut self, event: &Event, action: &Action) -> Checked {
        let id = self.invocation_of(action);
        let Some(seen) = id.as_ref().and_then(|id| self.calls.get_mut(id)) else {
            return Err(Invariant::NoQuestionWithoutInvocation.broken(format!("{action:?}")));
        };
        Invariant::OneOutcome.holds_or(!seen.is_settled, || format!("{action:?} follows"))?;
        match action {
            Action::Settle { .. } => {
                seen.is_settled = true;
                Ok(())
            }
            Action::Deliver { connection, frame } => {
                let is_there =
                    seen.connection == *connection && self.connections.contains(connection);
                Invariant::AnswersReachWhoAsked.holds_or(is_there, || format!("{action:?}"))?;
                self.deliver(event, frame)
            }
            Action::Store(record) => self.store(event, record),
            Action::Project(change) => {
                let owner = &seen.call.session;
                Invariant::AnswersReachWhoAsked.same(
                    "a change's session",
                    &change.session,
                    owner,
                )?;
                self.number(change)?;
                self.project(event, &change.kind)
            }
        }
    }

    /// Returns the invocation that an action is done for.
    fn invocation_of(&self, action: &Action) -> Option<InvocationId> {
        let of_question =
            |id: &InteractionId| self.questions.get(id).map(|question| question.invocation.clone());
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
        match frame {
            HostFrame::Call { invocation, .. } => {
                Err(Invariant::OneOutcome.broken(format!("{invocation} is called again")))
            }
            HostFrame::Cancel { invocation, .. } => {
                if let Some(seen) = self.calls.get_mut(invocation) {
                    let is_first = !core::mem::replace(&mut seen.is_cancelled, true);
                    Invariant::NothingIsSentAfterStop
                        .holds_or(is_first, || format!("{frame:?} again"))?;
                }
                Ok(())
            }
            HostFrame::InteractionRefused { invocation, interaction, .. } => {
                let asked = match event {
                    Event::Frame {
                        frame: ProviderFrame::InteractionRequest { invocation, interaction, .. },
                        ..
                    } => Some((invocation, *interaction)),
                    Event::Unreadable { error: FrameError { asks, .. }, .. } => {
                        asks.as_ref().map(|(invocation, interaction)| (invocation, *interaction))
                    }
                    _ => None,
                };
                let is_asked = asked == Some((invocation, *interaction));
                let mut of_it =
                    self.questions.values().filter(|question| question.invocation == *invocation);
                let is_taken = of_it.any(|question| question.number == *interaction);
                Invariant::AnswersReachWhoAsked
                    .holds_or(is_asked && !is_taken, || format!("{frame:?}"))
            }
            HostFrame::InteractionResult { invocation, interaction, result } => {
                let mut open = self.questions.iter_mut().filter(|(_, question)| {
                    question.invocation == *invocation && !question.is_over()
                });
                let Some((id, question)) = open.next() else {
                    return Err(Invariant::AnswersReachWhoAsked.broken(format!("{frame:?}")));
                };
                Invariant::AnswersReachWhoAsked.same("a number", interaction, &question.number)?;
                question.is_delivered = true;
                let given = question.given.as_ref().map(|(_, json)| json.as_str());
                Invariant::StoredThenDelivered.same("an answer", &Some(result.as_str()), &given)?;
                let record = RecordId { interaction: *id, kind: RecordKind::Answered };
                let is_held = !self.is_durable || self.held.contains(&record);
                Invariant::StoredThenDelivered.holds_or(is_held, || format!("{frame:?}"))
            }
        }
    }

    fn store(&mut self, event: &Event, record: &Record) -> Checked {
        let id = record.id();
        Invariant::StoredThenDelivered
            .holds_or(self.is_durable, || format!("{id} without a store"))?;
        Invariant::StoredThenDelivered
            .holds_or(self.written.insert(id), || format!("{id} again"))?;
        if let Record::Requested(pending) = record {
            return self.ask(event, pending);
        }
        let Some(question) = self.questions.get_mut(&id.interaction) else {
            return Err(Invariant::StoredThenDelivered.broken(format!("{id} before it was asked")));
        };
        Invariant::EveryAskHasAnEnd
            .holds_or(!question.is_over(), || format!("{id} after its end"))?;
        match record {
            Record::Answered { result, .. } => {
                let given = question.given.as_ref().map(|(_, json)| json.as_str());
                Invariant::StoredThenDelivered.same("an answer", &Some(result.as_str()), &given)?;
                question.is_taken = true;
            }
            Record::Closed { .. } => question.is_closed = true,
            Record::Requested(_) => {}
        }
        Ok(())
    }

    /// Sees a question for the first time: it is what the event asks, and belongs to whom it should.
    fn ask(&mut self, event: &Event, pending: &PendingInteraction) -> Checked {
        let owner = pending.owner.as_ref();
        let asked = match event {
            Event::Frame {
                frame: ProviderFrame::InteractionRequest { invocation, interaction, .. },
                ..
            } => Some((invocation, *interaction)),
            _ => None,
        };
        let number = asked.filter(|(invocation, _)| **invocation == owner.invocation);
        let Some((_, number)) = number else {
            return Err(
                Invariant::EveryAskHasAnEnd.broken(format!("{} is asked by nobody", pending.id))
            );
        };
        let is_ours = pending.id.epoch().number() == self.epoch;
        Invariant::EveryAskHasAnEnd
            .holds_or(is_ours, || format!("{} is of another life", pending.id))?;
        let has_open = self
            .questions
            .values()
            .any(|question| question.invocation == owner.invocation && !question.is_over());
        Invariant::EveryAskHasAnEnd
            .holds_or(!has_open, || format!("{} beside another", pending.id))?;
        let question = Question {
            invocation: owner.invocation.clone(),
            number,
            is_shown: false,
            given: None,
            is_taken: false,
            is_delivered: false,
            is_closed: false,
            ended: None,
        };
        let is_new = self.questions.insert(pending.id, question).is_none();
        Invariant::EveryAskHasAnEnd
            .holds_or(is_new, || format!("{} is the id of two", pending.id))?;
        self.check_owner(pending)
    }

    fn check_owner(&self, pending: &PendingInteraction) -> Checked {
        let owner = pending.owner.as_ref();
        let Some(Seen { call, connection, .. }) = self.calls.get(&owner.invocation) else {
            return Err(Invariant::AnswersReachWhoAsked.broken(format!("{owner:?}")));
        };
        let found: (_, _, _, &RegistrationId, _) =
            (&owner.session, &owner.turn, &owner.tool_call, &owner.registration, owner.connection);
        let bound = (&call.session, &call.turn, &call.tool_call, &call.registration, *connection);
        Invariant::AnswersReachWhoAsked.same("an owner", &found, &bound)
    }

    fn number(&mut self, change: &Change) -> Checked {
        let Change { epoch, session, number, after, kind, .. } = change;
        let last = self.changes_of.insert(session.clone(), *number);
        let is_next = epoch.number() == self.epoch && *number > self.changes;
        Invariant::Contract.holds_or(is_next, || format!("{number} after {}", self.changes))?;
        self.changes = *number;
        // A surface that hears that nothing was open before drops all that it shows.
        let is_blank = after.is_none()
            && matches!(kind, ChangeKind::Opened(_))
            && !self.shown(session).any(|_| true);
        let follows = is_blank || *after == last;
        Invariant::Contract.holds_or(follows, || format!("{number} after {after:?}, not {last:?}"))
    }

    /// Returns the questions that a session is shown.
    fn shown<'w>(
        &'w self,
        session: &'w SessionId,
    ) -> impl Iterator<Item = (&'w InteractionId, &'w Question)> {
        self.questions.iter().filter(move |(_, question)| {
            let owner = self.calls.get(&question.invocation).map(|seen| &seen.call.session);
            question.is_shown && !question.is_over() && owner == Some(session)
        })
    }

    fn project(&mut self, event: &Event, kind: &ChangeKind) -> Checked {
        let id = match kind {
            ChangeKind::Opened(pending) => {
                let record = RecordId { interaction: pending.id, kind: RecordKind::Requested };
                if self.is_durable {
                    let is_held = self.held.contains(&record);
                    Invariant::StoredThenDelivered
                        .holds_or(is_held, || format!("{} is shown", pending.id))?;
                    self.check_owner(pending)?;
                } else {
                    self.ask(event, pending)?;
                }
                pending.id
            }
            ChangeKind::Taken { interaction, .. } | ChangeKind::Ended { interaction, .. } => {
                *interaction
            }
        };
        let Some(question) = self.questions.get_mut(&id) else {
            return Err(Invariant::EveryAskHasAnEnd.broken(format!("{kind:?}")));
        };
        match kind {
            ChangeKind::Opened(_) => {
                let is_first = !core::mem::replace(&mut question.is_shown, true);
                Invariant::EveryAskHasAnEnd.holds_or(is_first, || format!("{id} is shown again"))
            }
            ChangeKind::Taken { decision, .. } => {
                let given = question.given.as_ref().map(|(decision, _)| *decision);
                let is_so = question.is_shown && question.is_taken && given == Some(*decision);
                Invariant::StoredThenDelivered
                    .holds_or(is_so, || format!("{id} is taken as {decision:?}"))
            }
            ChangeKind::Ended { how, .. } => {
                let is_first = question.is_shown && question.ended.replace(*how).is_none();
                Invariant::EveryAskHasAnEnd
                    .holds_or(is_first, || format!("{id} ends again or was never shown"))
            }
        }
    }

    /// Checks what must hold when all the actions of an event are carried out.
    fn after(&self, event: &Event, actions: &[Action]) -> Checked {
        if matches!(event, Event::Stop(_) | Event::TurnEnded { .. }) {
            self.check_stop(event, actions)?;
        }
        let settled = |invocation: &InvocationId| {
            self.calls.get(invocation).is_some_and(|seen| seen.is_settled)
        };
        for seen in self.calls.iter().filter(|(_, seen)| seen.is_cancelled) {
            Invariant::NothingIsSentAfterStop
                .holds_or(seen.1.is_settled, || format!("{} goes on", seen.0))?;
        }
        for (id, question) in &self.questions {
            let Question { is_shown, is_delivered, is_closed, ended, .. } = question;
            let is_answered = matches!(ended, Some(Ending::Answered(_)));
            let closed_as = matches!(ended, Some(Ending::Closed(_)));
            let is_sound = if *is_delivered {
                is_answered && !is_closed
            } else if *is_closed {
                closed_as == *is_shown && !is_answered
            } else {
                ended.is_none() || (!self.is_durable && closed_as)
            };
            Invariant::EveryAskHasAnEnd.holds_or(is_sound, || format!("{id}: {question:?}"))?;
            let is_orphan = settled(&question.invocation) && !question.is_over();
            Invariant::NoQuestionWithoutInvocation
                .holds_or(!is_orphan, || format!("{id}: {question:?}"))?;
        }
        Ok(())
    }

    /// Checks that what is stopped gets one word, and that nothing else is touched.
    fn check_stop(&self, event: &Event, actions: &[Action]) -> Checked {
        let covered = |id: &InvocationId| {
            let Some(Seen { call, .. }) = self.calls.get(id) else { return false };
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
            Invariant::NothingIsSentAfterStop
                .holds_or(is_covered && is_cancel, || format!("{action:?}"))?;
        }
        let left = self.calls.iter().find(|(id, seen)| covered(id) && !seen.is_settled);
        Invariant::NothingIsSentAfterStop
            .holds_or(left.is_none(), || format!("{left:?} is left"))?;
        let settles = |action: &&Action| matches!(action, Action::Settle { .. });
        let cancels = |action: &&Action| matches!(action, Action::Deliver { .. });
        let (settled, cancelled) =
            (actions.iter().filter(settles).count(), actions.iter().filter(cancels).count());
        Invariant::NothingIsSentAfterStop.same("cancels", &cancelled, &settled)
    }

    /// Checks that a snapshot shows exactly what is open.
    pub(super) fn check_snapshot(&self, snapshot: &Snapshot) -> Checked {
        for shown in &snapshot.open {
            let owner = &shown.interaction.owner;
            let is_live = self.calls.get(&owner.invocation).is_some_and(|seen| !seen.is_settled);
            Invariant::NoQuestionWithoutInvocation
                .holds_or(is_live, || format!("{} is open", shown.interaction.id))?;
            self.check_owner(&shown.interaction)?;
        }
        let taken = |question: &Question| {
            question.is_taken.then(|| question.given.as_ref().map(|(decision, _)| *decision))?
        };
        let expected: Vec<_> =
            self.shown(&snapshot.session).map(|(id, question)| (*id, taken(question))).collect();
        let found: Vec<_> =
            snapshot.open.iter().map(|shown| (shown.interaction.id, shown.taken)).collect();
        Invariant::NoQuestionWithoutInvocation.same("a snapshot", &found, &expected)?;
        let is_ours = snapshot.epoch.number() == self.epoch && snapshot.number == self.changes;
        Invariant::NoQuestionWithoutInvocation.holds_or(is_ours, || format!("{snapshot:?}"))
    }

    /// Returns the records that a store was asked for, but of what it holds alone nobody could
    /// tell how the question ended.
    pub(super) fn delivered(&self) -> BTreeSet<InteractionId> {
        let delivered = self.questions.iter().filter(|(_, question)| question.is_delivered);
        delivered.map(|(id, _)| *id).collect()
    }
}
