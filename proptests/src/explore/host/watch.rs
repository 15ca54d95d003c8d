//! What has come out of one call of a host, and whether it may.

use crate::invariants::{Invariant, Violation};
use mrtr_core::{
    Instant, InvocationId, Phase, Trigger,
    host::{
        Action, ChangeKind as Shows, ConnectionId, Ending, Event, HostFrame, InteractionId,
        ProviderFrame, Record, RecordId, RecordKind, SessionId,
    },
    wire::{Decision, InputResponse, RawJson},
};

use super::scene::written;
use crate::explore::{Place, Stage};

/// Keeps what is needed to judge the next action of a call.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Called {
    pub(super) invocation: InvocationId,
    pub(super) session: SessionId,
    pub(super) connection: ConnectionId,
    /// The call's place as the broker tells it, and when it came there.
    pub(super) place: Place,
    pub(super) since: Instant,
    /// Whether the provider was told to execute it.
    is_sent: bool,
    is_settled: bool,
    /// The last question.
    pub(super) question: Option<Asked>,
}

/// What is known of one question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) id: InteractionId,
    /// What the provider calls it.
    pub(super) number: u64,
    is_held: bool,
    pub(super) is_shown: bool,
    /// The answer that was taken, as the provider gets it.
    pub(super) answer: Option<RawJson>,
    decision: Option<Decision>,
    is_stored: bool,
    is_answer_held: bool,
    is_delivered: bool,
    is_closed: bool,
}

impl Asked {
    const fn new(id: InteractionId, number: u64) -> Self {
        Self {
            id,
            number,
            is_held: false,
            is_shown: false,
            answer: None,
            decision: None,
            is_stored: false,
            is_answer_held: false,
            is_delivered: false,
            is_closed: false,
        }
    }

    const fn is_over(&self) -> bool {
        self.is_delivered || self.is_closed
    }
}

impl Called {
    pub(super) fn new(
        invocation: InvocationId,
        session: SessionId,
        connection: ConnectionId,
        place: Place,
        since: Instant,
    ) -> Self {
        let (is_sent, is_settled, question) = (false, false, None);
        Self { invocation, session, connection, place, since, is_sent, is_settled, question }
    }

    /// Returns the question that is not over.
    pub(super) fn pending(&self) -> Option<&Asked> {
        self.question.as_ref().filter(|asked| !asked.is_over() && !self.is_settled)
    }

    /// Returns what the call waits for, by what has come out of it.
    pub(super) fn waits(&self) -> Stage {
        match self.pending() {
            None => Stage::None,
            Some(Asked { answer: Some(_), .. }) => Stage::AnswerAtStore,
            Some(Asked { is_shown: true, .. }) => Stage::Shown,
            Some(_) => Stage::QuestionAtStore,
        }
    }

    pub(super) const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Takes note of an event that moved the call.
    pub(super) fn event(
        &mut self,
        event: &Event,
        cause: Trigger,
        is_durable: bool,
    ) -> Result<(), Violation> {
        match event {
            Event::Frame { connection, frame } => {
                let is_own = *connection == self.connection;
                Invariant::AnswersReachWhoAsked.holds(is_own, "a provider speaks for its own")?;
                let ProviderFrame::InteractionRequest { interaction, .. } = frame else {
                    return Ok(());
                };
                // It asks too late: the legs have spent their time in all.
                if cause != Trigger::Asked {
                    return Ok(());
                }
                let is_free = self.pending().is_none();
                Invariant::OneThingAtATime.holds(is_free, "one question is open at a time")?;
                // The broker names it by the next of its numbers.
                let (head, last) = match &self.question {
                    Some(asked) => split(asked.id),
                    None => (self.invocation.as_str().to_owned(), 0),
                };
                let id = format!("{head}.{}", last + 1).parse().unwrap();
                self.question = Some(Asked::new(id, *interaction));
                Ok(())
            }
            Event::Answer { interaction, session, response } => {
                let rule = Invariant::AnswersReachWhoAsked;
                rule.holds(*session == self.session, "an answer is of the session that is asked")?;
                let asked = self.question.as_mut().filter(|asked| asked.id == *interaction);
                rule.holds(asked.is_some(), "an answer is to the question that is open")?;
                let Some(asked) = asked else { return Ok(()) };
                let rule = Invariant::StoredThenDelivered;
                rule.holds(asked.answer.is_none() && !asked.is_over(), "the first answer wins")?;
                rule.holds(asked.is_shown, "who answers was shown the question")?;
                asked.answer = Some(written(response));
                asked.decision = Some(match response {
                    InputResponse::Accept(_) => Decision::Accept,
                    InputResponse::Decline => Decision::Decline,
                    _ => Decision::Cancel,
                });
                Ok(())
            }
            Event::Stored(RecordId { interaction, kind }) => {
                let asked = self.question.as_mut().filter(|asked| asked.id == *interaction);
                match (asked, kind) {
                    (Some(asked), RecordKind::Requested) => asked.is_held = true,
                    (Some(asked), RecordKind::Answered) => asked.is_answer_held = true,
                    _ => {}
                }
                Invariant::Contract.holds(is_durable, "a host without a store hears of none")
            }
            _ => Ok(()),
        }
    }

