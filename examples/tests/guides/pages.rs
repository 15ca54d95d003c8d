//! Each example on a page is a part of a program that a test of this target runs.

use std::{fs, path::Path};

/// The pages, each with where the programs of its examples are.
const PAGES: [(&str, &str); 3] = [
    ("docs/client.md", "examples/tests/guides/client"),
    ("docs/server.md", "examples/tests/guides/server"),
    ("docs/minimum-server.md", "examples/src/bin/minimum-server.rs"),
];

#[test]
fn each_example_on_a_page_is_a_part_of_a_program_that_runs() {
    // This file is in examples/tests/guides.
    let root = Path::new(file!()).ancestors().nth(4).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(root);
    for (page, programs) in PAGES {
        let programs = sources(&root.join(programs));
        let page_text = fs::read_to_string(root.join(page)).unwrap();
        let examples = examples(&page_text);
        assert!(!examples.is_empty(), "{page} has examples");
        for example in examples {
            let is_part = programs.iter().any(|program| has(program, &example));
            assert!(is_part, "{page}: no program has the example\n{}", example.join("\n"));
        }
    }
}

/// Returns the lines of each program. A page shows them without what only ties them together here.
fn sources(path: &Path) -> Vec<Vec<String>> {
    let paths: Vec<_> = if path.is_dir() {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![path.into()]
    };
    paths.iter().map(|path| shown(&fs::read_to_string(path).unwrap())).collect()
}

fn shown(program: &str) -> Vec<String> {
    let lines = program.lines().filter(|line| !line.starts_with("use super::"));
    let mut shown: Vec<_> =
        lines.map(|line| line.replace("pub(super) ", "").replace("pub(crate) ", "")).collect();
    // Where a line is left out, one blank line stays of two.
    shown.dedup_by(|line, before| line.is_empty() && before.is_empty());
    shown
}

/// Returns the lines of each Rust example of a page.
fn examples(page: &str) -> Vec<Vec<String>> {
    let mut examples = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```rust") {
            let lines = lines.by_ref().take_while(|line| *line != "```");
            examples.push(lines.map(String::from).collect());
        }
    }
    examples
}

fn has(program: &[String], example: &[String]) -> bool {
    program.windows(example.len()).any(|part| part == example)
}
