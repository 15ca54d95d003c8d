//! Sealing and opening.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::{fmt, time::Duration};

use rand_core::TryCryptoRng;
use thiserror::Error;

use super::{
    Cipher, CipherError, Context, InvalidMode, Keyring, OpenCause, OpenError, SealError,
    TOKEN_BYTES_MAX,
    cipher::Mode,
    claims::{Claims, SKEW_SECS},
    error::GeneratorError,
    message_key::{MessageKey, SALT_BYTES},
    token::{self, RAW_BYTES_MAX, Token},
};
use crate::{UnixTime, debug::debug};

/// The sealer and opener of request states.
///
/// A state is encrypted (XAES-256-GCM), or signed (HMAC-SHA256) if the client may read it, or
/// sealed with a [`Cipher`] of your own. It opens only in the [`Context`] for which it was sealed,
/// with the same cipher, and until it expires.
///
/// ```
/// use getrandom::SysRng;
/// use mrtr_core::{
///     UnixTime,
///     seal::{Context, Keyring, Purpose, RequestState},
///     wire::RawJson,
/// };
///
/// let states = RequestState::new(Keyring::new([("2026-10", [7; 32])])?);
/// let purpose = Purpose::new("example.com/gateway resume")?;
/// let params = RawJson::parse(r#"{"name": "deploy"}"#)?;
/// let context = Context::new(&purpose, "tools/call", "deployments", &params)?;
/// let alices = context.clone().with_principal("alice");
/// let now = UnixTime::from_secs(1_800_000_000);
///
/// let token = states.seal(&mut SysRng, now, &alices, 1, b"build 42 is staged")?;
///
/// let opened = states.open(now, &alices, &token)?;
/// assert_eq!((opened.round, opened.payload.as_slice()), (1, b"build 42 is staged".as_slice()));
///
/// let bobs = context.with_principal("bob");
/// let error = states.open(now, &bobs, &token).unwrap_err();
/// assert_eq!(error.to_string(), "invalid requestState");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Two values are equal if they have equal keys, cipher modes and lifetimes.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestState {
    keyring: Keyring,
    mode: Mode,
    lifetime: Duration,
    anonymous_lifetime: Duration,
}

/// Why lifetimes were rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a lifetime of 1 second to 30 days")]
#[non_exhaustive]
pub struct InvalidLifetime;

const ID_BYTES: usize = 16;

impl RequestState {
    /// Makes a sealer that encrypts with the keys of a ring. A state is valid for 5 minutes, or for
    /// 60 seconds if the client is anonymous.
    #[must_use]
    pub const fn new(keyring: Keyring) -> Self {
        Self::in_mode(keyring, Mode::Encrypted)
    }

    /// Makes a sealer that signs with the keys of a ring and does not encrypt: whoever has a state
    /// can read the principal and the payload. The lifetimes are those of [`RequestState::new`].
    #[must_use]
    pub const fn signed(keyring: Keyring) -> Self {
        Self::in_mode(keyring, Mode::Signed)
    }

    /// Makes a sealer with a cipher of your own. Its keys are derived from the keys of the ring.
    /// The lifetimes are those of [`RequestState::new`]. [`Cipher`] has an example.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidMode`] if the mode of the cipher is below 0x80.
    pub fn custom(keyring: Keyring, cipher: Arc<dyn Cipher>) -> Result<Self, InvalidMode> {
        Ok(Self::in_mode(keyring, Mode::custom(cipher)?))
    }

    const fn in_mode(keyring: Keyring, mode: Mode) -> Self {
        Self {
            keyring,
            mode,
            lifetime: Duration::from_secs(300),
            anonymous_lifetime: Duration::from_secs(60),
        }
    }

    /// Sets the lifetimes of states: `lifetime` for clients with a principal, and
    /// `anonymous_lifetime` for clients without one. A fraction of a second is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidLifetime`] if a lifetime is shorter than a second or longer than 30 days.
    pub fn with_lifetimes(
        self,
        lifetime: Duration,
        anonymous_lifetime: Duration,
    ) -> Result<Self, InvalidLifetime> {
        let is_sound = |lifetime: Duration| (1..=30 * 86_400).contains(&lifetime.as_secs());
        if !is_sound(lifetime) || !is_sound(anonymous_lifetime) {
            return Err(InvalidLifetime);
        }
        Ok(Self { lifetime, anonymous_lifetime, ..self })
    }

