//! Checks and their verdicts: lines for a person, and a report for a program.

use core::fmt;
use std::{
    fs, io,
    path::Path,
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;

/// The weight of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Level {
    /// The specification says MUST or MUST NOT.
    Must,
    /// The specification says SHOULD, or states it without such a word.
    Should,
    /// The specification leaves it open. This project requires it of its own programs.
    Own,
    /// Either way is allowed. Such a check never fails.
    Info,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Own => "OWN",
            Self::Info => "INFO",
        })
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The peer did what it must. `seen` is a short summary.
    Passed { seen: String },
    /// The peer did something else.
    Failed { sent: String, came_back: String },
    /// The check could not be made.
    NotOffered { why: String },
}

/// Why a check did not pass. The function of a check returns a summary or this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The peer did something else.
    Failed { sent: String, came_back: String },
    /// The check could not be made.
    NotOffered(String),
}

impl From<Result<String, Problem>> for Verdict {
    fn from(found: Result<String, Problem>) -> Self {
        match found {
            Ok(seen) => Self::Passed { seen },
            Err(Problem::Failed { sent, came_back }) => Self::Failed { sent, came_back },
            Err(Problem::NotOffered(why)) => Self::NotOffered { why },
        }
    }
}

/// A check that was made, and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// The name. It does not change.
    pub(crate) id: &'static str,
    /// The weight.
    pub(crate) level: Level,
    /// The clause of the specification, or the requirement of this project.
    pub(crate) source: &'static str,
    /// One sentence: what is sent, and what must come back.
    pub(crate) about: &'static str,
    /// The result.
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
}

/// All checks of one peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    /// The name of the peer.
    name: String,
    /// The role of the peer: `server` or `client`.
    role: &'static str,
    /// The time of the run, in seconds since 1970.
    at: u64,
    checks: Vec<Check>,
}

impl Report {
    pub(crate) fn new(name: impl Into<String>, role: &'static str) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { name: name.into(), role, at, checks: Vec::new() }
    }

    /// Adds a check and prints its line. A failed INFO check counts as not offered.
    pub(crate) fn push(&mut self, mut check: Check) {
        if let (Level::Info, Verdict::Failed { came_back, .. }) = (check.level, &check.verdict) {
            check.verdict = Verdict::NotOffered { why: short(came_back) };
        }
        print_line(&check);
        self.checks.push(check);
    }

    /// Prints the totals, writes the report to a file if there is one, and returns the exit code. The
    /// run fails if a check failed or none passed.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub(crate) fn close(&self, json: Option<&Path>) -> io::Result<ExitCode> {
        if let Some(path) = json {
            fs::write(path, serde_json::to_string_pretty(self)? + "\n")?;
        }
        let (passed, failed, not_offered) = self.counts();
        println!("{passed} passed, {failed} failed, {not_offered} not offered");
        Ok(if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Counts the checks that passed, failed and were not offered, without INFO checks.
    fn counts(&self) -> (usize, usize, usize) {
        let mut counts = (0, 0, 0);
        for check in self.checks.iter().filter(|check| check.level != Level::Info) {
            match check.verdict {
                Verdict::Passed { .. } => counts.0 += 1,
                Verdict::Failed { .. } => counts.1 += 1,
                Verdict::NotOffered { .. } => counts.2 += 1,
            }
        }
        counts
    }
}

fn print_line(check: &Check) {
    let Check { id, level, source, about, verdict } = check;
    match verdict {
        Verdict::Passed { seen } if *level == Level::Info => {
            println!("info    {level:6} {id}: {seen}");
        }
        Verdict::Passed { seen } => println!("passed  {level:6} {id}: {seen}"),
        Verdict::NotOffered { why } => println!("no      {level:6} {id}: {why}"),
        Verdict::Failed { sent, came_back } => {
            println!("FAILED  {level:6} {id}: {about} ({source})");
            println!("        sent      {}", short(sent));
            println!("        came back {}", short(came_back));
        }
    }
}

/// Shortens a text for the screen. The report has more of it.
fn short(text: &str) -> String {
    cut(text, 700)
}

/// Shortens a text, and appends its full length.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(chars_max) {
        None => line,
        Some((end, _)) => {
            format!("{}.. ({} bytes)", line.get(..end).unwrap_or_default(), text.len())
        }
    }
}
