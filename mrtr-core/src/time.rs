//! Time as the caller reports it. The crate reads no clock.

use alloc::format;
use core::{ops::Add, time::Duration};

use form_model::Number;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A point in time on a monotonic clock: the time since a moment that the caller picks, the *epoch*
/// of the clock. An [`Epoch`](crate::host::Epoch) of a host is something else.
///
/// Machines use it for the time limits of legs, interactions and pauses. It cannot be converted to
/// [`UnixTime`] or back, so a corrected calendar clock does not change a time limit.
///
/// ```
/// use core::time::Duration;
/// use mrtr_core::Instant;
///
/// let start = Instant::from_millis(1_000);
/// assert_eq!(start + Duration::from_secs(1), Instant::from_millis(2_000));
/// assert_eq!(start.since(Instant::from_millis(2_000)), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(Duration);

impl Instant {
    /// Makes an instant from the time since the caller's epoch.
    #[must_use]
    pub const fn from_epoch(since: Duration) -> Self {
        Self(since)
    }

    /// Makes an instant from the milliseconds since the caller's epoch.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Returns the time since the caller's epoch.
    #[must_use]
    pub const fn since_epoch(self) -> Duration {
        self.0
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than `self`.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Adds a span of time. Saturates at the largest instant.
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }
}

/// A point in calendar time: seconds since 1970-01-01T00:00:00Z.
///
/// [`seal`](crate::seal) and [`server`](crate::server) use it for the expiry of request states,
/// which other processes can open, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime(u64);

impl UnixTime {
    /// Makes a time from the seconds since 1970.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs)
    }

    /// Returns the seconds since 1970.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0
    }
}

/// A span of time in milliseconds, with a fraction if there is one.
pub(crate) struct Millis(pub(crate) Duration);

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = self.0.subsec_nanos() % 1_000_000;
        match u64::try_from(self.0.as_millis()) {
            // A number of so few digits is written exactly.
            Ok(millis) => format!("{millis}.{nanos:06}")
                .parse::<Number>()
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
            // The span is longer than 500 million years.
            Err(_) => serializer.serialize_u64(u64::MAX),
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = format!("{}", Number::deserialize(deserializer)?);
        let (millis, fraction) = number.split_once('.').unwrap_or((&number, ""));
        let span = || {
            let nanos = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
            Some(
                Duration::from_millis(millis.parse().ok()?)
                    .saturating_add(Duration::from_nanos(nanos)),
            )
        };
        span().map(Self).ok_or_else(|| D::Error::custom("expected milliseconds"))
    }
}

/// Writes and reads a span of time in milliseconds.
pub(crate) mod millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        Millis(*span).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Millis::deserialize(from).map(|millis| millis.0)
    }
}

/// Writes and reads a span of time in milliseconds, or null for none.
pub(crate) mod optional_millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        span: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(Millis).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Option::<Millis>::deserialize(from).map(|millis| millis.map(|millis| millis.0))
    }
}
