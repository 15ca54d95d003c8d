//! Forms that a server makes.

use alloc::{string::String, vec::Vec};

use thiserror::Error;

use crate::{
    Bound, Choice, ChoiceOption, Choices, Decoder, Field, Flag, Form, Format, Kind, Limits, Number,
    Numeric, Refusal, SafeText, Text, Value,
};

/// Builds a form of the specification's subset, and no other: each kind of field has just the
/// settings that a schema can express, and a form that a client would refuse is not built.
///
/// ```
/// use form_model::{ChoiceField, FlagField, FormBuilder, IntegerField};
///
/// let form = FormBuilder::new()
///     .field(ChoiceField::new("environment").option("staging").option("production").required())
///     .field(IntegerField::new("replicas").title("How many?").minimum(1).maximum(9).default(2))
///     .field(FlagField::new("confirm").required())
///     .build()?;
/// assert_eq!(form.fields().len(), 3);
/// assert_eq!(form_model::Form::from_schema(&form.to_schema()).as_ref(), Ok(&form));
///
/// // No integer is between 3 and 2.
/// let field = IntegerField::new("n").minimum(3).maximum(2);
/// assert!(FormBuilder::new().field(field).build().is_err());
/// # Ok::<(), form_model::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FormBuilder {
    fields: Vec<Field>,
    defaults: Vec<Option<Value>>,
    limits: Limits,
}

/// Says why a form is not built.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("a client would refuse the form: {refusal}")]
#[non_exhaustive]
pub struct BuildError {
    /// What a strict decoder says of the form's schema.
    pub refusal: Refusal,
}

impl FormBuilder {
    /// Begins a form without fields: a person can only say yes or no to it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits that the form's clients have. By default those of this crate.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Adds a field.
    #[must_use]
    pub fn field(mut self, field: impl Into<BuiltField>) -> Self {
        let BuiltField { field, default } = field.into();
        self.fields.push(field);
        self.defaults.push(default);
        self
    }

    /// Builds the form.
    ///
    /// # Errors
    ///
    /// A form that no answer satisfies, that has a name, an option or a key twice, a default that
    /// its field does not take, text that is not safe to show, or more of anything than the limits
    /// allow: whatever a strict decoder refuses. A field that looks as if it asks for a secret, or
    /// labels that look alike, are the server's own risk.
    pub fn build(self) -> Result<Form, BuildError> {
        let Self { mut fields, defaults, limits } = self;
        for (field, default) in fields.iter_mut().zip(defaults) {
            if let Some(default) = default
                && !field.kind.set_default(default)
            {
                let pointer = alloc::format!("/properties/{}/default", field.name);
                let message = "expected a default that the field takes".into();
                let code = crate::RefusalCode::Unsatisfiable;
                return Err(BuildError { refusal: Refusal { code, pointer, message } });
            }
        }
        let form = Form::new(None, None, fields);
        let decoded = Decoder::new(limits)
            .strict()
            .allowing_warnings()
            .decode(&form.to_schema())
            .map_err(|refusal| BuildError { refusal })?;
        Ok(decoded.form)
    }
}

/// Is a field that is ready to be added to a form.
#[derive(Clone, Debug)]
pub struct BuiltField {
    field: Field,
    default: Option<Value>,
}

