//! What a server looks at before it reads a message: the headers of HTTP that say where a request
//! comes from and what it may bring back.

use axum::http::{HeaderMap, StatusCode, header, header::AsHeaderName};

/// Refuses a request that no client of this machine sends.
pub(super) fn check(headers: &HeaderMap) -> Result<(), StatusCode> {
    check_once(headers)
        .and_then(|()| check_origin(headers))
        .and_then(|()| check_content_type(headers))
}

/// Returns the value of a header, if it is one of visible ASCII.
pub(super) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns whether the client lists event streams among what it takes. JSON is for everybody else,
/// whatever they list: an answer that they can not read says more than a refusal.
pub(super) fn accepts_stream(headers: &HeaderMap) -> bool {
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
