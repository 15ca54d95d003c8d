//! The chain, started from a command line.

use std::process::{Command, Output, Stdio};

use mrtr_core::host::{RecordId, RecordKind};
use mrtr_examples::surface::WARNING;

use crate::servers::Folder;

/// Runs the command without a terminal.
fn chain(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chain"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn printed(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// proves: HB-13, FM-12
#[test]
fn answers_on_the_command_line_reach_the_server() {
    let accepted = ["--answer", "environment=staging", "--answer", "confirm=true"];
    for (args, expected) in [
        (&accepted[..], "deployed build-42 to staging"),
        (&["--decline"], "build-42 was not deployed: declined"),
        (&["--cancel"], "build-42 was not deployed: cancelled"),
    ] {
        let output = chain(args);
        let (out, err) = printed(&output);
        assert!(output.status.success(), "{err}");
        assert!(out.ends_with(&format!("\n{expected}\n")), "{out}");
        // The person sees who asks, and the warning about secrets.
        assert!(out.contains("the server deploy and its tool deploy: unverified"), "{out}");
        assert!(out.contains(WARNING), "{out}");
    }
}

#[test]
fn a_call_that_cannot_go_on_fails_and_says_why() {
    for (args, expected) in [
        (&["--answer", "environment=mars"][..], "Environment"),
        (&[], "answer"),
        (&["--decline", "--", "/nowhere/at/all"], "server"),
        (&["--decline", "--", "sh", "-c", "exit 3"], "failed: the connection was lost"),
        (&["--decline", "--tool", "other"], "failed: Unknown tool"),
        (&["--decline", "--args", "{"], "JSON"),
        (&["--decline", "--store", "/nowhere/at/all"], "store"),
    ] {
        let output = chain(args);
        let (_, err) = printed(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {err}");
        assert!(err.contains(expected), "{args:?}: {err}");
    }
}

/// proves: HB-14
#[test]
fn a_file_keeps_questions_and_answers() {
    let folder = Folder::new("command-line");
    let store = folder.file("journal");
    for lives in 1..=2 {
        let output = chain(&["--decline", "--store", store.to_str().unwrap()]);
        assert!(output.status.success(), "{}", printed(&output).1);
        let text = folder.text("journal");
        let records: Vec<_> = text.lines().map(|line| RecordId::decode(line).unwrap()).collect();
        let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
        assert_eq!(kinds, [RecordKind::Requested, RecordKind::Answered].repeat(lives));
    }
}
