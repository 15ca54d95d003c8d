//! Explores every scope, prints what was counted, and compares it with `proptests/explore.golden`.
//!
//! `cargo explore` runs all scopes, `cargo explore --medium` all but the large ones, and `cargo explore
//! WORDS` those whose name contains the words. `UPDATE_GOLDEN=1 cargo explore` rewrites the golden file.

#![allow(clippy::panic, clippy::unwrap_used, reason = "it is a check, and says what it found")]

use core::time::Duration;
use std::{env, fs, path::Path, process::ExitCode, thread, time::Instant};

use mrtr_proptests::explore::{Counts, Scope, Size, read_golden, scopes, write_golden};

/// Leaves the large scopes out.
const MEDIUM: &str = "--medium";

/// The distinct states that all scopes of a run without words have together at least.
const STATES_MIN: u64 = 1_000_000;

fn main() -> ExitCode {
    let words = env::args().skip(1).collect::<Vec<_>>().join(" ");
    match explore(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(said) => {
            eprintln!("{said}");
            ExitCode::FAILURE
        }
    }
}

fn explore(words: &str) -> Result<(), String> {
    let (words, size_max) = if words == MEDIUM { ("", Size::Medium) } else { (words, Size::Large) };
    let is_chosen = |scope: &Scope| scope.size <= size_max && scope.name.contains(words);
    let (chosen, left_out): (Vec<_>, Vec<_>) = scopes().into_iter().partition(is_chosen);
    if chosen.is_empty() {
        return Err(format!("no scope has {words:?} in its name; docs/LIFECYCLE.md lists them"));
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let mut counted = Vec::new();
    println!("   states |      tried |   changed | depth | seconds | scope");
    for scope in &chosen {
        let counts = run(scope, threads).map_err(|said| format!("{}: {said}", scope.name))?;
        counted.push((scope.name.to_owned(), counts));
    }
    let total = total(&counted);
    println!("{total} | {} | in all, on {threads} threads", seconds(start.elapsed()));
    if words.is_empty() && total.states < STATES_MIN {
        return Err(format!("expected at least {STATES_MIN} states, found {}", total.states));
    }
    compare(&counted, &left_out)
}

fn run(scope: &Scope, threads: usize) -> Result<Counts, String> {
    let start = Instant::now();
    let found = scope.explore(threads).map_err(|broken| broken.to_string())?;
    let counts = Counts::from(&found);
    println!("{counts} | {} | {}", seconds(start.elapsed()), scope.name);
    Ok(counts)
}

fn seconds(time: Duration) -> String {
    format!("{:>7.1}", time.as_secs_f64())
}

fn total(counted: &[(String, Counts)]) -> Counts {
    let none = Counts { states: 0, tried: 0, changed: 0, depth: 0 };
    counted.iter().fold(none, |sum, (_, counts)| Counts {
        states: sum.states + counts.states,
        tried: sum.tried + counts.tried,
        changed: sum.changed + counts.changed,
        depth: sum.depth.max(counts.depth),
    })
}

/// Compares the counts with those that were kept of all scopes but those that were left out.
fn compare(counted: &[(String, Counts)], left_out: &[Scope]) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("explore.golden");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        if !left_out.is_empty() {
            return Err("only a run of all scopes rewrites the golden file".into());
        }
        return fs::write(&path, write_golden(counted)).map_err(|error| error.to_string());
    }
    let mut kept = read_golden(&fs::read_to_string(&path).map_err(|error| error.to_string())?);
    kept.retain(|(name, _)| left_out.iter().all(|scope| scope.name != name));
    let differs = kept.iter().zip(counted).find(|(kept, counted)| kept != counted);
    if let Some(((kept_name, kept), (name, counts))) = differs {
        return Err(format!("expected\n{kept} | {kept_name}\nfound\n{counts} | {name}"));
    }
    if kept.len() != counted.len() {
        return Err(format!("expected {} scopes, found {}", kept.len(), counted.len()));
    }
    Ok(())
}
