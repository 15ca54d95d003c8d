//! The forms that the peer's server asks.

use form_model::{
    BuildError, ChoiceField, ChoicesField, FlagField, Form, FormBuilder, IntegerField, Number,
    NumberField, TextField,
};

/// Asks where to deploy, and whether to.
pub(crate) fn target() -> Result<Form, BuildError> {
    FormBuilder::new()
        .field(ChoiceField::new("environment").option("staging").option("production").required())
        .field(FlagField::new("confirm").required())
        .build()
}

/// Makes a form with each kind of field. A form does not know how its schema was spelled, so `legacy`
/// is written like `titled`.
pub(crate) fn spellings() -> Result<Form, BuildError> {
    let titled = |name: &str| {
        ChoiceField::new(name.to_owned()).titled_option("a", "A").titled_option("b", "B")
    };
    FormBuilder::new()
        .field(TextField::new("text").length_min(1).length_max(10))
        .field(NumberField::new("number").minimum(Number::ZERO).maximum(Number::from(1)))
        .field(IntegerField::new("integer").minimum(1).maximum(5))
        .field(FlagField::new("flag").default(true))
        .field(ChoiceField::new("choice").option("a").option("b"))
        .field(titled("titled"))
        .field(titled("legacy"))
        .field(ChoicesField::new("choices").option("a").option("b"))
        .field(ChoicesField::new("titled_choices").titled_option("a", "A").titled_option("b", "B"))
        .build()
}

/// Asks for one text.
pub(crate) fn text(name: &str) -> Result<Form, BuildError> {
    FormBuilder::new().field(TextField::new(name).required()).build()
}

/// Asks for one whole number.
pub(crate) fn integer(name: &str) -> Result<Form, BuildError> {
    FormBuilder::new().field(IntegerField::new(name).required()).build()
}

/// Asks for a yes or a no, which may be left out.
pub(crate) fn flag(name: &str) -> Result<Form, BuildError> {
    FormBuilder::new().field(FlagField::new(name)).build()
}
