//! What tokens are for.

use alloc::borrow::Cow;
use core::fmt;

use thiserror::Error;

/// The use that tokens are made for. A token of one purpose opens for no other.
///
/// A purpose is 1 to 128 printable ASCII characters, spaces included. It is no secret. Name it after
/// who makes the tokens and what they are for, so that no two uses of one key share a purpose.
/// Names that begin with `mrtr-core` are reserved: no token of an embedder opens in an exchange of
/// this crate, and no token of an exchange opens for an embedder.
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

/// Why a text is no [`Purpose`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PurposeError {
    /// It is empty or too long.
    #[error("expected a purpose of 1 to 128 characters, found {bytes} bytes")]
    Length {
        /// Its bytes.
        bytes: usize,
    },
    /// It has a character that is not printable ASCII.
    #[error("expected printable ASCII in a purpose, found another character at byte {position}")]
    Character {
        /// The position of its first byte, from 0.
        position: usize,
    },
    /// It begins with what this crate keeps for itself.
    #[error("expected a purpose that does not begin with 'mrtr-core', which is reserved")]
    Reserved,
}

/// What the names of this crate's own purposes begin with.
const RESERVED: &str = "mrtr-core";

impl Purpose {
    /// The purpose of the states that an exchange seals.
    #[cfg(any(test, feature = "server"))]
    pub(crate) const EXCHANGE: Self = Self(Cow::Borrowed("mrtr-core exchange"));

    /// Makes a purpose of its name.
    ///
    /// # Errors
    ///
    /// A name that is empty or over 128 bytes, has a character that is not printable ASCII, or
    /// begins with `mrtr-core`.
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

impl fmt::Debug for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Purpose({:?})", self.0)
    }
}

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
