//! Every schema of `verdicts/*.txt` gets exactly what stands below it: the field or the form that it
//! is read as, with each note and its place, or the refusal.
//!
//! `UPDATE_GOLDEN=1` writes what is found there. Whoever does so reads the difference.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use core::fmt::Write as _;
use std::{env, fs, path::Path};

use form_model::Decoder;
use serde_json::Value;

/// Says all that the decoder says of a schema, a line each, the places below `within` without it.
fn verdict(schema: &str, within: &str) -> Vec<String> {
    let place = |pointer: &str| pointer.strip_prefix(within).unwrap_or(pointer).to_owned();
    match Decoder::default().decode(schema) {
        Err(refusal) => {
            vec![format!("{} {:?}: {}", refusal.code, place(&refusal.pointer), refusal.message)]
        }
        Ok(decoded) => {
            let form: Value = serde_json::from_str(&decoded.form.to_canonical()).unwrap();
            let read = if within.is_empty() { &form } else { &form["fields"][0] };
            let notes = decoded.notes.iter();
            let notes = notes.map(|note| format!("{} {:?}", note.code, place(&note.pointer)));
            [ascii(&read.to_string())].into_iter().chain(notes).collect()
        }
    }
}

/// Writes what is not ASCII as its code point: some of it can not be seen.
fn ascii(text: &str) -> String {
    let written =
        |c: char| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(written).collect()
}

/// Returns the file as it should be. A line of it that is indented is a verdict, one that is empty
/// or begins with `#` is the reader's, any other is a schema.
fn with_verdicts(text: &str, schema: impl Fn(&str) -> String, within: &str) -> String {
    let mut written = String::new();
    for line in text.lines().filter(|line| !line.starts_with("    ")) {
        writeln!(written, "{line}").unwrap();
        if !line.is_empty() && !line.starts_with('#') {
            for said in verdict(&schema(line), within) {
                writeln!(written, "    {said}").unwrap();
            }
        }
    }
    written
}

fn compare(name: &str, schema: impl Fn(&str) -> String, within: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts").join(name);
    let kept = fs::read_to_string(&path).unwrap();
    let schemas = kept.lines().filter(|line| line.starts_with('{')).count();
    assert!(schemas >= 60, "{schemas} schemas in {name}");
    let found = with_verdicts(&kept, schema, within);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, found).unwrap();
        return;
    }
    for (at, (kept, found)) in kept.lines().zip(found.lines()).enumerate() {
        assert_eq!(kept, found, "line {} of {name}", at + 1);
    }
    assert_eq!(kept.lines().count(), found.lines().count(), "{name}");
}

/// proves: FM-01, FM-03, FM-05, FM-12
#[test]
fn a_field_is_read_as_the_table_says() {
    let schema = |field: &str| format!(r#"{{"type":"object","properties":{{"a":{field}}}}}"#);
    compare("fields.txt", schema, "/properties/a");
}

/// proves: FM-02, FM-03, FM-05
#[test]
fn a_form_is_read_as_the_table_says() {
    compare("forms.txt", str::to_owned, "");
}
