//! The uses of tokens.

use alloc::borrow::Cow;
use core::fmt;

use thiserror::Error;

use crate::debug::debug;

/// The use for which tokens are made. A token opens only for the purpose for which it was sealed.
///
/// A purpose is 1 to 128 printable ASCII characters, which may include spaces. It is not secret.
/// Name it after the program that makes the tokens and after their use, so that no two uses of one
/// key have the same purpose. Names that begin with `mrtr-core` are reserved: an exchange of this
/// crate cannot open your tokens, and you cannot open its tokens.
///
/// ```
/// use mrtr_core::seal::{Purpose, PurposeError};
///
/// let purpose = Purpose::new("example.com/gateway resume")?;
/// assert_eq!(purpose.as_str(), "example.com/gateway resume");
/// assert_eq!(Purpose::new("mrtr-core exchange"), Err(PurposeError::Reserved));
/// # Ok::<(), PurposeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Purpose(Cow<'static, str>);

/// Why a purpose was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PurposeError {
    /// It is empty or too long.
    #[error("expected a purpose of 1 to 128 bytes, found {bytes}")]
    Length {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It has a character that is not printable ASCII.
    #[error("expected printable ASCII in a purpose, found another character at byte {position}")]
    Character {
        /// The position of its first byte, from 0.
        position: usize,
    },
    /// It begins with `mrtr-core`, which is reserved.
    #[error("expected a purpose that does not begin with 'mrtr-core', which is reserved")]
    Reserved,
}

/// The prefix of this crate's own purposes.
const RESERVED: &str = "mrtr-core";

impl Purpose {
    /// The purpose of the states that an exchange seals.
    #[cfg(any(test, feature = "server"))]
    pub(crate) const EXCHANGE: Self = Self(Cow::Borrowed("mrtr-core exchange"));

    /// Makes a purpose from its name.
    ///
    /// # Errors
    ///
    /// Returns [`PurposeError`] if the name is empty, is longer than 128 bytes, has a character
    /// that is not printable ASCII, or begins with `mrtr-core`.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Result<Self, PurposeError> {
        let name = name.into();
        if !(1..=128).contains(&name.len()) {
            return Err(PurposeError::Length { bytes: name.len() });
        }
        if let Some(position) = name.bytes().position(|byte| !(b' '..=b'~').contains(&byte)) {
            return Err(PurposeError::Character { position });
        }
        if name.starts_with(RESERVED) {
            return Err(PurposeError::Reserved);
        }
        Ok(Self(name))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

debug!(Purpose, |purpose| "Purpose({:?})", purpose.0);

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString as _};

    use super::*;

    /// proves: ST-12
    #[test]
    fn a_purpose_is_1_to_128_printable_ascii_characters() {
        for name in ["a", " ", "~", "example.com/x y", &"p".repeat(128)] {
            assert_eq!(Purpose::new(name.to_string()).unwrap().as_str(), name);
        }
        for (name, error) in [
            ("", PurposeError::Length { bytes: 0 }),
            (&*"p".repeat(129), PurposeError::Length { bytes: 129 }),
            ("a\nb", PurposeError::Character { position: 1 }),
            ("ab\u{7f}", PurposeError::Character { position: 2 }),
            ("größe", PurposeError::Character { position: 2 }),
        ] {
            assert_eq!(Purpose::new(name.to_string()), Err(error), "{name:?}");
        }
    }

    /// proves: ST-12
    #[test]
    fn the_purposes_of_this_crate_are_reserved() {
        for name in ["mrtr-core", "mrtr-core exchange", "mrtr-core2", Purpose::EXCHANGE.as_str()] {
            assert_eq!(Purpose::new(name.to_string()), Err(PurposeError::Reserved), "{name}");
        }
        assert!(Purpose::new("about mrtr-core").is_ok());
        assert_eq!(format!("{}", Purpose::EXCHANGE), "mrtr-core exchange");
        assert_eq!(format!("{:?}", Purpose::EXCHANGE), r#"Purpose("mrtr-core exchange")"#);
    }
}
