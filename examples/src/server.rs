//! An endpoint over Streamable HTTP of MCP 2026-07-28: POST only, one answer for each request, and
//! before it the notifications of the handler.

mod caller;
mod ending;
mod guard;
mod log;
mod stream;

use core::net::Ipv4Addr;
use std::{io, sync::Arc, time::SystemTime};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::post,
};
use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    server::{Action, Ending, Endpoint, Event, Exchange, Incoming, Report, Respond, Run},
    wire::Headers,
};
use tokio::{net::TcpListener, sync::mpsc, task::spawn_blocking};

pub(crate) use caller::Ear;
pub use caller::{Caller, Gone};
pub use ending::{finish, invalid_params, refuse};
pub use log::{describe, print_report};

use crate::store::Store;
use stream::Answering;

/// The bytes that the body of a request may have.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The notifications that wait for a client that reads slowly.
const NOTICES_MAX: usize = 16;

/// A server: its endpoint, its handler, its store, and its operator.
pub struct Server<H = fn(&Run) -> Ending> {
    /// Decides which requests run.
    pub endpoint: Arc<Endpoint>,
    /// Runs a request.
    pub handler: H,
    /// Keeps the ids of states that may be used once.
    pub store: Arc<dyn Store>,
    /// Hands a report to the operator. [`print_report`] prints it.
    pub reporter: fn(&Report),
    /// How answers are written over HTTP.
    pub format: Format,
}

/// What runs the requests of a server. A function from a request to its ending is a handler.
pub trait Handler: Send + Sync + 'static {
    /// Runs a request that the exchange admitted. Over HTTP it may block, and send the caller
    /// notifications meanwhile; over stdio it delays all other requests.
    fn run(&self, run: &Run, caller: &Caller<'_>) -> Ending;

    /// Returns an endpoint for a tool, a prompt or the URI of a resource that does not belong to the
    /// server's endpoint. The name comes from a header, and the exchange refuses a request whose
    /// message names another.
    fn endpoint(&self, _target: &str) -> Option<&Arc<Endpoint>> {
        None
    }
}

impl<F: Fn(&Run) -> Ending + Send + Sync + 'static> Handler for F {
    fn run(&self, run: &Run, _: &Caller<'_>) -> Ending {
        self(run)
    }
}

/// How an answer is written over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As a JSON document, unless the handler sends notifications.
    Json,
    /// As the last event of a stream, to clients that accept streams. An answer with another status
    /// than 200 is still a JSON document.
    EventStream,
}

/// Opens a port of the loopback interface; 0 picks a free one.
///
/// # Errors
///
/// A port that cannot be opened.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    let address = (Ipv4Addr::LOCALHOST, port);
    TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen at {}:{port}: {error}", Ipv4Addr::LOCALHOST);
        io::Error::new(error.kind(), message)
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
    // The handler and the store may block.
    let task = spawn_blocking(move || {
        let ear: Option<&dyn Ear> = if accepts_stream { Some(&sender) } else { None };
        answer(&server, &body, Some(headers.iter().collect()), ear)
    });
    Answering { task, notices }.write(format).await
}

/// Answers a message of any transport: asks the exchange, runs the handler when the exchange says
/// so, and returns what to write. The exchange always responds.
pub(crate) fn answer<H: Handler>(
    server: &Server<H>,
    message: &[u8],
    headers: Option<Headers>,
    ear: Option<&dyn Ear>,
) -> Option<Respond> {
    let target = headers.as_ref().and_then(Headers::name);
    let endpoint = target.and_then(|target| server.handler.endpoint(&target));
    let endpoint = endpoint.unwrap_or(&server.endpoint).clone();
    let incoming = Incoming::message(message).with_headers(headers);
    let (mut exchange, mut actions) = Exchange::receive(&endpoint, now(), incoming);
    loop {
        actions.reports().iter().for_each(server.reporter);
        let mut next = None;
        for action in actions {
            match action {
                Action::Redeem { id, until } => {
                    let event = match server.store.redeem(id, now(), until) {
                        Ok(first) => Event::Redeemed { first },
                        Err(_) => Event::StoreFailed,
                    };
                    next = Some(exchange.handle(event));
                }
                Action::Run(run) => {
                    let ending = server.handler.run(&run, &Caller::new(message, ear));
                    next = Some(exchange.end(now(), &mut SysRng, ending));
                }
                // If the id stays in the store, the client is asked again and nothing runs twice.
                Action::Release { id } => server.store.release(id).unwrap_or_default(),
                Action::Respond(respond) => return Some(respond),
            }
        }
        // The exchange is told what it asked for, so it never refuses.
        actions = next?.ok()?;
    }
}

fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}
