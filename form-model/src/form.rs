//! The form: the typed meaning of a schema.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::{cmp::Ordering, fmt};

use crate::{Format, Number, SafeText, Value, safe_text::clean_line, warn::looks_secret};

/// A form: its title, its description, and its fields in the order of the schema.
///
/// [`Form::from_schema`], [`Decoder`](crate::Decoder), [`Form::from_canonical`] and
/// [`FormBuilder`](crate::FormBuilder) make a form. It cannot be changed afterwards.
#[derive(Clone, PartialEq, Hash)]
pub struct Form {
    pub(crate) title: Option<SafeText>,
    pub(crate) description: Option<SafeText>,
    pub(crate) fields: Vec<Field>,
    /// The indexes of `fields`, sorted by name. Empty if there are few fields.
    by_name: Vec<u32>,
}

/// A field of a form.
#[derive(Clone, PartialEq, Hash)]
pub struct Field {
    pub(crate) name: String,
    pub(crate) title: Option<SafeText>,
    pub(crate) description: Option<SafeText>,
    pub(crate) required: bool,
    pub(crate) kind: Kind,
}

/// The kind of a field, with its constraints and its default.
///
/// The enum is exhaustive, so that a user interface must handle every kind.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Kind {
    /// A text.
    Text(Text),
    /// A number, with or without a fraction.
    Number(Numeric),
    /// A whole number.
    Integer(Numeric),
    /// Yes or no.
    Flag(Flag),
    /// One of several options.
    Choice(Choice),
    /// Zero or more of several options.
    Choices(Choices),
}

/// The constraints and the default of a text field.
#[derive(Clone, PartialEq, Hash, Default)]
#[non_exhaustive]
pub struct Text {
    /// The least length, in Unicode code points.
    pub length_min: Option<u64>,
    /// The greatest length, in Unicode code points.
    pub length_max: Option<u64>,
    /// The format that the text must have.
    pub format: Option<Format>,
    /// The text that a draft starts with.
    pub default: Option<String>,
}

/// The bounds and the default of a number or integer field.
#[derive(Clone, PartialEq, Hash, Default)]
#[non_exhaustive]
pub struct Numeric {
    /// The lower bound.
    pub minimum: Option<Bound>,
    /// The upper bound.
    pub maximum: Option<Bound>,
    /// The number that a draft starts with.
    pub default: Option<Number>,
}

/// One end of an interval of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct Bound {
    /// The number at the end of the interval.
    pub value: Number,
    /// Whether `value` itself is excluded.
    pub exclusive: bool,
}

/// The default of a yes-or-no field.
#[derive(Clone, PartialEq, Hash, Default)]
#[non_exhaustive]
pub struct Flag {
    /// The value that a draft starts with.
    pub default: Option<bool>,
}

/// The options and the default of a field that takes one option.
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct Choice {
    /// The options: at least one, with distinct values.
    pub options: Vec<ChoiceOption>,
    /// The value of the option that a draft starts with.
    pub default: Option<String>,
}

/// The options, the bounds and the default of a field that takes zero or more options.
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct Choices {
    /// The options: at least one, with distinct values.
    pub options: Vec<ChoiceOption>,
    /// The least number of selected options.
    pub items_min: Option<u64>,
    /// The greatest number of selected options.
    pub items_max: Option<u64>,
    /// The values of the options that a draft starts with.
    pub default: Option<Vec<String>>,
}

/// An option of a choice.
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct ChoiceOption {
    /// The value that is sent, unchanged from the schema. It may be unsafe to show: use
    /// [`ChoiceOption::label`] on a screen.
    pub value: String,
    /// The text that is shown instead of the value.
    pub title: Option<SafeText>,
    /// The text that is shown beside the title.
    pub description: Option<SafeText>,
}

/// Writes `Debug` of the named members only: no default and no option.
macro_rules! debug_without_values {
    ($($name:ident { $($member:ident),* })*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($member), &self.$member))*
                    .finish_non_exhaustive()
            }
        }
    )*};
}
debug_without_values! {
    Text { length_min, length_max, format }
    Numeric { minimum, maximum }
    Flag {}
    Choice {}
    Choices { items_min, items_max }
    ChoiceOption {}
}

/// The most fields that are searched one by one for a name.
const FEW_FIELDS: usize = 8;

impl Form {
    pub(crate) fn new(
        title: Option<SafeText>,
        description: Option<SafeText>,
        fields: Vec<Field>,
    ) -> Self {
        let mut by_name: Vec<u32> = Vec::new();
        if fields.len() > FEW_FIELDS {
            let name_at = |index: u32| fields.get(index as usize).map(|field| field.name.as_str());
            by_name.extend((0..).take(fields.len()));
            by_name.sort_unstable_by(|a, b| name_at(*a).cmp(&name_at(*b)));
        }
        Self { title, description, fields, by_name }
    }

    /// Returns the title of the whole form.
    #[must_use]
    pub const fn title(&self) -> Option<&SafeText> {
        self.title.as_ref()
    }

    /// Returns the description of the whole form.
    #[must_use]
    pub const fn description(&self) -> Option<&SafeText> {
        self.description.as_ref()
    }

