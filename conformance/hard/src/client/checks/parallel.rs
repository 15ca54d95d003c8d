//! Several calls of one server at once: answers and states do not mix.

use std::thread;

use crate::{
    check::{
        Check,
        Level::{self, Must},
        Problem,
    },
    client::{
        call::{self, Call, Server, call},
        case::verdict,
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{N, Script, asks_value, complete},
        scripted_server::ScriptedServer,
    },
};

/// A check of parallel calls.
pub(crate) struct ParallelCheck {
    pub(crate) id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
}

/// The number of calls that run at once.
const CALLS: usize = 6;

/// All checks of parallel calls.
pub(crate) const CHECKS: [ParallelCheck; 1] = [ParallelCheck {
    id: "parallel-apart",
    level: Must,
    source: "mrtr, client requirement 4; P25",
    about: "six calls run at once, and all are asked under the same key; each retry has the state \
            and the answer of its own call",
}];

impl ParallelCheck {
    /// Runs the calls and judges them.
    pub(crate) fn run(&self, command: &[String]) -> Check {
        let Self { id, level, source, about } = *self;
        let plays = play_all(command);
        let found = match &plays {
            Ok(plays) => plays.iter().enumerate().try_for_each(expect_own),
            Err(why) => Err(Problem::NotOffered(why.clone())),
        };
        let found: CheckResult = found.map(|()| format!("{CALLS} calls, each with its own"));
        Check { id, level, source, about, verdict: verdict(level, found) }
    }
}

fn of_its_own(n: usize) -> String {
    format!(r#"{{"action":"accept","content":{{"value":"answer {n}"}}}}"#)
}

fn play_all(command: &[String]) -> Result<Vec<PlayedCall>, String> {
    let legs = vec![
        asks_value(Some(&format!("\"first of {N}\""))).late(300),
        asks_value(Some(&format!("\"second of {N}\""))).late(300),
        complete(&format!("done {N}")),
    ];
    let script = Script { legs, others: Vec::new() };
    let server = ScriptedServer::start(script, "tools/call", "ask", false)
        .map_err(|error| error.to_string())?;
    let url = server.url();
    let calls: Vec<Call> = (0..CALLS)
        .map(|n| call("ask").arguments(&format!(r#"{{"n":"{n}"}}"#)).answers_all(&of_its_own(n)))
        .collect();
    let ended: Vec<_> = thread::scope(|scope| {
        let url = &url;
        let run = |call| scope.spawn(move || call::run(command, call, &Server::Url(url)));
        let running: Vec<_> = calls.iter().map(run).collect();
        running.into_iter().map(|thread| thread.join()).collect()
    });
    let mut plays = Vec::new();
    for (n, (call, ended)) in calls.into_iter().zip(ended).enumerate() {
        let ended = match ended {
            Ok(Ok(ended)) => ended,
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("a call was not played to its end".into()),
        };
        let mut seen = server.seen();
        seen.retain(|seen| argument_n(seen.params()) == Some(n.to_string()));
        plays.push(PlayedCall { call, seen, ended });
    }
    Ok(plays)
}

fn argument_n(params: Option<&Json>) -> Option<String> {
    params?.at(&["arguments", "n"])?.text()
}

fn expect_own((n, play): (usize, &PlayedCall)) -> Result<(), Problem> {
    for (leg, state) in [(1, "first"), (2, "second")] {
        play.expect_state(leg, Some(&format!("\"{state} of {n}\"")))?;
        play.expect_equal(play.answer(leg, "k")?, &of_its_own(n))?;
    }
    play.expect_complete(&format!("done {n}"))
}
