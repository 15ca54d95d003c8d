//! The open connections, the registrations, and the invocations of each. An event finds its
//! invocations without a search through all of them.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use super::{ConnectionId, Misuse, Owner};
use crate::{
    Instant,
    id::{RegistrationId, SessionId, TurnId},
};

/// The numbers of all live invocations, by each thing that can end them.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Index {
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) registrations: BTreeMap<RegistrationId, Registration>,
    /// The sessions that have live invocations.
    pub(super) sessions: BTreeMap<SessionId, Session>,
    /// When the time of each invocation runs out.
    pub(super) deadlines: BTreeSet<(Instant, u64)>,
}

/// An open connection.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Connection {
    /// The number of its live invocations.
    pub(super) invocations: usize,
    /// The bytes of its open questions.
    pub(super) pending_bytes: usize,
    /// The number of refused frames.
    pub(super) refused: u64,
    registrations: BTreeSet<RegistrationId>,
}

/// A registration, and its live invocations.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Registration {
    pub(super) connection: ConnectionId,
    invocations: BTreeSet<u64>,
}

/// A session, and its live invocations.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Session {
    pub(super) invocations: BTreeSet<(TurnId, u64)>,
    /// The number of its open questions.
    pub(super) pending: usize,
    /// The number of the last change that was sent to its surfaces.
    pub(super) change: Option<u64>,
}

impl Index {
    pub(super) fn connect(&mut self, connection: ConnectionId) -> Result<(), Misuse> {
        if self.connections.contains_key(&connection) {
            return Err(Misuse::AlreadyConnected);
        }
        self.connections.insert(connection, Connection::default());
        Ok(())
    }

    /// Forgets a connection and its registrations.
    pub(super) fn disconnect(&mut self, connection: ConnectionId) {
        if let Some(gone) = self.connections.remove(&connection) {
            for registration in gone.registrations {
                self.registrations.remove(&registration);
            }
        }
    }

    /// Adds a registration. Its id must be unused.
    pub(super) fn register(&mut self, name: RegistrationId, connection: ConnectionId) {
        if let Some(on) = self.connections.get_mut(&connection) {
            on.registrations.insert(name.clone());
            self.registrations
                .insert(name, Registration { connection, invocations: BTreeSet::new() });
        }
    }

    /// Forgets a registration that has no live invocations any more.
    pub(super) fn retire(&mut self, name: &RegistrationId) {
        let gone = self.registrations.remove(name);
        if let Some(on) = gone.and_then(|gone| self.connections.get_mut(&gone.connection)) {
            on.registrations.remove(name);
        }
    }

    /// Adds an invocation.
    pub(super) fn insert(&mut self, number: u64, owner: &Owner) {
        let session = self.sessions.entry(owner.session.clone()).or_default();
        session.invocations.insert((owner.turn.clone(), number));
        if let Some(registration) = self.registrations.get_mut(&owner.registration) {
            registration.invocations.insert(number);
        }
        if let Some(connection) = self.connections.get_mut(&owner.connection) {
            connection.invocations += 1;
        }
    }

    /// Removes an invocation that has no deadline any more.
    pub(super) fn remove(&mut self, number: u64, owner: &Owner) {
        if let Some(session) = self.sessions.get_mut(&owner.session) {
            session.invocations.remove(&(owner.turn.clone(), number));
            if session.invocations.is_empty() {
                self.sessions.remove(&owner.session);
            }
        }
        if let Some(registration) = self.registrations.get_mut(&owner.registration) {
            registration.invocations.remove(&number);
        }
        if let Some(connection) = self.connections.get_mut(&owner.connection) {
            connection.invocations -= 1;
        }
    }

    /// Moves the deadline of an invocation.
    pub(super) fn move_deadline(
        &mut self,
        number: u64,
        from: Option<Instant>,
        to: Option<Instant>,
    ) {
        if from != to {
            from.map(|from| self.deadlines.remove(&(from, number)));
            to.map(|to| self.deadlines.insert((to, number)));
        }
    }

    /// Returns the invocations of a connection, in the order in which they began.
    pub(super) fn of_connection(&self, connection: ConnectionId) -> Vec<u64> {
        let names = self.connections.get(&connection).map(|on| &on.registrations);
        let names = names.into_iter().flatten();
        let mut all: Vec<_> = names.flat_map(|name| self.of_registration(name)).collect();
        all.sort_unstable();
        all
    }

    pub(super) fn of_registration(&self, name: &RegistrationId) -> Vec<u64> {
        let of_it = self.registrations.get(name).map(|registration| &registration.invocations);
        of_it.into_iter().flatten().copied().collect()
    }

    pub(super) fn of_session(&self, session: &SessionId) -> impl Iterator<Item = u64> {
        let of_it = self.sessions.get(session).map(|session| &session.invocations);
        of_it.into_iter().flatten().map(|(_, number)| *number)
    }

    pub(super) fn of_turn(&self, session: &SessionId, turn: &TurnId) -> Vec<u64> {
        let Some(session) = self.sessions.get(session) else { return Vec::new() };
        let of_it = (turn.clone(), u64::MIN)..=(turn.clone(), u64::MAX);
        session.invocations.range(of_it).map(|(_, number)| *number).collect()
    }
}
