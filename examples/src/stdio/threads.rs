//! Calls of a server that is a child process, on plain threads: one reads, one writes, and each
//! call runs on the thread of whoever makes it.

use core::time::Duration;
use std::{
    io::{self, Write as _},
    process::{self, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Instant as SystemInstant,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Instant,
    client::{Action, Actions, Event, Invocation},
    wire::InputRequest,
};

use super::{
    EXIT_GRACE,
    calls::{Calls, Inbox},
    cancelled, line, lines, shield,
};
use crate::{
    call::{Call, Ended, Epoch, Next, Observer},
    surface::{GaveUp, Surface},
};

/// How often to look whether a server has exited.
const EXIT_POLL: Duration = Duration::from_millis(10);

/// A server that runs as a child process, and the calls to it. Dropping it ends the server.
pub struct Child {
    process: process::Child,
    /// Lines to write, each with the call to tell if it cannot be written.
    outgoing: Option<Sender<(String, Sender<Next>)>>,
    calls: Arc<Calls<Sender<Next>>>,
    epoch: Epoch,
}

impl Child {
    /// Starts a server. Its errors go where those of this process go, unless the command says
    /// otherwise.
    ///
    /// # Errors
    ///
    /// A command that does not start.
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        shield(&mut command);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let no_pipe = || io::Error::other("the process has no pipes");
        let stdin = process.stdin.take().ok_or_else(no_pipe)?;
        let stdout = process.stdout.take().ok_or_else(no_pipe)?;
        let (outgoing, written) = mpsc::channel();
        let calls = Arc::new(Calls::new());
        let child = Self { process, outgoing: Some(outgoing), calls, epoch: Epoch::new() };
        let calls = child.calls.clone();
        thread::Builder::new().spawn(move || {
            // The stream may end in any way.
            lines(stdout).map_while(Result::ok).for_each(|line| calls.read(&line));
            calls.lose();
        })?;
        thread::Builder::new().spawn(move || write(stdin, &written))?;
        Ok(child)
    }

    /// Returns the time on the clock of the machines.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.epoch.now()
    }

    /// Returns whether the server is gone, or has closed its output.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.calls.is_lost()
    }

    /// Carries out the actions of a call until it settles. Calls run side by side, each under its own
    /// id. The caller makes the channel, and may send events of its own into it, such as
    /// [`Event::Stop`].
    pub fn drive(
        &self,
        call: Invocation,
        started: Actions,
        surface: &Arc<dyn Surface>,
        observer: &dyn Observer,
        (inbox, events): (Sender<Next>, Receiver<Next>),
    ) -> Ended {
        let seat = self.calls.join(call.id(), inbox.clone());
        let mut call = Call::new(call, self.epoch, observer);
        let mut actions = started;
        loop {
            let mut questions = Vec::new();
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
                        questions.push((round, key, request));
                    }
                    // An answer that still comes is ignored. The surface takes the question off
                    // the screen.
                    Action::Retract { .. } => {}
                    Action::Settle(outcome) => return call.end(outcome),
                }
            }
            if !questions.is_empty() {
                ask(questions, surface.clone(), inbox.clone());
            }
            actions = call.handle(events.recv_timeout(call.wait()).unwrap_or(Ok(Event::Tick)));
        }
    }

    fn write(&self, message: &str, inbox: &Sender<Next>) {
        if let Some(outgoing) = &self.outgoing {
            // The writer listens as long as the child exists.
            let _ = outgoing.send((line(message), inbox.clone()));
        }
    }
}

impl Drop for Child {
    /// Closes the server's input after what is still to be written, and waits for it to exit.
    fn drop(&mut self) {
        self.outgoing = None;
        let closed = SystemInstant::now();
        while matches!(self.process.try_wait(), Ok(None)) && closed.elapsed() < EXIT_GRACE {
            thread::sleep(EXIT_POLL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes line after line until the child is dropped.
fn write(mut stdin: ChildStdin, lines: &Receiver<(String, Sender<Next>)>) {
    for (line, inbox) in lines {
        if stdin.write_all(line.as_bytes()).is_err() {
            inbox.put(Event::ConnectionLost);
        }
    }
}

/// A question: its round, its key, and what to ask.
type Question = (u32, String, InputRequest);

/// Asks the questions of a round in their order, on a thread of their own, and puts each answer into
/// the inbox.
fn ask(questions: Vec<Question>, surface: Arc<dyn Surface>, inbox: Sender<Next>) {
    let answers = inbox.clone();
    let asking = thread::Builder::new().spawn(move || {
        let ask = |(round, key, request)| surface.ask(round, key, request);
        let asked = questions.into_iter().map(ask);
        let mut asked: FuturesUnordered<_> = asked.collect();
        while let Some(answer) = pollster::block_on(asked.next()) {
            // A call that is over does not listen. Its other questions are not asked any more.
            if answers.send(answer).is_err() {
                return;
            }
        }
    });
    if let Err(error) = asking {
        let _ = inbox.send(Err(GaveUp(error.to_string())));
    }
}

impl Inbox for Sender<Next> {
    fn put(&self, event: Event) {
        // A call that is over does not listen.
        let _ = self.send(Ok(event));
    }
}
