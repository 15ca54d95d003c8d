//! The caller of a request, who can be sent notifications before the answer.

use core::cell::RefCell;
use std::io::Write;

use mrtr_core::wire::{Message, RawJson};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::mpsc;

use crate::stdio::line;

/// The caller of a request, who waits for the answer.
pub struct Caller<'a> {
    /// The message. It is read again only where its id is needed.
    message: &'a [u8],
    ear: Option<&'a dyn Ear>,
}

/// The caller is gone: nobody waits for the answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("nobody waits for the answer any more")]
pub struct Gone;

impl<'a> Caller<'a> {
    pub(crate) const fn new(message: &'a [u8], ear: Option<&'a dyn Ear>) -> Self {
        Self { message, ear }
    }

    /// Returns the id of the request.
    #[must_use]
    pub fn id(&self) -> Option<RawJson> {
        Message::decode(self.message).ok()?.id
    }

    /// Returns whether notifications reach the caller. Over HTTP that takes an event stream.
    #[must_use]
    pub const fn hears(&self) -> bool {
        self.ear.is_some()
    }

    /// Sends a notification that belongs to the request. It is dropped if it cannot reach the
    /// caller.
    ///
    /// # Errors
    ///
    /// A caller that is gone.
    pub fn tell(&self, method: &str, params: &Value) -> Result<(), Gone> {
        let Some(ear) = self.ear else { return Ok(()) };
        ear.tell(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    }

    /// Returns whether the caller is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.ear.is_some_and(Ear::is_gone)
    }
}

/// The way to a caller.
pub(crate) trait Ear {
    /// Sends a message.
    fn tell(&self, message: String) -> Result<(), Gone>;
    /// Returns whether nobody listens.
    fn is_gone(&self) -> bool;
}

/// Over HTTP a message goes into the stream that answers the request. The handler runs on a thread
/// that may block, and waits for a client that reads slowly.
impl Ear for mpsc::Sender<String> {
    fn tell(&self, message: String) -> Result<(), Gone> {
        self.blocking_send(message).map_err(|_| Gone)
    }

    fn is_gone(&self) -> bool {
        self.is_closed()
    }
}

/// Over stdio a message is a line of the output. An output that fails ends the server at the next
/// answer.
impl<W: Write> Ear for RefCell<W> {
    fn tell(&self, message: String) -> Result<(), Gone> {
        let mut output = self.try_borrow_mut().map_err(|_| Gone)?;
        let written = output.write_all(line(&message).as_bytes()).and_then(|()| output.flush());
        written.map_err(|_| Gone)
    }

    fn is_gone(&self) -> bool {
        false
    }
}
