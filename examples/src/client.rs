//! A call over Streamable HTTP of MCP 2026-07-28.

use core::{future::Future, pin::Pin};
use std::time::Instant as SystemInstant;

use eventsource_stream::Eventsource as _;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Action, Actions, Event, Instant, Invocation, LegId, LegRequest, Outcome, Phase, Reply,
    wire::{Message, PROTOCOL_VERSION, WireError, header_value},
};
use reqwest::{Client, Response, header};
use tokio::time::sleep;

use crate::surface::{GaveUp, Surface};

/// The bytes that a response may have.
const RESPONSE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Is an HTTP client of one endpoint.
pub struct Http {
    client: Client,
    url: String,
    /// The clock of the machines begins here.
    epoch: SystemInstant,
}

/// Says how a call ended.
pub enum Ended {
    /// By an outcome of the call.
    Settled(Outcome),
    /// Because nobody could answer; the call was stopped.
    GaveUp(GaveUp),
}

/// Hears what a call does.
pub trait Observer {
    /// A request goes out.
    fn sends(&self, request: &LegRequest, phase: Phase);
    /// A request came back, and the call is in this phase now.
    fn returned(&self, leg: &LegId, phase: Phase);
}

type Pending<'a> = Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + 'a>>;

impl Http {
    /// Makes a client of the endpoint at a URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { client: Client::new(), url: url.into(), epoch: SystemInstant::now() }
    }

    /// Returns the time, as the machines want it.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::from_epoch(self.epoch.elapsed())
    }

    /// Carries out what a call decides, until it settles.
    pub async fn drive(
        &self,
        mut call: Invocation,
        started: Actions,
        surface: &dyn Surface,
        observer: &dyn Observer,
    ) -> Ended {
        let mut actions = started;
        let mut pending: FuturesUnordered<Pending<'_>> = FuturesUnordered::new();
        let mut gave_up = None;
        loop {
            for action in actions {
                match action {
                    Action::Send(request) => {
                        observer.sends(&request, call.phase());
                        pending.push(Box::pin(async { Ok(self.post(request).await) }));
                    }
                    Action::Ask { round, key, interaction } => {
                        pending.push(Box::pin(surface.ask(round, key, interaction)));
                    }
                    // Whoever drops the response closes it, and whoever drops the question takes
                    // it back. Nothing of either can matter any more.
                    Action::CancelLeg { .. } | Action::Retract { .. } => pending.clear(),
                    Action::Settle(outcome) => {
                        return gave_up.map_or(Ended::Settled(outcome), Ended::GaveUp);
                    }
                }
            }
            let next = tokio::select! {
                Some(next) = pending.next() => next,
                () = until(call.deadline(), self.now()) => Ok(Event::Tick),
                _ = tokio::signal::ctrl_c() => Ok(Event::Stop),
            };
            let event = next.unwrap_or_else(|why| {
                gave_up = Some(why);
                Event::Stop
            });
            let leg = if let Event::Reply { leg, .. } = &event { Some(leg.clone()) } else { None };
            actions = match call.handle(self.now(), event) {
                Ok(actions) => actions,
                Err(misuse) => {
                    // The surface answered what the form does not take.
                    gave_up = Some(GaveUp(misuse.to_string()));
                    call.handle(self.now(), Event::Stop).unwrap_or_default()
                }
            };
            if let Some(leg) = leg {
                observer.returned(&leg, call.phase());
            }
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

async fn until(deadline: Option<Instant>, now: Instant) {
    match deadline {
        Some(deadline) => sleep(deadline.since(now)).await,
        None => core::future::pending().await,
    }
}

/// Reads the reply to a leg from a response: one JSON document, or the last event of a stream.
async fn read(response: Response, leg: &LegId) -> Result<Reply, reqwest::Error> {
    let too_large = WireError::TooLarge { what: "a response in bytes", max: RESPONSE_BYTES_MAX };
    let is_stream = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.to_ascii_lowercase().starts_with("text/event-stream"));
    if is_stream {
        return Ok(read_events(response, leg).await);
    }
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
        if body.len() > RESPONSE_BYTES_MAX {
            return Ok(Reply::Unreadable(too_large));
        }
    }
    Ok(Reply::read(leg, &body))
}

/// Reads events until one is a response. Notifications and requests on the way are passed over.
async fn read_events(response: Response, leg: &LegId) -> Reply {
    let mut read: usize = 0;
    let mut events = response.bytes_stream().eventsource();
    while let Some(Ok(event)) = events.next().await {
        read = read.saturating_add(event.data.len());
        if read > RESPONSE_BYTES_MAX {
            let what = "a response in bytes";
            return Reply::Unreadable(WireError::TooLarge { what, max: RESPONSE_BYTES_MAX });
        }
        if !event.data.is_empty() && Message::decode(event.data.as_bytes()).is_err() {
            return Reply::read(leg, event.data.as_bytes());
        }
    }
    let expected = "a stream that ends with a response";
    Reply::Unreadable(WireError::Shape { what: "the response", expected })
}
