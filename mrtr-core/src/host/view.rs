//! What surfaces see: a snapshot of a session's questions, and the numbered changes after it.

use alloc::{collections::BTreeMap, sync::Arc, vec::Vec};

use thiserror::Error;

use super::{Ending, Epoch, InteractionId, PendingInteraction};
use crate::{SessionId, wire::Decision};

/// All open questions of a session, at one point in time.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Snapshot {
    /// The start of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// The number of the last change before it, of any session.
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
    /// What somebody decided, while the store is asked to hold the answer. No other answer counts any
    /// more.
    pub taken: Option<Decision>,
}

/// One change of what a session's surfaces show.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The start of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// Its number. Numbers grow across all sessions.
    pub number: u64,
    /// The number of the change before it in this session; `None` if nothing was open before it.
    pub after: Option<u64>,
    /// What changed.
    pub kind: ChangeKind,
}

/// What changed. The enum is exhaustive: a surface shows each change.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// A question was asked.
    Opened(Arc<PendingInteraction>),
    /// Somebody answered, and the store is asked to hold the answer. No other answer counts any more.
    Taken {
        /// The question.
        interaction: InteractionId,
        /// What they decided.
        decision: Decision,
    },
    /// A question ended: take it off the screen.
    Ended {
        /// The question.
        interaction: InteractionId,
        /// How it ended.
        how: Ending,
    },
}

/// What one surface knows of one session. It repeats what the host said, and notices when it missed
/// a change.
///
/// ```
/// use mrtr_core::{host::{Broker, Epoch, Limits, View}, SessionId};
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

/// A surface missed a change. It asks for a snapshot, and makes a new [`View`] of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a change is missing: begin again with a snapshot")]
pub struct Gap;

impl View {
    /// Makes a view of a snapshot.
    #[must_use]
    pub fn new(snapshot: Snapshot) -> Self {
        let Snapshot { epoch, session, number, open } = snapshot;
        let open = open.into_iter().map(|visible| (visible.interaction.id, visible)).collect();
        Self { epoch, session, number, open }
    }

    /// Applies a change. A change that is known already, or is of another session, does nothing.
    ///
    /// # Errors
    ///
    /// A change that does not follow what is known, or comes from another start of the host. The view
    /// is as it was.
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

    /// Returns the questions that are open, in the order of their ids.
    pub fn open(&self) -> impl Iterator<Item = &VisibleInteraction> {
        self.open.values()
    }
}
