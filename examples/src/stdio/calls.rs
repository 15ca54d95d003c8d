//! The calls over one connection. Each waits for at most one leg, and a line goes to the call whose
//! leg it answers.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mrtr_core::{
    InvocationId,
    client::{Event, LegId, Reply},
    wire::{Message, RpcResponse, WireError},
};

use super::LINE_BYTES_MAX;

/// How many lines that are not messages may follow one another. A server that writes more of them
/// uses its output for something else, and will not answer.
const NOISE_LINES_MAX: u32 = 1000;

/// The place where a call hears of events.
pub(super) trait Inbox {
    /// Tells the call of an event, if it still listens.
    fn put(&self, event: Event);
}

/// The calls over one connection.
pub(super) struct Calls<I>(Mutex<State<I>>);

struct State<I> {
    waiting: BTreeMap<InvocationId, Waiting<I>>,
    is_lost: bool,
    /// The lines since the last message that were not messages.
    noise_lines: u32,
}

/// A call, and the leg that it waits for.
struct Waiting<I> {
    inbox: I,
    leg: Option<LegId>,
}

/// The place of a call among the calls of a connection. Dropping it ends its part in them.
pub(super) struct Seat<'c, I: Inbox> {
    calls: &'c Calls<I>,
    call: InvocationId,
}

impl<I: Inbox> Calls<I> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(State { waiting: BTreeMap::new(), is_lost: false, noise_lines: 0 }))
    }

    /// Adds a call. No other call of the connection may have its id.
    pub(super) fn join(&self, call: &InvocationId, inbox: I) -> Seat<'_, I> {
        let mut state = self.lock();
        if state.is_lost {
            inbox.put(Event::ConnectionLost);
        }
        state.waiting.insert(call.clone(), Waiting { inbox, leg: None });
        Seat { calls: self, call: call.clone() }
    }

    /// Reads a line. A response goes to the leg whose id it has. A broken message could have been
    /// the response to any leg, so it goes to all of them. A line that was not meant as a message,
    /// such as one that belongs into a log, is skipped.
    pub(super) fn read(&self, line: &[u8]) {
        if is_noise(line) && self.skips_noise() {
            return;
        }
        let read = match decode(line) {
            // A notification, or a request, which a server must not send and which gets no answer.
            Err(_) if line.len() <= LINE_BYTES_MAX && Message::decode(line).is_ok() => None,
            read => Some(read),
        };
        let mut state = self.lock();
        state.noise_lines = 0;
        let Some(read) = read else { return };
        let reply_to = |leg: &LegId| match &read {
            Ok(response) if response.id.as_ref().is_some_and(|id| *id != leg.to_string()) => None,
            Ok(_) => Some(Reply::read(leg, line)),
            Err(error) => Some(Reply::Unreadable(error.clone())),
        };
        for Waiting { inbox, leg: waited } in state.waiting.values_mut() {
            let reply = waited.as_ref().and_then(reply_to);
            if let Some((reply, leg)) = reply.and_then(|reply| Some((reply, waited.take()?))) {
                inbox.put(Event::Reply { leg, reply });
            }
        }
    }

    /// Tells every call that the connection is gone, also those that come later.
    pub(super) fn lose(&self) {
        let mut state = self.lock();
        state.is_lost = true;
        state.waiting.values().for_each(|call| call.inbox.put(Event::ConnectionLost));
    }

    /// Returns whether the connection is gone.
    pub(super) fn is_lost(&self) -> bool {
        self.lock().is_lost
    }

    /// Counts a line that is not a message, and returns whether it may still be skipped.
    fn skips_noise(&self) -> bool {
        let mut state = self.lock();
        state.noise_lines = state.noise_lines.saturating_add(1);
        state.noise_lines <= NOISE_LINES_MAX
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: Inbox> Seat<'_, I> {
    /// Sets the leg that the call waits for; `None` if it waits for no leg any more.
    pub(super) fn waits_for(&self, leg: Option<LegId>) {
        if let Some(call) = self.calls.lock().waiting.get_mut(&self.call) {
            call.leg = leg;
        }
    }
}

impl<I: Inbox> Drop for Seat<'_, I> {
    fn drop(&mut self) {
        self.calls.lock().waiting.remove(&self.call);
    }
}

/// Returns whether a line was never meant as a message: it is text that does not begin like an object.
/// Messages that are broken, cut off or not UTF-8 do not count.
fn is_noise(line: &[u8]) -> bool {
    let is_short = line.len() <= LINE_BYTES_MAX;
    let text = core::str::from_utf8(line).ok().filter(|_| is_short);
    text.is_some_and(|text| !text.trim_start().starts_with(['{', '\u{feff}']))
}

fn decode(line: &[u8]) -> Result<RpcResponse, WireError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(WireError::too_large("a line in bytes", LINE_BYTES_MAX));
    }
    RpcResponse::decode(line)
}
