//! Forms beside an independent validator of JSON Schema 2020-12: the crate `jsonschema`.
//!
//! What this crate accepts is valid there and the other way round, but for what
//! `docs/form-policy.md` lists: members that are no field, repeated selections and null are refused
//! here, and what a note marks as unenforced is enforced there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use arbitrary::{Arbitrary as _, Unstructured};
use form_model::{Content, Decoder, Draft, Form, Kind, Limits, NoteCode, Value, arbitrary_schema};
use jsonschema::Validator;
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

/// Values that fit some fields and not others.
const VALUES: [&str; 36] = [
    "null",
    "true",
    "false",
    "0",
    "-0.0",
    "1",
    "1.0",
    "1e2",
    "0.5",
    "-1",
    "3.9",
    "100",
    "9007199254740993",
    "9007199254740992",
    "18446744073709551616",
    "-1e300",
    "\"\"",
    "\"a\"",
    "\"b\"",
    "\"x\"",
    "\"é\"",
    "\"ab\"",
    "\"abc\"",
    "\"😀😀\"",
    "\"option 0\"",
    "\"option 1\"",
    "\"user@example.com\"",
    "\"https://example.com/\"",
    "\"2026-07-28\"",
    "\"2026-02-30\"",
    "\"2026-07-28T12:00:00Z\"",
    "[]",
    "[\"option 0\"]",
    "[\"option 0\",\"option 1\"]",
    "[\"a\",7]",
    "{\"a\":1}",
];

fn validator(schema: &str) -> Option<Validator> {
    let schema = serde_json::from_str(schema).ok()?;
    jsonschema::options().should_validate_formats(true).build(&schema).ok()
}

