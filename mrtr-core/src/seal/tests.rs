//! The purpose that only this crate can seal for.

use getrandom::SysRng;

use super::*;
use crate::{UnixTime, wire::RawJson};

/// proves: ST-12
#[test]
fn no_token_of_an_embedder_opens_as_one_of_an_exchange_and_none_of_an_exchange_as_an_embedders() {
    let now = UnixTime::from_secs(1_800_000_000);
    let params = RawJson::parse("{}").unwrap();
    let embedders = Purpose::new("example.com/gateway resume").unwrap();
    let [ours, theirs] = [&Purpose::EXCHANGE, &embedders].map(|purpose| {
        Context::new(purpose, "tools/call", "deployments", &params).unwrap().with_principal("alice")
    });
    let ring = || Keyring::new([("k1", [1; 32])]).unwrap();
    for states in [RequestState::new(ring()), RequestState::signed(ring())] {
        for (sealed_for, opened_for) in [(&ours, &theirs), (&theirs, &ours)] {
            let token = states.seal(&mut SysRng, now, sealed_for, 1, b"").unwrap();
            let cause = states.open(now, opened_for, &token).unwrap_err().cause();
            assert_eq!(cause, OpenCause::NotAuthentic);
            assert!(states.open(now, sealed_for, &token).is_ok());
        }
    }
}
