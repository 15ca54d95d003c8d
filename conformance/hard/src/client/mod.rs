//! Checks of a client's program, with an awkward and hostile server.

mod call;
mod case;
mod checks;
mod json;
mod played_call;
mod processes;
mod relay;
mod script;
mod scripted_server;
mod wire;

use core::sync::atomic::{AtomicUsize, Ordering};
use std::{collections::BTreeMap, io, path::PathBuf, process::ExitCode, sync::mpsc, thread};

use clap::Args;

use self::{case::Case, played_call::PlayedCall};
use crate::check::{Check, Report, Verdict};

pub(crate) use self::{
    call::{Call, ProgramExit, Server, call, run as run_call},
    json::Json,
    processes::kill,
    relay::run as relay,
};

/// The client, and the checks to make.
#[derive(Args)]
pub(crate) struct Options {
    /// The client's program with its arguments, without `call`.
    /// Everything that follows is part of it.
    #[arg(long, required = true, num_args = 1.., allow_hyphen_values = true)]
    command: Vec<String>,
    /// The name of the client.
    #[arg(long, default_value = "client")]
    name: String,
    /// Writes the report to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// The number of calls that run at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Makes only the checks whose ids begin with this. May be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Prints all messages of each call that failed a check.
    #[arg(long)]
    transcripts: bool,
}

/// Makes all checks of a client.
///
/// # Errors
///
/// Fails if the program is missing or the report cannot be written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let wanted = |id: &str| {
        options.only.is_empty() || options.only.iter().any(|prefix| id.starts_with(prefix.as_str()))
    };
    processes::expect_program(&options.command)?;
    let mut cases = checks::cases();
    for case in &mut cases {
        case.items.retain(|item| wanted(item.id));
    }
    cases.retain(|case| !case.items.is_empty());
    let mut report = Report::new(&options.name, "client");
    let mut plays = Vec::new();
    play_all(&cases, &options.command, options.jobs.max(1), |case, play| {
        let checks = case.judge(&play);
        if options.transcripts && checks.iter().any(is_failure) {
            println!("{}", play.as_ref().map_or_else(Clone::clone, PlayedCall::transcript));
        }
        for check in checks {
            report.push(check);
        }
        plays.extend(play);
    });
    let crowd = checks::parallel::CHECKS.iter().filter(|check| wanted(check.id));
    for check in crowd {
        report.push(check.run(&options.command));
    }
    for check in checks::always::CHECKS.iter().filter(|check| wanted(check.id)) {
        report.push(check.judge(&plays));
    }
    report.close(options.json.as_deref())
}

/// What a client can do.
pub(crate) struct Probe {
    /// The capabilities that it declares when it is told to claim everything. `None` if it does not
    /// call.
    pub(crate) claims: Option<Json>,
    /// The capabilities that it declares when it is told to claim forms only.
    pub(crate) claims_of_form: Option<Json>,
    /// Whether it starts servers over stdio.
    pub(crate) has_stdio: bool,
}

/// Finds out what a client can do.
pub(crate) fn probe(command: &[String]) -> Probe {
    let everything = "form,url,sampling,sampling.tools,sampling.context,roots";
    let play = |call| Case::new(call, [script::complete("plain")]).play(command).ok();
    let claims_of = |claims| {
        let play = play(call("plain").claims(claims))?;
        let legs = play.legs();
        legs.first()?.params()?.at(case::CAPABILITIES).cloned()
    };
    let has_stdio = play(call("plain").over_stdio()).is_some_and(|play| !play.legs().is_empty());
    Probe { claims: claims_of(everything), claims_of_form: claims_of("form"), has_stdio }
}

fn is_failure(check: &Check) -> bool {
    matches!(check.verdict, Verdict::Failed { .. })
}

/// Plays the cases, several at once, and passes on the results in the order of the cases.
fn play_all(
    cases: &[Case],
    command: &[String],
    jobs: usize,
    mut take: impl FnMut(&Case, Result<PlayedCall, String>),
) {
    let next = AtomicUsize::new(0);
    let (sender, played) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    if sender.send((index, case.play(command))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (index, play) in played {
            waiting.insert(index, play);
            while let (Some(case), Some(play)) = (cases.get(due), waiting.remove(&due)) {
                take(case, play);
                due += 1;
            }
        }
    });
}
