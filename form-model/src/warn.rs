//! What a surface should be wary of: fields that look as if they ask for a secret, and labels that
//! look alike.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

/// Phrases that ask for a secret, as words in lower case.
const SECRETS: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["passcode"],
    &["pass", "phrase"],
    &["pass", "word"],
    &["secret"],
    &["secrets"],
    &["credential"],
    &["credentials"],
    &["token"],
    &["apikey"],
    &["api", "key"],
    &["access", "key"],
    &["accesskey"],
    &["secretkey"],
    &["private", "key"],
    &["privatekey"],
    &["signing", "key"],
    &["encryption", "key"],
    &["ssh", "key"],
    &["license", "key"],
    &["seed", "phrase"],
    &["recovery", "phrase"],
    &["recovery", "code"],
    &["backup", "code"],
    &["verification", "code"],
    &["security", "code"],
    &["mnemonic"],
    &["pin"],
    &["otp"],
    &["totp"],
    &["cvv"],
    &["cvc"],
    &["card", "number"],
    &["cardnumber"],
    &["credit", "card"],
    &["creditcard"],
    &["debit", "card"],
    &["account", "number"],
    &["iban"],
    &["ssn"],
    &["social", "security"],
    &["client", "secret"],
    &["bearer"],
    &["authorization", "header"],
];

/// Words after which a token is something that is counted.
const COUNTED: &[&str] = &["count", "limit", "budget", "usage", "size", "length", "type"];

/// Tells whether a field's name or title reads as if it asks for a secret.
pub(crate) fn looks_secret(text: &str) -> bool {
    let words = words(text);
    SECRETS.iter().any(|phrase| {
        words.windows(phrase.len()).enumerate().any(|(at, found)| {
            let next = words.get(at + phrase.len()).map(String::as_str);
            let is_counted =
                *phrase == ["token"] && next.is_some_and(|next| COUNTED.contains(&next));
            found.iter().zip(*phrase).all(|(found, word)| found == word) && !is_counted
        })
    })
}

/// Splits a text into words in lower case: at what is no letter or digit, and before a capital
/// that follows a small letter.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut follows_small = false;
    let mut begins = true;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            begins = true;
            continue;
        }
        if begins || (follows_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        begins = false;
        follows_small = letter.is_lowercase() || letter.is_numeric();
    }
    words
}

/// Tells whether any two labels look the same on a screen.
pub(crate) fn any_look_alike<'t>(
    labels: impl Iterator<Item = alloc::borrow::Cow<'t, str>>,
) -> bool {
    let mut seen = BTreeSet::new();
    labels.into_iter().any(|label| !seen.insert(outline(&label)))
}

/// Maps letters that look like a Latin letter to it, and runs of white space to one space.
fn outline(label: &str) -> String {
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
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: FM-12
    #[test]
    fn names_and_titles_that_ask_for_a_secret_are_told_from_those_that_do_not() {
        for secret in [
            "password",
            "Password",
            "userPassword",
            "api_key",
            "API key",
            "apiKey",
            "accessToken",
            "Token",
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
        let alike = |labels: &[&str]| any_look_alike(labels.iter().map(|label| (*label).into()));
        assert!(alike(&["Main account", "Other", "Main account"]));
        assert!(alike(&["paypal", "p\u{430}ypal"]));
        assert!(alike(&["a b", " a  b "]));
        assert!(alike(&["ＡＢ", "AB"]));
        assert!(!alike(&["staging", "production", "Staging"]));
    }
}
