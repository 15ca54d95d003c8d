//! A broker with a clock that the test turns, two providers, a surface for each session, and a store.
//! The invariants are checked after every event.

use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Instant, InvocationId, Phase,
    host::{
        Action, Actions, Broker, Call, Change, ConnectionId, Epoch, Event, Fault, HostFrame,
        InteractionId, Limits, Misuse, Outcome, Owner, ProviderFrame, Record, RecordId, RecordKind,
        Report, SessionId, View,
    },
    wire::{InputResponse, WireError},
};

use crate::lines::{FILES, MAIL, accepted, asking, call_of, registration, yes};

/// How far the call of a play is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The provider has not accepted it yet.
    Called,
    /// The provider works on it.
    Accepted,
    /// The store is asked to hold a question.
    Opening,
    /// The question is shown.
    Shown,
    /// The store is asked to hold the answer.
    Committing,
    /// The provider has the answer, and works on.
    Resumed,
}

impl At {
    pub(crate) const ALL: [Self; 6] =
        [Self::Called, Self::Accepted, Self::Opening, Self::Shown, Self::Committing, Self::Resumed];

    /// The plays that get this far: with a store, and without one if no store is needed.
    pub(crate) fn plays(self) -> Vec<Play> {
        let volatile = (!matches!(self, Self::Opening | Self::Committing)).then(Play::volatile);
        let plays = volatile.into_iter().chain([Play::durable()]);
        plays.map(|play| play.brought(self)).collect()
    }
}

/// A broker, the time, and everything that has come out of the broker.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) broker: Broker,
    pub(crate) now: Instant,
    pub(crate) is_durable: bool,
    /// The last call. A test means this one if it names none.
    pub(crate) call: InvocationId,
    /// The surface of each session. It is there from the first call of the session.
    pub(crate) views: BTreeMap<SessionId, View>,
    pub(crate) delivered: Vec<(ConnectionId, HostFrame)>,
    pub(crate) records: Vec<Record>,
    pub(crate) changes: Vec<Change>,
    pub(crate) settled: BTreeMap<InvocationId, Outcome>,
    pub(crate) reports: Vec<Report>,
    owners: BTreeMap<InvocationId, Owner>,
    held: BTreeSet<RecordId>,
    /// The lines that the store holds.
    pub(crate) store: Vec<String>,
}

impl Play {
    pub(crate) fn volatile() -> Self {
        Self::of(Broker::volatile(Epoch::new(1), Limits::default()), false)
    }

    pub(crate) fn durable() -> Self {
        Self::limited(Limits::default())
    }

    /// A broker with a store and these limits.
    pub(crate) fn limited(limits: Limits) -> Self {
        let (broker, actions) = Broker::durable(Epoch::new(1), limits, []).unwrap();
        assert_eq!(actions.as_slice(), [], "an empty store has nothing to close");
        Self::of(broker, true)
    }

    /// Connects the two providers to a broker.
    pub(crate) fn of(broker: Broker, is_durable: bool) -> Self {
        let mut play = Self {
            broker,
            now: Instant::from_millis(1_000),
            is_durable,
            call: InvocationId::new("none").unwrap(),
            views: BTreeMap::new(),
            delivered: Vec::new(),
            records: Vec::new(),
            changes: Vec::new(),
            settled: BTreeMap::new(),
            reports: Vec::new(),
            owners: BTreeMap::new(),
            held: BTreeSet::new(),
            store: Vec::new(),
        };
        for (connection, name) in [(FILES, "files"), (MAIL, "mail")] {
            play.connect(connection);
            play.register(name, connection);
        }
        play
    }

    /// Restarts the host with what the store holds.
    pub(crate) fn restarted(&self) -> (Self, Vec<Action>) {
        let epoch = Epoch::new(self.broker.epoch().number() + 1);
        let held = self.store.iter().map(|line| RecordId::decode(line).unwrap());
        let (broker, actions) = Broker::durable(epoch, Limits::default(), held).unwrap();
        let mut play = Self::of(broker, true);
        play.store.clone_from(&self.store);
        let actions = play.carried_out(actions);
        (play, actions)
    }

