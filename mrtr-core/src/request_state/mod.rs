//! The sealed request state: what a server remembers of a round, kept by the client, and safe from
//! it.
//!
//! `docs/request-state.md` has the format byte by byte.

mod canonical;
mod claims;
mod keyring;

use alloc::{string::String, vec::Vec};
use core::{fmt, time::Duration};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use hmac::{Hmac, Mac as _};
use rand_core::CryptoRng;
use sha2::Sha256;
use thiserror::Error;
use xaes_256_gcm::{
    Nonce, Xaes256Gcm,
    aead::{Aead as _, KeyInit as _, Payload},
};
use zeroize::Zeroizing;

pub(crate) use canonical::digest;
pub use keyring::{Keyring, KeyringError};

use crate::UnixTime;
use claims::Claims;
use keyring::Key;

/// The longest token, in characters of base64url. A longer one is not looked at.
pub const TOKEN_BYTES_MAX: usize = 64 * 1024;

/// Seals and opens request states.
///
/// A state is encrypted (XAES-256-GCM), or signed (HMAC-SHA256) where the client may read it. It
/// opens only for the protocol version, method, endpoint, principal and params that it was sealed
/// for, in the mode that it was sealed in, and only until it expires.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestState {
    keyring: Keyring,
    mode: Mode,
    lifetime: Duration,
    anonymous_lifetime: Duration,
}

/// Says why a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a lifetime of 1 second to 30 days")]
pub struct InvalidLifetime;

/// How far the clocks of two servers with one key may differ.
const SKEW_SECS: u64 = 30;

impl RequestState {
    /// Makes a sealer that encrypts with the keys of a ring. States live 5 minutes, those of callers
    /// without a principal 60 seconds.
    #[must_use]
    pub const fn new(keyring: Keyring) -> Self {
        Self::in_mode(keyring, Mode::Encrypted)
    }

    /// Makes a sealer that signs with the keys of a ring, and hides nothing: whoever has a state
    /// can read the principal, what was asked, and what the handler wants back.
    #[must_use]
    pub const fn signed(keyring: Keyring) -> Self {
        Self::in_mode(keyring, Mode::Signed)
    }

    const fn in_mode(keyring: Keyring, mode: Mode) -> Self {
        Self {
            keyring,
            mode,
            lifetime: Duration::from_secs(300),
            anonymous_lifetime: Duration::from_secs(60),
        }
    }

    /// Sets how long states live, in whole seconds: of callers with a principal, and of those
    /// without.
    ///
    /// # Errors
    ///
    /// A lifetime under a second or over 30 days.
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

    /// Seals a payload.
    ///
    /// # Errors
    ///
    /// A payload that makes the token longer than [`TOKEN_BYTES_MAX`], or names that are too long.
    pub(crate) fn seal(
        &self,
        rng: &mut (impl CryptoRng + ?Sized),
        now: UnixTime,
        context: &Context<'_>,
        round: u32,
        payload: &[u8],
    ) -> Result<String, SealError> {
        let key = self.keyring.first().ok_or(SealError)?;
        let lifetime =
            if context.principal.is_some() { self.lifetime } else { self.anonymous_lifetime };
        let mut id = [0; 16];
        rng.fill_bytes(&mut id);
        let claims = Claims {
            issued: now,
            expires: UnixTime::from_secs(now.as_secs().saturating_add(lifetime.as_secs())),
            round,
            id,
            digest: *context.digest,
            principal: context.principal,
            payload,
        };
        let plaintext = claims.encode().ok_or(SealError)?;
        let mut token = header(self.mode, &key.id);
        let associated = associated_data(&token, context);
        match self.mode {
            Mode::Encrypted => {
                let mut nonce = Nonce::default();
                rng.fill_bytes(&mut nonce);
                let sealed = cipher(key)
                    .encrypt(&nonce, Payload { msg: &plaintext, aad: &associated })
                    .map_err(|_| SealError)?;
                token.extend_from_slice(&nonce);
                token.extend_from_slice(&sealed);
            }
            Mode::Signed => {
                let signature = signer(key, &associated, &plaintext).finalize().into_bytes();
                token.extend_from_slice(&plaintext);
                token.extend_from_slice(&signature);
            }
        }
        // Four characters hold three bytes.
        if token.len() > TOKEN_BYTES_MAX / 4 * 3 {
            return Err(SealError);
        }
        Ok(Base64UrlUnpadded::encode_string(&token))
    }

