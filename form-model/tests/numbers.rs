//! Numbers wherever a value may stand. `serde_json`'s features `arbitrary_precision` and
//! `preserve_order` change nothing: run these tests with each of them too.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use form_model::{
    Content, ContentError, Decoder, Form, Limits, Number, RefusalCode, Unusable, Value,
};
use serde::{Deserialize, Serialize};

/// Numbers of every size and notation.
const NUMBERS: [&str; 9] =
    ["0", "-5", "0.5", "1.5", "-1e-7", "1e300", "18446744073709551616", "-0", "1.0"];

/// proves: FM-03
#[test]
fn a_number_in_the_place_of_an_object_is_refused_at_its_place() {
    for number in NUMBERS.iter().chain(&["1e999", "-1e400"]) {
        for (schema, pointer) in [
            ((*number).to_owned(), ""),
            (format!(r#"{{"type":"object","properties":{number}}}"#), "/properties"),
            (format!(r#"{{"type":"object","properties":{{"a":{number}}}}}"#), "/properties/a"),
            (
                format!(r#"{{"type":"object","properties":{{"a":{{"items":{number}}}}}}}"#),
                "/properties/a/items",
            ),
        ] {
            let refusal = Form::from_schema(&schema).unwrap_err();
            assert_eq!((refusal.code, &*refusal.pointer), (RefusalCode::WrongType, pointer));
            assert_eq!(refusal.message, "expected an object, found a number");
        }
    }
}

/// proves: FM-03, FM-04
#[test]
fn a_number_that_is_not_decoded_is_checked_and_is_no_level() {
    let decode = |value: &str| {
        let schema =
            format!(r#"{{"type":"object","properties":{{"a":{{"type":"string","x":{value}}}}}}}"#);
        Decoder::new(Limits::default().depth_max(5)).decode(&schema)
    };
    for number in NUMBERS {
        for value in [format!("[[{number}]]"), format!(r#"{{"k":[{number}]}}"#)] {
            assert_eq!(decode(&value).unwrap().notes.len(), 1, "{value}");
        }
        let deeper = decode(&format!("[[[{number}]]]")).unwrap_err();
        assert_eq!(deeper.code, RefusalCode::OverLimit);
    }
    for value in ["1e999", "[1e999]", r#"{"k":-1e999}"#, r#"[{"k":2e308}]"#] {
        let refusal = decode(value).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::NumberRange, "{value}");
    }
    // Brackets, quotes and digits within strings are text.
    assert!(decode(r#"["]}[[[[{\"", {"a\\":"1e999"}, "\\\""]"#).is_ok());
    assert!(decode("[ 1 , 2\n,\t{ } ,[ ] ]").is_ok());
}

fn canonical(number: &str) -> String {
    format!(
        r#"{{"version":1,"fields":[{{"name":"a","kind":{{"number":{{"minimum":{{"value":{number}}}}}}}}}]}}"#
    )
}

/// proves: FM-10
#[test]
fn canonical_numbers_read_back_from_text_and_from_values() {
    for (number, written) in [
        ("0", "0"),
        ("-5", "-5"),
        ("0.5", "0.5"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("5.0", "5"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e-7", "1e-7"),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551615", "18446744073709551615"),
        (r#""18446744073709551616""#, r#""18446744073709551616""#),
        (r#""0.1234567890123456789""#, r#""0.1234567890123456789""#),
    ] {
        let json = canonical(number);
        let form = Form::from_canonical(&json, &Limits::default()).unwrap();
        assert_eq!(form.to_canonical(), canonical(written));
        assert_eq!(serde_json::from_str::<Form>(&json).unwrap(), form);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::from_value::<Form>(value).unwrap(), form);
        let value = serde_json::to_value(&form).unwrap();
        assert_eq!(serde_json::from_value::<Form>(value).unwrap(), form);
    }
    for number in ["18446744073709551616", "1e300", "1e999", "{}", r#"{"a":"1"}"#, "[1]", "true"] {
        let json = canonical(number);
        let refusal = Form::from_canonical(&json, &Limits::default()).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::MalformedJson, "{number}");
        assert!(serde_json::from_str::<Form>(&json).is_err());
    }
}

/// An enum whose values serde buffers before it reads them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Tagged {
    Number { number: Number },
    Form { form: Form },
}

/// proves: FM-10
#[test]
fn numbers_and_forms_read_back_through_the_buffer_of_a_tagged_enum() {
    for number in ["7", "-0.5", "1e-7"] {
        let form = Form::from_canonical(&canonical(number), &Limits::default()).unwrap();
        for tagged in [Tagged::Number { number: number.parse().unwrap() }, Tagged::Form { form }] {
            let json = serde_json::to_string(&tagged).unwrap();
            assert_eq!(serde_json::from_str::<Tagged>(&json).unwrap(), tagged, "{json}");
        }
    }
}

fn decoded(json: &str) -> Result<Content, ContentError> {
    Content::decode(json, &Limits::default())
}

/// proves: FM-06
#[test]
fn content_deserializes_as_it_decodes() {
    let json = r#"{"t":"x","n":1.5,"i":-3,"l":9007199254740993,"b":true,"c":["x","y"],"e":[],
        "null":null,"o":{"k":{"l":1.5}},"m":["x",1.5],"d":[[]],"escape\u0064":"\u00e9"}"#;
    let content = decoded(json).unwrap();
    assert_eq!(serde_json::from_str::<Content>(json).unwrap(), content);
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    let sorted =
        |content: &Content| serde_json::from_str::<serde_json::Value>(&content.to_json()).unwrap();
    assert_eq!(sorted(&serde_json::from_value(value).unwrap()), sorted(&content));
    for number in NUMBERS {
        let json = format!(r#"{{"a":{number}}}"#);
        let content = decoded(&json).unwrap();
        let read: Content = serde_json::from_str(&json).unwrap();
        let is_beyond_64_bits = ["1e300", "18446744073709551616"].contains(&number);
        let unusable = Content::new().with("a", Value::Unusable(Unusable::Number));
        assert_eq!(read, if is_beyond_64_bits { unusable } else { content }, "{number}");
    }
    for wrong in
        ["null", "[]", "7", "1.5", r#"{"a":1,"a":2}"#, r#"{"a":1e999}"#, r#"{"a":{"b":[1e999]}}"#]
    {
        assert!(serde_json::from_str::<Content>(wrong).is_err(), "{wrong}");
    }
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(256 * 1024));
    assert!(serde_json::from_str::<Content>(&long).is_err());
    let longest = format!(r#"{{"a":"{}"}}"#, "x".repeat(256 * 1024 - 8));
    assert!(serde_json::from_str::<Content>(&longest).is_ok());
}

/// proves: FM-06
#[test]
fn a_number_of_an_answer_is_read_and_written_alike() {
    for (number, written) in [("1.5", "1.5"), ("1e2", "100"), ("1e20", "100000000000000000000")] {
        let json = format!(r#"{{"a":{number}}}"#);
        assert_eq!(decoded(&json).unwrap().to_json(), format!(r#"{{"a":{written}}}"#));
        let form = Form::from_schema(r#"{"type":"object","properties":{"a":{"type":"number"}}}"#);
        let answer = form.unwrap().accept(decoded(&json).unwrap()).unwrap();
        let value = answer.parse::<serde_json::Value>().unwrap();
        assert_eq!(value["a"].as_f64(), number.parse().ok());
    }
}

#[test]
fn content_collects_named_values_and_keeps_the_last_of_a_name() {
    let number: Number = "0.5".parse().unwrap();
    let mut content: Content =
        [("a", Value::from("x")), ("b", true.into()), ("c", number.into())].into_iter().collect();
    content.extend([("d".to_owned(), Value::from(vec!["y".to_owned()]))]);
    content.extend([("a", 7_i64), ("e", -1)]);
    assert_eq!(content.to_json(), r#"{"a":7,"b":true,"c":0.5,"d":["y"],"e":-1}"#);
}

/// Names that `serde_json` uses within itself, in maps that stand for a number or for any value.
const PRIVATE_NAMES: [&str; 2] = ["$serde_json::private::Number", "$serde_json::private::RawValue"];

/// Returns objects that a careless reader takes for a number.
fn objects_like_numbers() -> Vec<String> {
    let values = [r#""5""#, r#""0.5""#, r#""0\u002e5""#, r#""1e400""#, r#""x""#, "0.5", "null"];
    let mut objects = Vec::new();
    for name in PRIVATE_NAMES {
        for value in values {
            objects.push(format!(r#"{{"{name}":{value}}}"#));
            objects.push(format!(r#"{{"{name}":{value},"{name}":{value}}}"#));
            objects.push(format!(r#"{{"a":1.5,"{name}":{value}}}"#));
            objects.push(format!(r#"{{"{name}":{{"{name}":{value}}}}}"#));
        }
        objects.push(format!(r#"{{"\u0024{}":"0.5"}}"#, &name[1..]));
    }
    objects
}

/// proves: FM-03, FM-06, FM-10
#[test]
fn an_object_with_a_private_name_of_serde_json_is_no_number() {
    for object in objects_like_numbers() {
        let unusable = |json: &str, kind| {
            let content = Content::new().with("a", Value::Unusable(kind));
            assert_eq!(decoded(json).unwrap(), content, "{json}");
            assert_eq!(Content::decode_exact(json, &Limits::default()).unwrap(), content);
            assert_eq!(serde_json::from_str::<Content>(json).unwrap(), content, "{json}");
            assert_eq!(serde_json::from_reader::<_, Content>(json.as_bytes()).unwrap(), content);
        };
        unusable(&format!(r#"{{"a":{object}}}"#), Unusable::Object);
        unusable(&format!(r#"{{"a":{{"b":[{object}]}}}}"#), Unusable::Object);
        unusable(&format!(r#"{{"a":["x",{object}]}}"#), Unusable::List);

        assert!(serde_json::from_str::<Number>(&object).is_err(), "{object}");
        assert!(serde_json::from_reader::<_, Number>(object.as_bytes()).is_err(), "{object}");

        let bound = canonical(&object);
        let default = format!(
            r#"{{"version":1,"fields":[{{"name":"a","kind":{{"integer":{{"default":{object}}}}}}}]}}"#
        );
        let length = format!(
            r#"{{"version":1,"fields":[{{"name":"a","kind":{{"text":{{"lengthMax":{object}}}}}}}]}}"#
        );
        for json in [bound, default, length] {
            let refusal = Form::from_canonical(&json, &Limits::default()).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::MalformedJson, "{json}");
            assert!(serde_json::from_str::<Form>(&json).is_err(), "{json}");
        }

        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"number","minimum":{object}}}}}}}"#
        );
        let refusal = Form::from_schema(&schema).unwrap_err();
        assert_eq!(&*refusal.pointer, "/properties/a/minimum");
        assert_eq!(refusal.message, "expected a number, found an object", "{schema}");
    }
}

/// proves: FM-06
#[test]
fn content_whose_only_name_is_private_to_serde_json_is_content() {
    for name in PRIVATE_NAMES {
        let json = format!(r#"{{"{name}":"0.5"}}"#);
        let content = Content::new().with(name, "0.5");
        assert_eq!(decoded(&json).unwrap(), content);
        assert_eq!(serde_json::from_str::<Content>(&json).unwrap(), content);
    }
}

/// proves: FM-06
#[test]
fn deep_objects_with_a_private_name_do_not_overflow_the_stack() {
    for name in PRIVATE_NAMES {
        let levels = 5_000;
        let deep = format!("{}1{}", format!(r#"{{"{name}":"#).repeat(levels), "}".repeat(levels));
        let json = format!(r#"{{"a":{deep}}}"#);
        assert_eq!(decoded(&json).unwrap().to_json(), r#"{"a":{}}"#);
        if let Ok(content) = serde_json::from_str::<Content>(&json) {
            assert_eq!(content.to_json(), r#"{"a":{}}"#);
        }
        assert!(serde_json::from_str::<Number>(&deep).is_err());
    }
}

/// Without `arbitrary_precision`, no number is visited as a map, so that not even a buffer of serde
/// makes an object a number. With it, `Number`'s `Deserialize` documents that a buffer does.
///
/// proves: FM-10
#[test]
fn a_buffered_object_is_a_number_only_where_numbers_are_visited_as_objects() {
    let has_arbitrary_precision = serde_json::from_str::<serde_json::Number>("1e400").is_ok();
    let tagged = |number: &str| {
        serde_json::from_str::<Tagged>(&format!(r#"{{"type":"number","number":{number}}}"#))
    };
    let object = r#"{"$serde_json::private::Number":"0.5"}"#;
    assert_eq!(tagged(object).is_ok(), has_arbitrary_precision);
    for object in [
        r#"{"$serde_json::private::Number":"x"}"#,
        r#"{"$serde_json::private::Number":" 5"}"#,
        r#"{"$serde_json::private::Number":5}"#,
        r#"{"$serde_json::private::Number":"5","a":1}"#,
        r#"{"a":1,"$serde_json::private::Number":"5"}"#,
        r#"{"$serde_json::private::RawValue":"5"}"#,
        "{}",
    ] {
        assert!(tagged(object).is_err(), "{object}");
    }
}

/// proves: CL-23
#[test]
fn content_that_this_crate_wrote_reads_back_exactly() {
    for number in [
        "0.1234567890123456789",
        "-0.12345678901234567890123456789012345678",
        "0.30000000000000001",
        "99999999999999999999999999999999999999",
        "1.2345678901234567890123456789012345678e300",
        "1e-325",
        "0",
    ] {
        let content = Content::new()
            .with_number("n", number.parse::<Number>().unwrap())
            .with_choices::<&str>("none", [])
            .with("null", Value::Unusable(Unusable::Null))
            .with("number", Value::Unusable(Unusable::Number));
        let json = content.to_json();
        assert_eq!(Content::decode_exact(&json, &Limits::default()).unwrap(), content, "{json}");
    }
    let json = r#"{"a":0.123456789012345678901234567890123456789}"#;
    let unusable = Content::new().with("a", Value::Unusable(Unusable::Number));
    assert_eq!(Content::decode_exact(json, &Limits::default()).unwrap(), unusable);
    let limits = Limits::default().answer_bytes_max(2);
    let over = Content::decode_exact(r#"{"a":1}"#, &limits);
    assert_eq!(over, Err(ContentError::OverLimit { bytes_max: 2 }));
    let twice = Content::decode_exact(r#"{"a":1,"a":1}"#, &Limits::default());
    assert_eq!(twice, Err(ContentError::Duplicate));
}
