//! The builder of forms, for servers.

use alloc::{string::String, vec::Vec};

use thiserror::Error;

use crate::{
    Bound, Choice, ChoiceOption, Choices, Decoder, Field, Flag, Form, Format, Kind, Limits, Number,
    Numeric, Refusal, RefusalCode, SafeText, Text, Value, decode::field_pointer,
};

/// A builder of a form within the subset.
///
/// Each kind of field has only the settings that the subset has. The setters accept everything, for
/// example a minimum over the maximum or a title with control characters. [`FormBuilder::build`]
/// checks the form with a strict [`Decoder`] that allows warnings.
///
/// ```
/// use form_model::{ChoiceField, FlagField, Form, FormBuilder, IntegerField};
///
/// let form = FormBuilder::new()
///     .field(ChoiceField::new("environment").option("staging").option("production").required())
///     .field(IntegerField::new("replicas").title("How many?").minimum(1).maximum(9).default(2))
///     .field(FlagField::new("confirm").required())
///     .build()?;
/// assert_eq!(form.fields().len(), 3);
/// assert_eq!(Form::from_schema(&form.to_schema())?, form);
///
/// // There is no integer between 3 and 2.
/// let field = IntegerField::new("n").minimum(3).maximum(2);
/// assert!(FormBuilder::new().field(field).build().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FormBuilder {
    fields: Vec<BuiltField>,
    limits: Limits,
}

/// Why a form was not built.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("the form is not valid: {refusal}")]
#[non_exhaustive]
pub struct BuildError {
    /// Why a strict decoder refuses the schema of the form.
    pub refusal: Refusal,
}

impl FormBuilder {
    /// Makes a builder of a form without fields. A person can accept, decline or cancel such a
    /// form, and enters nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits to check the form against. The default is [`Limits::default`]. Clients that
    /// use this crate have these limits if they set no others.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Adds a field after the fields added before.
    #[must_use]
    pub fn field(mut self, field: impl Into<BuiltField>) -> Self {
        self.fields.push(field.into());
        self
    }

    /// Builds the form.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a strict decoder would refuse the form. Examples are:
    ///
    /// - a form that no answer satisfies, such as a minimum over the maximum
    /// - a name or an option that comes twice
    /// - a default that does not fit its field
    /// - a text that is not [safe to show](SafeText), such as a title with a line break
    /// - anything over a limit
    ///
    /// Warnings are allowed: a field that seems to ask for a secret, and labels that look alike.
    pub fn build(self) -> Result<Form, BuildError> {
        let fields = self.fields.into_iter().map(BuiltField::build).collect::<Result<_, _>>();
        let decoder = Decoder::new(self.limits).strict().allowing_warnings();
        fields
            .and_then(|fields| decoder.decode(&Form::new(None, None, fields).to_schema()))
            .map(|decoded| decoded.form)
            .map_err(|refusal| BuildError { refusal })
    }
}

/// A field of any kind, for [`FormBuilder::field`].
#[derive(Clone, Debug)]
pub struct BuiltField {
    field: Field,
    default: Option<Value>,
}

impl BuiltField {
    fn build(self) -> Result<Field, Refusal> {
        let Self { mut field, default } = self;
        if default.is_none_or(|default| field.kind.set_default(default)) {
            return Ok(field);
        }
        let pointer = field_pointer(&field.name, "default");
        let message = "expected a default that the field accepts";
        Err(Refusal::new(RefusalCode::Unsatisfiable, pointer, message))
    }
}

/// Declares the builder of one kind of field, with the settings that all kinds have.
macro_rules! field_builder {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $new:expr, $kind:expr, $default:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            name: String,
            title: Option<String>,
            description: Option<String>,
            required: bool,
            inner: $inner,
            default: Option<Value>,
        }

        impl $name {
            /// Makes an optional field. The name is the key of its value in the answer. If the
            /// field has no title, the name is shown, so it must be [safe to show](SafeText::line).
            #[must_use]
            pub fn new(name: impl Into<String>) -> Self {
                Self {
                    name: name.into(),
                    title: None,
                    description: None,
                    required: false,
                    inner: $new,
                    default: None,
                }
            }

            /// Sets the text that is shown instead of the name. It must be
            /// [safe to show](SafeText::line) on one line.
            #[must_use]
            pub fn title(self, title: impl Into<String>) -> Self {
                Self { title: Some(title.into()), ..self }
            }

            /// Sets the text that is shown beside the title. It must be
            /// [safe to show](SafeText::paragraph), and may have several lines.
            #[must_use]
            pub fn description(self, description: impl Into<String>) -> Self {
                Self { description: Some(description.into()), ..self }
            }

            /// Makes the field required: an answer must have it.
            #[must_use]
            pub fn required(self) -> Self {
                Self { required: true, ..self }
            }

            /// Sets the value that a draft starts with. The field must accept it.
            #[must_use]
            pub fn default(self, default: $default) -> Self {
                Self { default: Some(default.into()), ..self }
            }
        }

        impl From<$name> for BuiltField {
            fn from(builder: $name) -> Self {
                let kind: fn($inner) -> Kind = $kind;
                let field = Field {
                    name: builder.name,
                    title: builder.title.as_deref().map(SafeText::line),
                    description: builder.description.as_deref().map(SafeText::paragraph),
                    required: builder.required,
                    kind: kind(builder.inner),
                };
                Self { field, default: builder.default }
            }
        }
    };
}

