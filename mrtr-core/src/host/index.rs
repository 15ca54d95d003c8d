//! The open connections, the registrations, and the invocations of each. An event finds its
//! invocations without a search through all of them.
//!
//! The id of a session or a registration is looked up once, when an invocation begins. From then on
//! its number is used, because numbers are cheaper to compare than texts.

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
    connections: BTreeMap<ConnectionId, Connection>,
    registrations: BTreeMap<RegistrationId, Registration>,
    /// The number of the last registration.
    last_registration: u64,
    session_names: BTreeMap<SessionId, u64>,
    sessions: BTreeMap<u64, Session>,
    /// The number of the last session.
    last_session: u64,
    by_registration: BTreeSet<(u64, u64)>,
    /// `None` sorts before every turn; no invocation has it.
    by_turn: BTreeSet<(u64, Option<TurnId>, u64)>,
    by_deadline: BTreeSet<(Instant, u64)>,
}

/// The counts of an open connection.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Connection {
    pub(super) invocations: usize,
    /// The bytes of its open questions.
    pub(super) pending_bytes: usize,
    /// The number of refused frames.
    pub(super) refused: u64,
    registrations: BTreeSet<RegistrationId>,
}

/// A registration. Each has its own number, even under the same id.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(super) struct Registration {
    pub(super) connection: ConnectionId,
    pub(super) number: u64,
}

/// The counts of a session that has live invocations.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Session {
    pub(super) invocations: usize,
    pub(super) pending: usize,
    /// The number of the last change that was sent to its surfaces.
    pub(super) change: Option<u64>,
}

/// The place of an invocation in the index, in addition to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(super) struct Place {
    pub(super) session: u64,
    registration: u64,
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
            self.last_registration += 1;
            let number = self.last_registration;
            self.registrations.insert(name, Registration { connection, number });
        }
    }

    pub(super) fn retire(&mut self, name: &RegistrationId) {
        let gone = self.registrations.remove(name);
        if let Some(on) = gone.and_then(|gone| self.connections.get_mut(&gone.connection)) {
            on.registrations.remove(name);
        }
    }

    pub(super) fn registration(&self, name: &RegistrationId) -> Option<Registration> {
        self.registrations.get(name).copied()
    }

    pub(super) fn connection(&self, connection: ConnectionId) -> Option<&Connection> {
        self.connections.get(&connection)
    }

    pub(super) fn connection_mut(&mut self, connection: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(&connection)
    }

    /// Returns the number of a session that has live invocations.
    pub(super) fn session_number(&self, name: &SessionId) -> Option<u64> {
        self.session_names.get(name).copied()
    }

    /// Returns the counts of a session, if it has live invocations.
    pub(super) fn session(&self, number: u64) -> Option<&Session> {
        self.sessions.get(&number)
    }

    pub(super) fn session_mut(&mut self, number: u64) -> Option<&mut Session> {
        self.sessions.get_mut(&number)
    }

    /// Adds an invocation, with the number of its registration.
    pub(super) fn insert(&mut self, invocation: u64, registration: u64, owner: &Owner) -> Place {
        let known = self.session_number(&owner.session);
        let session = known.unwrap_or_else(|| {
            self.last_session += 1;
            self.session_names.insert(owner.session.clone(), self.last_session);
            self.last_session
        });
        self.sessions.entry(session).or_default().invocations += 1;
        self.by_turn.insert((session, Some(owner.turn.clone()), invocation));
        self.by_registration.insert((registration, invocation));
        if let Some(connection) = self.connections.get_mut(&owner.connection) {
            connection.invocations += 1;
        }
        Place { session, registration }
    }

    /// Removes an invocation that has no deadline any more.
    pub(super) fn remove(&mut self, invocation: u64, place: Place, owner: &Owner) {
        self.by_registration.remove(&(place.registration, invocation));
        self.by_turn.remove(&(place.session, Some(owner.turn.clone()), invocation));
        if let Some(counted) = self.sessions.get_mut(&place.session) {
            counted.invocations -= 1;
            if counted.invocations == 0 {
                self.sessions.remove(&place.session);
                self.session_names.remove(&owner.session);
            }
        }
        if let Some(connection) = self.connections.get_mut(&owner.connection) {
            connection.invocations -= 1;
        }
    }

    /// Moves the deadline of an invocation.
    pub(super) fn move_deadline(
        &mut self,
        invocation: u64,
        from: Option<Instant>,
        to: Option<Instant>,
    ) {
        if from != to {
            from.map(|from| self.by_deadline.remove(&(from, invocation)));
            to.map(|to| self.by_deadline.insert((to, invocation)));
        }
    }

    pub(super) fn first_deadline(&self) -> Option<(Instant, u64)> {
        self.by_deadline.first().copied()
    }

    pub(super) fn of_connection(&self, connection: ConnectionId) -> Vec<u64> {
        let registered = self.connections.get(&connection).map(|on| on.registrations.iter());
        let of_them = registered.into_iter().flatten().flat_map(|name| self.of_registration(name));
        // The order in which they began.
        let mut all: Vec<_> = of_them.collect();
        all.sort_unstable();
        all
    }

    pub(super) fn of_registration(&self, name: &RegistrationId) -> Vec<u64> {
        let Some(Registration { number, .. }) = self.registrations.get(name) else {
            return Vec::new();
        };
        let of_it = self.by_registration.range((*number, u64::MIN)..=(*number, u64::MAX));
        of_it.map(|(_, invocation)| *invocation).collect()
    }

    pub(super) fn of_session(&self, session: &SessionId) -> impl Iterator<Item = u64> {
        let of_it = self.session_number(session).map(|session| {
            self.by_turn.range((session, None, u64::MIN)..=(session + 1, None, u64::MIN))
        });
        of_it.into_iter().flatten().map(|(.., invocation)| *invocation)
    }

    pub(super) fn of_turn(&self, session: &SessionId, turn: &TurnId) -> Vec<u64> {
        let Some(session) = self.session_number(session) else { return Vec::new() };
        let of_it = |invocation| (session, Some(turn.clone()), invocation);
        let range = self.by_turn.range(of_it(u64::MIN)..=of_it(u64::MAX));
        range.map(|(.., invocation)| *invocation).collect()
    }
}
