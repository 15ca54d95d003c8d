//! What may grow is `#[non_exhaustive]`; what a caller must match says that it is exhaustive.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "this is a test")]

#[allow(dead_code, reason = "other tests use the rest")]
mod source;

/// Lists the public types of a source that may grow and do not say so, each with its line.
fn closed(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let declared = ["pub enum ", "pub struct "].iter().find_map(|kind| line.strip_prefix(kind));
        let Some(name) = declared else { continue };
        let above = lines[..index].iter().rev().take_while(|line| is_part_of_item(line));
        let says = |line: &&str| line.contains("xhaustive");
        let is_open = above.into_iter().any(says);
        if !is_open && (line.starts_with("pub enum ") || has_public_field(&lines[index..])) {
            let end = name.find([' ', '<', '(', ';']).unwrap_or(name.len());
            found.push((index + 1, name[..end].to_owned()));
        }
    }
    found
}

/// Returns whether a line above an item belongs to it: documentation, or an attribute.
fn is_part_of_item(line: &str) -> bool {
    ["///", "#[", ")]", "    "].iter().any(|start| line.starts_with(start))
}

/// Returns whether a struct has a named field that a caller could write.
fn has_public_field(lines: &[&str]) -> bool {
    let fields = lines.iter().skip(1).take_while(|line| !line.starts_with('}'));
    lines[0].ends_with('{') && fields.into_iter().any(|line| line.starts_with("    pub "))
}

#[test]
fn every_public_type_can_grow_or_says_that_it_is_exhaustive() {
    let mut all = Vec::new();
    for folder in ["form-model/src", "mrtr-core/src"] {
        for (path, text) in source::files_outside_tests(folder) {
            let closed = closed(&text).into_iter();
            all.extend(closed.map(|(line, name)| format!("{path}:{line} {name}")));
        }
    }
    assert!(all.is_empty(), "these may grow and break a caller:\n{}", all.join("\n"));
}

#[test]
fn a_type_that_may_grow_is_found() {
    let closed = closed(
        "/// A.\n#[derive(Clone)]\npub enum A { B }\n\n/// C. The enum is exhaustive.\npub enum C {\n}\n\n\
         pub struct D {\n    pub e: u8,\n}\n\n#[non_exhaustive]\npub struct F {\n    pub g: u8,\n}\n\n\
         pub struct H {\n    i: u8,\n}\n",
    );
    assert_eq!(closed, [(3, "A".into()), (9, "D".into())]);
}
