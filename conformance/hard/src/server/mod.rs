//! Checks of a server with the fixtures of the contract, with an awkward and hostile client.

mod always;
mod answers;
mod call;
mod cases;
mod content;
mod crowd;
mod envelope;
mod exchange;
mod fixture;
mod gate;
mod headers;
mod honest;
mod odd;
mod rewrite;
mod rules;
mod server_process;
mod state_bound;
mod state_text;
mod target;
mod time;

use std::{io, path::PathBuf, process::ExitCode};

use clap::Args;

use crate::{
    check::{Check, Level, Problem, Report},
    http::Address,
};
pub(crate) use server_process::{
    ServerProcess, forget_process, not_started, spawn, stop_on_signal,
};
use target::Target;

/// The result of a check: a short summary, or why it did not pass.
type CheckResult = Result<String, Problem>;

/// A check of a server.
struct CheckSpec {
    id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
    run: fn(&Target) -> CheckResult,
}

type Run = fn(&Target) -> CheckResult;

const fn must(id: &'static str, source: &'static str, about: &'static str, run: Run) -> CheckSpec {
    CheckSpec { id, level: Level::Must, source, about, run }
}

const fn should(
    id: &'static str,
    source: &'static str,
    about: &'static str,
    run: Run,
) -> CheckSpec {
    CheckSpec { id, level: Level::Should, source, about, run }
}

const fn own(id: &'static str, source: &'static str, about: &'static str, run: Run) -> CheckSpec {
    CheckSpec { id, level: Level::Own, source, about, run }
}

const fn info(id: &'static str, source: &'static str, about: &'static str, run: Run) -> CheckSpec {
    CheckSpec { id, level: Level::Info, source, about, run }
}

/// All checks in their order. The honest flows are first: the other checks need fixtures that work.
/// The last check is that the server survived.
const ALL: &[&[CheckSpec]] = &[
    honest::SPECS,
    envelope::SPECS,
    headers::SPECS,
    gate::SPECS,
    answers::SPECS,
    content::SPECS,
    state_text::SPECS,
    state_bound::SPECS,
    time::SPECS,
    odd::SPECS,
    crowd::SPECS,
    rules::SPECS,
];

/// The server, and the checks to make.
#[derive(Args)]
pub(crate) struct Options {
    /// The URL of a running server.
    #[arg(long, required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,
    /// The URL of the same server, started with `--ttl 1`.
    #[arg(long, requires = "url")]
    ttl_url: Option<String>,
    /// The URL of the same server, started with `--rounds 2`.
    #[arg(long, requires = "url")]
    rounds_url: Option<String>,
    /// The name of the server in the report.
    #[arg(long, default_value = "server")]
    name: String,
    /// Writes the report to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Starts the server with `--sse`.
    #[arg(long, requires = "command")]
    sse: bool,
    /// Makes only the honest flows and the checks whose ids begin with this. May be repeated.
    #[arg(long, value_name = "PREFIX")]
    only: Vec<String>,
    /// The command of the server. `COMMAND.. serve --port 0` is started three times: plain, with
    /// `--ttl 1`, and with `--rounds 2`. Everything that follows is part of the command.
    #[arg(long, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Makes all checks of a server.
///
/// # Errors
///
/// Fails if a server cannot be started, a URL is invalid, or the report cannot be written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let sse = if options.sse { ["--sse"].as_slice() } else { &[] };
    let serve = |more: &[&str]| ServerProcess::serve(&options.command, &[sse, more].concat());
    let started = match options.command.as_slice() {
        [] => None,
        _ => Some([serve(&[])?, serve(&["--ttl", "1"])?, serve(&["--rounds", "2"])?]),
    };
    let urls = match &started {
        Some([main, short_lived, two_rounds]) => {
            [Some(&main.url), Some(&short_lived.url), Some(&two_rounds.url)]
        }
        None => [options.url.as_ref(), options.ttl_url.as_ref(), options.rounds_url.as_ref()],
    };
    let [main, short_lived, two_rounds] = urls.map(|url| url.map(|url| target(url)).transpose());
    let mut target = main?.ok_or(io::ErrorKind::InvalidInput)?;
    target.short_lived = short_lived?.map(Box::new);
    target.two_rounds = two_rounds?.map(Box::new);

    target.expect_reachable()?;
    let mut report = Report::new(&options.name, "server");
    target.note_missing_fixtures();
    for spec in ALL.iter().copied().flatten() {
        let CheckSpec { id, level, source, about, run } = *spec;
        let begins = |prefix: &String| id.starts_with(prefix.as_str());
        let is_wanted = options.only.is_empty() || options.only.iter().any(begins);
        if is_wanted || id.starts_with("honest-") {
            let verdict = run(&target).into();
            report.push(Check { id, level, source, about, verdict });
        }
    }
    report.close(options.json.as_deref())
}

fn target(url: &str) -> io::Result<Target> {
    let expected = || {
        let expected = format!("expected a URL such as http://127.0.0.1:8080/mcp, not {url}");
        io::Error::new(io::ErrorKind::InvalidInput, expected)
    };
    Address::parse(url).map(Target::new).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn check_ids_are_unique() {
        let specs = ALL.iter().copied().flatten();
        let ids: Vec<_> = specs.map(|spec| spec.id).collect();
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(ids.len() >= 45, "{}", ids.len());
    }
}
