//! What a person can do with a form before they submit it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{Draft, EditError, Form, Submission, Value};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "name":{"type":"string","default":"octocat","maxLength":10},
    "age":{"type":"integer","minimum":0},
    "ratio":{"type":"number","maximum":1},
    "ok":{"type":"boolean","default":true},
    "pet":{"type":"string","oneOf":[{"const":"c","title":"Cat"},{"const":"d","title":"Dog"}]},
    "tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"maxItems":2}},
    "required":["age","ok"]}"#;

fn draft() -> Draft {
    Draft::new(Form::from_schema(SCHEMA).unwrap())
}

fn message(draft: &Draft, name: &str) -> String {
    draft.error(name).unwrap().message()
}

/// proves: FM-08, FM-09
#[test]
fn a_draft_starts_with_the_defaults_and_submits_what_it_shows() {
    let mut draft = draft();
    assert_eq!(draft.value("name"), Some(&Value::Text("octocat".into())));
    assert_eq!(draft.value("age"), None);
    draft.set_text("age", "30").unwrap();
    let answer = draft.submit().unwrap();
    assert_eq!(answer.to_json(), r#"{"name":"octocat","age":30,"ok":true}"#);
    let shown: Vec<_> = draft.review().map(|line| line.shown.into_owned()).collect();
    assert_eq!(shown, ["octocat", "30", "", "yes", "", ""]);
}

/// proves: FM-08, FM-09
#[test]
fn a_cleared_field_stays_out_and_its_default_does_not_come_back() {
    let mut draft = draft();
    draft.set_text("age", "30").unwrap();
    draft.clear("name").unwrap();
    assert_eq!(draft.text("name"), "");
    assert_eq!(draft.submit().unwrap().to_json(), r#"{"age":30,"ok":true}"#);
    draft.clear("ok").unwrap();
    assert_eq!(message(&draft, "ok"), "must be answered");
    assert!(draft.submit().is_err());
}

/// proves: FM-07, FM-09
#[test]
fn what_is_wrong_with_a_number_is_said_and_nothing_is_rounded() {
    let mut draft = draft();
    for (name, text, said) in [
        ("age", "11.5", "11.5 is not a whole number"),
        ("age", "eleven", "eleven is not a whole number"),
        ("age", "1e999", "1e999 is not a number within ±1.8e308"),
        ("age", "-1", "must be at least 0"),
        ("ratio", "0,5", "0,5 is not a number"),
        ("ratio", "NaN", "NaN is not a number"),
        (
            "ratio",
            "1234567890123456789012345678901234567891",
            "1234567890123456789012345678901234567891 is not a number of at most 38 digits",
        ),
        ("ratio", "1.5", "must be at most 1"),
        ("ok", "on", "on is not yes or no"),
        ("pet", "Cat", "must be one of the options"),
        ("name", "much too long", "must have at most 10 characters"),
    ] {
        draft.set_text(name, text).unwrap();
        assert_eq!(message(&draft, name), said);
        assert_eq!(draft.text(name), text, "what was typed is kept");
        assert!(draft.submit().is_err());
    }
    for (name, text, written) in [
        ("age", " 11.0 ", "11"),
        ("age", "9007199254740993", "9007199254740993"),
        ("ratio", "1e-1", "0.1"),
    ] {
        draft.set_text(name, text).unwrap();
        assert!(draft.error(name).is_none());
        assert_eq!(draft.text(name), written);
    }
}

/// proves: FM-09
#[test]
fn options_are_toggled_in_the_order_of_the_form() {
    let mut draft = draft();
    for tag in ["c", "a"] {
        draft.toggle("tags", tag).unwrap();
    }
    assert_eq!(draft.value("tags"), Some(&Value::Choices(vec!["a".into(), "c".into()])));
    assert!(draft.is_selected("tags", "a") && !draft.is_selected("tags", "b"));
    draft.toggle("tags", "b").unwrap();
    assert_eq!(message(&draft, "tags"), "must select at most 2 options");
    draft.toggle("tags", "a").unwrap();
    assert_eq!(draft.text("tags"), "b\nc");
    draft.toggle("pet", "d").unwrap();
    draft.toggle("pet", "c").unwrap();
    assert_eq!(draft.review().nth(4).unwrap().shown, "Cat");
    assert!(draft.is_selected("pet", "c") && !draft.is_selected("pet", "d"));
    draft.toggle("pet", "c").unwrap();
    assert_eq!(draft.value("pet"), None);
    let before = draft.clone();
    assert_eq!(draft.toggle("pet", "Cat"), Err(EditError::NotAnOption));
    assert_eq!(draft.toggle("tags", "A"), Err(EditError::NotAnOption));
    assert_eq!(draft.toggle("name", "x"), Err(EditError::NotAnOption));
    assert_eq!(draft.toggle("nobody", "x"), Err(EditError::UnknownField));
    assert_eq!(draft.set_text("nobody", "x"), Err(EditError::UnknownField));
    assert_eq!(draft.clear("nobody"), Err(EditError::UnknownField));
    assert_eq!(draft, before);
}

/// proves: FM-06, FM-09
#[test]
fn a_value_of_a_wrong_type_is_an_error_and_not_another_value() {
    let mut draft = draft();
    draft.set("ok", Value::Text("true".into())).unwrap();
    assert_eq!(message(&draft, "ok"), "must be yes or no");
    draft.set("age", Value::Flag(true)).unwrap();
    assert_eq!(message(&draft, "age"), "must be a whole number");
    let errors = draft.submit().unwrap_err();
    let fields: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["age", "ok"]);
}

/// proves: FM-09, FM-11
#[test]
fn a_review_is_cleaned_even_where_a_field_has_a_list_that_does_not_fit() {
    let mut draft = draft();
    let list = Value::Choices(vec!["\u{1b}[2J".into(), "b\u{202e}c".into()]);
    for name in ["name", "age", "ratio", "ok", "pet", "tags"] {
        draft.set(name, list.clone()).unwrap();
    }
    let shown: Vec<_> = draft.review().map(|line| line.shown.into_owned()).collect();
    assert_eq!(shown[..5], ["\u{fffd}[2J bc"; 5]);
    assert_eq!(shown[5], "\u{fffd}[2J, bc");
}

/// proves: FM-09
#[test]
fn a_text_that_sets_a_field_is_the_text_it_shows() {
    let mut draft = draft();
    for (name, text) in [
        ("name", " a "),
        ("name", ""),
        ("age", "3"),
        ("ok", "false"),
        ("ok", "true"),
        ("pet", "d"),
        ("tags", "a\nb"),
    ] {
        draft.set_text(name, text).unwrap();
        assert_eq!(draft.text(name), text);
        assert!(draft.error(name).is_none(), "{name} {text}");
    }
    draft.set_text("ok", " yes ").unwrap();
    assert_eq!(draft.value("ok"), Some(&Value::Flag(true)));
    draft.set_text("ok", "no").unwrap();
    assert_eq!(draft.value("ok"), Some(&Value::Flag(false)));
    for name in ["age", "ratio", "ok", "pet", "tags"] {
        draft.set_text(name, "").unwrap();
        assert_eq!(draft.value(name), None, "an empty text clears {name}");
        assert_eq!(draft.error(name).is_some(), ["age", "ok"].contains(&name), "it is required");
    }
}

/// proves: FM-09, CL-12
#[test]
fn declining_and_cancelling_send_nothing_of_the_draft() {
    assert_eq!(draft().decline(), Submission::Decline);
    assert_eq!(draft().cancel(), Submission::Cancel);
}

/// proves: CL-20
#[test]
fn formatting_a_draft_shows_nothing_that_was_typed() {
    let mut draft = draft();
    draft.set_text("name", "SENTINEL").unwrap();
    draft.set_text("age", "SENTINEL").unwrap();
    let error = draft.error("age").unwrap();
    let errors = draft.submit().unwrap_err();
    let seen = format!("{draft:?} {error:?} {errors:?} {errors}");
    assert!(!seen.contains("SENTINEL"), "{seen}");
}
