//! One byte string for all spellings of the same params.
//!
//! The form is RFC 8785 (JSON Canonicalization Scheme) with two exceptions, for which the RFC has
//! no form. A number keeps its exact decimal value if a double would round it. An unpaired
//! surrogate keeps its escape. So params that are equal as JSON have the same form, and params that
//! differ have different forms.

use alloc::vec::Vec;
use core::cmp::Ordering;

use sha2::{Digest as _, Sha256};

use super::number::canonical_number;
use crate::wire::{CHANGING, RawJson, WireError};

/// Returns the digest of a method and of the meaning of its params, without `_meta` and the members
/// of a retry.
///
/// # Errors
///
/// Returns [`WireError`] if the params are not an object, or if an object in them has a duplicate
/// member.
pub(crate) fn digest(method: &str, params: &RawJson) -> Result<[u8; 32], WireError> {
    let mut writer = Writer { text: params.as_str().as_bytes(), at: 0, canonical: Vec::new() };
    writer.pass_space();
    if writer.peek() != Some(b'{') {
        return Err(WireError::shape("params", "an object"));
    }
    writer.object(&CHANGING)?;
    let mut hash = Sha256::new();
    hash.update(method.as_bytes());
    hash.update([0]);
    hash.update(&writer.canonical);
    Ok(hash.finalize().into())
}

/// A reader of checked JSON text that writes its canonical form.
struct Writer<'t> {
    text: &'t [u8],
    at: usize,
    canonical: Vec<u8>,
}

/// The place of a member in the canonical text: where its name begins and ends, and where its value
/// ends.
struct Member {
    name: (usize, usize),
    end: usize,
}

const MALFORMED: WireError = WireError::NotJson;

