//! Plays awkward and hostile peers against servers and clients of MCP 2026-07-28.
//!
//! A check says what it sends, what has to come back, and where that is written. What it finds is
//! one line for a person and one entry for a program.

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
    /// An awkward and hostile client of a server.
    Server(server::Options),
    /// An awkward and hostile server of a client.
    Client(client::Options),
    /// Plays every client against every server, through the honest flows.
    Matrix(matrix::Options),
    /// A server over stdio that is played at an address.
    #[command(hide = true)]
    Relay {
        /// Where it is played.
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
