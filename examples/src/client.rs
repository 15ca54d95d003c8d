//! A call over Streamable HTTP of MCP 2026-07-28.

use core::{
    future::Future,
    pin::{Pin, pin},
};

use axum::body::Bytes;
use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Action, Actions, Event, Instant, Invocation, LegId, LegRequest, Reply,
    wire::{Message, PROTOCOL_VERSION, WireError, header_value},
};
use reqwest::{Client, Response, header, redirect::Policy};
use tokio::time::sleep;

use crate::{
    call::{Call, Ended, Epoch, Next, Observer},
    surface::Surface,
};

/// The bytes that a response may have.
const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Is an HTTP client of one endpoint.
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
        // What goes to one server goes to no other, whatever the one says: answers and state are
        // for who asked.
        let client = Client::builder().redirect(Policy::none()).build().unwrap_or_default();
        Self { client, url: url.into(), epoch: Epoch::new() }
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
        let body = request.to_json();
        let LegRequest { leg, method, target, .. } = request;
        let sent = self
            .client
            .post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL_VERSION)
            .header("mcp-method", method.as_str())
            .header("mcp-name", header_value(&target).as_ref())
            .body(body)
            .send()
            .await;
        let read = match sent {
            Ok(response) => read(response, &leg).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(reply) => Event::Reply { leg, reply },
            Err(_) => Event::ConnectionLost,
        }
    }
}

/// Reads the reply to a leg from a response: one JSON document, or the last event of a stream.
async fn read(response: Response, leg: &LegId) -> Result<Reply, reqwest::Error> {
    let is_stream = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.to_ascii_lowercase().starts_with("text/event-stream"));
    let mut left = RESPONSE_BYTES_MAX;
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(Broken::Connection)?;
        left = left.checked_sub(chunk.len()).ok_or(Broken::TooLarge)?;
        Ok(chunk)
    });
    let read =
        if is_stream { read_events(chunks, leg).await } else { read_body(chunks, leg).await };
    match read {
        Ok(reply) => Ok(reply),
        Err(Broken::Connection(error)) => Err(error),
        Err(Broken::TooLarge) => {
            let what = "a response in bytes";
            Ok(Reply::Unreadable(WireError::TooLarge { what, max: RESPONSE_BYTES_MAX }))
        }
    }
}

/// Says why a response was not read to its end.
enum Broken {
    Connection(reqwest::Error),
    TooLarge,
}

async fn read_body(
    chunks: impl Stream<Item = Result<Bytes, Broken>>,
    leg: &LegId,
) -> Result<Reply, Broken> {
    let mut body = Vec::new();
    let mut chunks = pin!(chunks);
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
    }
    Ok(Reply::read(leg, &body))
}

/// Reads events until one is a response. Notifications and requests on the way are passed over.
async fn read_events(
    chunks: impl Stream<Item = Result<Bytes, Broken>>,
    leg: &LegId,
) -> Result<Reply, Broken> {
    let mut events = pin!(chunks.eventsource());
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(EventStreamError::Transport(broken)) => return Err(broken),
            Err(_) => return Ok(Reply::Unreadable(WireError::NotUtf8)),
        };
        if !event.data.is_empty() && Message::decode(event.data.as_bytes()).is_err() {
            return Ok(Reply::read(leg, event.data.as_bytes()));
        }
    }
    let expected = "a stream that ends with a response";
    Ok(Reply::Unreadable(WireError::Shape { what: "the response", expected }))
}
