//! Rust source as a check reads it: what is code, what is comment, what is there only in tests.

use core::{iter, ops::Range};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns where the repository begins.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// Lists the Rust files below a folder of the repository, in order, each with its path from the
/// root and its text. What was built or installed is left out.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                if !["target", "node_modules", ".git"].iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let parts = path.strip_prefix(root()).unwrap().components();
                let parts: Vec<_> = parts.map(|part| part.as_os_str().to_str().unwrap()).collect();
                found.push((parts.join("/"), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Lists the Rust files below a folder without those that are modules of tests alone.
pub(crate) fn files_outside_tests(folder: &str) -> Vec<(String, String)> {
    let mut found = files(folder);
    let tests: Vec<_> = found.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    found.retain(|(path, _)| !tests.contains(path));
    found
}

/// Lists the files of the modules that a file declares for its tests alone.
fn test_modules(path: &str, text: &str) -> Vec<String> {
    let code = Source::read(text).code;
    let folder = path.trim_end_matches("/mod.rs").trim_end_matches("/lib.rs");
    let folder = folder.trim_end_matches(".rs");
    let declared = code.split("#[cfg(test)]").skip(1);
    let names =
        declared.filter_map(|rest| rest.trim_start().strip_prefix("mod ")?.split(';').next());
    let names = names.filter(|name| name.chars().all(|letter| letter.is_alphanumeric()));
    names.map(|name| format!("{folder}/{name}.rs")).collect()
}

/// A source text twice, line for line: its code and its line comments, each with the rest blank.
///
/// Strings and block comments are blank in both. A test that is commented out is no test, and
/// source text in a string is not part of the file.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) code: String,
    pub(crate) comments: String,
    /// The strings and characters, as they are written, each with its place in the code.
    literals: Vec<(usize, String)>,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let mut source = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (kind, length) = first_piece(rest);
            let (piece, after) = rest.split_at(length);
            let blank = blank(piece);
            if kind == Kind::Literal {
                source.literals.push((source.code.len(), piece.into()));
            }
            source.code += if kind == Kind::Code { piece } else { &blank };
            source.comments += if kind == Kind::LineComment { piece } else { &blank };
            rest = after;
        }
        source
    }

    /// Returns the code without the items that are marked `#[cfg(test)]`.
    pub(crate) fn code_outside_tests(&self) -> String {
        let mut kept = String::new();
        let mut at = 0;
        for item in self.test_items() {
            kept += self.code.get(at..item.start).unwrap_or_default();
            kept += &blank(self.code.get(item.clone()).unwrap_or_default());
            at = item.end;
        }
        kept + self.code.get(at..).unwrap_or_default()
    }

    /// Returns the strings and characters outside of items that are marked `#[cfg(test)]`, each with
    /// the number of its line.
    pub(crate) fn literals_outside_tests(&self) -> Vec<(usize, &str)> {
        let items = self.test_items();
        let outside =
            self.literals.iter().filter(|(at, _)| !items.iter().any(|it| it.contains(at)));
        let line = |at: usize| 1 + self.code.get(..at).unwrap_or_default().matches('\n').count();
        outside.map(|(at, literal)| (line(*at), literal.as_str())).collect()
    }

    /// Returns the places of the items that are marked `#[cfg(test)]`.
    fn test_items(&self) -> Vec<Range<usize>> {
        let mut items = Vec::new();
        let mut at = 0;
        while let Some(start) = self.code.get(at..).and_then(|rest| rest.find("#[cfg(test)]")) {
            let start = at + start;
            at = start + item_length(self.code.get(start..).unwrap_or_default());
            items.push(start..at);
        }
        items
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    LineComment,
    BlockComment,
    Literal,
}

/// Returns what a text begins with, and how many bytes of it.
fn first_piece(text: &str) -> (Kind, usize) {
    if text.starts_with("//") {
        (Kind::LineComment, text.find('\n').unwrap_or(text.len()))
    } else if text.starts_with("/*") {
        (Kind::BlockComment, block_comment_length(text))
    } else if let Some(length) = literal_length(text) {
        (Kind::Literal, length)
    } else {
        (Kind::Code, text.chars().next().map_or(0, char::len_utf8))
    }
}

fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = text.as_bytes().split_at(at).1;
        match rest {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Measures a string or a character, if the text begins with one. A lifetime is not one.
fn literal_length(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    match chars.next()? {
        '"' => Some(escaped_length(text, '"')),
        'r' => {
            let hashes = chars.as_str().bytes().take_while(|byte| *byte == b'#').count();
            let body = chars.as_str().get(hashes..)?.strip_prefix('"')?;
            let close: String = iter::once('"').chain(iter::repeat_n('#', hashes)).collect();
            Some(text.len() - body.len() + body.find(&close)? + close.len())
        }
        '\'' => match (chars.next()?, chars.next()?) {
            ('\\', _) => Some(escaped_length(text, '\'')),
            (letter, '\'') => Some(letter.len_utf8() + 2),
            _ => None,
        },
        _ => None,
    }
}

/// Measures what a quote opens and the next one closes that has no backslash before it.
fn escaped_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    text.len()
}

/// Measures an item from its attributes to its semicolon or closing brace.
fn item_length(code: &str) -> usize {
    let mut depth = 0_i32;
    for (at, letter) in code.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && matches!(letter, ';' | '}') {
            return at + 1;
        }
    }
    code.len()
}

fn blank(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect()
}
