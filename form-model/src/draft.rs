//! A form that is being filled in.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

use thiserror::Error;

use crate::{
    Answer, ChoiceOption, Content, Field, FieldError, FieldErrors, Form, Kind, Number, NumberError,
    Problem, Value, safe_text::clean_line,
};

/// A form that is being filled in, as a person sees it on a screen.
///
/// A draft starts with the form's defaults, and submits exactly what it shows. So a default is sent
/// only if the person has seen it. A field without a value is left out. A text field whose text was
/// deleted holds an empty text, which is a value; [`Draft::clear`] removes the value.
///
/// A draft also keeps a text that is not a value of its field, so that the person can correct it. A
/// draft with errors cannot be submitted. The draft does not limit the length of a text: the user
/// interface should.
///
/// `Debug` shows no value, and there is no `Serialize`, because the values may be secrets.
///
/// ```
/// use form_model::{Draft, Form};
///
/// let form = Form::from_schema(
///     r#"{"type": "object", "properties": {
///         "environment": {"type": "string", "enum": ["staging", "production"], "default": "staging"},
///         "replicas": {"type": "integer", "minimum": 1}
///     }, "required": ["environment", "replicas"]}"#,
/// )?;
/// // `environment` already holds its default.
/// let mut draft = Draft::new(form);
/// draft.set_text("replicas", "11.5")?;
/// let error = draft.error("replicas").unwrap();
/// assert_eq!(error.message(), "11.5 is not a whole number");
/// assert!(draft.submit().is_err());
///
/// draft.set_text("replicas", "11")?;
/// let answer = draft.submit().unwrap();
/// assert_eq!(answer.to_json(), r#"{"environment":"staging","replicas":11}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Draft {
    form: Form,
    /// The entry of each field, in the order of the form.
    entries: Vec<Entry>,
}

/// The content of a field.
#[derive(Clone, PartialEq)]
enum Entry {
    Empty,
    Value(Value),
    /// A text as it was typed, which cannot be read as a value of the field's kind.
    Typed(String),
}

impl Entry {
    fn of(value: Option<Value>) -> Self {
        value.map_or(Self::Empty, Self::Value)
    }
}

/// Why an edit of a draft was rejected. The draft did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The form has no field of that name.
    #[error("expected the name of a field of the form")]
    UnknownField,
    /// The field does not have that option, or is not a choice.
    #[error("expected an option of the field")]
    NotAnOption,
}

/// What is wrong with one field of a draft.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct DraftError<'d> {
    /// The field.
    pub field: &'d Field,
    /// What is wrong.
    pub problem: Problem,
    typed: Option<&'d str>,
}

impl DraftError<'_> {
    /// Returns words for the person who fills in the form, such as `11.5 is not a whole number`.
    ///
    /// The words may repeat up to 40 bytes of the person's text, cleaned. Show them on the person's
    /// screen, and do not log them.
    #[must_use]
    pub fn message(&self) -> String {
        let typed = clean_line(self.typed.unwrap_or_default());
        let typed = typed.get(..typed.floor_char_boundary(40)).unwrap_or_default().trim();
        if let Problem::WrongType { expected } = self.problem
            && !typed.is_empty()
        {
            return alloc::format!("{typed} is not {expected}");
        }
        alloc::format!("{}", self.problem)
    }
}

/// Writes the field and the problem, never what was typed.
impl fmt::Debug for DraftError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DraftError({} {})", self.field.name(), self.problem)
    }
}

/// A line of a review: a field and its content.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Review<'d> {
    /// The field.
    pub field: &'d Field,
    /// The content of the field, in words that are safe to show. Options are shown by their labels.
    /// Empty if the field is empty.
    pub shown: Cow<'d, str>,
    /// What is wrong with the field; `None` if nothing is.
    pub error: Option<DraftError<'d>>,
}

/// What a person did with a form.
///
/// The enum is exhaustive: MCP defines these three results, and the server is told each of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// The person submitted an answer.
    Accept(Answer),
    /// The person declined.
    Decline,
    /// The person closed the form without an answer.
    Cancel,
}

impl From<Answer> for Submission {
    fn from(answer: Answer) -> Self {
        Self::Accept(answer)
    }
}

