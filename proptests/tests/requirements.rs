//! The requirements against the code: which tests prove which, and what the libraries never name.

#![allow(clippy::unwrap_used, reason = "this is a test")]

#[allow(dead_code, reason = "other tests use the rest")]
mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
};

use source::Source;

/// What the tests say they prove.
#[derive(Default)]
struct Traces {
    /// Every test, by its name: `<file>::<function>`.
    tests: BTreeSet<String>,
    /// The tests that prove a requirement, by its number.
    proofs: BTreeMap<String, BTreeSet<String>>,
    /// The requirements of which some test says that it is proved `in part`.
    parts: BTreeSet<String>,
    /// What is wrong with a `proves` line itself, which no rewriting of the page mends.
    problems: Vec<String>,
}

impl Traces {
    fn of_repository() -> Self {
        let mut traces = Self::default();
        for (path, text) in source::files("") {
            traces.read(&path, &text);
        }
        let read = |path: &str| fs::read_to_string(source::root().join(path)).unwrap();
        let ci = read(".ci/run");
        traces.read_script(".ci/run", &ci);
        // Another script proves something if CI runs it.
        if ci.lines().any(|line| line == "step conformance/run --ci") {
            traces.read_script("conformance/run", &read("conformance/run"));
        }
        traces
    }

    /// Reads the tests of a file. What proves stands in the comments and attributes right above.
    fn read(&mut self, path: &str, text: &str) {
        let source = Source::read(text);
        let mut above = Above::default();
        // The empty line ends a comment block that ends the file.
        let code = source.code.lines().chain([""]);
        let comments = source.comments.lines().chain([""]);
        let lines = code.map(str::trim).zip(comments.map(str::trim));
        for ((code, comment), raw) in lines.zip(text.lines().chain([""])) {
            if code.starts_with("#![cfg(")
                && let Some(why) = not_run(raw)
            {
                self.problems.push(format!("{path} {why}"));
            }
            if above.brackets > 0 || code.starts_with("#[") {
                above.attributes += raw;
            }
            above.numbers.extend(proved(comment));
            let has_attribute = above.brackets > 0 || code.starts_with("#[");
            let code = above.pass_attributes(code);
            if !code.is_empty() || (comment.is_empty() && !has_attribute) {
                self.close(path, core::mem::take(&mut above), code);
            }
        }
    }

    /// Ends what stands above a function, or above something else.
    fn close(&mut self, path: &str, above: Above, code: &str) {
        let function = function(code);
        let holds_tests =
            above.is_test || code.starts_with("mod ") || code.starts_with("pub(crate) mod ");
        if let Some(why) = not_run(&above.attributes).filter(|_| holds_tests) {
            self.problems.push(format!("{path}: {code} {why}"));
        }
        self.keep(path, above.numbers, function.filter(|_| above.is_test));
    }

    /// Reads the parts of a script, or its steps. What proves stands right above one that counts and
    /// that is in no condition.
    fn read_script(&mut self, path: &str, text: &str) {
        let mut numbers = Vec::new();
        for line in text.lines().chain([""]) {
            if let Some(comment) = line.strip_prefix("# ") {
                numbers.extend(proved(comment));
            } else {
                let part = line.strip_prefix("part '").and_then(|rest| rest.split('\'').next());
                let step = line.strip_prefix("step ").filter(|step| !step.ends_with('\\'));
                let part = part.or(step);
                self.keep(path, core::mem::take(&mut numbers), part);
            }
        }
    }

    /// Keeps what a test proves, if it proves anything.
    fn keep(&mut self, path: &str, numbers: Vec<String>, test: Option<&str>) {
        let Some(test) = test.map(|name| format!("{path}::{name}")) else {
            let problem = |number| format!("{path}: {number} stands above no test");
            self.problems.extend(numbers.into_iter().map(problem));
            return;
        };
        for number in numbers {
            let number = match number.strip_suffix(IN_PART) {
                Some(number) => {
                    self.parts.insert(number.into());
                    number.into()
                }
                None => number,
            };
            self.proofs.entry(number).or_default().insert(test.clone());
        }
        if !self.tests.insert(test.clone()) {
            self.problems.push(format!("{test} is the name of two tests"));
        }
    }

