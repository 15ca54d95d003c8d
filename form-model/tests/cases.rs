//! Every case of `tests/forms/cases.jsonl` gets the verdict and the answers that it is marked with.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{Content, Decoder, Form, Limits};
use serde_json::Value;

const CASES: &str = include_str!("forms/cases.jsonl");

/// Makes the text or bytes of a case, as `tests/forms/README.md` describes.
fn bytes(holder: &Value, name: &str) -> Vec<u8> {
    let member = |suffix: &str| holder.get(format!("{name}{suffix}"));
    if let Some(text) = member("_text") {
        return text.as_str().unwrap().into();
    }
    if let Some(recipe) = member("_gen") {
        return generated(recipe).into();
    }
    if let Some(base64) = member("_b64") {
        return decoded(base64.as_str().unwrap());
    }
    member("").unwrap().to_string().into()
}

fn generated(recipe: &Value) -> String {
    let text = |name: &str| recipe.get(name).map_or("", |text| text.as_str().unwrap());
    let n = usize::try_from(recipe["n"].as_u64().unwrap()).unwrap();
    let repeated: Vec<_> = (0..n).map(|i| text("repeat").replace("{i}", &i.to_string())).collect();
    let middle = repeated.join(text("sep"));
    format!(
        "{}{middle}{}{}{}",
        text("prefix"),
        text("suffix"),
        text("close").repeat(n),
        text("suffix2")
    )
}

fn decoded(base64: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for letter in base64.bytes().filter(|letter| *letter != b'=') {
        let value = alphabet.iter().position(|known| *known == letter).unwrap();
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap());
        }
    }
    bytes
}

fn accepts(form: &Form, content: &[u8]) -> bool {
    let text = core::str::from_utf8(content).unwrap();
    Content::decode(text, &Limits::default()).is_ok_and(|content| form.accept(content).is_ok())
}

/// Lists everything in which the crate disagrees with a case.
fn disagreements(case: &Value) -> Vec<String> {
    let decoded = Decoder::default().decode_bytes(&bytes(case, "schema"));
    let verdict = match &decoded {
        Ok(decoded) if decoded.notes.is_empty() => "accept",
        Ok(_) => "accept-with-notes",
        Err(_) => "reject",
    };
    let mut found = Vec::new();
    let alternatives = case["alt_expect"].as_array().cloned().unwrap_or_default();
    if case["expect"] != verdict && !alternatives.iter().any(|expect| expect == verdict) {
        found.push(format!("verdict {verdict}: {decoded:?}"));
    }
    let Ok(decoded) = decoded else { return found };
    if let Some(order) = case.get("expect_order") {
        let fields = decoded.form.fields();
        let names: Value = fields.iter().map(|field| field.name()).collect();
        if *order != names {
            found.push(format!("order {names}"));
        }
    }
    for (index, answer) in case["answers"].as_array().unwrap().iter().enumerate() {
        if answer["valid"] != accepts(&decoded.form, &bytes(answer, "content")) {
            found.push(format!("answer {index}"));
        }
    }
    found
}

/// proves: FM-01, FM-02, FM-03, FM-05, FM-06
#[test]
fn every_case_gets_its_verdict_and_its_answers() {
    let mut failures = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        count += 1;
        let found = disagreements(&case);
        if !found.is_empty() {
            failures.push(format!("{}: {}", case["id"], found.join("; ")));
        }
    }
    assert_eq!(count, 143);
    assert!(failures.is_empty(), "{} cases disagree:\n{}", failures.len(), failures.join("\n"));
}