    /// Opens a token.
    ///
    /// # Errors
    ///
    /// One error for whatever is wrong. Its cause is for the server's own report.
    pub(crate) fn open(
        &self,
        now: UnixTime,
        context: &Context<'_>,
        token: &str,
    ) -> Result<Opened, OpenError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(OpenError(OpenCause::TooLong));
        }
        let malformed = OpenError(OpenCause::Malformed);
        let bytes = Base64UrlUnpadded::decode_vec(token).map_err(|_| malformed)?;
        let [VERSION, mode, id_len, rest @ ..] = bytes.as_slice() else {
            return Err(malformed);
        };
        if *mode != self.mode as u8 {
            return Err(OpenError(OpenCause::OtherMode));
        }
        let (key_id, rest) = rest.split_at_checked(usize::from(*id_len)).ok_or(malformed)?;
        let key = self.keyring.find(key_id).ok_or(OpenError(OpenCause::UnknownKey))?;
        let associated = associated_data(&header(self.mode, &key.id), context);
        let not_authentic = OpenError(OpenCause::NotAuthentic);
        let plaintext = match self.mode {
            Mode::Encrypted => {
                let (nonce, sealed) = rest.split_at_checked(NONCE_BYTES).ok_or(malformed)?;
                let nonce = Nonce::try_from(nonce).map_err(|_| malformed)?;
                cipher(key)
                    .decrypt(&nonce, Payload { msg: sealed, aad: &associated })
                    .map_err(|_| not_authentic)?
            }
            Mode::Signed => {
                let end = rest.len().checked_sub(SIGNATURE_BYTES).ok_or(malformed)?;
                let (plaintext, signature) = rest.split_at_checked(end).ok_or(malformed)?;
                signer(key, &associated, plaintext)
                    .verify_slice(signature)
                    .map_err(|_| not_authentic)?;
                plaintext.into()
            }
        };
        let claims = Claims::decode(&plaintext).ok_or(malformed)?;
        claims.check(now, context)?;
        Ok(Opened {
            id: TokenId(claims.id),
            until: UnixTime::from_secs(claims.expires.as_secs().saturating_add(SKEW_SECS)),
            round: claims.round,
            payload: claims.payload.into(),
        })
    }
}

/// Says what is done to a payload. The number stands in the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Encrypted = 1,
    Signed = 2,
}

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
const SIGNATURE_BYTES: usize = 32;

/// Signs a payload and what it is bound to, with a key of its own that is derived from the ring's,
/// so that no key serves two algorithms.
fn signer(key: &Key, associated: &[u8], payload: &[u8]) -> Hmac<Sha256> {
    let mut derivation = keyed(&key.secret);
    derivation.update(b"mrtr-core signing key");
    let derived = Zeroizing::new(derivation.finalize().into_bytes().into());
    let mut mac = keyed(&derived);
    mac.update(&(associated.len() as u64).to_be_bytes());
    mac.update(associated);
    mac.update(payload);
    mac
}

/// Begins an HMAC. A key that is shorter than a block is one with zeros after it (RFC 2104).
fn keyed(secret: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = Zeroizing::new([0; 64]);
    for (byte, of_secret) in block.iter_mut().zip(secret) {
        *byte = *of_secret;
    }
    <Hmac<Sha256> as hmac::KeyInit>::new((&*block).into())
}

fn cipher(key: &Key) -> Xaes256Gcm {
    Xaes256Gcm::new((&*key.secret).into())
}

