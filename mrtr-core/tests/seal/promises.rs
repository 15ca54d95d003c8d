//! What types promise of themselves.

use core::panic::{RefUnwindSafe, UnwindSafe};

use mrtr_core::seal::{
    Cipher, CipherError, Context, GeneratorError, InvalidLifetime, InvalidMode, Keyring,
    KeyringError, MessageKey, OpenCause, OpenError, Opened, Purpose, PurposeError, RequestState,
    SealError, TokenId,
};

use crate::play::{Counting, NOW, PARAMS, PURPOSE, alices, of_each_cipher, seal};

const fn crosses_threads<T: Send + Sync + 'static + ?Sized>() {}

/// It builds only while each type is as it promises.
#[test]
fn every_type_can_cross_threads_and_be_kept() {
    crosses_threads::<dyn Cipher>();
    crosses_threads::<CipherError>();
    crosses_threads::<Context<'static>>();
    crosses_threads::<GeneratorError>();
    crosses_threads::<InvalidLifetime>();
    crosses_threads::<InvalidMode>();
    crosses_threads::<Keyring>();
    crosses_threads::<KeyringError>();
    crosses_threads::<MessageKey>();
    crosses_threads::<OpenCause>();
    crosses_threads::<OpenError>();
    crosses_threads::<Opened>();
    crosses_threads::<Purpose>();
    crosses_threads::<PurposeError>();
    crosses_threads::<RequestState>();
    crosses_threads::<SealError>();
    crosses_threads::<TokenId>();
}

/// A server that catches a panic of a handler can go on with its keys.
#[test]
fn states_can_be_used_after_a_panic() {
    const fn survives<T: UnwindSafe + RefUnwindSafe>() {}
    survives::<RequestState>();
}

/// proves: ST-06
#[test]
fn nothing_that_is_shown_holds_a_principal_a_payload_params_or_a_key() {
    for states in of_each_cipher() {
        let context = Context::new(&PURPOSE, "tools/call", "deployments", &PARAMS).unwrap();
        let context = context.with_principal("alice");
        let opened = states.open(NOW, &alices(), &seal(&states, &alices())).unwrap();
        assert_eq!(format!("{opened:?}"), "Opened(round 2, 7 bytes)");
        let shown = format!("{states:?} {context:?} {opened:?}");
        for secret in ["alice", "payload", "name", "[1", "1, 1"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
}

#[test]
fn a_token_id_is_written_as_32_hexadecimal_digits() {
    let [states, ..] = of_each_cipher();
    let mut rng = Counting::default();
    let token = states.seal(&mut rng, NOW, &alices(), 1, b"").unwrap();
    let id: TokenId = states.open(NOW, &alices(), &token).unwrap().id;
    assert_eq!(format!("{id} {id:?}"), ["000102030405060708090a0b0c0d0e0f"; 2].join(" "));
}
