//! The decoder: from the text of a schema to a form.
//!
//! The text is read once, from front to back ([`root`], [`object`]). The keywords of a field are
//! kept ([`keywords`]) until the field's object ends. Then [`judge`] decides what they mean
//! together.

mod judge;
mod keywords;
mod leaf;
mod names;
mod nullable;
mod object;
mod options;
mod path;
mod reader;
mod refuse;
mod root;
mod unread;

use alloc::{format, vec::Vec};

use serde::Serialize;

use crate::{Form, Limits, Note, Refusal, RefusalCode};
use path::Path;
pub(crate) use path::field_pointer;
use reader::{Reader, Strictness};

/// A decoder of schemas, with its limits and its strictness.
///
/// By default it accepts a keyword outside [the subset](crate) if the form can still be shown, and
/// returns a [`Note`] for it. A strict decoder refuses everything that would get a note.
///
/// The decoder is made for untrusted text. It reads the text once, and the [`Limits`] bound its time
/// and its memory. It recurses only a few levels, however deep the text nests.
///
/// ```
/// use form_model::{Decoder, Limits, NoteCode, RefusalCode};
///
/// let schema = r#"{
///     "type": "object",
///     "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}$"}}
/// }"#;
/// let decoded = Decoder::new(Limits::default()).decode(schema)?;
/// assert_eq!(decoded.form.fields().len(), 1);
/// assert_eq!(decoded.notes[0].code, NoteCode::UnenforcedPattern);
/// assert_eq!(decoded.notes[0].pointer, "/properties/code/pattern");
///
/// // A server checks its own forms strictly.
/// let refusal = Decoder::new(Limits::default()).strict().decode(schema).unwrap_err();
/// assert_eq!(refusal.code, RefusalCode::Strict);
/// assert_eq!(refusal.pointer, "/properties/code/pattern");
/// # Ok::<(), form_model::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Decoder {
    limits: Limits,
    strictness: Strictness,
}

/// A form that was decoded, and the notes on its schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// The form.
    pub form: Form,
    /// The notes, in the order in which the decoder found their places. If the schema is within the
    /// subset, there are only warnings ([`NoteCode::is_warning`](crate::NoteCode::is_warning)).
    pub notes: Vec<Note>,
}

impl Decoder {
    /// Makes a decoder with limits. It is not strict.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, strictness: Strictness::None }
    }

    /// Makes the decoder strict: it refuses everything that would get a note.
    #[must_use]
    pub const fn strict(self) -> Self {
        Self { strictness: Strictness::All, ..self }
    }

    /// Lets a strict decoder accept warnings ([`NoteCode::is_warning`]). A warning is for the
    /// person who reads the form. This has no effect on a decoder that is not strict.
    ///
    /// [`NoteCode::is_warning`]: crate::NoteCode::is_warning
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
    /// A [`Refusal`] for the first error that the decoder finds. [`RefusalCode`] lists the kinds:
    /// for example invalid JSON, a keyword that a form cannot show, a schema that no answer
    /// satisfies, or something over a limit.
    pub fn decode(&self, schema: &str) -> Result<Decoded, Refusal> {
        self.check_length(schema.len())?;
        let mut reader = Reader::new(&self.limits, self.strictness);
        let mut parser = serde_json::Deserializer::from_str(schema);
        let form =
            root::read(&mut reader, &mut parser).and_then(|form| parser.end().map(|()| form));
        match form {
            Ok(form) => Ok(Decoded { form, notes: reader.notes }),
            Err(error) => Err(reader.refusal.unwrap_or_else(|| refuse::malformed(&error))),
        }
    }

    /// Decodes a schema that was parsed already, or anything else that serializes as a schema.
    ///
    /// The value is written as JSON text, and the text is decoded. Errors of the original text can
    /// be lost here: for example, most parsers silently keep one of two members with the same name.
    /// Prefer [`Decoder::decode`] for untrusted text.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode`]. A [`Refusal`] with [`RefusalCode::MalformedJson`] if the value
    /// cannot be written as JSON.
    pub fn decode_value(&self, schema: &impl Serialize) -> Result<Decoded, Refusal> {
        let text = serde_json::to_string(schema).map_err(|_| {
            let message = "expected a value that can be written as JSON";
            Refusal::new(RefusalCode::MalformedJson, "", message)
        })?;
        self.decode(&text)
    }

    /// Decodes the bytes of a schema.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode`]. A [`Refusal`] with [`RefusalCode::MalformedUtf8`] if the bytes are
    /// not UTF-8. A byte order mark is not JSON, so it is refused with
    /// [`RefusalCode::MalformedJson`].
    pub fn decode_bytes(&self, schema: &[u8]) -> Result<Decoded, Refusal> {
        self.check_length(schema.len())?;
        let text = core::str::from_utf8(schema).map_err(|error| {
            let offset = error.valid_up_to();
            let message = format!("expected UTF-8, found an invalid byte at offset {offset}");
            Refusal::new(RefusalCode::MalformedUtf8, "", message)
        })?;
        self.decode(text)
    }

    fn check_length(&self, bytes: usize) -> Result<(), Refusal> {
        let bytes_max = self.limits.schema_bytes_max;
        if bytes > bytes_max {
            return Err(refuse::over_limit(&Path::Root, "a schema", "bytes", bytes_max));
        }
        Ok(())
    }
}

impl Form {
    /// Decodes the text of a schema within the default limits, and drops its notes.
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
