//! A client that is awkward or hostile, against a server with the fixtures of the contract.

mod always;
mod answers;
mod call;
mod cases;
mod content;
mod crowd;
mod envelope;
mod fixture;
mod gate;
mod headers;
mod honest;
mod odd;
mod rewrite;
mod rules;
mod seen;
mod started;
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
pub(crate) use started::{Started, not_started, spawn, stop_on_signal, unwatch};
use target::Target;

/// What a check found, in few words, or why it did not pass.
type Found = Result<String, Problem>;

/// A check that can be made.
struct Spec {
    id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
    run: fn(&Target) -> Found,
}

type Run = fn(&Target) -> Found;

const fn must(id: &'static str, source: &'static str, about: &'static str, run: Run) -> Spec {
    Spec { id, level: Level::Must, source, about, run }
}

const fn should(id: &'static str, source: &'static str, about: &'static str, run: Run) -> Spec {
    Spec { id, level: Level::Should, source, about, run }
}

const fn own(id: &'static str, source: &'static str, about: &'static str, run: Run) -> Spec {
    Spec { id, level: Level::Own, source, about, run }
}

const fn info(id: &'static str, source: &'static str, about: &'static str, run: Run) -> Spec {
    Spec { id, level: Level::Info, source, about, run }
}

/// All checks, in the order in which they are made. The honest flows are first: what does not work
/// honestly is not tried otherwise. Last is whether the server survived.
const ALL: &[&[Spec]] = &[
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

/// Which server is tried, and how.
#[derive(Args)]
pub(crate) struct Options {
    /// The URL of a server that runs.
    #[arg(long, required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,
    /// The URL of the same server, started with `--ttl 1`.
    #[arg(long, requires = "url")]
    ttl_url: Option<String>,
    /// The URL of the same server, started with `--rounds 2`.
    #[arg(long, requires = "url")]
    rounds_url: Option<String>,
    /// What to call the server in the report.
    #[arg(long, default_value = "server")]
    name: String,
    /// Where to write the report as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Starts the server with `--sse`, too.
    #[arg(long, requires = "command")]
    sse: bool,
    /// Makes only the checks whose ids begin so, after the honest flows; may be repeated.
    #[arg(long, value_name = "PREFIX")]
    only: Vec<String>,
    /// The command of the server: it is started as `COMMAND.. serve --port 0`, also with `--ttl 1`
    /// and with `--rounds 2`, and stopped at the end. Everything that follows is part of it.
    #[arg(long, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Makes all checks of a server.
///
/// # Errors
///
/// A server that cannot be started, a malformed URL, a file that cannot be written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let sse = if options.sse { ["--sse"].as_slice() } else { &[] };
    let serve = |more: &[&str]| Started::serve(&options.command, &[sse, more].concat());
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

    target.expect_somebody()?;
    let mut report = Report::new(&options.name, "server");
    target.look_around();
    for spec in ALL.iter().copied().flatten() {
        let Spec { id, level, source, about, run } = *spec;
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
    fn every_check_has_an_id_of_its_own() {
        let specs = ALL.iter().copied().flatten();
        let ids: Vec<_> = specs.map(|spec| spec.id).collect();
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(ids.len() >= 45, "{}", ids.len());
    }
}
