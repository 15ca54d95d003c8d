//! A store for one process.

use std::{
    collections::{BTreeSet, HashMap},
    io,
    sync::{Mutex, PoisonError},
};

use mrtr_core::{UnixTime, seal::TokenId};

use super::Store;

/// A store in memory. Each new id drops those that have expired.
#[derive(Default)]
pub struct Memory {
    ids: Mutex<Ids>,
}

#[derive(Default)]
struct Ids {
    until: HashMap<TokenId, UnixTime>,
    by_time: BTreeSet<(UnixTime, TokenId)>,
}

impl Memory {
    /// Returns the number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locked(|ids| ids.until.len())
    }

    /// Returns whether the store is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn locked<T>(&self, work: impl FnOnce(&mut Ids) -> T) -> T {
        work(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store for Memory {
    fn redeem(&self, id: TokenId, now: UnixTime, until: UnixTime) -> io::Result<bool> {
        Ok(self.locked(|ids| {
            ids.expire(now);
            let first = !ids.until.contains_key(&id);
            if first {
                ids.until.insert(id, until);
                ids.by_time.insert((until, id));
            }
            first
        }))
    }

    fn release(&self, id: TokenId) -> io::Result<()> {
        self.locked(|ids| {
            if let Some(until) = ids.until.remove(&id) {
                ids.by_time.remove(&(until, id));
            }
        });
        Ok(())
    }
}

impl Ids {
    fn expire(&mut self, now: UnixTime) {
        while let Some(&(until, id)) = self.by_time.first() {
            if until > now {
                break;
            }
            self.by_time.pop_first();
            self.until.remove(&id);
        }
    }
}