impl Draft {
    /// Makes a draft with the form's defaults filled in.
    #[must_use]
    pub fn new(form: Form) -> Self {
        let entries = form.fields().iter().map(|field| Entry::of(field.default())).collect();
        Self { form, entries }
    }

    /// Sets a field from a text that a person typed.
    ///
    /// | field | text |
    /// |---|---|
    /// | text | any text, as it is; an empty text is a value too |
    /// | number, integer | a JSON number |
    /// | yes or no | `true`, `yes`, `false` or `no` |
    /// | choice | the value of an option |
    /// | multiple choice | the values of options, one on each line |
    ///
    /// White space around a number, or around yes or no, is ignored. A text that the field's kind
    /// does not allow is kept as typed, and the field has an error. In a multiple choice, each line
    /// is kept as a value, even if it is not an option; line breaks are not kept as typed.
    ///
    /// In a field of any other kind than text, an empty text clears that field. (If the empty text
    /// is an option of a single choice, it selects that option.) A text of white space only also
    /// clears a number, a yes-or-no field or a multiple choice.
    ///
    /// The length of the text is not limited.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`] if the form has no field of that name.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), EditError> {
        let (field, entry) = self.at(name)?;
        *entry = read(field.kind(), text);
        Ok(())
    }

    /// Sets a field to a value. A value that does not fit is kept, and the field has an error.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`] if the form has no field of that name.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), EditError> {
        *self.at(name)?.1 = Entry::Value(value);
        Ok(())
    }

    /// Removes the value of a field. The default does not come back.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`] if the form has no field of that name.
    pub fn clear(&mut self, name: &str) -> Result<(), EditError> {
        *self.at(name)?.1 = Entry::Empty;
        Ok(())
    }

    /// Selects an option, or deselects it if it is selected.
    ///
    /// In a single choice, the new option replaces the old one, and deselecting the option clears
    /// the field. In a multiple choice, the selected options get the order of the form. Deselecting
    /// the last one leaves an empty list, which is a value; [`Draft::clear`] removes it.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`] if the form has no field of that name, and
    /// [`EditError::NotAnOption`] if the field does not have that option or is not a choice.
    pub fn toggle(&mut self, name: &str, option: &str) -> Result<(), EditError> {
        let (field, entry) = self.at(name)?;
        *entry = toggled(field.kind(), entry, option).ok_or(EditError::NotAnOption)?;
        Ok(())
    }

    /// Returns the form.
    #[must_use]
    pub const fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the value of a field. It may not fit the field: see [`Draft::error`].
    ///
    /// Returns `None` if the field is empty, if it holds a text that is not a value, or if the form
    /// has no field of that name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        match self.entries.get(self.form.position(name)?)? {
            Entry::Value(value) => Some(value),
            Entry::Empty | Entry::Typed(_) => None,
        }
    }

    /// Returns the content of an edit box: the text as typed, or the value as a text that
    /// [`Draft::set_text`] reads back. (Some selections of a multiple choice do not read back: an
    /// empty one, and one with a value that is blank or has a line break.)
    ///
    /// Returns an empty text if the field is empty, or if the form has no field of that name.
    ///
    /// The text is not cleaned. It may come from a peer, as a default or as the value of an option,
    /// so it may be unsafe to show on a terminal. [`Draft::review`] returns text that is safe to
    /// show.
    #[must_use]
    pub fn text(&self, name: &str) -> Cow<'_, str> {
        let entry = self.form.position(name).and_then(|index| self.entries.get(index));
        entry.map_or(Cow::Borrowed(""), written)
    }

    /// Returns whether an option is selected. Returns `false` if the form has no field of that
    /// name.
    #[must_use]
    pub fn is_selected(&self, name: &str, option: &str) -> bool {
        match self.value(name) {
            Some(Value::Text(value)) => value == option,
            Some(Value::Choices(values)) => values.iter().any(|value| value == option),
            Some(Value::Number(_) | Value::Flag(_) | Value::Unusable(_)) | None => false,
        }
    }

    /// Returns what is wrong with a field. Returns `None` if nothing is wrong, or if the form has
    /// no field of that name.
    #[must_use]
    pub fn error(&self, name: &str) -> Option<DraftError<'_>> {
        let index = self.form.position(name)?;
        self.error_at(self.form.fields().get(index)?, self.entries.get(index)?)
    }

    /// Returns the errors of all fields, in the order of the form.
    pub fn errors(&self) -> impl Iterator<Item = DraftError<'_>> {
        let entries = self.form.fields().iter().zip(&self.entries);
        entries.filter_map(|(field, entry)| self.error_at(field, entry))
    }

    /// Returns a line for each field, in the order of the form, to be reviewed before submitting.
    pub fn review(&self) -> impl Iterator<Item = Review<'_>> {
        self.form.fields().iter().zip(&self.entries).map(|(field, entry)| Review {
            field,
            shown: shown(field.kind(), entry),
            error: self.error_at(field, entry),
        })
    }

    /// Checks the draft and makes an [`Answer`] of its values. The draft does not change.
    ///
    /// [`Limits::answer_bytes_max`](field@crate::Limits::answer_bytes_max) is not checked.
    ///
    /// # Errors
    ///
    /// [`FieldErrors`], with one error for each wrong field. They do not contain what was typed. To
    /// show errors to the person, use [`Draft::errors`]: its messages repeat what was typed.
    pub fn submit(&self) -> Result<Answer, FieldErrors> {
        let errors: Vec<_> = self
            .errors()
            .map(|error| FieldError { field: error.field.name().into(), problem: error.problem })
            .collect();
        match FieldErrors::new(errors) {
            Some(errors) => Err(errors),
            None => self.form.accept(self.content()),
        }
    }

    /// Declines the form. Nothing of the draft is sent.
    #[must_use]
    pub fn decline(self) -> Submission {
        Submission::Decline
    }

    /// Closes the form without an answer. Nothing of the draft is sent.
    #[must_use]
    pub fn cancel(self) -> Submission {
        Submission::Cancel
    }

    fn content(&self) -> Content {
        let entries =
            self.form.fields().iter().zip(&self.entries).filter_map(|(field, entry)| match entry {
                Entry::Value(value) => Some((field.name().into(), value.clone())),
                Entry::Empty | Entry::Typed(_) => None,
            });
        Content { entries: entries.collect() }
    }

    /// Returns a field and its entry.
    fn at(&mut self, name: &str) -> Result<(&Field, &mut Entry), EditError> {
        let index = self.form.position(name).ok_or(EditError::UnknownField)?;
        let entry = self.entries.get_mut(index);
        self.form.fields().get(index).zip(entry).ok_or(EditError::UnknownField)
    }

    fn error_at<'d>(&'d self, field: &'d Field, entry: &'d Entry) -> Option<DraftError<'d>> {
        let (problem, typed) = match entry {
            Entry::Empty if field.is_required() => (Problem::Missing, None),
            Entry::Empty => return None,
            Entry::Value(value) => (field.kind().check(value)?, None),
            Entry::Typed(typed) => (field.kind().misread(typed), Some(typed.as_str())),
        };
        Some(DraftError { field, problem, typed })
    }
}

