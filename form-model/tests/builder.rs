//! The builder of forms, and canonical JSON.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{
    ChoiceField, ChoicesField, Decoder, FlagField, Form, FormBuilder, Format, IntegerField, Limits,
    NumberField, RefusalCode, TextField,
};
use serde_json::json;

fn number(text: &str) -> form_model::Number {
    text.parse().unwrap()
}

fn everything() -> FormBuilder {
    FormBuilder::new()
        .field(TextField::new("name").title("Name").length_min(1).length_max(9).default("é"))
        .field(TextField::new("mail").format(Format::Email).required())
        .field(
            NumberField::new("ratio").minimum(number("0.1")).maximum(number("1")).description("x"),
        )
        .field(IntegerField::new("count").minimum(-1).maximum(9_007_199_254_740_993).default(0))
        .field(FlagField::new("ok").default(false).required())
        .field(ChoiceField::new("plain").option("a").option("b").default("b"))
        .field(ChoiceField::new("titled").titled_option("a", "A").option("b"))
        .field(
            ChoicesField::new("many")
                .option("a")
                .option("b")
                .items_min(1)
                .items_max(2)
                .default(&["a"]),
        )
        .field(ChoicesField::new("named").titled_option("a", "A"))
}

/// proves: FM-13
#[test]
fn what_a_builder_makes_is_in_the_specifications_subset() {
    let form = everything().build().unwrap();
    let decoded = Decoder::new(Limits::default()).strict().decode(&form.to_schema()).unwrap();
    assert_eq!(decoded.form, form);
    let schema: serde_json::Value = serde_json::from_str(&form.to_schema()).unwrap();
    assert_eq!(schema["properties"]["titled"]["oneOf"][1], json!({"const": "b", "title": "b"}));
    assert_eq!(
        schema["properties"]["named"]["items"],
        json!({"anyOf": [{"const": "a", "title": "A"}]})
    );
    assert_eq!(schema["required"], json!(["mail", "ok"]));
}

/// proves: FM-04, FM-13
#[test]
fn a_form_is_built_within_the_limits_of_its_clients() {
    let limits = Limits::default().fields_max(1);
    let one = FormBuilder::new().limits(limits).field(FlagField::new("a"));
    assert!(one.clone().build().is_ok());
    let refused = one.field(FlagField::new("b")).build().unwrap_err().refusal;
    assert_eq!(refused.code, RefusalCode::OverLimit);
}

/// proves: FM-05, FM-13
#[test]
fn a_form_that_a_client_would_refuse_is_not_built() {
    let refused = |builder: FormBuilder| builder.build().unwrap_err().refusal;
    let with = |field: form_model::BuiltField| FormBuilder::new().field(field);
    for (builder, code, pointer) in [
        (
            with(TextField::new("a").into()).field(FlagField::new("a")),
            RefusalCode::DuplicateMember,
            "/properties/a",
        ),
        (with(ChoiceField::new("a").into()), RefusalCode::Unsatisfiable, "/properties/a/enum"),
        (
            with(ChoiceField::new("a").option("x").option("x").into()),
            RefusalCode::Strict,
            "/properties/a/enum",
        ),
        (
            with(TextField::new("a").length_min(2).length_max(1).into()),
            RefusalCode::Unsatisfiable,
            "/properties/a/minLength",
        ),
        (
            with(ChoicesField::new("a").option("x").items_min(2).into()),
            RefusalCode::Unsatisfiable,
            "/properties/a/minItems",
        ),
        (
            with(IntegerField::new("a").minimum(1).default(0).into()),
            RefusalCode::Unsatisfiable,
            "/properties/a/default",
        ),
        (
            with(TextField::new("a").title("\u{1b}[2J").into()),
            RefusalCode::Strict,
            "/properties/a/title",
        ),
        (
            with(TextField::new("a").title("x".repeat(2000)).into()),
            RefusalCode::OverLimit,
            "/properties/a/title",
        ),
    ] {
        let refusal = refused(builder);
        assert_eq!((refusal.code, refusal.pointer.as_str()), (code, pointer));
    }
}

/// proves: FM-03, FM-13
#[test]
fn a_pointer_to_a_field_escapes_its_name_and_cuts_it_after_256_bytes() {
    let long = "x".repeat(300);
    for (name, written) in [("a/b~c", "a~1b~0c"), ("~1", "~01"), (&*long, &long[..256])] {
        let field = IntegerField::new(name).minimum(1).default(0);
        let refusal = FormBuilder::new().field(field).build().unwrap_err().refusal;
        assert_eq!(refusal.pointer, format!("/properties/{written}/default"));
        let format = format!(
            r#"{{"version":1,"fields":[{{"name":"{name}","kind":{{"text":{{"format":"x"}}}}}}]}}"#
        );
        let refusal = Form::from_canonical(&format, &Limits::default()).unwrap_err();
        assert_eq!(refusal.pointer, format!("/properties/{written}/format"));
    }
}

