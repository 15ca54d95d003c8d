//! The writer of JSON text.

use alloc::string::String;
use core::fmt::{self, Write as _};

/// A JSON object that is being written.
pub(crate) struct Object {
    json: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self { json: String::from("{") }
    }

    /// Writes the name of a member, and returns the text that its value must be appended to.
    pub(crate) fn member(&mut self, name: &str) -> &mut String {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        write_text(name, &mut self.json);
        self.json.push(':');
        &mut self.json
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        write_text(text, self.member(name));
    }

    pub(crate) fn optional_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// Writes a number or boolean, if there is one. Its `Display` is JSON.
    pub(crate) fn optional(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            let _ = write!(self.member(name), "{value}");
        }
    }

    pub(crate) fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) {
        write_array(texts, self.member(name), write_text);
    }

    pub(crate) fn end(mut self) -> String {
        self.json.push('}');
        self.json
    }
}

/// Appends a JSON array.
pub(crate) fn write_array<T>(
    elements: impl IntoIterator<Item = T>,
    json: &mut String,
    write: impl Fn(T, &mut String),
) {
    json.push('[');
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        write(element, json);
    }
    json.push(']');
}

/// Appends a text as a JSON string.
pub(crate) fn write_text(text: &str, json: &mut String) {
    // Serializing a string to memory cannot fail.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}