    /// Starts a call, and brings it to a state.
    pub(crate) fn brought(mut self, at: At) -> Self {
        self.start();
        // Each step leads from one state to the next. Without a store, `hold` does nothing.
        let steps: [fn(&mut Self) -> Vec<Action>; 5] = [
            |play| play.say(accepted(&play.call)),
            |play| play.say(asking(&play.call, 1)),
            Self::hold,
            |play| play.answer(yes()).unwrap(),
            Self::hold,
        ];
        let count = At::ALL.iter().position(|known| *known == at).unwrap();
        for step in steps.iter().take(count) {
            step(&mut self);
        }
        let phase = match at {
            At::Called | At::Accepted => Phase::Running,
            At::Opening | At::Shown | At::Committing => Phase::AwaitingInteraction,
            At::Resumed => Phase::Resumed,
        };
        assert_eq!(self.broker.phase(&self.call), Some(phase));
        self
    }

    pub(crate) fn wait(&mut self, millis: u64) {
        let now: u64 = self.now.since_epoch().as_millis().try_into().unwrap();
        self.now = Instant::from_millis(now + millis);
    }

    pub(crate) fn connect(&mut self, connection: ConnectionId) {
        assert_eq!(self.handle(Event::Connected(connection)), Ok(Vec::new()));
    }

    /// Registers something, and returns the actions for the registration that it replaces.
    pub(crate) fn register(&mut self, name: &str, connection: ConnectionId) -> Vec<Action> {
        self.handle(Event::Registered { registration: registration(name), connection }).unwrap()
    }

    /// Calls "files" in the first turn of the first session.
    pub(crate) fn start(&mut self) -> InvocationId {
        self.start_as(call_of(1, 1, "files")).unwrap()
    }

    pub(crate) fn start_as(&mut self, call: Call) -> Result<InvocationId, Misuse> {
        let (before, of) = (self.broker.clone(), call.session.clone());
        self.views.entry(of.clone()).or_insert_with(|| View::new(before.snapshot(&of)));
        let started = self.broker.call(self.now, call);
        let (invocation, actions) = started.inspect_err(|_| assert!(before == self.broker))?;
        self.call = invocation.clone();
        let owner = self.broker.owner(&invocation).unwrap().clone();
        assert_eq!(self.owners.insert(invocation.clone(), owner), None, "an id is used once");
        self.carried_out(actions);
        Ok(invocation)
    }

    /// Hands an event over, and returns what the broker does about it.
    pub(crate) fn handle(&mut self, event: Event) -> Result<Vec<Action>, Misuse> {
        if let Event::Stored(id) = event {
            let record = self.records.iter().find(|record| record.id() == id);
            let is_new = self.held.insert(id);
            self.store.extend(record.filter(|_| is_new).map(Record::to_json));
        }
        let before = self.broker.clone();
        let handled = self.broker.handle(self.now, event);
        let actions = handled.inspect_err(|_| assert!(before == self.broker, "it is as it was"))?;
        Ok(self.carried_out(actions))
    }

    /// Hands over a frame of the call's provider.
    pub(crate) fn say(&mut self, frame: ProviderFrame) -> Vec<Action> {
        let owner = self.owners.get(frame.invocation());
        let connection = owner.map_or(FILES, |owner| owner.connection);
        self.say_on(connection, frame)
    }

    pub(crate) fn say_on(&mut self, connection: ConnectionId, frame: ProviderFrame) -> Vec<Action> {
        self.handle(Event::Frame { connection, frame }).unwrap()
    }

    /// Answers the last question of the call, from its own session.
    pub(crate) fn answer(&mut self, response: InputResponse) -> Result<Vec<Action>, Misuse> {
        let session = self.owners[&self.call].session.clone();
        self.handle(Event::Answer { interaction: self.interaction(), session, response })
    }

    /// Lets the store hold all records that it was given, in order.
    pub(crate) fn hold(&mut self) -> Vec<Action> {
        let ids: Vec<_> = self.records.iter().map(Record::id).collect();
        let ids: Vec<_> = ids.into_iter().filter(|id| !self.held.contains(id)).collect();
        ids.into_iter().flat_map(|id| self.handle(Event::Stored(id)).unwrap()).collect()
    }

    /// Returns the id of the last question of the call. If there was none, no question has this id.
    pub(crate) fn interaction(&self) -> InteractionId {
        let moved = self.reports.iter().rev().find_map(|report| match report {
            Report::Moved(transition) if transition.invocation == self.call => {
                Some(transition.round)
            }
            _ => None,
        });
        format!("{}.{}", self.call, moved.unwrap_or_default()).parse().unwrap()
    }

    /// Goes through one whole round of the call.
    pub(crate) fn round(&mut self, number: u64) {
        self.say(asking(&self.call, number));
        self.hold();
        self.answer(yes()).unwrap();
        self.hold();
    }

