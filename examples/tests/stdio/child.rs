//! Servers that are child processes, and the calls that the tests make to them.

use core::{future::Future, pin::Pin, time::Duration};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, mpsc},
};

use mrtr_core::{
    Clocks, InvocationId, Limits, Phase,
    client::{Binding, Claims, Event, Invocation, LegId, LegRequest, Outcome, Request},
    wire::{InputRequest, Method, RawJson},
};
use mrtr_examples::{
    call::{Ended, Next, Observer},
    stdio,
    surface::{GaveUp, Script, Surface},
};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Adapter {
    Threads,
    Smol,
}

pub(crate) const ADAPTERS: [Adapter; 2] = [Adapter::Threads, Adapter::Smol];

/// A server that runs as a child process of either adapter.
pub(crate) enum Child {
    Threads(stdio::threads::Child),
    Smol(stdio::smol::Child),
}

pub(crate) type Stop = Arc<dyn Fn() + Send + Sync>;

/// When a call is stopped.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stops {
    Never,
    /// As soon as a leg is sent.
    Sending,
    /// As soon as somebody is asked, right before they answer.
    Asked,
}

/// A surface and an observer. Without a script, nobody answers.
pub(crate) struct Person {
    pub(crate) script: Option<Script>,
    pub(crate) stops: Stops,
    pub(crate) stop: Stop,
    /// The keys of the questions, in the order in which they were asked.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Surface for Person {
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        self.asked.lock().unwrap().push(key.clone());
        if self.stops == Stops::Asked {
            (self.stop)();
        }
        match &self.script {
            Some(script) => script.ask(round, key, request),
            None => Box::pin(core::future::pending()),
        }
    }
}

impl Observer for Person {
    fn sends(&self, _: &LegRequest, _: Phase) {
        if self.stops == Stops::Sending {
            (self.stop)();
        }
    }

    fn returned(&self, _: &LegId, _: Phase) {}
}

/// One call of a tool.
pub(crate) struct Call {
    pub(crate) id: &'static str,
    pub(crate) params: String,
    pub(crate) script: Option<Script>,
    pub(crate) stops: Stops,
    pub(crate) leg: Duration,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Call {
    pub(crate) fn new(id: &'static str) -> Self {
        let params = r#"{"name":"deploy","arguments":{"artifact":"build-42"}}"#.into();
        let script = Some(Script::Accept(vec![("confirm".into(), "true".into())]));
        let leg = Duration::from_secs(60);
        Self { id, params, script, stops: Stops::Never, leg, asked: Arc::default() }
    }

    pub(crate) fn person(&mut self, stop: impl Fn(Next) + Send + Sync + 'static) -> Arc<Person> {
        let stop = Arc::new(move || stop(Ok(Event::Stop)));
        let (script, asked) = (self.script.take(), self.asked.clone());
        Arc::new(Person { script, stops: self.stops, stop, asked })
    }
}

impl Child {
    pub(crate) fn spawn(adapter: Adapter, command: Command) -> Self {
        match adapter {
            Adapter::Threads => Self::Threads(stdio::threads::Child::spawn(command).unwrap()),
            Adapter::Smol => Self::Smol(stdio::smol::Child::spawn(command).unwrap()),
        }
    }

    pub(crate) fn call(&self, mut call: Call) -> Outcome {
        let limits = Limits::default().clocks(Clocks::default().leg(call.leg));
        let id = InvocationId::new(call.id).unwrap();
        let params = RawJson::parse(&call.params).unwrap();
        let request = Request::new(id, Method::ToolsCall, params, Binding::new("child"));
        let start =
            |now| Invocation::start(now, request, Claims::none().with_form(), limits).unwrap();
        let ended = match self {
            Self::Threads(child) => {
                let (inbox, events) = mpsc::channel();
                let stop = inbox.clone();
                let person = call.person(move |next| stop.send(next).unwrap());
                let (machine, actions) = start(child.now());
                let surface: Arc<dyn Surface> = person.clone();
                child.drive(machine, actions, &surface, person.as_ref(), (inbox, events))
            }
            Self::Smol(child) => {
                let (inbox, events) = smol::channel::unbounded();
                let stop = inbox.clone();
                let person = call.person(move |next| stop.try_send(next).unwrap());
                let (machine, actions) = start(child.now());
                let person = person.as_ref();
                smol::block_on(child.drive(machine, actions, person, person, (inbox, events)))
            }
        };
        match ended {
            Ended::Settled(outcome) => outcome,
            Ended::GaveUp(why) => panic!("{why}"),
        }
    }

    pub(crate) fn close(self) {
        match self {
            Self::Threads(child) => drop(child),
            Self::Smol(child) => smol::block_on(child.close()),
        }
    }
}

/// A server that plays a shell script, and the file for what it receives.
pub(crate) struct Play {
    pub(crate) adapter: Adapter,
    pub(crate) command: Command,
    pub(crate) heard: PathBuf,
}

impl Play {
    /// In the script, `hear` reads a line, `say` writes one, and `$1`, `$2` and so on are the lines.
    pub(crate) fn new(adapter: Adapter, name: &str, script: &str, lines: &[&str]) -> Self {
        let heard = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{adapter:?}"));
        let _ = fs::remove_file(&heard);
        let words = r#"
            hear() { IFS= read -r line && printf '%s\n' "$line" >> "$HEARD"; }
            say() { printf '%s\n' "$1"; }
        "#;
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{words}\n{script}"), "sh"]).args(lines).env("HEARD", &heard);
        Self { adapter, command, heard }
    }

    /// Plays one call, and returns what the server received.
    pub(crate) fn run(self, call: Call) -> (Outcome, Vec<String>) {
        let child = Child::spawn(self.adapter, self.command);
        let outcome = child.call(call);
        child.close();
        (outcome, heard(&self.heard))
    }
}

pub(crate) fn heard(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(Into::into).collect()
}

pub(crate) const ASKS: &str = r#"{"jsonrpc":"2.0","id":"call-1.1","result":{"resultType":"input_required","requestState":"opaque","inputRequests":{"sure":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}}}}}}"#;

pub(crate) fn done(leg: &str) -> String {
    json!({"jsonrpc": "2.0", "id": leg, "result": {"content": []}}).to_string()
}

pub(crate) fn cancels(message: &str) -> String {
    let message: Value = serde_json::from_str(message).unwrap();
    assert_eq!(message["jsonrpc"], "2.0");
    assert_eq!(message["method"], "notifications/cancelled");
    assert_eq!(message.get("id"), None);
    message["params"]["requestId"].as_str().unwrap().into()
}
