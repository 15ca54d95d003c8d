//! The host's broker: providers, surfaces, the store, the caller and the clock do what they like.

mod plant;
mod scene;
mod screen;
mod store;
mod tell;
mod watch;

use core::{fmt, hash::Hash, time::Duration};
use std::sync::OnceLock;

use mrtr_core::{
    Broker, Clock, Instant, InvocationId,
    broker::{
        Action, Actions, ConnectionId, Epoch, Event, HostFrame, InteractionId, Outcome, Record,
        RecordId, RecordKind, Report, Scope, What as Shows,
    },
    wire::WireError,
};

use scene::{Scene, interaction, registration};
pub use scene::{Setup, StoreSays};
use screen::{Looks, Screen};
use store::Store;
use watch::Called;

use super::{
    Fixed, Invariant, Place, Plant, Rule, Seen, Stage, Violation, World, invariant::shows_nothing,
};

/// Is a host, and what has come out of it.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Hosting {
    scene: Fixed<Scene>,
    broker: Broker,
    now: Instant,
    /// The providers, by their numbers less one.
    providers: Vec<Provider>,
    /// The calls of this life, by their numbers less one.
    calls: Vec<Called>,
    store: Store,
    screens: Vec<Screen>,
    restarts: u32,
    counted: Counted,
}

/// Is where a provider is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Provider {
    connection: ConnectionId,
    is_connected: bool,
    /// How often it came back.
    comebacks: u64,
}

/// Is the broker after it has refused a frame of a connection, worked out when it is needed.
#[derive(Debug, Default)]
struct Counted(OnceLock<Vec<(ConnectionId, Broker)>>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hash for Counted {
    fn hash<H: core::hash::Hasher>(&self, _: &mut H) {}
}

/// Is one thing that can happen.
pub enum Op {
    /// Time passes until something is due. The tick comes later, and anything may come before it.
    Pass,
    /// Time passes, and the tick comes at once.
    PassAndTick,
    /// The host calls a provider.
    Call(usize),
    /// A provider connects again, and registers what it had registered.
    Reconnect(usize),
    /// The second surface looks away.
    LookAway,
    /// It looks back, and hears of what changes from now on.
    LookBack,
    /// The host starts anew. Of what the store had not spoken of, it holds those whose bit is set.
    Restart(u32),
    /// Something else happens.
    Happen {
        /// What.
        event: &'static str,
        /// The one call that it can move; `None`: it may move several.
        of: Option<usize>,
        /// The event.
        happened: Event,
    },
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("time passes until something is due"),
            Self::PassAndTick => f.write_str("time passes until something is due: Tick"),
            Self::Call(number) => write!(f, "provider {number} is called"),
            Self::Reconnect(number) => write!(f, "provider {number} connects again"),
            Self::LookAway => f.write_str("the second surface looks away"),
            Self::LookBack => f.write_str("the second surface looks back"),
            Self::Restart(holds) => write!(f, "the host starts anew, the store holds {holds:#b}"),
            Self::Happen { event, happened, .. } => write!(f, "{event}: {happened:?}"),
        }
    }
}

impl Hosting {
    /// Starts a host with its providers.
    #[must_use]
    pub fn start(setup: Setup) -> Self {
        let first = Epoch::new(1);
        let broker = if setup.store == StoreSays::Nothing {
            Broker::volatile(first, setup.limits())
        } else {
            Broker::durable(first, setup.limits(), []).unwrap().0
        };
        let mut hosting = Self {
            scene: Fixed::new(Scene::new(setup)),
            broker,
            now: Instant::from_millis(0),
            providers: Vec::new(),
            calls: Vec::new(),
            store: Store::default(),
            screens: Vec::new(),
            restarts: setup.restarts,
            counted: Counted::default(),
        };
        hosting.begin();
        hosting
    }

    fn setup(&self) -> &Setup {
        &self.scene.setup
    }

    fn has(&self, plant: Plant) -> bool {
        self.setup().plant == Some(plant)
    }

    fn is_durable(&self) -> bool {
        self.setup().store != StoreSays::Nothing
    }

