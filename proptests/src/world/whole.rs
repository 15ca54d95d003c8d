//! A world, and what happens in it.

use crate::invariants::{Checked, Violation};
use core::time::Duration;
use std::collections::BTreeSet;

use mrtr_core::{
    client::Event,
    host::{Broker, Epoch, Limits, ProviderFrame},
};

use crate::faults::Lies;

use super::{
    Link, WorldOp,
    ledger::Ledger,
    line::Line,
    network::Network,
    provider::Provider,
    run::Asks,
    server::Server,
    setup::{PROVIDER_OF, SERVERS, SPANS},
};
use crate::broker::{self, Host};

/// Everybody, and all that is under way between them.
///
/// ```
/// use mrtr_proptests::world::{World, ops};
///
/// let mut world = World::new(0);
/// // The model calls a tool, its server asks, somebody answers, and everything arrives.
/// for op in ops(&[
///     14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 37, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
/// ]) {
///     world.apply(op);
/// }
/// assert!(world.seen().any(|place| place == "settled complete"));
/// world.rest(false);
/// ```
#[derive(Clone, Debug)]
pub struct World<H: Host = Broker> {
    pub(super) host: broker::HostWorld<H>,
    pub(super) lies: Lies,
    pub(super) setup: u8,
    pub(super) providers: Vec<Provider>,
    pub(super) servers: Vec<Server>,
    pub(super) lines: Vec<Line>,
    /// How many connections there were.
    pub(super) connections: u64,
    pub(super) network: Network,
    pub(super) ledger: Ledger,
    pub(super) asks: Asks,
    seen: BTreeSet<String>,
}

impl World {
    /// Begins a world. The bits of `setup` choose the host's limits and whether it has a store.
    ///
    /// # Panics
    ///
    /// An invariant that does not hold as soon as somebody connects.
    #[must_use]
    pub fn new(setup: u8) -> Self {
        let kind = Broker::volatile(Epoch::new(0), Limits::default());
        Self::of(&kind, Lies::HONEST, setup).unwrap_or_else(|broken| panic!("{broken}"))
    }
}

