//! Text from a peer, cleaned so that it is safe to show.

use alloc::{borrow::Cow, boxed::Box, string::String};
use core::fmt;

/// A text that a peer wrote for people, and its cleaned form, which is safe to show.
///
/// Cleaning does the following:
///
/// - Invisible characters that change or hide other text are left out: bidirectional controls,
///   zero-width characters, tags.
/// - At most four combining marks in a row are kept.
/// - A tab becomes a space.
/// - In a [`SafeText::line`], each character of a line break becomes a space, so `\r\n` becomes two
///   spaces.
/// - In a [`SafeText::paragraph`], each line break becomes `\n`, also `\r\n`.
/// - Any other control character becomes `U+FFFD`, so terminal escapes have no effect.
///
/// The length is not limited. The decoder limits it: see [`Limits`](crate::Limits).
///
/// ```
/// use form_model::SafeText;
///
/// // A screen would write "yned" from right to left, and so show "deny (approve)".
/// let title = SafeText::line("\u{202e}yned\u{202c} (approve)\n[Trusted]");
/// assert_eq!(title.as_str(), "yned (approve) [Trusted]");
/// assert!(title.is_cleaned());
/// assert_eq!(title.raw().chars().next(), Some('\u{202e}'));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SafeText {
    raw: Box<str>,
    /// The cleaned text, if it differs.
    cleaned: Option<Box<str>>,
}

impl SafeText {
    /// Cleans a text that is shown on one line.
    #[must_use]
    pub fn line(raw: &str) -> Self {
        Self::new(raw, clean_line(raw))
    }

    /// Cleans a text that may be shown on several lines.
    #[must_use]
    pub fn paragraph(raw: &str) -> Self {
        Self::new(raw, clean(raw, true))
    }

    fn new(raw: &str, cleaned: Cow<'_, str>) -> Self {
        let cleaned = match cleaned {
            Cow::Borrowed(_) => None,
            Cow::Owned(cleaned) => Some(cleaned.into()),
        };
        Self { raw: raw.into(), cleaned }
    }

    /// Returns the cleaned text. It is safe to show.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.cleaned.as_deref().unwrap_or(&self.raw)
    }

    /// Returns the original text. It is not safe to show.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns whether the cleaned text differs from the original.
    #[must_use]
    pub const fn is_cleaned(&self) -> bool {
        self.cleaned.is_some()
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Returns a text that is safe to show on one line.
pub(crate) fn clean_line(text: &str) -> Cow<'_, str> {
    clean(text, false)
}

/// The most combining marks in a row that are shown.
const MARKS_MAX: usize = 4;

fn clean(text: &str, keep_lines: bool) -> Cow<'_, str> {
    // The usual text is printable ASCII and needs no cleaning.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut marks = 0;
    let mut previous = '\0';
    for letter in text.chars() {
        if !is_invisible(letter) {
            marks = if is_combining_mark(letter) { marks + 1 } else { 0 };
        }
        match letter {
            '\n' if keep_lines && previous == '\r' => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' if keep_lines => cleaned.push('\n'),
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{85}' => cleaned.push(' '),
            letter if letter.is_control() => cleaned.push(char::REPLACEMENT_CHARACTER),
            letter if is_invisible(letter) || marks > MARKS_MAX => {}
            letter => cleaned.push(letter),
        }
        previous = letter;
    }
    if cleaned == text { Cow::Borrowed(text) } else { Cow::Owned(cleaned) }
}

/// Returns whether a character is invisible and changes or hides its neighbours.
const fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

const fn is_combining_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: FM-11
    #[test]
    fn terminal_escapes_and_invisible_characters_do_not_reach_a_screen() {
        for (raw, shown) in [
            ("plain", "plain"),
            ("größer", "größer"),
            ("\u{1b}[2J\u{1b}[32mAll good", "\u{fffd}[2J\u{fffd}[32mAll good"),
            ("\u{9b}31mNo", "\u{fffd}31mNo"),
            ("a\u{200b}b\u{feff}c\u{e0041}d", "abcd"),
            ("\u{2066}\u{2067}abc", "abc"),
            ("Z\u{335}\u{335}\u{335}\u{335}\u{335}\u{335}", "Z\u{335}\u{335}\u{335}\u{335}"),
            ("Z\u{335}\u{335}\u{335}\u{335}\u{200b}\u{335}", "Z\u{335}\u{335}\u{335}\u{335}"),
        ] {
            assert_eq!(SafeText::line(raw).as_str(), shown);
            assert_eq!(SafeText::line(raw).is_cleaned(), raw != shown);
            assert_eq!(SafeText::line(raw).raw(), raw);
        }
    }

    /// proves: FM-11
    #[test]
    fn a_line_has_no_line_breaks_and_a_paragraph_keeps_them() {
        let forged = "Name\r\n[Trusted server]\u{2028}Password\tx";
        assert_eq!(SafeText::line(forged).as_str(), "Name  [Trusted server] Password x");
        assert_eq!(SafeText::paragraph(forged).as_str(), "Name\n[Trusted server]\nPassword x");
        assert!(!SafeText::paragraph("two\nlines").is_cleaned());
    }
}
