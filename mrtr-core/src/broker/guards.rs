//! The guards of a broker's events: which rule each keeps or breaks, before anything changes.

use alloc::boxed::Box;

use super::{
    Broker, Closure, ConnectionId, Ending, InteractionId, Misuse, Outcome, ProviderFrame, Question,
    RecordId, RecordKind, Refused,
    id::invocation_number,
    invocation::{Answered, Live, Pending, Stage},
    ledger::{End, Input},
};
use crate::{
    Clock, Instant, InvocationId, Phase, SessionId, Trigger,
    wire::{RawJson, Response},
};

impl Broker {
    /// Resolves the guards of a frame.
    pub(super) fn read_frame(
        &self,
        now: Instant,
        connection: ConnectionId,
        frame: ProviderFrame,
    ) -> Result<(u64, Input), Refused> {
        self.ledger.index.connection(connection).ok_or(Refused::NotConnected)?;
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
        live.check_number(number)?;
        if live.pending.is_some() {
            return Err(Refused::Pending);
        }
        let limits = &self.ledger.limits;
        let bytes = request.as_str().len();
        let session = self.ledger.index.session(live.place.session);
        let connection = self.ledger.index.connection(live.owner.connection);
        let held = connection.map_or(0, |counted| counted.pending_bytes);
        for (count, max, what) in [
            (
                live.numbers.len() + 1,
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
        let question = Question::read(request.as_str(), limits)?;
        // Nobody is asked for a provider that would have no time to go on.
        Ok(if live.timer.is_spent(now, &limits.clocks) {
            Input::Ended(End::timed_out(Clock::Execution))
        } else {
            Input::Asked { question: Box::new(question), number, bytes }
        })
    }

    /// Tells whether a provider hears that a question is refused: one of a live invocation of its
    /// own, by a number that was never taken. The echo of a question that is open would otherwise
    /// pass for the refusal of it.
    pub(super) fn hears(
        &self,
        connection: ConnectionId,
        invocation: &InvocationId,
        number: u64,
    ) -> bool {
        self.live_of(invocation)
            .is_ok_and(|(_, live)| live.owner.connection == connection && !live.has_asked(number))
    }

    /// Checks an answer: that it is to an open question of the session, and fits it.
    pub(super) fn read_answer(
        &self,
        interaction: InteractionId,
        session: &SessionId,
        response: Response,
    ) -> Result<Answered, Misuse> {
        let (live, pending) = self.pending(interaction, Some(session))?;
        // Nobody was shown it.
        if pending.stage == Stage::Opening {
            return Err(Misuse::UnknownInteraction);
        }
        pending.unanswered()?;
        debug_assert_eq!(live.phase, Phase::AwaitingInteraction, "an open question is waited for");
        pending.interaction.question.answer(response, &self.ledger.limits.form)
    }

    /// Finds a question that has no answer yet.
    pub(super) fn open(&self, interaction: InteractionId) -> Result<(), Misuse> {
        self.pending(interaction, None)?.1.unanswered()
    }

    /// Finds a question that has not ended. Whose it is, is checked before anything else is told of
    /// it.
    fn pending(
        &self,
        interaction: InteractionId,
        session: Option<&SessionId>,
    ) -> Result<(&Live, &Pending), Misuse> {
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
        let Some(live) = self.live.get(&interaction.invocation) else {
            return Err(match self.ledger.past.get(interaction) {
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
            Some(_) | None if interaction.number > live.asked() => Err(Misuse::UnknownInteraction),
            Some(_) | None => {
                Err(Misuse::Stale { won: self.ledger.past.get(interaction).map(|(_, how)| *how) })
            }
        }
    }

    /// Reads what the store holds. `None`: what it was to hold is not waited for any more.
    pub(super) fn read_stored(&self, record: RecordId) -> Result<Option<Input>, Misuse> {
        if !self.ledger.is_durable {
            return Err(Misuse::NotStoring);
        }
        let is_closure = record.kind == RecordKind::Closed;
        let pending = match self.pending(record.interaction, None) {
            Ok((_, pending)) => pending,
            Err(Misuse::Stale { won: Some(Ending::Answered(_)) }) if is_closure => {
                return Err(Misuse::NotStoring);
            }
            // Nothing waits for a closure. Where one is not held, and no answer is, a host that starts
            // anew makes it again.
            Err(Misuse::Stale { .. }) => return Ok(None),
            // Which questions of earlier lives were closed at the start is not remembered.
            Err(Misuse::OldEpoch) if is_closure => return Ok(None),
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
    pub(super) fn live_of(&self, id: &InvocationId) -> Result<(u64, &Live), Refused> {
        let (epoch, number) = invocation_number(id).ok_or(Refused::NotLive)?;
        if epoch < self.ledger.epoch {
            return Err(Refused::OldEpoch);
        }
        let live = self.live.get(&number).filter(|_| epoch == self.ledger.epoch);
        live.map(|live| (number, live.as_ref())).ok_or(Refused::NotLive)
    }
}
