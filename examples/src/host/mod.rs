//! A host on tokio: one task owns the broker, and everything else talks to it.
//!
//! - `owner`: the task. It carries out the actions of the broker, and waits for nobody.
//! - `connection`: the frames of one provider, over the pipes of a child process or any other streams.
//! - [`store`]: a store of records over a restart of the host.
//! - `screen`: a surface of a session.

mod connection;
mod owner;
mod screen;
pub mod store;

use std::{io, process::Stdio};

use mrtr_core::{
    InvocationId,
    host::{
        Broker, Call, ConnectionId, Epoch, EpochReused, Event, InteractionId, Limits, Misuse,
        Outcome, RecordId, RegistrationId, Report, Scope, SessionId, TurnId,
    },
    wire::InputResponse,
};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::Command,
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use crate::stdio::shield;
use connection::Wire;
use owner::{Ask, Owner};
pub use screen::{Screen, Seen};
use store::Store;

/// The requests that wait for the owner. Who makes more of them waits.
const ASKS_MAX: usize = 256;

/// A function that hands the reports of the broker to the operator. It runs on the owner's task, so it
/// must be quick.
pub type Reporter = Box<dyn FnMut(&Report) + Send>;

/// A handle of a host. It is cheap to clone, and the host ends when the last handle is dropped.
#[derive(Clone, Debug)]
pub struct Host {
    owner: mpsc::Sender<Ask>,
}

/// An invocation that has begun.
#[derive(Debug)]
pub struct Running {
    /// Its id, by which it can be stopped.
    pub invocation: InvocationId,
    outcome: oneshot::Receiver<Outcome>,
}

/// Why a host did not do what it was asked.
#[derive(Debug, Error, PartialEq)]
pub enum Error {
    /// The broker refused it, and did not change.
    #[error(transparent)]
    Misuse(#[from] Misuse),
    /// The host has ended.
    #[error("the host has ended")]
    Ended,
}

impl Host {
    /// Starts a host without a store. Once the last `Host` and `Screen` is dropped, the host stops
    /// its invocations and closes its connections; the returned task ends when that is done.
    ///
    /// Call this on a tokio runtime.
    #[must_use]
    pub fn volatile(epoch: Epoch, limits: Limits, reporter: Reporter) -> (Self, JoinHandle<()>) {
        Self::run(|inbox| Owner::new(Broker::volatile(epoch, limits), None, reporter, inbox))
    }

    /// Starts a host with a store, which holds these records of earlier starts. The questions that
    /// were open are closed, and nothing is asked or executed again.
    ///
    /// # Errors
    ///
    /// A record of this epoch or a later one.
    pub fn durable(
        epoch: Epoch,
        limits: Limits,
        reporter: Reporter,
        store: Box<dyn Store>,
        held: Vec<RecordId>,
    ) -> Result<(Self, JoinHandle<()>), EpochReused> {
        let (broker, actions) = Broker::durable(epoch, limits, held)?;
        Ok(Self::run(|inbox| {
            let mut owner = Owner::new(broker, Some(store), reporter, inbox);
            owner.carry_out(actions);
            owner
        }))
    }

    fn run(owner: impl FnOnce(mpsc::WeakSender<Ask>) -> Owner) -> (Self, JoinHandle<()>) {
        let (sender, inbox) = mpsc::channel(ASKS_MAX);
        let owner = owner(sender.downgrade());
        (Self { owner: sender }, tokio::spawn(owner.run(inbox)))
    }

    /// Starts a provider as a child process that exchanges frames over its standard input and
    /// output.
    ///
    /// # Errors
    ///
    /// A command that does not start, or a host that has ended.
    pub async fn start(&self, mut command: std::process::Command) -> io::Result<ConnectionId> {
        shield(&mut command);
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn()?;
        let no_pipe = || io::Error::other("the process has no pipes");
        let reader = Box::new(process.stdout.take().ok_or_else(no_pipe)?);
        let writer = Box::new(process.stdin.take().ok_or_else(no_pipe)?);
        let wire = Wire { reader, writer, process: Some(process) };
        self.ask(|reply| Ask::Connect(wire, reply)).await.map_err(io::Error::other)
    }

    /// Connects a provider that is reached over two streams.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn connect(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<ConnectionId, Error> {
        let wire = Wire { reader: Box::new(reader), writer: Box::new(writer), process: None };
        self.ask(|reply| Ask::Connect(wire, reply)).await
    }

    /// Closes the connection of a provider.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn disconnect(&self, connection: ConnectionId) -> Result<(), Error> {
        self.tell(Event::Disconnected(connection)).await
    }

    /// Registers what a connection executes. The caller decides which provider may have which name;
    /// providers have no say in it.
    ///
    /// # Errors
    ///
    /// A connection that is not there, or a host that has ended.
    pub async fn register(
        &self,
        registration: RegistrationId,
        connection: ConnectionId,
    ) -> Result<(), Error> {
        self.tell(Event::Registered { registration, connection }).await
    }

    /// Ends a registration.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn retire(&self, registration: RegistrationId) -> Result<(), Error> {
        self.tell(Event::Retired(registration)).await
    }

    /// Begins an invocation.
    ///
    /// # Errors
    ///
    /// A registration that is not there, a limit that is reached, or a host that has ended.
    pub async fn call(&self, call: Call) -> Result<Running, Error> {
        Ok(self.ask(|reply| Ask::Call(Box::new(call), reply)).await??)
    }

    /// Stops the invocations of a scope.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn stop(&self, scope: Scope) -> Result<(), Error> {
        self.tell(Event::Stop(scope)).await
    }

    /// Ends a turn, and stops the invocations that it still waits for.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn end_turn(&self, session: SessionId, turn: TurnId) -> Result<(), Error> {
        self.tell(Event::TurnEnded { session, turn }).await
    }

    /// Opens a surface of a session. The caller has checked that the person may see the session.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn surface(&self, session: SessionId) -> Result<Screen, Error> {
        let (snapshot, changes) = self.ask(|reply| Ask::Watch(session.clone(), reply)).await?;
        Ok(Screen::new(self.clone(), session, snapshot, changes))
    }

    /// Looks at the broker.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Broker) -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.ask(|reply| Ask::Look(Box::new(move |broker| drop(reply.send(look(broker)))))).await
    }

    /// Answers a question for somebody of a session.
    async fn answer(
        &self,
        interaction: InteractionId,
        session: SessionId,
        response: InputResponse,
    ) -> Result<(), Error> {
        self.tell(Event::Answer { interaction, session, response }).await
    }

    async fn tell(&self, event: Event) -> Result<(), Error> {
        Ok(self.ask(|reply| Ask::Take(event, Some(reply))).await??)
    }

    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.owner.send(ask(reply)).await.map_err(|_| Error::Ended)?;
        answer.await.map_err(|_| Error::Ended)
    }
}

impl Running {
    /// Waits for the one outcome.
    ///
    /// # Errors
    ///
    /// A host that has ended.
    pub async fn outcome(self) -> Result<Outcome, Error> {
        self.outcome.await.map_err(|_| Error::Ended)
    }
}
