//! What cannot start says what is missing, ends with a failure, and leaves nothing running.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use core::time::Duration;
use std::{
    env, fs,
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::Instant,
};

fn hard(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hard")).args(arguments).output().unwrap()
}

/// Returns what a run said that had to fail.
fn refused(output: Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// A folder of one test, which is removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = env::temp_dir().join(format!("hard-{}-{test}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Waits until something is so, but not for ever.
fn comes(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Returns whether the process runs whose id a file holds. One that nobody has waited for does not.
fn runs(file: &str) -> bool {
    let id = fs::read_to_string(file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

#[test]
fn a_peer_that_is_not_there_is_named_once() {
    let expected = "`/no/such/program` cannot be started: ";
    for part in [
        ["server", "--command", "/no/such/program"],
        ["client", "--command", "/no/such/program"],
        ["matrix", "--peer", "x=/no/such/program"],
    ] {
        let output = hard(&part);
        assert_eq!(output.stdout, b"", "{part:?}");
        let said = refused(output);
        assert!(said.starts_with(expected) && said.lines().count() == 1, "{part:?}: {said}");
    }
}

#[test]
fn a_server_that_ends_at_once_says_why_and_leaves_nothing_running() {
    let folder = Folder::new("ends");
    let file = folder.file("id");
    let script = format!("sleep 1000 & echo $! > {file}; echo 'module x is missing' >&2; exit 3");
    let said = refused(hard(&["server", "--command", "sh", "-c", &script]));
    assert!(
        said.contains("did not say where it listens: exit status: 3\nmodule x is missing"),
        "{said}"
    );
    assert!(comes(|| !runs(&file)));
}

#[test]
fn a_run_that_is_told_to_end_ends_what_it_started() {
    let folder = Folder::new("told");
    let file = folder.file("id");
    // It takes connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let script = format!("sleep 1000 & echo $! > {file}; echo listening {url}; wait");
    let mut run = Command::new(env!("CARGO_BIN_EXE_hard"))
        .args(["server", "--command", "sh", "-c", &script])
        .spawn()
        .unwrap();
    assert!(comes(|| fs::read_to_string(&file).is_ok_and(|id| id.ends_with('\n'))));
    assert!(runs(&file));
    let kill = Command::new("kill").arg(run.id().to_string()).status().unwrap();
    assert!(kill.success() && !run.wait().unwrap().success());
    assert!(comes(|| !runs(&file)));
}

#[test]
fn a_url_where_nobody_listens_is_named() {
    // It is closed again.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/mcp");
    let said = refused(hard(&["server", "--url", &url]));
    assert!(said.starts_with(&format!("nobody listens at {url}: ")), "{said}");
}

/// Returns a program of this machine.
fn program(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file()).unwrap()
}

#[test]
fn the_scripts_say_that_node_is_missing() {
    let folder = Folder::new("node");
    for name in ["bash", "dirname", "cargo"] {
        symlink(program(name), folder.0.join(name)).unwrap();
    }
    // What stands in the path may be a script that finds it.
    let mut python = Command::new("python3");
    let python = python.args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (program, script) in [(&*folder.file("bash"), "run"), (python.trim(), "suite")] {
        let mut command = Command::new(program);
        let output = command.arg(conformance.join(script)).env("PATH", &folder.0).output().unwrap();
        let said = refused(output);
        assert_eq!(said.trim(), "node is missing: install Node 20 or newer", "{script}");
    }
}
