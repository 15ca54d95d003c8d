//! Faults that were planted by hand, and that nothing else noticed: what is first and last of many,
//! bytes that are not characters, and the place of a third.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use form_model::{Content, ContentError, Decoder, Form, Limits, Problem, RefusalCode};

/// The sizes at which an algorithm for few may give way to one for many, and beyond.
const SIZES: [usize; 12] = [2, 3, 7, 8, 9, 10, 15, 16, 17, 18, 33, 130];

/// A character of four bytes.
const WIDE: &str = "\u{1f600}";

/// Lists where the same thing may stand twice among `many`.
fn places(many: usize) -> Vec<[usize; 2]> {
    let middle = many / 2;
    let all = [[0, many - 1], [0, middle], [middle, many - 1], [many - 2, many - 1]];
    all.into_iter().filter(|[one, other]| one < other).collect()
}

/// Names `many` things, two of them alike.
fn names(many: usize, [one, other]: [usize; 2]) -> Vec<String> {
    (0..many).map(|at| if at == other { one } else { at }).map(|at| format!("n{at}")).collect()
}

/// proves: FM-06
#[test]
fn a_name_that_comes_twice_in_content_is_refused_however_far_apart() {
    for many in SIZES {
        for twice in places(many) {
            let members: Vec<_> =
                names(many, twice).iter().map(|name| format!("{name:?}:1")).collect();
            let plain = format!("{{{}}}", members.join(","));
            // The second is spelled with an escape.
            let at = plain.rfind("\"n").unwrap() + 1;
            let escaped = format!("{}\\u006e{}", &plain[..at], &plain[at + 1..]);
            for json in [plain, escaped] {
                let limits = Limits::default();
                let duplicate = Err(ContentError::Duplicate);
                assert_eq!(Content::decode(&json, &limits), duplicate, "{json}");
                assert_eq!(Content::decode_exact(&json, &limits), duplicate, "{json}");
                assert!(serde_json::from_str::<Content>(&json).is_err(), "{json}");
            }
        }
    }
}

/// proves: FM-06
#[test]
fn a_selection_that_comes_twice_is_refused_however_far_apart() {
    let options: Vec<_> = (0..200).map(|at| format!("\"n{at}\"")).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{"m":{{"type":"array","items":{{"enum":[{}]}}}}}}}}"#,
        options.join(",")
    );
    let form = Form::from_schema(&schema).unwrap();
    for many in SIZES {
        let once: Vec<_> = (0..many).map(|at| format!("n{at}")).collect();
        assert!(form.accept(Content::new().with_choices("m", once)).is_ok(), "{many}");
        for twice in places(many) {
            let errors = form.accept(Content::new().with_choices("m", names(many, twice)));
            let errors = errors.unwrap_err();
            let found: Vec<_> = errors.iter().map(|error| error.problem.clone()).collect();
            assert_eq!(found, [Problem::Repeated], "{many} {twice:?}");
        }
    }
}

/// proves: FM-03
#[test]
fn a_member_of_a_schema_that_comes_twice_is_refused_at_its_place_however_far_apart() {
    for many in SIZES.into_iter().filter(|many| *many <= 128) {
        for twice in places(many) {
            let fields: Vec<_> = names(many, twice)
                .iter()
                .map(|name| format!(r#""{name}":{{"type":"boolean"}}"#))
                .collect();
            let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","));
            let refusal = Form::from_schema(&schema).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::DuplicateMember);
            assert_eq!(refusal.pointer, format!("/properties/n{}", twice[0]));
        }
    }
}

