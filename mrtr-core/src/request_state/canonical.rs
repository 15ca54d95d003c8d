//! One byte string for all spellings of the same params.
//!
//! The form is RFC 8785 (JSON Canonicalization Scheme), but for two things that it leaves no room
//! for: a number keeps its exact decimal value where a double would round it, and an unpaired
//! surrogate keeps its escape. So params that are equal as JSON have one form, and any other two
//! have two.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use sha2::{Digest as _, Sha256};

use crate::wire::{RawJson, WireError};

/// The members of params that change from leg to leg.
const NOT_SALIENT: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// Digests a method and what its params mean, apart from `_meta` and the retry fields.
///
/// # Errors
///
/// Params that are no object, or in which an object names a member twice.
pub(crate) fn digest(method: &str, params: &RawJson) -> Result<[u8; 32], WireError> {
    let mut writer = Writer { text: params.as_str().as_bytes(), at: 0, canonical: Vec::new() };
    writer.pass_space();
    if writer.peek() != Some(b'{') {
        return Err(WireError::Shape { what: "params", expected: "an object" });
    }
    writer.object(&NOT_SALIENT)?;
    let mut hash = Sha256::new();
    hash.update(method.as_bytes());
    hash.update([0]);
    hash.update(&writer.canonical);
    Ok(hash.finalize().into())
}

/// Reads checked JSON text and writes its canonical form behind it.
struct Writer<'t> {
    text: &'t [u8],
    at: usize,
    canonical: Vec<u8>,
}

/// Says where a member stands in the canonical text: its name, and name and value.
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

    /// Writes the value that is next. Its depth is bounded by [`RawJson`].
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

    /// Copies bytes for as long as they are of a kind.
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

    /// Writes an object with its members sorted, without those that are to be left out.
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

    /// Sorts the members that stand since `start`, and puts commas between them.
    fn sort(&mut self, start: usize, mut members: Vec<Member>) -> Result<(), WireError> {
        let text = self.canonical.split_off(start);
        let slice =
            |begin: usize, end: usize| text.get(begin - start..end - start).unwrap_or_default();
        let name = |member: &Member| slice(member.name.0, member.name.1);
        members.sort_unstable_by(|a, b| order(name(a), name(b)));
        if members.windows(2).any(|pair| matches!(pair, [a, b] if name(a) == name(b))) {
            return Err(WireError::Duplicate { what: "params" });
        }
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.canonical.push(b',');
            }
            self.canonical.extend_from_slice(slice(member.name.0, member.end));
        }
        Ok(())
    }

    /// Writes a string with the escapes that it needs and no other.
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

