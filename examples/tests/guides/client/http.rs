//! A call over Streamable HTTP, on tokio.

use core::error::Error;
use std::{sync::Arc, time};

use eventsource_stream::Eventsource as _;
use futures_util::StreamExt as _;
use mrtr_core::{
    Instant, Limits,
    client::{Action, Claims, Event, Invocation, LegId, LegRequest, Outcome, Reply, Request},
    wire::{Message, RpcResponse, WireError},
};
use tokio::{
    sync::mpsc::{self, UnboundedSender},
    task::{JoinSet, spawn_blocking},
    time::sleep,
};

use super::screen::{Screen, ask};

/// The most bytes of a response.
const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Makes the client. It follows no redirect: answers and states are for the server that asked.
pub(super) fn client() -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()
}

/// Sends a leg, and returns what answered it. Progress that is reported meanwhile goes into `events`.
async fn send(
    http: &reqwest::Client,
    url: &str,
    request: &LegRequest,
    events: &UnboundedSender<Event>,
) -> Result<Reply, Box<dyn Error + Send + Sync>> {
    let mut post = http.post(url).body(request.to_json());
    for (name, value) in request.headers() {
        post = post.header(name, &*value);
    }
    let response = post.send().await?;
    let status = response.status().as_u16();
    let media_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    let mut left = RESPONSE_BYTES_MAX;
    let mut chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk?;
        left = left.checked_sub(chunk.len()).ok_or("the response is too large")?;
        Ok::<_, Box<dyn Error + Send + Sync>>(chunk)
    });
    match media_type.as_str() {
        "application/json" => {
            let mut body = Vec::new();
            while let Some(chunk) = chunks.next().await {
                body.extend_from_slice(&chunk?);
            }
            Ok(Reply::read(&request.leg, &body))
        }
        "text/event-stream" => {
            let mut messages = chunks.eventsource();
            while let Some(message) = messages.next().await {
                let message = message?.data;
                if RpcResponse::decode(message.as_bytes()).is_ok() {
                    return Ok(Reply::read(&request.leg, message.as_bytes()));
                }
                notice(&request.leg, &message, events);
            }
            Err("the stream ended without a response".into())
        }
        // A gateway cannot tell whether the server has worked.
        _ if matches!(status, 502..=504) => Err("a gateway answered".into()),
        // Nobody here speaks the protocol. See the table of statuses.
        _ => Ok(Reply::Unreadable(WireError::shape("the response", "JSON or an event stream"))),
    }
}

/// Takes a notification that came beside the reply.
fn notice(leg: &LegId, message: &str, events: &UnboundedSender<Event>) {
    match Message::decode(message.as_bytes()) {
        Ok(message) if message.method == "notifications/progress" => {
            events.send(Event::Progress { leg: leg.clone() }).ok();
        }
        // A log message, an event that is no message, or something new.
        Ok(_) | Err(_) => {}
    }
}

/// Makes a call and returns its outcome.
pub(super) async fn call(
    http: &reqwest::Client,
    url: &str,
    request: Request,
    claims: Claims,
    limits: Limits,
    screen: Arc<dyn Screen>,
) -> Result<Outcome, Box<dyn Error>> {
    let epoch = time::Instant::now();
    let now = || Instant::from_epoch(epoch.elapsed());
    let (mut call, mut actions) = Invocation::start(now(), request, claims, limits)?;
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut legs = JoinSet::new();
    loop {
        actions.reports().iter().for_each(|report| eprintln!("{report:?}"));
        for action in actions {
            match action {
                Action::Send(request) => {
                    let (http, url, events) = (http.clone(), url.to_owned(), sender.clone());
                    legs.spawn(async move {
                        let event = match send(&http, &url, &request, &events).await {
                            Ok(reply) => Event::Reply { leg: request.leg, reply },
                            Err(_) => Event::ConnectionLost,
                        };
                        events.send(event).ok();
                    });
                }
                // The task ends, and the response is closed with it.
                Action::CancelLeg { .. } => legs.abort_all(),
                Action::Ask { round, key, request } => {
                    let (screen, events) = (screen.clone(), sender.clone());
                    spawn_blocking(move || {
                        let event = match ask(screen.as_ref(), request) {
                            Some(response) => Event::Answer { round, key, response },
                            None => Event::Failed { round, key },
                        };
                        events.send(event).ok();
                    });
                }
                // The screen shows one call at a time, so this closes all of it.
                Action::Retract { why, .. } => screen.close(why),
                Action::Settle(outcome) => return Ok(outcome),
            }
        }
        let wait = call.deadline().map(|at| at.since(now())).unwrap_or_default();
        let event = tokio::select! {
            Some(event) = events.recv() => event,
            () = sleep(wait) => Event::Tick,
        };
        actions = call.handle(now(), event)?;
    }
}
