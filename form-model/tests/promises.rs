//! Promises about all public types: what they show, what they implement, how their errors are written.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use core::{error::Error, fmt::Debug};

use form_model::{
    Answer, Bound, BuildError, BuiltField, Choice, ChoiceField, ChoiceOption, Choices,
    ChoicesField, Content, ContentError, Decoded, Decoder, Draft, DraftError, EditError, Field,
    FieldError, FieldErrors, Flag, FlagField, Form, FormBuilder, Format, IntegerField, Kind,
    Limits, Note, NoteCode, Number, NumberError, NumberField, Numeric, ParseError, Problem,
    Refusal, RefusalCode, Review, SafeText, Submission, Text, TextField, Unusable, Value,
};

/// A text and a number that no `Debug` may show where they are values.
const SENTINEL: &str = "SENTINEL";
const NUMBER: i64 = 777_777;

const SCHEMA: &str = r#"{"type":"object","properties":{
    "t":{"type":"string","default":"SENTINEL"},
    "n":{"type":"number","default":777777},
    "i":{"type":"integer","default":777777},
    "f":{"type":"boolean","default":true},
    "c":{"type":"string","enum":["SENTINEL","x"],"default":"SENTINEL"},
    "m":{"type":"array","items":{"type":"string","enum":["SENTINEL"]},"default":["SENTINEL"]},
    "p":{"type":"string","pattern":"SENTINEL"}}}"#;

/// Checks that `Debug` shows no value.
fn hides(shown: &dyn Debug) {
    for text in [format!("{shown:?}"), format!("{shown:#?}")] {
        assert!(!text.contains(SENTINEL) && !text.contains("777777"), "{text}");
    }
}

