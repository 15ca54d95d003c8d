//! The peer on rmcp. `serve` and `call` are described in `../../README.md`.

// Sampling and roots are deprecated in this revision, and still part of it.
#![allow(deprecated)]

mod call;
mod serve;

use std::process::ExitCode;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest = lexopt::Parser::from_args(args);
    let ran = match command.as_deref() {
        Some("serve") => serve::main(rest).await,
        Some("call") => call::main(rest).await,
        _ => Err("usage: rmcp-peer serve|call ...".into()),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
