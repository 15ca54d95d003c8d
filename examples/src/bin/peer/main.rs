//! A server and a client that the conformance runner tests against those of other implementations.
//! `conformance/README.md` describes what they do.

#![forbid(unsafe_code)]

mod call;
mod claims;
mod forms;
mod prompts;
mod serve;
mod tools;

use std::process::ExitCode;

use call::Call;
use clap::{Parser, Subcommand};
use serve::Serve;

/// Serves and calls in the same way as every peer.
#[derive(Parser)]
#[command(name = "peer")]
struct Cli {
    #[command(subcommand)]
    side: Side,
}

#[derive(Subcommand)]
enum Side {
    /// Serves the same tools, prompt and resource as every peer, until it is ended.
    Serve(Serve),
    /// Makes one call, and prints its outcome as a line of JSON.
    Call(Call),
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::from);
    let done = runtime.and_then(|runtime| {
        runtime.block_on(async {
            match cli.side {
                Side::Serve(serve) => serve.run().await,
                Side::Call(call) => call.run().await,
            }
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
