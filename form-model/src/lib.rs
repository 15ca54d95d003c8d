//! Typed forms from untrusted schemas, and answers that are checked against them.
//!
//! A server of the Model Context Protocol (MCP) asks a person for input with a form. It describes
//! the form in a small subset of JSON Schema. This crate decodes the text of such a schema into a
//! [`Form`], within limits. A keyword outside the subset gets a [`Note`] if the form can still be
//! shown. If not, the decoder refuses the schema with a [`Refusal`] that tells where and why. A
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
//! assert!(matches!(form.fields()[0].kind(), Kind::Choice(choice) if choice.options.len() == 2));
//! assert_eq!(form.fields()[1].label(), "Really deploy?");
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
//! - [`Draft`] holds a form while a person fills it in, and makes the [`Answer`].
//! - [`Content::decode`] reads an answer from JSON text, and [`Form::accept`] checks it.
//! - [`FormBuilder`] builds a form in a server, and [`Form::to_schema`] writes its schema.
//! - [`Form::to_canonical`] writes a form as canonical JSON, for stores and other processes.
//!
//! Words of these pages:
//!
//! - **The subset** (also *form subset*) is the part of JSON Schema that MCP allows in
//!   `requestedSchema`: see [elicitation in the specification][mcp]. It has flat objects with
//!   fields of these types: text, number, integer, boolean, and choices with options. The
//!   constraints are `minLength`, `maxLength`, `minimum`, `maximum`, `minItems`, `maxItems` and
//!   four formats. It has no `pattern`, no nested objects and no references. `docs/form-policy.md`
//!   in the repository lists what happens to everything else.
//! - **A peer** is the program that wrote a schema or an answer: a server, a client, or another
//!   process. Nothing that it sends is trusted.
//! - A text is **safe to show** if it cannot change or forge other text on a screen: see
//!   [`SafeText`].
//!
//! The crate does no I/O. It uses no transport, clock or random number, never compiles a regular
//! expression, and never follows a reference. It behaves the same with and without the features
//! `arbitrary_precision` and `preserve_order` of `serde_json`. [`Number`]'s `Deserialize` names the
//! only exception.
//!
//! The crate is `no_std` and needs `alloc`. Its only feature, `arbitrary`, is for property tests
//! and fuzz targets: it adds `Arbitrary` for [`Form`], `Form::arbitrary_content` and
//! `arbitrary_schema`. With this feature the crate links `std`.
//!
//! [mcp]: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation

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
mod number_map;
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
