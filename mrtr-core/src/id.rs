//! Names of invocations, of their legs, and of what a host binds them to.

use alloc::{borrow::Cow, sync::Arc};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// Says why a text is no id.
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
    /// Names one logical operation on one connection.
    ///
    /// Who starts the operation picks it, once for each: the ids of the operation's requests begin
    /// with it. It is 1 to 128 bytes of printable ASCII.
    InvocationId,
    /// Names a session of a host: what one person, or several who share it, see. It is 1 to 128
    /// bytes of printable ASCII.
    SessionId,
    /// Names one turn within its session. It is 1 to 128 bytes of printable ASCII.
    TurnId,
    /// Names one call of a tool as the model made it. It is 1 to 128 bytes of printable ASCII.
    ToolCallId,
    /// Names what a provider has registered with a host, as the host knows it. It is 1 to 128 bytes
    /// of printable ASCII.
    RegistrationId,
}

impl InvocationId {
    /// Takes a text that this crate has composed of few printable characters.
    pub(crate) fn composed(id: &str) -> Self {
        debug_assert!(Self::new(id).is_ok(), "a composed id is sound");
        Self(id.into())
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