/// Writes what a token begins with. A key's id is at most 64 bytes.
fn header(mode: Mode, key_id: &str) -> Vec<u8> {
    let id_len = u8::try_from(key_id.len()).unwrap_or(u8::MAX);
    let mut header = alloc::vec![VERSION, mode as u8, id_len];
    header.extend_from_slice(key_id.as_bytes());
    header
}

/// Names one sealed state, for a store that remembers which were used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId([u8; 16]);

impl TokenId {
    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Writes 32 hexadecimal digits. The id is random and opens nothing.
impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Is what a state is bound to.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) protocol_version: &'a str,
    pub(crate) method: &'a str,
    pub(crate) endpoint: &'a str,
    pub(crate) principal: Option<&'a str>,
    pub(crate) digest: &'a [u8; 32],
}

/// Writes what is authenticated beside the ciphertext: each part after its length, so that no two
/// contexts have one text.
fn associated_data(header: &[u8], context: &Context<'_>) -> Vec<u8> {
    let mut data = Vec::from(b"mrtr-core request state");
    for part in [
        header,
        context.protocol_version.as_bytes(),
        context.method.as_bytes(),
        context.endpoint.as_bytes(),
    ] {
        data.extend_from_slice(&(part.len() as u64).to_be_bytes());
        data.extend_from_slice(part);
    }
    data
}

/// Is a state that was opened: only a token that verified makes one.
#[derive(PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) id: TokenId,
    /// When it has expired on every server, whose clocks differ by what they may.
    pub(crate) until: UnixTime,
    pub(crate) round: u32,
    pub(crate) payload: Vec<u8>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opened(round {}, {} bytes)", self.round, self.payload.len())
    }
}

/// Says that a state could not be sealed: it is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the state is too large to seal")]
pub(crate) struct SealError;

/// Says that a token did not open, and nothing more.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[error("invalid requestState")]
pub(crate) struct OpenError(OpenCause);

impl OpenError {
    /// Returns why, for the server's own report.
    pub(crate) const fn cause(self) -> OpenCause {
        self.0
    }
}

impl fmt::Debug for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenError")
    }
}

/// Says why a request state did not open. It is for the server's report, never for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OpenCause {
    /// The server has no keys.
    NoKeyring,
    /// The token is over its limit.
    TooLong,
    /// The token is no token of this crate.
    Malformed,
    /// No key of the ring has the token's key id.
    UnknownKey,
    /// The token was sealed in the other mode.
    OtherMode,
    /// The token may be used once and this endpoint redeems none, or the other way round.
    OtherUse,
    /// The token was changed, or was sealed by another key, endpoint, method or version.
    NotAuthentic,
    /// The token is past its time.
    Expired,
    /// The token was sealed in the future.
    NotYetValid,
    /// The token was sealed for another principal.
    OtherPrincipal,
    /// The token was sealed for other params.
    OtherParams,
}

#[cfg(test)]
mod tests {
    use getrandom::{SysRng, rand_core::UnwrapErr};

    use super::*;

