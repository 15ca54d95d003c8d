//! A form that is being filled in.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

use thiserror::Error;

use crate::{
    Answer, ChoiceOption, Content, Fault, Faults, Field, Form, Kind, Number, NumberError, Problem,
    Value, safe_text::clean_line,
};

/// Is a form on a screen: what is filled in so far, and what is wrong with it.
///
/// It starts with the form's defaults. What it submits is what it shows, no more and no less, so a
/// default is an answer only if the person has seen it; an optional field that was cleared stays
/// out. An answer that does not fit cannot be submitted, and nothing that was typed is lost.
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
/// let mut draft = Draft::new(form);
/// draft.set_text("replicas", "11.5")?;
/// let fault = draft.fault("replicas").unwrap();
/// assert_eq!(fault.message(), "11.5 is not a whole number");
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
    /// What is in each field of the form.
    entries: Vec<Entry>,
}

/// Is what is in a field.
#[derive(Clone, PartialEq)]
enum Entry {
    Empty,
    Value(Value),
    /// A text that is no value of the field's kind, kept as it was typed.
    Typed(String),
}

impl Entry {
    fn of(value: Option<Value>) -> Self {
        value.map_or(Self::Empty, Self::Value)
    }
}

/// Says why an edit of a draft is none. The draft is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The form has no field of this name.
    #[error("expected the name of a field of the form")]
    UnknownField,
    /// The field has no options, or not this one.
    #[error("expected an option of the field")]
    NotAnOption,
}

/// Is what is wrong with one field of a draft.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct DraftFault<'d> {
    /// The field.
    pub field: &'d Field,
    /// What is wrong.
    pub problem: Problem,
    typed: Option<&'d str>,
}

impl DraftFault<'_> {
    /// Says what is wrong to the person who typed it. It repeats what they typed, so it belongs on
    /// their screen and in no log.
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

impl fmt::Debug for DraftFault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DraftFault({} {})", self.field.name(), self.problem)
    }
}

/// Is one line of a review: a field, what is in it, and what is wrong with it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Review<'d> {
    /// The field.
    pub field: &'d Field,
    /// What is in it, to show.
    pub shown: Cow<'d, str>,
    /// What is wrong with it.
    pub fault: Option<DraftFault<'d>>,
}

