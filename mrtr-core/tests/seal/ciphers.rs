//! Ciphers of an embedder.

use core::error::Error as _;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use getrandom::SysRng;
use mrtr_core::seal::{
    Cipher, CipherError, InvalidMode, MessageKey, OpenCause, RequestState, SealError,
    TOKEN_BYTES_MAX,
};

use crate::play::{AesGcm, Counting, NOW, alices, cause, custom, ring, seal};

/// A cipher that hides nothing and keeps the keys that it is given.
struct Recording {
    mode: u8,
    keys: Mutex<Vec<[u8; 32]>>,
}

impl Recording {
    fn new(mode: u8) -> Arc<Self> {
        Arc::new(Self { mode, keys: Mutex::default() })
    }

    fn keep(&self, key: &MessageKey) {
        self.keys.lock().unwrap().push(*key.as_bytes());
    }
}

impl Cipher for Recording {
    fn mode(&self) -> u8 {
        self.mode
    }

    fn seal(&self, key: &MessageKey, _: &[u8], claims: &[u8]) -> Result<Vec<u8>, CipherError> {
        self.keep(key);
        Ok(claims.into())
    }

    fn open(&self, key: &MessageKey, _: &[u8], sealed: &[u8]) -> Result<Vec<u8>, CipherError> {
        self.keep(key);
        Ok(sealed.into())
    }
}

/// proves: ST-12
#[test]
fn a_cipher_has_a_mode_of_its_own() {
    for mode in [0, 1, 2, 3, 0x7f] {
        let error = RequestState::custom(ring(), Arc::new(AesGcm(mode))).unwrap_err();
        let found = format!("{mode:#04x}");
        assert_eq!(
            error.to_string(),
            format!("expected the mode of a cipher to be 0x80 to 0xff, found {found}")
        );
        assert!(matches!(error, InvalidMode { mode: found, .. } if found == mode));
    }
    for mode in [0x80, 0xff] {
        let states = custom(mode);
        let token = seal(&states, &alices());
        assert!(states.open(NOW, &alices(), &token).is_ok());
        assert_eq!(cause(&custom(0x81), NOW, &alices(), &token), OpenCause::OtherMode);
    }
}

/// proves: ST-07, ST-12
#[test]
fn each_message_has_a_key_of_its_own_and_none_has_the_rings() {
    let cipher = Recording::new(0x80);
    let states = RequestState::custom(ring(), cipher.clone()).unwrap();
    for _ in 0..100 {
        seal(&states, &alices());
    }
    let keys: BTreeSet<[u8; 32]> = cipher.keys.lock().unwrap().iter().copied().collect();
    assert_eq!(keys.len(), 100);
    assert!(!keys.contains(&[1; 32]));
}

/// proves: ST-07, ST-12
#[test]
fn two_ciphers_get_two_keys_for_one_salt_and_one_opens_with_the_key_that_it_sealed_with() {
    let sealed_by = |mode| {
        let cipher = Recording::new(mode);
        let states = RequestState::custom(ring(), cipher.clone()).unwrap();
        let token = states.seal(&mut Counting::default(), NOW, &alices(), 1, b"").unwrap();
        assert!(states.open(NOW, &alices(), &token).is_ok());
        let keys = cipher.keys.lock().unwrap();
        assert_eq!((keys.len(), keys[0]), (2, keys[1]));
        keys[0]
    };
    assert_eq!(sealed_by(0x80), sealed_by(0x80));
    assert_ne!(sealed_by(0x80), sealed_by(0x81));
}

/// A cipher whose every answer is one result.
struct Fixed(Result<Vec<u8>, CipherError>);

impl Cipher for Fixed {
    fn mode(&self) -> u8 {
        0x80
    }

    fn seal(&self, _: &MessageKey, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CipherError> {
        self.0.clone()
    }

    fn open(&self, _: &MessageKey, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CipherError> {
        self.0.clone()
    }
}

/// proves: ST-06, ST-12
#[test]
fn a_cipher_that_fails_is_reported_to_the_server_and_not_to_the_client() {
    let failing = RequestState::custom(ring(), Arc::new(Fixed(Err(CipherError)))).unwrap();
    let error = failing.seal(&mut SysRng, NOW, &alices(), 1, b"").unwrap_err();
    assert_eq!(error, SealError::Cipher(CipherError));
    assert_eq!(error.to_string(), "the claims were not sealed");
    assert_eq!(error.source().unwrap().to_string(), "the cipher failed");
    let token = seal(&custom(0x80), &alices());
    assert_eq!(cause(&failing, NOW, &alices(), &token), OpenCause::NotAuthentic);
}

/// proves: ST-05, ST-06, ST-12
#[test]
fn what_a_cipher_makes_is_bounded_and_what_it_opens_is_read_with_care() {
    let of = |bytes: Vec<u8>| RequestState::custom(ring(), Arc::new(Fixed(Ok(bytes)))).unwrap();
    let long = of(vec![0; TOKEN_BYTES_MAX]);
    let sealed = long.seal(&mut SysRng, NOW, &alices(), 1, b"");
    assert_eq!(sealed, Err(SealError::TooLarge));
    let token = seal(&custom(0x80), &alices());
    for claims in [vec![], vec![0; 68], vec![2; 69], [vec![0; 68], vec![1, 0, 1]].concat()] {
        assert_eq!(cause(&of(claims), NOW, &alices(), &token), OpenCause::Malformed);
    }
}

#[test]
fn states_are_equal_if_their_keys_modes_and_lifetimes_are() {
    assert_eq!(custom(0x80), custom(0x80));
    assert_ne!(custom(0x80), custom(0x81));
    assert_ne!(custom(0x80), RequestState::new(ring()));
    assert_ne!(RequestState::new(ring()), RequestState::signed(ring()));
    assert_eq!(
        format!("{:?}", custom(0x80)),
        r#"RequestState { keyring: Keyring(["k1"]), mode: Custom(0x80), lifetime: 300s, anonymous_lifetime: 60s }"#
    );
}
