//! Odd texts: documents of each kind that are sound, but for some things that happened to them.

use core::fmt::Write as _;

use arbitrary::{Result, Unstructured};

use super::sound;
use crate::exchange::message;

/// Makes a frame, or a question.
///
/// # Errors
///
/// Not enough data.
pub fn frame(u: &mut Unstructured<'_>) -> Result<String> {
    let frame = *u.choose(&sound::FRAMES)?;
    document(u, frame)
}

/// Makes a record.
///
/// # Errors
///
/// Not enough data.
pub fn record(u: &mut Unstructured<'_>) -> Result<String> {
    let record = *u.choose(&sound::RECORDS)?;
    document(u, record)
}

/// Makes a result of a leg.
///
/// # Errors
///
/// Not enough data.
pub fn result(u: &mut Unstructured<'_>) -> Result<String> {
    let result = *u.choose(&sound::RESULTS)?;
    document(u, result)
}

/// Makes the answers to a round.
///
/// # Errors
///
/// Not enough data.
pub fn responses(u: &mut Unstructured<'_>) -> Result<String> {
    document(u, sound::RESPONSES)
}

/// Makes a request, first or with answers.
///
/// # Errors
///
/// Not enough data.
pub fn request(u: &mut Unstructured<'_>) -> Result<String> {
    let method = *u.choose(&["tools/call", "prompts/get", "resources/read", "tools/list"])?;
    let target = [("name", "\"deploy\""), ("uri", "\"file:///a\"")];
    let answers = [("inputResponses", sound::RESPONSES), ("requestState", "\"AgECazE\"")];
    let arguments = ("arguments", r#"{"text":"SENTINEL","n":[1,-20,null,true]}"#);
    let mut members: Vec<_> = Vec::from([*u.choose(&target)?, arguments]);
    if u.arbitrary()? {
        members.extend(answers);
    }
    document(u, &message(method, &members))
}

/// Makes the lines of a trace: a call starts, and things happen to it.
///
/// # Errors
///
/// Not enough data.
pub fn trace(u: &mut Unstructured<'_>) -> Result<String> {
    let start = *u.choose(&sound::STARTS)?;
    let mut trace = line(u, 0, start)?;
    let mut at = 0_u64;
    while !u.is_empty() {
        at += *u.choose(&[0, 1, 40, 300, 10_000, 700_000])?;
        let leg: u8 = u.int_in_range(1..=4)?;
        let event = u.choose(&sound::EVENTS)?.replace('@', &format!("c.{leg}"));
        trace.push('\n');
        trace.push_str(&line(u, at, &event)?);
    }
    Ok(trace)
}

/// Makes a line of a trace. Most are as they should be.
fn line(u: &mut Unstructured<'_>, at: u64, event: &str) -> Result<String> {
    let line = format!(r#"{{"at":{at},{event}}}"#);
    // A line break in it would end it.
    if u.int_in_range(0..=7)? == 7 { Ok(document(u, &line)?.replace('\n', " ")) } else { Ok(line) }
}

/// Writes a sound document of JSON after up to three things have happened to it.
///
/// # Errors
///
/// Not enough data.
///
/// # Panics
///
/// On a document that is not sound.
pub fn document(u: &mut Unstructured<'_>, sound: &str) -> Result<String> {
    let mut rest = sound;
    let mut json = Json::read(&mut rest);
    assert!(rest.is_empty(), "sound JSON, and then {rest}");
    for _ in 0..u.int_in_range(0..=3)? {
        let mut index = u.choose_index(json.count())?;
        json.nth(&mut index).unwrap().befall(u)?;
    }
    let mut text = String::new();
    json.write(&mut text);
    Ok(text)
}

/// JSON that may name a member twice, and has its leaves as they are spelled.
#[derive(Clone)]
enum Json {
    Leaf(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Reads sound JSON without a space in it, but for those in strings.
    fn read(rest: &mut &str) -> Self {
        let first = rest.chars().next().unwrap();
        if !matches!(first, '[' | '{') {
            return Self::Leaf(token(rest).into());
        }
        let (mut items, mut members) = (Vec::new(), Vec::new());
        while !matches!(after(rest).as_bytes().first(), Some(b']' | b'}')) {
            *rest = after(rest);
            if first == '[' {
                items.push(Self::read(rest));
            } else {
                let name = token(rest).into();
                *rest = after(rest);
                members.push((name, Self::read(rest)));
            }
            if !rest.starts_with(',') {
                break;
            }
        }
        // An empty one still has its bracket before the end, any other ends here.
        let is_empty = items.is_empty() && members.is_empty();
        *rest = if is_empty { after(after(rest)) } else { after(rest) };
        if first == '[' { Self::List(items) } else { Self::Object(members) }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Leaf(leaf) => text.push_str(leaf),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    text.push(if index == 0 { '[' } else { ',' });
                    item.write(text);
                }
                text.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Self::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    text.push(if index == 0 { '{' } else { ',' });
                    text.push_str(name);
                    text.push(':');
                    value.write(text);
                }
                text.push_str(if members.is_empty() { "{}" } else { "}" });
            }
        }
    }

    /// Returns how many values there are, this one and all in it.
    fn count(&self) -> usize {
        1 + match self {
            Self::Leaf(_) => 0,
            Self::List(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, value)| value.count()).sum(),
        }
    }

    fn nth(&mut self, index: &mut usize) -> Option<&mut Self> {
        if *index == 0 {
            return Some(self);
        }
        *index -= 1;
        match self {
            Self::Leaf(_) => None,
            Self::List(items) => items.iter_mut().find_map(|item| item.nth(index)),
            Self::Object(members) => members.iter_mut().find_map(|(_, value)| value.nth(index)),
        }
    }

    /// Lets one thing happen to the value, or to something that is right in it.
    fn befall(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match (self, u.int_in_range(0..=7)?) {
            (Self::Object(members), what @ 0..=5) if !members.is_empty() => {
                let index = u.choose_index(members.len())?;
                let mut member = members.remove(index);
                let beside = match what {
                    0 => return Ok(()),
                    1 => Some(member.clone()),
                    2 => Some((escaped(&member.0), member.1.clone())),
                    3 => Some(("\"other\"".into(), member.1.clone())),
                    4 => {
                        member.0 = (*u.choose(NAMES)?).into();
                        None
                    }
                    _ => None,
                };
                members.push(member);
                members.extend(beside);
            }
            (Self::List(items), what @ 0..=5) if !items.is_empty() => {
                let item = items.remove(u.choose_index(items.len())?);
                if what > 1 {
                    items.extend([item.clone(), item]);
                }
            }
            (value, 6) => {
                let inner = core::mem::replace(value, Self::List(Vec::new()));
                *value = Self::List(Vec::from([inner]));
            }
            (Self::Leaf(leaf), 0..=2) if leaf.starts_with('"') => {
                let piece = *u.choose(PIECES)?;
                leaf.insert_str(leaf.len() - 1, piece);
            }
            (Self::Leaf(leaf), 3) => *leaf = format!(" {leaf}\n"),
            (value, _) => *value = Self::Leaf((*u.choose(VALUES)?).into()),
        }
        Ok(())
    }
}