    fn epoch(&self) -> u64 {
        self.broker.epoch().number()
    }

    /// Begins a life of the host: every provider connects, and registers what it executes.
    fn begin(&mut self) {
        // One more than is called: somebody who has nothing to say.
        self.providers.clear();
        for number in 1..=self.setup().calls.max(1) + 1 {
            let connection = ConnectionId::new(self.epoch() * 100 + number as u64 * 10);
            self.providers.push(Provider { connection, is_connected: true, comebacks: 0 });
            let _ = self.broker.handle(self.now, Event::Connected(connection)).unwrap();
            if number <= self.setup().calls {
                self.register(number);
            }
        }
        // Who looks on begins with a snapshot. Who looks away hears nothing of the new life.
        let screens = if self.setup().has_screens { 2 } else { 0 };
        let screen = Screen::new(self.broker.snapshot(&self.setup().session(1)));
        let looks_on = self.screens.iter_mut().filter(|screen| screen.looks == Looks::On);
        looks_on.for_each(|on| *on = screen.clone());
        self.screens.resize(screens, screen);
    }

    fn register(&mut self, number: usize) {
        let connection = self.provider(number).connection;
        let registration = registration(number);
        let _ =
            self.broker.handle(self.now, Event::Registered { registration, connection }).unwrap();
    }

    fn provider(&self, number: usize) -> Provider {
        self.providers.get(number - 1).copied().unwrap()
    }

    /// What a call's own provider, surface and store can say, and what concerns it alone.
    fn ops_of(&self, epoch: u64, number: usize) -> Vec<(&'static str, Event)> {
        let setup = self.setup();
        let Provider { connection, .. } = self.provider(number);
        let mut events: Vec<_> = self.scene.frames(connection, epoch, number).collect();
        if let Some((_, Event::Frame { frame, .. })) = events.get(2).cloned() {
            let connection = self.provider(number % self.providers.len() + 1).connection;
            events.push(("a frame of another connection", Event::Frame { connection, frame }));
        }
        if setup.is_wide {
            let event = Event::Unreadable { connection, error: WireError::NotJson };
            events.push(("what is no frame", event));
        }
        let questions = if setup.is_wide { setup.questions + 1 } else { setup.questions };
        for question in 1..=questions {
            let id = interaction(epoch, number, question);
            let called = self.calls.get(number - 1).filter(|_| epoch == self.epoch());
            let asked = called.and_then(|called| called.question.as_ref());
            let taken = asked.is_some_and(|asked| id < asked.id || asked.answer.is_some());
            for (event, happened) in self.scene.answers(number, id) {
                let is_second = event == "an answer" && taken;
                events.push((if is_second { "a second answer" } else { event }, happened));
            }
            if setup.store == StoreSays::Anything {
                let held = |kind| RecordId { interaction: id, kind };
                events.extend([
                    ("the question is held", Event::Stored(held(RecordKind::Requested))),
                    ("the answer is held", Event::Stored(held(RecordKind::Answered))),
                    ("the answer is not held", Event::StoreFailed(held(RecordKind::Answered))),
                ]);
                if setup.is_wide {
                    let failed = Event::StoreFailed(held(RecordKind::Requested));
                    events.push(("the question is not held", failed));
                    events.push(("the end is held", Event::Stored(held(RecordKind::Closed))));
                    let failed = Event::StoreFailed(held(RecordKind::Closed));
                    events.push(("the end is not held", failed));
                }
            }
        }
        events.extend(self.scene.stops(epoch, number));
        events
    }