field_builder!(
    /// A builder of a text field.
    TextField, Text, Text::default(), Kind::Text, &str
);
field_builder!(
    /// A builder of a field for a number, with or without a fraction.
    NumberField, Numeric, Numeric::default(), Kind::Number, Number
);
field_builder!(
    /// A builder of a field for a whole number. Its bounds and its default are `i64`, so that
    /// integer literals can be passed. A decoded schema can have larger integers. This builder
    /// cannot make them.
    IntegerField, Numeric, Numeric::default(), Kind::Integer, i64
);
field_builder!(
    /// A builder of a yes-or-no field.
    FlagField, Flag, Flag::default(), Kind::Flag, bool
);
field_builder!(
    /// A builder of a field that takes one of several options.
    ChoiceField, Choice, Choice { options: Vec::new(), default: None },
    |choice| Kind::Choice(Choice { options: titled(choice.options), ..choice }), &str
);
field_builder!(
    /// A builder of a field that takes zero or more of several options.
    ChoicesField, Choices,
    Choices { options: Vec::new(), items_min: None, items_max: None, default: None },
    |choices| Kind::Choices(Choices { options: titled(choices.options), ..choices }), &[&str]
);

/// Gives every option a title if one has a title.
fn titled(mut options: Vec<ChoiceOption>) -> Vec<ChoiceOption> {
    if options.iter().any(|option| option.title.is_some()) {
        for option in &mut options {
            option.title.get_or_insert_with(|| SafeText::line(&option.value));
        }
    }
    options
}

/// Declares setters of bounds: the documentation, name and type of each, and the value that it
/// sets.
macro_rules! setters {
    ($name:ident { $($(#[$doc:meta])* $bound:ident: $type:ty = $value:expr,)* }) => {
        impl $name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $bound(mut self, $bound: $type) -> Self {
                    self.inner.$bound = Some($value);
                    self
                }
            )*
        }
    };
}

setters!(TextField {
    /// Sets the least length, in Unicode code points. It must not be above `length_max`.
    length_min: u64 = length_min,
    /// Sets the greatest length, in Unicode code points.
    length_max: u64 = length_max,
    /// Sets the format of the text.
    format: Format = format,
});
setters!(NumberField {
    /// Sets the minimum. It must not be above the maximum.
    minimum: Number = Bound::inclusive(minimum),
    /// Sets the maximum.
    maximum: Number = Bound::inclusive(maximum),
});
setters!(IntegerField {
    /// Sets the minimum. It must not be above the maximum.
    minimum: i64 = Bound::inclusive(minimum.into()),
    /// Sets the maximum.
    maximum: i64 = Bound::inclusive(maximum.into()),
});
setters!(ChoicesField {
    /// Sets how many options must be selected at least. This must not be above `items_max` or the
    /// number of options.
    items_min: u64 = items_min,
    /// Sets how many options may be selected at most.
    items_max: u64 = items_max,
});

/// Declares the methods that add options.
macro_rules! options {
    ($($name:ident),*) => {$(
        impl $name {
            /// Adds an option. Its value is shown, so it must be [safe to show](SafeText::line).
            ///
            /// If another option has a title, the value of this option is also its title: the
            /// subset has titles for all options or for none.
            #[must_use]
            pub fn option(mut self, value: impl Into<String>) -> Self {
                self.inner.options.push(ChoiceOption::new(value.into(), None));
                self
            }

            /// Adds an option with a title, which is shown instead of the value. The title must be
            /// [safe to show](SafeText::line).
            ///
            /// Options without a title get their value as their title.
            #[must_use]
            pub fn titled_option(
                mut self,
                value: impl Into<String>,
                title: impl Into<String>,
            ) -> Self {
                let title = SafeText::line(&title.into());
                self.inner.options.push(ChoiceOption::new(value.into(), Some(title)));
                self
            }
        }
    )*};
}
options!(ChoiceField, ChoicesField);
