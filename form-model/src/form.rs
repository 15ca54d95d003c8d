//! The canonical form: what a schema means, once decoded.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

use crate::{Format, Number, SafeText, safe_text::clean_line, warn::looks_secret};

/// Is a decoded form: fields in the order of the document, each of one kind.
///
/// A form is made by [`Form::from_schema`] or a [`Decoder`](crate::Decoder) and never changes.
#[derive(Clone, PartialEq, Hash)]
pub struct Form {
    pub(crate) title: Option<SafeText>,
    pub(crate) description: Option<SafeText>,
    pub(crate) fields: Vec<Field>,
    /// Indexes of `fields`, sorted by name; empty where there are few.
    by_name: Vec<u32>,
}

/// Is one field of a form.
#[derive(Clone, PartialEq, Hash)]
pub struct Field {
    pub(crate) name: String,
    pub(crate) title: Option<SafeText>,
    pub(crate) description: Option<SafeText>,
    pub(crate) required: bool,
    pub(crate) kind: Kind,
}

/// Says what a field takes.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Kind {
    /// A text.
    Text(Text),
    /// A number with or without a fraction.
    Number(Numeric),
    /// A number without a fraction.
    Integer(Numeric),
    /// Yes or no.
    Flag(Flag),
    /// One of several options.
    Choice(Choice),
    /// Any of several options.
    Choices(Choices),
}

/// Bounds a text field.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Text {
    /// The least length, in Unicode code points.
    pub length_min: Option<u64>,
    /// The greatest length, in Unicode code points.
    pub length_max: Option<u64>,
    /// The format that the text must have.
    pub format: Option<Format>,
    /// What a draft starts with.
    pub default: Option<String>,
}

/// Bounds a number or integer field.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Numeric {
    /// The lower bound.
    pub minimum: Option<Bound>,
    /// The upper bound.
    pub maximum: Option<Bound>,
    /// What a draft starts with.
    pub default: Option<Number>,
}

/// Is one end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct Bound {
    /// Where the interval ends.
    pub value: Number,
    /// Whether the end itself is left out.
    pub exclusive: bool,
}

/// Describes a yes-or-no field.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct Flag {
    /// What a draft starts with.
    pub default: Option<bool>,
}

/// Describes a field that takes one option.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Choice {
    /// The options, at least one, with distinct values.
    pub options: Vec<ChoiceOption>,
    /// The value of the option that a draft starts with.
    pub default: Option<String>,
}

/// Describes a field that takes any number of options within bounds.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Choices {
    /// The options, at least one, with distinct values.
    pub options: Vec<ChoiceOption>,
    /// The least number of selected options.
    pub items_min: Option<u64>,
    /// The greatest number of selected options.
    pub items_max: Option<u64>,
    /// The values of the options that a draft starts with.
    pub default: Option<Vec<String>>,
}

/// Is one option of a choice.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct ChoiceOption {
    /// What is sent, exactly as the schema has it.
    pub value: String,
    /// What is shown instead of the value.
    pub title: Option<SafeText>,
    /// What is shown beside it.
    pub description: Option<SafeText>,
}

impl ChoiceOption {
    /// Returns what to show for the option: its title, or else its value, safe to show.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        label(self.title.as_ref(), &self.value)
    }
}

/// The number of fields up to which a search by name looks at each.
const FEW_FIELDS: usize = 8;

/// Returns a title, or else what goes back to the server, cleaned.
fn label<'t>(title: Option<&'t SafeText>, raw: &'t str) -> Cow<'t, str> {
    title.map_or_else(|| clean_line(raw), |title| Cow::Borrowed(title.as_str()))
}

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

    /// Returns the fields in the order of the document.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the field of a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(self.position(name)?)
    }

    /// Returns the index of the field of a name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        if self.fields.len() <= FEW_FIELDS {
            return self.fields.iter().position(|field| field.name == name);
        }
        let name_at = |index: u32| self.fields.get(index as usize).map(|field| field.name.as_str());
        let found = self.by_name.binary_search_by(|index| name_at(*index).cmp(&Some(name))).ok()?;
        self.by_name.get(found).map(|index| *index as usize)
    }
}

/// Writes how many fields there are, and nothing of what the form says.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Form({} fields)", self.fields.len())
    }
}

/// Writes the kind, and nothing of what the field says.
impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let required = if self.required { "required" } else { "optional" };
        write!(f, "Field({}, {required})", self.kind.name())
    }
}

impl Field {
    /// Returns the name: the key of the answer, exactly as the schema has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what to show for the field: its title, or else its name, safe to show.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        label(self.title.as_ref(), &self.name)
    }

    /// Returns the title, where the schema has one.
    #[must_use]
    pub const fn title(&self) -> Option<&SafeText> {
        self.title.as_ref()
    }

    /// Returns the description, where the schema has one.
    #[must_use]
    pub const fn description(&self) -> Option<&SafeText> {
        self.description.as_ref()
    }

    /// Tells whether an answer must have the field.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// Tells whether the field looks as if it asks for a secret: a surface should warn, or refuse.
    #[must_use]
    pub fn looks_secret(&self) -> bool {
        looks_secret(&self.name)
            || self.title.as_ref().is_some_and(|title| looks_secret(title.as_str()))
    }

    /// Returns what the field takes.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns what a draft of the form starts with.
    #[must_use]
    pub fn default(&self) -> Option<crate::Value> {
        use crate::Value;
        match &self.kind {
            Kind::Text(text) => text.default.clone().map(Value::Text),
            Kind::Number(numeric) | Kind::Integer(numeric) => numeric.default.map(Value::Number),
            Kind::Flag(flag) => flag.default.map(Value::Flag),
            Kind::Choice(choice) => choice.default.clone().map(Value::Text),
            Kind::Choices(choices) => choices.default.clone().map(Value::Choices),
        }
    }
}

impl Numeric {
    /// Tells whether a number is within the bounds.
    #[must_use]
    pub fn contains(&self, number: Number) -> bool {
        self.check(number).is_none()
    }
}

impl Bound {
    /// Makes a bound that includes its end.
    #[must_use]
    pub const fn inclusive(value: Number) -> Self {
        Self { value, exclusive: false }
    }
}

impl Kind {
    /// Returns the kind's name: text, number, integer, flag, choice or choices.
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
}