    /// Returns the fields, in the order of the schema.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the field of that name, if the form has one.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(self.position(name)?)
    }

    /// Returns the index of the field of that name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        if self.fields.len() <= FEW_FIELDS {
            return self.fields.iter().position(|field| field.name == name);
        }
        let name_at = |index: u32| self.fields.get(index as usize).map(|field| field.name.as_str());
        let found = self.by_name.binary_search_by(|index| name_at(*index).cmp(&Some(name))).ok()?;
        self.by_name.get(found).map(|index| *index as usize)
    }
}

/// Writes only the number of fields, because the texts come from a peer.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Form({} fields)", self.fields.len())
    }
}

impl Field {
    /// Returns the name, unchanged from the schema. It is the key of the field's value in the
    /// answer.
    ///
    /// It may be unsafe to show: use [`Field::label`] on a screen.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text to show for the field: the title, or the name if there is no title. It is
    /// cleaned as [`SafeText`] describes, and so safe to show.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        label(self.title.as_ref(), &self.name)
    }

    /// Returns the title, if the schema has one.
    #[must_use]
    pub const fn title(&self) -> Option<&SafeText> {
        self.title.as_ref()
    }

    /// Returns the description, if the schema has one.
    #[must_use]
    pub const fn description(&self) -> Option<&SafeText> {
        self.description.as_ref()
    }

    /// Returns whether an answer must have the field.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// Returns whether the field seems to ask for a secret. A user interface should warn the
    /// person, or refuse the form.
    ///
    /// It looks for words such as `password`, `token`, `api key` or `PIN` in the name and the
    /// title. The list is short and English. Words of other languages are missed, and harmless
    /// fields can match.
    #[must_use]
    pub fn looks_secret(&self) -> bool {
        looks_secret(&self.name)
            || self.title.as_ref().is_some_and(|title| looks_secret(title.as_str()))
    }

    /// Returns the kind of the field.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns the value that a draft starts with, if the field has a default.
    #[must_use]
    pub fn default(&self) -> Option<Value> {
        match &self.kind {
            Kind::Text(text) => text.default.clone().map(Value::Text),
            Kind::Number(numeric) | Kind::Integer(numeric) => numeric.default.map(Value::Number),
            Kind::Flag(flag) => flag.default.map(Value::Flag),
            Kind::Choice(choice) => choice.default.clone().map(Value::Text),
            Kind::Choices(choices) => choices.default.clone().map(Value::Choices),
        }
    }
}

/// Writes only the kind and whether the field is required, because the texts come from a peer.
impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let required = if self.required { "required" } else { "optional" };
        write!(f, "Field({}, {required})", self.kind.name())
    }
}

impl Kind {
    /// Returns the name of the kind: text, number, integer, flag, choice or choices.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "number",
            Self::Integer(_) => "integer",
            Self::Flag(_) => "flag",
            Self::Choice(_) => "choice",
            Self::Choices(_) => "choices",
        }
    }

    /// Sets the default, if it fits. Returns whether it does.
    pub(crate) fn set_default(&mut self, value: Value) -> bool {
        if self.check(&value).is_some() {
            return false;
        }
        match (self, value) {
            (Self::Text(text), Value::Text(value)) => text.default = Some(value),
            (Self::Choice(choice), Value::Text(value)) => choice.default = Some(value),
            (Self::Number(numeric) | Self::Integer(numeric), Value::Number(value)) => {
                numeric.default = Some(value);
            }
            (Self::Flag(flag), Value::Flag(value)) => flag.default = Some(value),
            (Self::Choices(choices), Value::Choices(value)) => choices.default = Some(value),
            _ => return false,
        }
        true
    }
}

impl Numeric {
    /// Returns whether a number is within the bounds.
    #[must_use]
    pub fn contains(&self, number: Number) -> bool {
        self.check(number).is_none()
    }

    /// Returns whether any number, or any whole number, is within the bounds.
    pub(crate) fn is_satisfiable(&self, integer: bool) -> bool {
        let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum) else { return true };
        if integer {
            let least = minimum.value.ceiling();
            if least != minimum.value || !minimum.exclusive {
                return self.contains(least);
            }
            let next = least.successor();
            // If 38 digits cannot hold the next integer, there are still integers up to the
            // maximum.
            return if next == least { minimum.value < maximum.value } else { self.contains(next) };
        }
        match minimum.value.cmp(&maximum.value) {
            Ordering::Less => true,
            Ordering::Equal => !minimum.exclusive && !maximum.exclusive,
            Ordering::Greater => false,
        }
    }
}

impl Bound {
    /// Makes an inclusive bound: `value` itself is allowed.
    #[must_use]
    pub const fn inclusive(value: Number) -> Self {
        Self { value, exclusive: false }
    }

    /// Makes an exclusive bound: `value` itself is not allowed.
    #[must_use]
    pub const fn exclusive(value: Number) -> Self {
        Self { value, exclusive: true }
    }
}

impl ChoiceOption {
    pub(crate) const fn new(value: String, title: Option<SafeText>) -> Self {
        Self { value, title, description: None }
    }

    /// Returns the text to show for the option: the title, or the value if there is no title. It is
    /// cleaned as [`SafeText`] describes, and so safe to show.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        label(self.title.as_ref(), &self.value)
    }
}

/// Returns the title, or the raw text, cleaned, if there is no title.
fn label<'t>(title: Option<&'t SafeText>, raw: &'t str) -> Cow<'t, str> {
    title.map_or_else(|| clean_line(raw), |title| Cow::Borrowed(title.as_str()))
}
