//! JSON of any kind, and other spellings of it.

use proptest::{collection::vec, prelude::*};
use serde_json::Value;

/// Any JSON whose numbers are integers, so that equal values are equal JSON.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-2_i32..12).prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("[a-cé😀]{0,2}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Writes JSON as another library might: members in reverse, numbers with a fraction or an
/// exponent, characters escaped, white space.
pub(crate) fn respell(value: &Value, styles: &mut impl Iterator<Item = u8>) -> String {
    let style = styles.next().unwrap();
    let space = ["", " ", "\n\t"][usize::from(style % 3)];
    let text = |text: &str| -> String {
        if style & 4 == 0 {
            return Value::from(text).to_string();
        }
        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
        format!("\"{}\"", units.collect::<String>())
    };
    let written = match value {
        Value::Number(number) => match style & 3 {
            0 => format!("{number}.0"),
            1 => format!("{number}e0"),
            2 if number.as_i64() == Some(0) => "-0".into(),
            2 => format!("{number}0E-1"),
            _ => number.to_string(),
        },
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| respell(item, styles)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members = members.iter().rev();
            let members: Vec<_> = members
                .map(|(name, value)| format!("{}:{}", text(name), respell(value, styles)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Null | Value::Bool(_) => value.to_string(),
    };
    format!("{space}{written}{space}")
}
