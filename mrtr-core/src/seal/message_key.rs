//! The key of one token, derived from a key of the ring and from random bytes in the token.

use hmac::{Hmac, Mac as _, digest::FixedOutput as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::debug::debug;

/// The length of the salt in bytes.
pub(super) const SALT_BYTES: usize = 24;

/// The key of one token. It is used for one message only.
///
/// It is the HMAC-SHA256 of a label, the mode of the cipher and the salt, under a key of the ring.
/// The salt is 24 random bytes, new for each token, and the token contains it. So a
/// [`Cipher`](super::Cipher) may use the same nonce for every message: no key is used with the same
/// nonce twice. Different ciphers get different keys, and no cipher gets the key of the ring. The
/// key is overwritten when it is dropped.
pub struct MessageKey {
    key: Zeroizing<[u8; 32]>,
    salt: [u8; SALT_BYTES],
}

impl MessageKey {
    pub(super) fn derive(secret: &[u8; 32], mode: u8, salt: [u8; SALT_BYTES]) -> Self {
        let mut derivation = keyed(secret);
        derivation.update(b"mrtr-core message key");
        derivation.update(&[mode]);
        derivation.update(&salt);
        let mut key = Zeroizing::new([0; 32]);
        // The result is written into its final place, so no copy of it stays in memory.
        derivation.finalize_into((&mut *key).into());
        Self { key, salt }
    }

    /// Returns the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.key
    }

    /// Returns the salt. It is not secret: a cipher may take its nonce from it.
    #[must_use]
    pub const fn salt(&self) -> &[u8; SALT_BYTES] {
        &self.salt
    }
}

debug!(MessageKey, |_key| "MessageKey");

/// Begins an HMAC. A key that is shorter than a block is filled up with zeros (RFC 2104).
pub(super) fn keyed(secret: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = Zeroizing::new([0; 64]);
    for (byte, of_secret) in block.iter_mut().zip(secret) {
        *byte = *of_secret;
    }
    <Hmac<Sha256> as hmac::KeyInit>::new((&*block).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It builds only while the key is of a type that overwrites itself.
    ///
    /// proves: ST-12
    #[test]
    fn a_message_key_is_overwritten_when_it_goes_and_is_not_shown() {
        const fn overwrites_itself<T: zeroize::ZeroizeOnDrop>(_: &T) -> bool {
            true
        }
        let key = MessageKey::derive(&[1; 32], 1, [2; 24]);
        assert!(overwrites_itself(&key.key));
        assert_eq!(alloc::format!("{key:?}"), "MessageKey");
    }

    /// proves: ST-07, ST-12
    #[test]
    fn each_secret_mode_and_salt_has_a_key_of_its_own() {
        let key = |secret, mode, salt| *MessageKey::derive(&[secret; 32], mode, [salt; 24]).key;
        let keys = [key(1, 1, 1), key(2, 1, 1), key(1, 2, 1), key(1, 1, 2), [1; 32], [2; 32]];
        for (index, one) in keys.iter().enumerate() {
            assert!(keys.iter().skip(index + 1).all(|other| one != other), "{index}");
        }
        assert_eq!(key(1, 1, 1), key(1, 1, 1));
    }
}
