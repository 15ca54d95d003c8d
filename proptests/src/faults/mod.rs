//! Faults that are put between a machine and its world, so that each check is seen to fail.
//!
//! One table: a fault, the invariant that it breaks, and the drivers that must find it. A test runs
//! all of it. Each machine has one hook, its lie, which all drivers know.

mod client;
mod host;
mod provider;
mod server;

pub use client::ClientLie;
pub use host::{HostLie, HostSight, Liar};
pub use provider::ProviderLie;
pub use server::ServerLie;

use crate::{
    broker,
    explore::scopes,
    invariants::{Checked, Invariant, Violation},
    invocation,
    random::{Bytes as _, Dice},
    world,
};

/// A fault: a machine that does one thing wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong.
    pub name: &'static str,
    /// The invariant that it breaks.
    pub breaks: Invariant,
    /// A part of the words of the violation, where several faults break one invariant.
    pub says: &'static str,
    /// What the machine does otherwise.
    pub lie: Lie,
    /// Who must find it.
    pub found_by: Vec<Driver>,
}

/// What a machine does otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Lie {
    /// A call of the client role.
    Client(ClientLie),
    /// A broker of the host role.
    Host(HostLie),
    /// A provider.
    Provider(ProviderLie),
    /// A server, and its store.
    Server(ServerLie),
}

/// What everybody in the world of all machines does otherwise, but for the host. That one is a
/// [`Liar`].
#[derive(Clone, Copy, Debug)]
pub struct Lies {
    /// The calls of the client role.
    pub client: ClientLie,
    /// The providers.
    pub provider: ProviderLie,
    /// The servers.
    pub server: ServerLie,
}

impl Lies {
    /// No lies.
    pub const HONEST: Self = Self {
        client: ClientLie::HONEST,
        provider: ProviderLie::HONEST,
        server: ServerLie::HONEST,
    };
}

/// Who finds a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The search, in the scope of this name.
    Search(&'static str),
    /// Random lives of the machine alone, which its fuzz target lives, too.
    Lives,
    /// The world of all machines.
    World,
}

/// The lives in which a fault must be found.
const LIVES: u64 = 2_000;

/// The threads of a search.
const THREADS: usize = 2;

impl Fault {
    /// Looks for the fault, and returns what was found instead if it was not found.
    ///
    /// # Errors
    ///
    /// Every violation that the driver came across, each once.
    ///
    /// # Panics
    ///
    /// If there is no scope of the driver's name.
    pub fn find(&self, driver: Driver) -> Result<(), Vec<Violation>> {
        let mut instead: Vec<Violation> = Vec::new();
        let mut is_it = |violation: Violation| {
            let is_it = self.is(&violation);
            if !instead.iter().any(|known| known.invariant == violation.invariant) {
                instead.push(violation);
            }
            is_it
        };
        let is_found = match driver {
            Driver::Search(name) => {
                let scope = scopes().into_iter().find(|scope| scope.name == name).unwrap();
                let found = scope.with(self.lie).explore(THREADS);
                found.is_err_and(|found| !found.path.is_empty() && is_it(found.violation))
            }
            Driver::Lives => (0..LIVES).filter_map(|life| self.live_alone(life).err()).any(is_it),
            Driver::World => {
                (0..LIVES).filter_map(|life| self.live_in_world(life).err()).any(is_it)
            }
        };
        if is_found { Ok(()) } else { Err(instead) }
    }

    /// Lets the machine of the fault live alone.
    fn live_alone(&self, life: u64) -> Checked {
        let mut dice = Dice::of_life(life);
        let setup = dice.next_byte();
        let bytes: Vec<u8> = (0..400).map(|_| dice.next_byte()).collect();
        match self.lie {
            Lie::Client(lie) => {
                let mut call = invocation::ClientWorld::of(lie, setup);
                invocation::ops(&bytes).try_for_each(|op| call.try_apply(op))
            }
            Lie::Host(lie) => {
                let mut host = broker::HostWorld::of(&Liar::new(lie), setup)?;
                broker::ops(&bytes).try_for_each(|op| host.try_apply(op))
            }
            Lie::Provider(_) | Lie::Server(_) => panic!("{} has no lives of its own", self.name),
        }
    }

    /// Lets the machine of the fault live in the world, where everybody else is honest.
    fn live_in_world(&self, life: u64) -> Checked {
        let mut dice = Dice::of_life(life);
        let setup = dice.next_byte();
        let bytes: Vec<u8> = (0..240).map(|_| dice.next_byte()).collect();
        let (mut host, mut lies) = (HostLie::HONEST, Lies::HONEST);
        match self.lie {
            Lie::Client(lie) => lies.client = lie,
            Lie::Host(lie) => host = lie,
            Lie::Provider(lie) => lies.provider = lie,
            Lie::Server(lie) => lies.server = lie,
        }
        let mut world = world::World::of(&Liar::new(host), lies, setup)?;
        world::ops(&bytes).try_for_each(|op| world.try_apply(op))?;
        world.try_rest(setup >> 6 & 1 == 1)
    }

    /// Returns whether a violation is the one that the fault must lead to.
    #[must_use]
    pub fn is(&self, violation: &Violation) -> bool {
        violation.invariant == self.breaks && violation.what.contains(self.says)
    }
}

/// Lists all faults.
#[must_use]
pub fn faults() -> Vec<Fault> {
    [client::rows(), host::rows(), provider::rows(), server::rows()].concat()
}
