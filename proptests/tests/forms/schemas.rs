//! Schemas made of the keywords that the decoder knows: right ones, odd ones, broken ones.

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{Index, select},
};

/// Keywords that any field may have, fitting or not.
const KEYWORDS: [&str; 32] = [
    "type",
    "title",
    "description",
    "format",
    "enum",
    "enumNames",
    "const",
    "oneOf",
    "anyOf",
    "items",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "default",
    "$ref",
    "allOf",
    "not",
    "properties",
    "required",
    "pattern",
    "multipleOf",
    "$schema",
    "additionalProperties",
    "nullable",
    "x-unknown",
    r"t\u0079pe",
    "",
];

/// Values that may stand behind a keyword, fitting or not.
const VALUES: [&str; 44] = [
    r#""string""#,
    r#""integer""#,
    r#""array""#,
    r#""object""#,
    r#""null""#,
    r#"["string","null"]"#,
    r#"["integer"]"#,
    r#""email""#,
    r#""date""#,
    r#""password""#,
    r#""a""#,
    r#""\u0000\u202e\n""#,
    r#""\ud800""#,
    r#""""#,
    r#""a@b.c""#,
    r#""2026-02-29""#,
    "null",
    "true",
    "0",
    "1",
    "-1",
    "2.0",
    "1.5",
    "1e2",
    "1e999",
    "9007199254740993",
    "1e-400",
    "18446744073709551616",
    "0.30000000000000004",
    "[]",
    "{}",
    "[[[[[]]]]]",
    r#"["a"]"#,
    r#"["a","b","a"]"#,
    r#"["A","B","A"]"#,
    r#"["a",null]"#,
    "[1,2]",
    r#"[{"const":"a","title":"A"},{"const":"b","title":"B"}]"#,
    r#"[{"const":"a"},{"const":"b","title":"B","description":"d"}]"#,
    r#"[{"type":"null"},{"type":"string","minLength":1}]"#,
    r#"{"type":"string","enum":["a","b"]}"#,
    r#"{"anyOf":[{"const":"a","title":"A"},{"const":"b"}]}"#,
    r#"{"type":"object","properties":{}}"#,
    r#""https://json-schema.org/draft/2020-12/schema""#,
];

fn texts() -> impl Strategy<Value = &'static str> {
    select(vec![
        r#""Name""#,
        r#""""#,
        r#""größer 😀""#,
        r#""a\u0000\u202eb\nc""#,
        r#""\"\\\/""#,
        "\"\u{200b}\"",
    ])
}

fn numbers() -> impl Strategy<Value = &'static str> {
    select(vec![
        "0",
        "1",
        "-1",
        "3",
        "-0.0",
        "1.5",
        "2.50",
        "1e2",
        "1E+2",
        "9007199254740993",
        "-1e-7",
        "1e300",
        "1e-400",
        "0.1",
        "99999999999999999999999999999999999999",
        "0.30000000000000004",
    ])
}

fn counts() -> impl Strategy<Value = &'static str> {
    select(vec!["0", "1", "2", "3.0", "1e1", "1e300"])
}

