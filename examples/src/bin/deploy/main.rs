//! The deployment scenario: a tool asks where to deploy and whether to, a person answers, and the call
//! goes on.

#![forbid(unsafe_code)]

mod call;
mod handler;
mod prompt;
mod resource;
mod tool;

use std::{io, process::ExitCode, sync::Arc};

use call::{Runtime, Target};
use clap::{Parser, Subcommand};
use mrtr_core::{
    seal::{Keyring, RequestState},
    server::Endpoint,
};
use mrtr_examples::{
    server::{self, Format, Server},
    stdio,
    store::{Memory, Redis, Store},
    surface::Answers,
};
use serde_json::json;

/// Deploys after asking where to: a client and a server of MCP 2026-07-28 in one process.
#[derive(Parser)]
#[command(name = "deploy")]
struct Cli {
    #[command(subcommand)]
    side: Option<Side>,
    #[command(flatten)]
    answers: Answers,
}

#[derive(Subcommand)]
enum Side {
    /// Serves a tool, a prompt and a resource that ask, at http://127.0.0.1:PORT/mcp until it is interrupted.
    Serve {
        /// The port; 0 picks a free one.
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Serves on the standard input and output instead, until the input ends.
        #[arg(long, conflicts_with = "port")]
        stdio: bool,
        /// Answers with event streams to clients that accept them.
        #[arg(long, conflicts_with = "stdio")]
        sse: bool,
        /// Keeps the ids of used states in the Redis at this URL instead of in memory.
        #[arg(long, value_name = "URL")]
        redis: Option<String>,
    },
    /// Calls a tool of any server: one at a URL, or one that a command starts.
    Call {
        /// The URL of the server.
        #[arg(required_unless_present = "command", conflicts_with = "command")]
        url: Option<String>,
        /// The command of a server that speaks over its standard input and output.
        #[arg(last = true)]
        command: Vec<String>,
        /// The runtime of a call over stdio.
        #[arg(long, value_enum, default_value = "threads", requires = "command")]
        runtime: Runtime,
        /// The tool.
        #[arg(long)]
        tool: String,
        /// The arguments, as a JSON object.
        #[arg(long, default_value = "{}")]
        args: String,
        #[command(flatten)]
        answers: Answers,
    },
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::from);
    let done = runtime.and_then(|runtime| runtime.block_on(run(cli)));
    let _ = crossterm::terminal::disable_raw_mode();
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.side {
        Some(Side::Serve { stdio: true, redis, .. }) => {
            // Nothing else runs, so it may block the thread.
            let server = deploy_server(store(redis)?, Format::Json)?;
            stdio::server::serve(&server, io::stdin().lock(), io::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Side::Serve { port, stdio: false, sse, redis }) => {
            let format = if sse { Format::EventStream } else { Format::Json };
            let server = deploy_server(store(redis)?, format)?;
            let listener = server::listen(port).await?;
            println!("serving http://{}/mcp", listener.local_addr()?);
            tokio::select! {
                served = server::serve(listener, server) => served?,
                _ = tokio::signal::ctrl_c() => {}
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(Side::Call { url, command, runtime, tool, args, answers }) => {
            let arguments = serde_json::from_str(&args).map_err(
                |_| "expected the arguments to be JSON, such as {\"artifact\":\"build-42\"}",
            )?;
            let target = url.map_or(Target::Command(command, runtime), Target::Url);
            call::call(target, &tool, arguments, answers).await
        }
        None => {
            let listener = server::listen(0).await?;
            let url = format!("http://{}/mcp", listener.local_addr()?);
            let server = deploy_server(store(None)?, Format::Json)?;
            tokio::spawn(server::serve(listener, server));
            let arguments = json!({"artifact": "build-42"});
            call::call(Target::Url(url), "deploy", arguments, cli.answers).await
        }
    }
}

/// Makes the store: a Redis, or the memory of this process.
fn store(redis: Option<String>) -> io::Result<Arc<dyn Store>> {
    Ok(match redis {
        Some(url) => Arc::new(Redis::new(&url)?),
        None => Arc::new(Memory::default()),
    })
}

/// Makes the server, with a key that lives as long as the process.
fn deploy_server(store: Arc<dyn Store>, format: Format) -> Result<Server, Failure> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    let states = RequestState::new(Keyring::new([("process", key)])?);
    Ok(Server {
        endpoint: Arc::new(Endpoint::new("deploy").with_request_state(states).with_single_use()),
        handler: handler::handle,
        store,
        reporter: server::print_report,
        format,
    })
}
