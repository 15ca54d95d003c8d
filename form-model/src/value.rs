//! What a person answers, before and after a form has checked it.

use alloc::{string::String, vec::Vec};
use core::fmt;

use serde::{
    Deserializer as _,
    de::{DeserializeOwned, Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::{Limits, Number};

/// Is one value of an answer.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// A text, or the value of one option.
    Text(String),
    /// A number.
    Number(Number),
    /// Yes or no.
    Flag(bool),
    /// The values of the selected options.
    Choices(Vec<String>),
    /// What no field takes: null, an object, a list of other things than texts.
    Unusable(Unusable),
}

/// Names a value that no field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// null.
    Null,
    /// An object.
    Object,
    /// A list that holds something other than a text.
    List,
    /// A number that no peer reads, such as 1e999.
    Number,
    /// A text with an unpaired surrogate.
    Text,
}

impl Unusable {
    /// Returns JSON that reads as the same: what the value was is not kept.
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

impl fmt::Debug for Value {
    /// Writes what the value is, never the value itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Number(_) => f.write_str("Number(..)"),
            Self::Flag(_) => f.write_str("Flag(..)"),
            Self::Choices(values) => write!(f, "Choices({} values)", values.len()),
            Self::Unusable(what) => write!(f, "Unusable({what:?})"),
        }
    }
}

impl Value {
    /// Reads one JSON value whose syntax has been checked.
    pub(crate) fn from_json(text: &str) -> Self {
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
            _ => Number::parse_nearest(text).map_or(Self::Unusable(Unusable::Number), Self::Number),
        }
    }

    fn write_json(&self, json: &mut String) {
        match self {
            Self::Text(text) => write_text(text, json),
            Self::Number(number) => {
                use fmt::Write as _;
                let _ = write!(json, "{number}");
            }
            Self::Flag(flag) => json.push_str(if *flag { "true" } else { "false" }),
            Self::Choices(values) => {
                json.push('[');
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    write_text(value, json);
                }
                json.push(']');
            }
            Self::Unusable(what) => json.push_str(what.example()),
        }
    }
}

/// Writes a text as a JSON string.
pub(crate) fn write_text(text: &str, json: &mut String) {
    // Serialising a string to memory can not fail.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Is what somebody wants to answer: named values that no form has checked yet.
///
/// ```
/// use form_model::{Content, Limits};
///
/// let typed = Content::new().with_text("environment", "staging").with_flag("confirm", true);
/// let read = Content::decode(r#"{"environment":"staging","confirm":true}"#, &Limits::default())?;
/// assert_eq!(typed, read);
/// # Ok::<(), form_model::ContentError>(())
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct Content {
    pub(crate) entries: Vec<(String, Value)>,
}

/// Says why a text is no [`Content`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The text is not a JSON object.
    #[error("expected an object of answers")]
    NotAnObject,
    /// The object names a member twice.
    #[error("expected each answer once, found one twice")]
    Duplicate,
    /// The text is larger than [`Limits::answer_bytes_max`].
    #[error("expected an answer of at most {bytes_max} bytes")]
    OverLimit {
        /// The limit.
        bytes_max: usize,
    },
}

impl Content {
    /// Makes a content without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Adds a value. A name that is already there gets the new value.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: Value) -> Self {
        let name = name.into();
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.entries.push((name, value)),
        }
        self
    }

    /// Adds a text, or the value of an option.
    #[must_use]
    pub fn with_text(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(name, Value::Text(text.into()))
    }

    /// Adds yes or no.
    #[must_use]
    pub fn with_flag(self, name: impl Into<String>, flag: bool) -> Self {
        self.with(name, Value::Flag(flag))
    }

    /// Adds a number.
    #[must_use]
    pub fn with_number(self, name: impl Into<String>, number: impl Into<Number>) -> Self {
        self.with(name, Value::Number(number.into()))
    }

    /// Adds the values of the selected options.
    #[must_use]
    pub fn with_choices<V: Into<String>>(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.with(name, Value::Choices(values.into_iter().map(Into::into).collect()))
    }

    /// Writes the JSON object. A value that no field takes is written as another that reads as the
    /// same [`Unusable`]: `{}` for any object.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(&self.entries)
    }

    /// Decodes the JSON text of an answer's content.
    ///
    /// Values that no field takes are kept as [`Value::Unusable`], so that the form can say which
    /// field they were meant for.
    ///
    /// # Errors
    ///
    /// A text that is too long, is not a JSON object, or names a member twice.
    pub fn decode(json: &str, limits: &Limits) -> Result<Self, ContentError> {
        if json.len() > limits.answer_bytes_max {
            return Err(ContentError::OverLimit { bytes_max: limits.answer_bytes_max });
        }
        let mut parser = serde_json::Deserializer::from_str(json);
        let mut duplicate = false;
        let entries = parser
            .deserialize_map(Entries { duplicate: &mut duplicate })
            .and_then(|entries| parser.end().map(|()| entries));
        match entries {
            Ok(entries) => Ok(Self { entries }),
            Err(_) if duplicate => Err(ContentError::Duplicate),
            Err(_) => Err(ContentError::NotAnObject),
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({} values)", self.entries.len())
    }
}

