//! Replays a trace: writes for each line of input the actions or the misuse, the phase and the
//! deadline.
//!
//! ```sh
//! cargo run -p mrtr-core --example replay -- TRACE             # without a file: standard input
//! cargo run -p mrtr-core --example replay -- --secrets TRACE   # shows contents, too
//! ```
//!
//! Lines of input begin with `{`, or with `> {` as in the traces of `tests/traces`. All other lines
//! are skipped. `docs/traces.md` describes the format.

#[path = "../tests/traces/play.rs"]
mod play;

use std::{
    io::{BufRead, BufReader, Write as _},
    process::ExitCode,
};

use play::Player;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let exposes = arguments.iter().any(|argument| argument == "--secrets");
    let path = arguments.iter().find(|argument| !argument.starts_with("--"));
    let replayed = match path {
        Some(path) => std::fs::File::open(path)
            .map_err(|error| error.to_string())
            .and_then(|file| replay(BufReader::new(file), exposes)),
        None => replay(std::io::stdin().lock(), exposes),
    };
    match replayed {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("replay: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn replay(lines: impl BufRead, exposes: bool) -> Result<(), String> {
    let mut player = Player::new(exposes);
    let mut out = std::io::stdout().lock();
    for (index, line) in lines.lines().enumerate() {
        let line = line.map_err(|error| error.to_string())?;
        let input = line.strip_prefix("> ").unwrap_or(&line);
        if !input.starts_with('{') {
            continue;
        }
        let played =
            player.play(input).map_err(|problem| format!("line {}: {problem}", index + 1))?;
        let number = (index + 1).to_string();
        let shown = if exposes { input } else { &number };
        let written = writeln!(out, "> {shown}").and_then(|()| out.write_all(played.as_bytes()));
        written.map_err(|error| error.to_string())?;
    }
    Ok(())
}
