//! Names of invocations, of their legs, and of what a host binds them to.

use alloc::{borrow::Cow, format, sync::Arc};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// A text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an id of 1 to 128 printable ASCII characters")]
pub struct InvalidId;

/// Declares names that a caller picks: 1 to 128 bytes of printable ASCII, cheap to clone.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Makes an id.
            ///
            /// # Errors
            ///
            /// A text that is empty, longer than 128 bytes, or not printable ASCII.
            pub fn new(id: &str) -> Result<Self, InvalidId> {
                let is_printable = id.bytes().all(|byte| byte.is_ascii_graphic());
                let is_sound = (1..=128).contains(&id.len()) && is_printable;
                if is_sound { Ok(Self(id.into())) } else { Err(InvalidId) }
            }

            /// Returns the id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = Cow::<str>::deserialize(deserializer)?;
                Self::new(&id).map_err(D::Error::custom)
            }
        }
    )*};
}

names! {
    /// The name of one logical operation on one connection.
    ///
    /// The caller picks a new one for each operation: the ids of its requests begin with it. It is 1
    /// to 128 bytes of printable ASCII.
    InvocationId,
    /// The name of a session of a host: what one person sees, or several people who share it. It is 1
    /// to 128 bytes of printable ASCII.
    SessionId,
    /// The name of one turn within its session. It is 1 to 128 bytes of printable ASCII.
    TurnId,
    /// The name of one call of a tool as the model made it. It is 1 to 128 bytes of printable ASCII.
    ToolCallId,
    /// The host's name for what a provider has registered. It is 1 to 128 bytes of printable ASCII.
    RegistrationId,
}

impl InvocationId {
    /// Makes an id of a short printable text that this crate has composed.
    pub(crate) fn composed(id: &str) -> Self {
        debug_assert!(Self::new(id).is_ok(), "a composed id is sound");
        Self(id.into())
    }
}

/// The name of one request of an invocation. Its text is the JSON-RPC id, `<invocation>.<number>`.
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

    /// Reads the text of a leg that a machine made; `None` if it is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (invocation, number) = text.rsplit_once('.')?;
        let leg = Self::new(InvocationId::new(invocation).ok()?, number.parse().ok()?);
        // A leg has one text: `c.01` is not one of `c.1`.
        (format!("{leg}") == text).then_some(leg)
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

impl Serialize for LegId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
