//! An endpoint over Streamable HTTP of MCP 2026-07-28: POST only, one answer for each request, and
//! before it what the handler says on the way.

mod caller;
mod guard;
mod stream;

use core::net::Ipv4Addr;
use std::{io, sync::Arc, time::SystemTime, vec};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::post,
};
use getrandom::{SysRng, rand_core::UnwrapErr};
use mrtr_core::{
    Endpoint, Exchange, UnixTime,
    exchange::{Action, Event, Headers, Incoming, Report, Respond, Run},
    wire::read_header_value,
};
use tokio::{net::TcpListener, sync::mpsc, task::spawn_blocking};

pub(crate) use caller::Ear;
pub use caller::{Caller, Gone};

use crate::{mirrored::Mirrored, store::Store};
use stream::Answering;

/// The bytes that the body of a request may have.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The notifications that wait for a client that reads slowly.
const NOTICES_MAX: usize = 16;

/// Is a server: what decides, what runs a request, and who hears of what went wrong.
pub struct Server<H = fn(&Run) -> Event> {
    /// Decides which requests run.
    pub endpoint: Endpoint,
    /// Runs a request.
    pub handler: H,
    /// Keeps the ids of states that may be used once.
    pub store: Arc<dyn Store>,
    /// Hears what an operator should know.
    pub reporter: fn(&Report),
    /// Says how answers are written over HTTP.
    pub format: Format,
}

/// Runs the requests of a server. A function from a request to how it ended is a handler.
pub trait Handler: Send + Sync + 'static {
    /// Runs a request that the exchange found sound. It may take its time over HTTP, and tell the
    /// caller what happens meanwhile; over stdio it holds all others.
    fn run(&self, run: &Run, caller: &Caller<'_>) -> Event;

    /// Returns an endpoint of its own for what a client names over HTTP: the tool, the prompt or
    /// the URI of the resource. Others are for the server's endpoint. What the client names in the
    /// header is what it asks for, or the exchange refuses it.
    fn endpoint(&self, _target: &str) -> Option<&Endpoint> {
        None
    }

    /// Returns which arguments of a tool a client repeats in headers of HTTP.
    fn mirrored(&self, _tool: &str) -> Option<&Mirrored> {
        None
    }
}

impl<F: Fn(&Run) -> Event + Send + Sync + 'static> Handler for F {
    fn run(&self, run: &Run, _: &Caller<'_>) -> Event {
        self(run)
    }
}

/// Says how an answer is written over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As a JSON document, unless the handler has something to say before its end.
    Json,
    /// As the last event of a stream, to a client that takes streams. What has another status than
    /// 200 stays a JSON document.
    EventStream,
}

/// Opens a port of the loopback interface; 0 picks a free one.
///
/// # Errors
///
/// A port that can not be opened.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    let address = (Ipv4Addr::LOCALHOST, port);
    TcpListener::bind(address).await.map_err(|error| {
        let said = format!("can not listen at {}:{port}: {error}", Ipv4Addr::LOCALHOST);
        io::Error::new(error.kind(), said)
    })
}

/// Serves the endpoint at `/mcp` until the listener fails.
///
/// # Errors
///
/// A listener that fails.
pub async fn serve<H: Handler>(listener: TcpListener, server: Server<H>) -> io::Result<()> {
    let router = Router::new()
        .route("/mcp", post(respond::<H>))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(Arc::new(server));
    axum::serve(listener, router).await
}

/// Answers a request of HTTP.
async fn respond<H: Handler>(
    State(server): State<Arc<Server<H>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(status) = guard::check(&headers) {
        return status.into_response();
    }
    let accepts_stream = guard::accepts_stream(&headers);
    let format = if accepts_stream { server.format } else { Format::Json };
    let (sender, notices) = mpsc::channel(NOTICES_MAX);
    // The handler and the store may take their time.
    let task = spawn_blocking(move || {
        let ear: Option<&dyn Ear> = if accepts_stream { Some(&sender) } else { None };
        answer(&server, &body, Some(&headers), ear)
    });
    Answering { task, notices }.write(format).await
}

/// Answers a message of any transport: asks the exchange, runs the handler if it says so, and
/// returns what to write. The exchange always says something.
pub(crate) fn answer<H: Handler>(
    server: &Server<H>,
    message: &[u8],
    headers: Option<&HeaderMap>,
    ear: Option<&dyn Ear>,
) -> Option<Respond> {
    let repeated = headers.map(repeated);
    let target = repeated.and_then(|repeated| repeated.name).and_then(read_header_value);
    let endpoint = target.as_ref().and_then(|target| server.handler.endpoint(target));
    let endpoint = endpoint.unwrap_or(&server.endpoint);
    let incoming = Incoming { message, headers: repeated, principal: None };
    let (mut exchange, actions) = Exchange::receive(endpoint, now(), incoming);
    let mut response = None;
    let mut actions = actions.into_iter();
    while let Some(action) = actions.next() {
        match action {
            Action::Redeem { id, until } => {
                let event = match server.store.redeem(id, now(), until) {
                    Ok(first) => Event::Redeemed { first },
                    Err(_) => Event::StoreFailed,
                };
                actions = take(&mut exchange, event);
            }
            Action::Run(run) => {
                let mirrored = target.as_ref().and_then(|tool| server.handler.mirrored(tool));
                let event = match mirrored.zip(headers).map(|(m, h)| m.check(&run.params, h)) {
                    Some(Err(error)) => Event::Abandon(error),
                    Some(Ok(())) | None => server.handler.run(&run, &Caller::new(message, ear)),
                };
                actions = take(&mut exchange, event);
            }
            // An id that stays in the store makes the client ask again, and nothing run twice.
            Action::Release { id } => server.store.release(id).unwrap_or_default(),
            Action::Respond(respond) => response = Some(respond),
            Action::Report(report) => (server.reporter)(&report),
        }
    }
    response
}

/// Finds the headers that repeat parts of the message.
fn repeated(headers: &HeaderMap) -> Headers<'_> {
    Headers {
        protocol_version: guard::text(headers, "mcp-protocol-version"),
        method: guard::text(headers, "mcp-method"),
        name: guard::text(headers, "mcp-name"),
    }
}

/// Tells the exchange what happened. It is told what it asked for, so it refuses nothing.
fn take(exchange: &mut Exchange<'_>, event: Event) -> vec::IntoIter<Action> {
    exchange.handle(now(), &mut UnwrapErr(SysRng), event).unwrap_or_default().into_iter()
}

fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}