    /// Writes the cell of a requirement.
    fn cell(&self, number: &str) -> String {
        let quoted = |tests: &BTreeSet<String>| {
            tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ")
        };
        let part = if self.parts.contains(number) { "in part: " } else { "" };
        let listed = |tests| format!("{part}{}", quoted(tests));
        self.proofs.get(number).map_or_else(|| "not yet".into(), listed)
    }
}

/// What follows a number of which not all is built yet.
const IN_PART: &str = " in part";

/// What stands right above a line: the numbers it proves and what its attributes say.
#[derive(Default)]
struct Above {
    numbers: Vec<String>,
    is_test: bool,
    /// The lines of the attributes.
    attributes: String,
    /// The brackets that the attributes have opened and not closed.
    brackets: usize,
}

impl Above {
    /// Reads the attributes that a line begins with, and returns what follows them.
    fn pass_attributes<'c>(&mut self, code: &'c str) -> &'c str {
        let mut rest = code;
        while !rest.is_empty() && (self.brackets > 0 || rest.starts_with("#[")) {
            let path = rest.strip_prefix("#[").and_then(|path| path.split(['(', ']']).next());
            self.is_test |= path.is_some_and(|path| path.rsplit("::").next() == Some("test"));
            let is_end = |letter| {
                match letter {
                    '[' => self.brackets += 1,
                    ']' => self.brackets -= 1,
                    _ => {}
                }
                self.brackets == 0 && letter == ']'
            };
            rest = rest.split_once(is_end).map_or("", |(_, after)| after.trim_start());
        }
        rest
    }
}

/// The conditions under which a test may stand: CI fulfils them all.
const FULFILLED: [&str; 8] = [
    "cfg(test)",
    "cfg(all(feature=\"client\",feature=\"host\",feature=\"server\"))",
    "cfg(feature=\"arbitrary\")",
    "cfg(feature=\"client\")",
    "cfg(feature=\"host\")",
    "cfg(feature=\"server\")",
    "cfg(feature=\"seal\")",
    "cfg(target_os=\"linux\")",
];

/// Returns why what attributes stand above may not be run.
fn not_run(attributes: &str) -> Option<&'static str> {
    let plain: String = attributes.chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut conditions = plain.split("[cfg(").skip(1);
    let is_fulfilled = |condition: &str| {
        let condition = condition.split(")]").next().unwrap_or_default();
        FULFILLED.contains(&format!("cfg({condition})").as_str())
    };
    if plain.contains("[ignore") {
        Some("is ignored")
    } else if plain.contains("[cfg_attr(") {
        // What it adds may be `ignore`.
        Some("has attributes under a condition")
    } else if !conditions.all(is_fulfilled) {
        Some("is configured away")
    } else {
        None
    }
}

/// Returns the numbers of a comment that says `proves:`.
fn proved(comment: &str) -> Vec<String> {
    let comment = comment.trim_start_matches('/').trim_start();
    let numbers = comment.strip_prefix("proves:").into_iter();
    numbers.flat_map(|numbers| numbers.split(',')).map(|number| number.trim().into()).collect()
}

/// Returns the name of the function that a line of code begins.
fn function(code: &str) -> Option<&str> {
    let (qualifiers, signature) = code.split_once("fn ")?;
    let known =
        |word: &str| matches!(word, "async" | "const" | "pub" | "pub(crate)" | "pub(super)");
    if !qualifiers.split_whitespace().all(known) {
        return None;
    }
    signature.split(['(', '<']).next()
}

/// A row of the page, split so that only its last cell may change.
struct Row<'p> {
    number: &'p str,
    before: &'p str,
    proved_by: &'p str,
}

impl<'p> Row<'p> {
    fn read(line: &'p str) -> Option<Self> {
        let (number, _) = line.strip_prefix("| ")?.split_once(" | ")?;
        let (letters, digits) = number.split_once('-')?;
        let is_number = !letters.is_empty()
            && letters.bytes().all(|byte| byte.is_ascii_uppercase())
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        let (before, proved_by) = line.strip_suffix(" |")?.rsplit_once(" | ")?;
        is_number.then_some(Self { number, before, proved_by })
    }
}

