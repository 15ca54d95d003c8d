//! The host's side: a call, and a person who is asked.

use std::{
    env, io,
    path::PathBuf,
    process::{Command, ExitCode},
    time::SystemTime,
};

use clap::Args;
use form_model::SafeText;
use mrtr_core::{
    host::{Call, Limits, Outcome, RegistrationId, Report, Scope, SessionId, ToolCallId, TurnId},
    wire::RawJson,
};
use mrtr_examples::{
    host::{
        Host, Reporter,
        store::{Journal, epoch_after},
    },
    surface::{Answers, show_result},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{Failure, person};

#[derive(Args)]
pub(crate) struct Settings {
    /// Keeps questions and answers in this file.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// The tool to call.
    #[arg(long, default_value = "deploy")]
    tool: String,
    /// Its arguments, as a JSON object.
    #[arg(long, default_value = r#"{"artifact":"build-42"}"#)]
    args: String,
    #[command(flatten)]
    answers: Answers,
    /// The command of the MCP server. The default is the server of the demo.
    #[arg(last = true)]
    server: Vec<String>,
}

/// Calls the tool, and returns once the provider and its server have ended.
pub(crate) fn run(settings: Settings) -> Result<ExitCode, Failure> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let (host, ended) = start(settings.store.as_ref())?;
        let outcome = call(&host, settings).await;
        drop(host);
        ended.await?;
        Ok(print(&outcome?))
    })
}

fn start(store: Option<&PathBuf>) -> Result<(Host, JoinHandle<()>), Failure> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let now = u64::try_from(now.as_millis())?;
    let reporter: Reporter = Box::new(|report| {
        if let Report::Refused { connection, why } = report {
            eprintln!("refused on connection {connection}: {why}");
        }
    });
    let Some(path) = store else {
        return Ok(Host::volatile(epoch_after(&[], now), Limits::default(), reporter));
    };
    let (journal, held) = Journal::open(path)
        .map_err(|error| format!("the store {} cannot be opened: {error}", path.display()))?;
    let epoch = epoch_after(&held, now);
    Ok(Host::durable(epoch, Limits::default(), reporter, Box::new(journal), held)?)
}

async fn call(host: &Host, settings: Settings) -> Result<Outcome, Failure> {
    let Settings { tool, args, answers, server, .. } = settings;
    let arguments: Value = serde_json::from_str(&args)
        .map_err(|_| "expected the arguments to be JSON, such as {\"artifact\":\"build-42\"}")?;
    let registration = RegistrationId::new("local")?;
    let connection = host.start(provider(&server)?).await?;
    host.register(registration.clone(), connection).await?;
    let session = SessionId::new("terminal")?;
    let screen = host.surface(session.clone()).await?;
    let (turn, tool_call) = (TurnId::new("turn-1")?, ToolCallId::new("tool-call-1")?);
    let request = RawJson::from_value(&json!({"name": tool, "arguments": arguments}))?;
    let call = Call::new(session, turn, tool_call, registration, request);
    let running = host.call(call).await?;
    println!("→ {} {tool}", running.invocation);
    let mut outcome = Box::pin(running.outcome());
    tokio::select! {
        outcome = &mut outcome => return Ok(outcome?),
        attended = person::attend(screen, &answers) => attended?,
        _ = tokio::signal::ctrl_c() => host.stop(Scope::All).await?,
    }
    Ok(outcome.await?)
}

/// Makes the command of the provider: this program, around a server.
fn provider(server: &[String]) -> Result<Command, Failure> {
    let this = env::current_exe()?;
    let mut command = Command::new(&this);
    command.args(["provider", "--name", "chain"]);
    if let Some(program) = server.first() {
        command.args(["--server", program, "--"]).args(server);
        return Ok(command);
    }
    let demo = this.with_file_name(format!("deploy{}", env::consts::EXE_SUFFIX));
    if !demo.exists() {
        let how =
            "build the server of the demo with `cargo build -p mrtr-examples`, or name another";
        return Err(io::Error::new(io::ErrorKind::NotFound, how).into());
    }
    command.args(["--server", "deploy", "--"]).arg(demo).args(["serve", "--stdio"]);
    Ok(command)
}

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
        Outcome::Rejected(error) | Outcome::Failed(error) => {
            let error: Value = serde_json::from_str(error.as_str()).unwrap_or_default();
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            eprintln!("{}: {}", outcome.code(), SafeText::line(message));
            ExitCode::FAILURE
        }
        Outcome::TimedOut(clock) => {
            eprintln!("{}: {clock}", outcome.code());
            ExitCode::FAILURE
        }
        Outcome::Released
        | Outcome::Inconsistent
        | Outcome::Stopped
        | Outcome::Unanswerable
        | Outcome::StoreFailed
        | Outcome::Lost
        | Outcome::OutcomeUnknown => {
            eprintln!("{}", outcome.code());
            ExitCode::FAILURE
        }
    }
}
