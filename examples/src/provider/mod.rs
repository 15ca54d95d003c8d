//! A provider: it executes the calls of a host on an MCP server, and leaves every question to the host.
//!
//! It runs on plain threads: one reads the frames of the host, and each invocation has its own.

mod asks;
mod server;

use core::{error::Error, time::Duration};
use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use mrtr_core::{
    Clocks, InvocationId, Limits,
    client::{Claims, Event, Invocation, Outcome, Request},
    host::{FRAME_BYTES_MAX, HostFrame, ProviderFrame, Requester},
    wire::{ClientInfo, Method, RawJson},
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    call::{Ended, Next, Observer},
    stdio::{line, lines},
    surface::Surface,
};
use asks::Asks;
pub use server::Server;

/// How long the provider waits for people: longer than any host, because the host's clock decides.
const INTERACTION: Duration = Duration::from_hours(24 * 7);

/// A provider around one MCP server.
pub struct Provider<O> {
    name: String,
    server: Server,
    limits: Limits,
    observer: O,
    frames: Arc<Frames>,
    live: Mutex<BTreeMap<InvocationId, Live>>,
}

/// An invocation whose end the host has not been told.
struct Live {
    inbox: Sender<Next>,
    asks: Arc<Asks>,
}

/// The output to the host.
struct Frames(Mutex<Box<dyn Write + Send>>);

impl<O: Observer + Sync> Provider<O> {
    /// Makes a provider that calls itself by a name. A request to the server may take `leg`.
    #[must_use]
    pub fn new(
        name: &str,
        server: Server,
        leg: Duration,
        output: impl Write + Send + 'static,
        observer: O,
    ) -> Self {
        let clocks = Clocks::default().leg(leg).interaction(INTERACTION);
        Self {
            name: name.into(),
            server,
            limits: Limits::default().clocks(clocks),
            observer,
            frames: Arc::new(Frames(Mutex::new(Box::new(output)))),
            live: Mutex::default(),
        }
    }

    /// Carries out the frames of the host until the input ends. Then it stops the invocations that
    /// are left, and returns once they have ended.
    ///
    /// # Errors
    ///
    /// An input that fails, or a line that is not a frame of a host.
    pub fn serve(&self, input: impl Read) -> io::Result<()> {
        thread::scope(|scope| {
            let read = || {
                for line in lines(input) {
                    match HostFrame::decode(&line?).map_err(io::Error::other)? {
                        HostFrame::Call { invocation, request } => {
                            let Some((asks, channel)) = self.begin(&invocation, &request) else {
                                continue;
                            };
                            let id = invocation.clone();
                            let run = move || self.run(id, request, asks, channel);
                            let run = thread::Builder::new().spawn_scoped(scope, run);
                            if let Err(error) = run {
                                self.end(rejected(invocation, &error.to_string()));
                            }
                        }
                        HostFrame::InteractionResult { invocation, interaction, result } => {
                            self.answer(&invocation, interaction, Ok(result));
                        }
                        HostFrame::InteractionRefused { invocation, interaction, code } => {
                            self.answer(&invocation, interaction, Err(code));
                        }
                        HostFrame::Cancel { invocation, .. } => self.cancel(&invocation),
                    }
                }
                Ok(())
            };
            let read = read();
            let left: Vec<_> = self.live().keys().cloned().collect();
            left.iter().for_each(|invocation| self.cancel(invocation));
            read
        })
    }

    /// Begins an invocation, unless it has begun already.
    fn begin(&self, invocation: &InvocationId, params: &RawJson) -> Option<(Arc<Asks>, Channel)> {
        let mut live = self.live();
        if live.contains_key(invocation) {
            return None;
        }
        let (inbox, events) = mpsc::channel();
        let tool =
            serde_json::from_str(params.as_str()).map_or(String::new(), |Named { name }| name);
        let requester = Requester::new(&self.name, self.server.name(), &tool);
        let form_limits = self.limits.form.clone();
        let asks = Asks::new(invocation.clone(), requester, self.frames.clone(), form_limits);
        let asks = Arc::new(asks);
        live.insert(invocation.clone(), Live { inbox: inbox.clone(), asks: asks.clone() });
        Some((asks, (inbox, events)))
    }