/// proves: FM-10
#[test]
fn a_form_as_data_reads_back_equal_and_names_no_protocol() {
    let form = everything().build().unwrap();
    let json = form.to_canonical();
    assert_eq!(Form::from_canonical(&json, &Limits::default()), Ok(form.clone()));
    assert_eq!(serde_json::from_str::<Form>(&json).unwrap(), form);
    for word in ["elicit", "requestedSchema", "properties", "mcp", "oneOf"] {
        assert!(!json.contains(word), "{word}");
    }
    // A decoder makes more: exclusive bounds, a title of the whole, numbers beyond a double.
    let schema = r#"{"type":"object","title":"T","description":"D","properties":{
        "x":{"type":"number","exclusiveMinimum":0,"maximum":123456789012345678901234567890}}}"#;
    let form = Form::from_schema(schema).unwrap();
    let json = form.to_canonical();
    assert!(json.contains(r#""maximum":{"value":"1.2345678901234567890123456789e+29"}"#), "{json}");
    assert_eq!(Form::from_canonical(&json, &Limits::default()), Ok(form));
    // A fraction that every parser reads alike is a number, not a string.
    let half = r#"{"type":"object","properties":{"x":{"type":"number","minimum":0.5}}}"#;
    let json = Form::from_schema(half).unwrap().to_canonical();
    assert!(json.contains(r#""minimum":{"value":0.5}"#), "{json}");
    // Canonical JSON that is longer than a schema may be reads back.
    let names: Vec<_> = (0..4096).map(|i| format!("\"{i}\"")).collect();
    let names = names.join(",");
    let field = |i| format!(r#""f{i}":{{"type":"string","enum":[{names}],"enumNames":[{names}]}}"#);
    let fields: Vec<_> = (0..3).map(field).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","));
    let form = Form::from_schema(&schema).unwrap();
    assert!(form.to_canonical().len() > 256 * 1024);
    assert_eq!(Form::from_canonical(&form.to_canonical(), &Limits::default()), Ok(form));
    // Quick parsers read some of these as the double next to the right one.
    for number in
        ["0.40444444444444444", "1234567890123450.10000042266468465", "5e-324", "0.1", "1e-22"]
    {
        let schema = format!(
            r#"{{"type":"object","properties":{{"x":{{"type":"number","minimum":{number}}}}}}}"#
        );
        let form = Form::from_schema(&schema).unwrap();
        let json = form.to_canonical();
        assert_eq!(Form::from_canonical(&json, &Limits::default()).as_ref(), Ok(&form), "{json}");
        assert_eq!(serde_json::from_str::<Form>(&json).unwrap(), form);
    }
}

/// proves: FM-10
#[test]
fn an_array_is_rejected_where_canonical_json_has_an_object() {
    let right = r#"{"version":1,"fields":[
        {"name":"t","kind":{"text":{"lengthMin":1}}},
        {"name":"n","kind":{"number":{"minimum":{"value":1}}}},
        {"name":"i","kind":{"integer":{"maximum":{"value":1}}}},
        {"name":"f","kind":{"flag":{"default":true}}},
        {"name":"c","kind":{"choice":{"options":[{"value":"a"}]}}},
        {"name":"s","kind":{"choices":{"options":[{"value":"b"}]}}}]}"#;
    let form = Form::from_canonical(right, &Limits::default()).unwrap();
    assert_eq!(serde_json::from_str::<Form>(right).unwrap(), form);
    for (object, list) in [
        (right, r#"[1,null,null,[]]"#),
        (
            r#"{"name":"f","kind":{"flag":{"default":true}}}"#,
            r#"["f",null,null,false,{"flag":{}}]"#,
        ),
        (r#"{"lengthMin":1}"#, "[1,null,null,null]"),
        (r#"{"minimum":{"value":1}}"#, r#"[{"value":1},null,null]"#),
        (r#"{"maximum":{"value":1}}"#, r#"[null,{"value":1},null]"#),
        (r#"{"value":1}"#, "[1,false]"),
        (r#"{"default":true}"#, "[true]"),
        (r#"{"flag":{"default":true}}"#, r#"["flag",{}]"#),
        (r#"{"options":[{"value":"a"}]}"#, r#"[[{"value":"a"}],null]"#),
        (r#"{"value":"a"}"#, r#"["a",null,null]"#),
        (r#"{"options":[{"value":"b"}]}"#, r#"[[{"value":"b"}],null,null,null]"#),
        (r#"{"value":"b"}"#, r#"["b",null,null]"#),
    ] {
        let wrong = right.replacen(object, list, 1);
        assert_ne!(wrong, right);
        let refusal = Form::from_canonical(&wrong, &Limits::default()).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::MalformedJson, "{wrong}");
        assert!(serde_json::from_str::<Form>(&wrong).is_err(), "{wrong}");
        let value: serde_json::Value = serde_json::from_str(&wrong).unwrap();
        assert!(serde_json::from_value::<Form>(value).is_err(), "{wrong}");
    }
}

/// proves: FM-04, FM-10
#[test]
fn data_that_was_read_can_be_written_and_read_again() {
    // Each number becomes longer when it is written again.
    let field =
        |i| format!(r#"{{"name":"{i}","kind":{{"integer":{{"minimum":{{"value":1e18}}}}}}}}"#);
    let fields: Vec<_> = (0..9).map(field).collect();
    let json = format!(r#"{{"version":1,"fields":[{}]}}"#, fields.join(","));
    let written = Form::from_canonical(&json, &Limits::default()).unwrap().to_canonical();
    assert!(written.len() > json.len() + 100);
    for schema_bytes_max in json.len() / 8..=written.len().div_ceil(8) {
        let limits = Limits::default().schema_bytes_max(schema_bytes_max);
        match Form::from_canonical(&json, &limits) {
            Ok(form) => {
                assert_eq!(Form::from_canonical(&form.to_canonical(), &limits).as_ref(), Ok(&form));
            }
            Err(refusal) => {
                assert_eq!(refusal.code, RefusalCode::OverLimit);
                assert!(written.len() > schema_bytes_max * 8);
            }
        }
    }
}

/// proves: FM-04, FM-10
#[test]
fn canonical_json_is_refused_where_a_schema_would_be() {
    let field = |kind: &str| format!(r#"{{"version":1,"fields":[{{"name":"a","kind":{kind}}}]}}"#);
    for (json, code) in [
        (r#"{"fields":[]}"#.into(), RefusalCode::MalformedJson),
        (r#"{"version":2,"fields":[]}"#.into(), RefusalCode::UnsupportedDialect),
        (r#"{"version":1,"fields":[],"more":1}"#.into(), RefusalCode::MalformedJson),
        (field(r#"{"text":{},"flag":{}}"#), RefusalCode::MalformedJson),
        (field(r#"{"text":{"format":"phone"}}"#), RefusalCode::OutsideSubset),
        (field(r#"{"choice":{"options":[]}}"#), RefusalCode::Unsatisfiable),
        (
            field(r#"{"choice":{"options":[{"value":"x"},{"value":"x"}]}}"#),
            RefusalCode::Unsatisfiable,
        ),
        (
            field(r#"{"integer":{"minimum":{"value":2},"maximum":{"value":1}}}"#),
            RefusalCode::Unsatisfiable,
        ),
        (field(r#"{"integer":{"default":0.5}}"#), RefusalCode::Unsatisfiable),
        (field(r#"{"number":{"default":100000000000000000001}}"#), RefusalCode::MalformedJson),
        (
            field(&format!(r#"{{"text":{{"default":"{}"}}}}"#, "x".repeat(9000))),
            RefusalCode::OverLimit,
        ),
        (" ".repeat(8 * 256 * 1024 + 1), RefusalCode::OverLimit),
    ] {
        let refusal = Form::from_canonical(&json, &Limits::default()).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        assert!(serde_json::from_str::<Form>(&json).is_err());
    }
    let no_number = r#"{"version":1,"fields":[{"name":"a","kind":{"number":{"default":true}}}]}"#;
    let error = serde_json::from_str::<Form>(no_number).unwrap_err();
    assert!(error.to_string().contains("expected a number, or a string of its digits"), "{error}");
    let named = |bytes| {
        let name = "x".repeat(bytes);
        let json =
            format!(r#"{{"version":1,"fields":[{{"name":"{name}","kind":{{"flag":{{}}}}}}]}}"#);
        Form::from_canonical(&json, &Limits::default())
    };
    assert!(named(1024).is_ok());
    let refusal = named(1025).unwrap_err();
    assert_eq!((refusal.code, &*refusal.pointer), (RefusalCode::OverLimit, "/fields"));
    let twice = r#"{"version":1,"fields":[{"name":"a","kind":{"flag":{}}},{"name":"a","kind":{"flag":{}}}]}"#;
    let refusal = Form::from_canonical(twice, &Limits::default()).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::DuplicateMember);
}
