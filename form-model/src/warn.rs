//! Warnings for user interfaces: fields that seem to ask for a secret, and labels that look alike.

use alloc::{borrow::Cow, string::String, vec::Vec};

/// The bytes of the longest word in the lists below.
const WORD_BYTES_MAX: usize = 13;

/// Returns whether a single word, in lower case, asks for a secret.
fn is_secret(word: &[u8]) -> bool {
    matches!(
        word,
        b"password"
            | b"passwd"
            | b"pwd"
            | b"passphrase"
            | b"passcode"
            | b"secret"
            | b"secrets"
            | b"credential"
            | b"credentials"
            | b"token"
            | b"apikey"
            | b"accesskey"
            | b"secretkey"
            | b"privatekey"
            | b"mnemonic"
            | b"pin"
            | b"otp"
            | b"totp"
            | b"cvv"
            | b"cvc"
            | b"cardnumber"
            | b"creditcard"
            | b"iban"
            | b"ssn"
            | b"bearer"
    )
}

/// Returns whether two consecutive words, in lower case, ask for a secret.
fn are_secret(first: &[u8], second: &[u8]) -> bool {
    matches!(
        (first, second),
        (b"pass", b"phrase" | b"word" | b"code")
            | (
                b"api" | b"access" | b"private" | b"signing" | b"encryption" | b"ssh" | b"license",
                b"key"
            )
            | (b"seed" | b"recovery", b"phrase")
            | (b"recovery" | b"backup" | b"verification" | b"security", b"code")
            | (b"card" | b"account", b"number")
            | (b"credit" | b"debit", b"card")
            | (b"social", b"security")
            | (b"authorization", b"header")
    )
}

/// Returns whether a word after "token" shows that the field counts tokens.
fn is_count(word: &[u8]) -> bool {
    matches!(word, b"count" | b"limit" | b"budget" | b"usage" | b"size" | b"length" | b"type")
}

/// Returns whether a field's name or title seems to ask for a secret.
pub(crate) fn looks_secret(text: &str) -> bool {
    let mut words = Words { rest: text.as_bytes() };
    let mut next = words.next();
    let mut before = Word::default();
    while let Some(word) = next {
        next = words.next();
        let is_counted = word.as_bytes() == b"token"
            && next.as_ref().is_some_and(|next| is_count(next.as_bytes()));
        if are_secret(before.as_bytes(), word.as_bytes())
            || (is_secret(word.as_bytes()) && !is_counted)
        {
            return true;
        }
        before = word;
    }
    false
}

