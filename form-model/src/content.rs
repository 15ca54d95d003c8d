//! An answer that no form has checked yet.

use alloc::{string::String, vec::Vec};
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::{Answer, Limits, Number, NumberError, Value, value::to_json};

/// An answer that no form has checked yet: named values, each name once.
///
/// [`Form::accept`](crate::Form::accept) checks it. Its values may be secrets, so `Debug` shows
/// none and there is no `Serialize`. [`Content::to_json`] writes them.
///
/// ```
/// use form_model::{Content, Limits};
///
/// let made = Content::new().with("environment", "staging").with("confirm", true);
/// let read = Content::decode(r#"{"environment":"staging","confirm":true}"#, &Limits::default())?;
/// assert_eq!(made, read);
/// # Ok::<(), form_model::ContentError>(())
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct Content {
    pub(crate) entries: Vec<(String, Value)>,
}

/// Why an answer could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The text is not a JSON object.
    #[error("expected a JSON object with the values of the answer")]
    NotAnObject,
    /// The object has two members with the same name.
    #[error("expected each name once, found a repeated name")]
    Duplicate,
    /// The text is longer than [`Limits::answer_bytes_max`](field@Limits::answer_bytes_max).
    #[error("expected an answer of at most {bytes_max} bytes")]
    OverLimit {
        /// The limit, in bytes of JSON text.
        bytes_max: usize,
    },
}

impl Content {
    /// Makes content without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Sets the value of a name. A value that the name already has is replaced.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(name.into(), value.into());
        self
    }

    /// Sets the value of a name to a text, or to the value of an option.
    #[must_use]
    pub fn with_text(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(name, text.into())
    }

    /// Sets the value of a name to yes or no.
    #[must_use]
    pub fn with_flag(self, name: impl Into<String>, flag: bool) -> Self {
        self.with(name, flag)
    }

    /// Sets the value of a name to a number.
    #[must_use]
    pub fn with_number(self, name: impl Into<String>, number: impl Into<Number>) -> Self {
        self.with(name, number.into())
    }

    /// Sets the value of a name to the values of the selected options.
    #[must_use]
    pub fn with_choices<V: Into<String>>(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.with(name, values.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Writes the values as a JSON object.
    ///
    /// The original of a [`Value::Unusable`] is not kept. A placeholder of the same kind is
    /// written, such as `{}` for an object.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(&self.entries)
    }

    /// Decodes an answer from its JSON text.
    ///
    /// A value that no field can accept becomes [`Value::Unusable`].
    /// [`Form::accept`](crate::Form::accept) then reports the error at the right field.
    ///
    /// # Errors
    ///
    /// - [`ContentError::OverLimit`] if the text is longer than
    ///   [`Limits::answer_bytes_max`](field@Limits::answer_bytes_max)
    /// - [`ContentError::NotAnObject`] if the text is not a JSON object
    /// - [`ContentError::Duplicate`] if the object has two members with the same name
    pub fn decode(json: &str, limits: &Limits) -> Result<Self, ContentError> {
        Self::read(json, limits, Number::parse_nearest)
    }

    /// Decodes content from the JSON text that [`Content::to_json`] wrote, without rounding.
    ///
    /// It reads as [`Content::decode`] does, except that a number keeps all its digits. `decode`
    /// rounds fractions of more than 17 digits. To read back an answer that you recorded, use this
    /// function: the result is equal to what was written. A number of more than 38 significant
    /// digits becomes [`Unusable::Number`](crate::Unusable::Number).
    ///
    /// ```
    /// use form_model::{Content, Limits, Number};
    ///
    /// let number: Number = "0.1234567890123456789".parse()?;
    /// let content = Content::new().with_number("a", number);
    /// let read = Content::decode_exact(&content.to_json(), &Limits::default())?;
    /// assert_eq!(read, content);
    /// assert_ne!(Content::decode(&content.to_json(), &Limits::default())?, content);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Content::decode`].
    pub fn decode_exact(json: &str, limits: &Limits) -> Result<Self, ContentError> {
        Self::read(json, limits, str::parse)
    }

    /// Decodes content. `number` reads the text of a number.
    fn read(
        json: &str,
        limits: &Limits,
        number: fn(&str) -> Result<Number, NumberError>,
    ) -> Result<Self, ContentError> {
        let bytes_max = limits.answer_bytes_max;
        if json.len() > bytes_max {
            return Err(ContentError::OverLimit { bytes_max });
        }
        let mut parser = serde_json::Deserializer::from_str(json);
        let members = parser.deserialize_map(Members::<&RawValue>(PhantomData));
        let members = members.map_err(|_| ContentError::NotAnObject)?.into_iter();
        let content = Self {
            entries: members
                .map(|(name, raw)| (name, Value::from_json(raw.get(), number)))
                .collect(),
        };
        if content.has_a_name_twice() {
            return Err(ContentError::Duplicate);
        }
        parser.end().map_err(|_| ContentError::NotAnObject)?;
        Ok(content)
    }

    fn set(&mut self, name: String, value: Value) {
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.entries.push((name, value)),
        }
    }

    fn has_a_name_twice(&self) -> bool {
        let mut names: Vec<&str> = self.entries.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
    }
}

