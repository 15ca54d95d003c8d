//! An endpoint over Streamable HTTP of MCP 2026-07-28: POST only, one JSON answer for each request.

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
use tokio::net::TcpListener;

use crate::store::Store;

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
    let header = |name: &'static str| text(&headers, HeaderName::from_static(name));
    let repeated = Headers {
        protocol_version: header("mcp-protocol-version"),
        method: header("mcp-method"),
        name: header("mcp-name"),
    };
    answer(&server, &body, Some(repeated))
        .map_or_else(|| StatusCode::INTERNAL_SERVER_ERROR.into_response(), write)
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

fn write(respond: Respond) -> Response {
    let status = StatusCode::from_u16(respond.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match respond.body {
        Some(body) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (status, json, String::from(body.as_str())).into_response()
        }
        None => status.into_response(),
    }
}

fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
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
    let media_type = text(headers, header::CONTENT_TYPE)
        .and_then(|value| value.split(';').next())
        .map(|value| value.trim().to_ascii_lowercase());
    match media_type.as_deref() {
        Some("application/json") => Ok(()),
        _ => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
    }
}
