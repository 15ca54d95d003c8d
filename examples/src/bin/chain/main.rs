//! The whole chain: a host that asks people, a provider that executes, and an MCP server that needs
//! answers.

#![forbid(unsafe_code)]

mod host;
mod person;
mod provider;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Calls a tool of an MCP server through a provider in its own process, and asks the server's questions.
#[derive(Parser)]
#[command(name = "chain", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    side: Option<Side>,
    #[command(flatten)]
    host: host::Settings,
}

#[derive(Subcommand)]
enum Side {
    /// Executes the calls of a host that come on the standard input, and answers on the standard output.
    Provider(provider::Settings),
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let Cli { side, host } = Cli::parse();
    let done = match side {
        Some(Side::Provider(settings)) => provider::run(&settings),
        None => host::run(host),
    };
    let _ = crossterm::terminal::disable_raw_mode();
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
