//! The dictionaries of the fuzz targets hold every word that the code and the documents have.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A target that is not in all of these places is not built, not run by CI, or not explained.
#[test]
fn every_fuzz_target_is_built_listed_and_seeded() {
    let (manifest, page) = (read("fuzz/Cargo.toml"), read("fuzz/README.md"));
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.map(|name| name.trim_end_matches(".rs").to_owned()).collect()
    };
    let targets = names("fuzz/fuzz_targets");
    assert_eq!(targets, names("fuzz/seeds"), "each target has seeds");
    let built = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"fuzz_targets/")?.strip_suffix(".rs\""));
    assert_eq!(targets, built.map(Into::into).collect(), "each target is a [[bin]]");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|line| line.split('|').nth(1));
    let listed = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    assert_eq!(targets, listed.map(Into::into).collect(), "each target is in fuzz/README.md");
}

const fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '$' | '/')
}

/// Splits a text into its words. What is no letter of one ends it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_letter(letter)).filter(|word| {
        word.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '$' | '_'))
    })
}

/// Returns the words of a dictionary, whose entries are `"text"` with `\xNN` and `\"` in them.
fn dictionary(target: &str) -> BTreeSet<String> {
    let text = read(&format!("fuzz/dict/{target}.dict"));
    let entries = text.lines().filter(|line| !line.starts_with('#'));
    let entries: Vec<_> = entries.map(|line| unescaped(line.trim().trim_matches('"'))).collect();
    entries.iter().flat_map(|entry| words(entry)).map(Into::into).collect()
}

fn unescaped(entry: &str) -> String {
    let mut text = String::new();
    let mut rest = entry;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        // Only what stands between words is escaped as a number.
        let length = if after.starts_with('x') { 3 } else { 1 };
        text.push(' ');
        rest = after.get(length..).unwrap_or_default();
    }
    text + rest
}

/// A string in a source, with what stands before and behind it.
struct Literal<'a> {
    before: &'a str,
    text: &'a str,
    behind: &'a str,
}

/// Lists the strings of a source that stand before its tests. Comments are no part of it.
fn literals(source: &str) -> Vec<Literal<'_>> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = source.get(at..).and_then(|rest| rest.find(['"', '/'])) {
        let start = at + next;
        let rest = source.get(start..).unwrap();
        if rest.starts_with("//") {
            at = start + rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with('/') || source.get(..start).unwrap().ends_with('\'') {
            at = start + 1;
        } else {
            let end = start + 1 + end_of_string(rest.get(1..).unwrap());
            let (before, behind) = (source.get(..start).unwrap(), source.get(end + 1..));
            let text = source.get(start + 1..end).unwrap();
            found.push(Literal {
                before: before.trim_end(),
                text,
                behind: behind.unwrap_or_default().trim_start(),
            });
            at = end + 1;
        }
    }
    found
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|letter| {
        let was_escaped = is_escaped;
        is_escaped = letter == '\\' && !was_escaped;
        letter == '"' && !was_escaped
    });
    end.unwrap_or(text.len())
}

/// Picks the words that a source compares a text with, or writes: patterns and values of a match,
/// names of members, and constants.
fn compared(path: &str) -> BTreeSet<String> {
    let source = read(path);
    let is_compared = |literal: &Literal<'_>| {
        let is_pattern =
            ["=>", "| ", "|\n", "if "].iter().any(|next| literal.behind.starts_with(next))
                || literal.before.ends_with('|')
                || literal.before.ends_with("=>");
        let asks = ["get(", "once(", "non_null(", "object.text(", "== ", "=="];
        let is_asked = asks.iter().any(|asks| literal.before.ends_with(asks.trim_end()));
        let has_member = literal.before.rsplit_once("has(&").is_some_and(|(_, rest)| {
            rest.strip_suffix(',').is_some_and(|name| name.chars().all(is_letter))
        });
        let is_constant = literal.before.ends_with(": &str =");
        is_pattern || is_asked || has_member || is_constant
    };
    let found = literals(&source);
    let found = found.iter().filter(|literal| is_compared(literal)).map(|literal| literal.text);
    found.filter(|text| words(text).eq([*text])).map(Into::into).collect()
}

