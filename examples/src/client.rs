//! A call over Streamable HTTP of MCP 2026-07-28.

mod response;

use core::{
    future::Future,
    pin::{Pin, pin},
    time::Duration,
};
use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Action, Actions, Event, Instant, Invocation, LegRequest, Reply,
    wire::{
        Method, PROTOCOL_VERSION, RawJson, RpcError, RpcResponse, WireError, expect_complete,
        header_value,
    },
};
use reqwest::{Client, RequestBuilder, header, redirect::Policy};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::time::{sleep, timeout};

use crate::{
    call::{Call, Ended, Epoch, Next, Observer},
    mirrored::Mirrored,
    surface::Surface,
};
use response::{Unread, send};

/// The bytes that are kept of an error's data.
const ERROR_BYTES_MAX: usize = 16 * 1024;

/// How long a call without rounds may take.
const CALL_MAX: Duration = Duration::from_secs(60);

/// Is an HTTP client of one endpoint.
pub struct Http {
    client: Client,
    url: String,
    epoch: Epoch,
    /// The tools of which arguments are repeated in headers.
    mirrored: BTreeMap<String, Mirrored>,
}

type Pending<'a> = Pin<Box<dyn Future<Output = Next> + 'a>>;

impl Http {
    /// Makes a client of the endpoint at a URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        // What goes to one server goes to no other, whatever the one says: answers and state are
        // for who asked.
        let client = Client::builder().redirect(Policy::none()).build().unwrap_or_default();
        Self { client, url: url.into(), epoch: Epoch::new(), mirrored: BTreeMap::new() }
    }

    /// Says which arguments of a tool are repeated in headers. A client learns it from
    /// `tools/list`.
    pub fn mirror(&mut self, tool: &str, mirrored: Mirrored) {
        self.mirrored.insert(tool.into(), mirrored);
    }

    /// Returns the time, as the machines want it.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.epoch.now()
    }

    /// Carries out what a call decides, until it settles.
    pub async fn drive(
        &self,
        call: Invocation,
        started: Actions,
        surface: &dyn Surface,
        observer: &dyn Observer,
    ) -> Ended {
        let mut call = Call::new(call, self.epoch, observer);
        let mut pending: FuturesUnordered<Pending<'_>> = FuturesUnordered::new();
        let mut interrupted = pin!(tokio::signal::ctrl_c());
        let mut actions = started;
        loop {
            for action in actions {
                match action {
                    Action::Send(request) => {
                        call.sends(&request);
                        pending.push(Box::pin(async { Ok(self.post(request).await) }));
                    }
                    Action::Ask { round, key, interaction } => {
                        pending.push(surface.ask(round, key, interaction));
                    }
                    // Whoever drops the response closes it. A question that is dropped is not
                    // waited for any more; taking it off the screen is the surface's to do.
                    Action::CancelLeg { .. } | Action::Retract { .. } => pending.clear(),
                    Action::Settle(outcome) => return call.end(outcome),
                }
            }
            let next = tokio::select! {
                Some(next) = pending.next() => next,
                () = sleep(call.wait()) => Ok(Event::Tick),
                _ = &mut interrupted => Ok(Event::Stop),
            };
            actions = call.handle(next);
        }
    }

    /// Sends a leg and reads what comes back.
    async fn post(&self, request: LegRequest) -> Event {
        let LegRequest { leg, method, target, params, .. } = &request;
        let mut http = self.request(method.as_str()).header("mcp-name", &*header_value(target));
        let mirrored = self.mirrored.get(&**target).filter(|_| *method == Method::ToolsCall);
        for (name, value) in mirrored.iter().flat_map(|mirrored| mirrored.headers(params)) {
            http = http.header(name, value);
        }
        let reply = match send(http, request.to_json()).await {
            Ok(message) => Reply::read(leg, &message),
            Err(Unread::Wire(error)) => Reply::Unreadable(error),
            Err(Unread::Connection(_)) => return Event::ConnectionLost,
        };
        Event::Reply { leg: request.leg, reply }
    }

    /// Calls a method that has no rounds, such as `tools/list`. The params are an object whose
    /// `_meta` says who calls.
    ///
    /// # Errors
    ///
    /// What the server refuses, and what no server of this revision answers.
    pub async fn call(&self, id: &str, method: &str, params: &Value) -> Result<RawJson, CallError> {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let sent = timeout(CALL_MAX, send(self.request(method), message.to_string()));
        let message = sent.await.map_err(|_| CallError::TimedOut)??;
        let response = RpcResponse::decode(&message)?;
        let is_ours = match &response.id {
            Some(found) => found == id,
            None => response.outcome.is_err(),
        };
        if !is_ours {
            let expected = "the id of the request";
            return Err(CallError::Wire(WireError::Shape { what: "id", expected }));
        }
        match response.outcome {
            Ok(result) => {
                expect_complete(&result)?;
                Ok(result)
            }
            Err(error) => Err(CallError::Refused(RpcError::decode(&error, ERROR_BYTES_MAX)?)),
        }
    }

    /// Begins a request with the headers that all have.
    fn request(&self, method: &str) -> RequestBuilder {
        self.client
            .post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL_VERSION)
            .header("mcp-method", method)
    }
}

/// Says why a call without rounds has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server refused it.
    #[error("the server answered with error {}", .0.code)]
    Refused(RpcError),
    /// The answer is none.
    #[error("the server's answer can not be read: {0}")]
    Wire(#[from] WireError),
    /// The server took too long.
    #[error("the server did not answer in time")]
    TimedOut,
    /// The server can not be reached, or the connection broke.
    #[error("the connection was lost: {0}")]
    Connection(reqwest::Error),
}

impl From<Unread> for CallError {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Connection(error) => Self::Connection(error),
            Unread::Wire(error) => Self::Wire(error),
        }
    }
}
