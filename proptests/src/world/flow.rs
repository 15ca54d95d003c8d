//! What is on its way arrives.

use super::{Arrives, Ends, line::Line, network::take, whole::World};
use crate::broker::{self, Does, Host, WhichRecord};
use crate::invariants::{Checked, Violation};

impl<H: Host> World<H> {
    /// Something happens to a request that is under way.
    pub(super) fn request(&mut self, which: u8, how: Arrives) -> Checked {
        let Some(mut request) = take(&mut self.network.requests, which) else { return Ok(()) };
        let server = request.server;
        if usize::from(which) % (self.network.requests.len() + 1) > 0 {
            self.note("requests are reordered");
        }
        match how {
            Arrives::Never => {
                self.note("a request is lost");
                return Ok(());
            }
            Arrives::Twice => {
                self.note("a request comes twice");
                self.network.requests.push(request.clone());
            }
            Arrives::Garbled => {
                self.note("a request is garbled");
                request.message = "<html>".into();
            }
            Arrives::Once | Arrives::Slowly => {}
        }
        let before = self.working(server);
        self.receive(request)?;
        if how == Arrives::Slowly {
            self.note("a request takes time");
            return Ok(());
        }
        // Its state is redeemed, and then its handler ends.
        while self.working(server) > before {
            let last = u8::try_from(self.working(server) - 1).unwrap_or(0);
            self.serve(server, last, Ends::AsPlanned)?;
        }
        Ok(())
    }

    /// Something happens to a response that is under way.
    pub(super) fn response(&mut self, which: u8, how: Arrives) -> Checked {
        let Some(response) = take(&mut self.network.responses, which) else { return Ok(()) };
        if usize::from(which) % (self.network.responses.len() + 1) > 0 {
            self.note("responses are reordered");
        }
        match how {
            Arrives::Never => {
                self.note("a response is lost");
                return Ok(());
            }
            Arrives::Twice => {
                self.note("a response comes twice");
                self.network.responses.push(response.clone());
            }
            Arrives::Garbled => self.note("a response is garbled"),
            Arrives::Once | Arrives::Slowly => {}
        }
        self.reply(&response, how == Arrives::Garbled)
    }

    fn working(&self, server: usize) -> usize {
        self.servers.get(server).map_or(0, |server| server.running.len())
    }

    /// Everything that is on its way arrives, once. Tells whether there was anything.
    pub(super) fn flow(&mut self) -> Result<bool, Violation> {
        self.flow_of(Parts::ALL)
    }

    /// Everything of some kinds that is on its way arrives, once.
    pub(super) fn flow_of(&mut self, parts: Parts) -> Result<bool, Violation> {
        let mut any = false;
        if parts.has(Parts::LINES) {
            any |= self.flow_lines()?;
        }
        if parts.has(Parts::REQUESTS) {
            for _ in 0..self.network.requests.len() {
                any = true;
                self.request(0, Arrives::Once)?;
            }
        }
        if parts.has(Parts::HANDLERS) {
            for server in 0..self.servers.len() {
                for _ in 0..self.working(server) {
                    any = true;
                    self.serve(server, 0, Ends::AsPlanned)?;
                }
            }
        }
        if parts.has(Parts::RESPONSES) {
            for _ in 0..self.network.responses.len() {
                any = true;
                self.response(0, Arrives::Once)?;
            }
        }
        if parts.has(Parts::RECORDS) {
            while self.host.is_storing() {
                any = true;
                self.host_op(broker::HostOp::Store { record: WhichRecord::First, held: true })?;
            }
            for surface in 0..4 {
                if !self.host.is_told(surface) {
                    continue;
                }
                self.host_op(broker::HostOp::Surface { surface, does: Does::TakeAll })?;
            }
        }
        Ok(any)
    }

    fn flow_lines(&mut self) -> Result<bool, Violation> {
        let mut any = false;
        for at in 0..self.lines.len() {
            while self.lines.get(at).is_some_and(Line::is_busy) {
                any = true;
                self.carry(at, true)?;
                self.carry(at, false)?;
            }
        }
        self.lines.retain(|line| !line.to_host.is_read || !line.to_provider.is_read);
        Ok(any)
    }
}

/// Some of all that can be on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts(u8);

impl Parts {
    const ALL: Self = Self(0xff);
    const LINES: u8 = 1;
    const REQUESTS: u8 = 2;
    const HANDLERS: u8 = 4;
    const RESPONSES: u8 = 8;
    const RECORDS: u8 = 16;

    const fn has(self, part: u8) -> bool {
        self.0 & part > 0
    }
}

impl From<u8> for Parts {
    /// Takes everything for an even number, and for an odd one what its other bits say.
    fn from(byte: u8) -> Self {
        if byte.is_multiple_of(2) { Self::ALL } else { Self(byte / 2) }
    }
}
