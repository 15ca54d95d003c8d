//! What the requirements make of everything that happens: plain lists, looked through from end to
//! end.
//!
//! It is written from the requirements and the guides, not from the broker. Where they leave open
//! which of several rules a frame breaks, each of them is right.

use mrtr_core::{
    Instant, InvocationId,
    host::{
        Call, CloseReason, ConnectionId, Ending, HostFrame, InteractionId, Limits, RecordId,
        RecordKind, RegistrationId, SessionId, TurnId,
    },
};

use super::{
    call::{ModelCall, ModelQuestion, QuestionStage},
    expected::Expected,
};

/// A host as the requirements have it.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) epoch: u64,
    pub(super) is_durable: bool,
    pub(super) limits: Limits,
    /// What is connected, and how many frames of it were refused.
    pub(super) connections: Vec<(ConnectionId, u64)>,
    pub(super) registrations: Vec<(RegistrationId, ConnectionId)>,
    /// All invocations of this life.
    pub(super) calls: Vec<ModelCall>,
    /// The questions that have ended in this life, in that order.
    pub(super) ended: Vec<InteractionId>,
    pub(super) old_calls: Vec<InvocationId>,
    pub(super) old_questions: Vec<InteractionId>,
}

impl Model {
    pub(super) const fn new(epoch: u64, is_durable: bool, limits: Limits) -> Self {
        Self {
            epoch,
            is_durable,
            limits,
            connections: Vec::new(),
            registrations: Vec::new(),
            calls: Vec::new(),
            ended: Vec::new(),
            old_calls: Vec::new(),
            old_questions: Vec::new(),
        }
    }

    /// Begins another life: nothing goes on.
    pub(super) fn restart(&mut self, epoch: u64) {
        let (calls, questions) = (self.calls.iter(), self.questions());
        let calls: Vec<_> = calls.map(|call| call.id.clone()).collect();
        let questions: Vec<_> = questions.map(|(_, asked)| asked.id).collect();
        self.old_calls.extend(calls);
        self.old_questions.extend(questions);
        let before =
            core::mem::replace(self, Self::new(epoch, self.is_durable, self.limits.clone()));
        self.old_calls = before.old_calls;
        self.old_questions = before.old_questions;
    }

    pub(super) fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.iter().any(|(known, _)| *known == connection)
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &ModelCall> {
        self.calls.iter().filter(|call| !call.is_over)
    }

    /// Returns every question of this life, and its invocation.
    pub(super) fn questions(&self) -> impl Iterator<Item = (&ModelCall, &ModelQuestion)> {
        self.calls.iter().flat_map(|call| call.asked.iter().map(move |asked| (call, asked)))
    }

    /// Returns the questions that have not ended.
    pub(super) fn pending(&self) -> impl Iterator<Item = (&ModelCall, &ModelQuestion)> {
        self.questions().filter(|(_, asked)| !matches!(asked.stage, QuestionStage::Ended(_)))
    }

