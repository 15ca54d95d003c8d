//! Rarer cases of forms and answers.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use form_model::{Answer, Content, Decoder, Form, Limits, Number, SafeText, Unusable, Value};

const FORM: &str = r#"{"type":"object","properties":{"t":{"type":"string","format":"email"},
    "n":{"type":"number"},"f":{"type":"boolean"},
    "m":{"type":"array","minItems":2,"maxItems":3,"items":{"enum":["a","b","c","d"]}}}}"#;

fn form() -> Form {
    Form::from_schema(FORM).unwrap()
}

fn answer() -> Answer {
    let content = r#"{"t":"a@b.c","n":1.5,"f":true,"m":["b","a"]}"#;
    form().accept(Content::decode(content, &Limits::default()).unwrap()).unwrap()
}

/// proves: FM-06
#[test]
fn an_answer_returns_each_value_by_its_own_type_only() {
    let answer = answer();
    let names = ["t", "n", "f", "m", "nobody"];
    assert_eq!(names.map(|name| answer.text(name)), [Some("a@b.c"), None, None, None, None]);
    let number: Number = "1.5".parse().unwrap();
    assert_eq!(names.map(|name| answer.number(name)), [None, Some(number), None, None, None]);
    assert_eq!(names.map(|name| answer.flag(name)), [None, None, Some(true), None, None]);
    let chosen = ["b".to_owned(), "a".to_owned()];
    let choices = [None, None, None, Some(chosen.as_slice()), None];
    assert_eq!(names.map(|name| answer.choices(name)), choices);
    let found = names.map(|name| form().field(name).map(|field| field.name().to_owned()));
    assert_eq!(found.map(Option::unwrap_or_default), ["t", "n", "f", "m", ""]);
}

#[test]
fn formatting_a_value_does_not_show_it() {
    let values = [
        Value::Text("SENTINEL".into()),
        Value::Number(7_777.into()),
        Value::Flag(true),
        Value::Choices(vec!["SENTINEL".into()]),
        Value::Unusable(Unusable::Null),
    ];
    let shown = "[Text(8 bytes), Number(..), Flag(..), Choices(1 values), Unusable(Null)]";
    assert_eq!(format!("{values:?}"), shown);
}

/// proves: FM-06
#[test]
fn every_error_of_a_selection_and_a_format_has_its_code() {
    let codes = |content: &str| {
        let content = Content::decode(content, &Limits::default()).unwrap();
        let errors = form().accept(content).unwrap_err();
        (&errors).into_iter().map(|error| error.problem.code()).collect::<Vec<_>>()
    };
    assert_eq!(codes(r#"{"t":"nobody","m":["a"]}"#), ["wrong-format", "too-few"]);
    assert_eq!(codes(r#"{"m":["a","b","c","d"]}"#), ["too-many"]);
}

/// proves: FM-06
#[test]
fn errors_are_written_one_after_the_other() {
    let content = r#"{"t":1,"n":1e999,"f":1e999,"m":["a","a"],"x":1}"#;
    let errors = form().accept(Content::decode(content, &Limits::default()).unwrap()).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "t must be a text; n must be a number of at most 38 digits, within ±1.8e308; \
         f must be yes or no; m must not select an option twice; a value is not a field of the form"
    );
}

#[test]
fn content_keeps_the_last_value_of_a_name() {
    let number: Number = "0.5".parse().unwrap();
    let content = Content::new()
        .with_flag("a", true)
        .with_text("b", "x")
        .with_number("c", number)
        .with_choices("d", ["y", "z"])
        .with("a", Value::Flag(false));
    assert_eq!(content.to_json(), r#"{"a":false,"b":"x","c":0.5,"d":["y","z"]}"#);
    assert_eq!(Content::from(answer()).to_json(), answer().to_json());
}

#[test]
fn a_kind_has_a_name_of_its_own() {
    let schema = r#"{"type":"object","properties":{"i":{"type":"integer"},"c":{"enum":["x"]}}}"#;
    let more = Form::from_schema(schema).unwrap();
    let first = form();
    let names: Vec<_> =
        first.fields().iter().chain(more.fields()).map(|field| field.kind().name()).collect();
    assert_eq!(names, ["text", "number", "flag", "choices", "integer", "choice"]);
}

/// proves: FM-11
#[test]
fn a_text_shows_itself_cleaned() {
    let text = SafeText::line("a\u{202e}b");
    assert_eq!(format!("{text} {text:?}"), "ab \"ab\"");
}

/// proves: FM-12
#[test]
fn letters_of_other_scripts_count_as_the_latin_letters_that_they_look_like() {
    let pairs = [
        ("aceijopsxy", "асеіјорѕху"),
        ("dhklqw", "ԁһкӏԛԝ"),
        ("cikoopuuvvxy", "ϲικοօρυսνѵχγ"),
        ("ABCEHIJKMOPSTXY", "АВСЕНІЈКМОРЅТХУ"),
        ("ABCEHIKMNOPTXYZ", "ΑΒϹΕΗΙΚΜΝΟΡΤΧΥΖ"),
        ("iI", "ıӀ"),
    ];
    for (latin, other) in pairs {
        assert_eq!(latin.chars().count(), other.chars().count(), "{latin}");
        for (latin, other) in latin.chars().zip(other.chars()) {
            let schema = format!(
                r#"{{"type":"object","properties":{{"a":{{"type":"boolean","title":"{latin}9"}},"b":{{"type":"boolean","title":"{other}9"}}}}}}"#
            );
            let notes = Decoder::default().decode(&schema).unwrap().notes;
            let codes: Vec<_> = notes.iter().map(|note| note.code.to_string()).collect();
            assert_eq!(codes, ["warn:ambiguous-labels"], "{latin} and {other}");
        }
    }
}

/// proves: FM-06
#[test]
fn a_form_of_many_fields_and_options_is_answered_like_a_small_one() {
    let options: Vec<_> = (0..100).map(|index| format!("\"o{index}\"")).collect();
    let fields: Vec<_> =
        (0..100).map(|index| format!(r#""f{index}":{{"type":"boolean"}}"#)).collect();
    let form = Form::from_schema(&format!(
        r#"{{"type":"object","properties":{{"m":{{"type":"array","items":{{"enum":[{}]}}}},{}}}}}"#,
        options.join(","),
        fields.join(",")
    ))
    .unwrap();
    assert_eq!(form.field("f99").map(|field| field.name()), Some("f99"));
    assert!(form.field("f100").is_none());
    let decode = |content: &str| Content::decode(content, &Limits::default()).unwrap();
    let all = options.join(",");
    assert!(form.accept(decode(&format!(r#"{{"f7":true,"m":[{all}]}}"#))).is_ok());
    assert!(form.accept(decode(&format!(r#"{{"m":[{all},"o3"]}}"#))).is_err());
    assert!(form.accept(decode(r#"{"f100":true}"#)).is_err());
}
