//! The values of an answer, and their JSON.

use alloc::{string::String, vec::Vec};
use core::fmt::{self, Write as _};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use crate::{
    Number, NumberError,
    json::{Object, write_array, write_text},
    number_map::double_of_map,
};

/// A value of an answer.
///
/// The enum is exhaustive, so that code that shows or writes answers must handle every kind of
/// value.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// A text, or the value of an option.
    Text(String),
    /// A number.
    Number(Number),
    /// Yes or no.
    Flag(bool),
    /// The values of the selected options.
    Choices(Vec<String>),
    /// A value that no field can accept. The value itself is not kept.
    Unusable(Unusable),
}

/// A kind of JSON value that no field can accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// `null`.
    Null,
    /// An object.
    Object,
    /// An array with an element that is not a string.
    List,
    /// A number that [`Number`] cannot hold, such as `1e999`. [`Value`]'s `Deserialize` reads every
    /// number beyond 64 bits as this.
    Number,
    /// A string with an unpaired surrogate, such as `"\ud800"`.
    Text,
}

impl Unusable {
    /// Returns JSON of the same kind. The value itself is not kept.
    const fn example(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Object => "{}",
            Self::List => "[null]",
            Self::Number => "1e999",
            Self::Text => r#""\ud800""#,
        }
    }
}

/// Writes only the kind and the size of the value, because it may be a secret.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Number(_) => f.write_str("Number(..)"),
            Self::Flag(_) => f.write_str("Flag(..)"),
            Self::Choices(values) => write!(f, "Choices({} values)", values.len()),
            Self::Unusable(kind) => write!(f, "Unusable({kind:?})"),
        }
    }
}

impl Value {
    /// Reads a JSON value whose syntax has been checked. `number` reads a number.
    pub(crate) fn from_json(
        text: &str,
        number: impl FnOnce(&str) -> Result<Number, NumberError>,
    ) -> Self {
        match text.as_bytes() {
            [b'n', ..] => Self::Unusable(Unusable::Null),
            [b't', ..] => Self::Flag(true),
            [b'f', ..] => Self::Flag(false),
            [b'{', ..] => Self::Unusable(Unusable::Object),
            [b'"', ..] => {
                serde_json::from_str(text).map_or(Self::Unusable(Unusable::Text), Self::Text)
            }
            [b'[', ..] => {
                serde_json::from_str(text).map_or(Self::Unusable(Unusable::List), Self::Choices)
            }
            _ => number(text).map_or(Self::Unusable(Unusable::Number), Self::Number),
        }
    }

    /// Appends the value as JSON.
    fn write_json(&self, json: &mut String) {
        match self {
            Self::Text(text) => write_text(text, json),
            Self::Number(number) => {
                let _ = write!(json, "{number}");
            }
            Self::Flag(flag) => json.push_str(if *flag { "true" } else { "false" }),
            Self::Choices(values) => {
                write_array(values, json, |value, json| write_text(value, json))
            }
            Self::Unusable(kind) => json.push_str(kind.example()),
        }
    }
}

/// Writes named values as a JSON object.
pub(crate) fn to_json(entries: &[(String, Value)]) -> String {
    let mut object = Object::new();
    for (name, value) in entries {
        value.write_json(object.member(name));
    }
    object.end()
}

/// Implements `From` for the type of a variant, and for types that convert into it.
macro_rules! from_values {
    ($($type:ty => $variant:ident,)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
from_values! {
    &str => Text, String => Text, bool => Flag, Number => Number, i32 => Number, i64 => Number,
    u32 => Number, u64 => Number, Vec<String> => Choices,
}

impl From<&[&str]> for Value {
    fn from(values: &[&str]) -> Self {
        Self::Choices(values.iter().map(|value| (*value).into()).collect())
    }
}

impl<'de> Deserialize<'de> for Value {
    /// Reads a value from any deserializer. A number beyond 64 bits becomes [`Unusable::Number`],
    /// because the deserializer may have rounded it.
    /// [`Content::decode`](crate::Content::decode) reads such numbers exactly.
    ///
    /// If you deserialize from a `serde_json::Value`, or inside a tagged or untagged enum or
    /// `flatten`, an object may be read as a number: see [`Number`]'s `Deserialize`.
    ///
    /// # Errors
    ///
    /// An error of the deserializer, for example at a number that it cannot read.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of an answer")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Unusable(Unusable::Null))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i128<E>(self, _: i128) -> Result<Value, E> {
        Ok(Value::Unusable(Unusable::Number))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Value, E> {
        Ok(Value::Unusable(Unusable::Number))
    }

    fn visit_f64<E>(self, double: f64) -> Result<Value, E> {
        let number = Number::from_parsed(double);
        Ok(number.map_or(Value::Unusable(Unusable::Number), Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut texts = Some(Vec::new());
        while let Some(element) = elements.next_element()? {
            if let (Value::Text(text), Some(texts)) = (element, &mut texts) {
                texts.push(text);
            } else {
                texts = None;
            }
        }
        Ok(texts.map_or(Value::Unusable(Unusable::List), Value::Choices))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        match double_of_map(members)? {
            Some(double) => self.visit_f64(double),
            None => Ok(Value::Unusable(Unusable::Object)),
        }
    }
}