/// Returns what follows the first letter.
fn after(text: &str) -> &str {
    text.get(1..).unwrap_or_default()
}

/// Takes a string, a number or a word.
fn token<'a>(rest: &mut &'a str) -> &'a str {
    let mut is_escaped = false;
    let is_string = rest.starts_with('"');
    let end = rest.char_indices().skip(1).find(|(_, letter)| {
        let was_escaped = is_escaped;
        is_escaped = *letter == '\\' && !was_escaped;
        if is_string { *letter == '"' && !was_escaped } else { matches!(letter, ',' | ']' | '}') }
    });
    let end = end.map_or(rest.len(), |(at, _)| at + usize::from(is_string));
    let (token, after) = rest.split_at(end);
    *rest = after;
    token
}

/// Spells the letters of a name in another way.
fn escaped(name: &str) -> String {
    let mut spelled = String::from("\"");
    for unit in name.trim_matches('"').encode_utf16() {
        let _ = write!(spelled, "\\u{unit:04x}");
    }
    spelled + "\""
}

/// Names that stand in one place or another, and one that is not text.
const NAMES: &[&str] = &[
    "\"\"",
    "\"\\ud800\"",
    "\"_meta\"",
    "\"result\"",
    "\"error\"",
    "\"url\"",
    "\"form\"",
    "\"why\"",
    "\"method\"",
    "\"mode\"",
    "\"sampling\"",
    "\"message\"",
    "\"unreadable\"",
    "\"kind\"",
];

/// What a string may end with.
const PIECES: &[&str] = &[
    " ",
    "\\u0000",
    "\\ud800",
    "\\ud83d\\ude00",
    "\\n",
    "é",
    "\u{202e}",
    ".1",
    "0",
    "/../%41",
    "\\\\",
    "@b",
    "\u{301}\u{301}\u{301}\u{301}\u{301}",
];

/// What may stand where something else stood.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "-0.0",
    "1.5",
    "7",
    "1e2",
    "1e999",
    "9007199254740993",
    "18446744073709551616",
    "\"\"",
    "\"x\"",
    "\"accept\"",
    "\"cancel\"",
    "\"closed\"",
    "\"stop\"",
    "\"http://a@b\"",
    "\"2026-07-28\"",
    "[]",
    "{}",
    "[[[[1]]]]",
    "{\"a\":1,\"a\":2}",
    "{\"action\":\"cancel\"}",
    "{\"method\":\"roots/list\",\"result\":{\"roots\":[]}}",
];
