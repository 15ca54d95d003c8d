//! What each value with a `Debug` of its own looks like in a log: kinds and sizes, and nothing of what
//! somebody wrote.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use core::fmt::Debug;

use form_model::{Content, Draft, Field, Form, Kind, Number, SafeText, Value};

fn differs(value: impl Debug, expected: &str) -> Option<String> {
    let found = format!("{value:?}");
    assert!(!found.contains("SENTINEL"), "{found}");
    (found != expected).then(|| format!("found    {found}\nexpected {expected}"))
}

/// proves: FM-13
#[test]
fn kinds_and_sizes_are_shown_and_no_text_of_anybody() {
    let schema = r#"{"type":"object","title":"Title","properties":{
        "a":{"type":"string","title":"Title","default":"SENTINEL"},
        "b":{"type":"boolean"},"n":{"type":"number"},"i":{"type":"integer"},
        "c":{"type":"string","enum":["SENTINEL"]},
        "m":{"type":"array","items":{"enum":["SENTINEL","x"]}}},"required":["b"]}"#;
    let form = Form::from_schema(schema).unwrap();
    let number: Number = "1.50".parse().unwrap();
    let content = Content::new().with_flag("b", true).with_text("a", "SENTINEL");
    let draft = Draft::new(form.clone());
    let refused = Draft::new(form.clone()).submit().unwrap_err();
    let errors = form.accept(Content::new().with_number("b", 7)).unwrap_err();
    let mut rows = vec![
        differs(&form, "Form(6 fields)"),
        differs(number, "1.5"),
        differs(&content, "Content(2 values)"),
        differs(form.accept(content).unwrap(), "Answer(2 values)"),
        differs(SafeText::line("a\u{1b}b"), "\"a\u{fffd}b\""),
        differs(draft, "Draft(1 of 6 fields filled in)"),
        differs(refused, "FieldErrors { errors: [FieldError(b must be answered)] }"),
        differs(errors.iter().next().unwrap(), "FieldError(b must be yes or no)"),
        differs(Value::Text("SENTINEL".into()), "Text(8 bytes)"),
        differs(Value::Number(7.into()), "Number(..)"),
        differs(Value::from(true), "Flag(..)"),
        differs(Value::from(vec!["SENTINEL".to_owned()]), "Choices(1 values)"),
    ];
    let fields = [
        ("Field(text, optional)", "Text { length_min: None, length_max: None, format: None, .. }"),
        ("Field(flag, required)", "Flag { .. }"),
        ("Field(number, optional)", "Numeric { minimum: None, maximum: None, .. }"),
        ("Field(integer, optional)", "Numeric { minimum: None, maximum: None, .. }"),
        ("Field(choice, optional)", "Choice { .. }"),
        ("Field(choices, optional)", "Choices { items_min: None, items_max: None, .. }"),
    ];
    for (field, (shown, kind)) in form.fields().iter().zip(fields) {
        rows.push(differs(field, shown));
        let found = format!("{:?}", field.kind());
        rows.push((!found.contains(kind)).then(|| format!("found    {found}\nexpected {kind}")));
    }
    let mut draft = Draft::new(form);
    draft.set_text("b", "SENTINEL").unwrap();
    rows.push(differs(draft.error("b").unwrap(), "DraftError(b must be yes or no)"));
    if let Some(Kind::Choice(choice)) = draft.form().field("c").map(Field::kind) {
        rows.push(differs(&choice.options, "[ChoiceOption { .. }]"));
    }
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    assert!(rows.is_empty(), "{} differ:\n{}", rows.len(), rows.join("\n"));
}
