//! What the call of a world claims, and what the requirements make of it.

use std::collections::BTreeMap;

use mrtr_core::{
    client::Claims,
    wire::{META_CAPABILITIES, META_VERSION, Revision},
};
use serde_json::Value;

use super::script::PARAMS;
use crate::watch::members;

/// What a call claims.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimSet {
    pub(super) claims: fn() -> Claims,
    /// The capabilities that every leg declares. `None`: the call speaks an earlier revision, and the
    /// params go out as they are.
    declared: Option<&'static str>,
    /// Whether the server may ask to be called again.
    pub(super) allows_retries: bool,
    /// All that may be asked, by the names that a fault has for it.
    names: &'static [&'static str],
}

impl ClaimSet {
    /// Returns the revision that the call speaks.
    pub(super) fn revision(&self) -> Revision {
        if self.declared.is_some() { Revision::default() } else { Revision::V2025_11_25 }
    }

    pub(super) fn allows(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Asserts that the first leg carries what the call was given, and the claims beside it.
    pub(super) fn assert_first(&self, params: &BTreeMap<String, String>) {
        let mut given = members(PARAMS);
        let is_meta = |name: &str| name == "_meta" && self.declared.is_some();
        for (name, value) in params.iter().filter(|(name, _)| !is_meta(name)) {
            assert_eq!(given.remove(name).as_ref(), Some(value));
        }
        if let Some(declared) = self.declared {
            let mut meta = members(params.get("_meta").unwrap());
            let found = meta.remove(META_CAPABILITIES).unwrap();
            assert_eq!(value(&found), value(declared), "what is claimed is declared");
            assert_eq!(meta.remove(META_VERSION).as_deref(), Some(r#""2026-07-28""#));
            assert_eq!(meta, members(&given.remove("_meta").unwrap()));
        }
        assert_eq!(given, BTreeMap::new(), "all that was given goes out");
    }
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

const FORM: &str = "form elicitation";
const URL: &str = "URL elicitation";
const SAMPLING: &str = "sampling";
const TOOLS: &str = "sampling with tools";
const CONTEXT: &str = "sampling with context";
const ROOTS: &str = "roots";

/// The sets of claims. The first, where all is possible, is the one that a setup of zero has.
pub(super) const CLAIM_SETS: [ClaimSet; 13] = [
    ClaimSet {
        claims: || form().with_url().with_sampling_tools().with_sampling_context().with_roots(),
        declared: Some(
            r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#,
        ),
        allows_retries: true,
        names: &[FORM, URL, SAMPLING, TOOLS, CONTEXT, ROOTS],
    },
    ClaimSet {
        claims: form,
        declared: Some(r#"{"elicitation":{"form":{}}}"#),
        allows_retries: true,
        names: &[FORM],
    },
    ClaimSet {
        claims: || form().with_url(),
        declared: Some(r#"{"elicitation":{"form":{},"url":{}}}"#),
        allows_retries: true,
        names: &[FORM, URL],
    },
    ClaimSet {
        claims: || Claims::none().with_url(),
        declared: Some(r#"{"elicitation":{"url":{}}}"#),
        allows_retries: true,
        names: &[URL],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling(),
        declared: Some(r#"{"sampling":{}}"#),
        allows_retries: true,
        names: &[SAMPLING],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling_tools(),
        declared: Some(r#"{"sampling":{"tools":{}}}"#),
        allows_retries: true,
        names: &[SAMPLING, TOOLS],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling_context(),
        declared: Some(r#"{"sampling":{"context":{}}}"#),
        allows_retries: true,
        names: &[SAMPLING, CONTEXT],
    },
    ClaimSet {
        claims: || form().with_sampling_tools().with_sampling_context(),
        declared: Some(r#"{"elicitation":{"form":{}},"sampling":{"tools":{},"context":{}}}"#),
        allows_retries: true,
        names: &[FORM, SAMPLING, TOOLS, CONTEXT],
    },
    ClaimSet {
        claims: || Claims::none().with_roots(),
        declared: Some(r#"{"roots":{}}"#),
        allows_retries: true,
        names: &[ROOTS],
    },
    ClaimSet {
        claims: || Claims::none().with_roots().with_url(),
        declared: Some(r#"{"elicitation":{"url":{}},"roots":{}}"#),
        allows_retries: true,
        names: &[URL, ROOTS],
    },
    ClaimSet {
        claims: || Claims::none().with_retries(),
        declared: Some("{}"),
        allows_retries: true,
        names: &[],
    },
    ClaimSet { claims: Claims::none, declared: None, allows_retries: false, names: &[] },
    ClaimSet { claims: Claims::none, declared: Some("{}"), allows_retries: false, names: &[] },
];

fn form() -> Claims {
    Claims::none().with_form()
}