/// Orders two canonical strings by their UTF-16 code units, as RFC 8785 3.2.3 has it.
fn order(a: &[u8], b: &[u8]) -> Ordering {
    let is_simple = |name: &[u8]| name.iter().all(|byte| byte.is_ascii() && *byte != b'\\');
    if is_simple(a) && is_simple(b) {
        // Without the quote that closes each, of which no character of a name is less.
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

/// Writes the exact value of a number in the layout of ECMAScript's `Number::toString`.
///
/// A power of ten beyond 18 digits stays as it is written: two spellings of such a number do not
/// match, and no two values do.
fn canonical_number(written: &[u8]) -> String {
    let as_written = || String::from_utf8_lossy(written).into_owned();
    let (negative, rest) = match written {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let power_at = rest.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(rest.len());
    let (mantissa, power) = rest.split_at_checked(power_at).unwrap_or((rest, &[]));
    let power = match power {
        [] => 0,
        [_, digits @ ..] if digits.len() <= 18 => {
            match core::str::from_utf8(digits).unwrap_or_default().parse::<i64>() {
                Ok(power) => power,
                Err(_) => return as_written(),
            }
        }
        _ => return as_written(),
    };
    let fraction = mantissa.iter().rev().position(|byte| *byte == b'.').unwrap_or(0);
    let digits: Vec<u8> = mantissa.iter().copied().filter(u8::is_ascii_digit).collect();
    let begin = digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len());
    let end = digits.iter().rposition(|digit| *digit != b'0').map_or(begin, |last| last + 1);
    let significant = digits.get(begin..end).unwrap_or_default();
    if significant.is_empty() {
        return "0".into();
    }
    let as_i64 = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let exponent = power - as_i64(fraction) + as_i64(digits.len() - end);
    let significant = core::str::from_utf8(significant).unwrap_or_default();
    let sign = if negative { "-" } else { "" };
    alloc::format!("{sign}{}", form_model::decimal_layout(significant, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        let raw = RawJson::parse(json).unwrap();
        let mut writer = Writer { text: raw.as_str().as_bytes(), at: 0, canonical: Vec::new() };
        writer.value().unwrap();
        String::from_utf8(writer.canonical).unwrap()
    }

    fn digest_of(json: &str) -> [u8; 32] {
        digest("tools/call", &RawJson::parse(json).unwrap()).unwrap()
    }

    /// proves: ST-03
    #[test]
    fn the_examples_of_rfc_8785_come_out_as_the_rfc_has_them() {
        assert_eq!(
            canonical(
                "{\"numbers\": [1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n \"string\": \
                 \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\", \"literals\": [null, true, false]}"
            ),
            "{\"literals\":[null,true,false],\"numbers\":[1e+30,4.5,0.002,1e-27],\
             \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        );
        // RFC 8785 3.2.3: the order of UTF-16 code units, not of code points.
        assert_eq!(
            canonical(
                r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#
            ),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        );
    }

    /// proves: ST-03
    #[test]
    fn control_characters_are_written_as_rfc_8785_has_them() {
        assert_eq!(
            canonical(r#""\u0000\u0007\u0008\u0009\u000a\u000b\u000c\u000d\u001f\u007f""#),
            "\"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\""
        );
    }

    /// proves: ST-03
    #[test]
    fn equal_params_match_however_they_are_written() {
        let params = r#"{"name":"deploy","arguments":{"n":1,"m":100,"s":"é/","list":[0.1,-0]}}"#;
        for same in [
            r#"{"arguments":{"list":[1e-1,0.0],"m":1e2,"n":1.0,"s":"\u00e9\/"},"name":"\u0064eploy"}"#,
            r#" { "name" : "deploy" , "arguments" : { "n":1, "m":1E+2, "s":"é/", "list":[ 0.10, 0 ] } } "#,
            r#"{"name":"deploy","_meta":{"progressToken":7},"inputResponses":{},"requestState":"x","arguments":{"n":1,"m":100,"s":"é/","list":[0.1,0]}}"#,
        ] {
            assert_eq!(digest_of(same), digest_of(params), "{same}");
        }
    }

    /// proves: ST-03
    #[test]
    fn any_other_difference_does_not_match() {
        let params = r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"x"}}"#;
        for other in [
            r#"{"arguments":{"a":[2,1],"n":9007199254740993,"s":"x"}}"#,
            r#"{"arguments":{"a":[1,2],"n":9007199254740992,"s":"x"}}"#,
            r#"{"arguments":{"a":[1,2],"n":"9007199254740993","s":"x"}}"#,
            r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"X"}}"#,
            r#"{"arguments":{"a":[1,2],"n":9007199254740993,"s":"x","_meta":1}}"#,
            r#"{"arguments":{"a":[1,2],"n":9007199254740993}}"#,
            r#"{"arguments":{"a":[[1,2]],"n":9007199254740993,"s":"x"}}"#,
            r#"{"arguments":{"a":[12],"n":9007199254740993,"s":"x"}}"#,
        ] {
            assert_ne!(digest_of(other), digest_of(params), "{other}");
        }
        let raw = RawJson::parse(params).unwrap();
        assert_ne!(digest("prompts/get", &raw).unwrap(), digest_of(params));
    }

    /// proves: ST-03
    #[test]
    fn unpaired_surrogates_and_huge_numbers_keep_their_value() {
        assert_eq!(canonical(r#""\uD800x""#), r#""\ud800x""#);
        assert_eq!(canonical(r#""\udc00\ud83d""#), r#""\udc00\ud83d""#);
        assert_eq!(canonical(r#""\ud800\u0041""#), r#""\ud800A""#);
        assert_ne!(digest_of(r#"{"a":"\ud800"}"#), digest_of(r#"{"a":"\\ud800"}"#));
        assert_ne!(digest_of(r#"{"a":"\ud800"}"#), digest_of(r#"{"a":"\ufffd"}"#));
        assert_eq!(canonical("1e400"), "1e+400");
        assert_eq!(canonical("10e399"), "1e+400");
        assert_eq!(
            canonical("123456789012345678901234567890"),
            "1.2345678901234567890123456789e+29"
        );
        assert_eq!(canonical("333333333.33333329"), "333333333.33333329");
        // A power that fits a number of this machine, and one digit more.
        assert_eq!(canonical("10e999999999999999999"), "1e+1000000000000000000");
        assert_eq!(canonical("10e1000000000000000000"), "10e1000000000000000000");
        let huge = ["1e99999999999999999999", "1e99999999999999999998", "1e-99999999999999999999"];
        for (index, number) in huge.iter().enumerate() {
            for other in huge.iter().skip(index + 1) {
                assert_ne!(canonical(number), canonical(other));
            }
        }
    }

    /// proves: W-11, ST-03
    #[test]
    fn params_that_name_a_member_twice_have_no_digest() {
        for twice in [r#"{"a":1,"a":1}"#, r#"{"x":{"a":1,"\u0061":2}}"#, r#"{"x":[{"b":1,"b":1}]}"#]
        {
            let raw = RawJson::parse(twice).unwrap();
            assert_eq!(digest("m", &raw), Err(WireError::Duplicate { what: "params" }), "{twice}");
        }
        assert!(digest("m", &RawJson::parse("[]").unwrap()).is_err());
    }
}
