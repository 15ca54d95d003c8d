//! Schema text to a form.
//!
//! The text is read once, from front to back, and nothing of a field is kept but what its keywords
//! say ([`keywords`]). When the field's object closes, [`judge`] decides what it means.

mod judge;
mod keywords;
mod nullable;
mod object;
mod options;
mod path;
mod reader;
mod root;

use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

use crate::{Form, Limits, Note, Refusal, RefusalCode};
use path::Path;
use reader::Reader;

/// Decodes schema text to forms, within limits.
///
/// ```
/// use form_model::{Decoder, Limits};
///
/// let schema = r#"{
///     "type": "object",
///     "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}$"}}
/// }"#;
/// let decoded = Decoder::new(Limits::default()).decode(schema)?;
/// assert_eq!(decoded.form.fields().len(), 1);
/// assert_eq!(decoded.notes[0].to_string(), "unenforced:pattern@/properties/code/pattern");
///
/// // A server that checks its own forms wants none of that.
/// let refusal = Decoder::new(Limits::default()).strict().decode(schema).unwrap_err();
/// assert_eq!(refusal.pointer, "/properties/code/pattern");
/// # Ok::<(), form_model::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Decoder {
    limits: Limits,
    strictness: Strictness,
}

/// Says which notes are refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Strictness {
    #[default]
    None,
    /// All but warnings.
    Subset,
    All,
}

/// Is what a decoder made of a schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// The form.
    pub form: Form,
    /// What was read around, in the order of the document. Empty: the schema was in the subset.
    pub notes: Vec<Note>,
}

impl Decoder {
    /// Makes a decoder with limits.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, strictness: Strictness::None }
    }

    /// Makes the decoder refuse whatever would get a note.
    #[must_use]
    pub const fn strict(self) -> Self {
        Self { strictness: Strictness::All, ..self }
    }

    /// Makes a strict decoder pass warnings, which are about a person and not about the schema.
    #[must_use]
    pub const fn allowing_warnings(self) -> Self {
        match self.strictness {
            Strictness::None => self,
            Strictness::Subset | Strictness::All => Self { strictness: Strictness::Subset, ..self },
        }
    }

    /// Decodes the text of a schema.
    ///
    /// # Errors
    ///
    /// The first thing, in the order of the document, that is outside the form subset, contradicts
    /// itself, can not be satisfied, or is over a limit.
    pub fn decode(&self, schema: &str) -> Result<Decoded, Refusal> {
        if schema.len() > self.limits.schema_bytes_max {
            let bytes_max = self.limits.schema_bytes_max;
            return Err(reader::over_limit(&Path::Root, "a schema", "bytes", bytes_max));
        }
        let mut reader = Reader {
            limits: &self.limits,
            strictness: self.strictness,
            notes: Vec::new(),
            refusal: None,
        };
        let mut parser = serde_json::Deserializer::from_str(schema);
        let form =
            root::read(&mut reader, &mut parser).and_then(|form| parser.end().map(|()| form));
        match form {
            Ok(form) => Ok(Decoded { form, notes: reader.notes }),
            Err(error) => Err(reader.refusal.unwrap_or_else(|| reader::malformed(&error))),
        }
    }

    /// Decodes a schema that is already parsed: whatever serializes as one.
    ///
    /// It is written as text and read like any other. What a parser has lost by then, such as a
    /// member that came twice, nobody can tell.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode`]; and a value that has no JSON.
    pub fn decode_value(&self, schema: &impl Serialize) -> Result<Decoded, Refusal> {
        let text = serde_json::to_string(schema).map_err(|_| Refusal {
            code: RefusalCode::MalformedJson,
            pointer: String::new(),
            message: "expected a value that has JSON".into(),
        })?;
        self.decode(&text)
    }

    /// Decodes the bytes of a schema.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode`]; and bytes that are not UTF-8.
    pub fn decode_bytes(&self, schema: &[u8]) -> Result<Decoded, Refusal> {
        if schema.len() > self.limits.schema_bytes_max {
            let bytes_max = self.limits.schema_bytes_max;
            return Err(reader::over_limit(&Path::Root, "a schema", "bytes", bytes_max));
        }
        let text = core::str::from_utf8(schema).map_err(|error| Refusal {
            code: RefusalCode::MalformedUtf8,
            pointer: String::new(),
            message: format!(
                "expected UTF-8, found another byte at offset {}",
                error.valid_up_to()
            ),
        })?;
        self.decode(text)
    }
}

impl Form {
    /// Decodes the text of a schema within the default limits.
    ///
    /// ```
    /// use form_model::Form;
    ///
    /// let form = Form::from_schema(
    ///     r#"{"type": "object", "properties": {"confirm": {"type": "boolean"}}}"#,
    /// )?;
    /// assert_eq!(form.fields()[0].label(), "confirm");
    ///
    /// let refusal = Form::from_schema(
    ///     r#"{"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}"#,
    /// )
    /// .unwrap_err();
    /// assert_eq!(refusal.pointer, "/properties/a/$ref");
    /// # Ok::<(), form_model::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode`].
    pub fn from_schema(schema: &str) -> Result<Self, Refusal> {
        Decoder::default().decode(schema).map(|decoded| decoded.form)
    }
}
