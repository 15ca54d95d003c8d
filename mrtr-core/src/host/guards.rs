//! The checks of a broker's events. They are made before anything changes.

use alloc::boxed::Box;

use super::{
    Broker, CloseReason, ConnectionId, Ending, Fault, InteractionId, Misuse, Outcome,
    ProviderFrame, Question, RecordId, RecordKind,
    active::{ActiveInvocation, Pending, Stage},
    id::invocation_number,
    ledger::{End, Input},
    question::CheckedAnswer,
};
use crate::{
    Clock, Instant, InvocationId, Phase, Trigger,
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
        self.ledger.index.connection(connection).ok_or(Fault::NotConnected)?;
        let (number, call) = self.find(frame.invocation())?;
        if call.owner.connection != connection {
            return Err(Fault::WrongConnection);
        }
        let accepted = || if call.is_accepted { Ok(()) } else { Err(Fault::NotAccepted) };
        let input = match frame {
            ProviderFrame::Accepted { .. } if call.is_accepted => {
                return Err(Fault::AlreadyAccepted);
            }
            ProviderFrame::Accepted { .. } => Input::Accepted,
            ProviderFrame::Progress { .. } => {
                accepted()?;
                Input::Progressed
            }
            ProviderFrame::InteractionRequest { interaction, request, .. } => {
                accepted()?;
                self.read_request(now, call, interaction, request.as_json())?
            }
            ProviderFrame::Result { result, .. } => {
                accepted()?;
                Input::Ended(End::result(call, result))
            }
            // Only a provider that has not accepted the invocation can say that it executed
            // nothing.
            ProviderFrame::Rejected { error, .. } if !call.is_accepted => {
                Input::Ended(End::error(call, Outcome::Rejected(error), CloseReason::Rejected))
            }
            ProviderFrame::Rejected { error, .. } => {
                Input::Ended(End::error(call, Outcome::Failed(error), CloseReason::Rejected))
            }
            ProviderFrame::Failed { error, .. } => {
                Input::Ended(End::error(call, Outcome::Failed(error), CloseReason::Failed))
            }
            ProviderFrame::Released { .. } => Input::Ended(End {
                outcome: Outcome::Released,
                why: CloseReason::Released,
                trigger: Trigger::Abandoned,
            }),
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
        let session = self.ledger.index.session(call.place.session);
        let connection = self.ledger.index.connection(call.owner.connection);
        let held = connection.map_or(0, |counted| counted.pending_bytes);
        for (count, max, what) in [
            (
                call.numbers.len() + 1,
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
                return Err(Fault::Limit { what, max });
            }
        }
        let question = Question::decode(request, limits)?;
        // No question is asked if the provider would have no time left after the answer.
        Ok(if call.timer.is_spent(now, &limits.clocks) {
            Input::Ended(End::timed_out(Clock::Execution))
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
        let Some(call) = self.active.get(&interaction.invocation) else {
            return Err(match self.ledger.recent.get(interaction) {
                Some((owner, how)) => {
                    owned_by(owner)?;
                    Misuse::Stale { won: Some(*how) }
                }
                None => Misuse::Stale { won: None },
            });
        };
        owned_by(&call.owner.session)?;
        match &call.pending {
            Some(pending) if pending.interaction.id == interaction => Ok((call, pending)),
            Some(_) | None if interaction.number > call.asked() => Err(Misuse::UnknownInteraction),
            Some(_) | None => {
                Err(Misuse::Stale { won: self.ledger.recent.get(interaction).map(|(_, how)| *how) })
            }
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
