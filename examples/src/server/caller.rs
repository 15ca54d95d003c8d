//! Who waits for the answer to a request, and can be told things before it comes.

use core::cell::RefCell;
use std::io::Write;

use mrtr_core::wire::{Message, RawJson};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::mpsc;

use crate::stdio::line;

/// Is who waits for the answer to a request.
pub struct Caller<'a> {
    /// The message, which is read again only if its id is asked for.
    message: &'a [u8],
    ear: Option<&'a dyn Ear>,
}

/// Says that nobody waits any more: whatever the handler still does is for nothing.
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

    /// Returns whether what is told reaches the caller. Over HTTP that takes an event stream.
    #[must_use]
    pub const fn hears(&self) -> bool {
        self.ear.is_some()
    }

    /// Sends a notification that belongs to the request. A caller that can not hear it misses it.
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

/// Is the way to a caller.
pub(crate) trait Ear {
    /// Sends a message.
    fn tell(&self, message: String) -> Result<(), Gone>;
    /// Returns whether nobody listens.
    fn is_gone(&self) -> bool;
}

/// Over HTTP a message goes into the stream that answers the request. The handler, which runs on a
/// thread that may wait, waits for a client that reads slowly.
impl Ear for mpsc::Sender<String> {
    fn tell(&self, message: String) -> Result<(), Gone> {
        self.blocking_send(message).map_err(|_| Gone)
    }

    fn is_gone(&self) -> bool {
        self.is_closed()
    }
}

/// Over stdio it is a line of the output. An output that fails ends the server at the next answer.
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
