//! A strict reader of JSON.

use core::iter::Peekable;

use super::{Json, Text};

/// The limit of nesting. A client has no reason for more.
const DEPTH_MAX: usize = 512;

/// Returns whether a text is a JSON number.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && digits(fraction)
        && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

/// A text and the position up to which it was read.
pub(super) struct Reader<'a> {
    text: &'a str,
    chars: Peekable<core::str::CharIndices<'a>>,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, chars: text.char_indices().peekable(), depth: 0 }
    }

    /// Reads one document, to the end of the text.
    pub(super) fn document(mut self) -> Result<Json, String> {
        let value = self.value()?;
        self.space();
        match self.chars.next() {
            None => Ok(value),
            Some((at, _)) => Err(format!("it goes on after its end, at byte {at}")),
        }
    }

    fn space(&mut self) {
        while self.chars.next_if(|(_, char)| " \t\n\r".contains(*char)).is_some() {}
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, char)| *char)
    }

    fn fault<T>(&mut self, expected: &str) -> Result<T, String> {
        let at = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        Err(format!("expected {expected} at byte {at}"))
    }

    fn take(&mut self, expected: char) -> Result<(), String> {
        match self.chars.next_if(|(_, char)| *char == expected) {
            Some(_) => Ok(()),
            None => self.fault(&format!("{expected:?}")),
        }
    }

    fn value(&mut self) -> Result<Json, String> {
        self.space();
        match self.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('"') => self.string().map(Json::Text),
            Some('t') => self.word("true", Json::Bool(true)),
            Some('f') => self.word("false", Json::Bool(false)),
            Some('n') => self.word("null", Json::Null),
            Some('-' | '0'..='9') => self.number(),
            _ => self.fault("a value"),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json, String>) -> Result<Json, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.fault("less nesting");
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Json, String> {
        self.take('{')?;
        let mut members = Vec::new();
        self.space();
        if self.peek() != Some('}') {
            loop {
                self.space();
                let name = self.string()?;
                self.space();
                self.take(':')?;
                members.push((name, self.value()?));
                self.space();
                if self.chars.next_if(|(_, char)| *char == ',').is_none() {
                    break;
                }
            }
        }
        self.take('}')?;
        Ok(Json::Object(members))
    }

    fn array(&mut self) -> Result<Json, String> {
        self.take('[')?;
        let mut items = Vec::new();
        self.space();
        if self.peek() != Some(']') {
            loop {
                items.push(self.value()?);
                self.space();
                if self.chars.next_if(|(_, char)| *char == ',').is_none() {
                    break;
                }
            }
        }
        self.take(']')?;
        Ok(Json::Array(items))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        for char in word.chars() {
            self.take(char)?;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, String> {
        let mut number = String::new();
        while let Some((_, char)) =
            self.chars.next_if(|(_, char)| "+-.eE0123456789".contains(*char))
        {
            number.push(char);
        }
        if is_number(&number) { Ok(Json::Number(number)) } else { self.fault("a number") }
    }

    fn string(&mut self) -> Result<Text, String> {
        self.take('"')?;
        let mut units = Vec::new();
        loop {
            match self.chars.next() {
                Some((_, '"')) => return Ok(Text(units)),
                Some((_, '\\')) => units.push(self.escape()?),
                Some((_, char)) if char >= ' ' => {
                    units.extend_from_slice(char.encode_utf16(&mut [0; 2]));
                }
                Some(_) | None => return self.fault("the end of a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<u16, String> {
        let unit = match self.chars.next().map(|(_, char)| char) {
            Some(char @ ('"' | '\\' | '/')) => u32::from(char),
            Some('b') => 8,
            Some('f') => 12,
            Some('n') => 10,
            Some('r') => 13,
            Some('t') => 9,
            Some('u') => {
                let mut unit = 0;
                for _ in 0..4 {
                    match self.chars.next().and_then(|(_, char)| char.to_digit(16)) {
                        Some(digit) => unit = unit * 16 + digit,
                        None => return self.fault("four hexadecimal digits"),
                    }
                }
                unit
            }
            _ => return self.fault("an escape"),
        };
        u16::try_from(unit).map_err(|_| String::from("an escape is too large"))
    }
}
