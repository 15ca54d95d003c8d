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

const MALFORMED: WireError = WireError::NotJson;

/// The characters that have a short escape, and its letter.
const ESCAPES: [(char, u8); 7] = [
    ('"', b'"'),
    ('\\', b'\\'),
    ('\u{8}', b'b'),
    ('\u{c}', b'f'),
    ('\n', b'n'),
    ('\r', b'r'),
    ('\t', b't'),
];

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
        // For each member, where it begins, where its name ends, and where it ends.
        let mut members: Vec<[usize; 3]> = Vec::new();
        self.pass_space();
        while self.peek() != Some(b'}') {
            let begin = self.canonical.len();
            self.string()?;
            let colon = self.canonical.len();
            self.canonical.push(b':');
            self.pass_space();
            self.next()?;
            self.value()?;
            self.pass_space();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.pass_space();
            }
            let name = self.canonical.get(begin + 1..colon - 1).unwrap_or_default();
            if left_out.iter().any(|known| known.as_bytes() == name) {
                self.canonical.truncate(begin);
            } else {
                members.push([begin, colon, self.canonical.len()].map(|at| at - start));
            }
        }
        self.at += 1;
        let text = self.canonical.split_off(start);
        let name = |&[begin, colon, _]: &[usize; 3]| text.get(begin..colon).unwrap_or_default();
        members.sort_unstable_by(|a, b| order(name(a), name(b)));
        if members.windows(2).any(|pair| matches!(pair, [a, b] if name(a) == name(b))) {
            return Err(WireError::duplicate("params"));
        }
        for (index, &[begin, _, end]) in members.iter().enumerate() {
            if index > 0 {
                self.canonical.push(b',');
            }
            self.canonical.extend_from_slice(text.get(begin..end).unwrap_or_default());
        }
        self.canonical.push(b'}');
        Ok(())
    }

    /// Writes a string with no more escapes than it needs.
    fn string(&mut self) -> Result<(), WireError> {
        let begin = self.at;
        self.next()?;
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        let written = self.text.get(begin..self.at).unwrap_or_default();
        if !written.contains(&b'\\') {
            self.canonical.extend_from_slice(written);
            return Ok(());
        }
        self.canonical.push(b'"');
        for letter in char::decode_utf16(units(written)) {
            match letter {
                Ok(letter) => self.letter(letter),
                Err(unpaired) => self.hexadecimal(unpaired.unpaired_surrogate().into()),
            }
        }
        self.canonical.push(b'"');
        Ok(())
    }

    fn letter(&mut self, letter: char) {
        match ESCAPES.iter().find(|(escaped, _)| *escaped == letter) {
            Some((_, short)) => self.canonical.extend_from_slice(&[b'\\', *short]),
            None if letter < ' ' => self.hexadecimal(letter.into()),
            None => self.canonical.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
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
        let written = core::str::from_utf8(&written).unwrap_or_default();
        self.canonical.extend_from_slice(canonical_number(written).as_bytes());
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

/// Returns the UTF-16 code units that a JSON string stands for.
fn units(quoted: &[u8]) -> Vec<u16> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let mut rest = core::str::from_utf8(inner).unwrap_or_default().chars();
    let mut units = Vec::with_capacity(inner.len());
    while let Some(mut letter) = rest.next() {
        if letter == '\\' {
            letter = rest.next().unwrap_or_default();
            if letter == 'u' {
                let (digits, after) = rest.as_str().split_at_checked(4).unwrap_or_default();
                units.push(u16::from_str_radix(digits, 16).unwrap_or_default());
                rest = after.chars();
                continue;
            }
            let escaped = ESCAPES.iter().find(|(_, short)| char::from(*short) == letter);
            letter = escaped.map_or(letter, |(escaped, _)| *escaped);
        }
        units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
    }
    units
}

#[cfg(test)]
mod tests;
