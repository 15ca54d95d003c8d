//! Several calls at once against one server: what belongs to one stays with it.

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
        play::{Found, Play},
        script::{N, Script, asks_value, complete},
        stage::Stage,
    },
};

/// A check of a crowd of calls.
pub(crate) struct Crowd {
    pub(crate) id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
}

/// The calls that run at once.
const CALLS: usize = 6;

/// All of them.
pub(crate) const CHECKS: [Crowd; 1] = [Crowd {
    id: "parallel-apart",
    level: Must,
    source: "mrtr, client requirement 4; P25",
    about: "six calls run at once, and all are asked under the same key; each retry has the state \
            and the answer of its own call",
}];

impl Crowd {
    /// Runs the crowd and judges it.
    pub(crate) fn run(&self, command: &[String]) -> Check {
        let Self { id, level, source, about } = *self;
        let plays = play_all(command);
        let found = match &plays {
            Ok(plays) => plays.iter().enumerate().try_for_each(expect_own),
            Err(why) => Err(Problem::NotOffered(why.clone())),
        };
        let found: Found = found.map(|()| format!("{CALLS} calls, each with its own"));
        Check { id, level, source, about, verdict: verdict(level, found) }
    }
}

fn of_its_own(n: usize) -> String {
    format!(r#"{{"action":"accept","content":{{"value":"answer {n}"}}}}"#)
}

fn play_all(command: &[String]) -> Result<Vec<Play>, String> {
    let legs = vec![
        asks_value(Some(&format!("\"first of {N}\""))).late(300),
        asks_value(Some(&format!("\"second of {N}\""))).late(300),
        complete(&format!("done {N}")),
    ];
    let script = Script { legs, others: Vec::new() };
    let stage =
        Stage::start(script, "tools/call", "ask", false).map_err(|error| error.to_string())?;
    let url = stage.url();
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
        let mut seen = stage.seen();
        seen.retain(|seen| argument_n(seen.params()) == Some(n.to_string()));
        plays.push(Play { call, seen, ended });
    }
    Ok(plays)
}

fn argument_n(params: Option<&Json>) -> Option<String> {
    params?.at(&["arguments", "n"])?.text()
}

fn expect_own((n, play): (usize, &Play)) -> Result<(), Problem> {
    for (leg, state) in [(1, "first"), (2, "second")] {
        play.expect_state(leg, Some(&format!("\"{state} of {n}\"")))?;
        play.expect_equal(play.answer(leg, "k")?, &of_its_own(n))?;
    }
    play.expect_complete(&format!("done {n}"))
}
