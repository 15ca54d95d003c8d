//! The client that the official conformance suite runs: it finds out what a server has, and calls
//! all of it.

#![forbid(unsafe_code)]

mod calls;
mod catalog;
mod made_up;

use std::{env, process::ExitCode};

use calls::Caller;
use catalog::Catalog;
use clap::Parser;
use serde::Deserialize;

use crate::made_up::ToolCall;

/// Calls everything that a server has. The suite says more in `MCP_CONFORMANCE_CONTEXT`.
#[derive(Parser)]
#[command(name = "conformance-client")]
struct Cli {
    /// The URL of the server.
    url: String,
}

/// Is what the suite says beside the URL.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    /// The calls to make instead of made-up ones.
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::from);
    match runtime.and_then(|runtime| runtime.block_on(run(&cli.url))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: &str) -> Result<(), Failure> {
    let context = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Context::default(),
    };
    let mut caller = Caller::new(url)?;
    let catalog = Catalog::find(&caller).await?;
    for tool in &catalog.tools {
        caller.mirror(tool);
    }
    let calls = if context.tool_calls.is_empty() {
        made_up::calls(&catalog.tools)
    } else {
        context.tool_calls
    };
    caller.call_all(&calls, &catalog.prompts, &catalog.resources).await
}