/// Declares the builder of one kind of field with what all kinds have.
macro_rules! field_builder {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $new:expr, $kind:expr, $default:ty, $value:expr) => {
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
            /// Begins an optional field of a name: the key of the answer.
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

            /// Sets what is shown instead of the name.
            #[must_use]
            pub fn title(self, title: impl Into<String>) -> Self {
                Self { title: Some(title.into()), ..self }
            }

            /// Sets what is shown beside it.
            #[must_use]
            pub fn description(self, description: impl Into<String>) -> Self {
                Self { description: Some(description.into()), ..self }
            }

            /// Makes an answer to it required.
            #[must_use]
            pub fn required(self) -> Self {
                Self { required: true, ..self }
            }

            /// Sets what is filled in at first.
            #[must_use]
            pub fn default(self, default: $default) -> Self {
                let value: fn($default) -> Value = $value;
                Self { default: Some(value(default)), ..self }
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
    /// Builds a text field.
    TextField, Text, Text::default(), Kind::Text, &str, |text| Value::Text(text.into())
);
field_builder!(
    /// Builds a field for a number with or without a fraction.
    NumberField, Numeric, Numeric::default(), Kind::Number, Number, Value::Number
);
field_builder!(
    /// Builds a field for a number without a fraction.
    IntegerField, Numeric, Numeric::default(), Kind::Integer, i64,
    |number| Value::Number(number.into())
);
field_builder!(
    /// Builds a yes-or-no field.
    FlagField, Flag, Flag::default(), Kind::Flag, bool, Value::Flag
);
field_builder!(
    /// Builds a field that takes one of several options.
    ChoiceField, Vec<ChoiceOption>, Vec::new(),
    |options| Kind::Choice(Choice { options: titled(options), default: None }),
    &str, |value| Value::Text(value.into())
);
field_builder!(
    /// Builds a field that takes any of several options.
    ChoicesField, Choices,
    Choices { options: Vec::new(), items_min: None, items_max: None, default: None },
    |choices| Kind::Choices(Choices { options: titled(choices.options), ..choices }),
    &[&str], |values| Value::Choices(values.iter().map(|value| (*value).into()).collect())
);

/// Titles all options if one is: a schema titles all or none.
fn titled(mut options: Vec<ChoiceOption>) -> Vec<ChoiceOption> {
    if options.iter().any(|option| option.title.is_some()) {
        for option in &mut options {
            option.title.get_or_insert_with(|| SafeText::line(&option.value));
        }
    }
    options
}

impl TextField {
    /// Sets the least length, in Unicode code points.
    #[must_use]
    pub fn length_min(mut self, length_min: u64) -> Self {
        self.inner.length_min = Some(length_min);
        self
    }

    /// Sets the greatest length, in Unicode code points.
    #[must_use]
    pub fn length_max(mut self, length_max: u64) -> Self {
        self.inner.length_max = Some(length_max);
        self
    }

    /// Sets the format that the text must have.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.inner.format = Some(format);
        self
    }
}

impl NumberField {
    /// Sets the lower bound, itself included.
    #[must_use]
    pub fn minimum(mut self, minimum: Number) -> Self {
        self.inner.minimum = Some(Bound::inclusive(minimum));
        self
    }

    /// Sets the upper bound, itself included.
    #[must_use]
    pub fn maximum(mut self, maximum: Number) -> Self {
        self.inner.maximum = Some(Bound::inclusive(maximum));
        self
    }
}

impl IntegerField {
    /// Sets the lower bound, itself included.
    #[must_use]
    pub fn minimum(mut self, minimum: i64) -> Self {
        self.inner.minimum = Some(Bound::inclusive(minimum.into()));
        self
    }

    /// Sets the upper bound, itself included.
    #[must_use]
    pub fn maximum(mut self, maximum: i64) -> Self {
        self.inner.maximum = Some(Bound::inclusive(maximum.into()));
        self
    }
}

fn option(value: String, title: Option<String>) -> ChoiceOption {
    ChoiceOption { value, title: title.as_deref().map(SafeText::line), description: None }
}

impl ChoiceField {
    /// Adds an option that is shown by its value.
    #[must_use]
    pub fn option(mut self, value: impl Into<String>) -> Self {
        self.inner.push(option(value.into(), None));
        self
    }

    /// Adds an option with what is shown for it.
    #[must_use]
    pub fn titled_option(mut self, value: impl Into<String>, title: impl Into<String>) -> Self {
        self.inner.push(option(value.into(), Some(title.into())));
        self
    }
}

impl ChoicesField {
    /// Adds an option that is shown by its value.
    #[must_use]
    pub fn option(mut self, value: impl Into<String>) -> Self {
        self.inner.options.push(option(value.into(), None));
        self
    }

    /// Adds an option with what is shown for it.
    #[must_use]
    pub fn titled_option(mut self, value: impl Into<String>, title: impl Into<String>) -> Self {
        self.inner.options.push(option(value.into(), Some(title.into())));
        self
    }

    /// Sets the least number of selected options.
    #[must_use]
    pub fn items_min(mut self, items_min: u64) -> Self {
        self.inner.items_min = Some(items_min);
        self
    }

    /// Sets the greatest number of selected options.
    #[must_use]
    pub fn items_max(mut self, items_max: u64) -> Self {
        self.inner.items_max = Some(items_max);
        self
    }
}