    /// Takes note of an action, and checks it against what came before.
    pub(super) fn action(
        &mut self,
        action: &Action,
        after: &Event,
        is_durable: bool,
    ) -> Result<(), Violation> {
        Invariant::OneOutcome.holds(!self.is_settled, "nothing follows an outcome")?;
        match action {
            Action::Deliver { connection, frame } => {
                let is_own = *connection == self.connection;
                let rule = Invariant::AnswersReachWhoAsked;
                rule.holds(is_own, "a frame goes to who was called")?;
                self.deliver(frame, after, is_durable)
            }
            Action::Store(record) => self.store(record),
            Action::Project(change) => {
                let rule = Invariant::AnswersReachWhoAsked;
                rule.holds(change.session == self.session, "a question is shown where it belongs")?;
                self.project(&change.kind, is_durable)
            }
            Action::Settle { .. } => {
                self.is_settled = true;
                let question = self.question.as_ref();
                let is_over = question.is_none_or(|asked| asked.is_over() || !is_durable);
                let rule = Invariant::EveryAskHasAnEnd;
                rule.holds(is_over, "a question is answered or closed before its call ends")?;
                let is_shown = question.is_some_and(|asked| asked.is_shown);
                let rule = Invariant::NoQuestionWithoutInvocation;
                rule.holds(!is_shown, "a call that is over asks nothing")
            }
        }
    }

    fn deliver(
        &mut self,
        frame: &HostFrame,
        after: &Event,
        is_durable: bool,
    ) -> Result<(), Violation> {
        let (interaction, result) = match frame {
            HostFrame::InteractionResult { interaction, result, .. } => (interaction, result),
            HostFrame::Call { .. } => {
                let is_first = !core::mem::replace(&mut self.is_sent, true);
                let rule = Invariant::OneThingAtATime;
                return rule.holds(is_first, "a call goes to its provider once");
            }
            HostFrame::InteractionRefused { .. } | HostFrame::Cancel { .. } => return Ok(()),
        };
        let is_stop = matches!(after, Event::Stop(_) | Event::TurnEnded { .. });
        let rule = Invariant::NothingIsSentAfterStop;
        rule.holds(!is_stop, "nothing goes on for who has stopped")?;
        let rule = Invariant::AnswersReachWhoAsked;
        let asked = self.question.as_mut().filter(|asked| asked.number == *interaction);
        rule.holds(asked.is_some(), "an answer is to what was asked")?;
        let Some(asked) = asked else { return Ok(()) };
        let rule = Invariant::OneThingAtATime;
        rule.holds(asked.answer.is_some(), "nothing goes on while somebody is asked")?;
        let rule = Invariant::StoredThenDelivered;
        let is_held = !is_durable || (asked.is_stored && asked.is_answer_held);
        rule.holds(is_held, "an answer is stored before it is delivered")?;
        let is_first = asked.answer.as_ref() == Some(result) && !asked.is_delivered;
        rule.holds(is_first, "the answer that was taken is delivered, once")?;
        let rule = Invariant::EveryAskHasAnEnd;
        rule.holds(!asked.is_closed, "what is closed has no answer")?;
        asked.is_delivered = true;
        Ok(())
    }

