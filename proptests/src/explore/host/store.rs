//! A store that speaks of its records in any order, and holds what it said that it holds.

use std::collections::BTreeSet;

use mrtr_core::host::{Event, InteractionId, Record, RecordId, RecordKind};

/// What a store was asked to hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct SearchedStore {
    /// What it has not spoken of.
    pub(super) writing: BTreeSet<RecordId>,
    pub(super) held: BTreeSet<RecordId>,
}

impl SearchedStore {
    /// Takes a record. `at_once`: it holds it from now on, and nobody waits for its word.
    pub(super) fn put(&mut self, record: &Record, at_once: bool) {
        let to = if at_once { &mut self.held } else { &mut self.writing };
        to.insert(record.id());
    }

    /// Takes note of what it said.
    pub(super) fn said(&mut self, event: &Event) {
        match event {
            Event::Stored(id) if self.writing.remove(id) => {
                self.held.insert(*id);
            }
            Event::StoreFailed(id) => {
                self.writing.remove(id);
            }
            _ => {}
        }
    }

    /// Ends a life of the host. Of what it had not spoken of, it holds those whose bit is set.
    pub(super) fn restart(&mut self, holds: u32) {
        for (bit, id) in core::mem::take(&mut self.writing).into_iter().enumerate() {
            if holds >> bit & 1 == 1 {
                self.held.insert(id);
            }
        }
    }

    /// Lists the questions of which it holds that they were asked, and not how they ended. The
    /// second are those of which it holds an answer and no more.
    pub(super) fn left_open(&self) -> (BTreeSet<InteractionId>, BTreeSet<InteractionId>) {
        let of_kind = |kind| -> BTreeSet<_> {
            let held = self.held.iter().filter(|id| id.kind == kind);
            held.map(|id| id.interaction).collect()
        };
        let [asked, answered, closed] =
            [RecordKind::Requested, RecordKind::Answered, RecordKind::Closed].map(of_kind);
        let open = asked.difference(&closed).copied().collect::<BTreeSet<_>>();
        open.into_iter().partition(|id| !answered.contains(id))
    }
}
