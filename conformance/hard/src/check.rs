//! What was tried and how it went, for a person to read and for a program to compare.

use core::fmt;
use std::{
    fs, io,
    path::Path,
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;

/// What a check weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Level {
    /// The specification says that it must be so.
    Must,
    /// The specification says that it should be so, or says it without such a word.
    Should,
    /// The specification leaves it open. It is what this project asks of itself.
    Own,
    /// Either way is fine, and worth knowing. It never fails.
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

/// How a check went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// As it has to be, and in few words what was seen.
    Passed { seen: String },
    /// Otherwise.
    Failed { sent: String, came_back: String },
    /// It could not be tried.
    NotOffered { why: String },
}

/// Why a check did not pass. A check is a function that ends in what it saw, or in this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It failed.
    Failed { sent: String, came_back: String },
    /// It could not be tried.
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

/// A thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// Its name, which does not change.
    pub(crate) id: &'static str,
    /// What it weighs.
    pub(crate) level: Level,
    /// The clause of the specification, or the requirement, that it comes from.
    pub(crate) source: &'static str,
    /// What is sent and what has to come back, in one sentence.
    pub(crate) about: &'static str,
    /// How it went.
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
}

/// All that was tried on one peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    /// The peer.
    name: String,
    /// The part that the peer played: `server` or `client`.
    role: &'static str,
    /// When, in seconds since 1970.
    at: u64,
    checks: Vec<Check>,
}

impl Report {
    pub(crate) fn new(name: impl Into<String>, role: &'static str) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { name: name.into(), role, at, checks: Vec::new() }
    }

    /// Takes a check and prints its line. What cannot fail was not offered.
    pub(crate) fn push(&mut self, mut check: Check) {
        if let (Level::Info, Verdict::Failed { came_back, .. }) = (check.level, &check.verdict) {
            check.verdict = Verdict::NotOffered { why: short(came_back) };
        }
        print_line(&check);
        self.checks.push(check);
    }

    /// Prints what came of it all, writes it to a file if there is one, and returns the exit code:
    /// failure if something failed, or nothing was tried.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub(crate) fn close(&self, json: Option<&Path>) -> io::Result<ExitCode> {
        if let Some(path) = json {
            fs::write(path, serde_json::to_string_pretty(self)? + "\n")?;
        }
        let (passed, failed, not_offered) = self.counts();
        println!("{passed} passed, {failed} failed, {not_offered} not offered");
        Ok(if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Counts what passed, failed and was not offered. What is only information counts for nothing.
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

/// Cuts what would fill the screen. The file has more of it.
fn short(text: &str) -> String {
    cut(text, 700)
}

/// Cuts a text, and says how long it was.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(chars_max) {
        None => line,
        Some((end, _)) => {
            format!("{}.. ({} bytes)", line.get(..end).unwrap_or_default(), text.len())
        }
    }
}
