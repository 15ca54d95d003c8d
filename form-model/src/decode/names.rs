//! The names of an object's members.

use alloc::{borrow::Cow, collections::BTreeSet, vec::Vec};

use serde::Deserialize;

/// The names of an object so far. Few names are compared one by one, many are sorted.
#[derive(Default)]
pub(super) struct Seen<'de> {
    few: Vec<Cow<'de, str>>,
    many: BTreeSet<Cow<'de, str>>,
}

impl<'de> Seen<'de> {
    const FEW: usize = 16;

    /// Adds a name. Returns whether it is new.
    pub(super) fn insert(&mut self, name: Cow<'de, str>) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(name);
        }
        if self.few.contains(&name) {
            return false;
        }
        self.few.push(name);
        if self.few.len() > Self::FEW {
            self.many.extend(self.few.drain(..));
        }
        true
    }
}

/// The name of a member. It is borrowed if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Name<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