/// proves: FM-05
#[test]
fn a_constant_under_another_title_is_refused_at_its_own_place() {
    for many in SIZES {
        for twice in places(many) {
            let branches: Vec<_> = names(many, twice)
                .iter()
                .enumerate()
                .map(|(at, name)| format!(r#"{{"const":"{name}","title":"t{at}"}}"#))
                .collect();
            let schema = format!(
                r#"{{"type":"object","properties":{{"c":{{"type":"string","oneOf":[{}]}}}}}}"#,
                branches.join(",")
            );
            let refusal = Form::from_schema(&schema).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::Unsatisfiable);
            assert_eq!(refusal.pointer, format!("/properties/c/oneOf/{}", twice[1]));
        }
    }
    // The third of one value is at fault, not the second, which says the same as the first.
    let schema = r#"{"type":"object","properties":{"c":{"type":"string",
        "enum":["a","b","a","c","a"],"enumNames":["A","B","A","C","another"]}}}"#;
    assert_eq!(Form::from_schema(schema).unwrap_err().pointer, "/properties/c/enum/4");
}

/// proves: FM-03
#[test]
fn enum_beside_titled_options_lists_the_same_values_and_no_more_and_no_fewer() {
    let single = |values: &str| {
        format!(
            r#"{{"type":"string","enum":{values},
            "oneOf":[{{"const":"a","title":"A"}},{{"const":"b","title":"B"}}]}}"#
        )
    };
    let multiple = |values: &str| {
        format!(
            r#"{{"type":"array","items":{{"enum":{values},
            "anyOf":[{{"const":"a","title":"A"}},{{"const":"b","title":"B"}}]}}}}"#
        )
    };
    for (values, agrees) in [
        (r#"["a","b"]"#, true),
        (r#"["b","a"]"#, true),
        (r#"["a","b","c"]"#, false),
        (r#"["c","a","b"]"#, false),
        (r#"["a"]"#, false),
        (r#"["b"]"#, false),
        (r#"["a","c"]"#, false),
    ] {
        for field in [single(values), multiple(values)] {
            let schema = format!(r#"{{"type":"object","properties":{{"c":{field}}}}}"#);
            assert_eq!(Form::from_schema(&schema).is_ok(), agrees, "{schema}");
        }
    }
}

/// proves: FM-04
#[test]
fn limits_count_bytes_and_not_characters() {
    let schema = |field: &str| format!(r#"{{"type":"object","properties":{{{field}}}}}"#);
    let limits = || Limits::default();
    let small = 40;
    type Case = (fn(Limits, usize) -> Limits, fn(&str) -> String);
    let cases: [Case; 5] = [
        (Limits::name_bytes_max, |text| format!(r#""{text}":{{"type":"boolean"}}"#)),
        (Limits::title_bytes_max, |text| format!(r#""a":{{"type":"boolean","title":"{text}"}}"#)),
        (Limits::description_bytes_max, |text| {
            format!(r#""a":{{"type":"boolean","description":"{text}"}}"#)
        }),
        (Limits::option_bytes_max, |text| format!(r#""a":{{"type":"string","enum":["{text}"]}}"#)),
        (Limits::title_bytes_max, |text| {
            format!(r#""a":{{"type":"string","oneOf":[{{"const":"a","title":"{text}"}}]}}"#)
        }),
    ];
    for (limit, field) in cases {
        let decoder = Decoder::new(limit(limits(), small));
        let at_most = schema(&field(&WIDE.repeat(small / 4)));
        assert!(decoder.decode(&at_most).is_ok(), "{at_most}");
        for over in [format!("{}a", WIDE.repeat(small / 4)), WIDE.repeat(small / 4 + 1)] {
            let refusal = decoder.decode(&schema(&field(&over))).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::OverLimit, "{over}");
        }
    }
    let text = schema(&format!(r#""a":{{"type":"string","title":"{WIDE}"}}"#));
    let decode = |max| Decoder::new(limits().schema_bytes_max(max)).decode(&text);
    assert!(decode(text.len()).is_ok());
    assert_eq!(decode(text.len() - 1).unwrap_err().code, RefusalCode::OverLimit);
    let content = format!(r#"{{"a":"{}"}}"#, WIDE.repeat(8));
    let decode = |max| Content::decode(&content, &limits().answer_bytes_max(max));
    assert!(decode(content.len()).is_ok());
    assert_eq!(
        decode(content.len() - 1),
        Err(ContentError::OverLimit { bytes_max: content.len() - 1 })
    );
}
