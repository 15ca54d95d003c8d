//! Values of the HTTP headers that repeat parts of a message (transports, Streamable HTTP).

use alloc::{borrow::Cow, format, string::String};

use base64ct::{Base64, Encoding as _};

const BEGIN: &str = "=?base64?";
const END: &str = "?=";

/// Writes a header's value: as it is where that is plain text, or marked as base64.
///
/// ```
/// use mrtr_core::wire::{header_value, read_header_value};
///
/// assert_eq!(header_value("deploy"), "deploy");
/// assert_eq!(header_value("größe"), "=?base64?Z3LDtsOfZQ==?=");
/// assert_eq!(read_header_value(" =?base64?Z3LDtsOfZQ==?= ").as_deref(), Some("größe"));
/// ```
#[must_use]
pub fn header_value(text: &str) -> Cow<'_, str> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !text.starts_with(BEGIN);
    if is_plain {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{BEGIN}{}{END}", Base64::encode_string(text.as_bytes())))
}

/// Reads a header's value. `None`: it is marked as base64 and is none, or is not UTF-8 in it.
#[must_use]
pub fn read_header_value(value: &str) -> Option<Cow<'_, str>> {
    let value = value.trim_matches([' ', '\t']);
    let Some(base64) = value.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(Base64::decode_vec(base64).ok()?).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_reads_back() {
        for text in
            ["a", "", " a", "a\t", "a b\tc", "=?base64?", "=?base64?YQ==?=", "é", "a\nb", "?="]
        {
            let value = header_value(text);
            assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t'));
            assert_eq!(read_header_value(&value).as_deref(), Some(text));
        }
        assert_eq!(header_value("a b\tc"), "a b\tc", "plain text stays as it is");
        assert_eq!(header_value(""), "=?base64??=", "an empty value is none of HTTP's");
        for wrong in ["=?base64?YQ?=", "=?base64?!?=", "=?base64?/w==?="] {
            assert_eq!(read_header_value(wrong), None, "{wrong}");
        }
    }
}
