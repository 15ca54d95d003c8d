//! A server that this program starts, and stops whatever happens.

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

/// How long a server may take until it listens. Some are compiled first.
const START_MAX: Duration = Duration::from_secs(60);
/// How often to look whether it has ended.
const POLL: Duration = Duration::from_millis(100);
/// The bytes that are kept of what it complains of.
const COMPLAINT_BYTES_MAX: usize = 4096;
/// How long a server may take to end when it is asked to.
const STOP_MAX: Duration = Duration::from_secs(3);

/// The processes that run, each the leader of its group.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A process that listens. It stops when this is dropped.
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
    /// A command that cannot be run, or does not say in time that it listens.
    pub(crate) fn serve(command: &[String], options: &[&str]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut started = Command::new(program);
        started.args(arguments).args(["serve", "--port", "0"]).args(options);
        // It ends with its input, should this program be killed.
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut started).map_err(|error| not_started(program, &error))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let mut started = Self { child, url: String::new() };
        let complaints = Complaints::hear(stderr.ok_or(io::ErrorKind::BrokenPipe)?);
        let url = listening(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        if let Some(url) = started.wait_for(&url) {
            started.url = url;
            return Ok(started);
        }
        let how = started.how_it_is();
        drop(started);
        let (command, said) = (command.join(" "), complaints.last());
        let why = format!("`{command} serve` did not say where it listens: {how}{said}");
        Err(io::Error::other(why))
    }

    /// Waits for the line that says where it listens. `None`: it ended, or took too long.
    fn wait_for(&mut self, url: &Receiver<String>) -> Option<String> {
        let deadline = Instant::now() + START_MAX;
        loop {
            match url.recv_timeout(POLL) {
                Ok(url) => return Some(url),
                // What it started may hold its output open when it has ended.
                Err(RecvTimeoutError::Timeout)
                    if Instant::now() < deadline && !self.has_ended() => {}
                Err(_) => return None,
            }
        }
    }

    /// Returns whether it runs or how it ended.
    fn how_it_is(&mut self) -> String {
        // Its output may close a moment before it has ended.
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

/// Reads the output of a server, and hands over where it says that it listens.
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
        // A pipe that nobody reads would stop it.
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

/// The last of what a server writes to its standard error. What it reports of hostile requests
/// would fill screens.
struct Complaints(Arc<Mutex<Vec<u8>>>);

impl Complaints {
    fn hear(mut from: impl Read + Send + 'static) -> Self {
        let last = Arc::new(Mutex::new(Vec::new()));
        let kept = last.clone();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
                let over = kept.len().saturating_sub(COMPLAINT_BYTES_MAX);
                kept.drain(..over);
            }
        });
        Self(last)
    }

    /// Returns it, if there is any.
    fn last(&self) -> String {
        // What was just written may not have been read yet.
        thread::sleep(POLL);
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match String::from_utf8_lossy(&last).trim() {
            "" => String::new(),
            last => format!("\n{last}"),
        }
    }
}

/// Starts a command in a group of its own, and counts that among what runs: what it starts itself
/// ends with it, also when this program is told to end.
///
/// # Errors
///
/// A command that cannot be started.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    // Held until it is counted: whoever ends what runs waits for it, or it is never started.
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.process_group(0).spawn()?;
    running.insert(child.id());
    Ok(child)
}

/// Counts it no more.
pub(crate) fn unwatch(leader: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
}

/// Stops what runs when this program is told to end, from when this returns.
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
        // Nothing more is started while this is held.
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
    // An error says that it cannot listen: the program is told to end as any other.
    let _ = listens.recv();
}

/// Sends a signal to the group that a process leads.
fn signal(name: &str, leader: u32) {
    let group = format!("-{leader}");
    let _ = Command::new("kill").args([name, "--", &group]).stderr(Stdio::null()).status();
}
