//! JSON values that keep repeated members, unpaired surrogates and the digits of numbers.
//!
//! This module shares no code with the crates that it judges.

mod reader;

use core::fmt;

use self::reader::Reader;

/// A text in UTF-16. It can hold unpaired surrogates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(Vec<u16>);

impl Text {
    /// Returns the text, with replacement characters for unpaired surrogates.
    pub(crate) fn lossy(&self) -> String {
        String::from_utf16_lossy(&self.0)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0.iter().copied().eq(other.encode_utf16())
    }
}

/// A JSON value.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// The text of the number.
    Number(String),
    Text(Text),
    Array(Vec<Json>),
    /// The members in the order of the document, repeated ones included.
    Object(Vec<(Text, Json)>),
}

impl Json {
    /// Reads one document.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = core::str::from_utf8(bytes).map_err(|_| String::from("it is not UTF-8"))?;
        Reader::new(text).document()
    }

    /// Returns a member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the value at a path of members.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    pub(crate) fn members(&self) -> Option<&[(Text, Self)]> {
        match self {
            Self::Object(members) => Some(members),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Array(_) => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Object(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.lossy()),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Number(digits) => digits.parse().ok(),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Compares values: the order of members and the spelling of numbers do not count.
    ///
    /// # Errors
    ///
    /// Returns the place of the first difference.
    pub(crate) fn same(&self, other: &Self) -> Result<(), String> {
        self.compare(other, &mut String::new())
    }

    fn compare(&self, other: &Self, place: &mut String) -> Result<(), String> {
        let differs = |place: &str| {
            let place = if place.is_empty() { "the root" } else { place };
            Err(format!("at {place}: {self} and {other}"))
        };
        match (self, other) {
            (Self::Number(a), Self::Number(b)) if decimal(a) == decimal(b) => Ok(()),
            (Self::Array(a), Self::Array(b)) if a.len() == b.len() => {
                for (index, (a, b)) in a.iter().zip(b).enumerate() {
                    let length = place.len();
                    place.push_str(&format!("/{index}"));
                    a.compare(b, place)?;
                    place.truncate(length);
                }
                Ok(())
            }
            (Self::Object(a), Self::Object(b)) if a.len() == b.len() => {
                let (mut a, mut b): (Vec<_>, Vec<_>) = (a.iter().collect(), b.iter().collect());
                a.sort_by(|a, b| a.0.cmp(&b.0));
                b.sort_by(|a, b| a.0.cmp(&b.0));
                for ((name, a), (other_name, b)) in a.into_iter().zip(b) {
                    if name != other_name {
                        return differs(place);
                    }
                    let length = place.len();
                    place.push_str(&format!("/{}", name.lossy()));
                    a.compare(b, place)?;
                    place.truncate(length);
                }
                Ok(())
            }
            (a, b) if a == b => Ok(()),
            _ => differs(place),
        }
    }
}

/// Returns the sign, the significant digits and the exponent of a number.
fn decimal(number: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (is_negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let shift = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    Some((is_negative, significant.into(), exponent.parse::<i64>().ok()?.checked_add(shift)?))
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for char in char::decode_utf16(self.0.iter().copied()) {
            match char {
                Ok(char @ ('"' | '\\')) => write!(f, "\\{char}")?,
                Ok(char) if char < ' ' => write!(f, "\\u{:04x}", u32::from(char))?,
                Ok(char) => write!(f, "{char}")?,
                Err(unpaired) => write!(f, "\\u{:04x}", unpaired.unpaired_surrogate())?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => write!(f, "{text}"),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{name}:{value}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let read = |text: &str| Json::parse(text.as_bytes()).unwrap();
        read(a).same(&read(b)).is_ok()
    }

    #[test]
    fn values_are_compared_without_their_spelling() {
        assert!(same(r#"{"a":1.0,"b":[1e2]}"#, r#"{"b":[100],"a":1}"#));
        assert!(same(r#""\u0041\ud83d\ude00\/""#, r#""A😀/""#));
        assert!(same("-0.0", "0") && same("0.10", "1e-1"));
        for (a, b) in [
            ("9007199254740993", "9007199254740992"),
            (r#""\ud800""#, r#""\ufffd""#),
            (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            ("1", r#""1""#),
            ("1", "-1"),
            ("[]", "{}"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn invalid_json_is_refused() {
        let deep = "[".repeat(100_000);
        for wrong in ["", "{", "[1,]", "01", "1.", "{\"a\" 1}", "\"\\x\"", "\"", "1 2", &deep] {
            assert!(Json::parse(wrong.as_bytes()).is_err(), "{}", wrong.len());
        }
        assert!(Json::parse(b"\"\xff\"").is_err());
    }
}
