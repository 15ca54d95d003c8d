//! The ids that a broker makes, and the numbers that the caller gives to runs and connections.

use alloc::{borrow::Cow, format};
use core::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{InvalidId, InvocationId};

/// Declares ids that are numbers, which the caller picks.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// Makes the id. Each number is valid, also 0.
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
    /// The number of one run of a host. It must be greater than the numbers of all earlier runs.
    ///
    /// The caller picks it: a stored counter, or the time at which the run began. It is part of
    /// every id that the broker makes, so an id from before a restart is not mistaken for a new
    /// one.
    Epoch,
    /// The number of one connection of a provider. The caller picks it, and must not use it again,
    /// even after the connection is gone. [`Event::Connected`](super::Event::Connected) with the
    /// number of an open connection is refused with
    /// [`Misuse::AlreadyConnected`](super::Misuse::AlreadyConnected).
    ConnectionId,
}

/// The id of one question: `<epoch>.<invocation>.<number>`. No two questions have the same id.
///
/// The broker makes it. The provider's own number for the question is not part of it, so a provider
/// cannot choose an id.
///
/// ```
/// use mrtr_core::host::{Epoch, InteractionId};
///
/// let id: InteractionId = "7.12.1".parse()?;
/// assert_eq!(id.epoch(), Epoch::new(7));
/// # Ok::<(), mrtr_core::InvalidId>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InteractionId {
    pub(super) epoch: Epoch,
    pub(super) invocation: u64,
    /// 1 is the first question of the invocation.
    pub(super) number: u32,
}

impl InteractionId {
    /// Returns the epoch in which the question was asked.
    #[must_use]
    pub const fn epoch(self) -> Epoch {
        self.epoch
    }
}

impl FromStr for InteractionId {
    type Err = InvalidId;

    /// Reads an id as [`Display`](fmt::Display) writes it. It does not check that such a question
    /// was asked.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidId`] for any other spelling, such as one with leading zeros.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let mut parts = text.split('.');
        let mut part = || parts.next().and_then(number).ok_or(InvalidId);
        let (epoch, invocation) = (Epoch(part()?), part()?);
        let number = u32::try_from(part()?).map_err(|_| InvalidId)?;
        if parts.next().is_some() {
            return Err(InvalidId);
        }
        Ok(Self { epoch, invocation, number })
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
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Makes the id of an invocation of a broker: `<epoch>.<number>`.
pub(super) fn invocation_id(epoch: Epoch, number: u64) -> InvocationId {
    // Two numbers and a dot are printable, and never too long.
    InvocationId::composed(&format!("{epoch}.{number}"))
}

/// Reads the id of an invocation; `None` if no broker made it.
pub(super) fn invocation_number(id: &InvocationId) -> Option<(Epoch, u64)> {
    let (epoch, invocation) = id.as_str().split_once('.')?;
    Some((Epoch(number(epoch)?), number(invocation)?))
}

/// Reads a number in the one spelling in which it is written.
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
        let id = "7.12.3".parse::<InteractionId>().unwrap();
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
            assert_eq!(wrong.parse::<InteractionId>(), Err(InvalidId), "{wrong}");
        }
        let invocation = invocation_id(Epoch(7), u64::MAX);
        assert_eq!(invocation_number(&invocation), Some((Epoch(7), u64::MAX)));
        for wrong in ["7", "7.", ".7", "7.1.1", "7.01", "a.b"] {
            assert_eq!(invocation_number(&InvocationId::new(wrong).unwrap()), None, "{wrong}");
        }
    }
}