fn formats() -> impl Strategy<Value = &'static str> {
    select(vec![r#""email""#, r#""uri""#, r#""date""#, r#""date-time""#, r#""uuid""#])
}

/// Writes members, of which each is there or not.
fn members(of: Vec<(&'static str, BoxedStrategy<&'static str>)>) -> BoxedStrategy<Vec<String>> {
    let each: Vec<_> = of
        .into_iter()
        .map(|(name, value)| {
            option::weighted(0.3, value)
                .prop_map(move |value| value.map(|value| format!("\"{name}\":{value}")))
        })
        .collect();
    each.prop_map(|members| members.into_iter().flatten().collect()).boxed()
}

fn kind() -> impl Strategy<Value = Vec<String>> {
    let with = |start: &'static str, rest: BoxedStrategy<Vec<String>>| {
        rest.prop_map(move |rest| [vec![start.to_owned()], rest].concat()).boxed()
    };
    let text = vec![
        ("minLength", counts().boxed()),
        ("maxLength", counts().boxed()),
        ("format", formats().boxed()),
        ("default", texts().boxed()),
    ];
    let numeric = || {
        vec![
            ("minimum", numbers().boxed()),
            ("maximum", numbers().boxed()),
            ("exclusiveMinimum", numbers().boxed()),
            ("exclusiveMaximum", numbers().boxed()),
            ("default", numbers().boxed()),
        ]
    };
    let flag = vec![("default", select(vec!["true", "false", "\"true\""]).boxed())];
    let choice = || {
        let names = select(vec![r#"["A","B","C"]"#, r#"["A","A","\u0007"]"#, r#"["A"]"#]);
        vec![
            ("enumNames", names.boxed()),
            ("default", select(vec![r#""a""#, r#""z""#]).boxed()),
            ("maxLength", counts().boxed()),
        ]
    };
    let choices = || {
        let default = select(vec![r#"["a"]"#, r#"["b","a"]"#, "[]", r#"["a","a"]"#, r#"["z"]"#]);
        vec![
            ("minItems", counts().boxed()),
            ("maxItems", counts().boxed()),
            ("default", default.boxed()),
        ]
    };
    prop_oneof![
        with(r#""type":"string""#, members(text)),
        with(r#""type":"number""#, members(numeric())),
        with(r#""type":"integer""#, members(numeric())),
        with(r#""type":"boolean""#, members(flag)),
        with(r#""type":"string","enum":["a","\u0000é",""]"#, members(choice())),
        with(r#""enum":["a","b","a",null]"#, members(choice())),
        with(
            r#""type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":""}]"#,
            members(choice()),
        ),
        with(r#""const":"a""#, members(choice())),
        with(
            r#""type":"array","items":{"type":"string","enum":["a","b","c"]}"#,
            members(choices())
        ),
        with(
            r#""type":"array","items":{"anyOf":[{"const":"b","title":"B"},{"const":"a"}]}"#,
            members(choices()),
        ),
        with(
            r#""type":"array","items":{"oneOf":[{"const":"a","title":"A","description":"\n"}]}"#,
            members(choices()),
        ),
    ]
}

fn field() -> impl Strategy<Value = String> {
    let shown = members(vec![("title", texts().boxed()), ("description", texts().boxed())]);
    let odd = vec((select(KEYWORDS.to_vec()), select(VALUES.to_vec())), 0..2)
        .prop_map(|odd| odd.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect());
    let odd = prop_oneof![4 => Just(Vec::new()), 1 => odd];
    (shown, kind(), odd).prop_map(|(shown, kind, odd): (_, _, Vec<String>)| {
        format!("{{{}}}", [shown, kind, odd].concat().join(","))
    })
}

/// Writes schemas of which most are forms.
pub(crate) fn schema() -> impl Strategy<Value = String> {
    const NAMES: [&str; 6] = ["a", "é", r"\u0000", r#"\"}"#, "", "0"];
    let fields = vec((field(), any::<bool>()), 0..=NAMES.len());
    let root = members(vec![("title", texts().boxed()), ("description", texts().boxed())]);
    (root, fields).prop_map(|(mut root, fields)| {
        let named: Vec<_> = NAMES.into_iter().zip(fields).collect();
        let properties: Vec<_> =
            named.iter().map(|(name, (field, _))| format!("\"{name}\":{field}")).collect();
        let required = named.iter().filter(|(_, (_, required))| *required);
        let required: Vec<_> = required.map(|(name, _)| format!("\"{name}\"")).collect();
        root.push(r#""type":"object""#.into());
        root.push(format!("\"properties\":{{{}}}", properties.join(",")));
        if !required.is_empty() {
            root.push(format!("\"required\":[{}]", required.join(",")));
        }
        format!("{{{}}}", root.join(","))
    })
}

/// A change of a text.
#[derive(Clone, Debug)]
enum Change {
    Delete(Index, Index),
    Repeat(Index, Index),
    Insert(Index, &'static str),
    Replace(Index, u8),
    Truncate(Index),
}

/// Writes schemas that are cut, spliced and scribbled on.
pub(crate) fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let at = any::<Index>;
    let pieces: Vec<_> = KEYWORDS
        .into_iter()
        .chain(VALUES)
        .chain(["{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud800", "\u{feff}", " "])
        .collect();
    let change = prop_oneof![
        (at(), at()).prop_map(|(from, to)| Change::Delete(from, to)),
        (at(), at()).prop_map(|(from, to)| Change::Repeat(from, to)),
        (at(), select(pieces)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        at().prop_map(Change::Truncate),
    ];
    (schema(), vec(change, 1..4)).prop_map(|(schema, changes)| {
        changes.iter().fold(schema.into_bytes(), |bytes, change| change.made(bytes))
    })
}

impl Change {
    fn made(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        let length = bytes.len();
        let span = |from: &Index, to: &Index| {
            let (a, b) = (from.index(length), to.index(length));
            // A short piece is more often a whole token than a long one.
            a.min(b)..a.max(b).min(a.min(b) + 24)
        };
        match self {
            Self::Delete(from, to) => drop(bytes.drain(span(from, to))),
            Self::Repeat(from, to) => {
                let piece = bytes[span(from, to)].to_vec();
                let at = to.index(length);
                bytes.splice(at..at, piece);
            }
            Self::Insert(at, piece) => {
                let at = at.index(length);
                bytes.splice(at..at, piece.bytes());
            }
            Self::Replace(at, byte) => bytes[at.index(length)] = *byte,
            Self::Truncate(at) => bytes.truncate(at.index(length)),
        }
        bytes
    }
}