/// Lists everything in which the page disagrees with the tests.
fn disagreements(page: &str, traces: &Traces) -> Vec<String> {
    let mut found = traces.problems.clone();
    let mut known = BTreeSet::new();
    for Row { number, proved_by, .. } in page.lines().filter_map(Row::read) {
        if !known.insert(number) {
            found.push(format!("{number} stands on the page twice"));
        }
        let listed: BTreeSet<_> = proved_by.split('`').skip(1).step_by(2).collect();
        let proofs = traces.proofs.get(number).into_iter().flatten().map(String::as_str).collect();
        let before = found.len();
        for test in listed.difference(&proofs) {
            let is_there = traces.tests.contains(*test);
            let why = if is_there { "does not say so" } else { "does not exist" };
            found.push(format!("{number} lists {test}, which {why}"));
        }
        found.extend(
            proofs.difference(&listed).map(|test| format!("{number} does not list {test}")),
        );
        if found.len() == before && proved_by != traces.cell(number) {
            found.push(format!("{number} is written otherwise than `{}`", traces.cell(number)));
        }
    }
    for (number, tests) in &traces.proofs {
        if !known.contains(number.as_str()) {
            found
                .extend(tests.iter().map(|test| format!("{test} proves {number}: no such number")));
        }
    }
    found
}

/// Writes the page with what the tests prove.
fn rewritten(page: &str, traces: &Traces) -> String {
    let line = |line| match Row::read(line) {
        Some(Row { number, before, .. }) => format!("{before} | {} |\n", traces.cell(number)),
        None => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}

const UPDATE: &str = "UPDATE_GOLDEN=1 rewrites the page; a proof that is itself wrong stays.";

#[test]
fn every_requirement_lists_exactly_the_tests_that_prove_it() {
    let path = source::root().join("docs/REQUIREMENTS.md");
    let traces = Traces::of_repository();
    let mut page = fs::read_to_string(&path).unwrap();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        page = rewritten(&page, &traces);
        fs::write(&path, &page).unwrap();
    }
    assert!(page.lines().filter_map(Row::read).count() > 0, "the page has no requirements");
    let found = disagreements(&page, &traces).join("\n");
    assert!(found.is_empty(), "docs/REQUIREMENTS.md and the tests disagree:\n{found}\n{UPDATE}");
}

/// Lists the words that a library's code names outside its tests and must not.
fn named<'w>(text: &str, words: &[&'w str]) -> Vec<&'w str> {
    let code = Source::read(text).code_outside_tests();
    let found: BTreeSet<_> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    words.iter().copied().filter(|word| found.contains(word)).collect()
}

fn assert_absent(folder: &str, words: &[&str]) {
    let files = source::files_outside_tests(folder);
    assert!(!files.is_empty(), "{folder} has no source");
    for (path, text) in files {
        let found = named(&text, words);
        assert!(found.is_empty(), "{path} names {found:?}");
    }
}

#[test]
fn the_libraries_name_no_clock_socket_thread_randomness_or_unsafe_code() {
    // `std` alone covers `std::time`, `std::net`, `std::thread`, `std::fs` and `std::env`.
    let words =
        ["std", "SystemTime", "HashMap", "HashSet", "async", "unsafe", "tokio", "getrandom"];
    assert_absent("form-model/src", &words);
    assert_absent("mrtr-core/src", &words);
}

/// proves: FM-15
#[test]
fn the_form_model_knows_nothing_of_protocols_or_time() {
    let words = ["mrtr_core", "mcp", "jsonrpc", "http", "io", "Duration", "Instant"];
    assert_absent("form-model/src", &words);
}

const PAGE: &str = "# Page\n\n| no | requirement | proved by |\n|---|---|---|\n\
    | T-01 | a \\| b | `a.rs::holds` |\n| T-02 | c | not yet |\n";

const PROOF: &str = "/// proves: T-01\n#[test]\nfn holds() {}\n";

/// Lists the disagreements of the page with a file `a.rs`.
fn found(text: &str) -> Vec<String> {
    disagreements(PAGE, &traces(text))
}

fn traces(text: &str) -> Traces {
    let mut traces = Traces::default();
    traces.read("a.rs", text);
    traces
}

#[test]
fn a_page_agrees_that_lists_what_is_proved() {
    assert_eq!(found(PROOF), [""; 0]);
}

