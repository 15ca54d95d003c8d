//! The stdio transport of MCP 2026-07-28: a server is a child process, and a message is a line.
//!
//! - [`threads`]: calls of a child process, on plain threads.
//! - [`smol`]: calls of a child process, on the runtime smol.
//! - [`server`]: an endpoint on the other side.
//!
//! What does not depend on the runtime is in this file and in `calls`.

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

use mrtr_core::client::LegId;
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
    /// Whether the line was over the limit and is among the whole ones. The rest of it is dropped.
    is_cut: bool,
}

impl Lines {
    /// Takes more bytes. A line over [`LINE_BYTES_MAX`] is cut to one byte more than that.
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
                // Blank lines are dropped.
                if is_over || !line.trim_ascii().is_empty() {
                    self.whole.push_back(line);
                }
            }
            self.is_cut = (self.is_cut || is_over) && !is_whole;
        }
    }

    /// Removes the next line and returns it.
    pub(crate) fn pop(&mut self) -> Option<Vec<u8>> {
        self.whole.pop_front()
    }
}

/// Reads lines until the stream ends. A last line that has no line end is dropped.
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

/// Writes a message as a line. JSON has line breaks between tokens only.
pub(crate) fn line(message: &str) -> String {
    let mut line = message.replace(['\r', '\n'], " ");
    line.push('\n');
    line
}

/// Writes the notification that a leg is cancelled.
fn cancelled(leg: &LegId) -> String {
    let params = json!({"requestId": leg.to_string()});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

/// Keeps the signals of the terminal from the server, which is told to end by closing its input.
pub(crate) fn shield(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}
