//! The server's side: how it starts, and the handler of each method.

use core::time::Duration;
use std::{io, sync::Arc};

use clap::Args;
use mrtr_core::{
    Limits,
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Run},
    wire::RpcError,
};
use mrtr_examples::{
    server::{self, Format, Server, finish, refuse},
    stdio,
    store::Memory,
};
use serde_json::{Value, json};

use crate::{Failure, prompts, tools};

/// How to serve.
#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Serves on the standard input and output instead, until the input ends.
    #[arg(long, conflicts_with_all = ["port", "sse"])]
    stdio: bool,
    /// Answers with event streams to clients that accept them.
    #[arg(long)]
    sse: bool,
    /// How long a state lives.
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u64>,
    /// The most rounds of one flow.
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Lets each state be used once.
    #[arg(long)]
    single_use: bool,
}

impl Serve {
    /// Serves until it is ended.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let server = self.server()?;
        if self.stdio {
            // Nothing else runs, so it may block the thread.
            return Ok(stdio::server::serve(&server, io::stdin().lock(), io::stdout().lock())?);
        }
        let listener = server::listen(self.port).await?;
        println!("listening http://{}/mcp", listener.local_addr()?);
        Ok(server::serve(listener, server).await?)
    }

    /// Makes the server, with a key that lives as long as the process.
    fn server(&self) -> Result<Server, Failure> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        let mut states = RequestState::new(Keyring::new([("process", key)])?);
        if let Some(ttl) = self.ttl.map(Duration::from_secs) {
            states = states.with_lifetimes(ttl, ttl)?;
        }
        let limits = Limits::default();
        let rounds_max = self.rounds.unwrap_or(limits.rounds_max);
        let limits = limits.rounds_max(rounds_max);
        let endpoint = Endpoint::new("peer").with_request_state(states).with_limits(limits);
        Ok(Server {
            endpoint: Arc::new(if self.single_use { endpoint.with_single_use() } else { endpoint }),
            handler: handle,
            store: Arc::new(Memory::default()),
            reporter: server::print_report,
            format: if self.sse { Format::EventStream } else { Format::Json },
        })
    }
}

/// Runs a request that the exchange admitted.
fn handle(run: &Run) -> Ending {
    match run.method.as_str() {
        "server/discover" => finish(&json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "ttlMs": 0,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "mrtr-peer", "version": env!("CARGO_PKG_VERSION")}},
        })),
        "tools/list" => list("tools", &tools::descriptions()),
        "tools/call" => tools::call(run),
        "prompts/list" => list("prompts", &prompts::prompt()),
        "prompts/get" => prompts::get(run),
        "resources/list" => list("resources", &prompts::resource()),
        "resources/templates/list" => list("resourceTemplates", &json!([])),
        "resources/read" => prompts::read(run),
        _ => refuse(RpcError::METHOD_NOT_FOUND, "Method not found"),
    }
}

fn list(kind: &str, all: &Value) -> Ending {
    finish(&json!({kind: all, "ttlMs": 0, "cacheScope": "public"}))
}
