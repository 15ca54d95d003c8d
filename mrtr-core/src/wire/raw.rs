//! JSON text that is carried and not looked at.

use alloc::{string::String, sync::Arc};
use core::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::WireError;

/// The deepest nesting of a message: what `serde_json` itself reads.
pub const DEPTH_MAX: usize = 127;

/// The deepest nesting of what a caller brings: it still fits when a message is written around it.
pub const PAYLOAD_DEPTH_MAX: usize = DEPTH_MAX - 3;

/// Is the text of one JSON document: checked once, cheap to clone, never formatted.
///
/// Its syntax is right, and it nests at most [`DEPTH_MAX`] levels. Strings in it may hold escapes of
/// unpaired surrogates: only who decodes a string sees them.
///
/// ```
/// use mrtr_core::wire::RawJson;
///
/// let result = RawJson::parse(r#"{"content": []}"#)?;
/// assert_eq!(result.as_str(), r#"{"content": []}"#);
/// assert_eq!(format!("{result:?}"), "RawJson(15 bytes)");
/// assert!(RawJson::parse("{").is_err());
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Arc<str>);

impl RawJson {
    /// Checks a text.
    ///
    /// # Errors
    ///
    /// A text that is not one JSON document, or nests deeper than [`PAYLOAD_DEPTH_MAX`].
    pub fn parse(text: &str) -> Result<Self, WireError> {
        Self::parse_within(text, PAYLOAD_DEPTH_MAX)
    }

    /// Checks the text of a whole message.
    pub(crate) fn parse_message(text: &str) -> Result<Self, WireError> {
        Self::parse_within(text, DEPTH_MAX)
    }

    fn parse_within(text: &str, levels_max: usize) -> Result<Self, WireError> {
        check_depth(text, levels_max)?;
        let raw: &RawValue = serde_json::from_str(text).map_err(|_| WireError::NotJson)?;
        Ok(Self(raw.get().into()))
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// A value that has no JSON, such as a map whose keys are not texts.
    pub fn from_value(value: &impl Serialize) -> Result<Self, WireError> {
        let text = serde_json::to_string(value).map_err(|_| WireError::NotJson)?;
        Self::parse(&text)
    }

    /// Takes a text that this crate has composed of checked parts.
    pub(crate) fn composed(text: String) -> Self {
        debug_assert!(
            Self::parse_message(&text).is_ok(),
            "composed text is a message or part of one"
        );
        Self(text.into())
    }

    /// Takes a part of a checked text.
    pub(crate) fn part(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the text. It may hold secrets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({} bytes)", self.0.len())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Checks the nesting of a text before anything parses it.
pub(crate) fn check_depth(text: &str, levels_max: usize) -> Result<(), WireError> {
    let mut depth: usize = 0;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > levels_max {
                    return Err(WireError::TooDeep { levels_max });
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => pass_string(&mut bytes),
            _ => {}
        }
    }
    Ok(())
}

fn pass_string(bytes: &mut core::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

/// Writes a text as a JSON string.
pub(crate) fn write_text(text: &str, json: &mut String) {
    // Serialising a string to memory can not fail.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: W-11
    #[test]
    fn brackets_in_a_text_are_no_levels_wherever_the_text_ends() {
        for (text, levels) in [
            ("7", 0),
            ("[{}]", 2),
            ("[[],[],{}]", 2),
            (r#"["[[["]"#, 1),
            (r#"["\"[[["]"#, 1),
            (r#"["\\",[["[["]]]"#, 3),
            (r#"{"a\\\"[":["]"]}"#, 2),
        ] {
            assert_eq!(check_depth(text, levels), Ok(()), "{text}");
            let levels_max = levels.checked_sub(1);
            let over = levels_max.map(|levels_max| check_depth(text, levels_max));
            assert_eq!(over, levels_max.map(|levels_max| Err(WireError::TooDeep { levels_max })));
        }
    }
}
