//! How claims are sealed: the ciphers of this crate, and those of an embedder.

use alloc::{sync::Arc, vec::Vec};
use core::{fmt, panic::RefUnwindSafe};

use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use thiserror::Error;
use xaes_256_gcm::{
    Nonce, Xaes256Gcm,
    aead::{Aead as _, KeyInit as _, Payload},
};

use super::message_key::{MessageKey, keyed};

/// A cipher of an embedder, for [`RequestState::custom`](super::RequestState::custom).
///
/// It gets a key that seals one message only, so that a nonce of 96 bits is safe, and so is the same
/// nonce each time. It must authenticate both the associated data and the claims: all that a token
/// is bound to rests on that.
///
/// ```
/// use aes_gcm::{
///     Aes256Gcm,
///     aead::{Aead, KeyInit, Payload},
/// };
/// use mrtr_core::seal::{Cipher, CipherError, MessageKey};
///
/// /// AES-256-GCM with the key of the message and a nonce of zeros.
/// struct AesGcm;
///
/// impl Cipher for AesGcm {
///     fn mode(&self) -> u8 {
///         0x80
///     }
///
///     fn seal(&self, key: &MessageKey, associated: &[u8], claims: &[u8]) -> Result<Vec<u8>, CipherError> {
///         let payload = Payload { msg: claims, aad: associated };
///         let cipher = Aes256Gcm::new(key.as_bytes().into());
///         cipher.encrypt(&[0; 12].into(), payload).map_err(|_| CipherError)
///     }
///
///     fn open(&self, key: &MessageKey, associated: &[u8], sealed: &[u8]) -> Result<Vec<u8>, CipherError> {
///         let payload = Payload { msg: sealed, aad: associated };
///         let cipher = Aes256Gcm::new(key.as_bytes().into());
///         cipher.decrypt(&[0; 12].into(), payload).map_err(|_| CipherError)
///     }
/// }
///
/// use std::sync::Arc;
/// use mrtr_core::seal::{Keyring, RequestState};
///
/// let states = RequestState::custom(Keyring::new([("2026-10", [7; 32])])?, Arc::new(AesGcm))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cipher: Send + Sync + RefUnwindSafe {
    /// Returns the number of the cipher, which stands in each of its tokens: 0x80 to 0xff, since
    /// lower ones are for the ciphers of this crate. It is read once, when the cipher is given.
    fn mode(&self) -> u8;

    /// Seals the claims of a token, together with associated data that is not in it.
    ///
    /// # Errors
    ///
    /// A cipher that cannot seal. [`RequestState::seal`](super::RequestState::seal) fails with it.
    fn seal(
        &self,
        key: &MessageKey,
        associated: &[u8],
        claims: &[u8],
    ) -> Result<Vec<u8>, CipherError>;

    /// Returns the claims that were sealed with this key and this associated data.
    ///
    /// # Errors
    ///
    /// Bytes that no [`Cipher::seal`] made with them. The token is not authentic then.
    fn open(
        &self,
        key: &MessageKey,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, CipherError>;
}

/// The failure of a cipher. It says nothing of the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the cipher failed")]
pub struct CipherError;

/// Why a cipher was rejected: its mode is one that this crate keeps for its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the mode of a cipher to be 0x80 to 0xff, found {mode:#04x}")]
#[non_exhaustive]
pub struct InvalidMode {
    /// The mode.
    pub mode: u8,
}

/// The cipher that a request state seals and opens with.
#[derive(Clone)]
pub(super) enum Mode {
    Encrypted,
    Signed,
    Custom { byte: u8, cipher: Arc<dyn Cipher> },
}

impl Mode {
    pub(super) fn custom(cipher: Arc<dyn Cipher>) -> Result<Self, InvalidMode> {
        let byte = cipher.mode();
        if byte < 0x80 {
            return Err(InvalidMode { mode: byte });
        }
        Ok(Self::Custom { byte, cipher })
    }

    /// Returns the number that stands in a token.
    pub(super) fn byte(&self) -> u8 {
        match self {
            Self::Encrypted => Encrypted.mode(),
            Self::Signed => Signed.mode(),
            Self::Custom { byte, .. } => *byte,
        }
    }

    pub(super) fn cipher(&self) -> &dyn Cipher {
        match self {
            Self::Encrypted => &Encrypted,
            Self::Signed => &Signed,
            Self::Custom { cipher, .. } => &**cipher,
        }
    }
}

/// Compares ciphers by their number alone, as tokens name them.
impl PartialEq for Mode {
    fn eq(&self, other: &Self) -> bool {
        self.byte() == other.byte()
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encrypted => f.write_str("Encrypted"),
            Self::Signed => f.write_str("Signed"),
            Self::Custom { byte, .. } => write!(f, "Custom({byte:#04x})"),
        }
    }
}

/// XAES-256-GCM, with the salt as its nonce.
struct Encrypted;

impl Encrypted {
    fn cipher(key: &MessageKey) -> Xaes256Gcm {
        Xaes256Gcm::new(key.as_bytes().into())
    }
}

impl Cipher for Encrypted {
    fn mode(&self) -> u8 {
        1
    }

    fn seal(
        &self,
        key: &MessageKey,
        associated: &[u8],
        claims: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let payload = Payload { msg: claims, aad: associated };
        Self::cipher(key).encrypt(&Nonce::from(*key.salt()), payload).map_err(|_| CipherError)
    }

    fn open(
        &self,
        key: &MessageKey,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let payload = Payload { msg: sealed, aad: associated };
        Self::cipher(key).decrypt(&Nonce::from(*key.salt()), payload).map_err(|_| CipherError)
    }
}

/// HMAC-SHA256, after the claims as they are.
struct Signed;

const SIGNATURE_BYTES: usize = 32;

impl Signed {
    fn signer(key: &MessageKey, associated: &[u8], claims: &[u8]) -> Hmac<Sha256> {
        let mut mac = keyed(key.as_bytes());
        mac.update(&(associated.len() as u64).to_be_bytes());
        mac.update(associated);
        mac.update(claims);
        mac
    }
}

impl Cipher for Signed {
    fn mode(&self) -> u8 {
        2
    }

    fn seal(
        &self,
        key: &MessageKey,
        associated: &[u8],
        claims: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let signature = Self::signer(key, associated, claims).finalize().into_bytes();
        Ok([claims, &signature].concat())
    }

    fn open(
        &self,
        key: &MessageKey,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let end = sealed.len().checked_sub(SIGNATURE_BYTES).ok_or(CipherError)?;
        let (claims, signature) = sealed.split_at_checked(end).ok_or(CipherError)?;
        let signer = Self::signer(key, associated, claims);
        signer.verify_slice(signature).map_err(|_| CipherError)?;
        Ok(claims.into())
    }
}
