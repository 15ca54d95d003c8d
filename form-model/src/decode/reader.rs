//! What every part of the decoder shares: the limits, the notes, and how a value is read.

use alloc::{borrow::Cow, collections::BTreeSet, format, string::String, vec::Vec};
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Strictness, path::Path};
use crate::{
    Limits, Note, NoteCode, Number, NumberError, Refusal, RefusalCode, SafeText,
    safe_text::clean_line,
};

/// Carries the limits into the decoder, and the notes and the refusal out of it.
pub(super) struct Reader<'l> {
    pub(super) limits: &'l Limits,
    pub(super) strictness: Strictness,
    pub(super) notes: Vec<Note>,
    /// Why the parser was told to stop: its own error type holds text only.
    pub(super) refusal: Option<Refusal>,
}

pub(super) type Read<T> = Result<T, Refusal>;

impl Reader<'_> {
    /// Records that something was read around, or, in strict mode, refuses it.
    pub(super) fn note(&mut self, code: NoteCode, path: &Path<'_>) -> Read<()> {
        let refuses = match self.strictness {
            Strictness::None => false,
            Strictness::Subset => !code.is_warning(),
            Strictness::All => true,
        };
        if refuses {
            let message = format!("strict mode allows no {code}");
            return Err(refusal(RefusalCode::Strict, path, message));
        }
        if self.notes.len() >= self.limits.notes_max {
            return Err(over_limit(path, "a form", "notes", self.limits.notes_max));
        }
        self.notes.push(Note { code, pointer: path.pointer() });
        Ok(())
    }

    /// Keeps a refusal and returns the error that makes the parser stop.
    pub(super) fn stop<E: Error>(&mut self, refusal: Refusal) -> E {
        self.refusal.get_or_insert(refusal);
        E::custom("refused")
    }

    /// Reads a title.
    pub(super) fn line(&mut self, raw: &RawValue, path: &Path<'_>) -> Read<SafeText> {
        let text = text(raw, path, self.limits.title_bytes_max)?;
        self.shown(SafeText::line(&text), path)
    }

    /// Reads a description.
    pub(super) fn paragraph(&mut self, raw: &RawValue, path: &Path<'_>) -> Read<SafeText> {
        let text = text(raw, path, self.limits.description_bytes_max)?;
        self.shown(SafeText::paragraph(&text), path)
    }

    /// Notes a text that is shown otherwise than it came.
    pub(super) fn shown(&mut self, text: SafeText, path: &Path<'_>) -> Read<SafeText> {
        if text.is_cleaned() {
            self.note(NoteCode::SanitizedText, path)?;
        }
        Ok(text)
    }

    /// Notes a name or an option that is shown for want of a title, where it is not safe to show.
    pub(super) fn shown_raw(&mut self, text: &str, path: &Path<'_>) -> Read<()> {
        match clean_line(text) {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(_) => self.note(NoteCode::SanitizedText, path),
        }
    }

    /// Passes over a value outside the subset, after checking that it is sound.
    pub(super) fn pass_over(&mut self, raw: &RawValue, path: &Path<'_>) -> Read<()> {
        sound(raw, path, self.limits.depth_max)
    }
}

/// Is a JSON value, told apart no deeper than a keyword needs.
pub(super) enum Leaf<'de> {
    Null,
    Flag,
    /// The number as written.
    Number(&'de str),
    Text(Cow<'de, str>),
    Array,
    Object,
}

impl<'de> Leaf<'de> {
    /// Takes the text, where a string is due.
    pub(super) fn text(self, path: &Path<'_>) -> Read<Cow<'de, str>> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Null | Self::Flag | Self::Number(_) | Self::Array | Self::Object => {
                Err(wrong_type(path, "a string", &self))
            }
        }
    }

    pub(super) const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// Tells what a value is. The parser has checked its syntax.
pub(super) fn leaf<'de>(raw: &'de RawValue, path: &Path<'_>) -> Read<Leaf<'de>> {
    let text = raw.get();
    Ok(match text.as_bytes() {
        [b'n', ..] => Leaf::Null,
        [b't' | b'f', ..] => Leaf::Flag,
        [b'[', ..] => Leaf::Array,
        [b'{', ..] => Leaf::Object,
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => {
            Leaf::Text(Cow::Borrowed(text.get(1..text.len() - 1).unwrap_or_default()))
        }
        [b'"', ..] => Leaf::Text(Cow::Owned(unescape(text, path)?)),
        _ => Leaf::Number(text),
    })
}

fn unescape(text: &str, path: &Path<'_>) -> Read<String> {
    serde_json::from_str(text).map_err(|_| {
        let message = "expected Unicode text, found an unpaired surrogate".into();
        refusal(RefusalCode::LoneSurrogate, path, message)
    })
}

fn parsed(text: &str, path: &Path<'_>) -> Read<Number> {
    text.parse()
        .map_err(|error: NumberError| refusal(RefusalCode::NumberRange, path, format!("{error}")))
}

/// Reads a member's text.
pub(super) fn text<'de>(
    raw: &'de RawValue,
    path: &Path<'_>,
    bytes_max: usize,
) -> Read<Cow<'de, str>> {
    let text = leaf(raw, path)?.text(path)?;
    if text.len() > bytes_max {
        return Err(over_limit(path, "a text", "bytes", bytes_max));
    }
    Ok(text)
}

/// Reads a member's number.
pub(super) fn number(raw: &RawValue, path: &Path<'_>) -> Read<Number> {
    match leaf(raw, path)? {
        Leaf::Number(text) => parsed(text, path),
        found @ (Leaf::Null | Leaf::Flag | Leaf::Text(_) | Leaf::Array | Leaf::Object) => {
            Err(wrong_type(path, "a number", &found))
        }
    }
}

