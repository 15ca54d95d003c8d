//! Names of invocations and of their legs.

use alloc::{borrow::Cow, sync::Arc};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// Names one logical operation on one connection.
///
/// The caller picks it, once for each operation: the ids of the operation's requests begin with
/// it. It is 1 to 128 bytes of printable ASCII.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvocationId(Arc<str>);

/// Says why a text is no [`InvocationId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an invocation id of 1 to 128 printable ASCII characters")]
pub struct InvalidId;

impl InvocationId {
    /// Makes an id.
    ///
    /// # Errors
    ///
    /// A text that is empty, longer than 128 bytes, or not printable ASCII.
    pub fn new(id: &str) -> Result<Self, InvalidId> {
        let is_sound = (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
        if is_sound { Ok(Self(id.into())) } else { Err(InvalidId) }
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InvocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for InvocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for InvocationId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for InvocationId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = Cow::<str>::deserialize(deserializer)?;
        Self::new(&id).map_err(D::Error::custom)
    }
}

/// Names one request of an invocation: its text is the JSON-RPC id, `<invocation>.<number>`.
///
/// Only a machine makes one, so that no adapter can use one twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LegId {
    invocation: InvocationId,
    number: u32,
}

impl LegId {
    pub(crate) const fn new(invocation: InvocationId, number: u32) -> Self {
        Self { invocation, number }
    }

    /// Returns the invocation that the leg belongs to.
    #[must_use]
    pub const fn invocation(&self) -> &InvocationId {
        &self.invocation
    }

    /// Returns the number of the leg: 1 is the first.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }
}

impl fmt::Display for LegId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.invocation, self.number)
    }
}

impl fmt::Debug for LegId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
