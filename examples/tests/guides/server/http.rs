//! The server over Streamable HTTP, on axum.

use core::convert::Infallible;
use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use futures_util::{Stream, StreamExt as _, stream};
use mrtr_core::{server::Incoming, wire::Headers};

use super::exchange::{Server, answer};

/// Makes the routes of a server. Other methods than POST are answered with 405.
pub(super) fn router(server: Arc<Server>) -> Router {
    let bytes_max = DefaultBodyLimit::max(4 * 1024 * 1024);
    Router::new().route("/mcp", post(respond)).layer(bytes_max).with_state(server)
}

/// Answers a request of HTTP.
async fn respond(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Response {
    // A page of another site must not call a server on this computer.
    if headers.get(header::ORIGIN).is_some_and(|origin| !is_ours(origin.as_bytes())) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let principal = match authenticate(&headers) {
        Ok(principal) => principal,
        Err(status) => return status.into_response(),
    };
    // The exchange compares the headers with the message.
    let repeated: Headers = headers.iter().collect();
    let incoming =
        Incoming::message(&body).with_headers(repeated).with_principal(principal.as_deref());
    let Ok(respond) = answer(&server, incoming).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let status = StatusCode::from_u16(respond.status).unwrap_or(StatusCode::BAD_REQUEST);
    match respond.body {
        // A notification: 202 and no body.
        None => status.into_response(),
        Some(body) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (status, json, body.as_str().to_owned()).into_response()
        }
    }
}

/// Returns whether a page of an origin may call this server.
fn is_ours(origin: &[u8]) -> bool {
    origin == b"http://localhost:8080"
}

/// Finds out who calls. This stands for your check of the bearer token.
fn authenticate(headers: &HeaderMap) -> Result<Option<String>, StatusCode> {
    match headers.get(header::AUTHORIZATION).map(|value| value.as_bytes()) {
        None => Ok(None),
        Some(b"Bearer alice's token") => Ok(Some("alice".into())),
        Some(_) => Err(StatusCode::UNAUTHORIZED),
    }
}

/// Writes an event stream: notifications that belong to the request, and its answer at the end.
pub(super) fn event_stream<S>(
    notifications: S,
    answer: impl Future<Output = String> + Send + 'static,
) -> Response
where
    S: Stream<Item = String> + Send + 'static,
{
    let messages = notifications.chain(stream::once(answer));
    let events = messages.map(|message| {
        let message = message.replace(['\r', '\n'], " ");
        Ok::<_, Infallible>(format!("event: message\ndata: {message}\n\n"))
    });
    let headers = [("content-type", "text/event-stream"), ("x-accel-buffering", "no")];
    (headers, Body::from_stream(events)).into_response()
}
