//! Which states were used. It is for a single process.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
};

use mrtr_core::{UnixTime, seal::TokenId};

/// The ids of the states that were used, each with when it may be forgotten.
#[derive(Default)]
pub(crate) struct Store(Mutex<BTreeMap<TokenId, UnixTime>>);

impl Store {
    /// Takes an id, and returns whether it is the first time. A store on a network can fail.
    pub(super) fn redeem(&self, now: UnixTime, id: TokenId, until: UnixTime) -> io::Result<bool> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, until| *until >= now);
        Ok(used.insert(id, until).is_none())
    }

    /// Gives an id back. If that fails, the client starts over; nothing runs twice.
    pub(super) fn release(&self, id: TokenId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
