//! The names that a broker makes, and those of the connections that it is told of.

use alloc::{format, string::String};
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{InvalidId, InvocationId};

/// Declares names that are numbers, which a caller picks.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// Makes the name.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// Returns the number.
            #[must_use]
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

numbers! {
    /// Names one life of a host: another for each start, and greater than all before it.
    ///
    /// The caller picks it: a counter that it stores, or the time of the start. It is a part of
    /// every id that the broker makes, so that nothing of an earlier life passes for something of
    /// this one.
    Epoch,
    /// Names one connection of a provider. The caller picks it, another for each connection.
    ConnectionId,
}

/// Names one pending question, once and for all: `<epoch>.<invocation>.<number>`.
///
/// The broker makes it. What a provider calls its question is not part of it, so that no provider
/// can choose one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InteractionId {
    pub(super) epoch: Epoch,
    pub(super) invocation: u64,
    /// 1 is the invocation's first.
    pub(super) number: u32,
}

impl InteractionId {
    /// Reads an id as [`Display`](fmt::Display) writes it. It may name something that never was.
    ///
    /// # Errors
    ///
    /// A text in any other spelling.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let mut parts = text.split('.');
        let mut part = || parts.next().and_then(number).ok_or(InvalidId);
        let (epoch, invocation) = (Epoch(part()?), part()?);
        let number = u32::try_from(part()?).map_err(|_| InvalidId)?;
        if parts.next().is_some() {
            return Err(InvalidId);
        }
        Ok(Self { epoch, invocation, number })
    }

    /// Returns the life of the host in which it was asked.
    #[must_use]
    pub const fn epoch(self) -> Epoch {
        self.epoch
    }
}

impl fmt::Display for InteractionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.epoch, self.invocation, self.number)
    }
}

impl fmt::Debug for InteractionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for InteractionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for InteractionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Makes the id of an invocation of a broker: `<epoch>.<number>`.
pub(super) fn invocation_id(epoch: Epoch, number: u64) -> InvocationId {
    // Two numbers and a dot are printable, and never too long.
    InvocationId::composed(&format!("{epoch}.{number}"))
}

/// Reads the id of an invocation. `None`: no broker made it.
pub(super) fn invocation_number(id: &InvocationId) -> Option<(Epoch, u64)> {
    let (epoch, invocation) = id.as_str().split_once('.')?;
    Some((Epoch(number(epoch)?), number(invocation)?))
}

/// Reads a number that is spelled in the one way that it is written.
fn number(text: &str) -> Option<u64> {
    let is_canonical = text == "0" || text.bytes().next().is_some_and(|first| first != b'0');
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    (is_canonical && is_plain).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: HB-02
    #[test]
    fn an_id_has_one_spelling() {
        let id = InteractionId::parse("7.12.3").unwrap();
        assert_eq!(alloc::format!("{id} {id:?}"), "7.12.3 7.12.3");
        for wrong in [
            "",
            "7",
            "7.12",
            "7.12.3.4",
            "7.12.03",
            "07.12.3",
            "7.12.+3",
            "7..3",
            " 7.12.3",
            "7.12.3 ",
            "-7.12.3",
            "7.12.4294967296",
            "18446744073709551616.1.1",
        ] {
            assert_eq!(InteractionId::parse(wrong), Err(InvalidId), "{wrong}");
        }
        let invocation = invocation_id(Epoch(7), u64::MAX);
        assert_eq!(invocation_number(&invocation), Some((Epoch(7), u64::MAX)));
        for wrong in ["7", "7.", ".7", "7.1.1", "7.01", "a.b"] {
            assert_eq!(invocation_number(&InvocationId::new(wrong).unwrap()), None, "{wrong}");
        }
    }
}
