//! Turns untrusted form schemas into typed forms, and answers into checked ones.
//!
//! A server describes a form by a small subset of JSON Schema. This crate reads the schema's text
//! once, within limits, to a [`Form`]; shows what was outside the subset as [`Note`]s, or refuses
//! it with a [`Refusal`] that names the place; and accepts an answer only if all of it fits.
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
//!     .accept(Content::new().with_text("environment", "staging").with_flag("confirm", true))
//!     .expect("the answer fits");
//! assert_eq!(answer.flag("confirm"), Some(true));
//! # Ok::<(), form_model::Refusal>(())
//! ```
//!
//! The crate does no I/O and knows nothing of protocols, transports or time. A pattern is never
//! compiled, a reference never followed.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod accept;
#[cfg(feature = "arbitrary")]
mod arbitrary;
mod builder;
mod canonical;
mod decode;
mod draft;
mod encode;
mod form;
mod format;
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
pub use accept::{Fault, Faults, Problem};
pub use builder::{
    BuildError, BuiltField, ChoiceField, ChoicesField, FlagField, FormBuilder, IntegerField,
    NumberField, TextField,
};
pub use decode::{Decoded, Decoder};
pub use draft::{Draft, DraftFault, EditError, Review, Submission};
pub use form::{Bound, Choice, ChoiceOption, Choices, Field, Flag, Form, Kind, Numeric, Text};
pub use format::Format;
pub use limits::Limits;
pub use number::{Number, NumberError, decimal_layout};
pub use safe_text::SafeText;
pub use value::{Answer, Content, ContentError, ParseError, Unusable, Value};
pub use verdict::{Note, NoteCode, Refusal, RefusalCode};