/// Reads a length or a count: a whole number that is not negative.
pub(super) fn count(raw: &RawValue, path: &Path<'_>) -> Read<u64> {
    let number = number(raw, path)?;
    if number < Number::ZERO || !number.is_integer() {
        let message = "expected a whole number that is not negative".into();
        return Err(refusal(RefusalCode::Unsatisfiable, path, message));
    }
    Ok(number.to_u64().unwrap_or(u64::MAX))
}

/// Checks a value that is not decoded: no unpaired surrogate, no number out of range, no deeper
/// than allowed.
fn sound(raw: &RawValue, path: &Path<'_>, depth_max: usize) -> Read<()> {
    match leaf(raw, path)? {
        Leaf::Null | Leaf::Flag | Leaf::Text(_) => return Ok(()),
        // A number that is not used may have any number of digits, as one in a list may.
        Leaf::Number(text) if text.parse::<Number>() == Err(NumberError::Precision) => {
            return Ok(());
        }
        Leaf::Number(text) => return parsed(text, path).map(drop),
        Leaf::Array | Leaf::Object => {}
    }
    let mut problem = None;
    let depth_left = depth_max.saturating_sub(path.nesting());
    let seed = Sound { depth_left, problem: &mut problem };
    let mut parser = serde_json::Deserializer::from_str(raw.get());
    match seed.deserialize(&mut parser) {
        Ok(()) => Ok(()),
        Err(error) => Err(match problem {
            Some(Problem::Depth) => over_limit(path, "nesting", "levels", depth_max),
            Some(Problem::Duplicate) => duplicate(path),
            None => unreadable(path, &error),
        }),
    }
}

enum Problem {
    Depth,
    Duplicate,
}

/// Visits a whole value and keeps nothing.
struct Sound<'p> {
    depth_left: usize,
    problem: &'p mut Option<Problem>,
}

impl Sound<'_> {
    fn deeper<E: Error>(&mut self) -> Result<Sound<'_>, E> {
        match self.depth_left.checked_sub(1) {
            Some(depth_left) => Ok(Sound { depth_left, problem: self.problem }),
            None => {
                *self.problem = Some(Problem::Depth);
                Err(E::custom("too deep"))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Sound<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Sound<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(self.deeper()?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = members.next_key_seed(Name)? {
            if !seen.insert(name) {
                *self.problem = Some(Problem::Duplicate);
                return Err(A::Error::custom("duplicate member"));
            }
            members.next_value_seed(self.deeper()?)?;
        }
        Ok(())
    }
}

/// Reads a member's name, borrowed where it has no escapes.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.into()))
    }
}

/// The elements of a list of types at most: there are seven types.
pub(super) const TYPES_MAX: usize = 8;

/// Reads the elements of an array, as raw values, up to a count. `None`: it is no array.
pub(super) fn elements<'de>(
    raw: &'de RawValue,
    path: &Path<'_>,
    count_max: usize,
) -> Read<Option<Vec<&'de RawValue>>> {
    if !matches!(leaf(raw, path)?, Leaf::Array) {
        return Ok(None);
    }
    match serde_json::Deserializer::from_str(raw.get()).deserialize_seq(Elements { count_max }) {
        Ok(elements) => Ok(Some(elements)),
        // The parser has checked the array, so that nothing but the count stops its reader.
        Err(_) => Err(over_limit(path, "a list", "elements", count_max)),
    }
}

struct Elements {
    count_max: usize,
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = elements.next_element()? {
            if found.len() == self.count_max {
                return Err(A::Error::custom("too many elements"));
            }
            found.push(element);
        }
        Ok(found)
    }
}

pub(super) fn refusal(code: RefusalCode, path: &Path<'_>, message: String) -> Refusal {
    Refusal { code, pointer: path.pointer(), message }
}

pub(super) fn outside(path: &Path<'_>, message: &str) -> Refusal {
    refusal(RefusalCode::OutsideSubset, path, message.into())
}

pub(super) fn wrong_type(path: &Path<'_>, expected: &str, found: &Leaf<'_>) -> Refusal {
    let message = format!("expected {expected}, found {}", found.describe());
    refusal(RefusalCode::WrongType, path, message)
}

pub(super) fn over_limit(path: &Path<'_>, what: &str, unit: &str, max: usize) -> Refusal {
    refusal(RefusalCode::OverLimit, path, format!("expected {what} of at most {max} {unit}"))
}

pub(super) fn duplicate(path: &Path<'_>) -> Refusal {
    let message = "expected each member once, found one twice".into();
    refusal(RefusalCode::DuplicateMember, path, message)
}

/// Tells what the parser found wrong with the whole text, and where in it.
pub(super) fn malformed(error: &serde_json::Error) -> Refusal {
    let (line, column) = (error.line(), error.column());
    let refusal = unreadable(&Path::Root, error);
    Refusal { message: format!("{} at line {line} column {column}", refusal.message), ..refusal }
}

/// Tells what the parser found wrong with a value. Its message tells nothing of the contents.
pub(super) fn unreadable(path: &Path<'_>, error: &serde_json::Error) -> Refusal {
    // The parser's own text is the only place that says which it is.
    let text = format!("{error}");
    let (code, found) = if text.contains("surrogate") || text.contains("end of hex escape") {
        (RefusalCode::LoneSurrogate, "an unpaired surrogate")
    } else if text.contains("number out of range") {
        (RefusalCode::NumberRange, "a number out of range")
    } else {
        (RefusalCode::MalformedJson, "an error")
    };
    refusal(code, path, format!("expected JSON, found {found}"))
}
