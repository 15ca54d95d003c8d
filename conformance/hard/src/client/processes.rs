//! Processes of clients, with all that they start: how much memory they hold, and their end.

use std::{
    fs, io,
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
};

use crate::server::{unwatch, watch};

/// Starts a command in a group of its own, so that all of it can be ended, also when this program
/// is told to end.
///
/// # Errors
///
/// A command that can not be started.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    let child = command.process_group(0).spawn()?;
    watch(child.id());
    Ok(child)
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
