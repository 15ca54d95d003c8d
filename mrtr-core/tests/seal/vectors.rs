//! The published vectors: `docs/request-state-vectors.json`.
//!
//! `docs/open-request-state.py` makes and opens them without this crate. Nothing here rewrites the file: a
//! test that rewrote it would agree with whatever the crate does.

use std::{fs, sync::Arc};

use mrtr_core::{
    seal::{Context, Keyring, Purpose, RequestState},
    wire::RawJson,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{
    exchange::sealed_by_an_exchange,
    play::{AesGcm, Counting, NOW, purpose, raw, ring},
};

/// The params of every vector, in one spelling of many.
const PARAMS: &str =
    r#"{"name":"größe","arguments":{"b":1.0,"a":[1e2,"\ud800",9007199254740993]},"_meta":{}}"#;

/// The canonical form of [`PARAMS`].
const CANONICAL: &str =
    r#"{"arguments":{"a":[100,"\ud800",9007199254740993],"b":1},"name":"größe"}"#;

/// What differs from vector to vector.
struct Case {
    mode: &'static str,
    states: RequestState,
    key_id: &'static str,
    purpose: &'static str,
    protocol_version: &'static str,
    principal: Option<&'static str>,
    round: u32,
    payload: &'static str,
}

impl Case {
    /// The case of Alice's first round, encrypted.
    fn new() -> Self {
        Self {
            mode: "encrypted",
            states: RequestState::new(ring()),
            key_id: "k1",
            purpose: "example.com/gateway resume",
            protocol_version: "2026-07-28",
            principal: Some("alice"),
            round: 1,
            payload: r#"{"step":1}"#,
        }
    }

    fn token(&self) -> String {
        let (purpose, params) = (purpose(self.purpose), raw(PARAMS));
        let context = self.context(&purpose, &params);
        let payload = self.payload.as_bytes();
        let rng = &mut Counting::default();
        let token = self.states.seal(rng, NOW, &context, self.round, payload).unwrap();
        assert_eq!(self.states.open(NOW, &context, &token).unwrap().payload, payload);
        token
    }

    fn context<'a>(&self, purpose: &'a Purpose, params: &RawJson) -> Context<'a> {
        Context::new(purpose, "tools/call", "deployments", params)
            .unwrap()
            .with_principal(self.principal)
            .with_protocol_version(self.protocol_version)
    }

    fn vector(&self, token: String) -> Vector {
        let lifetime = if self.principal.is_some() { 300 } else { 60 };
        let digest = Sha256::digest([b"tools/call\0", CANONICAL.as_bytes()].concat());
        Vector {
            mode: self.mode,
            key_id: self.key_id,
            key: hex(&[1; 32]),
            purpose: self.purpose,
            protocol_version: self.protocol_version,
            method: "tools/call",
            endpoint: "deployments",
            params: PARAMS,
            digest: hex(&digest),
            issued: NOW.as_secs(),
            expires: NOW.as_secs() + lifetime,
            round: self.round,
            id: hex(&(0..16).collect::<Vec<u8>>()),
            salt: hex(&(16..40).collect::<Vec<u8>>()),
            principal: self.principal,
            payload: self.payload,
            token,
        }
    }
}

/// A token, and all that is in it or around it.
#[derive(Serialize)]
struct Vector {
    mode: &'static str,
    key_id: &'static str,
    key: String,
    purpose: &'static str,
    protocol_version: &'static str,
    method: &'static str,
    endpoint: &'static str,
    params: &'static str,
    digest: String,
    issued: u64,
    expires: u64,
    round: u32,
    id: String,
    salt: String,
    principal: Option<&'static str>,
    payload: &'static str,
    token: String,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The vectors of [`RequestState::seal`]. The last is of a custom cipher.
fn sealed() -> Vec<Vector> {
    let signed = || Case { mode: "signed", states: RequestState::signed(ring()), ..Case::new() };
    let other_ring = Keyring::new([("größe 2026", [1; 32])]).unwrap();
    let custom = RequestState::custom(ring(), Arc::new(AesGcm(0x80))).unwrap();
    let cases = [
        Case::new(),
        Case { principal: None, round: 2, ..Case::new() },
        signed(),
        Case { principal: None, round: 7, payload: "", ..signed() },
        Case {
            states: RequestState::new(other_ring),
            key_id: "größe 2026",
            purpose: "another purpose",
            protocol_version: "2027-01-01",
            principal: Some(""),
            ..Case::new()
        },
        Case { mode: "custom 0x80: AES-256-GCM, nonce of zeros", states: custom, ..Case::new() },
    ];
    cases.iter().map(|case| case.vector(case.token())).collect()
}

/// The vector of a state that an exchange sealed. Nobody else can seal for its purpose.
fn of_an_exchange() -> Vector {
    let case = Case {
        purpose: "mrtr-core exchange",
        payload: r#"{"singleUse":false,"asked":{"sure":"url"},"state":{"step":2}}"#,
        ..Case::new()
    };
    let params = PARAMS.replace(r#","_meta":{}"#, "");
    case.vector(sealed_by_an_exchange(&params))
}

/// proves: ST-07, ST-10, ST-12
#[test]
fn tokens_are_made_of_what_the_caller_gives_and_are_those_of_the_published_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/request-state-vectors.json");
    let mut vectors = vec![of_an_exchange()];
    vectors.extend(sealed());
    let text = serde_json::to_string_pretty(&vectors).unwrap() + "\n";
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}