    /// Seals a payload and a round, and returns the token: base64url, at most [`TOKEN_BYTES_MAX`]
    /// characters (mrtr, server requirement 4).
    ///
    /// `rng` is asked once, for 40 bytes. Use `getrandom::SysRng`, for example.
    /// [`RequestState::open`] returns `round` unchanged. An exchange counts rounds from 1. The
    /// token is valid from `now`, for the lifetime of states with a principal or without one.
    ///
    /// # Errors
    ///
    /// Returns [`SealError`] if the payload or the principal makes the token too long, or if the
    /// generator or the cipher fails.
    pub fn seal<R>(
        &self,
        rng: &mut R,
        now: UnixTime,
        context: &Context<'_>,
        round: u32,
        payload: &[u8],
    ) -> Result<String, SealError>
    where
        R: TryCryptoRng<Error: Send + Sync + 'static> + ?Sized,
    {
        if payload.len() > RAW_BYTES_MAX {
            return Err(SealError::TooLarge);
        }
        let (id, salt) = random(rng)?;
        let claims = Claims {
            issued: now,
            expires: self.expiry(now, context),
            round,
            id,
            digest: context.digest,
            principal: context.principal,
            payload,
        };
        let claims = claims.encode().ok_or(SealError::TooLarge)?;
        let key = self.keyring.first();
        let header = token::header(self.mode.byte(), &key.id);
        let message_key = MessageKey::derive(&key.secret, self.mode.byte(), salt);
        let associated = context.associated_data(&header);
        let sealed = self.mode.seal(&message_key, &associated, &claims);
        let sealed = sealed.map_err(SealError::Cipher)?;
        token::encode(&header, &salt, &sealed).ok_or(SealError::TooLarge)
    }

    fn expiry(&self, now: UnixTime, context: &Context<'_>) -> UnixTime {
        let has_principal = context.principal.is_some();
        let lifetime = if has_principal { self.lifetime } else { self.anonymous_lifetime };
        UnixTime::from_secs(now.as_secs().saturating_add(lifetime.as_secs()))
    }

    /// Opens a token (mrtr, server requirements 4 and 5).
    ///
    /// # Errors
    ///
    /// Returns [`OpenError`], whose text is the same for every cause. [`OpenError::cause`] is for
    /// the server's own report. [`OpenCause`] lists the causes.
    pub fn open(
        &self,
        now: UnixTime,
        context: &Context<'_>,
        token: &str,
    ) -> Result<Opened, OpenError> {
        self.read(now, context, token).map_err(OpenError::new)
    }

    fn read(&self, now: UnixTime, context: &Context<'_>, token: &str) -> Result<Opened, OpenCause> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(OpenCause::TooLong);
        }
        let bytes = token::decode(token).ok_or(OpenCause::Malformed)?;
        let token = Token::read(&bytes).ok_or(OpenCause::Malformed)?;
        if token.mode != self.mode.byte() {
            return Err(OpenCause::OtherMode);
        }
        let key = self.keyring.find(token.key_id).ok_or(OpenCause::UnknownKey)?;
        let message_key = MessageKey::derive(&key.secret, token.mode, token.salt);
        let associated = context.associated_data(token.header);
        let claims = self.mode.open(&message_key, &associated, token.sealed);
        let claims = claims.map_err(|CipherError| OpenCause::NotAuthentic)?;
        let claims = Claims::decode(&claims).ok_or(OpenCause::Malformed)?;
        claims.check(now, context)?;
        let until = claims.expires.as_secs().saturating_add(SKEW_SECS);
        Ok(Opened {
            id: TokenId(claims.id),
            round: claims.round,
            until: UnixTime::from_secs(until),
            payload: claims.payload.into(),
        })
    }
}

/// The id of one token, for a store that remembers used tokens.
///
/// It is 16 random bytes, new for each token. It is not secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub(super) [u8; 16]);

impl TokenId {
    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Writes 32 hexadecimal digits.
impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

debug!(TokenId, |id| "{id}");

/// The contents of a token that was opened. Only [`RequestState::open`](super::RequestState::open)
/// makes one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The id of the token.
    pub id: TokenId,
    /// The round with which it was sealed.
    pub round: u32,
    /// The time 30 seconds after the token expires. The clocks of servers may differ by that much,
    /// so from this time on every server refuses the token. A store of used tokens may then forget
    /// the id.
    pub until: UnixTime,
    /// The payload that was sealed.
    pub payload: Vec<u8>,
}

debug!(Opened, |it| "Opened(round {}, {} bytes)", it.round, it.payload.len());

/// Draws the id and the salt of a token.
fn random<R>(rng: &mut R) -> Result<([u8; ID_BYTES], [u8; SALT_BYTES]), SealError>
where
    R: TryCryptoRng<Error: Send + Sync + 'static> + ?Sized,
{
    let mut drawn = [0; ID_BYTES + SALT_BYTES];
    rng.try_fill_bytes(&mut drawn)
        .map_err(|error| SealError::Generator(GeneratorError::new(error)))?;
    let mut parts = ([0; ID_BYTES], [0; SALT_BYTES]);
    let bytes = parts.0.iter_mut().chain(&mut parts.1);
    bytes.zip(drawn).for_each(|(byte, random)| *byte = random);
    Ok(parts)
}
