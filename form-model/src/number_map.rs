//! Numbers that `serde_json` visits as maps.
//!
//! With its feature `arbitrary_precision`, `serde_json` visits some numbers as a map. Its only key
//! is a private name, and its value is the text of the number. A peer can write an object with that
//! name, too. It is not a number, and [`double_of_map`] tells the two apart.

use alloc::string::String;
use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};

use crate::{Number, NumberError, Value};

/// The key of such a map.
const NUMBER: &str = "$serde_json::private::Number";
/// The name by which a deserializer of `serde_json` is asked for the JSON text of a value.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Reads the members of a map, and returns the number if the map is one. It is the `f64` that
/// `serde_json` makes of the number without `arbitrary_precision`.
///
/// # Errors
///
/// An error of the deserializer. A number that is out of the range of an `f64`, at any depth, as
/// without `arbitrary_precision`.
pub(crate) fn double_of_map<'de, A: MapAccess<'de>>(
    mut members: A,
) -> Result<Option<f64>, A::Error> {
    let mut text = None;
    if let Some(name) = members.next_key::<String>()? {
        if name == NUMBER {
            text = members.next_value::<TextOfNumber>()?.0;
        } else {
            members.next_value::<Value>()?;
        }
    }
    while members.next_key::<IgnoredAny>()?.is_some() {
        members.next_value::<Value>()?;
        text = None;
    }
    let is_number = |text: &String| text.parse::<Number>() != Err(NumberError::Syntax);
    match text.filter(|text| has_arbitrary_precision() && is_number(text)) {
        None => Ok(None),
        Some(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|_| A::Error::custom("number out of range")),
    }
}

/// Returns whether `serde_json` has its feature `arbitrary_precision`.
fn has_arbitrary_precision() -> bool {
    serde_json::from_str::<serde_json::Number>("1e400").is_ok()
}

/// The text of a number, or nothing if the value was written in an object.
struct TextOfNumber(Option<String>);

impl<'de> Deserialize<'de> for TextOfNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The parser, and a `serde_json::Value`, answer with the JSON text as a map. The text of a
        // number has no such answer: it is visited as a string.
        deserializer.deserialize_newtype_struct(RAW_VALUE, TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(members).map(|_| None)
    }

    /// Reads a value that serde has buffered. A number and an object look alike there.
    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Text(text) => Some(text),
            Value::Number(_) | Value::Flag(_) | Value::Choices(_) | Value::Unusable(_) => None,
        })
    }
}
