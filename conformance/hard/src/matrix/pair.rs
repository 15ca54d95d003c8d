//! One flow of one client with one server.

use core::fmt;

use serde::Serialize;

use super::{flow::Flow, peer::Peer};
use crate::{
    check::{Verdict, cut},
    client::{Call, Json, ProgramExit, Server, call, run_call},
};

/// The budget of one request. The first one contains the start of a server over stdio, which takes many
/// seconds on a busy machine. No flow waits for the end of a budget.
const BUDGET_MS: u32 = 60_000;
/// The time limit of a call.
const PATIENCE_SECS: u64 = 150;

/// The connection of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Transport {
    Http,
    Stdio,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Stdio => "stdio",
        })
    }
}

/// Plays a flow and judges how it ended.
pub(super) fn play(transport: Transport, client: &Peer, server: &Peer, flow: &Flow) -> Verdict {
    let not_offered = |peer: &Peer, why: String| Verdict::NotOffered {
        why: format!("{}: {}", peer.name, cut(&why, 200)),
    };
    if transport == Transport::Stdio {
        if !client.has_stdio_client {
            return not_offered(client, "its client starts no server over stdio".into());
        }
        if !server.has_stdio_server {
            return not_offered(server, "its server does not speak over stdio".into());
        }
    }
    if let Some(why) = client.cannot_claim(flow) {
        return not_offered(client, why);
    }
    let mut call: Call = call(flow.fixture).by(flow.method).claims(flow.claims);
    call = call.timeout_ms(BUDGET_MS).patience(PATIENCE_SECS);
    if !flow.answers.is_empty() {
        call = call.answers(flow.answers);
    }
    let serve: Vec<String> =
        server.command.iter().cloned().chain(["serve", "--stdio"].map(String::from)).collect();
    let at = match transport {
        Transport::Http => Server::Url(server.url()),
        Transport::Stdio => Server::Command(&serve),
    };
    let ended = match run_call(&client.command, &call, &at) {
        Ok(ended) => ended,
        Err(error) => return failed(&call, error.to_string()),
    };
    if let Some(passed) = judge(&call, flow, &ended) {
        return passed;
    }
    if lacks_fixture(flow, &ended) {
        return not_offered(server, format!("its server has no {}", flow.fixture));
    }
    // A failure that LIMITS.md describes is not offered.
    for (peer, part) in [(server, "server"), (client, "client")] {
        if let Some(limit) = peer.limit(flow, part) {
            return not_offered(peer, format!("its {part} does not do: {limit}"));
        }
    }
    failed(&call, came_back(&ended))
}

fn judge(call: &Call, flow: &Flow, ended: &ProgramExit) -> Option<Verdict> {
    let outcome = ended.outcome()?;
    let is = |name: &str| outcome.get("outcome").and_then(Json::text).as_deref() == Some(name);
    let text = outcome.get("text").and_then(Json::text);
    let passed = match flow.ends {
        Some(expected) => is("complete") && text.as_deref() == Some(expected),
        None => is("error") && !lacks_fixture(flow, ended),
    };
    let is_sound = passed && ended.code == Some(0) && !ended.was_stopped;
    is_sound
        .then(|| Verdict::Passed { seen: format!("{} {}", call.name, cut(ended.last_line(), 200)) })
}

/// Returns whether the server does not know the fixture.
fn lacks_fixture(flow: &Flow, ended: &ProgramExit) -> bool {
    let said = ended.last_line().to_lowercase();
    let unknown = ["unknown tool", "unknown prompt", "unknown resource", "tool not found"];
    unknown.iter().any(|words| said.contains(words))
        || said.contains(&format!("{} not found", flow.fixture))
}

fn failed(call: &Call, came_back: String) -> Verdict {
    Verdict::Failed { sent: call.shown(), came_back }
}

fn came_back(ended: &ProgramExit) -> String {
    match (ended.was_stopped, ended.code) {
        (true, _) => format!("it did not end; {}", ended.last_line()),
        (false, Some(0)) => ended.last_line().into(),
        (false, code) => format!("exit code {code:?}; {} {}", ended.last_line(), ended.stderr),
    }
}