/// Picks the names of the members and kinds of the shapes that a source reads by a derive.
fn shapes(path: &str) -> BTreeSet<String> {
    let source = read(path);
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    // An empty line ends a shape.
    let derived = source.split("\n#[derive(").skip(1).filter_map(|rest| rest.split("\n\n").next());
    let is_read = |shape: &&str| shape.lines().next().is_some_and(|it| it.contains("Deserialize"));
    derived.filter(is_read).flat_map(names).collect()
}

/// Picks the names of the members and kinds of a shape, as it spells them.
fn names(shape: &str) -> Vec<String> {
    let spelled =
        if shape.contains("rename_all = \"snake_case\"") { snake_case } else { camel_case };
    let lines = shape.lines().filter(|line| line.starts_with("    "));
    let names = lines.filter_map(|line| line.trim().split_once([':', '(', ' ', ',']));
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let names = names.map(|(name, _)| name.trim_start_matches('_'));
    let spelled = |name: &str| {
        let is_kind = name.starts_with(|first: char| first.is_ascii_uppercase());
        if is_kind { spelled(name) } else { camel_case(name) }
    };
    names.filter(|name| is_name(name)).map(spelled).collect()
}

fn snake_case(name: &str) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.push(letter.to_ascii_lowercase());
    }
    written
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap();
    let mut written = first.get(..1).unwrap_or_default().to_ascii_lowercase();
    written.push_str(first.get(1..).unwrap_or_default());
    for part in parts {
        written.push_str(&part.get(..1).unwrap_or_default().to_ascii_uppercase());
        written.push_str(part.get(1..).unwrap_or_default());
    }
    written
}

/// Picks the words in backticks of the first column of a document's tables.
fn first_column(path: &str) -> BTreeSet<String> {
    let document = read(path);
    let cells = document.lines().filter(|line| line.starts_with("| "));
    let cells: Vec<_> = cells.filter_map(|line| line.split(" | ").next()).collect();
    spans(&cells.join("\n"))
}

/// Picks the single words in backticks, and the last part of one with dots in it.
fn spans(text: &str) -> BTreeSet<String> {
    let spans = text.split('`').skip(1).step_by(2);
    let last = spans.filter_map(|span| span.trim_matches('"').rsplit('.').next());
    last.filter(|span| words(span).eq([*span])).map(Into::into).collect()
}

/// Picks the names of the members in the lines of a document that begin with a text.
fn members(path: &str, begin: &str) -> BTreeSet<String> {
    let document = read(path);
    let lines = document.lines().filter(|line| line.starts_with(begin)).flat_map(literals);
    let names = lines.filter(|literal| literal.behind.starts_with(':'));
    names
        .map(|literal| literal.text)
        .filter(|text| words(text).eq([*text]))
        .map(Into::into)
        .collect()
}

/// Returns the words that no dictionary of the targets has.
fn missing(targets: &[&str], expected: &BTreeSet<String>) -> Vec<String> {
    let known: BTreeSet<_> = targets.iter().flat_map(|target| dictionary(target)).collect();
    expected.difference(&known).cloned().collect()
}

fn assert_known(targets: &[&str], expected: &BTreeSet<String>, some: &[&str]) {
    for word in some {
        assert!(expected.contains(*word), "{word} is found, in {expected:?}");
    }
    assert_eq!(missing(targets, expected), Vec::<String>::new(), "words for {targets:?}");
}

#[test]
fn every_keyword_type_and_format_of_a_schema_is_in_its_dictionary() {
    for path in ["root", "keywords", "reader", "judge", "options", "nullable"] {
        let words = compared(&format!("form-model/src/decode/{path}.rs"));
        assert_known(&["schema"], &words, &[]);
    }
    let keywords = compared("form-model/src/decode/keywords.rs");
    assert_known(&["schema"], &keywords, &["minLength", "$ref", "integer", "contentSchema"]);
    assert_known(&["schema", "canonical"], &compared("form-model/src/format.rs"), &["date-time"]);
    assert_known(&["schema"], &first_column("docs/form-policy.md"), &["$schema", "enumNames"]);
}

