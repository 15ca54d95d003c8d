//! Calls of a server that is a child process, on smol: one task reads, one writes, and each call
//! is a future that races its reply, its answers and its clock.

use core::{
    future::{Future, pending},
    pin::Pin,
    time::Duration,
};
use std::{io, process::Stdio, sync::Arc};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Instant,
    client::{Action, Actions, Event, Invocation},
};
use smol::{
    Task, Timer,
    channel::{self, Receiver, Sender},
    future::FutureExt as _,
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{self, ChildStdin, ChildStdout, Command},
};

use super::{
    CHUNK_BYTES, EXIT_GRACE, Lines,
    calls::{Calls, Inbox},
    cancelled, line, shield,
};
use crate::{
    call::{Call, Ended, Epoch, Next, Observer},
    surface::Surface,
};

/// A server that runs as a child process, and the calls to it. Dropping it kills the server;
/// [`Child::close`] lets it end.
pub struct Child {
    process: process::Child,
    /// Lines to write, each with the call to tell if it cannot be written.
    outgoing: Sender<(String, Sender<Next>)>,
    calls: Arc<Calls<Sender<Next>>>,
    /// The tasks end with the streams, or when they are dropped.
    reader: Task<()>,
    writer: Task<()>,
    epoch: Epoch,
}

type Asked<'a> = Pin<Box<dyn Future<Output = Next> + 'a>>;

impl Child {
    /// Starts a server. Its errors go where those of this process go.
    ///
    /// # Errors
    ///
    /// A command that does not start.
    pub fn spawn(mut command: std::process::Command) -> io::Result<Self> {
        shield(&mut command);
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn()?;
        let no_pipe = || io::Error::other("the process has no pipes");
        let stdin = process.stdin.take().ok_or_else(no_pipe)?;
        let stdout = process.stdout.take().ok_or_else(no_pipe)?;
        let calls = Arc::new(Calls::new());
        let (outgoing, lines) = channel::unbounded();
        let reader = smol::spawn(read(stdout, calls.clone()));
        let writer = smol::spawn(write(stdin, lines));
        Ok(Self { process, outgoing, calls, reader, writer, epoch: Epoch::new() })
    }

    /// Returns the time on the clock of the machines.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.epoch.now()
    }

    /// Carries out the actions of a call until it settles. Calls run side by side, each under its own
    /// id. The caller makes the channel, unbounded, and may send events of its own into
    /// it, such as [`Event::Stop`].
    pub async fn drive(
        &self,
        call: Invocation,
        started: Actions,
        surface: &dyn Surface,
        observer: &dyn Observer,
        (inbox, events): (Sender<Next>, Receiver<Next>),
    ) -> Ended {
        let seat = self.calls.join(call.id(), inbox.clone());
        let mut call = Call::new(call, self.epoch, observer);
        let mut asked: FuturesUnordered<Asked<'_>> = FuturesUnordered::new();
        let mut actions = started;
        loop {
            for action in actions {
                match action {
                    Action::Send(request) => {
                        call.sends(&request);
                        seat.waits_for(Some(request.leg.clone()));
                        self.write(&request.to_json(), &inbox);
                    }
                    Action::CancelLeg { leg } => {
                        seat.waits_for(None);
                        self.write(&cancelled(&leg), &inbox);
                    }
                    Action::Ask { round, key, request } => {
                        asked.push(surface.ask(round, key, request));
                    }
                    // The questions of a round are retracted all at once. The surface takes them
                    // off the screen.
                    Action::Retract { .. } => asked.clear(),
                    Action::Settle(outcome) => return call.end(outcome),
                }
            }
            let event = async { events.recv().await.unwrap_or(Ok(Event::ConnectionLost)) };
            actions = call.handle(event.or(first(&mut asked)).or(tick(call.wait())).await);
        }
    }

    /// Closes the server's input after what is still to be written, and waits for it to exit.
    pub async fn close(self) {
        let Self { mut process, outgoing, reader, writer, .. } = self;
        drop(outgoing);
        let exit = async {
            writer.await;
            let _ = process.status().await;
        };
        let grace = async {
            Timer::after(EXIT_GRACE).await;
        };
        exit.or(grace).await;
        drop(reader);
    }

    fn write(&self, message: &str, inbox: &Sender<Next>) {
        // The writer listens as long as the child exists.
        let _ = self.outgoing.try_send((line(message), inbox.clone()));
    }
}

/// Waits for the first answer; for ever if nobody is asked.
async fn first(asked: &mut FuturesUnordered<Asked<'_>>) -> Next {
    match asked.next().await {
        Some(answer) => answer,
        None => pending().await,
    }
}

async fn tick(wait: Duration) -> Next {
    Timer::after(wait).await;
    Ok(Event::Tick)
}

/// Reads lines until the stream ends, in whatever way.
async fn read(mut stdout: ChildStdout, calls: Arc<Calls<Sender<Next>>>) {
    let mut lines = Lines::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = stdout.read(&mut chunk).await {
        lines.push(chunk.get(..count).unwrap_or_default());
        while let Some(line) = lines.pop() {
            calls.read(&line);
        }
    }
    calls.lose();
}

/// Writes line after line until the child is dropped.
async fn write(mut stdin: ChildStdin, lines: Receiver<(String, Sender<Next>)>) {
    while let Ok((line, inbox)) = lines.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() {
            inbox.put(Event::ConnectionLost);
        }
    }
}

impl Inbox for Sender<Next> {
    fn put(&self, event: Event) {
        // A call that is over does not listen.
        let _ = self.try_send(Ok(event));
    }
}
