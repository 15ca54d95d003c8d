//! The specification's own examples decode, and are written back equal.
//!
//! `tests/spec` has the example files of revision 2026-07-28 that are fields or forms.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{Decoder, Form, Limits};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

const FIELDS: &[&str] = &[
    include_str!("spec/boolean-input-schema.json"),
    include_str!("spec/color-multi-select-schema.json"),
    include_str!("spec/color-select-schema.json"),
    include_str!("spec/email-input-schema.json"),
    include_str!("spec/number-input-schema.json"),
    include_str!("spec/titled-color-multi-select-schema.json"),
    include_str!("spec/titled-color-select-schema.json"),
];

const REQUESTS: &[&str] = &[
    include_str!("spec/elicit-multiple-fields.json"),
    include_str!("spec/elicit-single-field.json"),
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    #[serde(borrow)]
    requested_schema: &'a RawValue,
}

fn examples() -> Vec<String> {
    let field = |text: &&str| format!(r#"{{"type": "object", "properties": {{"field": {text}}}}}"#);
    let form = |text: &&'static str| {
        serde_json::from_str::<Request<'_>>(text).unwrap().requested_schema.get().to_owned()
    };
    FIELDS.iter().map(field).chain(REQUESTS.iter().map(form)).collect()
}

/// proves: FM-01, W-12
#[test]
fn the_specifications_examples_decode_strictly_and_round_trip() {
    let decoder = Decoder::new(Limits::default()).strict();
    for schema in examples() {
        let form = decoder.decode(&schema).unwrap().form;
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(&form.to_schema()), value(&schema));
        assert_eq!(Form::from_canonical(&form.to_canonical(), &Limits::default()), Ok(form));
    }
}

/// proves: FM-01
#[test]
fn the_legacy_notation_of_titles_decodes_to_the_same_form() {
    let form = |field: Value| {
        let schema = json!({"type": "object", "properties": {"pet": field}});
        Decoder::new(Limits::default()).strict().decode_value(&schema).unwrap().form
    };
    let legacy = json!({"type": "string", "enum": ["cat", "dog"], "enumNames": ["Cats", "Dogs"]});
    let present = json!({"type": "string", "oneOf": [
        {"const": "cat", "title": "Cats"}, {"const": "dog", "title": "Dogs"}]});
    assert_eq!(form(legacy), form(present));
}
