//! The ids of invocations and of their legs, and of what a host binds an invocation to.

use alloc::{borrow::Cow, format, sync::Arc};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

use crate::debug::debug;

/// A text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an id of 1 to 128 printable ASCII characters without spaces")]
#[non_exhaustive]
pub struct InvalidId;

/// Declares ids that a caller picks: 1 to 128 printable ASCII characters without spaces, cheap to
/// clone.
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
            /// Returns [`InvalidId`] if the text is empty, is longer than 128 characters, or has a
            /// space or another character that is not printable ASCII.
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

        debug!($name, |id| "{id}");

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
    /// The id of an invocation, unique on its connection.
    ///
    /// The caller of a [`client`](crate::client) picks a new one for each invocation. A
    /// [`host::Broker`](crate::host::Broker) makes the ids of its invocations itself. The ids of
    /// the invocation's requests begin with it. It is 1 to 128 printable ASCII characters without
    /// spaces.
    InvocationId,
    /// The id of a session of a host. A session is one conversation with the host, in which one
    /// person or several people take part. The id is 1 to 128 printable ASCII characters without
    /// spaces.
    SessionId,
    /// The id of a turn, unique in its session. A turn is one step of a session, in which a model
    /// may make several tool calls. It is 1 to 128 printable ASCII characters without spaces.
    TurnId,
    /// The model's id for a tool call. It is 1 to 128 printable ASCII characters without spaces.
    ToolCallId,
    /// The id of a registration: something that a provider executes for the host, such as a tool.
    /// It is 1 to 128 printable ASCII characters without spaces.
    RegistrationId,
}

impl InvocationId {
    /// Makes an id from a short printable text that this crate has composed.
    pub(crate) fn composed(id: &str) -> Self {
        debug_assert!(Self::new(id).is_ok(), "a composed id is sound");
        Self(id.into())
    }
}

/// The id of a leg. Its text is the JSON-RPC id of the request: `<invocation>.<number>`.
///
/// Only a machine makes leg ids, so no id is used twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LegId {
    invocation: InvocationId,
    number: u32,
}

impl LegId {
    pub(crate) const fn new(invocation: InvocationId, number: u32) -> Self {
        Self { invocation, number }
    }

    /// Reads the id of a leg; `None` if no machine writes this text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (invocation, number) = text.rsplit_once('.')?;
        let leg = Self::new(InvocationId::new(invocation).ok()?, number.parse().ok()?);
        // The id of a leg has one spelling: `c.01` is not `c.1`.
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

debug!(LegId, |id| "{id}");

impl Serialize for LegId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
