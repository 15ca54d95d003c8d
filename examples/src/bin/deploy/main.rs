//! The deployment scenario: a tool asks where to deploy and whether, a person answers, the call
//! goes on.

#![forbid(unsafe_code)]

mod tool;

use std::{io::IsTerminal as _, process::ExitCode};

use clap::{Args, Parser, Subcommand};
use getrandom::{SysRng, rand_core::Rng as _, rand_core::UnwrapErr};
use mrtr_core::{
    Binding, Claims, Endpoint, Invocation, InvocationId, Keyring, LegId, LegRequest, Limits,
    Outcome, Phase, Request, RequestState,
    exchange::Report,
    wire::{Method, RawJson},
};
use mrtr_examples::{
    client::{Ended, Http, Observer},
    server::{self, Server},
    surface::{Script, Surface, Terminal},
};
use serde_json::{Value, json};

/// Deploys, after asking where to: a client and a server of MCP 2026-07-28 in one process.
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
    /// Serves the tool `deploy` at http://127.0.0.1:PORT/mcp until it is interrupted.
    Serve {
        /// The port; 0 picks a free one.
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// Calls a tool of any server.
    Call {
        /// The URL of the server.
        url: String,
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

#[derive(Args)]
struct Answers {
    /// Answers a field of every form, as NAME=VALUE; of a multiple choice, as NAME=A,B.
    #[arg(long = "answer", value_name = "NAME=VALUE", value_parser = pair)]
    given: Vec<(String, String)>,
    /// Declines every form.
    #[arg(long, conflicts_with_all = ["given", "dismiss"])]
    decline: bool,
    /// Closes every form without an answer.
    #[arg(long, conflicts_with = "given")]
    dismiss: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

impl Answers {
    /// Picks who answers. `None`: there is nobody.
    fn surface(self, requester: String) -> Option<Box<dyn Surface>> {
        if self.decline {
            Some(Box::new(Script::Decline))
        } else if self.dismiss {
            Some(Box::new(Script::Dismiss))
        } else if !self.given.is_empty() {
            Some(Box::new(Script::Accept(self.given)))
        } else if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            Some(Box::new(Terminal::new(requester)))
        } else {
            None
        }
    }
}

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = tokio::runtime::Runtime::new().map_err(Failure::from).and_then(|runtime| {
        let done = runtime.block_on(run(cli));
        // A prompt that was taken back still waits for a key. Nobody waits for it.
        runtime.shutdown_background();
        done
    });
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
        Some(Side::Serve { port }) => {
            let listener = server::listen(port).await?;
            println!("serving http://{}/mcp", listener.local_addr()?);
            tokio::select! {
                served = server::serve(listener, deploy_server()?) => served?,
                _ = tokio::signal::ctrl_c() => {}
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(Side::Call { url, tool, args, answers }) => {
            let arguments = serde_json::from_str(&args).map_err(
                |_| "expected the arguments to be JSON, such as {\"artifact\":\"build-42\"}",
            )?;
            call(&url, &tool, arguments, answers).await
        }
        None => {
            let listener = server::listen(0).await?;
            let url = format!("http://{}/mcp", listener.local_addr()?);
            tokio::spawn(server::serve(listener, deploy_server()?));
            call(&url, "deploy", json!({"artifact": "build-42"}), cli.answers).await
        }
    }
}

/// Makes the server, with a key that lives as long as the process.
fn deploy_server() -> Result<Server, Failure> {
    let mut key = [0; 32];
    UnwrapErr(SysRng).fill_bytes(&mut key);
    let states = RequestState::new(Keyring::new([("process", key)])?);
    Ok(Server {
        endpoint: Endpoint::new("deploy").with_request_state(states),
        handler: tool::handle,
        reporter: report,
    })
}

/// Tells the operator what went wrong. A round that was asked is no news.
fn report(report: &Report) {
    if !matches!(report, Report::InputRequired { .. }) {
        eprintln!("server: {report:?}");
    }
}

/// Calls a tool and prints each leg and the outcome.
async fn call(
    url: &str,
    tool: &str,
    arguments: Value,
    answers: Answers,
) -> Result<ExitCode, Failure> {
    let requester = format!("The server at {url} (its tool {tool}, both unverified)");
    // Without somebody who answers there is no claim that somebody does, and no call.
    let surface = answers.surface(requester).ok_or(
        "there is no terminal to ask at: answer with --answer NAME=VALUE, --decline or --dismiss",
    )?;
    let params = json!({
        "name": tool,
        "arguments": arguments,
        "_meta": {"io.modelcontextprotocol/clientInfo": {"name": "deploy", "version": env!("CARGO_PKG_VERSION")}},
    });
    let http = Http::new(url);
    let request = Request::new(
        InvocationId::new("call-1")?,
        Method::ToolsCall,
        RawJson::from_value(&params)?,
        Binding::new(url),
    );
    let claims = Claims::none().with_form(surface.as_ref()).with_url(surface.as_ref());
    let (call, actions) = Invocation::start(http.now(), request, claims, Limits::default())?;
    match http.drive(call, actions, surface.as_ref(), &Printer).await {
        Ended::Settled(outcome) => Ok(print(&outcome)),
        Ended::GaveUp(why) => Err(format!("{why}\nno answer was sent").into()),
    }
}

/// Prints each leg as it goes.
struct Printer;

impl Observer for Printer {
    fn sends(&self, request: &LegRequest, phase: Phase) {
        let state = match request.state_bytes {
            None => "no requestState".into(),
            Some(bytes) => format!("requestState of {bytes} bytes"),
        };
        println!("→ {} {} ({phase:?}, {state})", request.leg, request.method.as_str());
    }

    fn returned(&self, leg: &LegId, phase: Phase) {
        println!("← {leg} ({phase:?})");
    }
}

/// Prints how the call ended. Only a result that is no error is a success.
fn print(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Complete(result) => {
            let result: Value = serde_json::from_str(result.as_str()).unwrap_or_default();
            for block in result.get("content").and_then(Value::as_array).into_iter().flatten() {
                let text = block.get("text").and_then(Value::as_str).unwrap_or("(not a text)");
                println!("{}", form_model::SafeText::paragraph(text));
            }
            let failed = result.get("isError") == Some(&Value::Bool(true));
            if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Outcome::Error(error) => {
            let message = form_model::SafeText::line(&error.message);
            eprintln!("the server refused: {message} ({})", error.code);
            ExitCode::FAILURE
        }
        Outcome::Fault(_)
        | Outcome::TimedOut(_)
        | Outcome::Stopped
        | Outcome::Unanswerable
        | Outcome::Lost
        | Outcome::OutcomeUnknown => {
            eprintln!("{}", form_model::SafeText::line(&outcome.to_string()));
            ExitCode::FAILURE
        }
    }
}
