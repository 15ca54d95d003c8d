//! Properties of the form model: what decodes, what is written back, what is accepted.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

mod contents;
#[path = "../kept/mod.rs"]
mod kept;
mod numbers;
mod schemas;

use std::collections::BTreeSet;

use contents::content;
use form_model::{Answer, Content, Decoder, Form, Kind, Limits};
use kept::config;
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use schemas::{mutated, schema};

/// Decodes in every way that there is, and checks that they agree.
fn decoded(bytes: &[u8]) -> Option<Form> {
    let narrow = Limits::default()
        .depth_max(4)
        .unknown_members_max(1)
        .fields_max(2)
        .options_max(2)
        .name_bytes_max(4)
        .title_bytes_max(4)
        .description_bytes_max(4)
        .option_bytes_max(2)
        .default_bytes_max(4);
    let usual = Decoder::default().decode_bytes(bytes);
    let strict = Decoder::default().strict().decode_bytes(bytes);
    match (&usual, &strict) {
        (Ok(usual), Ok(strict)) => assert!(usual == strict && usual.notes.is_empty()),
        (Ok(usual), Err(_)) => assert!(!usual.notes.is_empty(), "strict refuses what is noted"),
        (Err(_), strict) => assert!(strict.is_err(), "strict takes no more than usual"),
    }
    if let Ok(within) = Decoder::new(narrow).decode_bytes(bytes) {
        assert_eq!(Ok(within), usual, "limits change no meaning");
    }
    usual.ok().map(|decoded| decoded.form)
}

fn assert_written_back(form: &Form) {
    let schema = form.to_schema();
    let again = Form::from_schema(&schema).unwrap_or_else(|refusal| panic!("{refusal}: {schema}"));
    assert!(again == *form, "{schema}");
    assert_eq!(again.to_schema(), schema);
}

fn assert_taken_again(form: &Form, answer: &Answer) {
    let json = answer.to_json();
    let content = Content::decode(&json, &Limits::default()).unwrap();
    assert!(content == Content::from(answer.clone()), "{json}");
    let again = form.accept(content).unwrap();
    assert!(again == *answer, "{json}");
}

proptest! {
    #![proptest_config(config(2_000))]

    /// proves: FM-03, FM-04, W-11, PR-02
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in any::<Vec<u8>>()) {
        decoded(&bytes);
    }

    /// proves: FM-03, FM-04, W-11, PR-02
    #[test]
    fn no_text_makes_the_decoder_panic(text in any::<String>()) {
        decoded(text.as_bytes());
    }

    /// proves: FM-03, FM-04, W-11, PR-02
    #[test]
    fn no_change_of_a_schema_makes_the_decoder_panic(bytes in mutated()) {
        decoded(&bytes);
    }

    /// proves: FM-02, W-12, PR-02
    #[test]
    fn a_form_that_is_written_as_a_schema_decodes_to_an_equal_form(
        bytes in prop_oneof![schema().prop_map(String::into_bytes), mutated()],
    ) {
        if let Some(form) = decoded(&bytes) {
            assert_written_back(&form);
        }
    }

    /// proves: FM-10, PR-02
    #[test]
    fn a_form_that_is_written_as_data_reads_back_as_an_equal_form(schema in schema()) {
        let Some(form) = decoded(schema.as_bytes()) else { return Ok(()) };
        let data = form.to_canonical();
        let again = Form::from_canonical(&data, &Limits::default());
        prop_assert!(again.as_ref() == Ok(&form), "{again:?} of {}", data);
        prop_assert_eq!(again.unwrap().to_canonical(), data);
    }

    /// proves: FM-06, W-12, PR-02
    #[test]
    fn content_that_was_accepted_is_accepted_again_after_the_wire(
        schema in schema(),
        seeds in contents::seeds(),
    ) {
        let Some(form) = decoded(schema.as_bytes()) else { return Ok(()) };
        if let Ok(answer) = form.accept(content(&form, &seeds, false)) {
            assert_taken_again(&form, &answer);
            let reversed = form.accept(content(&form, &seeds, true)).unwrap();
            prop_assert_eq!(reversed.to_json(), answer.to_json(), "one answer has one text");
        }
    }

    /// proves: FM-05, PR-02
    #[test]
    fn every_default_of_a_form_fits_its_field(schema in schema()) {
        let Some(form) = decoded(schema.as_bytes()) else { return Ok(()) };
        let defaults = form.fields().iter().filter_map(|field| {
            Some((field.name(), field.default()?))
        });
        let content = defaults.fold(Content::new(), |content, (name, value)| {
            content.with(name, value)
        });
        if let Err(faults) = form.accept(content) {
            prop_assert!(faults.iter().all(|fault| fault.problem.code() == "missing"), "{}", faults);
        }
    }
}

/// proves: PR-02
#[test]
fn random_schemas_and_contents_are_often_enough_right_ones() {
    let mut runner = TestRunner::deterministic();
    let (mut forms, mut answers, mut faults) = (0, 0, 0);
    let mut kinds = BTreeSet::new();
    for _ in 0..2_000 {
        let (schema, seeds) =
            (schema(), contents::seeds()).new_tree(&mut runner).unwrap().current();
        let Ok(decoded) = Decoder::default().decode(&schema) else { continue };
        forms += 1;
        kinds.extend(decoded.form.fields().iter().map(|field| Kind::name(field.kind())));
        match decoded.form.accept(content(&decoded.form, &seeds, false)) {
            Ok(answer) if answer.iter().next().is_some() => answers += 1,
            Ok(_) => {}
            Err(_) => faults += 1,
        }
    }
    assert!(forms > 500 && answers > 200 && faults > 100, "{forms} {answers} {faults}");
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}
