//! The connection of a provider: lines arrive as events, and frames are sent as lines.

use core::{convert::Infallible, time::Duration};

use mrtr_core::host::{ConnectionId, Event, FRAME_BYTES_MAX, HostFrame, ProviderFrame};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    process::Child,
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::owner::Ask;
use crate::stdio::{CHUNK_BYTES, EXIT_GRACE, LINE_BYTES_MAX, Lines, line};

/// The frames that wait to be written. The connection of a provider that reads too slowly is closed.
const FRAMES_MAX: usize = 64;

/// How long a provider may take to exit: it may have a server of its own to wait for.
const PROVIDER_GRACE: Duration = EXIT_GRACE.saturating_mul(2);

// A line that was cut is still too long for a frame, and is refused.
const _: () = assert!(LINE_BYTES_MAX >= FRAME_BYTES_MAX);

/// The streams to a provider.
pub(super) struct Wire {
    pub(super) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// The process at the other end, if the host started it.
    pub(super) process: Option<Child>,
}

/// The owner's end of a connection. Dropping it closes the connection at once.
pub(super) struct Line {
    frames: mpsc::Sender<HostFrame>,
    _uncut: oneshot::Sender<Infallible>,
}

impl Line {
    /// Queues a frame to be written. Returns false if too many frames wait.
    pub(super) fn send(&self, frame: HostFrame) -> bool {
        self.frames.try_send(frame).is_ok()
    }
}

/// Opens a connection. The caller runs the task, which ends when the provider ends or the line is
/// dropped.
pub(super) fn open(
    connection: ConnectionId,
    wire: Wire,
    owner: mpsc::WeakSender<Ask>,
) -> (Line, impl Future<Output = ()> + Send) {
    let (frames, to_write) = mpsc::channel(FRAMES_MAX);
    let (uncut, cut) = oneshot::channel();
    let Wire { reader, writer, process } = wire;
    let task = async move {
        // The first to end drops the streams of both.
        tokio::select! {
            () = read(connection, reader, &owner) => {}
            () = write(writer, to_write) => {}
            _ = cut => {}
        }
        tell(&owner, Event::Disconnected(connection)).await;
        if let Some(mut process) = process {
            // Its closed input tells it to end.
            let _ = timeout(PROVIDER_GRACE, process.wait()).await;
            let _ = process.kill().await;
        }
    };
    (Line { frames, _uncut: uncut }, task)
}

/// Reads frames until the stream ends, in whatever way.
async fn read(
    connection: ConnectionId,
    mut reader: impl AsyncRead + Unpin,
    owner: &mpsc::WeakSender<Ask>,
) {
    let mut lines = Lines::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = reader.read(&mut chunk).await {
        lines.push(chunk.get(..count).unwrap_or_default());
        while let Some(line) = lines.pop() {
            let event = match ProviderFrame::decode(&line) {
                Ok(frame) => Event::Frame { connection, frame },
                Err(error) => Event::Unreadable { connection, error },
            };
            tell(owner, event).await;
        }
    }
}

/// Writes frame after frame, until one cannot be written.
async fn write(mut writer: impl AsyncWrite + Unpin, mut frames: mpsc::Receiver<HostFrame>) {
    while let Some(frame) = frames.recv().await {
        let written = writer.write_all(line(&frame.to_json()).as_bytes()).await;
        if written.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

/// Tells the owner of an event, as soon as it has room. An owner that has ended is not told.
async fn tell(owner: &mpsc::WeakSender<Ask>, event: Event) {
    if let Some(owner) = owner.upgrade() {
        let _ = owner.send(Ask::Take(event, None)).await;
    }
}