    const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);
    const DIGEST: [u8; 32] = [3; 32];
    const CONTEXT: Context<'static> = Context {
        protocol_version: "2026-07-28",
        method: "tools/call",
        endpoint: "deployments",
        principal: Some("alice"),
        digest: &DIGEST,
    };

    fn states() -> RequestState {
        RequestState::new(ring())
    }

    fn ring() -> Keyring {
        Keyring::new([("k1", [1; 32])]).unwrap()
    }

    fn both_modes() -> [RequestState; 2] {
        [RequestState::new(ring()), RequestState::signed(ring())]
    }

    fn seal(states: &RequestState, context: &Context<'_>) -> String {
        states.seal(&mut UnwrapErr(SysRng), NOW, context, 2, b"payload").unwrap()
    }

    fn cause(
        states: &RequestState,
        now: UnixTime,
        context: &Context<'_>,
        token: &str,
    ) -> OpenCause {
        let error = states.open(now, context, token).unwrap_err();
        assert_eq!(alloc::format!("{error} {error:?}"), "invalid requestState OpenError");
        error.cause()
    }

    /// proves: ST-01
    #[test]
    fn what_was_sealed_opens_and_two_seals_of_it_differ() {
        for states in both_modes() {
            let token = seal(&states, &CONTEXT);
            let opened = states.open(NOW, &CONTEXT, &token).unwrap();
            assert_eq!((opened.round, opened.payload.as_slice()), (2, b"payload".as_slice()));
            assert_ne!(token, seal(&states, &CONTEXT));
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        }
    }

    /// proves: ST-03
    #[test]
    fn a_state_opens_for_nothing_but_what_it_is_bound_to() {
        for states in both_modes() {
            let token = seal(&states, &CONTEXT);
            let other_digest = [4; 32];
            for (context, expected) in [
                (Context { protocol_version: "2027-01-01", ..CONTEXT }, OpenCause::NotAuthentic),
                (Context { method: "prompts/get", ..CONTEXT }, OpenCause::NotAuthentic),
                (Context { endpoint: "billing", ..CONTEXT }, OpenCause::NotAuthentic),
                (Context { principal: Some("bob"), ..CONTEXT }, OpenCause::OtherPrincipal),
                (Context { principal: None, ..CONTEXT }, OpenCause::OtherPrincipal),
                (Context { digest: &other_digest, ..CONTEXT }, OpenCause::OtherParams),
            ] {
                assert_eq!(cause(&states, NOW, &context, &token), expected);
            }
            let anonymous = seal(&states, &Context { principal: None, ..CONTEXT });
            assert_eq!(cause(&states, NOW, &CONTEXT, &anonymous), OpenCause::OtherPrincipal);
        }
    }

    /// proves: ST-04
    #[test]
    fn a_state_expires_and_is_not_valid_before_its_time() {
        for states in both_modes() {
            let at = |secs: u64| UnixTime::from_secs(NOW.as_secs() + secs);
            let token = seal(&states, &CONTEXT);
            assert!(states.open(at(299), &CONTEXT, &token).is_ok());
            assert_eq!(cause(&states, at(300), &CONTEXT, &token), OpenCause::Expired);
            let anonymous = Context { principal: None, ..CONTEXT };
            let token = seal(&states, &anonymous);
            assert!(states.open(at(59), &anonymous, &token).is_ok());
            assert_eq!(cause(&states, at(60), &anonymous, &token), OpenCause::Expired);
            let before = |secs: u64| UnixTime::from_secs(NOW.as_secs() - secs);
            assert!(states.open(before(30), &anonymous, &token).is_ok());
            assert_eq!(cause(&states, before(31), &anonymous, &token), OpenCause::NotYetValid);
            assert_eq!(
                cause(&states, UnixTime::from_secs(u64::MAX), &anonymous, &token),
                OpenCause::Expired
            );
        }
    }

    /// proves: ST-04
    #[test]
    fn lifetimes_without_sense_are_refused() {
        let with = |lifetime, anonymous| states().with_lifetimes(lifetime, anonymous);
        let second = Duration::from_secs(1);
        assert!(with(second, second).is_ok());
        let longest = Duration::from_secs(30 * 24 * 60 * 60);
        assert!(with(longest, longest).is_ok());
        for wrong in [Duration::ZERO, Duration::from_millis(999), longest + second, Duration::MAX] {
            assert_eq!(with(wrong, second), Err(InvalidLifetime));
            assert_eq!(with(second, wrong), Err(InvalidLifetime));
        }
    }

    /// proves: ST-05
    #[test]
    fn the_longest_token_opens_and_no_longer_one_is_made() {
        for states in both_modes() {
            let sealed = |bytes: usize| {
                states.seal(&mut UnwrapErr(SysRng), NOW, &CONTEXT, 1, &alloc::vec![b'x'; bytes])
            };
            // Four characters hold three bytes.
            let around = sealed(0).unwrap().len() * 3 / 4;
            let longest = TOKEN_BYTES_MAX / 4 * 3 - around;
            let token = sealed(longest).unwrap();
            assert_eq!(token.len(), TOKEN_BYTES_MAX);
            assert!(states.open(NOW, &CONTEXT, &token).is_ok());
            for longer in [longest + 1, 2 * longest] {
                assert!(sealed(longer).is_err());
            }
            let longer = alloc::format!("{token}A");
            assert_eq!(cause(&states, NOW, &CONTEXT, &longer), OpenCause::TooLong);
        }
    }

    /// proves: ST-06
    #[test]
    fn a_change_of_any_character_is_noticed() {
        for states in both_modes() {
            let token = seal(&states, &CONTEXT);
            for index in 0..token.len() {
                for other in ['A', 'B', '_', '=', '!', 'é'] {
                    let (start, rest) = token.split_at(index);
                    let mut rest = rest.chars();
                    if rest.next() == Some(other) {
                        continue;
                    }
                    let changed = alloc::format!("{start}{other}{}", rest.as_str());
                    assert!(states.open(NOW, &CONTEXT, &changed).is_err(), "{index} {other}");
                }
                let (cut, _) = token.split_at(index);
                assert!(states.open(NOW, &CONTEXT, cut).is_err(), "cut at {index}");
            }
            for longer in
                [alloc::format!("{token}A"), alloc::format!("{token}="), alloc::format!(" {token}")]
            {
                assert!(states.open(NOW, &CONTEXT, &longer).is_err());
            }
        }
    }

    /// proves: ST-05
    #[test]
    fn a_token_over_the_limit_is_refused_before_it_is_decoded_and_never_made() {
        for states in both_modes() {
            let long = "A".repeat(TOKEN_BYTES_MAX + 1);
            assert_eq!(cause(&states, NOW, &CONTEXT, &long), OpenCause::TooLong);
            let long = alloc::vec![0; TOKEN_BYTES_MAX];
            assert_eq!(
                states.seal(&mut UnwrapErr(SysRng), NOW, &CONTEXT, 1, &long),
                Err(SealError)
            );
            let fits = alloc::vec![0; 47 * 1024];
            assert!(states.seal(&mut UnwrapErr(SysRng), NOW, &CONTEXT, 1, &fits).is_ok());
        }
    }

    /// proves: ST-02
    #[test]
    fn a_rotated_ring_seals_with_the_first_key_and_opens_with_the_one_named() {
        let ring = |keys: &[(&str, u8)]| {
            RequestState::new(
                Keyring::new(keys.iter().map(|(id, byte)| (*id, [*byte; 32]))).unwrap(),
            )
        };
        let old = ring(&[("k1", 1)]);
        let rotated = ring(&[("k2", 2), ("k1", 1)]);
        let token = seal(&old, &CONTEXT);
        assert!(rotated.open(NOW, &CONTEXT, &token).is_ok());
        assert_eq!(cause(&old, NOW, &CONTEXT, &seal(&rotated, &CONTEXT)), OpenCause::UnknownKey);
        // The same id over another key is not the same key.
        assert_eq!(cause(&ring(&[("k1", 9)]), NOW, &CONTEXT, &token), OpenCause::NotAuthentic);
    }

    /// proves: ST-03
    #[test]
    fn a_signed_state_can_be_read_and_an_encrypted_one_can_not() {
        let [encrypted, signed] = both_modes();
        let bytes = |states| Base64UrlUnpadded::decode_vec(&seal(states, &CONTEXT)).unwrap();
        let shows = |states| {
            let bytes = bytes(states);
            [&b"payload"[..], b"alice"].map(|part| bytes.windows(part.len()).any(|w| w == part))
        };
        assert_eq!((shows(&encrypted), shows(&signed)), ([false; 2], [true; 2]));
        let token = seal(&signed, &CONTEXT);
        assert_eq!(cause(&encrypted, NOW, &CONTEXT, &token), OpenCause::OtherMode);
        assert_eq!(
            cause(&signed, NOW, &CONTEXT, &seal(&encrypted, &CONTEXT)),
            OpenCause::OtherMode
        );
    }

    /// Gives one byte after another, so that a vector comes out the same each time.
    struct Counting(u8);

    impl rand_core::TryRng for Counting {
        type Error = core::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            let mut bytes = [0; 4];
            self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            let mut bytes = [0; 8];
            self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            for byte in bytes {
                *byte = self.0;
                self.0 = self.0.wrapping_add(1);
            }
            Ok(())
        }
    }

    impl rand_core::TryCryptoRng for Counting {}

    /// Writes the vectors of `docs/request-state-vectors.json`.
    fn vectors() -> String {
        let cases = [
            (
                "encrypted",
                RequestState::new(ring()),
                Some("alice"),
                1,
                r#"{"asked":{"sure":{"form":{}}}}"#,
            ),
            ("encrypted", RequestState::new(ring()), None, 2, r#"{"asked":{},"state":{"step":2}}"#),
            (
                "signed",
                RequestState::signed(ring()),
                Some("alice"),
                1,
                r#"{"asked":{"sure":"url"}}"#,
            ),
            ("signed", RequestState::signed(ring()), None, 7, ""),
        ];
        let params = r#"{"name":"größe","arguments":{"b":1.0,"a":[1e2,"\ud800",9007199254740993]},"_meta":{}}"#;
        let raw = crate::wire::RawJson::parse(params).unwrap();
        let digest = digest("tools/call", &raw).unwrap();
        let hex =
            |bytes: &[u8]| bytes.iter().map(|b| alloc::format!("{b:02x}")).collect::<String>();
        let mut json = String::from("[\n");
        for (index, (mode, states, principal, round, payload)) in cases.into_iter().enumerate() {
            let context = Context { principal, digest: &digest, ..CONTEXT };
            let token =
                states.seal(&mut Counting(0), NOW, &context, round, payload.as_bytes()).unwrap();
            assert_eq!(states.open(NOW, &context, &token).unwrap().payload, payload.as_bytes());
            let expires = NOW.as_secs() + if principal.is_some() { 300 } else { 60 };
            let principal = principal.map_or("null".into(), |name| alloc::format!("\"{name}\""));
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            let comma = if index == 0 { "" } else { ",\n" };
            json.push_str(&alloc::format!(
                "{comma}  {{\"mode\": \"{mode}\", \"key_id\": \"k1\", \"key\": \"{}\",\n   \
                 \"protocol_version\": \"2026-07-28\", \"method\": \"tools/call\", \"endpoint\": \"deployments\",\n   \
                 \"params\": {},\n   \"digest\": \"{}\",\n   \"issued\": {}, \"expires\": {expires}, \"round\": {round}, \
                 \"id\": \"{}\", \"principal\": {principal},\n   \"payload\": {},\n   \"token\": \"{token}\"}}",
                hex(&[1; 32]),
                quoted(params),
                hex(&digest),
                NOW.as_secs(),
                hex(&core::array::from_fn::<u8, 16, _>(|index| index as u8)),
                quoted(payload),
            ));
        }
        json.push_str("\n]\n");
        json
    }

    /// proves: ST-07, ST-10
    #[test]
    fn tokens_are_made_of_what_the_caller_gives_and_are_those_of_the_published_vectors() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/request-state-vectors.json");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, vectors()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), vectors());
    }

    /// proves: ST-06
    #[test]
    fn what_is_no_token_is_refused() {
        let states = states();
        for wrong in ["", "A", "AQ", "AQEC", "not base64!", "AAAA"] {
            assert_eq!(cause(&states, NOW, &CONTEXT, wrong), OpenCause::Malformed, "{wrong}");
        }
    }
}
