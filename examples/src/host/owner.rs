//! The task that owns the broker: it takes one thing after the other, and carries out what comes of it.

use std::collections::{BTreeMap, VecDeque};

use mrtr_core::{
    Broker, InvocationId, SessionId,
    broker::{
        Action, Actions, Call, Change, ConnectionId, Event, HostFrame, Misuse, Outcome, Scope,
        Snapshot,
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

/// The changes that a surface may lag behind. One that lags more begins anew.
const CHANGES_MAX: usize = 64;

/// Is what the owner can be asked.
pub(super) enum Ask {
    /// Let the broker take an event.
    Take(Event, Option<oneshot::Sender<Result<(), Misuse>>>),
    /// Take a provider.
    Connect(Wire, oneshot::Sender<ConnectionId>),
    /// Begin an invocation.
    Call(Box<Call>, oneshot::Sender<Result<Running, Misuse>>),
    /// Tell of a session from now on.
    Watch(SessionId, oneshot::Sender<(Snapshot, broadcast::Receiver<Change>)>),
    /// Let somebody look.
    Look(Box<dyn FnOnce(&Broker) + Send>),
}

/// Is the broker, and all that it decides about.
pub(super) struct Owner {
    broker: Broker,
    clock: Clock,
    reporter: Reporter,
    store: Option<Box<dyn Store>>,
    /// Where the store says what it holds: a word for each record, so that they are never more than
    /// those.
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

    /// Runs until nobody can ask any more, and then until the providers have ended.
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
        // A store may take its time to write the last of it.
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
                // Who has gone in the meantime does not want to know.
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
        // The number is new, so that the broker does not refuse it.
        let connected = self.broker.handle(self.clock.now(), Event::Connected(connection));
        self.carry_out(connected.unwrap_or_default());
        let (line, task) = connection::open(connection, wire, self.inbox.clone());
        self.connections.insert(connection, line);
        self.tasks.spawn(task);
        connection
    }

    /// Does what the broker has decided, in order.
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
                    // Whoever drops `held` says that the record is not held.
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

    /// Hands a frame over. False: the connection can not take it, and is cut. One that is gone
    /// already takes anything.
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

    /// Tells every surface of a session. Nobody is waited for.
    fn project(&mut self, change: Change) {
        let session = change.session.clone();
        if let Some(surfaces) = self.watched.get(&session)
            && surfaces.send(change).is_err()
        {
            self.watched.remove(&session);
        }
    }
}
