//! What a decoder says of a schema: notes where it read around something, a refusal where it could
//! not.

use alloc::string::String;
use core::fmt;

use thiserror::Error;

use crate::safe_text::clean_line;

/// Declares a fieldless enum of stable codes with the text of each.
macro_rules! codes {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// Returns the code as stable text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

codes! {
    /// Names what a decoder did with something outside the form subset that it could read around.
    NoteCode {
        /// An annotation, or a keyword that does not constrain this field.
        IgnoredKeyword = "ignored:keyword",
        /// Keys that no form can show; they are never sent.
        IgnoredProperties = "ignored:properties",
        /// `enumNames` that do not fit `enum`.
        IgnoredEnumNames = "ignored:enumNames",
        /// A keyword whose value is null.
        IgnoredNull = "ignored:null",
        /// A dialect of JSON Schema other than 2020-12 that agrees on the subset.
        NormalizedDialect = "normalized:dialect",
        /// A type, option or branch of null: null is never sent.
        NormalizedNullable = "normalized:nullable",
        /// A list of one type.
        NormalizedType = "normalized:type",
        /// Options spelled in a way that the specification does not name.
        NormalizedOptions = "normalized:options",
        /// A constant, taken for a choice of one option.
        NormalizedConst = "normalized:const",
        /// `enum` and `oneOf` that name the same values.
        NormalizedEnum = "normalized:enum",
        /// Options that the field's own bounds rule out.
        NormalizedBounds = "normalized:bounds",
        /// An exclusive bound; it is enforced.
        NormalizedExclusive = "normalized:exclusive",
        /// A missing `type`.
        InferredType = "inferred:type",
        /// Missing `properties`.
        InferredProperties = "inferred:properties",
        /// A default that its own field would not accept.
        DroppedDefault = "dropped:default",
        /// A regular expression. It is never compiled.
        UnenforcedPattern = "unenforced:pattern",
        /// `multipleOf`.
        UnenforcedMultipleOf = "unenforced:multipleOf",
        /// A format that the specification does not name.
        UnenforcedFormat = "unenforced:format",
        /// Another constraint that this crate does not check.
        UnenforcedKeyword = "unenforced:keyword",
        /// A repeated value of `enum`.
        DeduplicatedEnum = "deduplicated:enum",
        /// A title or description of the whole form, which the specification's subset has not; it is
        /// kept.
        KeptText = "kept:text",
        /// A field that looks as if it asks for a secret.
        WarnSecret = "warn:secret",
        /// Labels, of fields or of options, that look the same on a screen.
        WarnAmbiguousLabels = "warn:ambiguous-labels",
        /// Text for people that held what is not safe to show; it is cleaned where it is shown.
        SanitizedText = "sanitized:text",
    }
}

codes! {
    /// Names why a schema was refused.
    RefusalCode {
        /// The text is not JSON.
        MalformedJson = "malformed:json",
        /// The bytes are not UTF-8.
        MalformedUtf8 = "malformed:utf8",
        /// A string holds an unpaired surrogate, which no peer could send back.
        LoneSurrogate = "malformed:surrogate",
        /// An object names a member twice.
        DuplicateMember = "malformed:duplicate",
        /// A keyword has a value of a wrong type.
        WrongType = "wrong-type",
        /// A number is beyond what peers can read.
        NumberRange = "number-range",
        /// Something is larger than a limit.
        OverLimit = "over-limit",
        /// The schema says what a form can not show.
        OutsideSubset = "outside-subset",
        /// `$schema` names a dialect that this crate does not read.
        UnsupportedDialect = "unsupported-dialect",
        /// No answer could satisfy the schema.
        Unsatisfiable = "unsatisfiable",
        /// The schema asks for a secret.
        Secret = "secret",
        /// Strict mode: what would have been a note.
        Strict = "strict",
    }
}

impl NoteCode {
    /// Tells whether the note is about what a person might take the form for, and not about what
    /// the schema says.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        matches!(self, Self::WarnSecret | Self::WarnAmbiguousLabels)
    }
}

/// Is one thing that a decoder read around, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Note {
    /// What was done.
    pub code: NoteCode,
    /// The JSON pointer (RFC 6901) of the place in the schema.
    pub pointer: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.code, clean_line(&self.pointer))
    }
}

/// Says why a schema is no form, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{code} at {place}: {message}", place = Place(pointer))]
#[non_exhaustive]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// The JSON pointer (RFC 6901) of the place in the schema; empty for the whole.
    pub pointer: String,
    /// What was expected there and what was found, without the input itself.
    pub message: String,
}

/// Is a place as an operator's screen may show it: names in it are the peer's.
struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the root") } else { f.write_str(&clean_line(self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: FM-11
    #[test]
    fn a_place_is_shown_as_it_is_safe() {
        let pointer = String::from("/properties/\u{1b}[2J\u{202e}name\n");
        let refusal = Refusal {
            code: RefusalCode::WrongType,
            pointer: pointer.clone(),
            message: "expected a string".into(),
        };
        let note = Note { code: NoteCode::IgnoredKeyword, pointer };
        for shown in [alloc::format!("{refusal}"), alloc::format!("{note}")] {
            assert!(shown.contains("name"), "{shown}");
            assert!(!shown.contains(['\u{1b}', '\u{202e}', '\n']), "{shown:?}");
        }
    }
}