/// Writes only how many fields are filled in: a value may be a secret.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filled = self.entries.iter().filter(|entry| **entry != Entry::Empty).count();
        write!(f, "Draft({filled} of {} fields filled in)", self.entries.len())
    }
}

/// Reads a text that was typed into a field of this kind.
fn read(kind: &Kind, text: &str) -> Entry {
    let typed = || Entry::Typed(text.into());
    if text.trim().is_empty() && !matches!(kind, Kind::Text(_) | Kind::Choice(_)) {
        return Entry::Empty;
    }
    match kind {
        Kind::Text(_) => Entry::Value(Value::Text(text.into())),
        Kind::Number(_) => text
            .trim()
            .parse()
            .map_or_else(|_| typed(), |number| Entry::Value(Value::Number(number))),
        Kind::Integer(_) => match text.trim().parse::<Number>() {
            Ok(number) if number.is_integer() => Entry::Value(Value::Number(number)),
            Ok(_) | Err(_) => typed(),
        },
        Kind::Flag(_) => match text.trim() {
            "true" | "yes" => Entry::Value(Value::Flag(true)),
            "false" | "no" => Entry::Value(Value::Flag(false)),
            _ => typed(),
        },
        Kind::Choice(choice) => match choice.options.iter().any(|option| option.value == text) {
            true => Entry::Value(Value::Text(text.into())),
            false if text.is_empty() => Entry::Empty,
            false => typed(),
        },
        Kind::Choices(_) => Entry::Value(Value::Choices(text.lines().map(Into::into).collect())),
    }
}

