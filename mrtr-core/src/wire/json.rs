//! JSON text: validated once, and passed on unchanged.

use alloc::{borrow::Cow, string::String, sync::Arc, vec::Vec};
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::value::RawValue;

use super::WireError;
use crate::debug::debug;

/// The most levels of arrays and objects in a message. It is the most that `serde_json` reads.
pub const DEPTH_MAX: usize = 127;

/// The most levels of arrays and objects in JSON of the caller, such as params. The message around
/// it adds up to 3 levels.
pub const PAYLOAD_DEPTH_MAX: usize = DEPTH_MAX - 3;

/// A JSON document as text. It is validated once, cheap to clone, and never reformatted.
///
/// Its syntax is valid, and it nests at most [`DEPTH_MAX`] levels. [`RawJson::parse`] allows at
/// most [`PAYLOAD_DEPTH_MAX`] levels, so that a message can be written around it. The number of
/// bytes is not limited: limit them before you parse. Strings in it may have escapes of unpaired
/// surrogates, which only matter to code that decodes such a string.
///
/// It does not implement `Serialize`, because it may hold secrets:
/// [`Exposed`](crate::trace::Exposed) writes it.
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
    /// Validates a text.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the text is not one JSON document, or nests deeper than
    /// [`PAYLOAD_DEPTH_MAX`].
    pub fn parse(text: &str) -> Result<Self, WireError> {
        Json::parse_within(text, PAYLOAD_DEPTH_MAX).map(Self::from)
    }

    /// Validates the text of a whole message.
    pub(crate) fn parse_message(text: &str) -> Result<Self, WireError> {
        Json::parse_within(text, DEPTH_MAX).map(Self::from)
    }

    /// Writes a value as JSON.
    ///
    /// ```
    /// use mrtr_core::wire::RawJson;
    ///
    /// let params = RawJson::from_value(&serde_json::json!({"name": "deploy"}))?;
    /// assert_eq!(params.as_str(), r#"{"name":"deploy"}"#);
    /// # Ok::<(), mrtr_core::wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the value has no JSON form, such as a map whose keys are not
    /// strings, or if it nests deeper than [`PAYLOAD_DEPTH_MAX`].
    pub fn from_value(value: &impl Serialize) -> Result<Self, WireError> {
        let text = serde_json::to_string(value).map_err(|_| WireError::NotJson)?;
        Self::parse(&text)
    }

    /// Returns the empty object.
    pub(crate) fn empty() -> Self {
        Json::EMPTY.into()
    }

    /// Takes a text that this crate has composed from validated parts.
    pub(crate) fn composed(text: String) -> Self {
        debug_assert!(
            Self::parse_message(&text).is_ok(),
            "composed text is a message or part of one"
        );
        Self(text.into())
    }

    /// Returns the text. It may hold secrets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the document as a value to read.
    #[must_use]
    pub fn as_json(&self) -> Json<'_> {
        Json(&self.0)
    }
}

impl From<Json<'_>> for RawJson {
    fn from(json: Json<'_>) -> Self {
        Self(json.0.into())
    }
}

impl FromStr for RawJson {
    type Err = WireError;

    /// Validates a text, as [`RawJson::parse`] does.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] as [`RawJson::parse`] does.
    fn from_str(text: &str) -> Result<Self, WireError> {
        Self::parse(text)
    }
}

impl TryFrom<serde_json::Value> for RawJson {
    type Error = WireError;

    /// Writes a value as JSON, as [`RawJson::from_value`] does.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] as [`RawJson::from_value`] does.
    fn try_from(value: serde_json::Value) -> Result<Self, WireError> {
        Self::from_value(&value)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    /// Keeps the text of the value unchanged. It may nest at most [`PAYLOAD_DEPTH_MAX`]
    /// levels.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Cow::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(D::Error::custom)
    }
}

/// Reads text from a document. It may nest as deep as a part of a message.
pub(crate) fn part_of_message<'de, D: Deserializer<'de>>(from: D) -> Result<RawJson, D::Error> {
    let raw = Cow::<RawValue>::deserialize(from)?;
    RawJson::parse_message(raw.get()).map_err(D::Error::custom)
}

debug!(RawJson, |json| "RawJson({} bytes)", json.0.len());

/// A borrowed JSON value in validated text. The decoders of this crate take it.
///
/// ```
/// use mrtr_core::wire::{Capabilities, Json};
///
/// let declared = Json::parse(r#"{"elicitation":{}}"#)?;
/// assert!(Capabilities::decode(declared)?.form);
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(pub(super) &'a str);

impl<'a> Json<'a> {
    /// The empty object.
    pub(crate) const EMPTY: Json<'static> = Json("{}");

    /// Validates a text.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the text is not one JSON document, or nests deeper than
    /// [`PAYLOAD_DEPTH_MAX`].
    pub fn parse(text: &'a str) -> Result<Self, WireError> {
        Self::parse_within(text, PAYLOAD_DEPTH_MAX)
    }

    fn parse_within(text: &'a str, levels_max: usize) -> Result<Self, WireError> {
        check_depth(text, levels_max)?;
        let raw: &RawValue = serde_json::from_str(text).map_err(|_| WireError::NotJson)?;
        Ok(Self(raw.get()))
    }

    /// Takes a text that this crate has composed from validated parts.
    pub(crate) fn composed(text: &'a str) -> Self {
        debug_assert!(Self::parse_within(text, DEPTH_MAX).is_ok(), "composed text is JSON");
        Self(text)
    }

    /// Returns the text. It may hold secrets.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns the length of the text in bytes.
    pub(crate) const fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == "null"
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(crate) fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    pub(crate) fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    pub(crate) fn is_number(self) -> bool {
        self.0.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }

    pub(crate) fn is_integer(self) -> bool {
        let digits = self.0.strip_prefix('-').unwrap_or(self.0);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns the value of a number; `None` for anything else.
    pub(crate) fn number(self) -> Option<form_model::Number> {
        self.0.parse().ok()
    }

    /// Returns the value of an unsigned integer without exponent or fraction.
    pub(crate) fn unsigned(self) -> Option<u64> {
        // `parse` accepts a plus sign, but no JSON number begins with one.
        self.0.parse().ok()
    }

    /// Returns the value of a string; `None` for anything else, or if the string has an unpaired
    /// surrogate.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if inner.contains('\\') {
            serde_json::from_str::<String>(self.0).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inner))
        }
    }

    /// Returns the elements of an array; `None` for anything else.
    pub(crate) fn elements(self) -> Option<Vec<Self>> {
        let elements: Vec<&'a RawValue> = serde_json::from_str(self.0).ok()?;
        Some(elements.into_iter().map(|element| Self(element.get())).collect())
    }
}

impl<'a> From<&'a RawJson> for Json<'a> {
    fn from(raw: &'a RawJson) -> Self {
        raw.as_json()
    }
}

debug!(Json<'_>, |json| "Json({} bytes)", json.len());

/// Checks the nesting of a text before it is parsed.
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
