//! The checks of a broker's events. They are made before anything changes.

use alloc::boxed::Box;

use super::{
    Broker, CloseReason, ConnectionId, Ending, Fault, InteractionId, Misuse, Outcome,
    ProviderFrame, Question, RecordId, RecordKind,
    active::{ActiveInvocation, Pending, Stage},
    id::invocation_number,
    ledger::Input,
    question::CheckedAnswer,
};
use crate::{
    Clock, Instant, InvocationId, Phase,
    id::SessionId,
    wire::{InputResponse, Json},
};

impl Broker {
    /// Makes all checks of a frame.
    pub(super) fn read_frame(
        &self,
        now: Instant,
        connection: ConnectionId,
        frame: ProviderFrame,
    ) -> Result<(u64, Input), Fault> {
        self.ledger.index.connections.get(&connection).ok_or(Fault::NotConnected)?;
        let (number, call) = self.find(frame.invocation())?;
        if call.owner.connection != connection {
            return Err(Fault::WrongConnection);
        }
        let input = match frame {
            // Only a provider that has not accepted the invocation can say that it executed
            // nothing.
            ProviderFrame::Rejected { error, .. } if !call.is_accepted => {
                Input::Ended(Outcome::Rejected(error), CloseReason::Rejected)
            }
            ProviderFrame::Rejected { error, .. } => {
                Input::Ended(Outcome::Failed(error), CloseReason::Rejected)
            }
            ProviderFrame::Failed { error, .. } => {
                Input::Ended(Outcome::Failed(error), CloseReason::Failed)
            }
            ProviderFrame::Released { .. } => {
                Input::Ended(Outcome::Released, CloseReason::Released)
            }
            ProviderFrame::Accepted { .. } if call.is_accepted => {
                return Err(Fault::AlreadyAccepted);
            }
            ProviderFrame::Accepted { .. } => Input::Accepted,
            ProviderFrame::Progress { .. }
            | ProviderFrame::InteractionRequest { .. }
            | ProviderFrame::Result { .. }
                if !call.is_accepted =>
            {
                return Err(Fault::NotAccepted);
            }
            ProviderFrame::Progress { .. } => Input::Progressed,
            ProviderFrame::InteractionRequest { interaction, request, .. } => {
                self.read_request(now, call, interaction, request.as_json())?
            }
            ProviderFrame::Result { .. } if call.pending.is_some() => {
                Input::Ended(Outcome::Inconsistent, CloseReason::Inconsistent)
            }
            // No question is open, so none is closed.
            ProviderFrame::Result { result, .. } => {
                Input::Ended(Outcome::Complete(result), CloseReason::Inconsistent)
            }
        };
        Ok((number, input))
    }