impl Kind {
    /// Returns what is wrong with a text that could not be read as a value of this kind.
    fn misread(&self, typed: &str) -> Problem {
        match (self, typed.trim().parse::<Number>()) {
            (Self::Number(_) | Self::Integer(_), Err(NumberError::Range)) => {
                Problem::WrongType { expected: "a number within ±1.8e308" }
            }
            (Self::Number(_) | Self::Integer(_), Err(NumberError::Precision)) => {
                Problem::WrongType { expected: "a number of at most 38 digits" }
            }
            (Self::Choice(_), _) => Problem::NotAnOption,
            _ => Problem::WrongType { expected: self.describe() },
        }
    }
}

/// Returns the entry with an option toggled. Returns `None` if there is no such option.
fn toggled(kind: &Kind, entry: &Entry, option: &str) -> Option<Entry> {
    let is_option = |options: &[ChoiceOption]| options.iter().any(|known| known.value == option);
    match kind {
        Kind::Choice(choice) if is_option(&choice.options) => {
            let is_selected = matches!(entry, Entry::Value(Value::Text(value)) if value == option);
            Some(if is_selected { Entry::Empty } else { Entry::Value(Value::Text(option.into())) })
        }
        Kind::Choices(choices) if is_option(&choices.options) => {
            let selected: &[String] = match entry {
                Entry::Value(Value::Choices(values)) => values,
                Entry::Empty | Entry::Value(_) | Entry::Typed(_) => &[],
            };
            // The selection has the order of the options.
            let is_selected = |value: &String| selected.contains(value) != (value == option);
            let values = choices.options.iter().map(|known| &known.value);
            Some(Entry::Value(Value::Choices(
                values.filter(|value| is_selected(value)).cloned().collect(),
            )))
        }
        Kind::Text(_)
        | Kind::Number(_)
        | Kind::Integer(_)
        | Kind::Flag(_)
        | Kind::Choice(_)
        | Kind::Choices(_) => None,
    }
}

/// Returns an entry as the text of an edit box: see [`Draft::text`].
fn written(entry: &Entry) -> Cow<'_, str> {
    match entry {
        Entry::Empty | Entry::Value(Value::Unusable(_)) => Cow::Borrowed(""),
        Entry::Typed(text) | Entry::Value(Value::Text(text)) => Cow::Borrowed(text),
        Entry::Value(Value::Number(number)) => Cow::Owned(alloc::format!("{number}")),
        Entry::Value(Value::Flag(flag)) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        Entry::Value(Value::Choices(values)) => Cow::Owned(values.join("\n")),
    }
}

/// Returns an entry as it is shown: cleaned, and with the labels of options.
fn shown<'d>(kind: &'d Kind, entry: &'d Entry) -> Cow<'d, str> {
    let label = |options: &'d [ChoiceOption], value: &'d str| {
        let option = options.iter().find(|option| option.value == value);
        option.map_or_else(|| clean_line(value), ChoiceOption::label)
    };
    match (kind, entry) {
        (Kind::Choice(choice), Entry::Value(Value::Text(value))) => label(&choice.options, value),
        (Kind::Choices(choices), Entry::Value(Value::Choices(values))) => {
            let labels: Vec<_> =
                values.iter().map(|value| label(&choices.options, value)).collect();
            Cow::Owned(labels.join(", "))
        }
        (_, Entry::Value(Value::Flag(flag))) => Cow::Borrowed(if *flag { "yes" } else { "no" }),
        (_, entry) => match written(entry) {
            Cow::Borrowed(text) => clean_line(text),
            // The text of a list may have anything in it: `Draft::set` takes a list for any field.
            Cow::Owned(text) => Cow::Owned(clean_line(&text).into_owned()),
        },
    }
}