    /// Asserts that an event is ignored or refused, and that nothing has changed.
    pub(crate) fn assert_changes_nothing(&mut self, event: Event) -> Result<(), Misuse> {
        let (before, reports) = (self.broker.clone(), self.reports.len());
        let result = self.handle(event);
        assert!(before == self.broker, "the broker is as it was");
        assert_eq!(result.as_deref().unwrap_or_default(), [], "there is nothing to do");
        assert_eq!(self.reports.len(), reports, "there is nothing to tell");
        result.map(drop)
    }

    /// Asserts that a frame is refused, counted and reported, and that nothing else has changed.
    /// Returns why, and what the sender is told.
    pub(crate) fn refused(
        &mut self,
        connection: ConnectionId,
        frame: ProviderFrame,
    ) -> (Fault, Option<HostFrame>) {
        let (mut other, reports) = (self.broker.clone(), self.reports.len());
        let count = self.broker.refused(connection);
        let actions = self.say_on(connection, frame.clone());
        assert_eq!(self.broker.refused(connection), count.map(|count| count + 1));
        // A frame that cannot be read is counted too, and changes nothing else.
        let unreadable = Event::Unreadable { connection, error: WireError::NotJson.into() };
        let _ = other.handle(self.now, unreadable).unwrap();
        assert!(other == self.broker, "{frame:?} has changed something");
        let [Report::Refused { connection: on, why }] = &self.reports[reports..] else {
            panic!("expected one refusal, found {:?}", &self.reports[reports..])
        };
        assert_eq!(*on, connection);
        let told = match actions.as_slice() {
            [] => None,
            [Action::Deliver { connection: to, frame }] if *to == connection => Some(frame.clone()),
            other => panic!("expected at most a word to the provider, found {other:?}"),
        };
        (why.clone(), told)
    }

    /// Asserts that a frame of the call's provider is refused, and returns the code.
    pub(crate) fn refused_as(&mut self, frame: ProviderFrame) -> &'static str {
        self.refused(FILES, frame).0.code()
    }

    fn carried_out(&mut self, actions: Actions) -> Vec<Action> {
        self.reports.extend_from_slice(actions.reports());
        let actions: Vec<_> = actions.into_iter().collect();
        for action in &actions {
            match action {
                Action::Deliver { connection, frame } => self.deliver(*connection, frame),
                Action::Store(record) => {
                    assert!(self.is_durable, "there is a store");
                    let is_new = self.records.iter().all(|known| known.id() != record.id());
                    assert!(is_new, "{:?} is made once", record.id());
                    self.records.push(record.clone());
                }
                Action::Project(change) => {
                    let view = self.views.get_mut(&change.session).unwrap();
                    view.apply(change.clone()).unwrap();
                    self.changes.push(change.clone());
                }
                Action::Settle { invocation, outcome } => {
                    let before = self.settled.insert(invocation.clone(), outcome.clone());
                    assert_eq!(before, None, "a call settles once");
                }
            }
        }
        self.check();
        actions
    }

    fn deliver(&mut self, connection: ConnectionId, frame: &HostFrame) {
        let invocation = frame.invocation();
        assert!(!self.settled.contains_key(invocation), "nothing follows what has settled");
        assert_eq!(connection, self.owners[invocation].connection, "it goes to who executes it");
        if self.is_durable && matches!(frame, HostFrame::InteractionResult { .. }) {
            let mut answers = self.records.iter().map(Record::id).filter(|id| {
                let of = id.interaction.to_string();
                id.kind == RecordKind::Answered && of.starts_with(&format!("{invocation}."))
            });
            assert!(
                self.held.contains(&answers.next_back().unwrap()),
                "it is held before it goes out"
            );
        }
        self.delivered.push((connection, frame.clone()));
    }

    /// Checks what holds between any two events.
    fn check(&self) {
        for (session, view) in &self.views {
            let snapshot = self.broker.snapshot(session);
            let late = View::new(snapshot.clone());
            assert!(view.open().eq(late.open()), "changes tell what a snapshot does");
            for shown in &snapshot.open {
                let owner = &shown.interaction.owner;
                assert_eq!(owner.as_ref(), &self.owners[&owner.invocation]);
                assert_eq!(&owner.session, session);
                let phase = self.broker.phase(&owner.invocation);
                assert_eq!(phase, Some(Phase::AwaitingInteraction), "no question is an orphan");
            }
        }
        let mut live = self.broker.invocations();
        assert!(live.all(|invocation| !self.settled.contains_key(invocation)));
        assert_eq!(self.broker.deadline().is_none(), self.broker.invocations().next().is_none());
    }
}