    /// What may end several calls at once, and what the store says.
    fn ops_of_all(&self) -> Vec<(&'static str, Event)> {
        let setup = self.setup();
        let stop = |scope| ("a scope is stopped", Event::Stop(scope));
        let mut events = vec![stop(Scope::Session(setup.session(1)))];
        if setup.is_wide || setup.is_apart {
            events.push(stop(Scope::All));
        }
        for (index, provider) in self.providers.iter().enumerate() {
            if provider.is_connected && (setup.is_wide || index < setup.calls) {
                let event = Event::Disconnected(provider.connection);
                events.push(("the connection drops", event));
            }
        }
        if !setup.is_punctual {
            events.push(("tick", Event::Tick));
        }
        if setup.is_wide {
            events.push(("the registration is retired", Event::Retired(registration(1))));
            // Once: each registration is another, and there would be no end to the states.
            let first = self.provider(1).connection;
            if self.broker.registered_on(&registration(1)) == Some(first) {
                let connection = self.provider(2).connection;
                let registration = registration(1);
                let event = Event::Registered { registration, connection };
                events.push(("something else is registered", event));
            }
        }
        if let StoreSays::InAnyOrder { fails } = setup.store {
            for id in &self.store.writing {
                events.push(("a record is held", Event::Stored(*id)));
                if fails {
                    events.push(("a record is not held", Event::StoreFailed(*id)));
                }
            }
        }
        events
    }