    /// Executes an invocation: a call to the MCP server.
    fn run(&self, id: InvocationId, params: RawJson, asks: Arc<Asks>, channel: Channel) {
        let start = || -> Result<_, Box<dyn Error>> {
            let (child, binding) = self.server.connect()?;
            let request = Request::new(id.clone(), Method::ToolsCall, params, binding)
                .with_client_info(ClientInfo::new("mrtr-provider", env!("CARGO_PKG_VERSION")));
            let claims = Claims::none().with_form().with_url();
            let (call, actions) =
                Invocation::start(child.now(), request, claims, self.limits.clone())?;
            Ok((child, call, actions))
        };
        let (child, call, actions) = match start() {
            Ok(started) => started,
            Err(why) => return self.end(rejected(id, &why.to_string())),
        };
        self.frames.send(&ProviderFrame::Accepted { invocation: id.clone() });
        let surface: Arc<dyn Surface> = asks;
        self.end(match child.drive(call, actions, &surface, &self.observer, channel) {
            Ended::Settled(Outcome::Complete(result)) => completed(id, result),
            Ended::Settled(Outcome::Error(error)) => failed(id, "error", &error.message),
            Ended::Settled(outcome) => failed(id, outcome.code(), &outcome.to_string()),
            Ended::GaveUp(why) => failed(id, "unanswerable", &why.to_string()),
        });
    }

    /// Hands over the host's answer to a question.
    fn answer(&self, invocation: &InvocationId, number: u64, result: Result<RawJson, String>) {
        if let Some(live) = self.live().get(invocation) {
            live.asks.answer(number, result);
        }
    }

    /// Stops an invocation. The host is told nothing more of it, because it has ended it.
    fn cancel(&self, invocation: &InvocationId) {
        if let Some(Live { inbox, asks }) = self.live().remove(invocation) {
            let _ = inbox.send(Ok(Event::Stop));
            asks.close();
        }
    }

    /// Tells the host how an invocation ended, unless the host has ended it.
    fn end(&self, frame: ProviderFrame) {
        let live = self.live().remove(frame.invocation());
        if let Some(Live { asks, .. }) = live {
            asks.close();
            self.frames.send(&frame);
        }
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<InvocationId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Channel = (Sender<Next>, Receiver<Next>);

/// The part of the params that the provider reads: the tool, to say who asks.
#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Passes a result on, if it fits in a frame.
fn completed(invocation: InvocationId, result: RawJson) -> ProviderFrame {
    let frame = ProviderFrame::Result { invocation, result };
    if frame.to_json().len() <= FRAME_BYTES_MAX {
        return frame;
    }
    failed(frame.invocation().clone(), "too_large", "the result is larger than a frame")
}

fn failed(invocation: InvocationId, code: &str, message: &str) -> ProviderFrame {
    match RawJson::from_value(&json!({"code": code, "message": message})) {
        Ok(error) => ProviderFrame::Failed { invocation, error },
        Err(_) => ProviderFrame::Released { invocation },
    }
}

fn rejected(invocation: InvocationId, message: &str) -> ProviderFrame {
    match RawJson::from_value(&json!({"code": "rejected", "message": message})) {
        Ok(error) => ProviderFrame::Rejected { invocation, error },
        Err(_) => ProviderFrame::Released { invocation },
    }
}

impl Frames {
    /// Sends a frame. The reading thread notices when the host is gone.
    fn send(&self, frame: &ProviderFrame) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = output.write_all(line(&frame.to_json()).as_bytes()).and_then(|()| output.flush());
    }
}
