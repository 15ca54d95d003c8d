//! What a token opens for.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use mrtr_core::{
    seal::{Context, OpenCause, RequestState},
    wire::WireError,
};

use crate::play::{
    NOW, PARAMS, PURPOSE, alices, anonymous, cause, context, of_each_cipher, purpose, raw, ring,
    seal,
};

/// proves: ST-01, ST-12
#[test]
fn what_was_sealed_opens_and_two_seals_of_it_differ() {
    for states in of_each_cipher() {
        let token = seal(&states, &alices());
        let opened = states.open(NOW, &alices(), &token).unwrap();
        assert_eq!((opened.round, opened.payload.as_slice()), (2, b"payload".as_slice()));
        let again = seal(&states, &alices());
        assert_ne!(token, again);
        assert_ne!(opened.id, states.open(NOW, &alices(), &again).unwrap().id);
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
    }
}

/// proves: ST-03, ST-12
#[test]
fn a_state_opens_for_nothing_but_what_it_is_bound_to() {
    let other_purpose = purpose("example.com/gateway resumes");
    let other_params = raw(r#"{"name":"destroy"}"#);
    for states in of_each_cipher() {
        let token = seal(&states, &alices());
        let of = |purpose, params| {
            let context = Context::new(purpose, "tools/call", "deployments", params).unwrap();
            context.with_principal("alice")
        };
        for (context, expected) in [
            (alices().with_protocol_version("2027-01-01"), OpenCause::NotAuthentic),
            (
                context("prompts/get", "deployments").with_principal("alice"),
                OpenCause::NotAuthentic,
            ),
            (context("tools/call", "billing").with_principal("alice"), OpenCause::NotAuthentic),
            (of(&other_purpose, &PARAMS), OpenCause::NotAuthentic),
            (alices().with_principal("bob"), OpenCause::OtherPrincipal),
            (alices().with_principal(""), OpenCause::OtherPrincipal),
            (anonymous(), OpenCause::OtherPrincipal),
            (of(&PURPOSE, &other_params), OpenCause::OtherParams),
        ] {
            assert_eq!(cause(&states, NOW, &context, &token), expected, "{context:?}");
        }
        let anonymous = seal(&states, &anonymous());
        assert_eq!(cause(&states, NOW, &alices(), &anonymous), OpenCause::OtherPrincipal);
        assert!(states.open(NOW, &of(&PURPOSE, &PARAMS), &token).is_ok());
    }
}

/// proves: ST-03
#[test]
fn no_part_of_a_context_passes_for_the_end_of_the_one_before_it() {
    for states in of_each_cipher() {
        let token = seal(&states, &context("tools/call", "deployments"));
        for (method, endpoint) in [("tools/calld", "eployments"), ("tools/cal", "ldeployments")] {
            let moved = context(method, endpoint);
            assert_eq!(cause(&states, NOW, &moved, &token), OpenCause::NotAuthentic);
        }
    }
}

/// proves: ST-03
#[test]
fn params_match_by_what_they_mean_and_without_the_fields_of_a_retry() {
    let sealed = raw(r#"{"name":"deploy","arguments":{"n":1}}"#);
    let retried = raw(
        r#"{"arguments":{"n":1.0},"requestState":"x","inputResponses":{},"name":"deploy","_meta":{}}"#,
    );
    let of = |params| Context::new(&PURPOSE, "tools/call", "deployments", params).unwrap();
    for states in of_each_cipher() {
        assert!(states.open(NOW, &of(&retried), &seal(&states, &of(&sealed))).is_ok());
    }
}

/// proves: ST-03, ST-12
#[test]
fn params_that_are_no_object_or_name_a_member_twice_make_no_context() {
    for (params, expected) in [
        ("[]", WireError::shape("params", "an object")),
        ("null", WireError::shape("params", "an object")),
        (r#"{"a":1,"a":1}"#, WireError::duplicate("params")),
        (r#"{"a":[{"b":1,"\u0062":2}]}"#, WireError::duplicate("params")),
    ] {
        let error = Context::new(&PURPOSE, "tools/call", "deployments", &raw(params)).unwrap_err();
        assert_eq!(error, expected, "{params}");
    }
}

/// proves: ST-03
#[test]
fn a_signed_state_can_be_read_and_an_encrypted_one_cannot() {
    let bytes = |states| Base64UrlUnpadded::decode_vec(&seal(states, &alices())).unwrap();
    let shows = |states| {
        let bytes = bytes(states);
        [&b"payload"[..], b"alice"].map(|part| bytes.windows(part.len()).any(|w| w == part))
    };
    let [encrypted, signed, custom] = of_each_cipher();
    assert_eq!([&encrypted, &signed, &custom].map(shows), [[false; 2], [true; 2], [false; 2]]);
}

/// proves: ST-03, ST-12
#[test]
fn a_state_opens_by_the_cipher_that_sealed_it_alone() {
    let all = of_each_cipher();
    for (index, sealing) in all.iter().enumerate() {
        let token = seal(sealing, &alices());
        for (other, opening) in all.iter().enumerate() {
            if index == other {
                assert!(opening.open(NOW, &alices(), &token).is_ok());
            } else {
                assert_eq!(cause(opening, NOW, &alices(), &token), OpenCause::OtherMode);
            }
        }
    }
}

/// proves: ST-03, ST-07
#[test]
fn a_token_whose_mode_is_rewritten_does_not_open() {
    let token = seal(&RequestState::signed(ring()), &alices());
    let mut bytes = Base64UrlUnpadded::decode_vec(&token).unwrap();
    assert_eq!(bytes[..2], [2, 2], "version 2, signed");
    bytes[1] = 1;
    let rewritten = Base64UrlUnpadded::encode_string(&bytes);
    let encrypted = RequestState::new(ring());
    assert_eq!(cause(&encrypted, NOW, &alices(), &rewritten), OpenCause::NotAuthentic);
}
