//! A form as the specification's `requestedSchema`.

use alloc::{string::String, vec::Vec};
use core::fmt::{self, Write as _};

use crate::{
    Bound, Choice, ChoiceOption, Choices, Field, Form, Kind, Numeric, SafeText, Text,
    value::write_text,
};

impl Form {
    /// Writes the form as a schema of the specification's subset.
    ///
    /// Whatever form it is, this crate decodes the schema to an equal form, if the limit of its bytes
    /// allows: the text may be longer than the one that the form came from. What a form has beyond
    /// the subset is written as JSON Schema has it, and gets its note again: exclusive bounds, a
    /// title or description of the whole, options of which only some have titles, text that is not
    /// safe to show.
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
            properties.raw(&field.name, &field.to_schema());
        }
        root.raw("properties", &properties.end());
        let required: Vec<&str> = self
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| field.name.as_str())
            .collect();
        if !required.is_empty() {
            root.raw("required", &array(required.iter().map(|name| quoted(name))));
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
        schema.optional_text("format", self.format.map(crate::Format::name));
        schema.optional_text("default", self.default.as_deref());
    }
}

impl Numeric {
    fn write(&self, schema: &mut Object) {
        let inclusive = |bound: Option<Bound>| bound.filter(|bound| !bound.exclusive);
        let exclusive = |bound: Option<Bound>| bound.filter(|bound| bound.exclusive);
        schema.optional("minimum", inclusive(self.minimum).map(|bound| bound.value));
        schema.optional("exclusiveMinimum", exclusive(self.minimum).map(|bound| bound.value));
        schema.optional("maximum", inclusive(self.maximum).map(|bound| bound.value));
        schema.optional("exclusiveMaximum", exclusive(self.maximum).map(|bound| bound.value));
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
        schema.raw("items", &items.end());
        if let Some(default) = &self.default {
            schema.raw("default", &array(default.iter().map(|value| quoted(value))));
        }
    }
}

fn is_titled(options: &[ChoiceOption]) -> bool {
    options.iter().any(|option| option.title.is_some() || option.description.is_some())
}

fn write_options(options: &[ChoiceOption], titled_keyword: &str, schema: &mut Object) {
    if !is_titled(options) {
        schema.raw("enum", &array(options.iter().map(|option| quoted(&option.value))));
        return;
    }
    let titled = options.iter().map(|option| {
        let mut schema = Object::new();
        schema.text("const", &option.value);
        schema.optional_text("title", option.title.as_ref().map(SafeText::raw));
        schema.optional_text("description", option.description.as_ref().map(SafeText::raw));
        schema.end()
    });
    schema.raw(titled_keyword, &array(titled));
}

fn quoted(text: &str) -> String {
    let mut json = String::new();
    write_text(text, &mut json);
    json
}

fn array(elements: impl Iterator<Item = String>) -> String {
    let mut json = String::from("[");
    for (index, element) in elements.enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push_str(&element);
    }
    json.push(']');
    json
}

/// Is a JSON object under construction.
struct Object {
    json: String,
}

impl Object {
    fn new() -> Self {
        Self { json: String::from("{") }
    }

    fn raw(&mut self, name: &str, value: &str) {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        write_text(name, &mut self.json);
        self.json.push(':');
        self.json.push_str(value);
    }

    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Writes a number or boolean, whose `Display` is JSON.
    fn optional(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            let mut json = String::new();
            let _ = write!(json, "{value}");
            self.raw(name, &json);
        }
    }

    fn end(mut self) -> String {
        self.json.push('}');
        self.json
    }
}
