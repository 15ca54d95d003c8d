//! Rings of keys.

use mrtr_core::seal::{Keyring, KeyringError, OpenCause, RequestState};

use crate::play::{NOW, alices, cause, seal};

/// proves: ST-02
#[test]
fn a_rotated_ring_seals_with_the_first_key_and_opens_with_the_one_named() {
    let ring = |keys: &[(&str, u8)]| {
        RequestState::new(Keyring::new(keys.iter().map(|(id, byte)| (*id, [*byte; 32]))).unwrap())
    };
    let old = ring(&[("k1", 1)]);
    let rotated = ring(&[("k2", 2), ("k1", 1)]);
    let token = seal(&old, &alices());
    assert!(rotated.open(NOW, &alices(), &token).is_ok());
    let by_new = seal(&rotated, &alices());
    assert_eq!(cause(&old, NOW, &alices(), &by_new), OpenCause::UnknownKey);
    // The same id over another key is not the same key.
    assert_eq!(cause(&ring(&[("k1", 9)]), NOW, &alices(), &token), OpenCause::NotAuthentic);
}

/// proves: ST-02, ST-12
#[test]
fn malformed_and_repeated_ids_are_refused() {
    let secret = [0x5a; 32];
    assert_eq!(Keyring::new(Vec::<(String, _)>::new()), Err(KeyringError::Empty));
    for id in ["", ".", "a.b", "a\nb", "\0", "\u{7f}", "\u{85}", &"k".repeat(65), &"ü".repeat(33)]
    {
        let error = Keyring::new([("ok", [1; 32]), (id, secret)]).unwrap_err();
        assert_eq!(error, KeyringError::MalformedId { position: 1 }, "{id:?}");
    }
    let error = Keyring::new([("a", secret), ("a", [1; 32])]).unwrap_err();
    assert_eq!(error, KeyringError::DuplicateId { id: "a".into() });
}

/// proves: ST-02, ST-12
#[test]
fn a_key_id_is_1_to_64_bytes_of_any_text_without_a_dot_or_control_characters() {
    for id in ["k", "a b", "größe-2026", "key:1/2@eu", &"k".repeat(64), &"ü".repeat(32)] {
        let states = RequestState::new(Keyring::new([(id, [1; 32])]).unwrap());
        let token = seal(&states, &alices());
        assert!(states.open(NOW, &alices(), &token).is_ok(), "{id}");
    }
}

/// proves: ST-12
#[test]
fn a_key_of_zeros_is_refused() {
    let error = Keyring::new([("a", [1; 32]), ("b", [0; 32])]).unwrap_err();
    assert_eq!(error, KeyringError::ZeroKey { id: "b".into() });
    let mut almost = [0; 32];
    almost[31] = 1;
    assert!(Keyring::new([("a", almost)]).is_ok());
}

/// proves: ST-12
#[test]
fn one_secret_under_two_ids_is_refused() {
    let keys = [("a", [1; 32]), ("b", [2; 32]), ("c", [1; 32])];
    let error = Keyring::new(keys).unwrap_err();
    let expected = KeyringError::DuplicateKey { first: "a".into(), second: "c".into() };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "expected distinct keys, found the same one under a and c");
}

/// proves: ST-02, ST-12
#[test]
fn neither_a_ring_nor_why_there_is_none_holds_a_key() {
    let secret = [0x5a; 32];
    let ring = |keys: &[(&str, [u8; 32])]| Keyring::new(keys.iter().copied());
    for ring in [
        ring(&[("a", secret)]),
        ring(&[("", secret)]),
        ring(&[("a", secret), ("a", secret)]),
        ring(&[("a", secret), ("b", secret)]),
        ring(&[("a", secret), ("b", [0; 32])]),
    ] {
        let text = match &ring {
            Ok(ring) => format!("{ring:?}"),
            Err(error) => format!("{error:?} {error}"),
        };
        assert!(!text.contains("90") && !text.contains("5a"), "{text}");
    }
}

#[test]
fn rings_are_equal_if_their_ids_and_keys_are() {
    let ring = |id: &str, byte| Keyring::new([(id, [byte; 32])]).unwrap();
    assert_eq!(ring("a", 1), ring("a", 1));
    assert_ne!(ring("a", 1), ring("a", 2));
    assert_ne!(ring("a", 1), ring("b", 1));
    let more = Keyring::new([("a", [1; 32]), ("b", [2; 32])]).unwrap();
    assert_ne!(ring("a", 1), more);
    assert_ne!(more, ring("a", 1));
}