    pub(super) fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.registrations.iter().find(|(known, _)| known == registration).map(|(_, on)| *on)
    }

    pub(super) fn connect(&mut self, connection: ConnectionId) -> Expected {
        if self.is_connected(connection) {
            return Expected::misuse("AlreadyConnected");
        }
        self.connections.push((connection, 0));
        Expected::default()
    }

    pub(super) fn disconnect(&mut self, now: Instant, connection: ConnectionId) -> Expected {
        self.connections.retain(|(known, _)| *known != connection);
        self.registrations.retain(|(_, on)| *on != connection);
        self.lose(now, CloseReason::ProviderLost, |call| call.connection == connection)
    }

    pub(super) fn register(
        &mut self,
        now: Instant,
        registration: &RegistrationId,
        connection: ConnectionId,
    ) -> Expected {
        if !self.is_connected(connection) {
            return Expected::misuse("NotConnected");
        }
        self.registrations.retain(|(known, _)| known != registration);
        self.registrations.push((registration.clone(), connection));
        self.lose(now, CloseReason::Superseded, |call| call.call.registration == *registration)
    }

    pub(super) fn retire(&mut self, now: Instant, registration: &RegistrationId) -> Expected {
        self.registrations.retain(|(known, _)| known != registration);
        self.lose(now, CloseReason::Retired, |call| call.call.registration == *registration)
    }

    /// Expects an invocation, and tells which connection it goes to; or the mistakes that it is.
    pub(super) fn may_call(&self, call: &Call) -> Result<ConnectionId, Vec<String>> {
        let Some(connection) = self.registered_on(&call.registration) else {
            return Err(vec!["NotRegistered".into()]);
        };
        let on_it = self.live().filter(|live| live.connection == connection).count();
        let of_it = self.live().filter(|live| live.call.session == call.session).count();
        let mut over = Vec::new();
        for (count, max) in [
            (on_it, self.limits.connection_invocations_max),
            (of_it, self.limits.session_invocations_max),
        ] {
            over.extend((count >= max).then(|| format!("limit {max}")));
        }
        if over.is_empty() { Ok(connection) } else { Err(over) }
    }

    /// Takes note of an invocation that may be, by the id that the host gives it.
    pub(super) fn called(
        &mut self,
        now: Instant,
        id: InvocationId,
        call: Call,
        connection: ConnectionId,
    ) -> Expected {
        let frame = HostFrame::Call { invocation: id.clone(), request: call.request.clone() };
        self.calls.push(ModelCall::new(now, id, call, connection));
        Expected { frames: vec![(connection, frame)], ..Expected::default() }
    }

    /// Expects the end of what somebody gives up.
    pub(super) fn stop(
        &mut self,
        now: Instant,
        why: CloseReason,
        is_covered: impl Fn(&ModelCall) -> bool,
    ) -> Expected {
        self.end_all(now, is_covered, |_| ("stopped".into(), why, true))
    }

    /// Expects the end of what ran out.
    pub(super) fn tick(&mut self, now: Instant) -> Expected {
        let limits = self.limits.clone();
        let is_due = |call: &ModelCall| call.due(&limits).0 <= now;
        self.end_all(now, is_due, |call| match call.due(&limits).1 {
            Some(clock) => (format!("timed_out {clock:?}"), CloseReason::TimedOut, true),
            None => ("store_failed".into(), CloseReason::StoreFailed, true),
        })
    }

    /// Expects the end of what has lost its provider: it is known that nothing was done meanwhile
    /// only where somebody was asked.
    fn lose(
        &mut self,
        now: Instant,
        why: CloseReason,
        is_lost: impl Fn(&ModelCall) -> bool,
    ) -> Expected {
        self.end_all(now, is_lost, |call| {
            let outcome = if call.pending().is_some() { "lost" } else { "outcome_unknown" };
            (outcome.into(), why, why != CloseReason::ProviderLost)
        })
    }

    fn end_all(
        &mut self,
        now: Instant,
        ends: impl Fn(&ModelCall) -> bool,
        how: impl Fn(&ModelCall) -> (String, CloseReason, bool),
    ) -> Expected {
        let mut expected = Expected::default();
        for at in 0..self.calls.len() {
            let call = self.calls.get(at).filter(|call| !call.is_over && ends(call));
            if let Some((outcome, why, cancels)) = call.map(&how) {
                let one = self.end(now, at, &outcome, why, cancels);
                expected.frames.extend(one.frames);
                expected.records.extend(one.records);
                expected.changes.extend(one.changes);
                expected.outcomes.extend(one.outcomes);
                expected.moves.extend(one.moves);
            }
        }
        expected
    }

    /// Ends an invocation, and closes what it asks.
    pub(super) fn end(
        &mut self,
        now: Instant,
        at: usize,
        outcome: &str,
        why: CloseReason,
        cancels: bool,
    ) -> Expected {
        let mut expected = Expected::default();
        let call = self.calls.get(at).unwrap();
        let (invocation, connection) = (call.id.clone(), call.connection);
        let open = call.pending().map(|asked| (asked.id, asked.stage != QuestionStage::Opening));
        if let Some((id, is_shown)) = open {
            self.ended.push(id);
            if self.is_durable {
                let record = RecordId { interaction: id, kind: RecordKind::Closed };
                expected.records.push((record, why.to_string()));
            }
            if is_shown {
                let said = format!("ended {:?}", Ending::Closed(why));
                expected.changes.push((call.call.session.clone(), id, said));
            }
        }
        if cancels {
            let frame = HostFrame::Cancel { invocation: invocation.clone(), why };
            expected.frames.push((connection, frame));
        }
        expected.outcomes.push((invocation, outcome.into()));
        let moved = self.moved(now, at, |call| {
            if open.is_some() {
                call.turn(QuestionStage::Ended(Ending::Closed(why)));
            }
            call.is_over = true;
        });
        Expected { moves: moved.moves, ..expected }
    }

    /// Changes an invocation, and expects that its move is reported.
    pub(super) fn moved(
        &mut self,
        now: Instant,
        at: usize,
        change: impl FnOnce(&mut ModelCall),
    ) -> Expected {
        let call = self.calls.get_mut(at).unwrap();
        let from = call.phase();
        call.tell(now);
        change(call);
        let answered = |asked: &&ModelQuestion| {
            matches!(asked.stage, QuestionStage::Ended(Ending::Answered(_)))
        };
        let leg = 1 + call.asked.iter().filter(answered).count();
        let after = [leg, call.asked.len(), usize::from(call.pending().is_some())];
        let moves = vec![(call.id.clone(), from, call.phase(), after)];
        Expected { moves, ..Expected::default() }
    }

    /// Returns what a turn of a session covers.
    pub(super) fn is_of_turn<'a>(
        session: &'a SessionId,
        turn: &'a TurnId,
    ) -> impl Fn(&ModelCall) -> bool + 'a {
        move |call| call.call.session == *session && call.call.turn == *turn
    }
}