    fn store(&mut self, record: &Record) -> Result<(), Violation> {
        let id = record.id().interaction;
        let asked = self.question.as_mut().filter(|asked| asked.id == id);
        let rule = Invariant::AnswersReachWhoAsked;
        rule.holds(asked.is_some(), "a record is of the question that was asked")?;
        let Some(asked) = asked else { return Ok(()) };
        match record {
            Record::Requested(pending) => {
                let owner = &pending.owner;
                let is_own = (&owner.invocation, &owner.session, owner.connection)
                    == (&self.invocation, &self.session, self.connection);
                rule.holds(is_own, "a question is stored with who it belongs to")
            }
            Record::Answered { result, .. } => {
                let rule = Invariant::StoredThenDelivered;
                let is_first = asked.answer.as_ref() == Some(result) && !asked.is_stored;
                asked.is_stored = true;
                rule.holds(is_first, "the first answer is stored, and no other")
            }
            Record::Closed { .. } => {
                let rule = Invariant::EveryAskHasAnEnd;
                let is_first = !asked.is_over();
                asked.is_closed = true;
                rule.holds(is_first, "a question is answered or closed, and once")
            }
        }
    }

    fn project(&mut self, what: &Shows, is_durable: bool) -> Result<(), Violation> {
        let id = match what {
            Shows::Opened(shown) => shown.id,
            Shows::Taken { interaction, .. } | Shows::Ended { interaction, .. } => *interaction,
        };
        let asked = self.question.as_mut().filter(|asked| asked.id == id);
        let rule = Invariant::AnswersReachWhoAsked;
        rule.holds(asked.is_some(), "what is shown is the question that was asked")?;
        let Some(asked) = asked else { return Ok(()) };
        match what {
            Shows::Opened(_) => {
                let rule = Invariant::StoredThenDelivered;
                rule.holds(
                    asked.is_held || !is_durable,
                    "a question is stored before it is shown",
                )?;
                let is_new = !asked.is_shown && !asked.is_over();
                asked.is_shown = true;
                Invariant::EveryAskHasAnEnd.holds(is_new, "a question is shown once")
            }
            Shows::Taken { decision, .. } => {
                let is_so = asked.is_shown && asked.decision == Some(*decision) && is_durable;
                Invariant::Contract.holds(is_so, "surfaces hear what was decided")
            }
            Shows::Ended { how, .. } => {
                let was_shown = core::mem::replace(&mut asked.is_shown, false);
                Invariant::EveryAskHasAnEnd.holds(was_shown, "what was shown ends once")?;
                let is_so = match how {
                    Ending::Answered(decision) => {
                        asked.is_delivered && asked.decision == Some(*decision)
                    }
                    Ending::Closed(_) => !asked.is_delivered,
                };
                asked.is_closed |= !is_durable && !asked.is_delivered;
                Invariant::Contract.holds(is_so, "surfaces hear how a question ended")
            }
        }
    }

    /// Checks that the place that the broker tells is what the call waits for.
    pub(super) fn check_place(&self) -> Result<(), Violation> {
        let is_settled = self.place.phase == Phase::Settled;
        let is_asked = self.place.phase == Phase::AwaitingInteraction;
        let is_so = is_settled == self.is_settled
            && is_asked == self.pending().is_some()
            && (!is_asked || self.place.stage == self.waits());
        Invariant::Contract.holds(is_so, "the phase says what is waited for")
    }
}

/// Divides an id into its invocation and its number.
fn split(id: InteractionId) -> (String, u32) {
    let text = id.to_string();
    let (head, last) = text.rsplit_once('.').unwrap();
    (head.to_owned(), last.parse().unwrap())
}
