//! The schema of a form: the `requestedSchema` of MCP.

use alloc::string::String;

use crate::{
    Bound, Choice, ChoiceOption, Choices, Field, Form, Format, Kind, Numeric, SafeText, Text,
    json::{Object, write_array},
};

impl Form {
    /// Writes the form as a JSON Schema, the `requestedSchema` of MCP.
    ///
    /// This crate decodes the schema to an equal form. The text may be longer than the original
    /// schema. It can even exceed
    /// [`Limits::schema_bytes_max`](field@crate::Limits::schema_bytes_max); a decoder with that
    /// limit then refuses it.
    ///
    /// The schema is within the subset, except for these parts that a decoded form can have:
    ///
    /// - an exclusive bound
    /// - a title or a description of the whole form
    /// - options with and without titles together, or an option with a description
    /// - a text that is not [safe to show](SafeText)
    ///
    /// They are written with the usual keywords of JSON Schema. If the schema is decoded again,
    /// they get notes again.
    ///
    /// ```
    /// use form_model::Form;
    ///
    /// let schema = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#;
    /// let form = Form::from_schema(schema)?;
    /// assert_eq!(form.to_schema(), schema);
    /// # Ok::<(), form_model::Refusal>(())
    /// ```
    #[must_use]
    pub fn to_schema(&self) -> String {
        let mut root = Object::new();
        root.text("type", "object");
        root.optional_text("title", self.title().map(SafeText::raw));
        root.optional_text("description", self.description().map(SafeText::raw));
        let mut properties = Object::new();
        for field in &self.fields {
            properties.member(&field.name).push_str(&field.to_schema());
        }
        root.member("properties").push_str(&properties.end());
        let mut required = self.fields.iter().filter(|field| field.required).peekable();
        if required.peek().is_some() {
            root.texts("required", required.map(Field::name));
        }
        root.end()
    }
}

impl Field {
    fn to_schema(&self) -> String {
        let mut schema = Object::new();
        schema.text(
            "type",
            match self.kind {
                Kind::Text(_) | Kind::Choice(_) => "string",
                Kind::Number(_) => "number",
                Kind::Integer(_) => "integer",
                Kind::Flag(_) => "boolean",
                Kind::Choices(_) => "array",
            },
        );
        schema.optional_text("title", self.title().map(SafeText::raw));
        schema.optional_text("description", self.description().map(SafeText::raw));
        match &self.kind {
            Kind::Text(text) => text.write(&mut schema),
            Kind::Number(numeric) | Kind::Integer(numeric) => numeric.write(&mut schema),
            Kind::Flag(flag) => schema.optional("default", flag.default),
            Kind::Choice(choice) => choice.write(&mut schema),
            Kind::Choices(choices) => choices.write(&mut schema),
        }
        schema.end()
    }
}

impl Text {
    fn write(&self, schema: &mut Object) {
        schema.optional("minLength", self.length_min);
        schema.optional("maxLength", self.length_max);
        schema.optional_text("format", self.format.map(Format::name));
        schema.optional_text("default", self.default.as_deref());
    }
}

impl Numeric {
    fn write(&self, schema: &mut Object) {
        let mut write = |bound: Option<Bound>, inclusive: &str, exclusive: &str| {
            if let Some(Bound { value, exclusive: is_exclusive }) = bound {
                schema.optional(if is_exclusive { exclusive } else { inclusive }, Some(value));
            }
        };
        write(self.minimum, "minimum", "exclusiveMinimum");
        write(self.maximum, "maximum", "exclusiveMaximum");
        schema.optional("default", self.default);
    }
}

impl Choice {
    fn write(&self, schema: &mut Object) {
        write_options(&self.options, "oneOf", schema);
        schema.optional_text("default", self.default.as_deref());
    }
}

impl Choices {
    fn write(&self, schema: &mut Object) {
        schema.optional("minItems", self.items_min);
        schema.optional("maxItems", self.items_max);
        let mut items = Object::new();
        if !is_titled(&self.options) {
            items.text("type", "string");
        }
        write_options(&self.options, "anyOf", &mut items);
        schema.member("items").push_str(&items.end());
        if let Some(default) = &self.default {
            schema.texts("default", default.iter().map(String::as_str));
        }
    }
}

fn is_titled(options: &[ChoiceOption]) -> bool {
    options.iter().any(|option| option.title.is_some() || option.description.is_some())
}

/// Writes options as `enum`, or by the keyword for options with titles if any has one.
fn write_options(options: &[ChoiceOption], titled_keyword: &str, schema: &mut Object) {
    if !is_titled(options) {
        schema.texts("enum", options.iter().map(|option| option.value.as_str()));
        return;
    }
    write_array(options, schema.member(titled_keyword), |option, json| {
        let mut schema = Object::new();
        schema.text("const", &option.value);
        schema.optional_text("title", option.title.as_ref().map(SafeText::raw));
        schema.optional_text("description", option.description.as_ref().map(SafeText::raw));
        json.push_str(&schema.end());
    });
}
