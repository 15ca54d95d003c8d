//! The server that the official conformance suite tests.

#![forbid(unsafe_code)]

mod asking;
mod fixtures;
mod handler;
mod listening;
mod telling;

use std::{process::ExitCode, sync::Arc};

use clap::Parser;
use handler::Conformance;
use mrtr_core::{
    seal::{Keyring, RequestState},
    server::Endpoint,
};
use mrtr_examples::{
    server::{self, Format, Server},
    store::Memory,
};

/// Serves the tools, prompts and resources of the official conformance suite at http://127.0.0.1:PORT/mcp.
#[derive(Parser)]
#[command(name = "conformance-server")]
struct Cli {
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Answers with event streams to clients that accept them.
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
    getrandom::fill(&mut key)?;
    let states = RequestState::new(Keyring::new([("process", key)])?);
    let handler = Conformance::new(Endpoint::new("conformance"))?;
    let endpoint = Endpoint::new("conformance").with_request_state(states).with_single_use();
    let server = Server {
        endpoint: Arc::new(handler.with_param_headers(endpoint)?),
        handler,
        store: Arc::new(Memory::default()),
        reporter: server::print_report,
        format: if cli.sse { Format::EventStream } else { Format::Json },
    };
    let listener = server::listen(cli.port).await?;
    println!("listening http://{}/mcp", listener.local_addr()?);
    Ok(server::serve(listener, server).await?)
}