    /// Reads a question of a provider: first the cheap checks, then the form.
    fn read_request(
        &self,
        now: Instant,
        call: &ActiveInvocation,
        number: u64,
        request: Json<'_>,
    ) -> Result<Input, Fault> {
        call.check_number(number)?;
        if call.pending.is_some() {
            return Err(Fault::Pending);
        }
        let limits = &self.ledger.limits;
        let bytes = request.as_str().len();
        let session = self.ledger.index.sessions.get(&call.owner.session);
        let connection = self.ledger.index.connections.get(&call.owner.connection);
        let open = session.map_or(0, |session| session.pending) + 1;
        let held = connection.map_or(0, |on| on.pending_bytes).saturating_add(bytes);
        let within = |count: usize, what: &'static str, max: usize| {
            if count > max { Err(Fault::Limit { what, max }) } else { Ok(()) }
        };
        let asked_max = limits.interactions_max as usize;
        within(call.numbers.len() + 1, "questions of an invocation", asked_max)?;
        within(open, "open questions of a session", limits.session_pending_max)?;
        let what = "bytes of the open questions of a connection";
        within(held, what, limits.connection_bytes_max)?;
        let question = Question::decode(request, limits)?;
        // No question is asked if the provider would have no time left after the answer.
        Ok(if call.timer.is_spent(now, &limits.clocks) {
            Input::Ended(Outcome::TimedOut(Clock::Execution), CloseReason::TimedOut)
        } else {
            Input::Asked { question: Box::new(question), number, bytes }
        })
    }

    /// Returns whether a provider is told that its question is refused. The question must be for a
    /// live invocation of this provider, and its number must be new. Otherwise the refusal of a
    /// repeated frame would look like the refusal of the open question.
    pub(super) fn is_told(
        &self,
        connection: ConnectionId,
        invocation: &InvocationId,
        number: u64,
    ) -> bool {
        self.find(invocation)
            .is_ok_and(|(_, call)| call.owner.connection == connection && !call.has_asked(number))
    }

    /// Checks that an answer is to an open question of the session, and that it fits the question.
    pub(super) fn read_answer(
        &self,
        interaction: InteractionId,
        session: &SessionId,
        response: InputResponse,
    ) -> Result<CheckedAnswer, Misuse> {
        let (call, pending) = self.pending(interaction, Some(session))?;
        // No surface shows the question yet.
        if pending.stage == Stage::Opening {
            return Err(Misuse::UnknownInteraction);
        }
        pending.unanswered()?;
        debug_assert_eq!(call.phase, Phase::AwaitingInteraction, "an open question is waited for");
        Ok(pending.interaction.question.check(response, &self.ledger.limits.form)?)
    }

    /// Checks that a question is open and has no answer yet.
    pub(super) fn open(&self, interaction: InteractionId) -> Result<(), Misuse> {
        self.pending(interaction, None)?.1.unanswered()
    }

    /// Finds a question that has not ended. The session is checked first, so that an error tells
    /// nothing about another session's question.
    fn pending(
        &self,
        interaction: InteractionId,
        session: Option<&SessionId>,
    ) -> Result<(&ActiveInvocation, &Pending), Misuse> {
        if interaction.epoch < self.ledger.epoch {
            return Err(Misuse::OldEpoch);
        }
        let was_made = interaction.invocation > 0 && interaction.invocation <= self.last;
        if interaction.epoch > self.ledger.epoch || !was_made || interaction.number == 0 {
            return Err(Misuse::UnknownInteraction);
        }
        let owned_by = |owner: &SessionId| match session {
            Some(session) if session != owner => Err(Misuse::WrongSession),
            Some(_) | None => Ok(()),
        };
        let recent = self.ledger.recent.get(interaction);
        let stale = Misuse::Stale { won: recent.map(|(_, how)| *how) };
        let Some(call) = self.active.get(&interaction.invocation) else {
            recent.map_or(Ok(()), |(owner, _)| owned_by(owner))?;
            return Err(stale);
        };
        owned_by(&call.owner.session)?;
        match &call.pending {
            Some(pending) if pending.interaction.id == interaction => Ok((call, pending)),
            Some(_) | None if interaction.number > call.asked() => Err(Misuse::UnknownInteraction),
            Some(_) | None => Err(stale),
        }
    }

    /// Reads the store's reply about a record; `None` if nothing waits for the record any more.
    pub(super) fn read_stored(&self, record: RecordId) -> Result<Option<Input>, Misuse> {
        if !self.ledger.is_durable {
            return Err(Misuse::NotStoring);
        }
        let is_close = record.kind == RecordKind::Closed;
        let pending = match self.pending(record.interaction, None) {
            Ok((_, pending)) => pending,
            Err(Misuse::Stale { won: Some(Ending::Answered(_)) }) if is_close => {
                return Err(Misuse::NotStoring);
            }
            // Nothing waits for a `Closed`. If it is lost, and there is no answer, a restarted host
            // writes it again.
            Err(Misuse::Stale { .. }) => return Ok(None),
            // The broker does not remember which earlier questions it closed when it started.
            Err(Misuse::OldEpoch) if is_close => return Ok(None),
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

    /// Finds a live invocation.
    pub(super) fn find(&self, id: &InvocationId) -> Result<(u64, &ActiveInvocation), Fault> {
        let (epoch, number) = invocation_number(id).ok_or(Fault::NotLive)?;
        if epoch < self.ledger.epoch {
            return Err(Fault::OldEpoch);
        }
        let call = self.active.get(&number).filter(|_| epoch == self.ledger.epoch);
        call.map(|call| (number, call.as_ref())).ok_or(Fault::NotLive)
    }
}