#[test]
fn a_requirement_that_is_proved_in_part_says_so() {
    let part = PROOF.replace("T-01", "T-01 in part");
    let cell = "T-01 is written otherwise than `in part: `a.rs::holds``";
    assert_eq!(found(&part), [cell]);
    let page = PAGE.replace("`a.rs::holds`", "in part: `a.rs::holds`");
    assert_eq!(disagreements(&page, &traces(&part)), [""; 0]);
    assert_eq!(disagreements(&page, &traces(PROOF)).len(), 1, "the whole is proved now");
}

#[test]
fn a_listed_test_that_does_not_exist_is_found() {
    let gone = ["T-01 lists a.rs::holds, which does not exist"];
    assert_eq!(found(""), gone);
    assert_eq!(found(&format!("/*\n{PROOF}*/")), gone, "it is commented out");
    assert_eq!(found(&format!("const TEXT: &str = r#\"\n{PROOF}\"#;")), gone, "it is a string");
}

#[test]
fn a_listed_test_that_does_not_say_so_is_found() {
    let silent = ["T-01 lists a.rs::holds, which does not say so"];
    assert_eq!(found("#[test]\nfn holds() {}"), silent);
}

#[test]
fn a_proving_test_that_is_not_listed_is_found() {
    let text = PROOF.replace("T-01", "T-01, T-02");
    assert_eq!(found(&text), ["T-02 does not list a.rs::holds"]);
}

#[test]
fn a_number_that_is_no_requirement_is_found() {
    let text = PROOF.replace("T-01", "T-01, T-1");
    assert_eq!(found(&text), ["a.rs::holds proves T-1: no such number"]);
}

#[test]
fn a_proof_that_stands_above_no_test_is_found() {
    let proof = "// proves: T-02";
    for below in ["fn helps() {}", "struct Case;", "#[cfg(test)]\nmod tests {}", "", "\n#[test]"] {
        let text = format!("{PROOF}{proof}\n{below}");
        assert_eq!(found(&text), ["a.rs: T-02 stands above no test"], "{text}");
    }
}

#[test]
fn a_test_that_is_ignored_or_configured_away_is_found() {
    for (above, why) in [
        ("#[ignore]", "is ignored"),
        ("#[ignore = \"slow\"]", "is ignored"),
        ("#[test] #[ignore]", "is ignored"),
        ("#[ignore\n]", "is ignored"),
        ("#[cfg(any())]", "is configured away"),
        ("#[cfg(feature = \"never\")]", "is configured away"),
        ("#[cfg(not(test))]", "is configured away"),
        ("#[cfg(\n    windows\n)]", "is configured away"),
        ("#[cfg(test)]\n#[cfg(windows)]", "is configured away"),
        ("#[cfg_attr(all(), ignore)]", "has attributes under a condition"),
    ] {
        let test = format!("/// proves: T-01\n{above}\n#[test]\nfn a() {{}}");
        let below = format!("/// proves: T-01\n#[test]\n{above}\nfn a() {{}}");
        let module = format!("{above}\nmod tests;");
        let inline = format!("{above}\nmod tests {{\n}}");
        for text in [test, below] {
            assert!(
                traces(&text).problems[0].contains(why),
                "{text}: {:?}",
                traces(&text).problems
            );
        }
        for text in [module, inline].into_iter().filter(|_| !above.contains("test]")) {
            assert!(traces(&text).problems[0].contains(why), "{text}");
        }
    }
    let of_file = "#![cfg(any())]\n\n/// proves: T-01\n#[test]\nfn a() {}";
    assert_eq!(traces(of_file).problems.len(), 1);
    for allowed in ["#[cfg(test)]", "#[cfg(feature = \"server\")]", "#[allow(dead_code)]"] {
        let text = format!("{allowed}\n/// proves: T-01\n#[test]\nfn a() {{}}");
        assert!(traces(&text).problems.is_empty(), "{allowed}");
    }
}

