//! What the call of a world claims, and what the requirements make of it.

use std::collections::BTreeMap;

use mrtr_core::{
    AnswersForms, AnswersRoots, AnswersSampling, AnswersUrls, Claims,
    wire::{META_CAPABILITIES, META_VERSION},
};
use serde_json::Value;

use super::script::{PARAMS, members};

/// Is what a call claims.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimSet {
    pub(super) claims: fn() -> Claims,
    /// The capabilities that every leg declares. `None`: the params go out as they are.
    declared: Option<&'static str>,
    /// All that may be asked, by the names that a fault has for it.
    names: &'static [&'static str],
}

impl ClaimSet {
    /// Tells whether the server may ask to be called again.
    pub(super) const fn allows_retries(&self) -> bool {
        self.declared.is_some()
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
pub(super) const CLAIM_SETS: [ClaimSet; 12] = [
    ClaimSet {
        claims: || form().with_url(&Person).with_sampling(&Model::<true, true>).with_roots(&Folder),
        declared: Some(
            r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#,
        ),
        names: &[FORM, URL, SAMPLING, TOOLS, CONTEXT, ROOTS],
    },
    ClaimSet { claims: form, declared: Some(r#"{"elicitation":{"form":{}}}"#), names: &[FORM] },
    ClaimSet {
        claims: || form().with_url(&Person),
        declared: Some(r#"{"elicitation":{"form":{},"url":{}}}"#),
        names: &[FORM, URL],
    },
    ClaimSet {
        claims: || Claims::none().with_url(&Person),
        declared: Some(r#"{"elicitation":{"url":{}}}"#),
        names: &[URL],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling(&Model::<false, false>),
        declared: Some(r#"{"sampling":{}}"#),
        names: &[SAMPLING],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling(&Model::<true, false>),
        declared: Some(r#"{"sampling":{"tools":{}}}"#),
        names: &[SAMPLING, TOOLS],
    },
    ClaimSet {
        claims: || Claims::none().with_sampling(&Model::<false, true>),
        declared: Some(r#"{"sampling":{"context":{}}}"#),
        names: &[SAMPLING, CONTEXT],
    },
    ClaimSet {
        claims: || form().with_sampling(&Model::<true, true>),
        declared: Some(r#"{"elicitation":{"form":{}},"sampling":{"tools":{},"context":{}}}"#),
        names: &[FORM, SAMPLING, TOOLS, CONTEXT],
    },
    ClaimSet {
        claims: || Claims::none().with_roots(&Folder),
        declared: Some(r#"{"roots":{}}"#),
        names: &[ROOTS],
    },
    ClaimSet {
        claims: || Claims::none().with_roots(&Folder).with_url(&Person),
        declared: Some(r#"{"elicitation":{"url":{}},"roots":{}}"#),
        names: &[URL, ROOTS],
    },
    ClaimSet { claims: || Claims::none().with_retries(), declared: Some("{}"), names: &[] },
    ClaimSet { claims: Claims::none, declared: None, names: &[] },
];

fn form() -> Claims {
    Claims::none().with_form(&Person)
}

struct Person;
impl AnswersForms for Person {}
impl AnswersUrls for Person {}

struct Model<const TOOLS: bool, const CONTEXT: bool>;
impl<const TOOLS: bool, const CONTEXT: bool> AnswersSampling for Model<TOOLS, CONTEXT> {
    const TOOLS: bool = TOOLS;
    const CONTEXT: bool = CONTEXT;
}

struct Folder;
impl AnswersRoots for Folder {}
