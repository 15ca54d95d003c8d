//! The keys of sealed request states.

use alloc::{string::String, vec::Vec};
use core::fmt;

use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::Zeroizing;

/// Is the server's keys: the first seals, each opens what it sealed.
///
/// To rotate, put a new key first and keep the old ones until what they sealed has expired. Keys
/// are overwritten when the ring is dropped, and are in no `Debug` and no error.
///
/// ```
/// use mrtr_core::Keyring;
///
/// let ring = Keyring::new([("2026-10", [7; 32])])?;
/// assert_eq!(format!("{ring:?}"), r#"Keyring(["2026-10"])"#);
/// assert!(Keyring::new([("", [7; 32])]).is_err());
/// # Ok::<(), mrtr_core::KeyringError>(())
/// ```
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<Key>,
}

#[derive(Clone)]
pub(super) struct Key {
    pub(super) id: String,
    pub(super) secret: Zeroizing<[u8; 32]>,
}

/// Says why keys are no [`Keyring`]. It holds no key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is no key.
    #[error("expected at least one key")]
    Empty,
    /// A key's id is malformed.
    #[error(
        "expected a key id of 1 to 64 letters, digits, '-' or '_', found another at position {position}"
    )]
    MalformedId {
        /// The position of the key, from 0.
        position: usize,
    },
    /// Two keys have one id.
    #[error("expected distinct key ids, found {id} twice")]
    DuplicateId {
        /// The id.
        id: String,
    },
}

impl Keyring {
    /// Makes a ring of ids and keys, the one that seals first.
    ///
    /// Each key is 32 bytes of a cryptographic random generator.
    ///
    /// # Errors
    ///
    /// No key, a malformed id, or one id twice.
    pub fn new<I: Into<String>>(
        keys: impl IntoIterator<Item = (I, [u8; 32])>,
    ) -> Result<Self, KeyringError> {
        let mut ring: Vec<Key> = Vec::new();
        for (position, (id, secret)) in keys.into_iter().enumerate() {
            let (id, secret) = (id.into(), Zeroizing::new(secret));
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if !(1..=64).contains(&id.len()) || !id.bytes().all(is_part) {
                return Err(KeyringError::MalformedId { position });
            }
            if ring.iter().any(|key| key.id == id) {
                return Err(KeyringError::DuplicateId { id });
            }
            ring.push(Key { id, secret });
        }
        if ring.is_empty() {
            return Err(KeyringError::Empty);
        }
        Ok(Self { keys: ring })
    }

    /// Returns the key that seals.
    pub(super) fn first(&self) -> Option<&Key> {
        self.keys.first()
    }

    /// Returns the key of an id.
    pub(super) fn find(&self, id: &[u8]) -> Option<&Key> {
        self.keys.iter().find(|key| key.id.as_bytes() == id)
    }
}

impl PartialEq for Keyring {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Key, &Key)| {
            a.id == b.id && bool::from(a.secret.as_slice().ct_eq(b.secret.as_slice()))
        };
        self.keys.len() == other.keys.len() && self.keys.iter().zip(&other.keys).all(same)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.keys.iter().map(|key| key.id.as_str()).collect();
        f.debug_tuple("Keyring").field(&ids).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: ST-02
    #[test]
    fn malformed_and_repeated_ids_are_refused_without_a_word_of_the_key() {
        let secret = [0x5a; 32];
        assert_eq!(Keyring::new(Vec::<(String, _)>::new()), Err(KeyringError::Empty));
        for id in ["", "a.b", "a b", "ü", &"k".repeat(65)] {
            let error = Keyring::new([("ok", secret), (id, secret)]).unwrap_err();
            assert_eq!(error, KeyringError::MalformedId { position: 1 });
        }
        let error = Keyring::new([("a", secret), ("a", [1; 32])]).unwrap_err();
        assert_eq!(error, KeyringError::DuplicateId { id: "a".into() });
        for text in [
            alloc::format!("{error:?} {error}"),
            alloc::format!("{:?}", Keyring::new([("a", secret)])),
        ] {
            assert!(!text.contains("90") && !text.contains("5a"), "{text}");
        }
    }

    /// It builds only while the keys are of a type that overwrites itself.
    ///
    /// proves: ST-02
    #[test]
    fn keys_are_overwritten_when_they_go() {
        const fn overwrites_itself<T: zeroize::ZeroizeOnDrop>(_: &T) -> bool {
            true
        }
        let ring = Keyring::new([("a", [1; 32])]).unwrap();
        assert!(ring.first().is_some_and(|key| overwrites_itself(&key.secret)));
    }

    #[test]
    fn rings_are_equal_if_their_ids_and_keys_are() {
        let ring = |id: &str, byte| Keyring::new([(id, [byte; 32])]).unwrap();
        assert_eq!(ring("a", 1), ring("a", 1));
        assert_ne!(ring("a", 1), ring("a", 2));
        assert_ne!(ring("a", 1), ring("b", 1));
    }
}