#[test]
fn every_member_of_a_form_as_data_is_in_the_dictionaries() {
    let members = shapes("form-model/src/canonical.rs");
    for target in ["canonical", "frame", "record"] {
        assert_known(&[target], &members, &["version", "lengthMin", "itemsMax", "choices"]);
    }
}

#[test]
fn every_kind_of_frame_and_record_and_every_code_is_in_the_dictionaries() {
    let frames = shapes("mrtr-core/src/host/frame.rs");
    assert_known(&["frame"], &frames, &["interaction_refused", "released", "why"]);
    assert_known(&["frame"], &members("docs/frames.md", "{"), &["requester", "url"]);
    assert_known(&["frame"], &first_column("docs/frames.md"), &["wrong_connection", "limit"]);
    let records = shapes("mrtr-core/src/host/record.rs");
    assert_known(&["record"], &records, &["requested", "toolCall", "why"]);
    for target in ["frame", "record"] {
        let questions = shapes("mrtr-core/src/host/question.rs");
        assert_known(&[target], &questions, &["requester", "provider", "url"]);
    }
    let document = read("docs/frames.md");
    let why = spans(document.split("## Why").nth(1).unwrap());
    assert_known(&["frame"], &why, &["host_restarted", "stopped"]);
    assert_known(&["record"], &why, &[]);
}

#[test]
fn every_word_of_a_trace_is_in_its_dictionary() {
    let document = read("docs/traces.md");
    let input = document.split("## Output").next().unwrap();
    let mut input = spans(input.split("## Input").nth(1).unwrap());
    // No member of a trace is written like a type.
    input.retain(|word| !word.starts_with(|first: char| first.is_ascii_uppercase()));
    let limits = ["roundsMax", "legMax", "answerBytesMax", "samplingContext", "extensionTypes"];
    assert_known(&["trace"], &input, &limits);
    let events = shapes("mrtr-core/src/trace/event.rs");
    assert_known(&["trace"], &events, &["bindingChanged", "tick", "unreadable", "sampled"]);
    assert_known(&["trace"], &shapes("mrtr-core/src/wire/error.rs"), &["tooLarge", "levelsMax"]);
    assert_known(&["trace"], &shapes("mrtr-core/src/trace/step.rs"), &["samplingTools", "version"]);
}

#[test]
fn every_member_and_method_of_a_message_is_in_the_dictionaries() {
    // What came back for a question has other names in a trace.
    let targets = ["result", "request", "responses", "wire", "trace"];
    let files = [
        "message",
        "capabilities",
        "input_request",
        "input_response",
        "sampling",
        "result",
        "params",
        "param_schema",
        "error",
    ];
    let words = files.map(|file| compared(&format!("mrtr-core/src/wire/{file}.rs")));
    let words = words.into_iter().flatten().collect();
    let some = ["maxTokens", "input_required", "context", "prompts/get", "accept", "_meta"];
    assert_known(&targets, &words, &some);
    let words = compared("mrtr-core/src/wire/input_request.rs");
    assert_known(&["result"], &words, &["roots/list", "sampling/createMessage"]);
    assert_known(&["wire"], &compared("mrtr-core/src/wire/capabilities.rs"), &["tools"]);
    let words = compared("mrtr-core/src/wire/params.rs");
    let some = ["_meta", "requestState", "inputResponses"];
    assert_known(&["request"], &words, &some);
}

#[test]
fn a_word_that_is_missing_is_noticed() {
    let expected = BTreeSet::from(["minLength", "minLengths", "Length"].map(String::from));
    assert_eq!(missing(&["schema"], &expected), ["Length", "minLengths"]);
    let found: Vec<_> = literals("a(\"x\\\"y\") // \"no\"\n '\"' \"z\" => 1")
        .into_iter()
        .map(|literal| literal.text)
        .collect();
    assert_eq!(found, ["x\\\"y", "z"]);
}