/// Writes only the number of values: a name or a value may be a secret.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({} values)", self.entries.len())
    }
}

/// A visitor that returns the members of an object in their order, repeated names included.
struct Members<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Members<V> {
    type Value = Vec<(String, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object with the values of the answer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = members.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

impl<'de> Deserialize<'de> for Content {
    /// Reads content within the default limits: an object in which each name comes once.
    ///
    /// Prefer [`Content::decode`] for JSON text. A deserializer may round numbers. It may also fail
    /// at a value that `decode` keeps as [`Value::Unusable`]. If you deserialize from a
    /// `serde_json::Value`, or inside a tagged or untagged enum or `flatten`, an object may be read
    /// as a number: see [`Number`]'s `Deserialize`.
    ///
    /// # Errors
    ///
    /// - An error of the deserializer, for example if the value is not an object
    /// - An error with the message of [`ContentError::Duplicate`] if a name comes twice
    /// - An error with the message of [`ContentError::OverLimit`] if the JSON that
    ///   [`Content::to_json`] writes is longer than the default
    ///   [`Limits::answer_bytes_max`](field@Limits::answer_bytes_max)
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = deserializer.deserialize_map(Members::<Value>(PhantomData))?;
        let content = Self { entries };
        let bytes_max = Limits::default().answer_bytes_max;
        if content.has_a_name_twice() {
            return Err(D::Error::custom(ContentError::Duplicate));
        }
        if content.to_json().len() > bytes_max {
            return Err(D::Error::custom(ContentError::OverLimit { bytes_max }));
        }
        Ok(content)
    }
}

/// Sets each value in turn, as [`Content::with`] does.
impl<N: Into<String>, V: Into<Value>> Extend<(N, V)> for Content {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, entries: I) {
        for (name, value) in entries {
            self.set(name.into(), value.into());
        }
    }
}

/// Collects named values. If a name comes twice, the later value is kept.
impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Content {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut content = Self::new();
        content.extend(entries);
        content
    }
}

impl From<Answer> for Content {
    fn from(answer: Answer) -> Self {
        Self { entries: answer.entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: CL-23
    #[test]
    fn content_reads_back_as_it_is_written() {
        let all = r#"{"a":null,"b":{"c":1},"d":[1],"e":1e999,"f":"\ud800","g":["x"],"h":1.50}"#;
        let content = Content::decode(all, &Limits::default()).unwrap();
        let written = r#"{"a":null,"b":{},"d":[null],"e":1e999,"f":"\ud800","g":["x"],"h":1.5}"#;
        assert_eq!(content.to_json(), written);
        assert_eq!(Content::decode(written, &Limits::default()), Ok(content));
    }
}
