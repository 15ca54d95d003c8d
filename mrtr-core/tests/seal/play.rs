//! One request, the states of each cipher, and generators.

use core::convert::Infallible;
use std::sync::{Arc, LazyLock};

use aes_gcm::{
    Aes256Gcm,
    aead::{Aead as _, KeyInit as _, Payload},
};
use getrandom::{
    SysRng,
    rand_core::{TryCryptoRng, TryRng},
};
use mrtr_core::{
    UnixTime,
    seal::{Cipher, CipherError, Context, Keyring, MessageKey, OpenCause, Purpose, RequestState},
    wire::RawJson,
};

pub(crate) const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

/// What the tests seal for.
pub(crate) static PURPOSE: LazyLock<Purpose> =
    LazyLock::new(|| purpose("example.com/gateway resume"));

pub(crate) static PARAMS: LazyLock<RawJson> = LazyLock::new(|| raw(r#"{"name":"deploy"}"#));

pub(crate) fn purpose(name: &'static str) -> Purpose {
    Purpose::new(name).unwrap()
}

pub(crate) fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

/// The context of a request that is from nobody in particular.
pub(crate) fn anonymous() -> Context<'static> {
    context("tools/call", "deployments")
}

pub(crate) fn context<'a>(method: &'a str, endpoint: &'a str) -> Context<'a> {
    Context::new(&PURPOSE, method, endpoint, &PARAMS).unwrap()
}

/// The context of a request of Alice.
pub(crate) fn alices() -> Context<'static> {
    anonymous().with_principal("alice")
}

pub(crate) fn ring() -> Keyring {
    Keyring::new([("k1", [1; 32])]).unwrap()
}

/// Returns states that encrypt, states that sign, and states of a custom cipher.
pub(crate) fn of_each_cipher() -> [RequestState; 3] {
    [RequestState::new(ring()), RequestState::signed(ring()), custom(0x80)]
}

pub(crate) fn custom(mode: u8) -> RequestState {
    RequestState::custom(ring(), Arc::new(AesGcm(mode))).unwrap()
}

pub(crate) fn seal(states: &RequestState, context: &Context<'_>) -> String {
    states.seal(&mut SysRng, NOW, context, 2, b"payload").unwrap()
}

/// Returns why a token does not open. Nothing else shows it.
pub(crate) fn cause(
    states: &RequestState,
    now: UnixTime,
    context: &Context<'_>,
    token: &str,
) -> OpenCause {
    let error = states.open(now, context, token).unwrap_err();
    assert_eq!(format!("{error} {error:?}"), "invalid requestState OpenError");
    error.cause()
}

/// AES-256-GCM with a nonce of zeros, under a mode of its own.
pub(crate) struct AesGcm(pub(crate) u8);

impl Cipher for AesGcm {
    fn mode(&self) -> u8 {
        self.0
    }

    fn seal(
        &self,
        key: &MessageKey,
        associated: &[u8],
        claims: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let payload = Payload { msg: claims, aad: associated };
        let cipher = Aes256Gcm::new(key.as_bytes().into());
        cipher.encrypt(&[0; 12].into(), payload).map_err(|_| CipherError)
    }

    fn open(
        &self,
        key: &MessageKey,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let payload = Payload { msg: sealed, aad: associated };
        let cipher = Aes256Gcm::new(key.as_bytes().into());
        cipher.decrypt(&[0; 12].into(), payload).map_err(|_| CipherError)
    }
}

/// A generator that gives one byte after another, so that a token comes out the same each time.
#[derive(Default)]
pub(crate) struct Counting {
    next: u8,
    /// How many bytes it was asked for, each time.
    pub(crate) asked: Vec<usize>,
}

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.asked.push(bytes.len());
        for byte in bytes {
            *byte = self.next;
            self.next = self.next.wrapping_add(1);
        }
        Ok(())
    }
}

impl TryCryptoRng for Counting {}
