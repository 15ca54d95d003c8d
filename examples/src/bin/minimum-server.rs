//! A minimum server of MCP 2026-07-28: one tool, which asks one question, over stdio.
//!
//! It is the program of `docs/minimum-server.md`.

use core::error::Error;
use std::{
    io::{self, BufRead as _, Write as _},
    sync::Arc,
    time::SystemTime,
};

use form_model::{ChoiceField, FlagField, FormBuilder, Submission};
use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    seal::{Keyring, RequestState},
    server::{Action, Ending, Endpoint, Exchange, Flow, Incoming, Misuse, Run, Stop},
    wire::{RawJson, RpcError},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Answers each line of the input with a line of the output, until the input ends.
fn main() -> Result<(), Box<dyn Error>> {
    // One process answers every request, so the key may be lost when the process ends.
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    let states = RequestState::new(Keyring::new([("this-process", key)])?);
    let endpoint = Arc::new(Endpoint::new("minimum").with_request_state(states));
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        if let Some(body) = answer(&endpoint, &line?)? {
            // A line break can stand between two tokens of JSON, and would end the message here.
            writeln!(output, "{}", body.as_str().replace(['\r', '\n'], " "))?;
            output.flush()?;
        }
    }
    Ok(())
}

/// Answers one message. A notification has no answer.
fn answer(endpoint: &Arc<Endpoint>, message: &[u8]) -> Result<Option<RawJson>, Misuse> {
    let incoming = Incoming::message(message);
    let (mut exchange, mut actions) = Exchange::receive(endpoint, now(), incoming);
    loop {
        // The output is for messages. A log goes to the standard error.
        actions.reports().iter().for_each(|report| eprintln!("{report:?}"));
        actions = match actions.into_iter().next() {
            Some(Action::Run(run)) => exchange.end(now(), &mut SysRng, handle(&run))?,
            Some(Action::Respond(respond)) => return Ok(respond.body),
            // Only an endpoint with single-use states returns these.
            Some(Action::Redeem { .. } | Action::Release { .. }) | None => return Ok(None),
        };
    }
}

fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}

/// Runs a request that the exchange found valid.
fn handle(run: &Run) -> Ending {
    Flow::run(run, |flow| match run.method.as_str() {
        "server/discover" => result(json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
        })),
        "tools/list" => result(json!({
            "tools": [{
                "name": "deploy",
                "description": "Deploys a build, after asking where to.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"build": {"type": "string"}},
                    "required": ["build"],
                },
            }],
            "ttlMs": 3_600_000,
            "cacheScope": "public",
        })),
        "tools/call" => call(flow),
        _ => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, "Method not found").into()),
    })
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Arguments,
}

#[derive(Deserialize)]
struct Arguments {
    build: String,
}

/// Calls the tool.
fn call(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    let invalid = |message: &'static str| RpcError::new(RpcError::INVALID_PARAMS, message);
    let params = flow.request().params.as_str();
    let call: Call = serde_json::from_str(params).map_err(|_| invalid("Expected a build"))?;
    if call.name != "deploy" {
        return Err(invalid("Unknown tool").into());
    }
    let build = call.arguments.build;
    let place = ChoiceField::new("place").title("Where to?").option("staging").option("production");
    let sure = FlagField::new("sure").title("Really deploy?");
    let form = FormBuilder::new().field(place.required()).field(sure.required()).build()?;
    // On the first run, the function stops here, and the person is asked. When the answer has come,
    // the function runs again from its start.
    let submission = flow.form("target", &format!("{build} is ready to be deployed."), form)?;
    let said = match submission {
        Submission::Accept(answer) if answer.flag("sure") == Some(true) => {
            // Deploy here.
            format!("{build} is deployed to {}", answer.text("place").unwrap_or_default())
        }
        Submission::Accept(_) | Submission::Decline => format!("{build} is not deployed"),
        Submission::Cancel => format!("{build} is not deployed: nobody decided"),
    };
    result(json!({"content": [{"type": "text", "text": said}]}))
}

/// Adds the name of this server to a result. Every result must have it.
fn result(mut result: Value) -> Result<RawJson, Stop> {
    let info = json!({"name": "minimum", "version": "1.0.0"});
    if let Some(result) = result.as_object_mut() {
        result.insert("_meta".into(), json!({"io.modelcontextprotocol/serverInfo": info}));
    }
    Ok(RawJson::from_value(&result)?)
}