struct Entries<'d> {
    duplicate: &'d mut bool,
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((name, raw)) = members.next_entry::<String, &RawValue>()? {
            entries.push((name, Value::from_json(raw.get())));
        }
        let mut names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            *self.duplicate = true;
            return Err(A::Error::custom("duplicate member"));
        }
        Ok(entries)
    }
}

/// Is an answer that a form has accepted: the fields that were answered, in the form's order.
///
/// There is no way to make one but [`Form::accept`](crate::Form::accept).
#[derive(Clone, PartialEq)]
pub struct Answer {
    pub(crate) entries: Vec<(String, Value)>,
}

/// Says that an answer is no value of the type that was asked for. It holds nothing of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the form's fields do not fit the type")]
pub struct ParseError;

impl Answer {
    /// Returns the value of a field, if it was answered.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the text of a text field, or the value of the selected option.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            Value::Number(_) | Value::Flag(_) | Value::Choices(_) | Value::Unusable(_) => None,
        }
    }

    /// Returns the number of a number or integer field.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<Number> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Flag(_) | Value::Choices(_) | Value::Unusable(_) => None,
        }
    }

    /// Returns the answer of a yes-or-no field.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Flag(flag) => Some(*flag),
            Value::Text(_) | Value::Number(_) | Value::Choices(_) | Value::Unusable(_) => None,
        }
    }

    /// Returns the values of the selected options of a multiple choice.
    #[must_use]
    pub fn choices(&self, name: &str) -> Option<&[String]> {
        match self.value(name)? {
            Value::Choices(values) => Some(values),
            Value::Text(_) | Value::Number(_) | Value::Flag(_) | Value::Unusable(_) => None,
        }
    }

    /// Reads the answer as a value of a type that the caller declares: a struct whose members are
    /// named like the fields, with an `Option` for each that is not required.
    ///
    /// ```
    /// use form_model::{Content, FlagField, FormBuilder, TextField};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Order {
    ///     name: String,
    ///     gift: Option<bool>,
    /// }
    ///
    /// let form = FormBuilder::new()
    ///     .field(TextField::new("name").required())
    ///     .field(FlagField::new("gift"))
    ///     .build()?;
    /// let answer = form.accept(Content::new().with_text("name", "octocat"))?;
    /// let order: Order = answer.parse()?;
    /// assert_eq!((order.name.as_str(), order.gift), ("octocat", None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An answer to a form that does not fit the type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ParseError> {
        serde_json::from_str(&self.to_json()).map_err(|_| ParseError)
    }

    /// Returns the answered fields and their values, in the form's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Writes the JSON object to send: one answer has one text.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(&self.entries)
    }
}

fn to_json(entries: &[(String, Value)]) -> String {
    let mut json = String::from("{");
    for (index, (name, value)) in entries.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        write_text(name, &mut json);
        json.push(':');
        value.write_json(&mut json);
    }
    json.push('}');
    json
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} values)", self.entries.len())
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
    fn content_reads_back_as_it_is_written_also_what_no_field_takes() {
        let all = r#"{"a":null,"b":{"c":1},"d":[1],"e":1e999,"f":"\ud800","g":["x"],"h":1.50}"#;
        let content = Content::decode(all, &Limits::default()).unwrap();
        let written = r#"{"a":null,"b":{},"d":[null],"e":1e999,"f":"\ud800","g":["x"],"h":1.5}"#;
        assert_eq!(content.to_json(), written);
        assert_eq!(Content::decode(written, &Limits::default()), Ok(content));
    }
}
