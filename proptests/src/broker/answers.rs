//! What the requirements make of answers, and of what the store says of them.

use mrtr_core::{
    Instant,
    host::{CloseReason, Ending, HostFrame, InteractionId, RecordId, RecordKind, SessionId},
    wire::Decision,
};

use super::{
    call::{ModelCall, ModelQuestion, QuestionStage},
    expected::Expected,
    model::Model,
    script::{Fit, raw},
};

impl Model {
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
            let is_forgotten = call.is_over && self.forgets(id);
            let mut misuses = vec!["WrongSession".into()];
            misuses.extend(is_forgotten.then(|| "stale None".into()));
            return Expected { misuses, ..Expected::default() };
        }
        match (asked.stage, fit) {
            (QuestionStage::Opening, _) => Expected::misuse("UnknownInteraction"),
            (QuestionStage::Committing(decision, _), _) => {
                Expected::misuse(format!("stale {:?}", Some(Ending::Answered(decision))))
            }
            (QuestionStage::Ended(how), _) => self.stale(id, how),
            (QuestionStage::Open, Fit::Unfit(why)) => Expected::misuse(why),
            (QuestionStage::Open, Fit::Fits(decision, json)) if self.is_durable => {
                let session = session.clone();
                let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
                let record = RecordId { interaction: id, kind: RecordKind::Answered };
                let moved = self
                    .moved(now, at, |call| call.turn(QuestionStage::Committing(decision, json)));
                Expected {
                    records: vec![(record, json.into())],
                    changes: vec![(session, id, format!("taken {decision:?}"))],
                    ..moved
                }
            }
            (QuestionStage::Open, Fit::Fits(decision, json)) => {
                self.deliver(now, id, decision, json)
            }
        }
    }

    /// Expects the mistake of naming a question that nobody asked.
    fn unknown(&self, id: InteractionId, session: Option<&SessionId>) -> Expected {
        if self.old_questions.contains(&id) {
            return Expected::misuse("OldEpoch");
        }
        let mut misuses: Vec<String> = vec!["UnknownInteraction".into()];
        misuses.extend((id.epoch().number() < self.epoch).then(|| "OldEpoch".into()));
        let text = id.to_string();
        let of_it = |call: &&ModelCall| {
            text.strip_prefix(call.id.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some(call) = self.calls.iter().find(of_it) {
            let is_other = session.is_some_and(|session| *session != call.call.session);
            misuses.extend(is_other.then(|| "WrongSession".into()));
            misuses.extend(call.is_over.then(|| "stale None".into()));
        }
        Expected { misuses, ..Expected::default() }
    }

    /// Expects the mistake of answering too late. The error names what won, unless that is long ago.
    fn stale(&self, id: InteractionId, how: Ending) -> Expected {
        let mut misuses = vec![format!("stale {:?}", Some(how))];
        misuses.extend(self.forgets(id).then(|| "stale None".into()));
        Expected { misuses, ..Expected::default() }
    }

    /// Returns whether so many have ended after a question that a host need not remember it.
    fn forgets(&self, id: InteractionId) -> bool {
        let mut remembered = self.ended.iter().rev().take(self.limits.recently_closed_max);
        !remembered.any(|ended| *ended == id)
    }

    fn deliver(
        &mut self,
        now: Instant,
        id: InteractionId,
        decision: Decision,
        json: &'static str,
    ) -> Expected {
        let holds = |call: &ModelCall| call.pending().is_some_and(|asked| asked.id == id);
        let at = self.calls.iter().position(holds).unwrap();
        let call = self.calls.get(at).unwrap();
        let (invocation, interaction) = (call.id.clone(), call.pending().unwrap().number);
        let frame = HostFrame::InteractionResult { invocation, interaction, result: raw(json) };
        let (connection, session) = (call.connection, call.call.session.clone());
        let how = Ending::Answered(decision);
        self.ended.push(id);
        let moved = self.moved(now, at, |call| call.turn(QuestionStage::Ended(how)));
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
            QuestionStage::Ended(how) => self.stale(id, how),
            QuestionStage::Committing(decision, _) => {
                Expected::misuse(format!("stale {:?}", Some(Ending::Answered(decision))))
            }
            QuestionStage::Opening | QuestionStage::Open => {
                let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
                self.end(now, at, "unanswerable", CloseReason::Unanswerable, true)
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
        let found = self.questions().find(|(_, asked)| asked.id == record.interaction);
        if record.kind == RecordKind::Closed {
            // A question that is open, or is known to have been answered, was not closed.
            let is_over = |asked: &ModelQuestion| matches!(asked.stage, QuestionStage::Ended(_));
            let may_pass =
                found.is_none_or(|(_, asked)| is_over(asked) && self.forgets(record.interaction));
            return match was_written {
                true => Expected::default(),
                false => Expected { may_pass, ..nobody_asked },
            };
        }
        let Some((call, asked)) = found else {
            return Expected { may_pass: true, ..Expected::misuse("NotStoring") };
        };
        let waits_for = match asked.stage {
            QuestionStage::Opening => Some(RecordKind::Requested),
            QuestionStage::Committing(..) => Some(RecordKind::Answered),
            QuestionStage::Open | QuestionStage::Ended(_) => None,
        };
        if waits_for != Some(record.kind) {
            let is_over = matches!(asked.stage, QuestionStage::Ended(_));
            return match was_written {
                true => Expected::default(),
                false if is_over => nobody_asked,
                false => Expected::misuse("NotStoring"),
            };
        }
        let stage = asked.stage;
        let at = self.calls.iter().position(|known| known.id == call.id).unwrap();
        match stage {
            _ if !held => self.end(now, at, "store_failed", CloseReason::StoreFailed, true),
            QuestionStage::Committing(decision, json) => {
                self.deliver(now, record.interaction, decision, json)
            }
            QuestionStage::Opening | QuestionStage::Open | QuestionStage::Ended(_) => {
                let call = self.calls.get(at).unwrap();
                let said = self.said(call, call.asked.last().unwrap());
                let change = (call.call.session.clone(), record.interaction, said);
                let moved = self.moved(now, at, |call| call.turn(QuestionStage::Open));
                Expected { changes: vec![change], ..moved }
            }
        }
    }
}
