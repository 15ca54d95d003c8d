//! A peer: its running server, and what the peer does not offer.

use core::time::Duration;
use std::{
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
};

use super::flow::Flow;
use crate::{
    client::{Json, Probe, kill, probe},
    server::{ServerProcess, spawn},
};

/// The time limit of the first answer of a server over stdio.
const START_MAX: Duration = Duration::from_secs(60);

/// A peer. Its server runs until this is dropped.
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) command: Vec<String>,
    server: ServerProcess,
    limits: PeerLimits,
    /// The capabilities that its client declares over HTTP when it is told to claim everything.
    claims: Option<Json>,
    /// Whether its client can claim forms without URLs.
    claims_form_alone: bool,
    pub(super) has_stdio_client: bool,
    pub(super) has_stdio_server: bool,
}

impl Peer {
    /// Starts the server of a peer, and finds out what the peer offers.
    ///
    /// # Errors
    ///
    /// Fails if the text is not `NAME=COMMAND`, or the server does not start.
    pub(super) fn start(text: &str, limits: &Path) -> io::Result<Self> {
        let (name, command) = text.split_once('=').ok_or(io::ErrorKind::InvalidInput)?;
        let command: Vec<String> = command.split_whitespace().map(String::from).collect();
        let server = ServerProcess::serve(&command, &[])?;
        let Probe { claims, claims_of_form, has_stdio } = probe(&command);
        let claims_url = |claims: &Json| claims.at(&["elicitation", "url"]).is_some();
        Ok(Self {
            name: name.into(),
            limits: PeerLimits::read(&limits.join(name).join("LIMITS.md")),
            has_stdio_server: serves_stdio(&command),
            has_stdio_client: has_stdio,
            claims_form_alone: !claims_of_form.as_ref().is_some_and(claims_url),
            claims,
            server,
            command,
        })
    }

    /// Returns the URL of its server.
    pub(super) fn url(&self) -> &str {
        &self.server.url
    }

    /// Returns why its client cannot make the claims of a flow.
    pub(super) fn cannot_claim(&self, flow: &Flow) -> Option<String> {
        if flow.id == "url-unclaimed" && !self.claims_form_alone {
            return Some("its client claims URLs whenever it claims forms".into());
        }
        let claims = flow.claims.split(',').filter(|claim| *claim != "none");
        let missing = claims.into_iter().find(|claim| {
            let path: Vec<&str> = match *claim {
                "form" => vec!["elicitation"],
                "url" => vec!["elicitation", "url"],
                other => other.split('.').collect(),
            };
            self.claims.as_ref().is_some_and(|claims| claims.at(&path).is_none())
        });
        missing.map(|claim| format!("its client declares no {claim}"))
    }

    /// Returns the row of LIMITS.md about a flow, for the part `client` or `server`.
    pub(super) fn limit(&self, flow: &Flow, part: &str) -> Option<&str> {
        self.limits.of(flow, part)
    }
}

/// The limits of a peer: the first cell of each row of its LIMITS.md.
struct PeerLimits(Vec<String>);

impl PeerLimits {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let first_cell =
            |line: &str| Some(line.strip_prefix('|')?.split('|').next()?.trim().into());
        Self(text.lines().filter_map(first_cell).collect())
    }

    /// Returns the row about a flow, unless it is about the other part.
    fn of(&self, flow: &Flow, part: &str) -> Option<&str> {
        let limit = flow.limit?;
        let is_it = |row: &&String| {
            row.strip_prefix(limit)
                .is_some_and(|rest| !rest.contains("on the ") || rest.ends_with(part))
        };
        self.0.iter().find(is_it).map(String::as_str)
    }
}

/// Returns whether a command with `serve --stdio` answers on its standard output.
fn serves_stdio(command: &[String]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return false };
    let mut started = Command::new(program);
    started.args(arguments).args(["serve", "--stdio"]);
    started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = spawn(&mut started) else { return false };
    let (sender, answer) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).ok();
            sender.send(Json::parse(line.as_bytes()).is_ok()).ok();
        });
    }
    if let Some(stdin) = &mut child.stdin {
        stdin.write_all(DISCOVER.as_bytes()).ok();
        stdin.flush().ok();
    }
    let answers = answer.recv_timeout(START_MAX).unwrap_or(false);
    kill(&mut child);
    answers
}

const DISCOVER: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"1","method":"server/discover","params":{"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"matrix","version":"1.0.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    "\n"
);
