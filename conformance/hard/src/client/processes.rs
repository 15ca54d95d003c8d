//! The processes of a client and their children: their memory, and how to end them.

use std::{
    env, fs, io,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::server::{forget_process, not_started};

/// Expects that the program of a command exists, so that a missing one is reported once.
///
/// # Errors
///
/// Fails if the program cannot be found.
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

/// Ends a command and its children.
pub(crate) fn kill(child: &mut Child) {
    // The standard library ends one process, not a group.
    let group = format!("-{}", child.id());
    let mut kill = Command::new("kill");
    kill.args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null());
    kill.status().ok();
    child.kill().ok();
    child.wait().ok();
    forget_process(child.id());
}

/// Returns the peak memory of a process or of one of its children.
pub(crate) fn peak_kib(process: u32) -> u64 {
    let own = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let own = own.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let own = own.and_then(|text| text.trim().split(' ').next()?.parse().ok()).unwrap_or(0);
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.map(peak_kib).fold(own, u64::max)
}
