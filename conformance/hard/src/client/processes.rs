//! Processes of clients, with all that they start: how much memory they hold, and their end.

use std::{
    env, fs, io,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::server::{not_started, unwatch};

/// Expects the program of a command to be there, before each check finds out that it is not.
///
/// # Errors
///
/// A program that is not to be found.
pub(crate) fn expect_program(command: &[String]) -> io::Result<()> {
    let program = command.first().ok_or(io::ErrorKind::InvalidInput)?;
    let is_there = if program.contains('/') {
        Path::new(program).is_file()
    } else {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    if is_there { Ok(()) } else { Err(not_started(program, &io::ErrorKind::NotFound.into())) }
}

/// Ends a command and what it started.
pub(crate) fn kill(child: &mut Child) {
    // The standard library ends one process, not a group.
    let group = format!("-{}", child.id());
    let mut kill = Command::new("kill");
    kill.args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null());
    kill.status().ok();
    child.kill().ok();
    child.wait().ok();
    unwatch(child.id());
}

/// Returns the most memory that a process, or one that it started, has held so far.
pub(crate) fn peak_kib(process: u32) -> u64 {
    let own = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let own = own.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let own = own.and_then(|text| text.trim().split(' ').next()?.parse().ok()).unwrap_or(0);
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.map(peak_kib).fold(own, u64::max)
}
