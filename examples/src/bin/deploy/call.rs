//! The client's side: a call of any tool, over HTTP or stdio.

use core::fmt;
use std::{
    io,
    process::{Command, ExitCode},
    sync::{Arc, mpsc},
};

use clap::ValueEnum;
use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Actions, Binding, Claims, Event, Invocation, Outcome, Request, StartError},
    wire::{ClientInfo, Method, RawJson},
};
use mrtr_examples::{
    call::{Ended, Log},
    client::Http,
    stdio,
    surface::{Answers, Surface, show_result},
};
use serde_json::{Value, json};

use crate::Failure;

/// A server to call.
pub(crate) enum Target {
    /// A server at a URL.
    Url(String),
    /// A server that a command starts, and that is called over stdio.
    Command(Vec<String>, Runtime),
}

/// The runtime of a call over stdio.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Runtime {
    /// Plain threads.
    Threads,
    /// The runtime smol.
    Smol,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => f.write_str(url),
            Self::Command(command, _) => f.write_str(&command.join(" ")),
        }
    }
}

/// Calls a tool and prints each leg and the outcome.
pub(crate) async fn call(
    target: Target,
    tool: &str,
    arguments: Value,
    answers: Answers,
) -> Result<ExitCode, Failure> {
    let requester = format!("The server {target} (its tool {tool}, both unverified)");
    // Without anybody to answer, the call could claim nothing, and is not made.
    let surface = answers.surface(requester).ok_or(
        "there is no terminal to ask at: answer with --answer NAME=VALUE, --decline or --cancel",
    )?;
    let request = Request::new(
        InvocationId::new("call-1")?,
        Method::ToolsCall,
        RawJson::from_value(&json!({"name": tool, "arguments": arguments}))?,
        Binding::new(&target.to_string()),
    );
    let request = request.with_client_info(ClientInfo::new("deploy", env!("CARGO_PKG_VERSION")));
    let claims = Claims::none().with_form().with_url();
    let start = |now| Invocation::start(now, request, claims, Limits::default());
    let ended = match target {
        Target::Url(url) => over_http(&url, start, surface.as_ref()).await?,
        Target::Command(command, Runtime::Threads) => on_threads(&command, start, surface).await?,
        Target::Command(command, Runtime::Smol) => on_smol(&command, start, surface).await?,
    };
    match ended {
        Ended::Settled(outcome) => Ok(print(&outcome)),
        Ended::GaveUp(why) => Err(format!("{why}\nno answer was sent").into()),
    }
}

type Started = Result<(Invocation, Actions), StartError>;

async fn over_http(
    url: &str,
    start: impl FnOnce(Instant) -> Started,
    surface: &dyn Surface,
) -> Result<Ended, Failure> {
    let http = Http::new(url);
    let (call, actions) = start(http.now())?;
    Ok(http.drive(call, actions, surface, &PRINTER).await)
}

async fn on_threads(
    command: &[String],
    start: impl FnOnce(Instant) -> Started,
    surface: Arc<dyn Surface>,
) -> Result<Ended, Failure> {
    let child = stdio::threads::Child::spawn(to_start(command)).map_err(not_started)?;
    let (call, actions) = start(child.now())?;
    let (inbox, events) = mpsc::channel();
    let stop = inbox.clone();
    on_interrupt(move || drop(stop.send(Ok(Event::Stop))));
    let drive = move || child.drive(call, actions, &surface, &PRINTER, (inbox, events));
    Ok(tokio::task::spawn_blocking(drive).await?)
}

async fn on_smol(
    command: &[String],
    start: impl FnOnce(Instant) -> Started,
    surface: Arc<dyn Surface>,
) -> Result<Ended, Failure> {
    let child = stdio::smol::Child::spawn(to_start(command)).map_err(not_started)?;
    let (call, actions) = start(child.now())?;
    let (inbox, events) = smol::channel::unbounded();
    let stop = inbox.clone();
    on_interrupt(move || drop(stop.try_send(Ok(Event::Stop))));
    let drive = async move |channel| {
        let ended = child.drive(call, actions, surface.as_ref(), &PRINTER, channel).await;
        child.close().await;
        ended
    };
    Ok(tokio::task::spawn_blocking(|| smol::block_on(drive((inbox, events)))).await?)
}

/// Makes the command that starts a server. It is there: clap requires it of a call without a URL.
fn to_start(command: &[String]) -> Command {
    let (program, args) = command.split_first().map_or(("", command), |(p, args)| (p, args));
    let mut command = Command::new(program);
    command.args(args);
    command
}

fn not_started(error: io::Error) -> String {
    format!("the server did not start: {error}")
}

/// Lets an interrupt stop the call, so that the server is told.
fn on_interrupt(stop: impl FnOnce() + Send + 'static) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop();
        }
    });
}

/// Prints each leg as it goes.
const PRINTER: Log = Log(|line| println!("{line}"));

/// Prints how the call ended. Only a result without an error is a success.
fn print(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Complete(result) => {
            if show_result(result) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
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
