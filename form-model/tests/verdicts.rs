//! Every schema of `verdicts/*.txt` gets exactly the verdict below it: the field or form that it is
//! decoded to, and each note with its place, or the refusal.
//!
//! `UPDATE_GOLDEN=1` rewrites the verdicts. Review the difference.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use core::fmt::Write as _;
use std::{env, fs, path::Path};

use form_model::Decoder;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The fields of a canonical form, as text.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    fields: Vec<&'a RawValue>,
}

/// Returns the verdict on a schema, line by line. Places are relative to `within`.
fn verdict(schema: &str, within: &str) -> Vec<String> {
    let place = |pointer: &str| pointer.strip_prefix(within).unwrap_or(pointer).to_owned();
    match Decoder::default().decode(schema) {
        Err(refusal) => {
            vec![format!("{} {:?}: {}", refusal.code, place(&refusal.pointer), refusal.message)]
        }
        Ok(decoded) => {
            let form = decoded.form.to_canonical();
            let field = |form| serde_json::from_str::<Fields<'_>>(form).unwrap().fields[0].get();
            let read = if within.is_empty() { &form } else { field(&form) };
            let notes = decoded.notes.iter();
            let notes = notes.map(|note| format!("{} {:?}", note.code, place(&note.pointer)));
            [ascii(read)].into_iter().chain(notes).collect()
        }
    }
}

/// Returns a text with other characters than ASCII as code points: some of them are invisible.
fn ascii(text: &str) -> String {
    let written =
        |c: char| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(written).collect()
}

/// Returns the file as it should be. In it, an indented line is a verdict, an empty line or one that
/// begins with `#` is a comment, and any other line is a schema.
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
