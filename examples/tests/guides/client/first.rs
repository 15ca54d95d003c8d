//! A call over stdio, on plain threads: the first program of the guide.

use core::{error::Error, time::Duration};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    sync::mpsc,
    thread, time,
};

use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Action, Binding, Claims, Event, Invocation, LegId, Outcome, Reply, Request},
    wire::{InputRequest, InputResponse, Method, RawJson, RpcResponse},
};
use serde_json::json;

/// Calls the tool `deploy` of a server that is started by a command.
pub(super) fn deploy(
    server: Command,
    ask: fn(InputRequest) -> Option<InputResponse>,
) -> Result<Outcome, Box<dyn Error>> {
    let params = RawJson::parse(r#"{"name":"deploy","arguments":{"build":"build-42"}}"#)?;
    let id = InvocationId::new("call-1")?;
    let request = Request::new(id, Method::ToolsCall, params, Binding::new("process-1"));
    // There is somebody who can fill in a form.
    call(server, request, Claims::none().with_form(), ask)
}

/// What the loop waits for.
enum Input {
    Line(Vec<u8>),
    Event(Event),
}

/// Starts a server, makes one call, and returns its outcome. `ask` shows a question, and returns
/// the response, or `None` if the question cannot be answered.
pub(super) fn call(
    mut server: Command,
    request: Request,
    claims: Claims,
    ask: fn(InputRequest) -> Option<InputResponse>,
) -> Result<Outcome, Box<dyn Error>> {
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to_server = server.stdin.take().ok_or("the server has no input")?;
    let from_server = server.stdout.take().ok_or("the server has no output")?;

    // One thread reads what the server writes: a line is a message.
    let (sender, inputs) = mpsc::channel();
    let lines = sender.clone();
    thread::spawn(move || {
        for line in BufReader::new(from_server).split(b'\n').map_while(Result::ok) {
            lines.send(Input::Line(line)).ok();
        }
        lines.send(Input::Event(Event::ConnectionLost)).ok();
    });

    // The machine has no clock. It is told the time since a moment that the caller picks.
    let epoch = time::Instant::now();
    let now = || Instant::from_epoch(epoch.elapsed());
    let (mut call, mut actions) = Invocation::start(now(), request, claims, Limits::default())?;
    let mut in_flight = None;
    loop {
        for action in actions {
            match action {
                Action::Send(request) => {
                    // A message is one line. A write error is ignored: if the server is gone, its
                    // output ends, and the reader thread reports it.
                    let message = request.to_json().replace(['\r', '\n'], " ");
                    writeln!(to_server, "{message}").ok();
                    in_flight = Some(request.leg);
                }
                Action::CancelLeg { leg } => {
                    let params = json!({"requestId": leg.to_string()});
                    let method = "notifications/cancelled";
                    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
                    writeln!(to_server, "{message}").ok();
                }
                // A person takes minutes. The loop goes on meanwhile.
                Action::Ask { round, key, request } => {
                    let answers = sender.clone();
                    thread::spawn(move || {
                        let event = match ask(request) {
                            Some(response) => Event::Answer { round, key, response },
                            None => Event::Failed { round, key },
                        };
                        answers.send(Input::Event(event)).ok();
                    });
                }
                Action::Retract { .. } => eprintln!("The question is closed."),
                Action::Settle(outcome) => {
                    // A server ends when its input ends. Kill one that does not.
                    drop(to_server);
                    server.wait().ok();
                    return Ok(outcome);
                }
            }
        }
        let wait = call.deadline().map_or(Duration::ZERO, |at| at.since(now()));
        let event = match inputs.recv_timeout(wait) {
            Ok(Input::Event(event)) => event,
            // A line for another call is ignored: an early tick does nothing.
            Ok(Input::Line(line)) => read(in_flight.as_ref(), &line).unwrap_or(Event::Tick),
            Err(_) => Event::Tick,
        };
        actions = call.handle(now(), event)?;
    }
}

/// Reads a line. `None`: it does not answer the leg.
fn read(leg: Option<&LegId>, line: &[u8]) -> Option<Event> {
    let leg = leg?.clone();
    let response = RpcResponse::decode(line).ok()?;
    if response.id? != leg.to_string() {
        return None;
    }
    let reply = match response.outcome {
        Ok(result) => Reply::Result(result),
        Err(error) => Reply::Error(error),
    };
    Some(Event::Reply { leg, reply })
}
