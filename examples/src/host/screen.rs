//! What one surface shows of a session, and how it answers.

use mrtr_core::{
    SessionId,
    broker::{Change, Event, InteractionId, Shown, Snapshot, View, What},
    wire::Response,
};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Error, Host};

/// Is one surface of a session. It owns nothing: it repeats what the host says, and begins anew when
/// it has missed something.
#[derive(Debug)]
pub struct Screen {
    host: Host,
    session: SessionId,
    view: View,
    changes: broadcast::Receiver<Change>,
}

/// Says what a surface has seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Something has changed.
    Change(What),
    /// Something was missed, and all is shown as it is now.
    Anew,
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
    pub fn open(&self) -> impl Iterator<Item = &Shown> {
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
                    let what = change.what.clone();
                    if self.view.apply(change).is_ok() {
                        return Ok(Seen::Change(what));
                    }
                    *self = self.host.surface(self.session.clone()).await?;
                    return Ok(Seen::Anew);
                }
                // The change that comes next does not follow what is known.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(Error::Ended),
            }
        }
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// What is wrong with the answer, what won instead of it, or a host that has ended.
    pub async fn answer(
        &self,
        interaction: InteractionId,
        response: Response,
    ) -> Result<(), Error> {
        self.host.answer(interaction, self.session.clone(), response).await
    }

    /// Says that nobody can be asked a question.
    ///
    /// # Errors
    ///
    /// A question that has ended, or a host that has ended.
    pub async fn give_up(&self, interaction: InteractionId) -> Result<(), Error> {
        self.host.tell(Event::Unanswerable(interaction)).await
    }
}
