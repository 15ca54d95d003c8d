//! Stdio of MCP 2026-07-28: a server is a child process, and a message is a line.
//!
//! - [`threads`]: calls of a child process, on plain threads.
//! - [`smol`]: the same on the runtime of that name.
//! - [`server`]: an endpoint on the other side.
//!
//! What does not depend on how a program waits stands here and in `calls`.

mod calls;
pub mod server;
pub mod smol;
pub mod threads;

use core::{iter, mem, time::Duration};
use std::{
    collections::VecDeque,
    io::{self, ErrorKind, Read},
    process::Command,
};

use mrtr_core::LegId;
use serde_json::json;

/// The bytes that a line may have.
pub(crate) const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The bytes that are read at once.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// How long a server may take to exit after its input was closed.
pub(crate) const EXIT_GRACE: Duration = Duration::from_secs(2);

/// Cuts a stream of bytes into lines.
#[derive(Default)]
pub(crate) struct Lines {
    whole: VecDeque<Vec<u8>>,
    line: Vec<u8>,
    /// The line was over the limit and is among the whole ones. What follows of it is dropped.
    is_cut: bool,
}

impl Lines {
    /// Takes more bytes. A line over [`LINE_BYTES_MAX`] is cut where it is one byte too long.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            let is_whole = text.len() < part.len();
            if !self.is_cut {
                let room = (LINE_BYTES_MAX + 1).saturating_sub(self.line.len());
                self.line.extend_from_slice(text.get(..room).unwrap_or(text));
            }
            let is_over = self.line.len() > LINE_BYTES_MAX;
            if is_whole || is_over {
                let line = mem::take(&mut self.line);
                // A blank line is nothing.
                if is_over || !line.trim_ascii().is_empty() {
                    self.whole.push_back(line);
                }
            }
            self.is_cut = (self.is_cut || is_over) && !is_whole;
        }
    }

    /// Takes the next line off.
    pub(crate) fn pop(&mut self) -> Option<Vec<u8>> {
        self.whole.pop_front()
    }
}

/// Reads lines until the stream ends. What has no end of line then is no message.
pub(crate) fn lines(mut from: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut lines = Lines::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    iter::from_fn(move || {
        loop {
            if let Some(line) = lines.pop() {
                return Some(Ok(line));
            }
            match from.read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => lines.push(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// Writes a message as a line. Where JSON has a line break, it has it between two tokens.
pub(crate) fn line(message: &str) -> String {
    let mut line = message.replace(['\r', '\n'], " ");
    line.push('\n');
    line
}

/// Writes the message that gives a leg up.
fn cancelled(leg: &LegId) -> String {
    let params = json!({"requestId": leg.to_string()});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

/// Keeps a signal of the terminal from the server, which is told to end in the protocol's way.
pub(crate) fn shield(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}
