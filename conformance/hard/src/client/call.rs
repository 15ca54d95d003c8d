//! A call of a client's program: its options, and its exit.

use core::time::Duration;
use std::{
    io::{self, Read},
    process::{self, Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::{json::Json, processes};
use crate::server::spawn;

/// The size limit of a client's output. More is dropped.
const PRINTED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The options of a call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) claims: &'static str,
    /// The answers, as JSON. With `None`, the client cancels.
    pub(crate) answers: Option<String>,
    pub(crate) timeout_ms: Option<u32>,
    pub(crate) rounds: Option<u32>,
    /// Whether the server is reached over stdio.
    pub(crate) is_stdio: bool,
    /// The time limit of the program, with its start.
    pub(crate) patience: Duration,
}

/// Makes a call of a tool.
pub(crate) fn call(name: &str) -> Call {
    Call {
        method: "tools/call",
        name: name.into(),
        arguments: "{}".into(),
        claims: "form,url",
        answers: None,
        timeout_ms: None,
        rounds: None,
        is_stdio: false,
        patience: Duration::from_secs(40),
    }
}

impl Call {
    /// Sets another method.
    pub(crate) fn by(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    pub(crate) fn arguments(self, json: &str) -> Self {
        Self { arguments: json.into(), ..self }
    }

    pub(crate) fn claims(self, claims: &'static str) -> Self {
        Self { claims, ..self }
    }

    /// Answers every question with one result.
    pub(crate) fn answers_all(self, result: &str) -> Self {
        self.answers(&format!(r#"{{"*":{result}}}"#))
    }

    pub(crate) fn answers(self, json: &str) -> Self {
        Self { answers: Some(json.into()), ..self }
    }

    pub(crate) fn timeout_ms(self, millis: u32) -> Self {
        Self { timeout_ms: Some(millis), ..self }
    }

    pub(crate) fn rounds(self, rounds: u32) -> Self {
        Self { rounds: Some(rounds), ..self }
    }

    pub(crate) fn over_stdio(self) -> Self {
        Self { is_stdio: true, ..self }
    }

    pub(crate) fn patience(self, seconds: u64) -> Self {
        Self { patience: Duration::from_secs(seconds), ..self }
    }

    fn options(&self) -> Vec<String> {
        let mut options = Vec::<String>::new();
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                options.extend([option.into(), value]);
            }
        };
        add("--name", Some(self.name.clone()));
        // Options at the defaults of the contract are left out.
        add("--method", Some(self.method.into()).filter(|method| method != "tools/call"));
        add("--arguments", Some(self.arguments.clone()).filter(|arguments| arguments != "{}"));
        add("--claims", Some(self.claims.into()));
        add("--answers", self.answers.clone());
        add("--timeout-ms", self.timeout_ms.map(|millis| millis.to_string()));
        add("--rounds", self.rounds.map(|rounds| rounds.to_string()));
        options
    }

    /// Returns the command line for a person.
    pub(crate) fn shown(&self) -> String {
        let server = if self.is_stdio { "--stdio -- SERVER" } else { "URL" };
        format!("call {server} {}", self.options().join(" "))
    }
}

/// How a client's program ended.
#[derive(Clone, Debug)]
pub(crate) struct ProgramExit {
    /// The exit code. `None` if a signal ended the program.
    pub(crate) code: Option<i32>,
    /// Whether the time limit ended it.
    pub(crate) was_stopped: bool,
    pub(crate) at: Instant,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The peak memory of one of its processes.
    pub(crate) peak_kib: u64,
}

impl ProgramExit {
    /// Returns the last line of its output.
    pub(crate) fn last_line(&self) -> &str {
        self.stdout.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default()
    }

    /// Returns the outcome that it printed.
    pub(crate) fn outcome(&self) -> Option<Json> {
        let line = Json::parse(self.last_line().as_bytes()).ok()?;
        line.get("outcome").is_some().then_some(line)
    }
}

/// Runs a client's `call` against a URL, or against a command that is a server over stdio.
///
/// # Errors
///
/// Fails if the command cannot be started.
pub(crate) fn run(command: &[String], call: &Call, server: &Server<'_>) -> io::Result<ProgramExit> {
    let (program, rest) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut started = Command::new(program);
    started.args(rest).arg("call");
    match server {
        Server::Url(url) => started.arg(url).args(call.options()),
        Server::Command(server) => {
            started.args(call.options()).args(["--stdio", "--"]).args(server.iter())
        }
    };
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(&mut started)?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let waited = wait(&mut child, call.patience);
    let (code, was_stopped, peak_kib) = waited;
    let at = Instant::now();
    // A child that outlives the program would hold the pipes open.
    processes::kill(&mut child);
    let printed = |from: mpsc::Receiver<String>| {
        from.recv_timeout(Duration::from_secs(5)).unwrap_or_default()
    };
    let (stdout, stderr) = (printed(stdout), printed(stderr));
    Ok(ProgramExit { code, was_stopped, at, stdout, stderr, peak_kib })
}

/// The server that a client calls.
pub(crate) enum Server<'a> {
    Url(&'a str),
    Command(&'a [String]),
}

/// Returns the command of a server over stdio that relays to an address.
pub(crate) fn relay(address: &str) -> Vec<String> {
    // This path is valid even if the file of the program was replaced.
    let program = format!("/proc/{}/exe", process::id());
    vec![program, "relay".into(), address.into()]
}

fn wait(child: &mut Child, patience: Duration) -> (Option<i32>, bool, u64) {
    let deadline = Instant::now() + patience;
    let mut peak_kib = 0;
    loop {
        peak_kib = peak_kib.max(processes::peak_kib(child.id()));
        match child.try_wait() {
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            Ok(Some(status)) => return (status.code(), false, peak_kib),
            Ok(None) | Err(_) => return (None, true, peak_kib),
        }
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut pipe) = pipe {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                let room = PRINTED_BYTES_MAX.saturating_sub(kept.len());
                kept.extend_from_slice(buffer.get(..length.min(room)).unwrap_or_default());
            }
        }
        sender.send(String::from_utf8_lossy(&kept).into()).ok();
    });
    receiver
}
