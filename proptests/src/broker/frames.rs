//! What the requirements make of what providers say.

use mrtr_core::{
    Instant, InvocationId,
    host::{
        CloseReason, ConnectionId, InteractionId, ProviderFrame, Question, RecordId, RecordKind,
    },
};

use super::{
    call::{ModelCall, ModelQuestion, QuestionStage},
    expected::Expected,
    model::Model,
};

impl Model {
    /// Expects what comes of bytes that are not a frame.
    pub(super) fn garbled(&mut self, connection: ConnectionId) -> Expected {
        self.refuse(connection, vec!["unreadable".into()])
    }

    /// Expects what comes of bytes that are not a frame, but that say which question they ask: who asks
    /// hears of it, if the invocation is theirs and nobody was asked by that number.
    pub(super) fn misspelt(
        &mut self,
        connection: ConnectionId,
        invocation: InvocationId,
        number: u64,
    ) -> Expected {
        let is_theirs = |call: &&ModelCall| call.id == invocation && call.connection == connection;
        let is_told = self
            .live()
            .find(is_theirs)
            .is_some_and(|call| call.asked.iter().all(|asked| asked.number != number));
        let told = is_told.then_some((connection, invocation, number));
        Expected { told, ..self.garbled(connection) }
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
                    let stage = QuestionStage::Opening;
                    self.ask(now, at, ModelQuestion { id, number, request, question, stage })
                } else {
                    // Who repeats a number may only hear the echo of a question that is open.
                    let is_echo = broken.iter().any(|rule| rule.starts_with("duplicate"));
                    let told = (connection, id.clone(), *interaction);
                    Expected { told: (!is_echo).then_some(told), ..self.refuse(connection, broken) }
                }
            }
            ProviderFrame::Result { .. } if call.pending().is_some() => {
                self.end(now, at, "inconsistent", CloseReason::Inconsistent, true)
            }
            ProviderFrame::Result { result, .. } => {
                let outcome = format!("complete {}", result.as_str());
                self.end(now, at, &outcome, CloseReason::Inconsistent, false)
            }
            ProviderFrame::Rejected { error, .. } => {
                // Who has taken it cannot say that nothing was done.
                let word = if is_early { "rejected" } else { "failed" };
                let outcome = format!("{word} {}", error.as_str());
                self.end(now, at, &outcome, CloseReason::Rejected, false)
            }
            ProviderFrame::Failed { error, .. } => {
                let outcome = format!("failed {}", error.as_str());
                self.end(now, at, &outcome, CloseReason::Failed, false)
            }
            ProviderFrame::Released { .. } => {
                self.end(now, at, "released", CloseReason::Released, false)
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
        let last = call.number_last().unwrap_or_default();
        if call.asked.iter().any(|asked| asked.number == number) {
            return vec![format!("duplicate {last}")];
        }
        let mut broken = Vec::new();
        // Numbers begin at 1, and grow.
        broken.extend((number <= last).then(|| format!("number {last}")));
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
        format!("{}.{}", call.id, call.asked.len() + 1).parse().unwrap()
    }

    fn ask(&mut self, now: Instant, at: usize, mut asked: ModelQuestion) -> Expected {
        let is_spent =
            self.calls.get(at).is_some_and(|call| call.is_spent(now, &self.limits.clocks));
        if is_spent {
            return self.end(now, at, "timed_out Execution", CloseReason::TimedOut, true);
        }
        let mut expected = Expected::default();
        let call = self.calls.get(at).unwrap();
        let said = self.said(call, &asked);
        if self.is_durable {
            let id = RecordId { interaction: asked.id, kind: RecordKind::Requested };
            expected.records.push((id, said));
        } else {
            asked.stage = QuestionStage::Open;
            expected.changes.push((call.call.session.clone(), asked.id, said));
        }
        let moved = self.moved(now, at, |call| call.ask(asked));
        Expected { moves: moved.moves, ..expected }
    }

    /// Writes a question, and whose it is.
    pub(super) fn said(&self, call: &ModelCall, asked: &ModelQuestion) -> String {
        let question = Question::decode(asked.request.as_json(), &self.limits).unwrap();
        let json = question.to_json();
        format!("{} {} {} {}", asked.id, call.id, call.connection, json.as_str())
    }
}
