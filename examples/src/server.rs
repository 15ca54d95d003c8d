//! An endpoint over Streamable HTTP of MCP 2026-07-28: POST only, one answer for each request.

use core::net::Ipv4Addr;
use std::{io, sync::Arc, time::SystemTime, vec};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use getrandom::{SysRng, rand_core::UnwrapErr};
use mrtr_core::{
    Endpoint, Exchange, UnixTime,
    exchange::{Action, Event, Headers, Incoming, Report, Respond, Run},
};
use tokio::{net::TcpListener, task::spawn_blocking};

use crate::{stdio::line, store::Store};

/// The bytes that the body of a request may have.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Is a server: what decides, what runs a request, and who hears of what went wrong.
pub struct Server {
    /// Decides which requests run.
    pub endpoint: Endpoint,
    /// Runs a request.
    pub handler: fn(&Run) -> Event,
    /// Keeps the ids of states that may be used once.
    pub store: Arc<dyn Store>,
    /// Hears what an operator should know.
    pub reporter: fn(&Report),
    /// Says how answers are written over HTTP.
    pub format: Format,
}

/// Says how an answer is written over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As a JSON document.
    Json,
    /// As the one event of a stream, to a client that takes streams. What has another status than
    /// 200 stays a JSON document.
    EventStream,
}

/// Opens a port of the loopback interface; 0 picks a free one.
///
/// # Errors
///
/// A port that can not be opened.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// Serves the endpoint at `/mcp` until the listener fails.
///
/// # Errors
///
/// A listener that fails.
pub async fn serve(listener: TcpListener, server: Server) -> io::Result<()> {
    let router = Router::new()
        .route("/mcp", post(respond))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(Arc::new(server));
    axum::serve(listener, router).await
}

/// Answers a request of HTTP.
async fn respond(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Response {
    let checked = check_once(&headers)
        .and_then(|()| check_origin(&headers))
        .and_then(|()| check_content_type(&headers));
    if let Err(status) = checked {
        return status.into_response();
    }
    let format = if accepts_stream(&headers) { server.format } else { Format::Json };
    // The handler and the store may take their time.
    let answered = spawn_blocking(move || {
        let header = |name: &'static str| text(&headers, HeaderName::from_static(name));
        let repeated = Headers {
            protocol_version: header("mcp-protocol-version"),
            method: header("mcp-method"),
            name: header("mcp-name"),
        };
        answer(&server, &body, Some(repeated))
    });
    match answered.await {
        Ok(Some(respond)) => write(respond, format),
        Ok(None) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Answers a message of any transport: asks the exchange, runs the handler if it says so, and
/// returns what to write. The exchange always says something.
pub(crate) fn answer(
    server: &Server,
    message: &[u8],
    headers: Option<Headers<'_>>,
) -> Option<Respond> {
    let incoming = Incoming { message, headers, principal: None };
    let (mut exchange, actions) = Exchange::receive(&server.endpoint, now(), incoming);
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
            Action::Run(run) => actions = take(&mut exchange, (server.handler)(&run)),
            // An id that stays in the store makes the client ask again, and nothing run twice.
            Action::Release { id } => server.store.release(id).unwrap_or_default(),
            Action::Respond(respond) => response = Some(respond),
            Action::Report(report) => (server.reporter)(&report),
        }
    }
    response
}

/// Tells the exchange what happened. It is told what it asked for, so it refuses nothing.
fn take(exchange: &mut Exchange<'_>, event: Event) -> vec::IntoIter<Action> {
    exchange.handle(now(), &mut UnwrapErr(SysRng), event).unwrap_or_default().into_iter()
}

fn write(respond: Respond, format: Format) -> Response {
    let status = StatusCode::from_u16(respond.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let Some(body) = respond.body else { return status.into_response() };
    let typed = |media_type| [(header::CONTENT_TYPE, media_type)];
    match format {
        Format::EventStream if status == StatusCode::OK => {
            let event = format!("event: message\ndata: {}\n", line(body.as_str()));
            (typed("text/event-stream"), event).into_response()
        }
        Format::EventStream | Format::Json => {
            (status, typed("application/json"), String::from(body.as_str())).into_response()
        }
    }
}

fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns whether the client lists event streams among what it takes. JSON is for everybody else,
/// whatever they list: an answer that they can not read says more than a refusal.
fn accepts_stream(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut media_types = values.flat_map(|value| value.split(',')).map(media_type);
    media_types.any(|media_type| media_type == "text/event-stream")
}

/// Refuses a header that comes twice, where one is decided on: another reader might take the other.
fn check_once(headers: &HeaderMap) -> Result<(), StatusCode> {
    let decisive =
        ["mcp-protocol-version", "mcp-method", "mcp-name", "origin", "host", "content-type"];
    let comes_twice = |name: &&str| headers.get_all(*name).iter().nth(1).is_some();
    if decisive.iter().any(comes_twice) { Err(StatusCode::BAD_REQUEST) } else { Ok(()) }
}

/// Refuses a page of another site that a browser brings here, by its origin or by a name that
/// was bound to the loopback address.
fn check_origin(headers: &HeaderMap) -> Result<(), StatusCode> {
    let is_loopback = |host: &str| {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    let origin_is_ours = match headers.get(header::ORIGIN) {
        None => true,
        Some(origin) => origin
            .to_str()
            .ok()
            .and_then(|origin| origin.strip_prefix("http://").or(origin.strip_prefix("https://")))
            .is_some_and(is_loopback),
    };
    let host_is_ours = text(headers, header::HOST).is_some_and(is_loopback);
    if origin_is_ours && host_is_ours { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
}

fn check_content_type(headers: &HeaderMap) -> Result<(), StatusCode> {
    match text(headers, header::CONTENT_TYPE).map(media_type).as_deref() {
        Some("application/json") => Ok(()),
        _ => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
    }
}

/// Takes a media type from before its parameters.
fn media_type(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
