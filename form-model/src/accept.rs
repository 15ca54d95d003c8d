//! Whether an answer fits a form.

use alloc::{string::String, vec::Vec};
use core::fmt;

use thiserror::Error;

use crate::{
    Answer, Bound, Choice, ChoiceOption, Choices, Content, Form, Format, Kind, Numeric, Text,
    Unusable, Value, safe_text::clean_line,
};

/// Says what is wrong with one field of an answer.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The name of the field.
    pub field: String,
    /// What is wrong.
    pub problem: Problem,
}

/// Says what is wrong with a value, without the value.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A required field has no value.
    #[error("must be answered")]
    Missing,
    /// The form has no field of this name.
    #[error("is not a field of the form")]
    Unknown,
    /// The value is of another type than the field.
    #[error("must be {expected}")]
    WrongType {
        /// What the field takes.
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
    /// A text has not the form's format.
    #[error("must be {}", format.describe())]
    WrongFormat {
        /// The format.
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
    #[error("must name each option once")]
    Repeated,
    /// Too few options are selected.
    #[error("must name at least {items_min} options")]
    TooFew {
        /// The least number of options.
        items_min: u64,
    },
    /// Too many options are selected.
    #[error("must name at most {items_max} options")]
    TooMany {
        /// The greatest number of options.
        items_max: u64,
    },
}

impl Problem {
    /// Returns a stable code of the problem.
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

impl fmt::Display for Fault {
    /// Writes the field and the problem. The name of an unknown field is the answer's own, and is
    /// left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.problem, Problem::Unknown) {
            return write!(f, "a value {}", self.problem);
        }
        write!(f, "{} {}", clean_line(&self.field), self.problem)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({self})")
    }
}

/// Is everything that is wrong with an answer, in the order of the form; at least one fault.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Joined(faults))]
#[non_exhaustive]
pub struct Faults {
    faults: Vec<Fault>,
}

impl Faults {
    /// Makes the whole of some faults. `None`: there is none.
    pub(crate) fn new(faults: Vec<Fault>) -> Option<Self> {
        (!faults.is_empty()).then_some(Self { faults })
    }

    /// Returns the faults.
    pub fn iter(&self) -> core::slice::Iter<'_, Fault> {
        self.faults.iter()
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = core::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

struct Joined<'a>(&'a [Fault]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl Form {
    /// Checks an answer against the form and, if all of it fits, makes it an [`Answer`].
    ///
    /// Comparison is exact: nothing is coerced, trimmed or filled in. Lengths count Unicode code
    /// points. Members that are no field, repeated selections and null are refused.
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
    /// let faults = form.accept(Content::new().with_text("environment", "mars")).unwrap_err();
    /// assert_eq!(
    ///     faults.to_string(),
    ///     "environment must be one of the options; confirm must be answered",
    /// );
    ///
    /// let content = Content::new().with_flag("confirm", true).with_text("environment", "staging");
    /// let answer = form.accept(content).unwrap();
    /// assert_eq!(answer.text("environment"), Some("staging"));
    /// assert_eq!(answer.to_json(), r#"{"environment":"staging","confirm":true}"#);
    /// # Ok::<(), form_model::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Every fault of the answer, not just the first.
    pub fn accept(&self, content: Content) -> Result<Answer, Faults> {
        if self.accepts_in_order(&content) {
            return Ok(Answer { entries: content.entries });
        }
        self.sort_out(content)
    }

    /// Tells whether an answer is right and in the order of the form, as most answers are.
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

    /// Brings an answer into the order of the form, and lists its faults.
    fn sort_out(&self, content: Content) -> Result<Answer, Faults> {
        let mut faults = Vec::new();
        let mut answered: Vec<Option<(String, Value)>> = Vec::new();
        answered.resize_with(self.fields.len(), || None);
        let mut unknown = Vec::new();
        for (name, value) in content.entries {
            match self.position(&name).and_then(|index| answered.get_mut(index)) {
                Some(slot) => *slot = Some((name, value)),
                None => unknown.push(Fault { field: name, problem: Problem::Unknown }),
            }
        }
        for (field, entry) in self.fields.iter().zip(&answered) {
            let problem = match entry {
                Some((_, value)) => field.kind.check(value),
                None => field.required.then_some(Problem::Missing),
            };
            if let Some(problem) = problem {
                faults.push(Fault { field: field.name.clone(), problem });
            }
        }
        faults.append(&mut unknown);
        if let Some(faults) = Faults::new(faults) {
            return Err(faults);
        }
        Ok(Answer { entries: answered.into_iter().flatten().collect() })
    }
}

impl Kind {
    /// Tells what is wrong with a value for a field of this kind.
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
                Some(Problem::WrongType { expected: "a number that peers can read" })
            }
            _ => Some(Problem::WrongType { expected: self.describe() }),
        }
    }

    const fn is_numeric(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Integer(_))
    }

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
        // Counting is left out where the bytes alone decide.
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
        // The count is checked first: it bounds the work on the values.
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