/// A file of tests that no module names is not compiled, and proves nothing.
#[test]
fn every_file_of_tests_is_in_a_module() {
    let files = source::files("");
    let codes: Vec<_> = files.iter().map(|(path, text)| (path, Source::read(text).code)).collect();
    let mut lost = Vec::new();
    for (path, _) in &files {
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let Some((_, inner)) = folder.split_once("/tests/") else { continue };
        let name = if name == "mod.rs" { inner } else { name.trim_end_matches(".rs") };
        let name = name.rsplit('/').next().unwrap();
        let declared = [format!("mod {name};"), format!("mod {name} {{")];
        let package = path.split("/tests/").next().unwrap();
        let mut of_package = codes.iter().filter(|(other, _)| other.starts_with(package));
        if name != "main"
            && !of_package.any(|(_, code)| declared.iter().any(|one| code.contains(one)))
        {
            lost.push(path);
        }
    }
    assert!(lost.is_empty(), "in no module: {lost:?}");
}

#[test]
fn a_part_of_a_script_is_a_test_where_it_always_runs() {
    let read = |script: &str| {
        let mut traces = Traces::default();
        traces.read_script("run", script);
        disagreements(&PAGE.replace("a.rs::holds", "run::a part"), &traces)
    };
    assert_eq!(read("# What it does.\n# proves: T-01\npart 'a part' ./program --flag"), [""; 0]);
    assert_eq!(read("# proves: T-01\nstep a part"), [""; 0]);
    let nothing =
        ["run: T-01 stands above no test", "T-01 lists run::a part, which does not exist"];
    for script in ["if all; then\n# proves: T-01\n    part 'a part' x\nfi", "# proves: T-01\n\n"] {
        assert_eq!(read(script), nothing, "{script}");
    }
}

#[test]
fn two_tests_of_one_name_are_found() {
    let text = format!("{PROOF}mod other {{\n#[test]\nfn holds() {{}}\n}}");
    assert_eq!(found(&text), ["a.rs::holds is the name of two tests"]);
}

#[test]
fn a_number_that_stands_on_the_page_twice_is_found() {
    let page = format!("{PAGE}| T-02 | c | not yet |\n");
    assert_eq!(disagreements(&page, &traces(PROOF)), ["T-02 stands on the page twice"]);
}

#[test]
fn a_cell_that_is_neither_a_list_nor_not_yet_is_found() {
    let page = PAGE.replace("not yet", "soon");
    assert_eq!(disagreements(&page, &traces(PROOF)), ["T-02 is written otherwise than `not yet`"]);
}

#[test]
fn a_proof_is_read_wherever_a_test_can_stand() {
    for text in [
        "// proves: T-01\n// and why.\n#[test]\nfn holds() {}",
        "#[test]\n// proves: T-01\nfn holds() {}",
        "/// proves: T-01\n#[tokio::test(start_paused = true)]\nasync fn holds() {}",
        "/// proves: T-01\n#[test]\n#[expect(\n    lint,\n    reason = \"[\"\n)]\nfn holds() {}",
        "proptest! {\n    /// proves: T-01\n    #[test] fn holds(x in 0..9) {}\n}",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn rewriting_changes_the_last_column_and_nothing_else() {
    let traces =
        traces("// proves: T-02\n#[test]\nfn b() {}\n\n// proves: T-02\n#[test]\nfn a() {}");
    let page = rewritten(PAGE, &traces);
    let expected = PAGE.replace("`a.rs::holds`", "NONE").replace("not yet", "`a.rs::a`, `a.rs::b`");
    assert_eq!(page, expected.replace("NONE", "not yet"));
    assert_eq!(disagreements(&page, &traces), [""; 0]);
    assert_eq!(rewritten(&page, &traces), page);
}

#[test]
fn a_word_counts_in_code_and_nowhere_else() {
    for text in [
        "use std::fs;",
        "fn f<'a>(x: &'a str) { let quote = '\"'; std::fs(x) } // \"",
        "#[cfg(test)]\nmod tests { const BRACE: char = '}'; }\nuse std::fs;",
        "/* \" */ use std::fs; /* \" */",
        r##"const TEXT: &str = r#"""#; use std::fs;"##,
    ] {
        assert_eq!(named(text, &["std", "fs", "net"]), ["std", "fs"], "{text}");
    }
    for text in [
        "//! `use std::fs;`\n#![no_std]",
        "/* /* */ std::fs */",
        r#"const TEXT: &str = "\" std::fs";"#,
        "#[cfg(test)]\nextern crate std;\n#[cfg(test)]\nmod tests { mod fs { } use std::fs; }",
    ] {
        assert_eq!(named(text, &["std", "fs", "net"]), [""; 0], "{text}");
    }
}
