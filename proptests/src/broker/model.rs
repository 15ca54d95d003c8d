//! What the requirements make of everything that happens: plain lists, looked through from end to
//! end.
//!
//! It is written from the requirements and the guides, not from the broker. Where they leave open
//! which of several rules a frame breaks, each of them is right.

use mrtr_core::{
    Instant, InvocationId, RegistrationId, SessionId, TurnId,
    broker::{
        Call, Closure, ConnectionId, Decision, Ending, HostFrame, InteractionId, Limits,
        ProviderFrame, Question, RecordId, RecordKind,
    },
};

use super::{
    call::{Asked, Called, Stage},
    expected::Expected,
    script::{Fit, raw},
};

/// Is a host as the requirements have it.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) epoch: u64,
    pub(super) is_durable: bool,
    pub(super) limits: Limits,
    /// What is connected, and how many frames of it were refused.
    pub(super) connections: Vec<(ConnectionId, u64)>,
    pub(super) registrations: Vec<(RegistrationId, ConnectionId)>,
    /// All invocations of this life.
    pub(super) calls: Vec<Called>,
    /// The questions that have ended in this life, in that order.
    ended: Vec<InteractionId>,
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

    pub(super) fn live(&self) -> impl Iterator<Item = &Called> {
        self.calls.iter().filter(|call| !call.is_over)
    }

    /// Returns every question of this life, and its invocation.
    pub(super) fn questions(&self) -> impl Iterator<Item = (&Called, &Asked)> {
        self.calls.iter().flat_map(|call| call.asked.iter().map(move |asked| (call, asked)))
    }

    /// Returns the questions that have not ended.
    pub(super) fn pending(&self) -> impl Iterator<Item = (&Called, &Asked)> {
        self.questions().filter(|(_, asked)| !matches!(asked.stage, Stage::Ended(_)))
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
        self.lose(now, Closure::ProviderLost, |call| call.connection == connection)
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
        self.lose(now, Closure::Superseded, |call| call.call.registration == *registration)
    }

    pub(super) fn retire(&mut self, now: Instant, registration: &RegistrationId) -> Expected {
        self.registrations.retain(|(known, _)| known != registration);
        self.lose(now, Closure::Retired, |call| call.call.registration == *registration)
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
        self.calls.push(Called::new(now, id, call, connection));
        Expected { frames: vec![(connection, frame)], ..Expected::default() }
    }

    /// Expects what comes of something that is no frame.
    pub(super) fn garbled(&mut self, connection: ConnectionId) -> Expected {
        self.refuse(connection, vec!["unreadable".into()])
    }

    fn refuse(&mut self, connection: ConnectionId, refusals: Vec<String>) -> Expected {
        let known = self.connections.iter_mut().filter(|(known, _)| *known == connection);
        known.for_each(|(_, refused)| *refused += 1);
        Expected { refusals, ..Expected::default() }
    }

    /// Expects what comes of a frame. `request` says which question of the script it asks, or which
    /// rule its request breaks.
    pub(super) fn frame(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        frame: &ProviderFrame,
        request: Option<Result<usize, &'static str>>,
    ) -> Expected {
        let mut stranger = Vec::new();
        if !self.is_connected(connection) {
            stranger.push("not_connected".into());
        }
        let id = frame.invocation();
        let Some(at) = self.calls.iter().position(|call| call.id == *id && !call.is_over) else {
            let is_of_this_life = self.calls.iter().any(|call| call.id == *id);
            let is_old = self.old_calls.contains(id);
            // What never was may look like something of another life.
            stranger.extend((!is_old).then(|| "not_live".into()));
            stranger.extend((!is_of_this_life).then(|| "old_epoch".into()));
            return self.refuse(connection, stranger);
        };
        let Some(call) = self.calls.get(at) else { return Expected::default() };
        if call.connection != connection {
            // Nothing of the invocation is told to who has nothing to do with it.
            stranger.push("wrong_connection".into());
            return self.refuse(connection, stranger);
        }
        let is_early = !call.is_accepted;
        match frame {
            ProviderFrame::Accepted { .. } if !is_early => {
                self.refuse(connection, vec!["already_accepted".into()])
            }
            ProviderFrame::Accepted { .. } => self.moved(now, at, |call| call.is_accepted = true),
            ProviderFrame::Progress { .. } | ProviderFrame::Result { .. } if is_early => {
                self.refuse(connection, vec!["not_accepted".into()])
            }
            // The clock of a provider that waits for people does not run.
            ProviderFrame::Progress { .. } if call.pending().is_some() => Expected::default(),
            ProviderFrame::Progress { .. } => {
                let clocks = self.limits.clocks;
                self.moved(now, at, |call| call.progress(&clocks))
            }
            ProviderFrame::InteractionRequest { interaction, request: text, .. } => {
                let broken = self.broken(at, *interaction, text.as_str().len(), request);
                if broken.is_empty() {
                    let question = request.and_then(Result::ok).unwrap_or_default();
                    let (number, request) = (*interaction, text.clone());
                    let id = self.next_id(at);
                    let stage = Stage::Opening;
                    self.ask(now, at, Asked { id, number, request, question, stage })
                } else {
                    // Who repeats a number may only hear the echo of a question that is open.
                    let is_echo = broken.iter().any(|rule| rule.starts_with("duplicate"));
                    let told = (connection, id.clone(), *interaction);
                    Expected { told: (!is_echo).then_some(told), ..self.refuse(connection, broken) }
                }
            }
            ProviderFrame::Result { .. } if call.pending().is_some() => {
                self.end(now, at, "inconsistent", Closure::Inconsistent, true)
            }
            ProviderFrame::Result { result, .. } => {
                let outcome = format!("complete {}", result.as_str());
                self.end(now, at, &outcome, Closure::Inconsistent, false)
            }
            ProviderFrame::Rejected { error, .. } => {
                // Who has taken it can not say that nothing was done.
                let word = if is_early { "rejected" } else { "failed" };
                let outcome = format!("{word} {}", error.as_str());
                self.end(now, at, &outcome, Closure::Rejected, false)
            }
            ProviderFrame::Failed { error, .. } => {
                let outcome = format!("failed {}", error.as_str());
                self.end(now, at, &outcome, Closure::Failed, false)
            }
            ProviderFrame::Released { .. } => {
                self.end(now, at, "released", Closure::Released, false)
            }
        }
    }

    /// Lists the rules that a question of an invocation breaks.
    fn broken(
        &self,
        at: usize,
        number: u64,
        bytes: usize,
        request: Option<Result<usize, &'static str>>,
    ) -> Vec<String> {
        let Some(call) = self.calls.get(at) else { return Vec::new() };
        if let Some(last) = call.number_last().filter(|last| number <= *last) {
            return vec![format!("duplicate {last}")];
        }
        let mut broken = Vec::new();
        broken.extend((!call.is_accepted).then(|| "not_accepted".into()));
        broken.extend(call.pending().map(|_| "pending".into()));
        broken.extend(request.and_then(Result::err).map(Into::into));
        let of_session =
            self.pending().filter(|(other, _)| other.call.session == call.call.session).count();
        let on_connection: usize = self
            .pending()
            .filter(|(other, _)| other.connection == call.connection)
            .map(|(_, asked)| asked.request.as_str().len())
            .sum();
        for (count, max) in [
            (call.asked.len() + 1, usize::try_from(self.limits.interactions_max).unwrap()),
            (of_session + 1, self.limits.session_pending_max),
            (on_connection + bytes, self.limits.connection_bytes_max),
        ] {
            broken.extend((count > max).then(|| format!("limit {max}")));
        }
        broken
    }

    /// Returns the id that the host makes for the next question: from its own count alone.
    fn next_id(&self, at: usize) -> InteractionId {
        let call = self.calls.get(at).unwrap();
        InteractionId::parse(&format!("{}.{}", call.id, call.asked.len() + 1)).unwrap()
    }

    fn ask(&mut self, now: Instant, at: usize, mut asked: Asked) -> Expected {
        let is_spent =
            self.calls.get(at).is_some_and(|call| call.is_spent(now, &self.limits.clocks));
        if is_spent {
            return self.end(now, at, "timed_out Execution", Closure::TimedOut, true);
        }
        let mut expected = Expected::default();
        let call = self.calls.get(at).unwrap();
        let said = self.said(call, &asked);
        if self.is_durable {
            let id = RecordId { interaction: asked.id, kind: RecordKind::Requested };
            expected.records.push((id, said));
        } else {
            asked.stage = Stage::Open;
            expected.changes.push((call.call.session.clone(), asked.id, said));
        }
        let moved = self.moved(now, at, |call| call.ask(asked));
        Expected { moves: moved.moves, ..expected }
    }

    /// Writes a question, and whose it is.
    fn said(&self, call: &Called, asked: &Asked) -> String {
        let question = Question::decode(asked.request.as_str(), &self.limits).unwrap();
        let json = question.to_json();
        format!("{} {} {} {}", asked.id, call.id, call.connection, json.as_str())
    }

    /// Expects an answer to be taken, or the mistakes that it is. It is told whose a question is
    /// before anything else of it.
    pub(super) fn answer(
        &mut self,
        now: Instant,
        id: InteractionId,
        session: &SessionId,
        fit: Fit,
    ) -> Expected {
        let Some((call, asked)) = self.questions().find(|(_, asked)| asked.id == id) else {
            return self.unknown(id, Some(session));
        };
        if call.call.session != *session {
            let is_forgotten = call.is_over && self.forgets();
            let mut misuses = vec!["WrongSession".into()];
            misuses.extend(is_forgotten.then(|| "stale None".into()));
            return Expected { misuses, ..Expected::default() };
        }
        match (asked.stage, fit) {
            (Stage::Opening, _) => Expected::misuse("UnknownInteraction"),
            (Stage::Committing(decision, _), _) => {
                Expected::misuse(format!("stale {:?}", Some(Ending::Answered(decision))))
            }
            (Stage::Ended(how), _) => self.stale(how),
            (Stage::Open, Fit::Unfit(why)) => Expected::misuse(why),
            (Stage::Open, Fit::Fits(decision, json)) if self.is_durable => {
                let session = session.clone();
                let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
                let record = RecordId { interaction: id, kind: RecordKind::Answered };
                let moved =
                    self.moved(now, at, |call| call.turn(Stage::Committing(decision, json)));
                Expected {
                    records: vec![(record, json.into())],
                    changes: vec![(session, id, format!("taken {decision:?}"))],
                    ..moved
                }
            }
            (Stage::Open, Fit::Fits(decision, json)) => self.deliver(now, id, decision, json),
        }
    }

    /// Expects the mistake of who names a question that nobody asked.
    fn unknown(&self, id: InteractionId, session: Option<&SessionId>) -> Expected {
        if self.old_questions.contains(&id) {
            return Expected::misuse("OldEpoch");
        }
        let mut misuses: Vec<String> = vec!["UnknownInteraction".into()];
        misuses.extend((id.epoch().number() < self.epoch).then(|| "OldEpoch".into()));
        let text = id.to_string();
        let of_it = |call: &&Called| {
            text.strip_prefix(call.id.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some(call) = self.calls.iter().find(of_it) {
            let is_other = session.is_some_and(|session| *session != call.call.session);
            misuses.extend(is_other.then(|| "WrongSession".into()));
            misuses.extend(call.is_over.then(|| "stale None".into()));
        }
        Expected { misuses, ..Expected::default() }
    }

    /// Expects the mistake of who comes too late: what won is said, unless it is long ago.
    fn stale(&self, how: Ending) -> Expected {
        let mut misuses = vec![format!("stale {:?}", Some(how))];
        misuses.extend(self.forgets().then(|| "stale None".into()));
        Expected { misuses, ..Expected::default() }
    }

    /// Tells whether more has ended than a host need remember.
    fn forgets(&self) -> bool {
        self.ended.len() > self.limits.past_max
    }

    fn deliver(
        &mut self,
        now: Instant,
        id: InteractionId,
        decision: Decision,
        json: &'static str,
    ) -> Expected {
        let holds = |call: &Called| call.pending().is_some_and(|asked| asked.id == id);
        let at = self.calls.iter().position(holds).unwrap();
        let call = self.calls.get(at).unwrap();
        let (invocation, interaction) = (call.id.clone(), call.pending().unwrap().number);
        let frame = HostFrame::InteractionResult { invocation, interaction, result: raw(json) };
        let (connection, session) = (call.connection, call.call.session.clone());
        let how = Ending::Answered(decision);
        self.ended.push(id);
        let moved = self.moved(now, at, |call| call.turn(Stage::Ended(how)));
        Expected {
            frames: vec![(connection, frame)],
            changes: vec![(session, id, format!("ended {how:?}"))],
            ..moved
        }
    }

    /// Expects what comes of a question that nobody can be asked.
    pub(super) fn unanswerable(&mut self, now: Instant, id: InteractionId) -> Expected {
        let Some((call, asked)) = self.questions().find(|(_, asked)| asked.id == id) else {
            return self.unknown(id, None);
        };
        match asked.stage {
            Stage::Ended(how) => self.stale(how),
            Stage::Committing(decision, _) => {
                Expected::misuse(format!("stale {:?}", Some(Ending::Answered(decision))))
            }
            Stage::Opening | Stage::Open => {
                let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
                self.end(now, at, "unanswerable", Closure::Unanswerable, true)
            }
        }
    }

    /// Expects what comes of what the store says of a record. `was_written`: it was asked to hold
    /// it, in this life or another.
    pub(super) fn stored(
        &mut self,
        now: Instant,
        record: RecordId,
        held: bool,
        was_written: bool,
    ) -> Expected {
        let nobody_asked = Expected { may_pass: !was_written, ..Expected::misuse("NotStoring") };
        if !self.is_durable {
            return Expected::misuse("NotStoring");
        }
        if record.kind == RecordKind::Closed {
            return if was_written { Expected::default() } else { nobody_asked };
        }
        let found = self.questions().find(|(_, asked)| asked.id == record.interaction);
        let Some((call, asked)) = found else {
            return Expected { may_pass: true, ..Expected::misuse("NotStoring") };
        };
        let waits_for = match asked.stage {
            Stage::Opening => Some(RecordKind::Requested),
            Stage::Committing(..) => Some(RecordKind::Answered),
            Stage::Open | Stage::Ended(_) => None,
        };
        if waits_for != Some(record.kind) {
            let is_over = matches!(asked.stage, Stage::Ended(_));
            return match was_written {
                true => Expected::default(),
                false if is_over => nobody_asked,
                false => Expected::misuse("NotStoring"),
            };
        }
        let stage = asked.stage;
        let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
        match stage {
            _ if !held => self.end(now, at, "store_failed", Closure::StoreFailed, true),
            Stage::Committing(decision, json) => {
                self.deliver(now, record.interaction, decision, json)
            }
            Stage::Opening | Stage::Open | Stage::Ended(_) => {
                let call = self.calls.get(at).unwrap();
                let said = self.said(call, call.asked.last().unwrap());
                let change = (call.call.session.clone(), record.interaction, said);
                let moved = self.moved(now, at, |call| call.turn(Stage::Open));
                Expected { changes: vec![change], ..moved }
            }
        }
    }

    /// Expects the end of what somebody gives up.
    pub(super) fn stop(
        &mut self,
        now: Instant,
        why: Closure,
        is_covered: impl Fn(&Called) -> bool,
    ) -> Expected {
        self.end_all(now, is_covered, |_| ("stopped".into(), why, true))
    }

    /// Expects the end of what ran out.
    pub(super) fn tick(&mut self, now: Instant) -> Expected {
        let limits = self.limits.clone();
        let is_due = |call: &Called| call.due(&limits).0 <= now;
        self.end_all(now, is_due, |call| match call.due(&limits).1 {
            Some(clock) => (format!("timed_out {clock:?}"), Closure::TimedOut, true),
            None => ("store_failed".into(), Closure::StoreFailed, true),
        })
    }

    /// Expects the end of what has lost its provider: it is known that nothing was done meanwhile
    /// only where somebody was asked.
    fn lose(&mut self, now: Instant, why: Closure, is_lost: impl Fn(&Called) -> bool) -> Expected {
        self.end_all(now, is_lost, |call| {
            let outcome = if call.pending().is_some() { "lost" } else { "outcome_unknown" };
            (outcome.into(), why, why != Closure::ProviderLost)
        })
    }

    fn end_all(
        &mut self,
        now: Instant,
        ends: impl Fn(&Called) -> bool,
        how: impl Fn(&Called) -> (String, Closure, bool),
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
    fn end(
        &mut self,
        now: Instant,
        at: usize,
        outcome: &str,
        why: Closure,
        cancels: bool,
    ) -> Expected {
        let mut expected = Expected::default();
        let call = self.calls.get(at).unwrap();
        let (invocation, connection) = (call.id.clone(), call.connection);
        let open = call.pending().map(|asked| (asked.id, asked.stage != Stage::Opening));
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
                call.turn(Stage::Ended(Ending::Closed(why)));
            }
            call.is_over = true;
        });
        Expected { moves: moved.moves, ..expected }
    }

    /// Changes an invocation, and expects that its move is reported.
    fn moved(&mut self, now: Instant, at: usize, change: impl FnOnce(&mut Called)) -> Expected {
        let call = self.calls.get_mut(at).unwrap();
        let from = call.phase();
        call.tell(now);
        change(call);
        let moves = vec![(call.id.clone(), from, call.phase())];
        Expected { moves, ..Expected::default() }
    }

    /// Tells what a turn of a session covers.
    pub(super) fn is_of_turn<'a>(
        session: &'a SessionId,
        turn: &'a TurnId,
    ) -> impl Fn(&Called) -> bool + 'a {
        move |call| call.call.session == *session && call.call.turn == *turn
    }
}
