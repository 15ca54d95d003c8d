//! The verdicts on a schema: notes and warnings on places in it, or a refusal.

use alloc::string::String;
use core::fmt;

use thiserror::Error;

use crate::safe_text::clean_line;

/// Declares a fieldless enum of stable codes, and the text of each code.
macro_rules! codes {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// Returns the text of the code. It is stable.
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
    /// What a decoder found outside the subset and accepted, or a warning.
    ///
    /// The first word of a code tells what the decoder did. `ignored`, `normalized` (read as
    /// something that a form can express), `inferred`, `dropped`, `deduplicated`, `kept` and
    /// `sanitized` (cleaned) name the action. `unenforced` means that answers are not checked
    /// against the constraint. `warn` is a warning for the person who reads the form. Schemas
    /// within the subset can have warnings too.
    NoteCode {
        /// An annotation (a keyword that constrains nothing, such as `examples`), or a keyword that
        /// makes no difference to a field of this kind. `uniqueItems` makes none because a repeated
        /// selection is always refused.
        IgnoredKeyword = "ignored:keyword",
        /// A rule for members that are not fields. An answer never has such members.
        IgnoredProperties = "ignored:properties",
        /// `enumNames` that do not match `enum`.
        IgnoredEnumNames = "ignored:enumNames",
        /// A keyword whose value is null.
        IgnoredNull = "ignored:null",
        /// A `$schema` that names the dialect 2019-09 or draft-07. The subset has the same meaning
        /// there.
        NormalizedDialect = "normalized:dialect",
        /// `null` as a type, as an option, or as a schema of `anyOf` or `oneOf`. An answer never
        /// has null.
        NormalizedNullable = "normalized:nullable",
        /// A `type` that is a list of one type.
        NormalizedType = "normalized:type",
        /// Options in a notation that MCP does not have.
        NormalizedOptions = "normalized:options",
        /// A constant, read as a choice of one option.
        NormalizedConst = "normalized:const",
        /// `enum` and `oneOf` with the same values.
        NormalizedEnum = "normalized:enum",
        /// `minLength`, `maxLength` or `format` beside the options of a single choice. Options that
        /// do not fit are left out.
        NormalizedBounds = "normalized:bounds",
        /// An exclusive bound. Answers are checked against it.
        NormalizedExclusive = "normalized:exclusive",
        /// A missing `type`.
        InferredType = "inferred:type",
        /// Missing `properties`.
        InferredProperties = "inferred:properties",
        /// A default that does not fit its own field.
        DroppedDefault = "dropped:default",
        /// A regular expression. It is never compiled.
        UnenforcedPattern = "unenforced:pattern",
        /// `multipleOf`.
        UnenforcedMultipleOf = "unenforced:multipleOf",
        /// A format that MCP does not name.
        UnenforcedFormat = "unenforced:format",
        /// Any other constraint that this crate does not check.
        UnenforcedKeyword = "unenforced:keyword",
        /// A repeated value of `enum`.
        DeduplicatedEnum = "deduplicated:enum",
        /// A title or a description of the whole form. The subset has neither.
        KeptText = "kept:text",
        /// A field that seems to ask for a secret.
        WarnSecret = "warn:secret",
        /// Labels of fields or options that look the same on a screen.
        WarnAmbiguousLabels = "warn:ambiguous-labels",
        /// Text for people that is not safe to show. It is cleaned where it is shown.
        SanitizedText = "sanitized:text",
    }
}

codes! {
    /// Why a schema was refused.
    RefusalCode {
        /// The text is not JSON. [`Form::from_canonical`](crate::Form::from_canonical) also returns
        /// this for JSON that is not a canonical form.
        MalformedJson = "malformed:json",
        /// The bytes are not UTF-8.
        MalformedUtf8 = "malformed:utf8",
        /// A string has an unpaired surrogate, such as `\ud800`. It is not valid Unicode, so no
        /// answer can contain it.
        LoneSurrogate = "malformed:surrogate",
        /// An object has two members with the same name.
        DuplicateMember = "malformed:duplicate",
        /// The value of a keyword has the wrong type.
        WrongType = "wrong-type",
        /// A number is beyond the range of an `f64`, or a bound has more than 38 significant
        /// digits.
        NumberRange = "number-range",
        /// Something is over a limit.
        OverLimit = "over-limit",
        /// A keyword, or its value, describes something that a form cannot show.
        OutsideSubset = "outside-subset",
        /// `$schema` names a dialect that this crate does not read, or canonical JSON has a version
        /// that it does not read.
        UnsupportedDialect = "unsupported-dialect",
        /// No answer can satisfy the schema. [`FormBuilder`](crate::FormBuilder) and
        /// [`Form::from_canonical`](crate::Form::from_canonical) also return this for a default
        /// that does not fit its field.
        Unsatisfiable = "unsatisfiable",
        /// A field has the format `password`. A field that only looks secret gets
        /// [`NoteCode::WarnSecret`].
        Secret = "secret",
        /// A strict decoder found something that would get a note.
        Strict = "strict",
    }
}

impl NoteCode {
    /// Returns whether the note is a warning for the person who reads the form. Other notes are
    /// about the schema.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        matches!(self, Self::WarnSecret | Self::WarnAmbiguousLabels)
    }
}

/// A note: something outside the subset that a decoder accepted, or a warning, and its place.
///
/// `Display` writes `code@pointer`, with the pointer cleaned, such as
/// `unenforced:pattern@/properties/code/pattern`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Note {
    /// What was found, and what the decoder did with it.
    pub code: NoteCode,
    /// The JSON pointer (RFC 6901) of the place in the schema.
    ///
    /// The names in it come from a peer and are not cleaned, so it may be unsafe to show. A name
    /// longer than 256 bytes is cut. A pointer with a cut name leads nowhere.
    pub pointer: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.code, clean_line(&self.pointer))
    }
}

/// Why a schema was refused, and where.
///
/// `Display` writes the code, the pointer (cleaned) and the message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{code} at {place}: {message}", place = Place(pointer))]
#[non_exhaustive]
pub struct Refusal {
    /// The reason.
    pub code: RefusalCode,
    /// The JSON pointer (RFC 6901) of the place in the schema. Empty for the whole schema.
    ///
    /// The names in it come from a peer and are not cleaned, so it may be unsafe to show. A name
    /// longer than 256 bytes is cut. A pointer with a cut name leads nowhere.
    pub pointer: String,
    /// What was expected there. It also tells what was found, unless that is plain from the rest.
    /// It does not contain text of the schema.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(
        code: RefusalCode,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code, pointer: pointer.into(), message: message.into() }
    }
}

/// A pointer that is written cleaned, because its names come from a peer.
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
    fn a_place_is_cleaned_where_it_is_shown() {
        let pointer = String::from("/properties/\u{1b}[2J\u{202e}name\n");
        let refusal = Refusal::new(RefusalCode::WrongType, &*pointer, "expected a string");
        let note = Note { code: NoteCode::IgnoredKeyword, pointer };
        for shown in [alloc::format!("{refusal}"), alloc::format!("{note}")] {
            assert!(shown.contains("name"), "{shown}");
            assert!(!shown.contains(['\u{1b}', '\u{202e}', '\n']), "{shown:?}");
        }
    }
}
