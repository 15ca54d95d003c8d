//! The store of a world: a list of records in the order in which they came, and what became of each.

use crate::invariants::{Checked, Invariant};
use std::collections::BTreeSet;

use mrtr_core::host::{InteractionId, Limits, Record, RecordId, RecordKind};

use super::{WhichRecord, script::pick};

/// What was written, in this life of the host and all before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    written: Vec<Written>,
}

#[derive(Clone, Debug)]
struct Written {
    id: RecordId,
    line: String,
    state: State,
}

/// What the store has said of a record. Its first word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Held,
    Lost,
}

impl Store {
    /// Takes a record, behind all before it: it reads back as it was, and no two are the same.
    pub(super) fn put(&mut self, record: &Record, limits: &Limits) -> Checked {
        let (id, line) = (record.id(), record.to_json());
        let rule = Invariant::StoredThenDelivered;
        rule.holds_or(!line.contains(['\n', '\r']), || format!("{id} is no line"))?;
        let read = Record::decode(&line, limits);
        rule.same("a record read back", &read.as_ref(), &Ok(record))?;
        rule.same("its id", &RecordId::decode(&line), &Ok(id))?;
        rule.same("its key", &id.to_string().parse(), &Ok(id))?;
        let is_new = !self.held().any(|held| held == id);
        rule.holds_or(is_new, || format!("{id} is held already"))?;
        let is_begun = id.kind == RecordKind::Requested
            || self.was_written(RecordId { kind: RecordKind::Requested, ..id });
        rule.holds_or(is_begun, || format!("{id} comes first"))?;
        self.written.push(Written { id, line, state: State::Waiting });
        Ok(())
    }

    /// Notes whether a record is held.
    pub(super) fn say(&mut self, id: RecordId, held: bool) {
        let state = if held { State::Held } else { State::Lost };
        let waiting = |written: &&mut Written| written.id == id && written.state == State::Waiting;
        if let Some(written) = self.written.iter_mut().find(waiting) {
            written.state = state;
        }
    }

    /// Ends a life of the host: what was not spoken of is held, or lost.
    pub(super) fn restart(&mut self, forgets: bool) {
        let state = if forgets { State::Lost } else { State::Held };
        let waiting = |written: &&mut Written| written.state == State::Waiting;
        self.written.iter_mut().filter(waiting).for_each(|written| written.state = state);
    }

    pub(super) fn held(&self) -> impl Iterator<Item = RecordId> {
        self.written
            .iter()
            .filter(|written| written.state == State::Held)
            .map(|written| RecordId::decode(&written.line).unwrap())
    }

    pub(super) fn was_written(&self, id: RecordId) -> bool {
        self.written.iter().any(|written| written.id == id)
    }

    /// Names a record. `made_up` are questions that there may be records of.
    pub(super) fn pick(&self, record: WhichRecord, made_up: &[InteractionId]) -> Option<RecordId> {
        let ids = |keep: fn(&Written) -> bool| -> Vec<_> {
            let kept = self.written.iter().filter(|written| keep(written));
            kept.map(|written| written.id).collect()
        };
        let waits = |written: &Written| written.state == State::Waiting;
        match record {
            WhichRecord::First => ids(waits).first().copied(),
            WhichRecord::Waiting(index) => pick(&ids(waits), index).copied(),
            WhichRecord::Any(index) => pick(&ids(|_| true), index).copied(),
            WhichRecord::MadeUp(kind, index) => {
                let kinds = [RecordKind::Requested, RecordKind::Answered, RecordKind::Closed];
                let (kind, interaction) = (*pick(&kinds, kind)?, *pick(made_up, index)?);
                Some(RecordId { interaction, kind })
            }
        }
    }

    /// Lists the questions that a restarted host has to close: those that the store holds
    /// no end of.
    pub(super) fn left_open(&self) -> BTreeSet<InteractionId> {
        let of_kind = |kinds: &[RecordKind]| -> BTreeSet<_> {
            let held = self.held().filter(|id| kinds.contains(&id.kind));
            held.map(|id| id.interaction).collect()
        };
        let ended = of_kind(&[RecordKind::Answered, RecordKind::Closed]);
        of_kind(&[RecordKind::Requested]).difference(&ended).copied().collect()
    }

    /// Checks how the questions of the lives that are over have ended: each exactly once. `delivered`
    /// are those whose answer went out.
    pub(super) fn check_past(&self, delivered: &BTreeSet<InteractionId>, epoch: u64) -> Checked {
        for Written { id, .. } in &self.written {
            let interaction = id.interaction;
            let of_kind = |kind| RecordId { interaction, kind };
            let is_closed = self.was_written(of_kind(RecordKind::Closed));
            let is_answered = self.held().any(|held| held == of_kind(RecordKind::Answered));
            let is_requested = self.held().any(|held| held == of_kind(RecordKind::Requested));
            let is_delivered = delivered.contains(&interaction);
            Invariant::EveryAskHasAnEnd
                .holds_or(!(is_delivered && is_closed), || format!("{id} ends twice"))?;
            // An answer that is held and did not go out stays what it is, says the guide.
            let is_over = is_delivered || is_closed || is_answered || !is_requested;
            let is_past = interaction.epoch().number() < epoch;
            Invariant::EveryAskHasAnEnd
                .holds_or(is_over || !is_past, || format!("{id} never ends"))?;
        }
        Ok(())
    }
}
