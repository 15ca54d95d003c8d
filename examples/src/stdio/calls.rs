//! The calls over one connection: each waits for one leg at most, and a line finds whose it is.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mrtr_core::{
    Event, InvocationId, LegId, Reply,
    wire::{Message, RpcResponse, WireError},
};

use super::LINE_BYTES_MAX;

/// How many lines may follow one another that are no message. A server that writes more of them has
/// taken its output for something else, and will not answer.
const NOISE_LINES_MAX: u32 = 1000;

/// Is where a call hears what happens.
pub(super) trait Inbox {
    /// Tells the call, if it still listens.
    fn put(&self, event: Event);
}

/// Is the calls over one connection.
pub(super) struct Calls<I>(Mutex<State<I>>);

struct State<I> {
    waiting: BTreeMap<InvocationId, Waiting<I>>,
    is_lost: bool,
    /// The lines since the last message that were none.
    noise_lines: u32,
}

/// Is a call, and the leg that it waits for.
struct Waiting<I> {
    inbox: I,
    leg: Option<LegId>,
}

/// Is the place of a call among those of a connection, which it leaves when this is dropped.
pub(super) struct Seat<'c, I: Inbox> {
    calls: &'c Calls<I>,
    call: InvocationId,
}

impl<I: Inbox> Calls<I> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(State { waiting: BTreeMap::new(), is_lost: false, noise_lines: 0 }))
    }

    /// Lets a call take part, whose id no other call of the connection has.
    pub(super) fn join(&self, call: &InvocationId, inbox: I) -> Seat<'_, I> {
        let mut state = self.lock();
        if state.is_lost {
            inbox.put(Event::ConnectionLost);
        }
        state.waiting.insert(call.clone(), Waiting { inbox, leg: None });
        Seat { calls: self, call: call.clone() }
    }

    /// Reads a line. A response is for the leg whose id it has. What can not be read could have
    /// been the response to any leg, so it is one to all of them. What was not even meant as a
    /// message, such as a line that should have gone to a log, is passed over.
    pub(super) fn read(&self, line: &[u8]) {
        if is_noise(line) && self.passes_over_noise() {
            return;
        }
        let read = match decode(line) {
            // A notification. Requests are not for a server to send, and get no answer.
            Err(_) if line.len() <= LINE_BYTES_MAX && Message::decode(line).is_ok() => None,
            read => Some(read),
        };
        let mut state = self.lock();
        state.noise_lines = 0;
        let Some(read) = read else { return };
        let reply_to = |leg: &LegId| match &read {
            Ok(response) if response.id.as_ref().is_some_and(|id| *id != leg.to_string()) => None,
            Ok(_) => Some(Reply::read(leg, line)),
            Err(error) => Some(Reply::Unreadable(*error)),
        };
        for Waiting { inbox, leg: waited } in state.waiting.values_mut() {
            let reply = waited.as_ref().and_then(reply_to);
            if let Some((reply, leg)) = reply.and_then(|reply| Some((reply, waited.take()?))) {
                inbox.put(Event::Reply { leg, reply });
            }
        }
    }

    /// Tells every call, also one that comes later, that the connection is gone.
    pub(super) fn lose(&self) {
        let mut state = self.lock();
        state.is_lost = true;
        state.waiting.values().for_each(|call| call.inbox.put(Event::ConnectionLost));
    }

    /// Tells whether the connection is gone.
    pub(super) fn is_lost(&self) -> bool {
        self.lock().is_lost
    }

    /// Counts a line that is no message, and tells whether it may still be passed over.
    fn passes_over_noise(&self) -> bool {
        let mut state = self.lock();
        state.noise_lines = state.noise_lines.saturating_add(1);
        state.noise_lines <= NOISE_LINES_MAX
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: Inbox> Seat<'_, I> {
    /// Says which leg the call waits for; `None` for no leg any more.
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

/// Tells whether a line was never meant as a message: a text that does not begin as an object does. A
/// message that is broken or cut off, or whose bytes are no text, is none of it.
fn is_noise(line: &[u8]) -> bool {
    let is_short = line.len() <= LINE_BYTES_MAX;
    let text = core::str::from_utf8(line).ok().filter(|_| is_short);
    text.is_some_and(|text| !text.trim_start().starts_with(['{', '\u{feff}']))
}

fn decode(line: &[u8]) -> Result<RpcResponse, WireError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(WireError::TooLarge { what: "a line in bytes", max: LINE_BYTES_MAX });
    }
    RpcResponse::decode(line)
}
