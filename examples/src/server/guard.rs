//! The headers of HTTP that a server checks before it reads a message: where a request comes from,
//! what its body is, and what the client accepts. The exchange checks those that repeat parts of the
//! message.

use axum::http::{HeaderMap, HeaderName, StatusCode, header, header::AsHeaderName};

/// Refuses requests that no client of this machine sends.
pub(super) fn check(headers: &HeaderMap) -> Result<(), StatusCode> {
    check_once(headers)
        .and_then(|()| check_origin(headers))
        .and_then(|()| check_content_type(headers))
}

/// Returns the value of a header, if it is visible ASCII.
fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns whether the client accepts event streams. All others get JSON, whatever they accept: an
/// answer that they cannot read tells more than a refusal.
pub(super) fn accepts_stream(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut media_types = values.flat_map(|value| value.split(',')).map(media_type);
    media_types.any(|media_type| media_type == "text/event-stream")
}

/// Refuses a request in which a header that is checked here comes twice: another reader might take
/// the other value.
fn check_once(headers: &HeaderMap) -> Result<(), StatusCode> {
    let checked = [header::ORIGIN, header::HOST, header::CONTENT_TYPE];
    let comes_twice = |name: HeaderName| headers.get_all(name).iter().nth(1).is_some();
    if checked.into_iter().any(comes_twice) { Err(StatusCode::BAD_REQUEST) } else { Ok(()) }
}

/// Refuses requests that a browser sends for a page of another site: by the origin of the page, or by
/// a host name that was bound to the loopback address.
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

/// Returns a media type without its parameters.
fn media_type(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
