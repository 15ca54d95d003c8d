//! Plays awkward and hostile peers against servers and clients of MCP 2026-07-28.
//!
//! A check names what it sends, what must come back, and the clause of the specification. Its result
//! is one line for a person and one entry of the JSON report.

#![forbid(unsafe_code)]

mod check;
mod client;
mod http;
mod matrix;
mod server;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Plays awkward and hostile peers against servers and clients of MCP 2026-07-28.
#[derive(Parser)]
#[command(name = "hard")]
struct Cli {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Checks a server with an awkward and hostile client.
    Server(server::Options),
    /// Checks a client with an awkward and hostile server.
    Client(client::Options),
    /// Plays every client against every server, through the honest flows.
    Matrix(matrix::Options),
    /// Serves over stdio what the scripted server at an address answers.
    #[command(hide = true)]
    Relay {
        /// The address of the scripted server.
        address: String,
    },
}

fn main() -> ExitCode {
    server::stop_on_signal();
    let done = match Cli::parse().part {
        Part::Server(options) => server::run(&options),
        Part::Client(options) => client::run(&options),
        Part::Matrix(options) => matrix::run(&options),
        Part::Relay { address } => client::relay(&address).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