/// A word in lower case, or an empty word if it is too long for the lists.
#[derive(Default)]
struct Word {
    bytes: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl Word {
    fn new(word: &[u8]) -> Self {
        let mut lower = Self::default();
        if let Some(bytes) = lower.bytes.get_mut(..word.len()) {
            bytes.copy_from_slice(word);
            bytes.make_ascii_lowercase();
            lower.length = word.len();
        }
        lower
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// The words of a text.
///
/// A word ends at a character other than a letter or digit, and before a capital that follows a
/// small letter or digit. The lists are ASCII; any character beyond ASCII counts as a small letter.
struct Words<'t> {
    rest: &'t [u8],
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let start = self.rest.iter().position(is_part)?;
        let rest = self.rest.get(start..)?;
        let mut previous = b'A';
        let end = rest.iter().position(|byte| {
            let ends =
                !is_part(byte) || (byte.is_ascii_uppercase() && !previous.is_ascii_uppercase());
            previous = *byte;
            ends
        });
        let (word, rest) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        self.rest = rest;
        Some(Word::new(word))
    }
}

/// Returns whether any two labels look the same on a screen.
pub(crate) fn any_look_alike<'t>(labels: impl Iterator<Item = Cow<'t, str>>) -> bool {
    let mut outlines: Vec<Cow<'t, str>> = labels.map(outline).collect();
    outlines.sort_unstable();
    outlines.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

/// Replaces each letter that looks like a Latin letter by that letter, and white space by one
/// space.
fn outline(label: Cow<'_, str>) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    let has_single_spaces = label.split(' ').all(|word| !word.is_empty());
    if has_single_spaces && label.bytes().all(|byte| byte == b' ' || is_plain(byte)) {
        return label;
    }
    let mut outline = String::with_capacity(label.len());
    for letter in label.trim().chars() {
        let plain = match letter {
            'а' | 'α' => 'a',
            'с' | 'ϲ' => 'c',
            'ԁ' => 'd',
            'е' => 'e',
            'һ' => 'h',
            'і' | 'ı' | 'ι' => 'i',
            'ј' => 'j',
            'к' | 'κ' => 'k',
            'ӏ' => 'l',
            'о' | 'ο' | 'օ' => 'o',
            'р' | 'ρ' => 'p',
            'ԛ' => 'q',
            'ѕ' => 's',
            'υ' | 'ս' => 'u',
            'ν' | 'ѵ' => 'v',
            'ԝ' => 'w',
            'х' | 'χ' => 'x',
            'у' | 'γ' => 'y',
            'А' | 'Α' => 'A',
            'В' | 'Β' => 'B',
            'С' | 'Ϲ' => 'C',
            'Е' | 'Ε' => 'E',
            'Н' | 'Η' => 'H',
            'І' | 'Ι' | 'Ӏ' => 'I',
            'Ј' => 'J',
            'К' | 'Κ' => 'K',
            'М' | 'Μ' => 'M',
            'Ν' => 'N',
            'О' | 'Ο' => 'O',
            'Р' | 'Ρ' => 'P',
            'Ѕ' => 'S',
            'Т' | 'Τ' => 'T',
            'Х' | 'Χ' => 'X',
            'У' | 'Υ' => 'Y',
            'Ζ' => 'Z',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{ff01}'..='\u{ff5e}' => {
                char::from_u32(u32::from(letter) - 0xff01 + 0x21).unwrap_or(letter)
            }
            letter if letter.is_whitespace() => ' ',
            letter => letter,
        };
        if plain != ' ' || !outline.ends_with(' ') {
            outline.push(plain);
        }
    }
    Cow::Owned(outline)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: FM-12
    #[test]
    fn names_and_titles_that_ask_for_a_secret_are_distinguished_from_others() {
        for secret in [
            "password",
            "Password",
            "userPassword",
            "api_key",
            "API key",
            "apiKey",
            "accessToken",
            "Token",
            "token value",
            "client-secret",
            "PIN",
            "cardNumber",
            "CVV",
            "Your credit card",
            "private_key",
            "one-time code (OTP)",
            "ssn",
            "db_passwd",
            "Recovery phrase",
        ] {
            assert!(looks_secret(secret), "{secret}");
        }
        for plain in [
            "name",
            "secretary",
            "pinned",
            "tokenizer",
            "max_tokens",
            "token_count",
            "tokenLimit",
            "keyboard",
            "keys",
            "spin",
            "passenger",
            "card",
            "Business card",
            "environment",
            "pipeline",
            "monkey",
            "api",
            "Compass word",
            "",
        ] {
            assert!(!looks_secret(plain), "{plain}");
        }
    }

    /// proves: FM-11
    #[test]
    fn labels_that_look_the_same_are_noticed() {
        let alike = |labels: &[&'static str]| {
            any_look_alike(labels.iter().map(|label| Cow::Borrowed(*label)))
        };
        assert!(alike(&["Main account", "Other", "Main account"]));
        assert!(alike(&["paypal", "p\u{430}ypal"]));
        assert!(alike(&["a b", " a  b "]));
        assert!(alike(&["a b", "a\u{a0}b"]));
        assert!(alike(&["ＡＢ", "AB"]));
        assert!(alike(&["", " "]));
        assert!(!alike(&["staging", "production", "Staging"]));
    }
}
