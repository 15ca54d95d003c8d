//! A surface of a session: what it shows, and how it answers.

use mrtr_core::{
    host::{
        Change, ChangeKind, Event, InteractionId, SessionId, Snapshot, View, VisibleInteraction,
    },
    wire::InputResponse,
};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Error, Host};

/// A surface of a session. It owns nothing: it repeats the changes of the host, and starts again with
/// a snapshot when it has missed one.
#[derive(Debug)]
pub struct Screen {
    host: Host,
    session: SessionId,
    view: View,
    changes: broadcast::Receiver<Change>,
}

/// What a surface has seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A change.
    Change(ChangeKind),
    /// A snapshot, because a change was missed.
    Snapshot,
}

impl Screen {
    pub(super) fn new(
        host: Host,
        session: SessionId,
        snapshot: Snapshot,
        changes: broadcast::Receiver<Change>,
    ) -> Self {
        Self { host, session, view: View::new(snapshot), changes }
    }

    /// Returns the questions that are open, in the order of their ids.
    pub fn open(&self) -> impl Iterator<Item = &VisibleInteraction> {
        self.view.open()
    }

    /// Waits until something changes.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn next(&mut self) -> Result<Seen, Error> {
        loop {
            match self.changes.recv().await {
                Ok(change) => {
                    let kind = change.kind.clone();
                    if self.view.apply(change).is_ok() {
                        return Ok(Seen::Change(kind));
                    }
                    *self = self.host.surface(self.session.clone()).await?;
                    return Ok(Seen::Snapshot);
                }
                // The next change does not follow the view, which asks for a snapshot then.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(Error::Ended),
            }
        }
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// An answer that does not fit, a question that was answered or closed before, or a host that has
    /// ended.
    pub async fn answer(
        &self,
        interaction: InteractionId,
        response: InputResponse,
    ) -> Result<(), Error> {
        self.host.answer(interaction, self.session.clone(), response).await
    }

    /// Tells the host that nobody can be asked a question.
    ///
    /// # Errors
    ///
    /// A question that has ended, or a host that has ended.
    pub async fn give_up(&self, interaction: InteractionId) -> Result<(), Error> {
        self.host.tell(Event::Unanswerable(interaction)).await
    }
}
