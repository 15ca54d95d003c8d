//! The provider's side.

use core::time::Duration;
use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Args;
use mrtr_examples::{
    call::Log,
    provider::{Provider, Server},
};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Settings {
    /// The name of the provider.
    #[arg(long, default_value = "provider")]
    name: String,
    /// The name of the server.
    #[arg(long, default_value = "server")]
    server: String,
    /// How long a request to the server may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    leg: u64,
    /// The command of the MCP server, which speaks over its standard input and output.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Serves a host until the input ends.
pub(crate) fn run(settings: &Settings) -> Result<ExitCode, Failure> {
    let Settings { name, server, leg, command } = settings;
    let (program, args) = command.split_first().ok_or("expected the command of a server")?;
    let server = Server::start(server, program, args)
        .map_err(|error| format!("the server did not start: {error}"))?;
    let leg = Duration::from_secs(*leg);
    let provider = Provider::new(name, server, leg, io::stdout(), LOG);
    provider.serve(io::stdin().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// Tells the operator of each leg. A standard error that is closed does not stop the provider.
const LOG: Log = Log(|line| drop(writeln!(io::stderr(), "{line}")));
