//! Every case of `tests/forms/cases.jsonl` gets the verdicts that it is marked with.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

#[path = "forms/case.rs"]
mod case;

use case::Case;
use form_model::Decoder;
use serde_json::Value;

const CASES: &str = include_str!("forms/cases.jsonl");

/// Returns everything in which the crate disagrees with a case.
fn disagreements(line: &str) -> Vec<String> {
    let (case, marked) = (Case::parse(line).unwrap(), serde_json::from_str::<Value>(line).unwrap());
    let decoded = Decoder::default().decode_bytes(&case.schema().unwrap());
    let verdict = match &decoded {
        Ok(decoded) if decoded.notes.is_empty() => "accept",
        Ok(_) => "accept-with-notes",
        Err(_) => "reject",
    };
    let mut found = Vec::new();
    // A case may be debatable. Its `why` has the arguments.
    let alternatives = marked["alt_expect"].as_array().cloned().unwrap_or_default();
    if marked["expect"] != verdict && !alternatives.iter().any(|expect| expect == verdict) {
        found.push(format!("verdict {verdict}: {decoded:?}"));
    }
    let Ok(decoded) = decoded else { return found };
    if let Some(order) = marked.get("expect_order") {
        let names: Value = decoded.form.fields().iter().map(|field| field.name()).collect();
        if *order != names {
            found.push(format!("order {names}"));
        }
    }
    for (list, accepted) in [
        ("answers", case.answers(Some(&decoded.form)).unwrap()),
        ("results", case.results(Some(&decoded.form))),
    ] {
        let marks = marked[list].as_array().cloned().unwrap_or_default();
        for (index, (mark, accepted)) in marks.iter().zip(accepted).enumerate() {
            if mark["valid"] != accepted {
                found.push(format!("{list} {index}"));
            }
        }
    }
    found
}

/// proves: FM-01, FM-02, FM-03, FM-05, FM-06, FM-07
#[test]
fn every_case_gets_its_verdict_and_its_answers() {
    let failures: Vec<_> = CASES
        .lines()
        .filter_map(|line| {
            let found = disagreements(line);
            let id = Case::parse(line).unwrap().id().to_owned();
            (!found.is_empty()).then(|| format!("{id}: {}", found.join("; ")))
        })
        .collect();
    assert_eq!(CASES.lines().count(), 143);
    assert!(failures.is_empty(), "{} cases disagree:\n{}", failures.len(), failures.join("\n"));
}
