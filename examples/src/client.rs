//! A call over Streamable HTTP of MCP 2026-07-28.

mod response;

use core::{
    future::Future,
    pin::{Pin, pin},
    time::Duration,
};
use std::borrow::Cow;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Instant,
    client::{Action, Actions, Event, Invocation, LegRequest, Reply},
    wire::{RawJson, Revision, RpcError, RpcResponse, WireError, expect_complete, request_headers},
};
use reqwest::{Client, redirect::Policy};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::time::{sleep, timeout};

use crate::{
    call::{Call, Ended, Epoch, Next, Observer},
    surface::Surface,
};
use response::{Unread, read};

/// The bytes that are kept of an error's data.
const ERROR_BYTES_MAX: usize = 16 * 1024;

/// How long a call without rounds may take.
const CALL_MAX: Duration = Duration::from_secs(60);

/// An HTTP client of one endpoint.
pub struct Http {
    client: Client,
    url: String,
    epoch: Epoch,
}

type Pending<'a> = Pin<Box<dyn Future<Output = Next> + 'a>>;

impl Http {
    /// Makes a client of the endpoint at a URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        // Redirects are not followed: answers and state are for the server that asked, and for no
        // other that it points to.
        let client = Client::builder().redirect(Policy::none()).build().unwrap_or_default();
        Self { client, url: url.into(), epoch: Epoch::new() }
    }

    /// Returns the time on the clock of the machines.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.epoch.now()
    }

    /// Carries out the actions of a call until it settles.
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
                    Action::Ask { round, key, request } => {
                        pending.push(surface.ask(round, key, request));
                    }
                    // Dropping a response closes its connection. Dropping a question stops waiting
                    // for its answer; the surface takes it off the screen.
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
        let reply = match self.send(request.headers(), request.to_json()).await {
            Ok(message) => Reply::read(&request.leg, &message),
            Err(Unread::Wire(error)) => Reply::Unreadable(error),
            Err(Unread::Connection(_)) => return Event::ConnectionLost,
        };
        Event::Reply { leg: request.leg, reply }
    }

    /// Calls a method that has no rounds, such as `tools/list`. The params are an object whose
    /// `_meta` names the protocol version and the client's capabilities.
    ///
    /// # Errors
    ///
    /// A server that refuses the call, cannot be reached, or answers otherwise than a server of this
    /// revision does.
    pub async fn call(&self, id: &str, method: &str, params: &Value) -> Result<RawJson, CallError> {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let headers = request_headers(Revision::default(), method, None);
        let sent = timeout(CALL_MAX, self.send(headers, message.to_string()));
        let message = sent.await.map_err(|_| CallError::TimedOut)??;
        let response = RpcResponse::decode(&message)?;
        let is_ours = match &response.id {
            Some(found) => found == id,
            None => response.outcome.is_err(),
        };
        if !is_ours {
            return Err(WireError::shape("id", "the id of the request").into());
        }
        match response.outcome {
            Ok(result) => {
                expect_complete(result.as_json())?;
                Ok(result)
            }
            Err(error) => {
                Err(CallError::Refused(RpcError::decode(error.as_json(), ERROR_BYTES_MAX)?))
            }
        }
    }

    /// Sends a message with its headers, and returns the bytes of the message that answers it.
    async fn send<'n, 'v>(
        &self,
        headers: impl Iterator<Item = (&'n str, Cow<'v, str>)>,
        message: String,
    ) -> Result<Vec<u8>, Unread> {
        let request = headers.fold(self.client.post(&self.url), |request, (name, value)| {
            request.header(name, value.as_ref())
        });
        read(request.body(message).send().await?).await
    }
}

/// Why a call without rounds has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server refused it.
    #[error("the server answered with error {}", .0.code)]
    Refused(RpcError),
    /// The answer is malformed.
    #[error("the server's answer cannot be read: {0}")]
    Wire(#[from] WireError),
    /// The server took too long.
    #[error("the server did not answer in time")]
    TimedOut,
    /// The server cannot be reached, or the connection broke.
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
