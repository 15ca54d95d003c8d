//! The wire between the host and a provider: lines in order, of which the last may be lost.

use std::collections::VecDeque;

use mrtr_core::host::ConnectionId;

/// One connection, from its beginning to where both ends have noticed its end.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) connection: ConnectionId,
    pub(super) provider: usize,
    pub(super) is_cut: bool,
    pub(super) to_host: End,
    pub(super) to_provider: End,
}

/// What one side has yet to read.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    lines: VecDeque<String>,
    /// Whether the side has read everything, and that nothing comes any more.
    pub(super) is_read: bool,
}

/// What a side reads.
#[derive(Debug)]
pub(super) enum Read {
    Line(String),
    /// Nothing comes any more.
    End,
    /// There is nothing yet, or nothing any more.
    Nothing,
}

impl Line {
    pub(super) fn new(connection: ConnectionId, provider: usize) -> Self {
        let (to_host, to_provider) = (End::default(), End::default());
        Self { connection, provider, is_cut: false, to_host, to_provider }
    }

    /// Ends the connection. So many lines of each direction still arrive.
    pub(super) fn cut(&mut self, keeps: usize) {
        self.is_cut = true;
        self.to_host.lines.truncate(keeps);
        self.to_provider.lines.truncate(keeps);
    }

    /// Writes a line towards one side. What is cut takes anything.
    pub(super) fn write(&mut self, to_host: bool, line: String) {
        if !self.is_cut {
            self.end(to_host).lines.push_back(line);
        }
    }

    /// Reads the next line of one side.
    pub(super) fn read(&mut self, to_host: bool) -> Read {
        let is_cut = self.is_cut;
        let end = self.end(to_host);
        match end.lines.pop_front() {
            _ if end.is_read => Read::Nothing,
            Some(line) => Read::Line(line),
            None if is_cut => {
                end.is_read = true;
                Read::End
            }
            None => Read::Nothing,
        }
    }

    /// Returns whether there is anything to read.
    pub(super) fn is_busy(&self) -> bool {
        [&self.to_host, &self.to_provider]
            .iter()
            .any(|end| !end.is_read && (self.is_cut || !end.lines.is_empty()))
    }

    const fn end(&mut self, to_host: bool) -> &mut End {
        if to_host { &mut self.to_host } else { &mut self.to_provider }
    }
}
