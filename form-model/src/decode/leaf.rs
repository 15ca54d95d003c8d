//! The values of keywords: what a raw value is, no deeper than a keyword needs.

use alloc::{borrow::Cow, vec::Vec};
use core::fmt;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    path::Path,
    refuse::{Read, lone_surrogate, out_of_range, over_limit, unsatisfiable, wrong_type},
};
use crate::Number;

/// A JSON value. The contents of arrays and objects are left out.
pub(super) enum Leaf<'de> {
    Null,
    Flag,
    /// The text of the number.
    Number(&'de str),
    Text(Cow<'de, str>),
    Array,
    Object,
}

impl<'de> Leaf<'de> {
    /// Returns the text of a string, and refuses any other value.
    pub(super) fn text(self, path: &Path<'_>) -> Read<Cow<'de, str>> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Null | Self::Flag | Self::Number(_) | Self::Array | Self::Object => {
                Err(wrong_type(path, "a string", self.describe()))
            }
        }
    }

    pub(super) const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// Returns what a raw value is. The parser has checked its syntax.
pub(super) fn leaf<'de>(raw: &'de RawValue, path: &Path<'_>) -> Read<Leaf<'de>> {
    let text = raw.get();
    Ok(match text.as_bytes() {
        [b'n', ..] => Leaf::Null,
        [b't' | b'f', ..] => Leaf::Flag,
        [b'[', ..] => Leaf::Array,
        [b'{', ..] => Leaf::Object,
        [b'"', ..] => Leaf::Text(unquoted(text, path)?),
        _ => Leaf::Number(text),
    })
}

/// Returns the text of a JSON string whose syntax has been checked.
pub(super) fn unquoted<'de>(json: &'de str, path: &Path<'_>) -> Read<Cow<'de, str>> {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Ok(Cow::Borrowed(text)),
        _ => serde_json::from_str(json).map(Cow::Owned).map_err(|_| lone_surrogate(path)),
    }
}

/// Reads a string of at most `bytes_max` bytes.
pub(super) fn text<'de>(
    raw: &'de RawValue,
    path: &Path<'_>,
    bytes_max: usize,
) -> Read<Cow<'de, str>> {
    let text = leaf(raw, path)?.text(path)?;
    if text.len() > bytes_max {
        return Err(over_limit(path, "a text", "bytes", bytes_max));
    }
    Ok(text)
}

/// Reads a number.
pub(super) fn number(raw: &RawValue, path: &Path<'_>) -> Read<Number> {
    let found = leaf(raw, path)?;
    let Leaf::Number(text) = found else {
        return Err(wrong_type(path, "a number", found.describe()));
    };
    text.parse().map_err(|error| out_of_range(path, error))
}

/// Reads a length or a count: a whole number that is not negative.
pub(super) fn count(raw: &RawValue, path: &Path<'_>) -> Read<u64> {
    let number = number(raw, path)?;
    if number < Number::ZERO || !number.is_integer() {
        return Err(unsatisfiable(path, "expected a whole number that is not negative"));
    }
    Ok(number.to_u64().unwrap_or(u64::MAX))
}

/// The most elements of a list of types. There are seven types.
pub(super) const TYPES_MAX: usize = 8;

/// Reads the elements of an array, at most `count_max`, as raw values. Returns `None` for any other
/// value.
pub(super) fn elements<'de>(
    raw: &'de RawValue,
    path: &Path<'_>,
    count_max: usize,
) -> Read<Option<Vec<&'de RawValue>>> {
    if !matches!(leaf(raw, path)?, Leaf::Array) {
        return Ok(None);
    }
    match serde_json::Deserializer::from_str(raw.get()).deserialize_seq(Elements { count_max }) {
        Ok(elements) => Ok(Some(elements)),
        // The parser has checked the syntax of the array, so only the count can be wrong.
        Err(_) => Err(over_limit(path, "a list", "elements", count_max)),
    }
}

struct Elements {
    count_max: usize,
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = elements.next_element()? {
            if found.len() == self.count_max {
                return Err(A::Error::custom("too many elements"));
            }
            found.push(element);
        }
        Ok(found)
    }
}
