//! The check of an answer against a form.

use alloc::{string::String, vec::Vec};
use core::fmt;

use thiserror::Error;

use crate::{
    Answer, Bound, Choice, ChoiceOption, Choices, Content, Form, Format, Kind, Numeric, Text,
    Unusable, Value, safe_text::clean_line,
};

/// What is wrong with one field of an answer.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct FieldError {
    /// The name of the field, or the name in the answer if the form has no such field.
    pub field: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a value. It does not contain the value, so it can be logged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A required field has no value.
    #[error("must be answered")]
    Missing,
    /// The form has no field of this name.
    #[error("is not a field of the form")]
    Unknown,
    /// The value does not have the type of the field.
    #[error("must be {expected}")]
    WrongType {
        /// The type of the field, in words for a person.
        expected: &'static str,
    },
    /// A text is too short.
    #[error("must have at least {length_min} characters")]
    TooShort {
        /// The least length, in Unicode code points.
        length_min: u64,
    },
    /// A text is too long.
    #[error("must have at most {length_max} characters")]
    TooLong {
        /// The greatest length, in Unicode code points.
        length_max: u64,
    },
    /// A text is not in the format of the field.
    #[error("must be {}", format.describe())]
    WrongFormat {
        /// The format of the field.
        format: Format,
    },
    /// A number is below the minimum.
    #[error("must be {} {}", if bound.exclusive { "greater than" } else { "at least" }, bound.value)]
    TooSmall {
        /// The lower bound.
        bound: Bound,
    },
    /// A number is above the maximum.
    #[error("must be {} {}", if bound.exclusive { "less than" } else { "at most" }, bound.value)]
    TooLarge {
        /// The upper bound.
        bound: Bound,
    },
    /// A value is not one of the options.
    #[error("must be one of the options")]
    NotAnOption,
    /// An option is selected twice.
    #[error("must not select an option twice")]
    Repeated,
    /// Too few options are selected.
    #[error("must select at least {items_min} options")]
    TooFew {
        /// The least number of options.
        items_min: u64,
    },
    /// Too many options are selected.
    #[error("must select at most {items_max} options")]
    TooMany {
        /// The greatest number of options.
        items_max: u64,
    },
}

impl Problem {
    /// Returns the code of the problem, such as `too-short`. It is stable.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::WrongType { .. } => "wrong-type",
            Self::TooShort { .. } => "too-short",
            Self::TooLong { .. } => "too-long",
            Self::WrongFormat { .. } => "wrong-format",
            Self::TooSmall { .. } => "too-small",
            Self::TooLarge { .. } => "too-large",
            Self::NotAnOption => "not-an-option",
            Self::Repeated => "repeated",
            Self::TooFew { .. } => "too-few",
            Self::TooMany { .. } => "too-many",
        }
    }
}

impl fmt::Display for FieldError {
    /// Writes the name of the field, cleaned, and the problem. The name of an unknown field is left
    /// out: it comes from the answer, and may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.problem, Problem::Unknown) {
            return write!(f, "a value {}", self.problem);
        }
        write!(f, "{} {}", clean_line(&self.field), self.problem)
    }
}

impl fmt::Debug for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldError({self})")
    }
}

impl core::error::Error for FieldError {}

/// All errors of an answer. The list is never empty. A field has at most one error, and so has an
/// unknown name.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Joined(errors))]
#[non_exhaustive]
pub struct FieldErrors {
    errors: Vec<FieldError>,
}

impl FieldErrors {
    /// Collects errors. Returns `None` if there are none.
    pub(crate) fn new(errors: Vec<FieldError>) -> Option<Self> {
        (!errors.is_empty()).then_some(Self { errors })
    }

    /// Returns the errors in the order of the form. Errors of unknown names come last.
    pub fn iter(&self) -> core::slice::Iter<'_, FieldError> {
        self.errors.iter()
    }
}

impl<'a> IntoIterator for &'a FieldErrors {
    type Item = &'a FieldError;
    type IntoIter = core::slice::Iter<'a, FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Errors that are written one after the other.
struct Joined<'a>(&'a [FieldError]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl Form {
    /// Checks an answer against the form, and returns it as an [`Answer`] if every value fits.
    ///
    /// The check is exact: nothing is converted, trimmed or filled in. Lengths are in Unicode code
    /// points. Names that are not fields, repeated selections and null are refused.
    ///
    /// The size of the answer is not checked here: [`Content::decode`] checks it. It also rounds
    /// fractions of more than 17 digits.
    ///
    /// ```
    /// use form_model::{Content, Form};
    ///
    /// let form = Form::from_schema(
    ///     r#"{"type": "object", "properties": {
    ///         "environment": {"type": "string", "enum": ["staging", "production"]},
    ///         "confirm": {"type": "boolean"}
    ///     }, "required": ["environment", "confirm"]}"#,
    /// )?;
    /// let errors = form.accept(Content::new().with("environment", "mars")).unwrap_err();
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "environment must be one of the options; confirm must be answered",
    /// );
    ///
    /// let content = Content::new().with("confirm", true).with("environment", "staging");
    /// let answer = form.accept(content).unwrap();
    /// assert_eq!(answer.text("environment"), Some("staging"));
    /// assert_eq!(answer.to_json(), r#"{"environment":"staging","confirm":true}"#);
    /// # Ok::<(), form_model::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`FieldErrors`], with one error for each wrong field and for each unknown name.
    pub fn accept(&self, content: Content) -> Result<Answer, FieldErrors> {
        if self.accepts_in_order(&content) {
            return Ok(Answer { entries: content.entries });
        }
        self.sort_out(content)
    }

