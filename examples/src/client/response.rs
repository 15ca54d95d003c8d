//! What comes back for a request over HTTP: one JSON document, or a stream of events.

use core::pin::pin;

use axum::body::Bytes;
use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _};
use mrtr_core::wire::{Message, WireError};
use reqwest::{Response, header};

/// The bytes that a response may have.
const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Why a response was not read to its end.
pub(super) enum Unread {
    /// The connection broke, or there was none.
    Connection(reqwest::Error),
    /// The response is malformed.
    Wire(WireError),
}

impl From<reqwest::Error> for Unread {
    fn from(error: reqwest::Error) -> Self {
        Self::Connection(error)
    }
}

/// What a server may answer with (streamable HTTP, sending messages 6).
#[derive(Clone, Copy)]
enum Form {
    Document,
    Stream,
}

impl Form {
    /// Reads the media type of a response. Anything else, such as an error page of a proxy, is not
    /// an answer.
    fn of(response: &Response) -> Result<Self, WireError> {
        let value = response.headers().get(header::CONTENT_TYPE);
        let value = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media_type = value.split(';').next().unwrap_or_default().trim();
        if media_type.eq_ignore_ascii_case("application/json") {
            return Ok(Self::Document);
        }
        if media_type.eq_ignore_ascii_case("text/event-stream") {
            return Ok(Self::Stream);
        }
        let expected = "application/json or text/event-stream";
        Err(WireError::shape("the media type of the response", expected))
    }
}

/// Reads a response, and returns the bytes of the message that answers the request.
pub(super) async fn read(response: Response) -> Result<Vec<u8>, Unread> {
    let form = Form::of(&response).map_err(Unread::Wire)?;
    let mut left = RESPONSE_BYTES_MAX;
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk?;
        left = left.checked_sub(chunk.len()).ok_or_else(|| {
            Unread::Wire(WireError::too_large("a response in bytes", RESPONSE_BYTES_MAX))
        })?;
        Ok(chunk)
    });
    match form {
        Form::Document => read_body(chunks).await,
        Form::Stream => read_events(chunks).await,
    }
}

async fn read_body(chunks: impl Stream<Item = Result<Bytes, Unread>>) -> Result<Vec<u8>, Unread> {
    let mut body = Vec::new();
    let mut chunks = pin!(chunks);
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
    }
    Ok(body)
}

/// The byte order mark that a stream of events may begin with. It has no meaning.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Leaves out the byte order mark at the beginning, in however many chunks it comes: the parser of
/// events fails on it.
fn without_mark(
    chunks: impl Stream<Item = Result<Bytes, Unread>>,
) -> impl Stream<Item = Result<Bytes, Unread>> {
    // The bytes so far that may still turn out to be the mark.
    let mut start = Some(Vec::new());
    chunks.map(move |chunk| {
        let chunk = chunk?;
        let Some(mut held) = start.take() else { return Ok(chunk) };
        held.extend_from_slice(&chunk);
        if let Some(rest) = held.strip_prefix(&BYTE_ORDER_MARK) {
            return Ok(Bytes::copy_from_slice(rest));
        }
        if BYTE_ORDER_MARK.starts_with(&held) {
            start = Some(held);
            return Ok(Bytes::new());
        }
        Ok(held.into())
    })
}

/// The name of events that are messages, and of events that have no name.
const MESSAGE: &str = "message";

/// Reads events until one is a response. Skips notifications, requests, and events of other names,
/// such as `ping`.
async fn read_events(chunks: impl Stream<Item = Result<Bytes, Unread>>) -> Result<Vec<u8>, Unread> {
    let mut events = pin!(without_mark(chunks).eventsource());
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(EventStreamError::Transport(unread)) => return Err(unread),
            Err(_) => return Err(Unread::Wire(WireError::NotUtf8)),
        };
        let may_answer = event.event == MESSAGE && !event.data.is_empty();
        if may_answer && Message::decode(event.data.as_bytes()).is_err() {
            return Ok(event.data.into_bytes());
        }
    }
    let expected = "a stream that ends with a response";
    Err(Unread::Wire(WireError::shape("the response", expected)))
}
