//! The questions of a session as surfaces see them: a snapshot, and the numbered changes after it.

use alloc::{collections::BTreeMap, sync::Arc, vec::Vec};

use thiserror::Error;

use super::{Ending, Epoch, InteractionId, PendingInteraction};
use crate::{id::SessionId, wire::Decision};

/// All open questions of a session at one point in time.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Snapshot {
    /// The epoch of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// The number of the last change before the snapshot, over all sessions; 0 before the first.
    pub number: u64,
    /// The questions, in the order of their ids.
    pub open: Vec<VisibleInteraction>,
}

/// An open question, as a surface shows it.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct VisibleInteraction {
    /// The question.
    pub interaction: Arc<PendingInteraction>,
    /// `Some`: a person has answered with this decision, and the store has not confirmed it yet. The
    /// broker takes no other answer. `None`: nobody has answered.
    pub taken: Option<Decision>,
}

/// One change of the questions that a session's surfaces show.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The epoch of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// The number of the change, from 1. All sessions of a broker share one count.
    pub number: u64,
    /// The number of the session's previous change. `None` means that no question of the session
    /// was open before this change.
    pub after: Option<u64>,
    /// The kind of the change.
    pub kind: ChangeKind,
}

/// The kind of a change.
///
/// The enum is exhaustive: a surface shows each change.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// A question was asked.
    Opened(Arc<PendingInteraction>),
    /// A person answered, and the store has not confirmed the answer. The broker takes no other
    /// answer.
    Taken {
        /// The question.
        interaction: InteractionId,
        /// The decision.
        decision: Decision,
    },
    /// A question ended: remove it from the screen.
    Ended {
        /// The question.
        interaction: InteractionId,
        /// How it ended.
        how: Ending,
    },
}

/// A surface's copy of the open questions of a session. It follows the broker's changes, and
/// detects a missing one.
///
/// ```
/// use mrtr_core::host::{Broker, Epoch, Limits, SessionId, View};
///
/// let broker = Broker::volatile(Epoch::new(1), Limits::default());
/// let view = View::new(broker.snapshot(&SessionId::new("s-1")?));
/// assert_eq!(view.open().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct View {
    epoch: Epoch,
    session: SessionId,
    number: u64,
    open: BTreeMap<InteractionId, VisibleInteraction>,
}

/// The error of a surface that missed a change. Ask for a new snapshot, and make a new [`View`]
/// from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a change is missing: make a new view from a snapshot")]
pub struct Gap;

impl View {
    /// Makes a view from a snapshot.
    #[must_use]
    pub fn new(snapshot: Snapshot) -> Self {
        let Snapshot { epoch, session, number, open } = snapshot;
        let open = open.into_iter().map(|visible| (visible.interaction.id, visible)).collect();
        Self { epoch, session, number, open }
    }

    /// Applies a change. A change that is already known, or is of another session, does nothing.
    ///
    /// # Errors
    ///
    /// Returns [`Gap`] if an earlier change is missing, or if the change comes from another run of
    /// the host. The view is unchanged.
    pub fn apply(&mut self, change: Change) -> Result<(), Gap> {
        if change.epoch != self.epoch {
            return Err(Gap);
        }
        if change.session != self.session || change.number <= self.number {
            return Ok(());
        }
        match change.after {
            Some(after) if after > self.number => return Err(Gap),
            Some(_) => {}
            None => self.open.clear(),
        }
        self.number = change.number;
        match change.kind {
            ChangeKind::Opened(interaction) => {
                self.open.insert(interaction.id, VisibleInteraction { interaction, taken: None });
            }
            ChangeKind::Taken { interaction, decision } => {
                if let Some(visible) = self.open.get_mut(&interaction) {
                    visible.taken = Some(decision);
                }
            }
            ChangeKind::Ended { interaction, .. } => {
                self.open.remove(&interaction);
            }
        }
        Ok(())
    }

    /// Returns the open questions, in the order of their ids.
    pub fn open(&self) -> impl Iterator<Item = &VisibleInteraction> {
        self.open.values()
    }
}
