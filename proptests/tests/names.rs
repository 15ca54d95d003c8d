//! The names of the protocol are spelled in one folder, so that each can be changed in one file.

#![allow(clippy::unwrap_used, reason = "this is a test")]

#[allow(dead_code, reason = "other tests use the rest")]
mod source;

use source::Source;

/// Where the names of the protocol are spelled.
const WIRE: &str = "mrtr-core/src/wire/";

/// Names that stand for nothing else: no string holds one of them.
const RESERVED: [&str; 8] = [
    "elicitation/create",
    "sampling/createMessage",
    "roots/list",
    "io.modelcontextprotocol/",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Param-",
];

/// Names that words for people may hold: no string is one of them, or holds one as a JSON string.
const MEMBERS: [&str; 7] = [
    "inputRequests",
    "inputResponses",
    "requestState",
    "resultType",
    "input_required",
    "requestedSchema",
    "clientCapabilities",
];

/// Lists the names that a source spells outside of its tests, each with its line.
fn spelled(text: &str) -> Vec<(usize, &'static str)> {
    let source = Source::read(text);
    let mut found = Vec::new();
    for (line, literal) in source.literals_outside_tests() {
        let text = literal.strip_prefix('r').unwrap_or(literal).trim_matches('#');
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = text.unwrap_or_default().replace("\\\"", "\"");
        let reserved = RESERVED.into_iter().filter(|name| text.contains(name));
        let is_member = |name: &&str| text == **name || text.contains(&format!("\"{name}\""));
        let members = MEMBERS.into_iter().filter(is_member);
        found.extend(reserved.chain(members).map(|name| (line, name)));
    }
    found
}

#[test]
fn protocol_names_are_spelled_in_the_wire_module_alone() {
    let files = source::files_outside_tests("mrtr-core/src");
    let (wire, others): (Vec<_>, Vec<_>) =
        files.iter().partition(|(path, _)| path.starts_with(WIRE));
    let mut elsewhere = Vec::new();
    for (path, text) in others {
        let spelled = spelled(text).into_iter();
        elsewhere.extend(spelled.map(|(line, name)| format!("{path}:{line} spells {name}")));
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
    // Names that nobody spells are not checked.
    let found: Vec<_> = wire.iter().flat_map(|(_, text)| spelled(text)).collect();
    for name in RESERVED.into_iter().chain(MEMBERS) {
        assert!(found.iter().any(|(_, found)| *found == name), "{name} is spelled nowhere");
    }
}

#[test]
fn a_name_counts_in_a_string_outside_of_tests_and_comments() {
    for (text, name) in [
        (r#"const NAME: &str = "requestState";"#, "requestState"),
        (r##"f(r#"{"requestState":"s"}"#)"##, "requestState"),
        (r#"f("{\"resultType\":1}")"#, "resultType"),
        (r#"f("Mcp-Param-Region")"#, "Mcp-Param-"),
        ("#[cfg(test)]\nmod tests { }\nconst A: &str = \"roots/list\";", "roots/list"),
    ] {
        let found: Vec<_> = spelled(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, [name], "{text}");
    }
    for text in [
        r#"f("Invalid requestState")"#,
        r#"// "requestState""#,
        r#"/// f(r"roots/list")"#,
        "#[cfg(test)]\nmod tests { const A: &str = \"\n roots/list\n\"; }",
    ] {
        assert_eq!(spelled(text), [], "{text}");
    }
}
