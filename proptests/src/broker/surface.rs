//! The surfaces of a world: each has a view of one session, and a line to the host that loses,
//! repeats and reorders.

use crate::invariants::{Checked, Invariant, Violation};
use mrtr_core::host::{
    Change, Epoch, InteractionId, SessionId, Snapshot, View, VisibleInteraction,
};

use super::{Does, script::pick};

/// The changes of the past that a line may repeat.
const REPEATED_MAX: usize = 16;

/// A screen, or whatever else shows a session's questions.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    session: SessionId,
    /// The life of the host that the view is of.
    epoch: Epoch,
    view: View,
    /// What was sent and has not come.
    on_the_way: Vec<Change>,
    /// What has come.
    came: Vec<Change>,
    /// Whether the host has the same life as when the view began.
    is_of_this_life: bool,
    /// Whether it has had the last change of its session.
    is_current: bool,
    /// Whether it has had everything in order since its snapshot.
    is_whole: bool,
}

/// A view has noticed that it missed something.
pub(super) struct Gapped;

impl Surface {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Self {
            session: snapshot.session.clone(),
            epoch: snapshot.epoch,
            view: View::new(snapshot),
            on_the_way: Vec::new(),
            came: Vec::new(),
            is_of_this_life: true,
            is_current: true,
            is_whole: true,
        }
    }

    /// Sends a change that is for everybody.
    pub(super) fn send(&mut self, change: &Change) {
        if change.session == self.session {
            self.on_the_way.push(change.clone());
            self.is_current = false;
        }
    }

    /// Begins with a snapshot. What is on the way comes late.
    pub(super) fn reread(&mut self, snapshot: Snapshot) {
        self.epoch = snapshot.epoch;
        self.view = View::new(snapshot);
        self.is_of_this_life = true;
        self.is_current = true;
        self.is_whole = true;
    }

    /// Takes note that the host has restarted: nobody tells the surface.
    pub(super) const fn outlive(&mut self) {
        self.is_of_this_life = false;
        self.is_current = false;
    }

    pub(super) const fn session(&self) -> &SessionId {
        &self.session
    }

    /// Does one thing. Where the view notices a gap, a snapshot is due. `stray` are changes of
    /// other sessions.
    pub(super) fn act(
        &mut self,
        does: Does,
        stray: &[Change],
    ) -> Result<Option<Gapped>, Violation> {
        match does {
            Does::Take => self.take(0),
            Does::TakeAll => {
                let mut gapped = None;
                while gapped.is_none() && !self.on_the_way.is_empty() {
                    gapped = self.take(0)?;
                }
                Ok(gapped)
            }
            Does::Miss | Does::MissAll => {
                let all = self.on_the_way.len();
                let missed = if does == Does::Miss { all.min(1) } else { all };
                self.is_whole &= missed == 0;
                self.on_the_way.drain(..missed);
                Ok(None)
            }
            Does::Swap if self.on_the_way.len() > 1 => {
                self.is_whole = false;
                self.take(1)
            }
            Does::Swap | Does::Reread => Ok(None),
            Does::Repeat(index) => match pick(&self.came, index).cloned() {
                Some(change) => self.apply(change),
                None => Ok(None),
            },
            Does::Stray(index) => match pick(stray, index).cloned() {
                Some(change) if change.session != self.session => {
                    let before = self.view.clone();
                    let gapped = self.view.apply(change).is_err();
                    let is_untouched = self.view == before;
                    Invariant::Contract
                        .holds_or(is_untouched, || "another session shows up".into())?;
                    Ok(gapped.then_some(Gapped))
                }
                _ => Ok(None),
            },
        }
    }

    fn take(&mut self, at: usize) -> Result<Option<Gapped>, Violation> {
        if at >= self.on_the_way.len() {
            return Ok(None);
        }
        let change = self.on_the_way.remove(at);
        self.came.push(change.clone());
        let over = self.came.len().saturating_sub(REPEATED_MAX);
        self.came.drain(..over);
        // The last that was sent is the last there is.
        let is_last = self.on_the_way.len() == at;
        let gapped = self.apply(change)?;
        self.is_current |= is_last && gapped.is_none() && self.is_of_this_life;
        Ok(gapped)
    }

    fn apply(&mut self, change: Change) -> Result<Option<Gapped>, Violation> {
        let before = self.view.clone();
        let is_next = self.is_whole && change.epoch == self.epoch;
        match self.view.apply(change) {
            Ok(()) => Ok(None),
            Err(gap) => {
                let rule = Invariant::Contract;
                rule.holds_or(self.view == before, || "a gap changes the view".into())?;
                rule.holds_or(!is_next, || format!("{gap}, where nothing is"))?;
                Ok(Some(Gapped))
            }
        }
    }

    /// Returns the questions that are on the screen.
    pub(super) fn shown(&self) -> Vec<InteractionId> {
        self.view.open().map(|shown| shown.interaction.id).collect()
    }

    /// Returns whether something was sent that has not come.
    pub(super) const fn is_told(&self) -> bool {
        !self.on_the_way.is_empty()
    }

    /// Returns what is on the screen.
    pub(super) fn open(&self) -> impl Iterator<Item = &VisibleInteraction> {
        self.view.open()
    }

    /// Checks that a view that has all there is shows all there is.
    pub(super) fn check(&self, snapshot: &Snapshot) -> Checked {
        if !self.is_current {
            return Ok(());
        }
        let shown: Vec<&VisibleInteraction> = self.view.open().collect();
        let open: Vec<&VisibleInteraction> = snapshot.open.iter().collect();
        Invariant::Contract.same("a view", &shown, &open)
    }
}
