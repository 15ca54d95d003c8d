//! The server that the official conformance suite is run against: what the suite wants served, on
//! these crates.

#![forbid(unsafe_code)]

mod asking;
mod fixtures;
mod handler;
mod listening;
mod telling;

use std::{process::ExitCode, sync::Arc};

use clap::Parser;
use getrandom::{SysRng, rand_core::Rng as _, rand_core::UnwrapErr};
use handler::Conformance;
use mrtr_core::{Endpoint, Keyring, RequestState, exchange::Report};
use mrtr_examples::{
    server::{self, Format, Server},
    store::Memory,
};

/// Serves what the official conformance suite wants, at http://127.0.0.1:PORT/mcp.
#[derive(Parser)]
#[command(name = "conformance-server")]
struct Cli {
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Answers with event streams, to clients that take them.
    #[arg(long)]
    sse: bool,
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::from);
    match runtime.and_then(|runtime| runtime.block_on(serve(&cli))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(cli: &Cli) -> Result<(), Failure> {
    let mut key = [0; 32];
    UnwrapErr(SysRng).fill_bytes(&mut key);
    let states = RequestState::new(Keyring::new([("process", key)])?);
    let server = Server {
        endpoint: Endpoint::new("conformance").with_request_state(states).with_single_use(),
        handler: Conformance::new(Endpoint::new("conformance"))?,
        store: Arc::new(Memory::default()),
        reporter: report,
        format: if cli.sse { Format::EventStream } else { Format::Json },
    };
    let listener = server::listen(cli.port).await?;
    println!("listening http://{}/mcp", listener.local_addr()?);
    Ok(server::serve(listener, server).await?)
}

/// Tells the operator what went wrong. A round that was asked is no news.
fn report(report: &Report) {
    if !matches!(report, Report::InputRequired { .. }) {
        eprintln!("server: {report:?}");
    }
}
