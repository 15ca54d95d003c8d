//! A surface that shows the first session, and may look away.

use crate::invariants::{Invariant, Violation};
use mrtr_core::host::{Broker, Change, SessionId, Snapshot, View};

/// What one surface shows.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Screen {
    session: SessionId,
    view: View,
    pub(super) looks: Looks,
}

/// Whether a surface hears of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Looks {
    /// It has heard of all of them.
    On,
    /// It hears of none.
    Away,
    /// It hears of them again, and has missed some.
    Back,
}

impl Screen {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        let session = snapshot.session.clone();
        Self { session, view: View::new(snapshot), looks: Looks::On }
    }

    /// Hears of a change, and of the questions that are open after it.
    pub(super) fn hear(&mut self, change: &Change, after: &Broker) -> Result<(), Violation> {
        if self.looks == Looks::Away || change.session != self.session {
            return Ok(());
        }
        let snapshot = || after.snapshot(&change.session);
        match self.view.apply(change.clone()) {
            Ok(()) => {}
            Err(_) if self.looks == Looks::Back => self.view = View::new(snapshot()),
            Err(_) => {
                return Invariant::Contract.holds(false, "who hears of all changes misses none");
            }
        }
        self.looks = Looks::On;
        Ok(())
    }

    /// Checks what it shows, if it has heard of all changes, or of the last.
    pub(super) fn check(&self, snapshot: &Snapshot) -> Result<(), Violation> {
        let is_same = self.looks != Looks::On || self.view.open().eq(&snapshot.open);
        Invariant::Contract.holds(is_same, "a surface shows what is open")
    }
}
