//! Pipes that keep what goes through them.

use core::{
    pin::Pin,
    task::{Context, Poll},
};
use std::{
    io,
    sync::{Arc, Mutex},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What went through a pipe so far.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<u8>>>);

impl Seen {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Counts the frames of a kind.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.text().lines().filter(|line| line.starts_with(&format!("{{\"{kind}\":"))).count()
    }

    fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }
}

/// One end of a pipe.
pub(crate) struct Tap<P> {
    pipe: P,
    seen: Seen,
}

impl<P> Tap<P> {
    pub(crate) fn new(pipe: P) -> (Self, Seen) {
        let seen = Seen::default();
        (Self { pipe, seen: seen.clone() }, seen)
    }
}

impl<P: AsyncRead + Unpin> AsyncRead for Tap<P> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.pipe).poll_read(context, buffer);
        self.seen.add(&buffer.filled()[before..]);
        read
    }
}

impl<P: AsyncWrite + Unpin> AsyncWrite for Tap<P> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.pipe).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.seen.add(&bytes[..count]);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_shutdown(context)
    }
}