impl<H: Host> World<H> {
    /// Begins a world whose host is one of a kind, and in which others do not do what they should.
    ///
    /// # Errors
    ///
    /// An invariant that does not hold as soon as somebody connects.
    pub fn of(kind: &H, lies: Lies, setup: u8) -> Result<Self, Violation> {
        let mut world = Self {
            // Nobody is there who only says what a script has.
            host: broker::HostWorld::of(kind, setup | 64)?,
            lies,
            setup,
            providers: vec![Provider::default(); 2],
            servers: (0..SERVERS).map(Server::new).collect(),
            lines: Vec::new(),
            connections: 0,
            network: Network::default(),
            ledger: Ledger::default(),
            asks: Asks::default(),
            seen: BTreeSet::new(),
        };
        for provider in 0..world.providers.len() {
            world.connect(provider, 0)?;
        }
        Ok(world)
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Panics
    ///
    /// An invariant that does not hold.
    pub fn apply(&mut self, op: WorldOp) {
        if let Err(broken) = self.try_apply(op) {
            panic!("{broken}\nafter {op:?}");
        }
    }

    /// Lets everything end: see [`Self::try_rest`].
    ///
    /// # Panics
    ///
    /// An invariant that does not hold.
    pub fn rest(&mut self, people_answer: bool) {
        if let Err(broken) = self.try_rest(people_answer) {
            panic!("{broken}\nat rest");
        }
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Errors
    ///
    /// An invariant that does not hold.
    pub fn try_apply(&mut self, op: WorldOp) -> Checked {
        match op {
            WorldOp::Wait(span) => {
                let span = broker::pick(&SPANS, span).copied().unwrap_or_default();
                self.host.now = self.host.now + Duration::from_millis(span);
                Ok(())
            }
            WorldOp::Tick => self.tick(),
            WorldOp::RunOut { early } => self.run_out(early),
            WorldOp::Flow(parts) => self.flow_of(parts.into()).map(drop),
            WorldOp::Call { session, registration, plan } => self.call(session, registration, plan),
            WorldOp::Carry { line, to_host } => {
                let at = usize::from(line).checked_rem(self.lines.len());
                at.map_or(Ok(()), |at| self.carry(at, to_host))
            }
            WorldOp::Request { which, how } => self.request(which, how),
            WorldOp::Response { which, how } => self.response(which, how),
            WorldOp::Serve { which, how } => self.serve_any(which, how),
            WorldOp::Store { record, held } => {
                if self.host.speaks_early(record) {
                    self.note("the store speaks in another order");
                }
                self.host_op(broker::HostOp::Store { record, held })
            }
            WorldOp::Answer { surface, question, says } => {
                self.answer_shown(surface, question, says)
            }
            WorldOp::Surface { surface, does } => {
                self.host_op(broker::HostOp::Surface { surface, does })
            }
            WorldOp::Unanswerable { surface, question } => self.unanswerable(surface, question),
            WorldOp::Cut { line, keeps, crashes } => self.cut(line, keeps, crashes),
            WorldOp::Connect { provider, registration } => {
                self.connect(provider.into(), registration)
            }
            WorldOp::Server { registration, link } => self.link(registration, link),
            WorldOp::RestartServer { server, keys } => {
                let at = usize::from(server) % SERVERS;
                let server = self.servers.get_mut(at).unwrap();
                let busy = server.running.len();
                server.restart(keys);
                self.check_shown(self.endpoint(at).0)?;
                self.note(&format!("a server restarts, {keys:?} keys"));
                if busy > 0 {
                    self.note("a server restarts while it works");
                }
                Ok(())
            }
            WorldOp::RestartHost { forgets } => self.restart_host(forgets),
            WorldOp::Forge { which, how, with } => self.forge(which, how, with),
            WorldOp::Progress(which) => self.progress(which),
            WorldOp::Stop(scope) => self.host_op(broker::HostOp::Stop(scope)),
            WorldOp::EndTurn { session, turn } => {
                self.host_op(broker::HostOp::EndTurn { session, turn })
            }
            WorldOp::Retire(what) => self.host_op(broker::HostOp::Retire(what)),
        }
    }

    /// Returns what happened that not every life gets to.
    pub fn seen(&self) -> impl Iterator<Item = &str> {
        self.seen.iter().map(String::as_str).chain(self.host.seen())
    }

    pub(super) fn note(&mut self, what: &str) {
        if !self.seen.contains(what) {
            self.seen.insert(what.into());
        }
    }

    fn run_out(&mut self, early: bool) -> Checked {
        let Some(due) = self.due() else { return Ok(()) };
        let margin = Duration::from_millis(early.into());
        let due = mrtr_core::Instant::from_epoch(due.since_epoch().saturating_sub(margin));
        self.host.now = self.host.now.max(due);
        self.tick()
    }

    /// Something happens between a provider and a server that it has registered.
    fn link(&mut self, registration: u8, link: Link) -> Checked {
        let server = usize::from(registration) % SERVERS;
        let provider = PROVIDER_OF.get(server).copied().unwrap_or_default();
        let known = self.providers.get_mut(provider).unwrap();
        if link != Link::Same
            && let Some(number) = known.connections.get_mut(server)
        {
            *number += 1;
        }
        let binding = known.binding(server);
        let of_it = known.live().filter(|(_, live)| live.server() == server);
        let of_it: Vec<_> = of_it.map(|(id, _)| id.clone()).collect();
        for id in of_it {
            let event = match link {
                Link::Lost => Event::ConnectionLost,
                Link::Replaced | Link::Same => Event::BindingChanged(binding.clone()),
            };
            self.tell(provider, &id, event)?;
        }
        Ok(())
    }

    /// A server says that it works on the last leg of a call, and its provider passes that on.
    fn progress(&mut self, which: u8) -> Checked {
        let of = |at: usize| {
            self.providers.get(at).into_iter().flat_map(move |known| {
                known.live().map(move |(id, live)| (at, id.clone(), live.leg()))
            })
        };
        let all: Vec<_> = of(0).chain(of(1)).collect();
        let Some((provider, id, leg)) = broker::pick(&all, which).cloned() else { return Ok(()) };
        self.tell(provider, &id, Event::Progress { leg })?;
        self.say(provider, ProviderFrame::Progress { invocation: id })
    }
}
