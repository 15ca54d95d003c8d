//! The task that owns the broker: it takes one request after the other, and carries out the actions.

use std::collections::{BTreeMap, VecDeque};

use mrtr_core::{
    InvocationId,
    host::{
        Action, Actions, Broker, Call, Change, ConnectionId, Event, HostFrame, Misuse, Outcome,
        Scope, SessionId, Snapshot,
    },
};
use tokio::{
    sync::{broadcast, mpsc, oneshot},
    task::{JoinSet, spawn_blocking},
    time::sleep,
};

use super::{
    Reporter, Running,
    connection::{self, Line, Wire},
    store::{Held, Store},
};
use crate::call::Epoch as Clock;

/// The changes that a surface may lag behind. A surface that lags more starts again with a snapshot.
const CHANGES_MAX: usize = 64;

/// A request to the owner.
pub(super) enum Ask {
    /// Hand an event to the broker.
    Take(Event, Option<oneshot::Sender<Result<(), Misuse>>>),
    /// Connect a provider.
    Connect(Wire, oneshot::Sender<ConnectionId>),
    /// Begin an invocation.
    Call(Box<Call>, oneshot::Sender<Result<Running, Misuse>>),
    /// Report the changes of a session from now on.
    Watch(SessionId, oneshot::Sender<(Snapshot, broadcast::Receiver<Change>)>),
    /// Look at the broker.
    Look(Box<dyn FnOnce(&Broker) + Send>),
}

/// The broker, and everything that its actions are carried out on.
pub(super) struct Owner {
    broker: Broker,
    clock: Clock,
    reporter: Reporter,
    store: Option<Box<dyn Store>>,
    /// The channel on which the store tells what it holds: one event for each record, so it does not
    /// grow beyond the number of records.
    stored: (mpsc::UnboundedSender<Event>, mpsc::UnboundedReceiver<Event>),
    inbox: mpsc::WeakSender<Ask>,
    connections: BTreeMap<ConnectionId, Line>,
    tasks: JoinSet<()>,
    last: u64,
    waiting: BTreeMap<InvocationId, oneshot::Sender<Outcome>>,
    watched: BTreeMap<SessionId, broadcast::Sender<Change>>,
}

impl Owner {
    pub(super) fn new(
        broker: Broker,
        store: Option<Box<dyn Store>>,
        reporter: Reporter,
        inbox: mpsc::WeakSender<Ask>,
    ) -> Self {
        Self {
            broker,
            clock: Clock::new(),
            reporter,
            store,
            stored: mpsc::unbounded_channel(),
            inbox,
            connections: BTreeMap::new(),
            tasks: JoinSet::new(),
            last: 0,
            waiting: BTreeMap::new(),
            watched: BTreeMap::new(),
        }
    }

    /// Runs until the last handle is dropped, and then until the providers have ended.
    pub(super) async fn run(mut self, mut inbox: mpsc::Receiver<Ask>) {
        loop {
            let deadline = self.broker.deadline();
            let tick = async {
                match deadline {
                    Some(at) => sleep(at.since(self.clock.now())).await,
                    None => core::future::pending().await,
                }
            };
            let ask = tokio::select! {
                ask = inbox.recv() => match ask {
                    Some(ask) => ask,
                    None => break,
                },
                Some(event) = self.stored.1.recv() => Ask::Take(event, None),
                () = tick => Ask::Take(Event::Tick, None),
                Some(_) = self.tasks.join_next() => continue,
            };
            self.take(ask);
        }
        self.take(Ask::Take(Event::Stop(Scope::All), None));
        self.connections.clear();
        while self.tasks.join_next().await.is_some() {}
        let store = self.store;
        // A store may block while it writes its last records.
        let _ = spawn_blocking(move || drop(store)).await;
    }

    fn take(&mut self, ask: Ask) {
        match ask {
            Ask::Take(event, reply) => {
                if let Event::Disconnected(connection) = &event {
                    self.connections.remove(connection);
                }
                let taken = self.broker.handle(self.clock.now(), event);
                let taken = taken.map(|actions| self.carry_out(actions));
                // Nobody listens if the asking task was dropped meanwhile.
                let _ = reply.map(|reply| reply.send(taken));
            }
            Ask::Connect(wire, reply) => {
                let _ = reply.send(self.connect(wire));
            }
            Ask::Call(call, reply) => {
                let begun = self.broker.call(self.clock.now(), *call);
                let _ = reply.send(begun.map(|(invocation, actions)| {
                    let (sender, outcome) = oneshot::channel();
                    self.waiting.insert(invocation.clone(), sender);
                    self.carry_out(actions);
                    Running { invocation, outcome }
                }));
            }
            Ask::Watch(session, reply) => {
                let snapshot = self.broker.snapshot(&session);
                let changes = self.watched.entry(session);
                let changes = changes.or_insert_with(|| broadcast::channel(CHANGES_MAX).0);
                let _ = reply.send((snapshot, changes.subscribe()));
            }
            Ask::Look(look) => look(&self.broker),
        }
    }

    fn connect(&mut self, wire: Wire) -> ConnectionId {
        self.last += 1;
        let connection = ConnectionId::new(self.last);
        // The number is new, so the broker does not refuse it.
        let connected = self.broker.handle(self.clock.now(), Event::Connected(connection));
        self.carry_out(connected.unwrap_or_default());
        let (line, task) = connection::open(connection, wire, self.inbox.clone());
        self.connections.insert(connection, line);
        self.tasks.spawn(task);
        connection
    }

    /// Carries out the actions of the broker, in order.
    pub(super) fn carry_out(&mut self, actions: Actions) {
        let mut todo = VecDeque::new();
        self.report(actions, &mut todo);
        while let Some(action) = todo.pop_front() {
            match action {
                Action::Deliver { connection, frame } => {
                    if !self.deliver(connection, frame) {
                        let gone = Event::Disconnected(connection);
                        let lost = self.broker.handle(self.clock.now(), gone);
                        self.report(lost.unwrap_or_default(), &mut todo);
                    }
                }
                Action::Store(record) => {
                    let held = Held::new(record.id(), self.stored.0.clone());
                    // Without a store, dropping `held` tells that the record is not held.
                    if let Some(store) = &mut self.store {
                        store.put(record, held);
                    }
                }
                Action::Project(change) => self.project(change),
                Action::Settle { invocation, outcome } => {
                    let waiting = self.waiting.remove(&invocation);
                    let _ = waiting.map(|waiting| waiting.send(outcome));
                }
            }
        }
    }

    fn report(&mut self, actions: Actions, todo: &mut VecDeque<Action>) {
        actions.reports().iter().for_each(&mut self.reporter);
        todo.extend(actions);
    }

    /// Hands a frame to its connection. Returns false if the connection could not take it and was
    /// closed. Frames for a connection that is gone are dropped.
    fn deliver(&mut self, connection: ConnectionId, frame: HostFrame) -> bool {
        let is_taken = match self.connections.get(&connection) {
            Some(line) => line.send(frame),
            None => true,
        };
        if !is_taken {
            self.connections.remove(&connection);
        }
        is_taken
    }

    /// Tells every surface of a session of a change, and waits for none of them.
    fn project(&mut self, change: Change) {
        let session = change.session.clone();
        if let Some(surfaces) = self.watched.get(&session)
            && surfaces.send(change).is_err()
        {
            self.watched.remove(&session);
        }
    }
}
