//! The specification's own examples decode, and what they decode to is written back as they are.
//!
//! `tests/spec` holds the example files of the 2026-07-28 revision that are fields or forms.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{Decoder, Form, Limits};
use serde_json::{Value, json};

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

fn examples() -> Vec<Value> {
    let field = |text: &&str| {
        let field: Value = serde_json::from_str(text).unwrap();
        json!({"type": "object", "properties": {"field": field}})
    };
    let form =
        |text: &&str| serde_json::from_str::<Value>(text).unwrap()["requestedSchema"].clone();
    FIELDS.iter().map(field).chain(REQUESTS.iter().map(form)).collect()
}

/// proves: FM-01, W-12
#[test]
fn the_specifications_examples_decode_strictly_and_round_trip() {
    let decoder = Decoder::new(Limits::default()).strict();
    for schema in examples() {
        let form = decoder.decode_value(&schema).unwrap().form;
        let written: Value = serde_json::from_str(&form.to_schema()).unwrap();
        assert_eq!(written, schema);
        assert_eq!(Form::from_canonical(&form.to_canonical(), &Limits::default()), Ok(form));
    }
}

/// proves: FM-01
#[test]
fn the_legacy_spelling_of_titles_decodes_to_what_the_present_one_does() {
    let form = |field: Value| {
        let schema = json!({"type": "object", "properties": {"pet": field}});
        Decoder::new(Limits::default()).strict().decode_value(&schema).unwrap().form
    };
    let legacy = json!({"type": "string", "enum": ["cat", "dog"], "enumNames": ["Cats", "Dogs"]});
    let present = json!({"type": "string", "oneOf": [
        {"const": "cat", "title": "Cats"}, {"const": "dog", "title": "Dogs"}]});
    assert_eq!(form(legacy), form(present));
}