/// proves: CL-20
#[test]
fn no_debug_of_a_form_shows_a_default_or_an_option() {
    let decoded = Decoder::default().decode(SCHEMA).unwrap();
    hides(&decoded);
    hides(&decoded.notes);
    hides(&decoded.form);
    hides(&decoded.form.fields());
    for field in decoded.form.fields() {
        hides(field.kind());
        hides(&field.default());
        match field.kind() {
            Kind::Text(text) => hides(text),
            Kind::Number(numeric) | Kind::Integer(numeric) => hides(numeric),
            Kind::Flag(flag) => hides(flag),
            Kind::Choice(choice) => {
                hides(choice);
                hides(&choice.options);
            }
            Kind::Choices(choices) => {
                hides(choices);
                hides(&choices.options);
            }
        }
    }
    let wrong = format!(r#"{{"type":"object","properties":{{"a":"{SENTINEL}"}}}}"#);
    hides(&Form::from_schema(&wrong).unwrap_err());
    hides(&Form::from_canonical(&wrong, &Limits::default()).unwrap_err());
}

/// proves: CL-20
#[test]
fn no_debug_of_an_answer_shows_a_value() {
    let form = Form::from_schema(SCHEMA).unwrap();
    let content = Content::new()
        .with("t", SENTINEL)
        .with("n", NUMBER)
        .with("c", SENTINEL)
        .with("m", vec![SENTINEL.to_owned()]);
    hides(&content);
    hides(&content.clone().with(SENTINEL, Value::Unusable(Unusable::Null)));
    let answer = form.accept(content.clone()).unwrap();
    hides(&answer);
    hides(&answer.iter().map(|(_, value)| value).collect::<Vec<_>>());
    hides(&Submission::Accept(answer.clone()));
    hides(&answer.parse::<Vec<String>>().unwrap_err());
    let errors = form.accept(content.with("f", SENTINEL).with(SENTINEL, NUMBER)).unwrap_err();
    hides(&errors);
    errors.iter().for_each(|error| {
        hides(error);
        hides(&error.problem);
    });
    hides(&Content::decode(&format!(r#"{{"{SENTINEL}":1,"{SENTINEL}":2}}"#), &Limits::default()));

    let mut draft = Draft::new(form);
    for name in ["t", "n", "i", "f", "c", "m"] {
        draft.set_text(name, SENTINEL).unwrap();
    }
    hides(&draft);
    hides(&draft.submit().unwrap_err());
    draft.errors().for_each(|error| hides(&error));
    hides(&draft.set_text(SENTINEL, SENTINEL).unwrap_err());
    hides(&draft.toggle("c", "other").unwrap_err());
}

/// proves: CL-20
#[test]
fn no_debug_of_a_builder_shows_a_default() {
    let number = Number::from(NUMBER);
    let fields: [BuiltField; 6] = [
        TextField::new("t").default(SENTINEL).into(),
        NumberField::new("n").default(number).into(),
        IntegerField::new("i").default(NUMBER).into(),
        FlagField::new("f").default(true).into(),
        ChoiceField::new("c").option(SENTINEL).default(SENTINEL).into(),
        ChoicesField::new("m").option(SENTINEL).default(&[SENTINEL]).into(),
    ];
    hides(&TextField::new("t").default(SENTINEL));
    hides(&NumberField::new("n").default(number));
    hides(&IntegerField::new("i").default(NUMBER));
    hides(&ChoiceField::new("c").option(SENTINEL).default(SENTINEL));
    hides(&ChoicesField::new("m").option(SENTINEL).default(&[SENTINEL]));
    hides(&fields);
    let builder = fields.into_iter().fold(FormBuilder::new(), FormBuilder::field);
    hides(&builder);
    hides(&builder.build().unwrap());
    let wrong = FormBuilder::new().field(ChoiceField::new("c").option("x").default(SENTINEL));
    hides(&wrong.build().unwrap_err());
}

/// proves: CL-20
#[test]
fn formatting_shows_no_answer_and_no_form() {
    let form =
        Form::from_schema(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#).unwrap();
    let content = Content::new().with_text("a", "SENTINEL");
    let seen = format!("{content:?} {:?}", content.clone());
    let answer = form.accept(content).unwrap();
    let shown = r#"{"type":"object","title":"SENTINEL","properties":{"SENTINEL":{"type":"string","default":"SENTINEL"}}}"#;
    let form = Form::from_schema(shown).unwrap();
    let seen = format!("{seen} {answer:?} {:?} {form:?} {:?}", answer.value("a"), form.fields());
    assert!(!seen.contains("SENTINEL"), "{seen}");
}

/// Fails to compile if a type implements `Serialize`: the call would have two candidates.
macro_rules! never_serializes {
    ($($type:ty),*) => {$({
        trait Candidate<Witness> {
            fn only() {}
        }
        struct Serializes;
        impl<T: ?Sized> Candidate<()> for T {}
        impl<T: ?Sized + serde::Serialize> Candidate<Serializes> for T {}
        <$type as Candidate<_>>::only();
    })*};
}

/// proves: CL-20
#[test]
fn an_answer_is_written_only_where_the_caller_asks_for_its_json() {
    never_serializes!(Answer, Content, Draft, Submission, Value, FieldError, FieldErrors);
    never_serializes!(DraftError<'static>, Review<'static>);
}

fn promised<T: Send + Sync + 'static>() {}

#[test]
fn every_public_type_can_be_sent_shared_and_stored() {
    macro_rules! promised {
        ($($type:ty),* $(,)?) => { $(promised::<$type>();)* };
    }
    promised!(
        Answer,
        Bound,
        BuildError,
        BuiltField,
        Choice,
        ChoiceField,
        ChoiceOption,
        Choices,
        ChoicesField,
        Content,
        ContentError,
        Decoded,
        Decoder,
        Draft,
        DraftError<'static>,
        EditError,
        Field,
        FieldError,
        FieldErrors,
        Flag,
        FlagField,
        Form,
        FormBuilder,
        Format,
        IntegerField,
        Kind,
        Limits,
        Note,
        NoteCode,
        Number,
        NumberError,
        NumberField,
        Numeric,
        ParseError,
        Problem,
        Refusal,
        RefusalCode,
        Review<'static>,
        SafeText,
        Submission,
        Text,
        TextField,
        Unusable,
        Value,
    );
}

/// Checks that no error of a chain repeats the text of its source.
fn is_written_once(error: &dyn Error) {
    let mut error = error;
    while let Some(source) = error.source() {
        let (text, cause) = (error.to_string(), source.to_string());
        assert!(!text.contains(&cause), "{text} repeats its source: {cause}");
        error = source;
    }
}

#[test]
fn no_error_repeats_the_text_of_its_source() {
    let form = Form::from_schema(SCHEMA).unwrap();
    let errors = form.accept(Content::new().with("t", true)).unwrap_err();
    is_written_once(&errors);
    errors.iter().for_each(|error| {
        is_written_once(error);
        is_written_once(&error.problem);
    });
    let mut draft = Draft::new(form);
    is_written_once(&draft.set_text("nobody", "x").unwrap_err());
    let limits = Limits::default().answer_bytes_max(1);
    for json in ["[]", r#"{"a":1,"a":1}"#] {
        is_written_once(&Content::decode(json, &Limits::default()).unwrap_err());
        is_written_once(&Content::decode(json, &limits).unwrap_err());
    }
    is_written_once(&Form::from_schema("{}").unwrap_err());
    is_written_once(&FormBuilder::new().field(ChoiceField::new("c")).build().unwrap_err());
    is_written_once(&"x".parse::<Number>().unwrap_err());
    is_written_once(&draft.submit().unwrap().parse::<Vec<String>>().unwrap_err());
}

form_model::limits! {
    /// Limits of another crate, with a type that serde writes by a module.
    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    pub struct OtherLimits {
        /// The longest wait.
        #[serde(with = "millis")]
        wait_max: core::time::Duration = core::time::Duration::from_secs(2),
        /// The limits of a form.
        form: Limits = Limits::default(),
    }
}

mod millis {
    use core::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(wait: &Duration, to: S) -> Result<S::Ok, S::Error> {
        wait.as_millis().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

#[test]
fn another_crate_declares_its_limits_by_the_same_macro() {
    let limits = OtherLimits::default().form(Limits::default().fields_max(3));
    assert_eq!((limits.wait_max.as_secs(), limits.form.fields_max), (2, 3));
    let read: OtherLimits = serde_json::from_str(r#"{"waitMax":5}"#).unwrap();
    assert_eq!(read, OtherLimits::default().wait_max(core::time::Duration::from_millis(5)));
}

/// proves: FM-04
#[test]
fn a_limit_is_set_by_its_name_in_code_and_in_json() {
    let limits = Limits::default().fields_max(2).answer_bytes_max(9);
    assert_eq!((limits.fields_max, limits.answer_bytes_max), (2, 9));
    assert_eq!(limits.schema_bytes_max, Limits::default().schema_bytes_max);
    let json = r#"{"fieldsMax":2,"answerBytesMax":9}"#;
    assert_eq!(serde_json::from_str::<Limits>(json).unwrap(), limits);
    let written = serde_json::to_string(&limits).unwrap();
    assert_eq!(serde_json::from_str::<Limits>(&written).unwrap(), limits);
    assert!(serde_json::from_str::<Limits>(r#"{"fields_max":2}"#).is_err());
}