/// Is what a person did with a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// Sent it.
    Accept(Answer),
    /// Said no.
    Decline,
    /// Closed it without an answer.
    Dismiss,
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

    /// Sets a field from a text, as it was typed.
    ///
    /// A text field takes it as it is, an empty one too. A number is read as JSON has it, without
    /// the space around it; `true`, `yes`, `false` and `no` set a yes-or-no field; a choice takes the value of
    /// an option, a multiple choice one value a line. A text that is no such thing is kept, and is
    /// a fault of the field. An empty text clears all but a text field.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`]
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), EditError> {
        let (field, entry) = self.at(name)?;
        *entry = read(field.kind(), text);
        Ok(())
    }

    /// Sets a field to a value, whether it fits or not.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`]
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), EditError> {
        *self.at(name)?.1 = Entry::Value(value);
        Ok(())
    }

    /// Empties a field. Its default does not come back.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`]
    pub fn clear(&mut self, name: &str) -> Result<(), EditError> {
        *self.at(name)?.1 = Entry::Empty;
        Ok(())
    }

    /// Selects an option, or takes the selection back if it is selected. Of a single choice it
    /// takes the place of what was selected.
    ///
    /// # Errors
    ///
    /// [`EditError::UnknownField`], or [`EditError::NotAnOption`] where the field has no such
    /// option.
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

    /// Returns the value in a field. `None`: it is empty, or holds a text that is no value.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        match self.entries.get(self.form.position(name)?)? {
            Entry::Value(value) => Some(value),
            Entry::Empty | Entry::Typed(_) => None,
        }
    }

    /// Returns the text in a field, for an edit box: what was typed, or what sets the value.
    #[must_use]
    pub fn text(&self, name: &str) -> Cow<'_, str> {
        let entry = self.form.position(name).and_then(|index| self.entries.get(index));
        entry.map_or(Cow::Borrowed(""), written)
    }

    /// Tells whether an option is selected.
    #[must_use]
    pub fn is_selected(&self, name: &str, option: &str) -> bool {
        match self.value(name) {
            Some(Value::Text(value)) => value == option,
            Some(Value::Choices(values)) => values.iter().any(|value| value == option),
            Some(Value::Number(_) | Value::Flag(_) | Value::Unusable(_)) | None => false,
        }
    }

    /// Returns what is wrong with a field.
    #[must_use]
    pub fn fault(&self, name: &str) -> Option<DraftFault<'_>> {
        let index = self.form.position(name)?;
        self.fault_at(self.form.fields().get(index)?, self.entries.get(index)?)
    }

    /// Returns everything that is wrong, in the order of the form.
    pub fn faults(&self) -> impl Iterator<Item = DraftFault<'_>> {
        let entries = self.form.fields().iter().zip(&self.entries);
        entries.filter_map(|(field, entry)| self.fault_at(field, entry))
    }

    /// Returns the whole as a person should see it before they send it.
    pub fn review(&self) -> impl Iterator<Item = Review<'_>> {
        self.form.fields().iter().zip(&self.entries).map(|(field, entry)| Review {
            field,
            shown: shown(field.kind(), entry),
            fault: self.fault_at(field, entry),
        })
    }

    /// Makes the answer that the draft shows. The draft stays as it is.
    ///
    /// # Errors
    ///
    /// Every fault of the draft. Use [`Draft::faults`] for what to show to the person.
    pub fn submit(&self) -> Result<Answer, Faults> {
        let faults: Vec<_> = self
            .faults()
            .map(|fault| Fault { field: fault.field.name().into(), problem: fault.problem })
            .collect();
        match Faults::new(faults) {
            Some(faults) => Err(faults),
            None => self.form.accept(self.content()),
        }
    }

    /// Says no to the form. Nothing of the draft goes with it.
    #[must_use]
    pub fn decline(self) -> Submission {
        Submission::Decline
    }

    /// Closes the form without an answer. Nothing of the draft goes with it.
    #[must_use]
    pub fn dismiss(self) -> Submission {
        Submission::Dismiss
    }

    fn content(&self) -> Content {
        let entries =
            self.form.fields().iter().zip(&self.entries).filter_map(|(field, entry)| match entry {
                Entry::Value(value) => Some((field.name().into(), value.clone())),
                Entry::Empty | Entry::Typed(_) => None,
            });
        Content { entries: entries.collect() }
    }

    fn at(&mut self, name: &str) -> Result<(&Field, &mut Entry), EditError> {
        let index = self.form.position(name).ok_or(EditError::UnknownField)?;
        let entry = self.entries.get_mut(index);
        self.form.fields().get(index).zip(entry).ok_or(EditError::UnknownField)
    }

    fn fault_at<'d>(&'d self, field: &'d Field, entry: &'d Entry) -> Option<DraftFault<'d>> {
        let (problem, typed) = match entry {
            Entry::Empty if field.is_required() => (Problem::Missing, None),
            Entry::Empty => return None,
            Entry::Value(value) => (field.kind().check(value)?, None),
            Entry::Typed(typed) => (field.kind().misread(typed), Some(typed.as_str())),
        };
        Some(DraftFault { field, problem, typed })
    }
}

/// Writes how much is filled in, never what.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filled = self.entries.iter().filter(|entry| **entry != Entry::Empty).count();
        write!(f, "Draft({filled} of {} fields filled in)", self.entries.len())
    }
}

/// Reads a text as a field of this kind takes it.
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
    /// Tells what is wrong with a text that could not be read as this kind.
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

/// Returns the entry with an option toggled. `None`: there is no such option.
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
            // The selection is in the order of the options, whatever order it was made in.
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

/// Writes an entry as the text that sets it.
fn written(entry: &Entry) -> Cow<'_, str> {
    match entry {
        Entry::Empty | Entry::Value(Value::Unusable(_)) => Cow::Borrowed(""),
        Entry::Typed(text) | Entry::Value(Value::Text(text)) => Cow::Borrowed(text),
        Entry::Value(Value::Number(number)) => Cow::Owned(alloc::format!("{number}")),
        Entry::Value(Value::Flag(flag)) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        Entry::Value(Value::Choices(values)) => Cow::Owned(values.join("\n")),
    }
}

/// Writes an entry for a screen, with the labels of options.
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
            owned @ Cow::Owned(_) => owned,
        },
    }
}
