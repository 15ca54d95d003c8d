//! The keys of sealed request states.

use alloc::{string::String, vec::Vec};
use core::{fmt, iter};

use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::Zeroizing;

/// A ring of the server's keys. The first key seals. A token is opened with the key that sealed it.
///
/// To rotate, add the new key last on all processes. Then put it first on all processes. Remove the
/// old key when its tokens have expired. Do not put the new key first too early: a process that does
/// not have the key yet cannot open the tokens that it sealed.
///
/// Keys are overwritten when the ring is dropped. They are in no `Debug` output and in no error.
///
/// ```
/// use mrtr_core::seal::{Keyring, KeyringError};
///
/// let ring = Keyring::new([("2026-10", [7; 32])])?;
/// assert_eq!(format!("{ring:?}"), r#"Keyring(["2026-10"])"#);
/// assert!(Keyring::new([("", [7; 32])]).is_err());
/// # Ok::<(), KeyringError>(())
/// ```
#[derive(Clone)]
pub struct Keyring {
    first: Key,
    others: Vec<Key>,
}

#[derive(Clone)]
pub(super) struct Key {
    pub(super) id: String,
    pub(super) secret: Zeroizing<[u8; 32]>,
}

/// Why keys were rejected. It holds no key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is no key.
    #[error("expected at least one key, found none")]
    Empty,
    /// A key's id is malformed.
    #[error(
        "expected a key id of 1 to 64 bytes without dots and control characters, found a malformed one at position {position}"
    )]
    MalformedId {
        /// The position of the key, from 0.
        position: usize,
    },
    /// Two keys have the same id.
    #[error("expected distinct key ids, found {id} twice")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A key is 32 zero bytes, so it was never filled.
    #[error("expected random keys, found only zeros under {id}")]
    ZeroKey {
        /// The id of the key.
        id: String,
    },
    /// Two ids have the same key.
    #[error("expected distinct keys, found the same one under {first} and {second}")]
    DuplicateKey {
        /// The id that came first.
        first: String,
        /// The id that came second.
        second: String,
    },
}

impl Keyring {
    /// Makes a ring from ids and keys. The key that seals comes first.
    ///
    /// Each key is 32 bytes from a cryptographic generator of random numbers. A key id is 1 to 64
    /// bytes of UTF-8 without dots and control characters. It is visible in each token that the key
    /// seals.
    ///
    /// # Errors
    ///
    /// Returns [`KeyringError`] if there is no key, an id is malformed, two keys have the same id,
    /// a key is all zeros, or two ids have the same key.
    pub fn new<I: Into<String>>(
        keys: impl IntoIterator<Item = (I, [u8; 32])>,
    ) -> Result<Self, KeyringError> {
        let mut ring: Vec<Key> = Vec::new();
        for (position, (id, secret)) in keys.into_iter().enumerate() {
            let key = Key { id: id.into(), secret: Zeroizing::new(secret) };
            if !key.has_sound_id() {
                return Err(KeyringError::MalformedId { position });
            }
            key.check(&ring)?;
            ring.push(key);
        }
        let mut ring = ring.into_iter();
        let first = ring.next().ok_or(KeyringError::Empty)?;
        Ok(Self { first, others: ring.collect() })
    }

    /// Returns the key that seals.
    pub(super) const fn first(&self) -> &Key {
        &self.first
    }

    /// Returns the key of an id.
    pub(super) fn find(&self, id: &[u8]) -> Option<&Key> {
        self.iter().find(|key| key.id.as_bytes() == id)
    }

    fn iter(&self) -> impl Iterator<Item = &Key> {
        iter::once(&self.first).chain(&self.others)
    }
}

impl Key {
    fn has_sound_id(&self) -> bool {
        let is_part = |letter: char| letter != '.' && !letter.is_control();
        (1..=64).contains(&self.id.len()) && self.id.chars().all(is_part)
    }

    /// Checks the key itself, and that no earlier key has the same id or the same bytes.
    fn check(&self, before: &[Self]) -> Result<(), KeyringError> {
        if before.iter().any(|key| key.id == self.id) {
            return Err(KeyringError::DuplicateId { id: self.id.clone() });
        }
        if self.secret.ct_eq(&[0; 32]).into() {
            return Err(KeyringError::ZeroKey { id: self.id.clone() });
        }
        match before.iter().find(|key| self.has_secret_of(key)) {
            None => Ok(()),
            Some(key) => {
                let (first, second) = (key.id.clone(), self.id.clone());
                Err(KeyringError::DuplicateKey { first, second })
            }
        }
    }

    /// Compares secrets in constant time.
    fn has_secret_of(&self, other: &Self) -> bool {
        self.secret.as_slice().ct_eq(other.secret.as_slice()).into()
    }
}

impl PartialEq for Keyring {
    fn eq(&self, other: &Self) -> bool {
        self.iter().count() == other.iter().count()
            && self.iter().zip(other.iter()).all(|(a, b)| a.id == b.id && a.has_secret_of(b))
    }
}

/// The output has the ids only.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.iter().map(|key| key.id.as_str()).collect();
        f.debug_tuple("Keyring").field(&ids).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It builds only while the keys are of a type that overwrites itself.
    ///
    /// proves: ST-02
    #[test]
    fn keys_are_overwritten_when_they_go() {
        const fn overwrites_itself<T: zeroize::ZeroizeOnDrop>(_: &T) -> bool {
            true
        }
        let ring = Keyring::new([("a", [1; 32])]).unwrap();
        assert!(overwrites_itself(&ring.first().secret));
    }
}