    /// Returns whether an answer fits and is in the order of the form, as most answers are.
    fn accepts_in_order(&self, content: &Content) -> bool {
        let mut entries = content.entries.iter().peekable();
        for field in &self.fields {
            let fits = match entries.next_if(|(name, _)| *name == field.name) {
                Some((_, value)) => field.kind.check(value).is_none(),
                None => !field.required,
            };
            if !fits {
                return false;
            }
        }
        entries.next().is_none()
    }

    /// Returns an answer in the order of the form, or all its errors.
    fn sort_out(&self, content: Content) -> Result<Answer, FieldErrors> {
        let mut errors = Vec::new();
        let mut answered: Vec<Option<(String, Value)>> = Vec::new();
        answered.resize_with(self.fields.len(), || None);
        let mut unknown = Vec::new();
        for (name, value) in content.entries {
            match self.position(&name).and_then(|index| answered.get_mut(index)) {
                Some(slot) => *slot = Some((name, value)),
                None => unknown.push(FieldError { field: name, problem: Problem::Unknown }),
            }
        }
        for (field, entry) in self.fields.iter().zip(&answered) {
            let problem = match entry {
                Some((_, value)) => field.kind.check(value),
                None => field.required.then_some(Problem::Missing),
            };
            if let Some(problem) = problem {
                errors.push(FieldError { field: field.name.clone(), problem });
            }
        }
        errors.append(&mut unknown);
        if let Some(errors) = FieldErrors::new(errors) {
            return Err(errors);
        }
        Ok(Answer { entries: answered.into_iter().flatten().collect() })
    }
}

impl Kind {
    /// Returns what is wrong with a value for a field of this kind.
    pub(crate) fn check(&self, value: &Value) -> Option<Problem> {
        match (self, value) {
            (Self::Text(text), Value::Text(value)) => text.check(value),
            (Self::Number(numeric), Value::Number(value)) => numeric.check(*value),
            (Self::Integer(numeric), Value::Number(value)) if value.is_integer() => {
                numeric.check(*value)
            }
            (Self::Flag(_), Value::Flag(_)) => None,
            (Self::Choice(choice), Value::Text(value)) => choice.check(value),
            (Self::Choices(choices), Value::Choices(values)) => choices.check(values),
            (_, Value::Unusable(Unusable::Number)) if self.is_numeric() => {
                Some(Problem::WrongType {
                    expected: "a number of at most 38 digits, within ±1.8e308",
                })
            }
            _ => Some(Problem::WrongType { expected: self.describe() }),
        }
    }

    const fn is_numeric(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Integer(_))
    }

    /// Returns what a field of this kind takes, in words for a person.
    pub(crate) const fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Integer(_) => "a whole number",
            Self::Flag(_) => "yes or no",
            Self::Choice(_) => "one of the options",
            Self::Choices(_) => "a list of options",
        }
    }
}

impl Text {
    pub(crate) fn check(&self, value: &str) -> Option<Problem> {
        // The characters are counted only if the number of bytes does not decide.
        let bytes = value.len() as u64;
        let length = || value.chars().count() as u64;
        if let Some(length_min) = self.length_min
            && (bytes < length_min || (bytes / 4 < length_min && length() < length_min))
        {
            return Some(Problem::TooShort { length_min });
        }
        if let Some(length_max) = self.length_max
            && bytes > length_max
            && length() > length_max
        {
            return Some(Problem::TooLong { length_max });
        }
        let format = self.format.filter(|format| !format.matches(value))?;
        Some(Problem::WrongFormat { format })
    }
}

impl Numeric {
    pub(crate) fn check(&self, value: crate::Number) -> Option<Problem> {
        if let Some(bound) = self.minimum
            && (value < bound.value || (bound.exclusive && value == bound.value))
        {
            return Some(Problem::TooSmall { bound });
        }
        if let Some(bound) = self.maximum
            && (value > bound.value || (bound.exclusive && value == bound.value))
        {
            return Some(Problem::TooLarge { bound });
        }
        None
    }
}

impl Choice {
    fn check(&self, value: &str) -> Option<Problem> {
        (!is_option(&self.options, value)).then_some(Problem::NotAnOption)
    }
}

impl Choices {
    fn check(&self, values: &[String]) -> Option<Problem> {
        // The number of values is checked first: it bounds the work below.
        if values.len() > self.options.len() {
            let items_max = self.items_max.unwrap_or(self.options.len() as u64);
            return Some(Problem::TooMany { items_max });
        }
        if !values.iter().all(|value| is_option(&self.options, value)) {
            return Some(Problem::NotAnOption);
        }
        if any_repeated(values) {
            return Some(Problem::Repeated);
        }
        let count = values.len() as u64;
        if let Some(items_min) = self.items_min.filter(|items_min| count < *items_min) {
            return Some(Problem::TooFew { items_min });
        }
        let items_max = self.items_max.filter(|items_max| count > *items_max)?;
        Some(Problem::TooMany { items_max })
    }
}

fn any_repeated(values: &[String]) -> bool {
    if values.len() <= 8 {
        let mut rest = values.iter();
        return values.iter().any(|value| {
            rest.next();
            rest.clone().any(|other| other == value)
        });
    }
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

fn is_option(options: &[ChoiceOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}
