//! Who is connected, what is registered, and which invocations belong to whom: every event finds
//! what it concerns without looking at the rest.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use super::{ConnectionId, Misuse, Owner};
use crate::{Instant, RegistrationId, SessionId, TurnId};

/// Is what a broker finds invocations by: their numbers, by all that can end them.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Index {
    connections: BTreeMap<ConnectionId, Connection>,
    registrations: BTreeMap<RegistrationId, ConnectionId>,
    sessions: BTreeMap<SessionId, Session>,
    by_connection: BTreeSet<(ConnectionId, u64)>,
    by_registration: BTreeSet<(RegistrationId, u64)>,
    /// `None` sorts before every turn, and is no invocation's.
    by_turn: BTreeSet<(SessionId, Option<TurnId>, u64)>,
    by_deadline: BTreeSet<(Instant, u64)>,
}

/// Is what a broker counts of a connection.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Connection {
    pub(super) invocations: usize,
    /// The bytes of its pending requests.
    pub(super) pending_bytes: usize,
    /// The frames that were refused.
    pub(super) refused: u64,
    registrations: BTreeSet<RegistrationId>,
}

/// Is what a broker counts of a session that has live invocations.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Session {
    pub(super) invocations: usize,
    pub(super) pending: usize,
    /// The number of the last change that its surfaces were told.
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

    /// Forgets a connection and all that is registered on it.
    pub(super) fn disconnect(&mut self, connection: ConnectionId) {
        if let Some(gone) = self.connections.remove(&connection) {
            for registration in gone.registrations {
                self.registrations.remove(&registration);
            }
        }
    }

    pub(super) fn register(&mut self, registration: RegistrationId, connection: ConnectionId) {
        self.retire(&registration);
        if let Some(on) = self.connections.get_mut(&connection) {
            on.registrations.insert(registration.clone());
            self.registrations.insert(registration, connection);
        }
    }

    pub(super) fn retire(&mut self, registration: &RegistrationId) {
        let on = self.registrations.remove(registration);
        if let Some(on) = on.and_then(|connection| self.connections.get_mut(&connection)) {
            on.registrations.remove(registration);
        }
    }

    pub(super) fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.registrations.get(registration).copied()
    }

    pub(super) fn connection(&self, connection: ConnectionId) -> Option<&Connection> {
        self.connections.get(&connection)
    }

    pub(super) fn connection_mut(&mut self, connection: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(&connection)
    }

    pub(super) fn session(&self, session: &SessionId) -> Option<&Session> {
        self.sessions.get(session)
    }

    pub(super) fn session_mut(&mut self, session: &SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(session)
    }

    /// Adds an invocation.
    pub(super) fn insert(&mut self, number: u64, owner: &Owner) {
        self.by_connection.insert((owner.connection, number));
        self.by_registration.insert((owner.registration.clone(), number));
        self.by_turn.insert((owner.session.clone(), Some(owner.turn.clone()), number));
        self.sessions.entry(owner.session.clone()).or_default().invocations += 1;
        if let Some(connection) = self.connections.get_mut(&owner.connection) {
            connection.invocations += 1;
        }
    }

    /// Removes an invocation that waits for no deadline any more.
    pub(super) fn remove(&mut self, number: u64, owner: &Owner) {
        self.by_connection.remove(&(owner.connection, number));
        self.by_registration.remove(&(owner.registration.clone(), number));
        self.by_turn.remove(&(owner.session.clone(), Some(owner.turn.clone()), number));
        if let Some(session) = self.sessions.get_mut(&owner.session) {
            session.invocations -= 1;
            if session.invocations == 0 {
                self.sessions.remove(&owner.session);
            }
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
            from.map(|from| self.by_deadline.remove(&(from, number)));
            to.map(|to| self.by_deadline.insert((to, number)));
        }
    }

    pub(super) fn first_deadline(&self) -> Option<(Instant, u64)> {
        self.by_deadline.first().copied()
    }

    pub(super) fn of_connection(&self, connection: ConnectionId) -> Vec<u64> {
        let all = (connection, u64::MIN)..=(connection, u64::MAX);
        self.by_connection.range(all).map(|(_, number)| *number).collect()
    }

    pub(super) fn of_registration(&self, registration: &RegistrationId) -> Vec<u64> {
        let all = (registration.clone(), u64::MIN)..=(registration.clone(), u64::MAX);
        self.by_registration.range(all).map(|(_, number)| *number).collect()
    }

    pub(super) fn of_session(&self, session: &SessionId) -> impl Iterator<Item = u64> {
        let of_it = self.by_turn.range((session.clone(), None, u64::MIN)..);
        of_it.take_while(move |(of, ..)| of == session).map(|(.., number)| *number)
    }

    pub(super) fn of_turn(&self, session: &SessionId, turn: &TurnId) -> Vec<u64> {
        let of_it = |number| (session.clone(), Some(turn.clone()), number);
        self.by_turn.range(of_it(u64::MIN)..=of_it(u64::MAX)).map(|(.., number)| *number).collect()
    }
}
