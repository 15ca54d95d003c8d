//! An answer that a form has accepted.

use alloc::{string::String, vec::Vec};
use core::fmt;

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{Number, Value, value::to_json};

/// An answer that a form has accepted: the answered fields, in the form's order.
///
/// Only [`Form::accept`](crate::Form::accept) and [`Draft::submit`](crate::Draft::submit) make one,
/// so an `Answer` proves that its form has checked every value. The values may be secrets, so
/// `Debug` shows none and there is no `Serialize`. [`Answer::to_json`] writes them.
///
/// The methods that take a name return `None` if the form has no field of that name, or if the
/// field was not answered. `text`, `number`, `flag` and `choices` also return `None` if the field
/// has another kind.
#[derive(Clone, PartialEq)]
pub struct Answer {
    pub(crate) entries: Vec<(String, Value)>,
}

/// The error of [`Answer::parse`]: the type does not match the fields of the form. It does not
/// contain the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a type that matches the fields of the form")]
#[non_exhaustive]
pub struct ParseError;

impl Answer {
    /// Returns the value of a field.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the text of a text field, or the value of the selected option of a choice.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let Value::Text(text) = self.value(name)? else { return None };
        Some(text)
    }

    /// Returns the number of a number or integer field.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<Number> {
        let Value::Number(number) = self.value(name)? else { return None };
        Some(*number)
    }

    /// Returns the answer of a yes-or-no field.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        let Value::Flag(flag) = self.value(name)? else { return None };
        Some(*flag)
    }

    /// Returns the values of the selected options of a multiple choice, in the order of the answer.
    #[must_use]
    pub fn choices(&self, name: &str) -> Option<&[String]> {
        let Value::Choices(values) = self.value(name)? else { return None };
        Some(values)
    }

    /// Reads the answer as a value of the caller's type: a struct whose members have the names of
    /// the fields, with an `Option` for each field that is not required.
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
    /// let answer = form.accept(Content::new().with("name", "octocat"))?;
    /// let order: Order = answer.parse()?;
    /// assert_eq!((order.name.as_str(), order.gift), ("octocat", None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ParseError`] if the type does not match the fields of the form.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ParseError> {
        serde_json::from_str(&self.to_json()).map_err(|_| ParseError)
    }

    /// Returns the answered fields and their values, in the form's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Writes the answer as the JSON object to send. Equal answers have equal texts.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(&self.entries)
    }
}

/// Writes only the number of values: a name or a value may be a secret.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} values)", self.entries.len())
    }
}
