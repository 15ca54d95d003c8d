//! Typed forms from untrusted schemas, and answers that are checked against them.
//!
//! A server describes a form by a small subset of JSON Schema. This crate decodes the text of such
//! a schema, within limits, into a [`Form`]. What is outside the subset gets a [`Note`] if the form
//! can be shown without it; otherwise the schema is refused, and the [`Refusal`] names the place. A
//! form accepts an answer only if every value fits.
//!
//! ```
//! use form_model::{Content, Form, Kind};
//!
//! let form = Form::from_schema(
//!     r#"{"type": "object", "properties": {
//!         "environment": {"type": "string", "enum": ["staging", "production"]},
//!         "confirm": {"type": "boolean", "title": "Really deploy?"}
//!     }, "required": ["environment", "confirm"]}"#,
//! )?;
//! let [environment, confirm] = form.fields() else { unreachable!() };
//! assert!(matches!(environment.kind(), Kind::Choice(choice) if choice.options.len() == 2));
//! assert_eq!(confirm.label(), "Really deploy?");
//!
//! let answer = form
//!     .accept(Content::new().with("environment", "staging").with("confirm", true))
//!     .expect("the answer fits");
//! assert_eq!(answer.flag("confirm"), Some(true));
//! # Ok::<(), form_model::Refusal>(())
//! ```
//!
//! Where to begin:
//!
//! - [`Decoder`] decodes a schema and returns the notes on it. [`Form::from_schema`] does the same
//!   with the default limits, and drops the notes.
//! - [`Draft`] is a form on a screen: a person fills it in, and submits an [`Answer`].
//! - [`Form::accept`] checks an answer that came as JSON ([`Content::decode`]).
//! - [`FormBuilder`] builds a form in a server, and [`Form::to_schema`] writes its schema.
//!
//! The crate does no I/O and knows no protocol, transport or clock. It never compiles a pattern and
//! never follows a reference. Neither `serde_json`'s feature `arbitrary_precision` nor its feature
//! `preserve_order` changes what the crate does.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod accept;
mod answer;
#[cfg(feature = "arbitrary")]
mod arbitrary;
mod builder;
mod canonical;
mod content;
mod decode;
mod draft;
mod encode;
mod form;
mod format;
mod json;
mod limits;
mod number;
mod objects;
mod safe_text;
mod shortest;
mod value;
mod verdict;
mod warn;

#[cfg(feature = "arbitrary")]
pub use crate::arbitrary::arbitrary_schema;
pub use accept::{FieldError, FieldErrors, Problem};
pub use answer::{Answer, ParseError};
pub use builder::{
    BuildError, BuiltField, ChoiceField, ChoicesField, FlagField, FormBuilder, IntegerField,
    NumberField, TextField,
};
pub use content::{Content, ContentError};
pub use decode::{Decoded, Decoder};
pub use draft::{Draft, DraftError, EditError, Review, Submission};
pub use form::{Bound, Choice, ChoiceOption, Choices, Field, Flag, Form, Kind, Numeric, Text};
pub use format::Format;
pub use limits::Limits;
pub use number::{Number, NumberError};
pub use safe_text::SafeText;
pub use value::{Unusable, Value};
pub use verdict::{Note, NoteCode, Refusal, RefusalCode};
