//! What surfaces see: a snapshot of a session's questions, and the changes after it, by number.

use alloc::{collections::BTreeMap, sync::Arc, vec::Vec};

use thiserror::Error;

use super::{Decision, Ending, Epoch, InteractionId, PendingInteraction};
use crate::SessionId;

/// Is all the questions of a session that are open, at one point in time.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Snapshot {
    /// The life of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// The number of the last change before it, of whatever session.
    pub number: u64,
    /// The questions, in the order of their ids.
    pub open: Vec<Shown>,
}

/// Is a question as a surface shows it.
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Shown {
    /// The question.
    pub interaction: Arc<PendingInteraction>,
    /// What somebody has decided, where the store is asked to hold it: no other answer counts any
    /// more.
    pub taken: Option<Decision>,
}

/// Is one change of what a session's surfaces show.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The life of the host.
    pub epoch: Epoch,
    /// The session.
    pub session: SessionId,
    /// Its number. Numbers grow over all sessions.
    pub number: u64,
    /// The number of the change of this session before it; `None` if nothing was open before it.
    pub after: Option<u64>,
    /// What has changed.
    pub what: What,
}

/// Says what has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A question is asked.
    Opened(Arc<PendingInteraction>),
    /// Somebody has answered, and the store is asked to hold it. No other answer counts any more.
    Taken {
        /// The question.
        interaction: InteractionId,
        /// What they decided.
        decision: Decision,
    },
    /// A question is over: take it off the screen.
    Ended {
        /// The question.
        interaction: InteractionId,
        /// How it ended.
        how: Ending,
    },
}

/// Is what one surface knows of one session. It owns nothing: it repeats what the host said, and
/// notices when it has missed something.
///
/// ```
/// use mrtr_core::{Broker, SessionId, broker::{Epoch, Limits, View}};
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
    open: BTreeMap<InteractionId, Shown>,
}

/// Says that a surface has missed a change. It asks for a snapshot, and begins with it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a change is missing: begin with a snapshot")]
pub struct Gap;

impl View {
    /// Begins with a snapshot.
    #[must_use]
    pub fn new(snapshot: Snapshot) -> Self {
        let Snapshot { epoch, session, number, open } = snapshot;
        let open = open.into_iter().map(|shown| (shown.interaction.id, shown)).collect();
        Self { epoch, session, number, open }
    }

    /// Takes a change. One that it knows already, or that is of another session, does nothing.
    ///
    /// # Errors
    ///
    /// A change that does not follow what is known, or is of another life of the host. The view is as
    /// it was.
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
        match change.what {
            What::Opened(interaction) => {
                self.open.insert(interaction.id, Shown { interaction, taken: None });
            }
            What::Taken { interaction, decision } => {
                if let Some(shown) = self.open.get_mut(&interaction) {
                    shown.taken = Some(decision);
                }
            }
            What::Ended { interaction, .. } => {
                self.open.remove(&interaction);
            }
        }
        Ok(())
    }

    /// Returns the questions that are open, in the order of their ids.
    pub fn open(&self) -> impl Iterator<Item = &Shown> {
        self.open.values()
    }
}
