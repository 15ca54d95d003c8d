//! What comes back for a request over HTTP: one JSON document, or a stream of events.

use core::pin::pin;

use axum::body::Bytes;
use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _};
use mrtr_core::wire::{Message, WireError};
use reqwest::{RequestBuilder, Response, header};

/// The bytes that a response may have.
const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Says why a response was not read to its end.
pub(super) enum Unread {
    /// The connection broke, or there was none.
    Connection(reqwest::Error),
    /// What came is no answer.
    Wire(WireError),
}

impl From<reqwest::Error> for Unread {
    fn from(error: reqwest::Error) -> Self {
        Self::Connection(error)
    }
}

/// Sends a message and returns the bytes of the one that answers it.
pub(super) async fn send(http: RequestBuilder, message: String) -> Result<Vec<u8>, Unread> {
    read(http.body(message).send().await?).await
}

/// Is what a server may answer with (streamable HTTP, sending messages 6).
#[derive(Clone, Copy)]
enum Form {
    Document,
    Stream,
}

impl Form {
    /// Reads the media type of a response. A page that a proxy puts in place of an answer is none,
    /// whatever it says.
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
        Err(WireError::Shape { what: "the media type of the response", expected })
    }
}

async fn read(response: Response) -> Result<Vec<u8>, Unread> {
    let form = Form::of(&response).map_err(Unread::Wire)?;
    let mut left = RESPONSE_BYTES_MAX;
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk?;
        let (what, max) = ("a response in bytes", RESPONSE_BYTES_MAX);
        let too_large = Unread::Wire(WireError::TooLarge { what, max });
        left = left.checked_sub(chunk.len()).ok_or(too_large)?;
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

/// The mark that a stream of events may begin with, and that means nothing.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Leaves out the mark at the beginning, in however many chunks it comes: the parser of events fails
/// on it.
fn without_mark(
    chunks: impl Stream<Item = Result<Bytes, Unread>>,
) -> impl Stream<Item = Result<Bytes, Unread>> {
    // What may be the mark, until it is known.
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

/// The name of events that are messages. An event that names none has it, too.
const MESSAGE: &str = "message";

/// Reads events until one is a response. Notifications and requests on the way are passed over, and
/// so are events of other names, such as `ping`.
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
    Err(Unread::Wire(WireError::Shape { what: "the response", expected }))
}
