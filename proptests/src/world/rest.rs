//! The network fails no more, time passes, and everything ends.

use crate::invariants::{Checked, Invariant, Violation};
use core::time::Duration;

use mrtr_core::Instant;

use super::{Says, whole::World};
use crate::broker::{self, Does, Host, How};

/// How much time passes at most, and how often everything arrives.
const TIME_MAX: Duration = Duration::from_mins(30);
const TURNS_MAX: usize = 1_000;

impl<H: Host> World<H> {
    /// Lets everything arrive that is on its way, then time pass, until nothing is left to wait for;
    /// people answer what they are asked, or do not. Then nothing may be left.
    ///
    /// # Errors
    ///
    /// An invariant that does not hold.
    pub fn try_rest(&mut self, people_answer: bool) -> Checked {
        let end = self.host.now + TIME_MAX;
        for _ in 0..TURNS_MAX {
            let mut any = self.flow()?;
            if people_answer {
                any |= self.answer_all()?;
            }
            if any {
                continue;
            }
            match self.due() {
                Some(due) if due <= end => {
                    self.host.now = self.host.now.max(due);
                    self.tick()?;
                }
                _ => break,
            }
        }
        self.check_rest()
    }

    /// Answers the first question of every surface.
    fn answer_all(&mut self) -> Result<bool, Violation> {
        let mut any = false;
        for surface in 0..4 {
            self.host_op(broker::HostOp::Surface { surface, does: Does::Reread })?;
            let (_, shown) = self.host.screen(surface);
            if shown.iter().any(|shown| shown.taken.is_none()) {
                any = true;
                self.answer_shown(surface, 0, Says { how: How::Right, pretends: None })?;
            }
        }
        Ok(any)
    }

    /// Returns when something runs out.
    pub(super) fn due(&self) -> Option<Instant> {
        let live = self.providers.iter().flat_map(|provider| provider.live());
        let calls = live.filter_map(|(_, live)| live.deadline());
        calls.chain(self.host.deadline()).min()
    }

    /// Tells everybody the time.
    pub(super) fn tick(&mut self) -> Checked {
        self.host_op(broker::HostOp::Tick)?;
        for provider in 0..self.providers.len() {
            let live = self.providers.get(provider).into_iter().flat_map(|known| known.live());
            let live: Vec<_> = live.map(|(id, _)| id.clone()).collect();
            live.iter()
                .try_for_each(|id| self.tell(provider, id, mrtr_core::client::Event::Tick))?;
        }
        Ok(())
    }

    /// Checks that nothing is left.
    fn check_rest(&mut self) -> Checked {
        let rule = Invariant::EverythingEnds;
        let live = self.host.host().invocations();
        rule.holds_or(live.is_empty(), || format!("the host has {live:?}"))?;
        for provider in &self.providers {
            let live: Vec<_> = provider.live().map(|(id, _)| id).collect();
            rule.holds_or(live.is_empty(), || format!("a provider has {live:?}"))?;
        }
        for server in &self.servers {
            let left = server.running.len();
            rule.holds_or(left == 0, || format!("a server works on {left} requests"))?;
        }
        let is_quiet = self.network.requests.is_empty() && self.network.responses.is_empty();
        let is_read = !self.lines.iter().any(super::line::Line::is_busy);
        rule.holds_or(is_quiet && is_read, || "something is under way".into())?;
        for called in &self.ledger.calls {
            let id = &called.invocation;
            rule.holds_or(called.ended.is_some(), || format!("{id} has not ended"))?;
        }
        for surface in 0..4 {
            self.host_op(broker::HostOp::Surface { surface, does: Does::Reread })?;
            let open = self.host.screen(surface).1.len();
            Invariant::NoQuestionWithoutInvocation
                .holds_or(open == 0, || format!("{open} questions shown"))?;
        }
        let left = self.host.left_open();
        Invariant::NoQuestionWithoutInvocation
            .holds_or(left == 0, || format!("{left} questions stored as open"))
    }
}
