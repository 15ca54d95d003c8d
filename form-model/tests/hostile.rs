//! Schemas and answers that are hostile, or too large.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

use form_model::{Content, ContentError, Decoder, Form, Limits, NoteCode, Problem, RefusalCode};

fn refused(schema: &str) -> (RefusalCode, String) {
    let refusal = Form::from_schema(schema).unwrap_err();
    (refusal.code, refusal.pointer)
}

fn refused_within(limits: Limits, schema: &str) -> (RefusalCode, String) {
    let refusal = Decoder::new(limits).decode(schema).unwrap_err();
    (refusal.code, refusal.pointer)
}

fn property(schema: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#)
}

/// proves: FM-04
#[test]
fn every_limit_is_a_refusal_that_names_the_place() {
    let x = |count: usize| "x".repeat(count);
    let options = |count: usize| {
        let options: Vec<_> = (0..count).map(|index| format!("\"{index}\"")).collect();
        format!(r#"{{"type":"string","enum":[{}]}}"#, options.join(","))
    };
    let fields = |count: usize| {
        let fields: Vec<_> = (0..count).map(|i| format!(r#""f{i}":{{"type":"string"}}"#)).collect();
        format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","))
    };
    let unknown = |count: usize| {
        let words: Vec<_> = (0..count).map(|i| format!(r#""x{i}":1"#)).collect();
        property(&format!(r#"{{"type":"string",{}}}"#, words.join(",")))
    };
    let nested = |levels: usize| {
        property(&format!(
            r#"{{"type":"string","x":{}{}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        ))
    };
    let over = |schema: &str, pointer: &str| {
        assert_eq!(refused(schema), (RefusalCode::OverLimit, pointer.into()));
    };
    over(&format!("{}{{}}", " ".repeat(256 * 1024)), "");
    over(&fields(129), "/properties");
    assert!(Form::from_schema(&fields(128)).is_ok());
    over(&property(&options(4097)), "/properties/a/enum");
    assert!(Form::from_schema(&property(&options(4096))).is_ok());
    over(&unknown(65), "/properties/a/x64");
    assert!(Form::from_schema(&unknown(64)).is_ok());
    // A null counts as absent, but also as a member outside the subset.
    over(&unknown(65).replace(":1", ":null"), "/properties/a/x64");
    assert!(Form::from_schema(&unknown(64).replace(":1", ":null")).is_ok());
    let of_root = |count: usize| {
        let words: Vec<_> = (0..count).map(|i| format!(r#""x{i}":null"#)).collect();
        format!(r#"{{"type":"object","properties":{{}},{}}}"#, words.join(","))
    };
    over(&of_root(65), "/x64");
    assert!(Form::from_schema(&of_root(64)).is_ok());
    over(&nested(62), "/properties/a/x");
    assert!(Form::from_schema(&nested(61)).is_ok());
    over(&nested(100_000), "/properties/a/x");
    for (schema, place) in [
        (format!(r#"{{"type":"string","title":"{}"}}"#, x(1025)), "title"),
        (format!(r#"{{"type":"string","description":"{}"}}"#, x(8193)), "description"),
        (format!(r#"{{"type":"string","enum":["{}"]}}"#, x(1025)), "enum/0"),
        (format!(r#"{{"type":"string","oneOf":[{{"const":"{}"}}]}}"#, x(1025)), "oneOf/0/const"),
        (format!(r#"{{"type":"string","default":"{}"}}"#, x(8193)), "default"),
        (format!(r#"{{"type":"string","enum":["a"],"enumNames":["{}"]}}"#, x(1025)), "enumNames/0"),
    ] {
        over(&property(&schema), &format!("/properties/a/{place}"));
    }
    let named = |bytes| {
        format!(r#"{{"type":"object","properties":{{"{}":{{"type":"string"}}}}}}"#, x(bytes))
    };
    assert_eq!(refused(&named(1025)).0, RefusalCode::OverLimit);
    assert!(Form::from_schema(&named(1024)).is_ok());
    for largest in [
        format!(r#"{{"type":"string","title":"{}"}}"#, x(1024)),
        format!(r#"{{"type":"string","description":"{}"}}"#, x(8192)),
        format!(r#"{{"type":"string","enum":["{}"]}}"#, x(1024)),
        format!(r#"{{"type":"string","enum":["a"],"enumNames":["{}"]}}"#, x(1024)),
        // With its quotes.
        format!(r#"{{"type":"string","default":"{}"}}"#, x(8190)),
    ] {
        assert!(Form::from_schema(&property(&largest)).is_ok());
    }
    let one = Limits::default().fields_max(1);
    assert_eq!(refused_within(one, &fields(2)).0, RefusalCode::OverLimit);
    let schema = fields(1);
    let small = Limits::default().schema_bytes_max(10);
    assert_eq!(refused_within(small, &schema).0, RefusalCode::OverLimit);
    let exact = Limits::default().schema_bytes_max(schema.len());
    assert!(Decoder::new(exact.clone()).decode(&schema).is_ok());
    assert!(Decoder::new(exact).decode_bytes(schema.as_bytes()).is_ok());
    // The answer {"a":"xx"} has ten bytes.
    let room = Limits::default().answer_bytes_max(10);
    let long = |length| property(&format!(r#"{{"type":"string","minLength":{length}}}"#));
    assert!(Decoder::new(room.clone()).decode(&long(2)).is_ok());
    let too_long = (RefusalCode::Unsatisfiable, "/properties/a/minLength".into());
    assert_eq!(refused_within(room, &long(3)), too_long);
    let long = Decoder::default().decode_bytes(&[b' '; 300_000]);
    assert_eq!(long.unwrap_err().code, RefusalCode::OverLimit);
}

/// proves: FM-03, FM-05
#[test]
fn what_cannot_be_shown_or_satisfied_is_refused_at_its_place() {
    use RefusalCode::{
        DuplicateMember, LoneSurrogate, MalformedJson, NumberRange, OutsideSubset, Secret,
        Unsatisfiable, UnsupportedDialect, WrongType,
    };
    for (schema, code, pointer) in [
        ("", MalformedJson, ""),
        ("\u{feff}{}", MalformedJson, ""),
        ("null", WrongType, ""),
        ("[]", WrongType, ""),
        ("{}", OutsideSubset, ""),
        (
            r#"{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}"#,
            UnsupportedDialect,
            "/$schema",
        ),
        (r#"{"type":"object","properties":{},"oneOf":[]}"#, OutsideSubset, "/oneOf"),
        (r#"{"type":"object","properties":{},"type":"object"}"#, DuplicateMember, "/type"),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"\u0061":{}}}"#,
            DuplicateMember,
            "/properties/a",
        ),
        (r#"{"type":"object","properties":{"a":true}}"#, WrongType, "/properties/a"),
        (
            r#"{"type":"object","properties":{"a/b~":{"type":"object"}}}"#,
            OutsideSubset,
            "/properties/a~1b~0/type",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}"#,
            Unsatisfiable,
            "/required/0",
        ),
        (&property(r#"{"type":"string","title":"\ud800"}"#), LoneSurrogate, "/properties/a/title"),
        (&property(r#"{"type":"string","x":"\ud800"}"#), LoneSurrogate, "/properties/a/x"),
        (&property(r#"{"type":"string","type":"number"}"#), DuplicateMember, "/properties/a/type"),
        (&property(r#"{"type":"number","maximum":1e999}"#), NumberRange, "/properties/a/maximum"),
        (&property(r#"{"type":"number","x":1e999}"#), NumberRange, "/properties/a/x"),
        (&property(r#"{"type":"string","format":"password"}"#), Secret, "/properties/a/format"),
        (
            &property(r#"{"type":"integer","minimum":0.1,"maximum":0.9}"#),
            Unsatisfiable,
            "/properties/a",
        ),
        (
            &property(r#"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}"#),
            Unsatisfiable,
            "/properties/a",
        ),
        (
            &property(r#"{"type":"number","minimum":1,"exclusiveMaximum":1}"#),
            Unsatisfiable,
            "/properties/a",
        ),
        (
            &property(
                r#"{"type":"string","oneOf":[{"const":"x","title":"1"},{"const":"x","title":"2"}]}"#,
            ),
            Unsatisfiable,
            "/properties/a/oneOf/1",
        ),
        (
            &property(r#"{"type":"string","enum":["x"],"oneOf":[{"const":"y","title":"Y"}]}"#),
            OutsideSubset,
            "/properties/a/enum",
        ),
        (
            &property(r#"{"type":"string","anyOf":[{"type":"null"},{"type":"integer"}]}"#),
            OutsideSubset,
            "/properties/a/anyOf",
        ),
        (
            &property(r#"{"type":"array","items":{"type":"string"}}"#),
            OutsideSubset,
            "/properties/a/items",
        ),
    ] {
        assert_eq!(refused(schema), (code, pointer.into()), "{schema}");
    }
}

/// proves: FM-03, FM-05
#[test]
fn integers_too_large_to_count_one_by_one_still_have_others_between_them() {
    for (bounds, fits) in [
        (r#""exclusiveMinimum":1e38,"maximum":2e38"#, true),
        (r#""exclusiveMinimum":99999999999999999999999999999999999999,"maximum":1e300"#, true),
        (r#""exclusiveMinimum":1e38,"exclusiveMaximum":1e38"#, false),
        (r#""exclusiveMinimum":-1e38,"maximum":-2e38"#, false),
        (r#""minimum":10000000000000000.5,"maximum":10000000000000001"#, true),
        (r#""minimum":10000000000000000.5,"exclusiveMaximum":10000000000000001"#, false),
    ] {
        let schema = property(&format!(r#"{{"type":"integer",{bounds}}}"#));
        assert_eq!(Form::from_schema(&schema).is_ok(), fits, "{bounds}");
    }
    let schema = property(r#"{"type":"integer","minimum":10000000000000000.5}"#);
    let form = Form::from_schema(&schema).unwrap();
    let accepts = |json| form.accept(Content::decode(json, &Limits::default()).unwrap()).is_ok();
    assert!(!accepts(r#"{"a":10000000000000000}"#) && accepts(r#"{"a":10000000000000001}"#));
}

/// proves: FM-04
#[test]
fn repeated_options_cost_no_more_than_sorting_them() {
    let values: Vec<_> = (0..4096).map(|i| format!("\"{}\"", i % 26)).collect();
    let fields: Vec<_> = (0..10)
        .map(|i| format!(r#""f{i}":{{"type":"string","enum":[{}]}}"#, values.join(",")))
        .collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","));
    // To compare each with each would take a minute.
    let decoded = Decoder::default().decode(&schema).unwrap();
    let form_model::Kind::Choice(choice) = decoded.form.fields()[0].kind() else { unreachable!() };
    assert_eq!(choice.options.len(), 26);
    assert_eq!(choice.options[25].value, "25");
    assert_eq!(decoded.notes.len(), 10);
}

/// proves: FM-04
#[test]
fn a_field_is_bounded_in_schemas_and_notes() {
    let branches = vec!["{}"; 4000].join(",");
    let schema = property(&format!(r#"{{"anyOf":[{{"anyOf":[{branches}]}},{{}}]}}"#));
    assert_eq!(
        refused(&schema),
        (RefusalCode::OutsideSubset, "/properties/a/anyOf/0/anyOf/0".into())
    );
    let option = |i: usize| format!(r#"{{"const":"{i}","title":"T{i}","a":1,"b":1,"c":1,"d":1}}"#);
    let options: Vec<_> = (0..400).map(option).collect();
    let schema = property(&format!(r#"{{"type":"string","oneOf":[{}]}}"#, options.join(",")));
    assert_eq!(refused(&schema), (RefusalCode::OverLimit, "/properties/a/oneOf/256/a".into()));
    let unknown: Vec<_> = (0..65).map(|i| format!(r#""x{i}":1"#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{}},{}}}"#, unknown.join(","));
    assert_eq!(refused(&schema), (RefusalCode::OverLimit, "/x64".into()));
}

/// proves: FM-03
#[test]
fn keywords_of_items_other_than_options_are_noted() {
    for (items, notes) in [
        (r#"{"type":"string","enum":["a"]}"#, vec![]),
        (r#"{"anyOf":[{"const":"a","title":"A"}]}"#, vec![]),
        (r#"{"type":["string","null"],"enum":["a"]}"#, vec!["normalized:nullable@/type"]),
        (
            r#"{"type":"string","enum":["a"],"minItems":3,"maximum":1,"default":"a","title":"T"}"#,
            vec![
                "ignored:keyword@/title",
                "ignored:keyword@/default",
                "ignored:keyword@/minItems",
                "ignored:keyword@/maximum",
            ],
        ),
        (
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
            vec!["normalized:options@/oneOf"],
        ),
        (r#"{"type":"string","anyOf":[{"const":"a"}]}"#, vec!["normalized:options@/anyOf"]),
    ] {
        let schema = property(&format!(r#"{{"type":"array","items":{items}}}"#));
        let decoded = Decoder::default().decode(&schema).unwrap();
        let found: Vec<_> = decoded
            .notes
            .iter()
            .map(|note| note.to_string().replace("/properties/a/items", ""))
            .collect();
        assert_eq!(found, notes, "{items}");
    }
}

/// proves: FM-03
#[test]
fn a_pointer_names_the_place_in_the_original_document() {
    for (field, pointer) in [
        (r#"{"anyOf":[{"type":"string","format":"password"},{"type":"null"}]}"#, "/anyOf/0/format"),
        (
            r#"{"title":"T","oneOf":[{"type":"null"},{"type":"integer","minimum":2,"maximum":1}]}"#,
            "/oneOf/1",
        ),
        (
            r#"{"anyOf":[{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"a","title":"B"}]}},{"type":"null"}]}"#,
            "/anyOf/0/items/anyOf/1",
        ),
        (
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"a","title":"B"}]}}"#,
            "/items/anyOf/1",
        ),
        (r#"{"type":"array","format":"password","items":{"enum":["a"]}}"#, "/format"),
        (r#"{"type":"integer","format":"password"}"#, "/format"),
        (r#"{"type":"string","format":"date","maxLength":5}"#, "/format"),
        (r#"{"type":"string","format":"date-time","minLength":21,"maxLength":21}"#, "/format"),
        (r#"{"type":"string","format":"email","minLength":300}"#, "/format"),
        (r#"{"type":"string","minLength":262137}"#, "/minLength"),
        (r#"{"type":"string","x":{"k":"\ud800"}}"#, "/x"),
    ] {
        let found = refused(&property(field)).1;
        assert_eq!(found, format!("/properties/a{pointer}"), "{field}");
    }
    let default = property(r#"{"default":7,"anyOf":[{"type":"string"},{"type":"null"}]}"#);
    let notes = Decoder::default().decode(&default).unwrap().notes;
    assert_eq!(notes[1].to_string(), "dropped:default@/properties/a/default");
    let default = property(r#"{"anyOf":[{"type":"string","default":7},{"type":"null"}]}"#);
    let notes = Decoder::default().decode(&default).unwrap().notes;
    assert_eq!(notes[1].to_string(), "dropped:default@/properties/a/anyOf/0/default");
    assert!(Form::from_schema(&property(r#"{"type":"string","minLength":262136}"#)).is_ok());
}

/// proves: FM-03
#[test]
fn a_value_that_is_not_decoded_is_checked() {
    for (value, code) in [
        (r#"{"k":"\ud800"}"#, RefusalCode::LoneSurrogate),
        (r#"{"\ud800x":1}"#, RefusalCode::LoneSurrogate),
        ("[1e999]", RefusalCode::NumberRange),
        (r#"{"k":1,"k":2}"#, RefusalCode::DuplicateMember),
    ] {
        assert_eq!(
            refused(&property(&format!(r#"{{"type":"string","x":{value}}}"#))).0,
            code,
            "{value}"
        );
    }
    let long = "1".repeat(40);
    for value in [long.clone(), format!("[{long}]")] {
        let schema = property(&format!(r#"{{"type":"string","x":{value}}}"#));
        assert!(Form::from_schema(&schema).is_ok(), "{value}");
    }
}

/// proves: FM-03
#[test]
fn a_pattern_is_noted_and_never_run() {
    let schema =
        property(r#"{"type":"string","pattern":"(?<=x)(a{1,1000000000}){1,1000000000}("}"#);
    let decoded = Decoder::default().decode(&schema).unwrap();
    assert_eq!(decoded.notes[0].code, NoteCode::UnenforcedPattern);
    let long = "a".repeat(100_000);
    assert!(decoded.form.accept(Content::new().with_text("a", long)).is_ok());
}

/// proves: FM-03
#[test]
fn strict_mode_refuses_what_would_be_noted() {
    let strict = Decoder::new(Limits::default()).strict();
    for (schema, pointer) in [
        (property(r#"{"type":"string","pattern":"x"}"#), "/properties/a/pattern"),
        (property(r#"{"type":["string","null"]}"#), "/properties/a/type"),
        (property(r#"{"type":"string","default":7}"#), "/properties/a/default"),
        (r#"{"type":"object"}"#.into(), "/properties"),
        (
            r#"{"type":"object","properties":{"password":{"type":"string"}}}"#.into(),
            "/properties/password",
        ),
    ] {
        let refusal = strict.decode(&schema).unwrap_err();
        assert_eq!((refusal.code, refusal.pointer.as_str()), (RefusalCode::Strict, pointer));
        assert!(Decoder::default().decode(&schema).is_ok());
    }
    let warned = r#"{"type":"object","properties":{"password":{"type":"string"}}}"#;
    let decoded = strict.clone().allowing_warnings().decode(warned).unwrap();
    assert_eq!(decoded.notes[0].code, NoteCode::WarnSecret);
    assert!(decoded.form.fields()[0].looks_secret());
}

/// proves: FM-03
#[test]
fn a_parsed_schema_is_read_by_the_same_rules_as_its_text() {
    let schema = property(r#"{"type":"integer","minimum":9007199254740993,"title":null}"#);
    let value: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(Decoder::default().decode_value(&value), Decoder::default().decode(&schema));
    let over = serde_json::Value::String("x".repeat(300_000));
    assert_eq!(Decoder::default().decode_value(&over).unwrap_err().code, RefusalCode::OverLimit);
}

/// proves: FM-04, FM-06
#[test]
fn answers_that_are_not_objects_or_too_large_are_refused() {
    let limits = Limits::default().answer_bytes_max(20);
    let decode = |json: &str| Content::decode(json, &limits);
    for wrong in ["", "7", "[]", "null", "{", "{} x", r#"{"a":01}"#] {
        assert_eq!(decode(wrong), Err(ContentError::NotAnObject), "{wrong}");
    }
    assert_eq!(decode(r#"{"a":1,"\u0061":1}"#), Err(ContentError::Duplicate));
    assert_eq!(decode(&" ".repeat(21)), Err(ContentError::OverLimit { bytes_max: 20 }));
    assert!(decode("{}").is_ok());
}

/// proves: FM-04, FM-05
#[test]
fn a_form_is_accepted_exactly_if_its_shortest_answer_fits() {
    // Properties, and the shortest answer to all of them.
    for (properties, shortest) in [
        ("", "{}"),
        (r#""a":{"type":"string"}"#, r#"{"a":""}"#),
        (r#""\n\u0001é\"":{"type":"string","minLength":3}"#, r#"{"\n\u0001é\"":"xxx"}"#),
        (r#""m":{"type":"string","format":"email"}"#, r#"{"m":"a@b"}"#),
        (r#""u":{"type":"string","format":"uri","minLength":5}"#, r#"{"u":"a:bcd"}"#),
        (r#""d":{"type":"string","format":"date"}"#, r#"{"d":"2026-07-28"}"#),
        (
            r#""t":{"type":"string","format":"date-time","minLength":21}"#,
            r#"{"t":"2026-07-28T12:00:00.0Z"}"#,
        ),
        (r#""n":{"type":"number","exclusiveMinimum":0}"#, r#"{"n":1}"#),
        (r#""n":{"type":"number","minimum":0.25,"maximum":0.5}"#, r#"{"n":0.5}"#),
        (r#""i":{"type":"integer","maximum":-12.5,"minimum":-20}"#, r#"{"i":-20}"#),
        (r#""f":{"type":"boolean"}"#, r#"{"f":true}"#),
        (r#""c":{"type":"string","enum":["long","a\"","ééé"]}"#, r#"{"c":"a\""}"#),
        (
            r#""s":{"type":"array","items":{"enum":["long","x","","yy"]},"minItems":3}"#,
            r#"{"s":["x","","yy"]}"#,
        ),
        (r#""s":{"type":"array","items":{"enum":["long"]}}"#, r#"{"s":[]}"#),
        (
            r#""a":{"type":"string","minLength":9},"b":{"type":"boolean"}"#,
            r#"{"a":"xxxxxxxxx","b":true}"#,
        ),
    ] {
        let names: serde_json::Value = serde_json::from_str(shortest).unwrap();
        let names: Vec<_> = names.as_object().unwrap().keys().collect();
        let required = serde_json::to_string(&names).unwrap();
        let schema =
            format!(r#"{{"type":"object","properties":{{{properties}}},"required":{required}}}"#);
        let within = |answer_bytes_max| Limits::default().answer_bytes_max(answer_bytes_max);
        let limits = within(shortest.len());
        let form = Decoder::new(limits.clone()).decode(&schema).unwrap().form;
        let answer = form.accept(Content::decode(shortest, &limits).unwrap()).unwrap();
        assert_eq!(answer.to_json(), shortest);
        assert_eq!(Form::from_canonical(&form.to_canonical(), &limits).unwrap(), form);
        let tight = within(shortest.len() - 1);
        let refusal = Decoder::new(tight.clone()).decode(&schema).unwrap_err();
        let place = refusal.pointer.strip_prefix("/properties/");
        assert_eq!(place.is_some(), !names.is_empty(), "{refusal} {schema}");
        assert!(Form::from_canonical(&form.to_canonical(), &tight).is_err(), "{schema}");
        // An optional field must have room too, beside the required ones.
        let optional = schema.replace(&format!(r#","required":{required}"#), "");
        let room = if names.len() < 2 { &tight } else { &within(14) };
        let refused = Decoder::new(room.clone()).decode(&optional).is_err();
        assert!(refused || shortest == "{}", "{schema}");
    }
    let beside = r#"{"type":"object","properties":{"a":{"type":"string","minLength":9},
        "b":{"type":"boolean"}},"required":["a"]}"#;
    let at = |answer_bytes_max| {
        refused_within(Limits::default().answer_bytes_max(answer_bytes_max), beside)
    };
    assert_eq!(at(25), (RefusalCode::OverLimit, "/properties/b".into()));
    let refusal = Decoder::new(Limits::default().answer_bytes_max(25)).decode(beside).unwrap_err();
    let message = "expected an optional field that fits into an answer of at most 25 bytes";
    assert_eq!(refusal.message, message);
    assert!(Decoder::new(Limits::default().answer_bytes_max(26)).decode(beside).is_ok());
}

/// proves: FM-06
#[test]
fn all_errors_come_at_once_in_the_order_of_the_form_and_without_the_answer() {
    let form = Form::from_schema(
        r#"{"type":"object","properties":{
            "s":{"type":"string","minLength":2},"n":{"type":"integer","maximum":3},"b":{"type":"boolean"},
            "m":{"type":"array","items":{"enum":["x","y"]}}},"required":["b"]}"#,
    )
    .unwrap();
    let json = r#"{"SENTINEL":1,"m":["x","x"],"n":1e3,"s":"é"}"#;
    let errors = form.accept(Content::decode(json, &Limits::default()).unwrap()).unwrap_err();
    let found: Vec<_> =
        errors.iter().map(|error| (error.field.as_str(), error.problem.code())).collect();
    assert_eq!(
        found,
        [
            ("s", "too-short"),
            ("n", "too-large"),
            ("b", "missing"),
            ("m", "repeated"),
            ("SENTINEL", "unknown")
        ]
    );
    let escape = r#"{"type":"object","properties":{"\u001b[31mred":{"type":"string"}},"required":["\u001b[31mred"]}"#;
    let missing = Form::from_schema(escape).unwrap().accept(Content::new()).unwrap_err();
    assert_eq!(missing.to_string(), "\u{fffd}[31mred must be answered");
    assert_eq!(errors.iter().next().unwrap().problem, Problem::TooShort { length_min: 2 });
    let seen = format!("{errors:?} {errors}");
    assert!(!seen.contains("SENTINEL") && !seen.contains("1e3") && !seen.contains("é"), "{seen}");
}
