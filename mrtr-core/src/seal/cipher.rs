//! The ciphers that seal claims: those of this crate, and the trait for others.

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

/// A cipher of your own, for [`RequestState::custom`](super::RequestState::custom).
///
/// Each message has its own key. So a nonce of 96 bits is safe, even a constant one. The cipher
/// must authenticate both the associated data and the claims. Otherwise tokens are not bound to
/// their requests.
///
/// A cipher must be [`RefUnwindSafe`], because an endpoint contains it. A server that uses an
/// endpoint can then catch the panic of a handler.
///
/// ```
/// use aes_gcm::{
///     Aes256Gcm,
///     aead::{Aead, KeyInit, Payload},
/// };
/// use mrtr_core::seal::{Cipher, CipherError, MessageKey};
///
/// /// AES-256-GCM. The constant nonce is safe, because `MessageKey` is new for each message.
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
    /// Returns the mode: the number of the cipher, from 0x80 to 0xff. Lower numbers are reserved
    /// for the ciphers of this crate. Each token contains the mode. It is read once, by
    /// [`RequestState::custom`](super::RequestState::custom).
    fn mode(&self) -> u8;

    /// Seals the claims of a token, and authenticates the associated data. The result does not
    /// contain the associated data.
    ///
    /// # Errors
    ///
    /// Returns [`CipherError`] if it cannot seal. [`RequestState::seal`](super::RequestState::seal)
    /// then fails with [`SealError::Cipher`](super::SealError::Cipher).
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
    /// Returns [`CipherError`] if the bytes were not sealed with this key and this associated data.
    /// [`RequestState::open`](super::RequestState::open) then fails with
    /// [`OpenCause::NotAuthentic`](super::OpenCause::NotAuthentic).
    fn open(
        &self,
        key: &MessageKey,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, CipherError>;
}

/// The failure of a cipher. It does not tell the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the cipher failed")]
pub struct CipherError;

/// The error of a cipher with a reserved mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the mode of a cipher to be 0x80 to 0xff, found {mode:#04x}")]
#[non_exhaustive]
pub struct InvalidMode {
    /// The mode.
    pub mode: u8,
}

type Sealed = Result<Vec<u8>, CipherError>;

/// The cipher that a request state seals and opens with.
#[derive(Clone)]
pub(super) enum Mode {
    /// XAES-256-GCM, with the salt as its nonce.
    Encrypted,
    /// The claims in plain text, followed by their HMAC-SHA256.
    Signed,
    Custom {
        byte: u8,
        cipher: Arc<dyn Cipher>,
    },
}

const SIGNATURE_BYTES: usize = 32;

impl Mode {
    pub(super) fn custom(cipher: Arc<dyn Cipher>) -> Result<Self, InvalidMode> {
        let byte = cipher.mode();
        if byte < 0x80 {
            return Err(InvalidMode { mode: byte });
        }
        Ok(Self::Custom { byte, cipher })
    }

    /// Returns the mode as tokens contain it.
    pub(super) const fn byte(&self) -> u8 {
        match self {
            Self::Encrypted => 1,
            Self::Signed => 2,
            Self::Custom { byte, .. } => *byte,
        }
    }

    /// Seals, as [`Cipher::seal`] does.
    pub(super) fn seal(&self, key: &MessageKey, associated: &[u8], claims: &[u8]) -> Sealed {
        match self {
            Self::Encrypted => {
                let payload = Payload { msg: claims, aad: associated };
                xaes(key).encrypt(&Nonce::from(*key.salt()), payload).map_err(|_| CipherError)
            }
            Self::Signed => {
                let signature = signer(key, associated, claims).finalize().into_bytes();
                Ok([claims, &signature].concat())
            }
            Self::Custom { cipher, .. } => cipher.seal(key, associated, claims),
        }
    }

    /// Opens, as [`Cipher::open`] does.
    pub(super) fn open(&self, key: &MessageKey, associated: &[u8], sealed: &[u8]) -> Sealed {
        match self {
            Self::Encrypted => {
                let payload = Payload { msg: sealed, aad: associated };
                xaes(key).decrypt(&Nonce::from(*key.salt()), payload).map_err(|_| CipherError)
            }
            Self::Signed => {
                let end = sealed.len().checked_sub(SIGNATURE_BYTES).ok_or(CipherError)?;
                let (claims, signature) = sealed.split_at_checked(end).ok_or(CipherError)?;
                let signer = signer(key, associated, claims);
                signer.verify_slice(signature).map_err(|_| CipherError)?;
                Ok(claims.into())
            }
            Self::Custom { cipher, .. } => cipher.open(key, associated, sealed),
        }
    }
}

/// Compares ciphers by their mode only, as tokens do.
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

fn xaes(key: &MessageKey) -> Xaes256Gcm {
    Xaes256Gcm::new(key.as_bytes().into())
}

fn signer(key: &MessageKey, associated: &[u8], claims: &[u8]) -> Hmac<Sha256> {
    let mut mac = keyed(key.as_bytes());
    mac.update(&(associated.len() as u64).to_be_bytes());
    mac.update(associated);
    mac.update(claims);
    mac
}
