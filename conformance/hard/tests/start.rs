//! A run that cannot start names what is missing, fails, and leaves no process running.

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

/// Expects a failed run, and returns its standard error.
fn refused(output: Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// The folder of one test. It is removed at the end.
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

/// Waits until a condition holds, at most 20 s.
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

/// Returns whether the process runs whose id a file holds. A zombie does not run.
fn runs(file: &str) -> bool {
    let id = fs::read_to_string(file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

#[test]
fn a_missing_peer_is_named_once() {
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
fn a_server_that_ends_at_once_is_reported_and_leaves_nothing_running() {
    let folder = Folder::new("ends");
    let file = folder.file("id");
    let script = format!("sleep 1000 & echo $! > {file}; echo 'module x is missing' >&2; exit 3");
    let said = refused(hard(&["server", "--command", "sh", "-c", &script]));
    assert!(
        said.contains("did not print where it listens: exit status: 3\nmodule x is missing"),
        "{said}"
    );
    assert!(comes(|| !runs(&file)));
}

#[test]
fn a_run_that_gets_a_signal_ends_its_processes() {
    let folder = Folder::new("told");
    let file = folder.file("id");
    // The listener accepts connections and never answers.
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
fn a_url_without_a_listener_is_named() {
    // The port is closed again at once.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/mcp");
    let said = refused(hard(&["server", "--url", &url]));
    assert!(said.starts_with(&format!("nobody listens at {url}: ")), "{said}");
}

/// Returns the path of a program.
fn program(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file()).unwrap()
}

#[test]
fn the_scripts_report_that_node_is_missing() {
    let folder = Folder::new("node");
    for name in ["bash", "dirname", "cargo"] {
        symlink(program(name), folder.0.join(name)).unwrap();
    }
    // The program in PATH may be a wrapper script.
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
