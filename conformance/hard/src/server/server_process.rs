//! Processes that this program starts, and always stops.

use core::time::Duration;
use std::{
    collections::BTreeSet,
    io::{self, BufRead as _, BufReader, Read},
    os::unix::process::CommandExt as _,
    process::{self, Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::Instant,
};

/// The time limit of a server's start. Some servers are compiled first.
const START_MAX: Duration = Duration::from_secs(60);
/// The pause between two looks at a process.
const POLL: Duration = Duration::from_millis(100);
/// The size of the standard error that is kept.
const STDERR_BYTES_MAX: usize = 4096;
/// The time limit of a server's end after SIGTERM.
const STOP_MAX: Duration = Duration::from_secs(3);

/// The running processes. Each leads its process group.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A process that listens. It is stopped when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    /// The URL of the server.
    pub(crate) url: String,
}

impl ServerProcess {
    /// Starts `COMMAND serve --port 0` with more options, and waits for the line with its URL.
    ///
    /// # Errors
    ///
    /// Fails if the command cannot be started, or does not print its URL in time.
    pub(crate) fn serve(command: &[String], options: &[&str]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut started = Command::new(program);
        started.args(arguments).args(["serve", "--port", "0"]).args(options);
        // The server ends with its input, so also if this program is killed.
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut started).map_err(|error| not_started(program, &error))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let mut started = Self { child, url: String::new() };
        let stderr = StderrTail::hear(stderr.ok_or(io::ErrorKind::BrokenPipe)?);
        let url = listening(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        if let Some(url) = started.wait_for(&url) {
            started.url = url;
            return Ok(started);
        }
        let how = started.describe();
        drop(started);
        let (command, said) = (command.join(" "), stderr.last());
        let why = format!("`{command} serve` did not print where it listens: {how}{said}");
        Err(io::Error::other(why))
    }

    /// Waits for the URL. Returns `None` if the process ended or took too long.
    fn wait_for(&mut self, url: &Receiver<String>) -> Option<String> {
        let deadline = Instant::now() + START_MAX;
        loop {
            match url.recv_timeout(POLL) {
                Ok(url) => return Some(url),
                // A child of the ended process may hold its output open.
                Err(RecvTimeoutError::Timeout)
                    if Instant::now() < deadline && !self.has_ended() => {}
                Err(_) => return None,
            }
        }
    }

    /// Describes whether the process runs or how it ended.
    fn describe(&mut self) -> String {
        // The output may close a moment before the process ends.
        thread::sleep(POLL);
        match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => format!("it runs, and {} s were not enough", START_MAX.as_secs()),
            Err(error) => error.to_string(),
        }
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        signal("-TERM", self.child.id());
        let deadline = Instant::now() + STOP_MAX;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        // This ends the processes of its group that did not end with it.
        signal("-KILL", self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        forget_process(self.child.id());
    }
}

/// Reads the output of a server, and passes on its URL.
fn listening(stdout: impl Read + Send + 'static) -> Receiver<String> {
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
        // A full pipe would block the server.
        drop(listens);
        let mut rest = [0; 4096];
        while stdout.read(&mut rest).is_ok_and(|count| count > 0) {}
    });
    url
}

/// Makes the error of a program that cannot be started.
pub(crate) fn not_started(program: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{program}` cannot be started: {error}"))
}

/// The end of a server's standard error. All of it would fill screens, because a server reports each
/// hostile request.
struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl StderrTail {
    fn hear(mut from: impl Read + Send + 'static) -> Self {
        let last = Arc::new(Mutex::new(Vec::new()));
        let kept = last.clone();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
                let over = kept.len().saturating_sub(STDERR_BYTES_MAX);
                kept.drain(..over);
            }
        });
        Self(last)
    }

    /// Returns the text on a new line, or nothing.
    fn last(&self) -> String {
        // The last lines may not have been read yet.
        thread::sleep(POLL);
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match String::from_utf8_lossy(&last).trim() {
            "" => String::new(),
            last => format!("\n{last}"),
        }
    }
}

/// Starts a command in its own process group, so that its children end with it, also when this program
/// gets a signal.
///
/// # Errors
///
/// Fails if the command cannot be started.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    // The lock is held until the process is listed. So a signal cannot miss it.
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.process_group(0).spawn()?;
    running.insert(child.id());
    Ok(child)
}

/// Removes an ended process from the list.
pub(crate) fn forget_process(leader: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
}

/// Stops all processes when this program gets SIGINT or SIGTERM. This holds once the function has
/// returned.
pub(crate) fn stop_on_signal() {
    use tokio::signal::unix::{SignalKind, signal as on};
    let (listening, listens) = mpsc::channel();
    let wait = async move {
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (on(SignalKind::interrupt()), on(SignalKind::terminate()))
        else {
            return;
        };
        let _ = listening.send(());
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        // No process starts while the lock is held.
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        for leader in running.iter() {
            signal("-KILL", *leader);
        }
        process::exit(130);
    };
    thread::spawn(|| {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(wait);
        }
    });
    // An error means that signals have their default effect.
    let _ = listens.recv();
}

/// Sends a signal to the group that a process leads.
fn signal(name: &str, leader: u32) {
    let group = format!("-{leader}");
    let _ = Command::new("kill").args([name, "--", &group]).stderr(Stdio::null()).status();
}
