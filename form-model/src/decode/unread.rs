//! The check of values that are not decoded, such as those of unknown keywords.

use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::{
    leaf::unquoted,
    names::Seen,
    path::Path,
    refuse::{Read, duplicate, out_of_range, over_limit},
};
use crate::NumberError;

/// Checks a value that is not decoded: its text is Unicode, its numbers are within the range of an
/// `f64`, no object has a member twice, and it is not nested too deep.
pub(super) fn check_unread(raw: &RawValue, path: &Path<'_>, depth_max: usize) -> Read<()> {
    let levels_max = depth_max.saturating_sub(path.nesting());
    let too_deep = || over_limit(path, "nesting", "levels", depth_max);
    // The names of each object that is open. An open array has none.
    let mut open: Vec<Seen<'_>> = Vec::new();
    let mut tokens = Tokens { rest: raw.get() }.peekable();
    while let Some(token) = tokens.next() {
        match token.as_bytes() {
            [b'{', ..] => open.push(Seen::default()),
            [b'[', ..] if open.len() >= levels_max => return Err(too_deep()),
            [b'[', ..] => open.push(Seen::default()),
            [b'}' | b']', ..] => drop(open.pop()),
            [b'"', ..] => {
                let text = unquoted(token, path)?;
                if tokens.peek() == Some(&":") {
                    if !open.last_mut().is_some_and(|names| names.insert(text)) {
                        return Err(duplicate(path));
                    }
                    // An object is a level only if it has a member.
                    if open.len() > levels_max {
                        return Err(too_deep());
                    }
                }
            }
            [b'-' | b'0'..=b'9', ..] if !token.parse().is_ok_and(f64::is_finite) => {
                return Err(out_of_range(path, NumberError::Range));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The tokens of a JSON text whose syntax has been checked.
struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_ascii_start();
        let is_after_scalar =
            |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
        let length = match text.as_bytes() {
            [b'{' | b'}' | b'[' | b']' | b':' | b',', ..] => 1,
            [b'"', inner @ ..] => {
                let mut escaped = false;
                let quote = inner.iter().position(|byte| {
                    let ends = *byte == b'"' && !escaped;
                    escaped = *byte == b'\\' && !escaped;
                    ends
                });
                quote.map_or(text.len(), |quote| quote + 2)
            }
            scalar => scalar.iter().position(is_after_scalar).unwrap_or(scalar.len()),
        };
        let (token, rest) = text.split_at_checked(length).filter(|_| length > 0)?;
        self.rest = rest;
        Some(token)
    }
}
