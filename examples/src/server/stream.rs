//! Answers over HTTP: JSON documents, and streams of events.

use core::{convert::Infallible, future::ready, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::{Stream, StreamExt as _, stream};
use mrtr_core::server::Respond;
use tokio::{sync::mpsc::Receiver, task::JoinHandle, time::timeout};

use super::Format;
use crate::stdio::line;

/// How long a stream may be silent. Then it gets a comment, so that proxies keep the connection and
/// the server notices when the client is gone.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// The task that answers a request, and the notifications that it sends before the answer.
pub(super) struct Answering {
    pub(super) task: JoinHandle<Option<Respond>>,
    pub(super) notices: Receiver<String>,
}

impl Answering {
    /// Writes the response: a stream if there is a notification before the answer.
    pub(super) async fn write(mut self, format: Format) -> Response {
        if let Some(notice) = self.notices.recv().await {
            let first = stream::once(ready(event(&notice)));
            return stream_of(Body::from_stream(first.chain(self.rest()).map(Ok::<_, Infallible>)));
        }
        match self.task.await {
            Ok(Some(respond)) => write(respond, format),
            Ok(None) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }

    /// Returns the events that follow the first.
    fn rest(self) -> impl Stream<Item = String> {
        stream::unfold(Some(self), async |answering| {
            let mut answering = answering?;
            match timeout(SILENCE_MAX, answering.notices.recv()).await {
                Ok(Some(notice)) => Some((event(&notice), Some(answering))),
                Ok(None) => {
                    let body = answering.task.await.ok().flatten()?.body?;
                    Some((event(body.as_str()), None))
                }
                Err(_) => Some((":\n\n".into(), Some(answering))),
            }
        })
    }
}

/// Writes an answer without notifications.
fn write(respond: Respond, format: Format) -> Response {
    let status = StatusCode::from_u16(respond.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let Some(body) = respond.body else { return status.into_response() };
    match format {
        Format::EventStream if status == StatusCode::OK => stream_of(event(body.as_str()).into()),
        Format::EventStream | Format::Json => {
            let typed = [(header::CONTENT_TYPE, "application/json")];
            (status, typed, String::from(body.as_str())).into_response()
        }
    }
}

/// Makes a response of events that proxies do not buffer.
fn stream_of(body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}

fn event(message: &str) -> String {
    format!("event: message\ndata: {}\n", line(message))
}
