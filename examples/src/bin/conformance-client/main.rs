//! The client that the official conformance suite runs: it lists the tools, prompts and resources of a
//! server, and calls all of them.

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

/// Calls every tool, prompt and resource of a server. `MCP_CONFORMANCE_CONTEXT` may name other calls.
#[derive(Parser)]
#[command(name = "conformance-client")]
struct Cli {
    /// The URL of the server.
    url: String,
}

/// What the suite tells beside the URL.
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
    let caller = Caller::new(url)?;
    let catalog = Catalog::find(&caller).await?;
    let calls = if context.tool_calls.is_empty() {
        made_up::calls(&catalog.tools)
    } else {
        context.tool_calls
    };
    caller.call_all(&calls, &catalog).await
}
