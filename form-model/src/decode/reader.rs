//! The state that all parts of the decoder share.

use alloc::{borrow::Cow, format, vec::Vec};

use serde::de::Error;
use serde_json::value::RawValue;

use super::{
    leaf::text,
    path::Path,
    refuse::{Read, over_limit, refusal},
    unread::check_unread,
};
use crate::{Limits, Note, NoteCode, Refusal, RefusalCode, SafeText, safe_text::clean_line};

/// The state of a decoder: its limits, and the notes and the refusal so far.
pub(super) struct Reader<'l> {
    pub(super) limits: &'l Limits,
    pub(super) strictness: Strictness,
    pub(super) notes: Vec<Note>,
    /// Why the parser was stopped. The parser's own error has room for text only.
    pub(super) refusal: Option<Refusal>,
}

/// Which notes a decoder turns into refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Strictness {
    #[default]
    None,
    /// Everything but warnings.
    Subset,
    All,
}

impl<'l> Reader<'l> {
    pub(super) const fn new(limits: &'l Limits, strictness: Strictness) -> Self {
        Self { limits, strictness, notes: Vec::new(), refusal: None }
    }

    /// Adds a note, or refuses what is noted if the decoder is strict.
    pub(super) fn note(&mut self, code: NoteCode, path: &Path<'_>) -> Read<()> {
        let refuses = match self.strictness {
            Strictness::None => false,
            Strictness::Subset => !code.is_warning(),
            Strictness::All => true,
        };
        if refuses {
            let message = format!("expected a schema within the subset, found {code}");
            return Err(refusal(RefusalCode::Strict, path, message));
        }
        if self.notes.len() >= self.limits.notes_max {
            return Err(over_limit(path, "a form", "notes", self.limits.notes_max));
        }
        self.notes.push(Note { code, pointer: path.pointer() });
        Ok(())
    }

    /// Keeps a refusal, and returns the error that stops the parser.
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

    /// Notes a text that is cleaned where it is shown.
    pub(super) fn shown(&mut self, text: SafeText, path: &Path<'_>) -> Read<SafeText> {
        if text.is_cleaned() {
            self.note(NoteCode::SanitizedText, path)?;
        }
        Ok(text)
    }

    /// Notes a name or an option that is shown because it has no title, if it is cleaned there.
    pub(super) fn shown_raw(&mut self, text: &str, path: &Path<'_>) -> Read<()> {
        match clean_line(text) {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(_) => self.note(NoteCode::SanitizedText, path),
        }
    }

    /// Checks a value that is not decoded.
    pub(super) fn pass_over(&self, raw: &RawValue, path: &Path<'_>) -> Read<()> {
        check_unread(raw, path, self.limits.depth_max)
    }
}