/// Makes content for the fields of a form, of values that may fit.
fn content(form: &Form, u: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let mut members = Vec::new();
    for field in form.fields() {
        if u.ratio(4, 5)? {
            let name = serde_json::to_string(field.name()).unwrap();
            members.push(format!("{name}:{}", u.choose(&VALUES)?));
        }
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn accepts(form: &Form, content: &str) -> bool {
    Content::decode(content, &Limits::default()).is_ok_and(|content| form.accept(content).is_ok())
}

fn assert_agreement(form: &Form, schema: &str, validator: &Validator, content: &str) {
    let value = serde_json::from_str(content).unwrap();
    let (ours, theirs) = (accepts(form, content), validator.is_valid(&value));
    // Null is never sent, whatever a schema allows.
    let has_null = content.contains("null");
    assert!(
        ours == theirs || (has_null && !ours),
        "{ours} here, {theirs} there:\n{content}\n{schema}"
    );
}

/// proves: PR-02
#[test]
fn random_forms_schemas_and_contents_are_often_enough_right_ones() {
    let mut runner = TestRunner::deterministic();
    let (mut forms, mut schemas, mut accepted, mut refused) = (0, 0, 0, 0);
    for _ in 0..500 {
        let data = bytes().new_tree(&mut runner).unwrap().current();
        let mut u = Unstructured::new(&data);
        if let Ok(schema) = arbitrary_schema(&mut u) {
            schemas += usize::from(Form::from_schema(&schema).is_ok());
        }
        let mut u = Unstructured::new(&data);
        let Ok(form) = Form::arbitrary(&mut u) else { continue };
        forms += 1;
        for _ in 0..8 {
            let Ok(content) = content(&form, &mut u) else { break };
            *(if accepts(&form, &content) { &mut accepted } else { &mut refused }) += 1;
        }
    }
    let seen = format!("{forms} forms, {schemas} schemas, {accepted} accepted, {refused} refused");
    assert!(forms > 400 && schemas > 25 && accepted > 250 && refused > 1000, "{seen}");
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 64..600)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// proves: FM-14
    #[test]
    fn an_independent_validator_agrees_on_forms_that_servers_build(data in bytes()) {
        let mut u = Unstructured::new(&data);
        let Ok(form) = Form::arbitrary(&mut u) else { return Ok(()) };
        let schema = form.to_schema();
        let validator = validator(&schema).unwrap();
        if let Ok(content) = form.arbitrary_content(&mut u) {
            let answer = form.accept(content).unwrap();
            assert_agreement(&form, &schema, &validator, &answer.to_json());
            prop_assert!(accepts(&form, &answer.to_json()));
        }
        for _ in 0..8 {
            let Ok(content) = content(&form, &mut u) else { break };
            assert_agreement(&form, &schema, &validator, &content);
        }
    }

    /// proves: FM-03, FM-14
    #[test]
    fn an_independent_validator_agrees_on_schemas_that_are_read_around(data in bytes()) {
        let mut u = Unstructured::new(&data);
        let Ok(schema) = arbitrary_schema(&mut u) else { return Ok(()) };
        let Ok(decoded) = Decoder::default().decode(&schema) else { return Ok(()) };
        let is_weaker = |code: NoteCode| code.as_str().starts_with("unenforced");
        // A keyword whose value is null is as if absent here, and no schema at all there.
        let Some(validator) = validator(&schema) else { return Ok(()) };
        if decoded.notes.iter().any(|note| is_weaker(note.code)) {
            return Ok(());
        }
        for _ in 0..8 {
            let Ok(content) = content(&decoded.form, &mut u) else { break };
            assert_agreement(&decoded.form, &schema, &validator, &content);
        }
    }

    /// proves: FM-13
    #[test]
    fn what_a_server_builds_decodes_strictly_to_an_equal_form(data in bytes()) {
        let mut u = Unstructured::new(&data);
        let Ok(form) = Form::arbitrary(&mut u) else { return Ok(()) };
        let decoded = Decoder::default().strict().decode(&form.to_schema()).unwrap();
        prop_assert!(decoded.form == form);
    }

    /// proves: FM-06
    #[test]
    fn an_answer_that_is_spoilt_in_one_field_is_refused_for_that_field(data in bytes()) {
        let mut u = Unstructured::new(&data);
        let Ok(form) = Form::arbitrary(&mut u) else { return Ok(()) };
        let Ok(content) = form.arbitrary_content(&mut u) else { return Ok(()) };
        for field in form.fields() {
            let wrong = match field.kind() {
                Kind::Flag(_) => Value::Text("true".into()),
                Kind::Text(_) | Kind::Number(_) | Kind::Integer(_) | Kind::Choice(_)
                | Kind::Choices(_) => Value::Flag(true),
            };
            let faults = form.accept(content.clone().with(field.name(), wrong)).unwrap_err();
            let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
            prop_assert_eq!(fields, [field.name()]);
        }
    }

    /// proves: FM-08, FM-09
    #[test]
    fn a_draft_submits_exactly_what_the_form_accepts(data in bytes()) {
        let mut u = Unstructured::new(&data);
        let Ok(form) = Form::arbitrary(&mut u) else { return Ok(()) };
        let Ok(json) = content(&form, &mut u) else { return Ok(()) };
        let values: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&json).unwrap();
        let mut draft = Draft::new(form.clone());
        let mut shown = Content::new();
        for field in form.fields() {
            match values.get(field.name()) {
                Some(serde_json::Value::String(text)) => {
                    draft.set(field.name(), Value::Text(text.clone())).unwrap();
                    shown = shown.with_text(field.name(), text);
                }
                Some(serde_json::Value::Bool(flag)) => {
                    draft.set(field.name(), Value::Flag(*flag)).unwrap();
                    shown = shown.with_flag(field.name(), *flag);
                }
                _ => draft.clear(field.name()).unwrap(),
            }
        }
        prop_assert_eq!(draft.submit(), form.accept(shown));
        prop_assert_eq!(draft.errors().count() > 0, draft.submit().is_err());
    }
}
