//! Faults that were planted by hand, and that nothing else noticed, but for those of one role.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use std::{fs, path::Path};

use mrtr_core::wire::{Capabilities, Json};

/// proves: W-09, SV-03
#[test]
fn an_elicitation_that_declares_neither_mode_declares_forms() {
    let none = Capabilities::NONE;
    for (declared, expected) in [
        (r#"{"elicitation":{}}"#, none.with_form()),
        (r#"{"elicitation":{"x":{}}}"#, none.with_form()),
        (r#"{"elicitation":{"x":{},"y":1}}"#, none.with_form()),
        (r#"{"elicitation":{"Form":{}}}"#, none.with_form()),
        (r#"{"elicitation":{"URL":{}}}"#, none.with_form()),
        (r#"{"elicitation":{"x":{},"url":{}}}"#, none.with_url()),
        (r#"{"elicitation":{"x":{},"form":{}}}"#, none.with_form()),
        (r#"{"elicitation":{"form":{},"x":{},"url":{}}}"#, none.with_form().with_url()),
        (r#"{"x":{"form":{}}}"#, none),
        (r#"{"sampling":{"x":{}}}"#, none.with_sampling()),
        (r#"{"sampling":{"Tools":{}}}"#, none.with_sampling()),
    ] {
        let found = Capabilities::decode(Json::parse(declared).unwrap());
        assert_eq!(found, Ok(expected), "{declared}");
    }
}

/// A comparison whose time tells how much is right cannot be noticed from outside, so this reads the
/// source: what is secret is compared by `ct_eq`, or by the verification of the cipher.
///
/// proves: ST-02
#[test]
fn secrets_are_compared_in_constant_time() {
    let source = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/seal").join(name);
        let text = fs::read_to_string(path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.collect::<Vec<_>>().join("\n").split("#[cfg(test)]").next().unwrap().to_owned()
    };
    let body = |text: &str, signature: &str| {
        let from = text.find(signature).unwrap_or_else(|| panic!("there is no {signature}"));
        let rest = &text[from..];
        rest[..rest.find("\n    }\n").unwrap()].to_owned()
    };
    let claims = source("claims.rs");
    let check = body(&claims, "fn check(");
    for secret in ["principal", "digest"] {
        let lines: Vec<_> = check.lines().filter(|line| line.contains(secret)).collect();
        assert!(lines.iter().all(|line| !line.contains("==") && !line.contains("!=")), "{lines:?}");
    }
    assert_eq!(check.matches("ct_eq").count(), 2, "the principal and the digest: {check}");
    let cipher = source("cipher.rs");
    assert_eq!(cipher.matches("verify_slice(signature)").count(), 1, "a signature is verified");
    let compared = ["signature ==", "== signature", "signature !=", "!= signature"];
    assert!(compared.into_iter().all(|compared| !cipher.contains(compared)));
    let keyring = source("keyring.rs");
    for signature in ["fn check(", "fn has_secret_of("] {
        let body = body(&keyring, signature);
        let lines: Vec<_> = body.lines().filter(|line| line.contains("secret")).collect();
        assert!(lines.iter().all(|line| !line.contains("==")), "{lines:?}");
        assert!(body.contains("ct_eq") || body.contains("has_secret_of"), "{body}");
    }
    // No file compares what it should not have at hand.
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/seal")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            let name = entry.file_name().into_string().unwrap();
            let text = source(&name);
            let wrong = ["sealed ==", "signature ==", "payload ==", "secret ==", ".key =="];
            assert!(wrong.into_iter().all(|wrong| !text.contains(wrong)), "{name}");
        }
    }
}
