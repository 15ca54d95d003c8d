//! Time as the caller tells it. The crate names no clock.

use core::{ops::Add, time::Duration};

/// Is a point in time on a clock that never goes back, since an epoch that the caller picks.
///
/// It times legs, interactions and pauses. It does not convert to [`UnixTime`], nor back: a
/// computer that sleeps or corrects its calendar does not shorten anybody's ten minutes.
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

    /// Returns the time since an earlier instant; zero if that is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Adds a span of time. The end of time is as far as it goes.
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }
}

/// Is a point in calendar time: seconds since 1970-01-01T00:00:00Z.
///
/// It is used only where something expires that leaves this process.
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
