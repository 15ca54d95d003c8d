//! Changes to a state that need no key.

use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding as _};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Changes the character at a place so that its bits differ, also the upper bits: in the last
/// character of base64 only the upper bits count.
pub(super) fn flip(state: &str, at: usize) -> Option<String> {
    let old = state.get(at..)?.chars().next()?;
    let value = match old {
        '+' => Some(62),
        '/' => Some(63),
        _ => LETTERS.iter().position(|letter| char::from(*letter) == old),
    };
    let new = match value {
        Some(value) => char::from(*LETTERS.get(value ^ 32)?),
        None => 'A',
    };
    // The two alphabets of base64 differ in these characters.
    let new = match new {
        '-' if state.contains(['+', '/']) => '+',
        '_' if state.contains(['+', '/']) => '/',
        new => new,
    };
    let (before, rest) = state.split_at_checked(at)?;
    Some(format!("{before}{new}{}", rest.get(old.len_utf8()..)?))
}

/// Returns other spellings of the bytes of a state. Returns none if it is not base64.
pub(super) fn respell(state: &str) -> Vec<(String, String)> {
    let bare = state.trim_end_matches('=');
    let is_base64 = |byte: u8| LETTERS.contains(&byte) || matches!(byte, b'+' | b'/' | b'.');
    if bare.is_empty() || !bare.bytes().all(is_base64) {
        return Vec::new();
    }
    let last = bare.rsplit('.').next().unwrap_or_default();
    let padding = "=".repeat((4 - last.len() % 4) % 4);
    let mut spellings = vec![
        ("no padding", bare.into()),
        ("padding", format!("{bare}{padding}")),
        ("too much padding", format!("{bare}====")),
        ("+ and /", state.replace('-', "+").replace('_', "/")),
        ("- and _", state.replace('+', "-").replace('/', "_")),
        ("a space before", format!(" {state}")),
        ("a line behind", format!("{state}\n")),
        (
            "a line within",
            state.chars().take(8).chain("\n".chars()).chain(state.chars().skip(8)).collect(),
        ),
        ("one character more", format!("{bare}A")),
    ];
    if let Some(other) = unused_bits(last) {
        let mut changed = String::from(bare);
        changed.pop();
        changed.push(other);
        spellings.push(("unused bits", changed));
    }
    spellings.retain(|(_, spelling)| spelling != state);
    spellings.into_iter().map(|(name, spelling)| (name.into(), spelling)).collect()
}

/// Returns another last character for the same bytes. `None` if every bit counts.
fn unused_bits(base64: &str) -> Option<char> {
    let last = base64.chars().last().filter(|_| matches!(base64.len() % 4, 2 | 3))?;
    let value = LETTERS.iter().position(|letter| char::from(*letter) == last)?;
    Some(char::from(*LETTERS.get(value ^ 1)?))
}

/// Makes states with another name: from this state if its name can be read, and without it.
pub(super) fn forge(state: &str, name: &str) -> Vec<(String, String)> {
    let other = "m".repeat(name.len());
    let mut forged = Vec::new();
    if state.contains(name) {
        forged.push(("plain text".into(), state.replace(name, &other)));
    }
    for part in state.split('.') {
        let Some((bytes, encode)) = decode(part) else { continue };
        if let Some(changed) = replace(&bytes, name.as_bytes(), other.as_bytes()) {
            forged.push(("base64".into(), state.replacen(part, &encode(&changed), 1)));
        }
    }
    let guesses = [
        format!(r#"{{"name":"{other}"}}"#),
        format!(
            r#"{{"tool":"two_rounds","round":2,"name":"{other}","first":{{"name":"{other}"}}}}"#
        ),
        format!(r#"{{"first":{{"action":"accept","content":{{"name":"{other}"}}}}}}"#),
    ];
    for guess in guesses {
        forged
            .push(("made up in base64".into(), Base64UrlUnpadded::encode_string(guess.as_bytes())));
        forged.push(("made up".into(), guess));
    }
    forged.push(("the name".into(), other));
    forged
}

/// Returns whether a state contains a text, plain or in base64.
pub(super) fn readable(state: &str, text: &str) -> bool {
    let shows = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let mut parts = state.split('.');
    shows(state.as_bytes())
        || parts.any(|part| decode(part).is_some_and(|(bytes, _)| shows(&bytes)))
}

type Decode = fn(&str) -> Option<Vec<u8>>;
type Encode = fn(&[u8]) -> String;

/// Decodes base64 in any spelling. Also returns the function that encodes in the same spelling.
fn decode(text: &str) -> Option<(Vec<u8>, Encode)> {
    let spellings: [(Decode, Encode); 4] = [
        (|text| Base64UrlUnpadded::decode_vec(text).ok(), Base64UrlUnpadded::encode_string),
        (|text| Base64Url::decode_vec(text).ok(), Base64Url::encode_string),
        (|text| Base64Unpadded::decode_vec(text).ok(), Base64Unpadded::encode_string),
        (|text| Base64::decode_vec(text).ok(), Base64::encode_string),
    ];
    spellings.into_iter().find_map(|(decode, encode)| Some((decode(text)?, encode)))
}

/// Replaces each occurrence of some bytes. `None` if there is none.
fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let mut changed = Vec::new();
    let mut rest = bytes;
    let mut is_there = false;
    while let Some((first, after)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(old) {
            changed.extend_from_slice(new);
            rest = behind;
            is_there = true;
        } else {
            changed.push(*first);
            rest = after;
        }
    }
    is_there.then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_changes_significant_bits() {
        for bytes in [b"a".as_slice(), b"ab", b"abc", b"\xff\xfe\xfd\xfc"] {
            let state = Base64UrlUnpadded::encode_string(bytes);
            for at in 0..state.len() {
                let flipped = flip(&state, at).unwrap();
                assert_ne!(flipped, state);
                assert_ne!(Base64UrlUnpadded::decode_vec(&flipped).unwrap(), bytes, "{state} {at}");
            }
        }
        assert_eq!(flip("a+/", 0).unwrap(), "6+/");
        assert_eq!(flip("f+", 0).unwrap(), "/+");
        assert_eq!(flip("é.", 2).unwrap(), "éA");
        assert_eq!(flip("é", 0).unwrap(), "A");
    }

    #[test]
    fn other_spellings_differ_and_decode_to_the_same_bytes() {
        let state = Base64UrlUnpadded::encode_string(b"\xff\xfe\xfd\xfc");
        let names: Vec<_> = respell(&state).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"unused bits".into()) && names.contains(&"padding".into()));
        assert!(names.contains(&"+ and /".into()) && !names.contains(&"- and _".into()));
        assert!(respell(&state).iter().all(|(_, spelling)| *spelling != state));
        assert!(respell("{}").is_empty());
    }

    #[test]
    fn a_name_is_found_in_plain_text_and_in_base64() {
        let plain = r#"{"name":"alice"}"#;
        let signed = format!("{}.c2ln", Base64UrlUnpadded::encode_string(plain.as_bytes()));
        assert!(forge(plain, "alice").iter().any(|it| it.1 == r#"{"name":"mmmmm"}"#));
        let forged = forge(&signed, "alice");
        let (_, changed) = forged.iter().find(|it| it.0 == "base64").unwrap();
        assert!(changed.ends_with(".c2ln") && readable(changed, "mmmmm"));
        assert!(readable(&signed, "alice") && !readable("AAAA", "alice"));
    }
}