impl Writer<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, WireError> {
        let byte = self.peek().ok_or(MALFORMED)?;
        self.at += 1;
        Ok(byte)
    }

    fn pass_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Writes the next value. [`RawJson`] limits its depth.
    fn value(&mut self) -> Result<(), WireError> {
        self.pass_space();
        match self.peek().ok_or(MALFORMED)? {
            b'{' => self.object(&[]),
            b'[' => self.array(),
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                self.run(|byte| byte.is_ascii_lowercase());
                Ok(())
            }
        }
    }

    /// Copies bytes as long as they are of one kind.
    fn run(&mut self, is_part: impl Fn(u8) -> bool) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        self.canonical.extend_from_slice(rest.get(..length).unwrap_or_default());
        self.at += length;
    }

    fn array(&mut self) -> Result<(), WireError> {
        self.next()?;
        self.canonical.push(b'[');
        self.pass_space();
        while self.peek() != Some(b']') {
            self.value()?;
            self.pass_space();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.canonical.push(b',');
            }
        }
        self.at += 1;
        self.canonical.push(b']');
        Ok(())
    }

    /// Writes an object with its members sorted, and without some of them.
    fn object(&mut self, left_out: &[&str]) -> Result<(), WireError> {
        self.next()?;
        self.canonical.push(b'{');
        let start = self.canonical.len();
        let mut members: Vec<Member> = Vec::new();
        self.pass_space();
        while self.peek() != Some(b'}') {
            let begin = self.canonical.len();
            self.pass_space();
            self.string()?;
            let name = (begin, self.canonical.len());
            self.canonical.push(b':');
            self.pass_space();
            self.next()?;
            self.value()?;
            self.pass_space();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.pass_space();
            }
            if left_out.iter().any(|known| self.is_name(name, known)) {
                self.canonical.truncate(begin);
                continue;
            }
            members.push(Member { name, end: self.canonical.len() });
        }
        self.at += 1;
        self.sort(start, members)?;
        self.canonical.push(b'}');
        Ok(())
    }

    fn is_name(&self, (begin, end): (usize, usize), known: &str) -> bool {
        let name = self.canonical.get(begin + 1..end - 1).unwrap_or_default();
        name == known.as_bytes()
    }

    /// Sorts the members that were written since `start`, and puts commas between them.
    fn sort(&mut self, start: usize, mut members: Vec<Member>) -> Result<(), WireError> {
        let text = self.canonical.split_off(start);
        let slice =
            |begin: usize, end: usize| text.get(begin - start..end - start).unwrap_or_default();
        let name = |member: &Member| slice(member.name.0, member.name.1);
        members.sort_unstable_by(|a, b| order(name(a), name(b)));
        if members.windows(2).any(|pair| matches!(pair, [a, b] if name(a) == name(b))) {
            return Err(WireError::duplicate("params"));
        }
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.canonical.push(b',');
            }
            self.canonical.extend_from_slice(slice(member.name.0, member.end));
        }
        Ok(())
    }

    /// Writes a string with no more escapes than it needs.
    fn string(&mut self) -> Result<(), WireError> {
        self.next()?;
        self.canonical.push(b'"');
        loop {
            self.run(|byte| byte != b'"' && byte != b'\\');
            if self.next()? == b'"' {
                self.canonical.push(b'"');
                return Ok(());
            }
            match self.next()? {
                b'u' => self.unicode_escape()?,
                b'/' => self.canonical.push(b'/'),
                escape @ (b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => {
                    self.canonical.extend_from_slice(&[b'\\', escape]);
                }
                _ => return Err(MALFORMED),
            }
        }
    }

    fn unicode_escape(&mut self) -> Result<(), WireError> {
        let first = self.four_digits()?;
        let mut letter = char::from_u32(first);
        if (0xd800..0xdc00).contains(&first) && self.text.get(self.at..self.at + 2) == Some(b"\\u")
        {
            let back = self.at;
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                letter = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            } else {
                self.at = back;
            }
        }
        match letter {
            Some(letter) => self.letter(letter),
            None => self.hexadecimal(first),
        }
        Ok(())
    }

    fn four_digits(&mut self) -> Result<u32, WireError> {
        (0..4).try_fold(0, |unit, _| {
            let digit = char::from(self.next()?).to_digit(16).ok_or(MALFORMED)?;
            Ok(unit * 16 + digit)
        })
    }

    fn letter(&mut self, letter: char) {
        let short = match letter {
            '"' => b'"',
            '\\' => b'\\',
            '\u{8}' => b'b',
            '\u{c}' => b'f',
            '\n' => b'n',
            '\r' => b'r',
            '\t' => b't',
            '\0'..='\u{1f}' => return self.hexadecimal(letter.into()),
            _ => {
                let mut bytes = [0; 4];
                self.canonical.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
                return;
            }
        };
        self.canonical.extend_from_slice(&[b'\\', short]);
    }

    fn hexadecimal(&mut self, unit: u32) {
        self.canonical.extend_from_slice(alloc::format!("\\u{unit:04x}").as_bytes());
    }

    fn number(&mut self) -> Result<(), WireError> {
        let begin = self.canonical.len();
        self.run(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        let is_plain = |text: &[u8]| match text {
            [b'0'] => true,
            [b'-', rest @ ..] | rest => {
                rest.len() <= 15
                    && rest.first().is_some_and(|first| *first != b'0')
                    && rest.iter().all(u8::is_ascii_digit)
            }
        };
        let written = self.canonical.get(begin..).unwrap_or_default();
        if is_plain(written) {
            return Ok(());
        }
        let written = self.canonical.split_off(begin);
        self.canonical.extend_from_slice(canonical_number(&written).as_bytes());
        Ok(())
    }
}

/// Compares two canonical strings by their UTF-16 code units (RFC 8785, 3.2.3).
fn order(a: &[u8], b: &[u8]) -> Ordering {
    let is_simple = |name: &[u8]| name.iter().all(|byte| byte.is_ascii() && *byte != b'\\');
    if is_simple(a) && is_simple(b) {
        // The closing quote is not compared: a space or a '!' in a longer name would sort before
        // it.
        return a.split_last().map(|(_, a)| a).cmp(&b.split_last().map(|(_, b)| b));
    }
    units(a).cmp(&units(b))
}

/// Returns the UTF-16 code units that a canonical string stands for.
fn units(quoted: &[u8]) -> Vec<u16> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let text = core::str::from_utf8(inner).unwrap_or_default();
    let mut units = Vec::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match letters.next() {
            Some('b') => 0x8,
            Some('f') => 0xc,
            Some('n') => 0xa,
            Some('r') => 0xd,
            Some('t') => 0x9,
            Some('u') => {
                let digits = letters.as_str().get(..4).unwrap_or_default();
                letters.nth(3);
                u16::from_str_radix(digits, 16).unwrap_or_default()
            }
            Some(other) => u16::try_from(u32::from(other)).unwrap_or_default(),
            None => 0,
        });
    }
    units
}

#[cfg(test)]
mod tests;
