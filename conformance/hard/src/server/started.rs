//! A server that this program starts, and stops whatever happens.

use core::time::Duration;
use std::{
    collections::BTreeSet,
    io::{self, BufRead as _, BufReader, Read as _},
    os::unix::process::CommandExt as _,
    process::{self, Child, Command, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Instant,
};

/// How long a server may take until it listens. Some are compiled first.
const START_MAX: Duration = Duration::from_secs(60);
/// How long a server may take to end when it is asked to.
const STOP_MAX: Duration = Duration::from_secs(3);

/// The processes that run, each the leader of its group.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Is a process that listens. It stops when this is dropped.
pub(crate) struct Started {
    child: Child,
    /// Where it listens.
    pub(crate) url: String,
}

impl Started {
    /// Starts `COMMAND serve --port 0` with more options, and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// A command that can not be run, or does not say in time that it listens.
    pub(crate) fn serve(command: &[String], options: &[&str]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(arguments)
            .args(["serve", "--port", "0"])
            .args(options)
            // It ends with its input, should this program be killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What it reports of hostile requests fills screens.
            .stderr(Stdio::null())
            // What it starts itself stops with it.
            .process_group(0)
            .spawn()?;
        watch(child.id());
        let stdout = child.stdout.take();
        let mut started = Self { child, url: String::new() };
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        let (listens, url) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = String::new();
            while stdout.read_line(&mut line).is_ok_and(|count| count > 0) {
                if let Some(url) = line.trim().strip_prefix("listening ") {
                    let _ = listens.send(String::from(url));
                    break;
                }
                line.clear();
            }
            // A pipe that nobody reads would stop it.
            drop(listens);
            let mut rest = [0; 4096];
            while stdout.read(&mut rest).is_ok_and(|count| count > 0) {}
        });
        started.url = url.recv_timeout(START_MAX).map_err(|_| {
            let said = format!("{} did not say that it listens; run it by hand", command.join(" "));
            io::Error::new(io::ErrorKind::TimedOut, said)
        })?;
        Ok(started)
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        signal("-TERM", self.child.id());
        let deadline = Instant::now() + STOP_MAX;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        // Those of its group that did not end with it.
        signal("-KILL", self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        unwatch(self.child.id());
    }
}

/// Counts the group of a process among what runs.
pub(crate) fn watch(leader: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
}

/// Counts it no more.
pub(crate) fn unwatch(leader: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
}

/// Stops what runs when this program is told to end.
pub(crate) fn stop_on_signal() {
    use tokio::signal::unix::{SignalKind, signal as on};
    let wait = async {
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (on(SignalKind::interrupt()), on(SignalKind::terminate()))
        else {
            return;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        for leader in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            signal("-KILL", *leader);
        }
        process::exit(130);
    };
    thread::spawn(|| {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(wait);
        }
    });
}

/// Sends a signal to the group that a process leads.
fn signal(name: &str, leader: u32) {
    let group = format!("-{leader}");
    let _ = Command::new("kill").args([name, "--", &group]).stderr(Stdio::null()).status();
}