    fn call(&self, number: usize) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next = self.clone();
        let call = self.setup().call(number);
        let on = self.broker.registered_on(&call.registration);
        let (called, actions) = match next.broker.call(self.now, call) {
            Ok(called) => called,
            Err(_) => {
                let is_so = on.is_none() && next.broker == self.broker;
                Rule::Contract.holds(is_so, "it is called where it is registered")?;
                return Ok((None, Vec::new()));
            }
        };
        let phase = next.broker.phase(&called).unwrap();
        let place = Place { phase, stage: Stage::None };
        let session = self.setup().session(number);
        let called = Called::new(called, session, on.unwrap(), place, self.now);
        next.calls.push(called);
        let no_event = Event::Connected(self.provider(number).connection);
        next.take(&no_event, actions.as_slice())?;
        let seen = self.setup().is_told.then(|| tell::began(place, actions.as_slice()));
        Ok((Some(next), seen.into_iter().collect()))
    }

    /// Starts anew with what the store holds.
    fn restart(&self, holds: u32) -> Result<Self, Violation> {
        let mut next = self.clone();
        next.store.restart(holds);
        let epoch = Epoch::new(self.epoch() + 1);
        let limits = self.setup().limits();
        let held = next.store.held.iter().copied();
        let (broker, actions) = Broker::durable(epoch, limits, held).unwrap();
        next.broker = broker;
        next.calls.clear();
        next.restarts -= 1;
        next.begin();
        let (mut open, mut answered) = next.store.left_open();
        let list: Vec<Action> = actions.into_iter().collect();
        shows_nothing(&format!("{list:?}"))?;
        let list = if self.has(Plant::ForgetsWhatWasOpen) { Vec::new() } else { list };
        for action in &list {
            let closed = match action {
                Action::Store(record @ Record::Closed { interaction, .. }) => {
                    next.store.put(record, self.setup().holds_ends);
                    open.remove(interaction) || answered.remove(interaction)
                }
                _ => false,
            };
            let rule = Invariant::StoredThenDelivered;
            rule.holds(closed, "a host that starts anew closes what was open, and no more")?;
        }
        let rule = Invariant::NoQuestionWithoutInvocation;
        rule.holds(open.is_empty(), "no question of an earlier life is left open")?;
        Ok(next)
    }

    /// A frame that is refused changes nothing but how many were. The count is left out, or there
    /// would be no end to the states.
    fn check_refused(&self, after: &Broker, at: &Event) -> Result<(), Violation> {
        let (Event::Frame { connection, .. } | Event::Unreadable { connection, .. }) = at else {
            return Rule::Contract.holds(false, "frames are refused, and nothing else");
        };
        let counted = self.counted.0.get_or_init(|| {
            let count = |provider: &Provider| {
                let (connection, error) = (provider.connection, WireError::NotJson);
                let mut broker = self.broker.clone();
                let event = Event::Unreadable { connection, error };
                let _ = broker.handle(self.now, event).unwrap();
                (connection, broker)
            };
            self.providers.iter().map(count).collect()
        });
        let is_counted = counted.iter().any(|(of, broker)| of == connection && broker == after);
        Rule::Contract.holds(is_counted, "what is refused changes nothing")
    }

    /// Carries actions out.
    fn take(&mut self, after: &Event, list: &[Action]) -> Result<(), Violation> {
        let is_durable = self.is_durable();
        for action in list {
            let of = invocation_of(action);
            let called = self.calls.iter_mut().find(|called| called.invocation == of);
            let rule = Invariant::NoQuestionWithoutInvocation;
            rule.holds(called.is_some(), "an action is of a call that was made")?;
            if let Some(called) = called {
                called.action(action, after, is_durable)?;
            }
            match action {
                Action::Store(record)
                    if matches!(self.setup().store, StoreSays::InAnyOrder { .. }) =>
                {
                    let is_end = record.id().kind == RecordKind::Closed;
                    let at_once = is_end && self.setup().holds_ends;
                    self.store.put(record, at_once);
                }
                Action::Project(change) => {
                    for screen in &mut self.screens {
                        screen.hear(change, &self.broker)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn happen(
        &self,
        event: &'static str,
        of: Option<usize>,
        happened: &Event,
        now: Instant,
    ) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut broker = self.broker.clone();
        let actions = match broker.handle(now, happened.clone()) {
            Ok(actions) => actions,
            Err(misuse) => {
                Rule::Contract.holds(broker == self.broker, "what is refused changes nothing")?;
                shows_nothing(&format!("{misuse} {misuse:?}"))?;
                return Ok((None, self.tell_refused(event, of, || tell::misuse(&misuse))));
            }
        };
        if let [Report::Refused { why, .. }] = actions.reports() {
            self.check_refused(&broker, happened)?;
            shows_nothing(&format!("{why} {actions:?}"))?;
            let is_only_told = actions.as_slice().iter().all(|action| {
                matches!(
                    action,
                    Action::Deliver { frame: HostFrame::InteractionRefused { .. }, .. }
                )
            });
            Rule::Contract.holds(is_only_told, "who is refused hears of it, and nobody else")?;
            return Ok((None, self.tell_refused(event, of, || why.code().into())));
        }
        let mut next = Self { broker, now, ..self.clone() };
        next.store.said(happened);
        if let Event::Disconnected(gone) = happened {
            let provider = next.providers.iter_mut().find(|one| one.connection == *gone);
            provider.into_iter().for_each(|provider| provider.is_connected = false);
        }
        let list = plant::tamper(self, &next.broker, happened, &actions);
        shows_nothing(&plant::shown(self, &list, actions.reports()))?;
        next.told(happened, &actions)?;
        next.take(happened, &list)?;
        for called in &mut next.calls {
            if called.place.stage != Stage::None {
                called.place.stage = called.waits();
            }
        }
        self.check_others(&next, of)?;
        let seen = if self.setup().is_told {
            tell::moved(self, &next, event, happened, &actions)
        } else {
            Vec::new()
        };
        Ok((Some(next), seen))
    }

    fn tell_refused(
        &self,
        event: &'static str,
        of: Option<usize>,
        why: impl FnOnce() -> String,
    ) -> Vec<Seen> {
        let called = of.and_then(|number| self.calls.get(number - 1));
        let called = called.filter(|_| self.setup().is_told);
        called.map(|called| tell::refused(event, called.place, why())).into_iter().collect()
    }

    /// Takes note of what the broker reports of its calls.
    fn told(&mut self, happened: &Event, actions: &Actions) -> Result<(), Violation> {
        let (is_durable, now) = (self.is_durable(), self.now);
        for report in actions.reports() {
            let called = match report {
                Report::Moved(moved) => {
                    let of = &moved.invocation;
                    self.calls.iter_mut().find(|called| called.invocation == *of).zip(Some(moved))
                }
                _ => None,
            };
            let rule = Invariant::NoQuestionWithoutInvocation;
            rule.holds(called.is_some(), "what moves is a call that was made")?;
            let Some((called, moved)) = called else { continue };
            let is_so = moved.from == called.place.phase;
            Rule::Contract.holds(is_so, "a transition says what changed")?;
            called.event(happened, moved.cause, is_durable)?;
            let before = called.place;
            let is_asked = moved.to == mrtr_core::Phase::AwaitingInteraction;
            let stage = if is_asked { Stage::Shown } else { Stage::None };
            called.place = Place { phase: moved.to, stage };
            if before.phase != moved.to || is_asked {
                called.since = now;
            }
        }
        Ok(())
    }

    /// What concerns one call leaves the others alone.
    fn check_others(&self, next: &Self, of: Option<usize>) -> Result<(), Violation> {
        let Some(number) = of else { return Ok(()) };
        let pairs = self.calls.iter().zip(&next.calls).enumerate();
        let is_so = pairs.filter(|(index, _)| index + 1 != number).all(|(_, (a, b))| a == b);
        Invariant::AnswersReachWhoAsked.holds(is_so, "another call is as it was")
    }

    /// What the broker tells of its deadline.
    fn deadline(&self) -> Option<Instant> {
        let shown = self.calls.iter().find(|called| called.waits() == Stage::Shown);
        match shown {
            Some(shown) if self.has(Plant::ProviderClockRunsOn) => {
                Some(shown.since + Duration::from_secs(60))
            }
            _ => self.broker.deadline(),
        }
    }

    fn check_shown(&self) -> Result<(), Violation> {
        let rule = Invariant::NoQuestionWithoutInvocation;
        let live: Vec<_> = self.calls.iter().filter(|called| !called.is_settled()).collect();
        let is_so = self.broker.invocations().eq(live.iter().map(|called| &called.invocation));
        rule.holds(is_so, "what is live is what was called and is not settled")?;
        let sessions = if self.setup().is_apart { self.setup().calls } else { 1 };
        for number in 1..=sessions {
            let session = self.setup().session(number);
            let snapshot = self.broker.snapshot(&session);
            let of_it = live.iter().filter(|called| called.session == session);
            let asked = of_it.filter_map(|called| called.pending().filter(|asked| asked.is_shown));
            let is_so =
                asked.map(|asked| asked.id).eq(snapshot.open.iter().map(|one| one.interaction.id));
            rule.holds(is_so, "what is shown is what is asked")?;
            let screens = self.screens.iter().filter(|_| number == 1);
            screens.into_iter().try_for_each(|screen| screen.check(&snapshot))?;
        }
        Ok(())
    }

    /// Checks what a tick does: nothing before the deadline, and at it what the place is there for.
    fn check_tick(&self, at: Instant) -> Result<(), Violation> {
        let rule = Invariant::ClocksRunWhereTheyBelong;
        let mut broker = self.broker.clone();
        if let Some(early) = at.since_epoch().checked_sub(Duration::from_millis(1)) {
            let actions = broker.handle(Instant::from_epoch(early), Event::Tick).unwrap();
            let is_idle = actions.as_slice().is_empty() && broker == self.broker;
            Rule::Contract.holds(is_idle, "a tick that is not due does nothing")?;
        }
        let actions = broker.handle(at, Event::Tick).unwrap();
        let mut is_settled = false;
        for action in actions.as_slice() {
            let Action::Settle { invocation, outcome } = action else { continue };
            is_settled = true;
            let called = self.calls.iter().find(|called| called.invocation == *invocation);
            let waits = called.map(Called::waits);
            let is_so = match outcome {
                Outcome::TimedOut(Clock::Leg | Clock::Execution) => waits == Some(Stage::None),
                Outcome::TimedOut(Clock::Interaction) => waits == Some(Stage::Shown),
                Outcome::StoreFailed => {
                    matches!(waits, Some(Stage::QuestionAtStore | Stage::AnswerAtStore))
                }
                _ => false,
            };
            rule.holds(is_so, "what runs out is what is waited for")?;
        }
        rule.holds(is_settled, "what is due comes with the tick")
    }
}

/// Returns the invocation that an action is of.
fn invocation_of(action: &Action) -> InvocationId {
    let of =
        |id: &InteractionId| InvocationId::new(id.to_string().rsplit_once('.').unwrap().0).unwrap();
    match action {
        Action::Deliver { frame, .. } => frame.invocation().clone(),
        Action::Store(record) => of(&record.id().interaction),
        Action::Project(change) => match &change.what {
            Shows::Opened(shown) => shown.owner.invocation.clone(),
            Shows::Taken { interaction, .. } | Shows::Ended { interaction, .. } => of(interaction),
        },
        Action::Settle { invocation, .. } => invocation.clone(),
    }
}

impl World for Hosting {
    type Op = Op;

    fn ops(&self) -> Vec<Op> {
        let (setup, epoch) = (self.setup(), self.epoch());
        let mut ops = Vec::new();
        if self.calls.len() < setup.calls_in(epoch) {
            ops.push(Op::Call(self.calls.len() + 1));
        }
        for number in 1..=self.calls.len() {
            let events = self.ops_of(epoch, number).into_iter();
            ops.extend(events.map(|(event, happened)| Op::Happen {
                event,
                of: Some(number),
                happened,
            }));
        }
        // What is said of the life before.
        for number in 1..=if epoch > 1 { setup.calls_in(epoch - 1) } else { 0 } {
            let events = self.ops_of(epoch - 1, number).into_iter();
            ops.extend(events.map(|(event, happened)| Op::Happen { event, of: None, happened }));
        }
        let events = self.ops_of_all().into_iter();
        ops.extend(events.map(|(event, happened)| Op::Happen { event, of: None, happened }));
        for (index, provider) in self.providers.iter().enumerate() {
            if !provider.is_connected && provider.comebacks < setup.reconnects {
                ops.push(Op::Reconnect(index + 1));
            }
        }
        match self.screens.get(1).map(|screen| screen.looks) {
            Some(Looks::On) => ops.push(Op::LookAway),
            Some(Looks::Away) => ops.push(Op::LookBack),
            _ => {}
        }
        if self.restarts > 0 {
            ops.extend((0..1 << self.store.writing.len()).map(Op::Restart));
        }
        if self.deadline().is_some_and(|at| at > self.now) {
            ops.push(if setup.is_punctual { Op::PassAndTick } else { Op::Pass });
        }
        ops
    }

    fn step(&self, op: &Op) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next;
        match op {
            Op::Pass => {
                next = self.clone();
                next.now = self.deadline().unwrap();
            }
            Op::PassAndTick => {
                let now = self.deadline().unwrap();
                return self.happen("tick", None, &Event::Tick, now);
            }
            Op::Call(number) => return self.call(*number),
            Op::Reconnect(number) => {
                next = self.clone();
                let provider = next.providers.get_mut(number - 1).unwrap();
                provider.comebacks += 1;
                provider.is_connected = true;
                let connection = provider.connection.number() + 1;
                provider.connection = ConnectionId::new(connection);
                let event = Event::Connected(provider.connection);
                let _ = next.broker.handle(self.now, event).unwrap();
                if *number <= self.setup().calls {
                    next.register(*number);
                }
            }
            Op::LookAway | Op::LookBack => {
                next = self.clone();
                let looks = if matches!(op, Op::LookAway) { Looks::Away } else { Looks::Back };
                next.screens.get_mut(1).unwrap().looks = looks;
            }
            Op::Restart(holds) => next = self.restart(*holds)?,
            Op::Happen { event, of, happened } => {
                return self.happen(event, *of, happened, self.now);
            }
        }
        Ok((Some(next), Vec::new()))
    }

    fn check(&self) -> Result<(), Violation> {
        for called in &self.calls {
            called.check_place()?;
            let phase = self.broker.phase(&called.invocation);
            let is_so = phase == Some(called.place.phase).filter(|_| !called.is_settled());
            Rule::Contract.holds(is_so, "the broker tells the phase of what is live")?;
        }
        shows_nothing(&format!("{:?}", self.broker))?;
        self.check_shown()?;
        let is_live = self.calls.iter().any(|called| !called.is_settled());
        let rule = Invariant::ClocksRunWhereTheyBelong;
        match self.deadline() {
            None => rule.holds(!is_live, "a call that is not over has a clock"),
            Some(at) => self.check_tick(at),
        }
    }
}
