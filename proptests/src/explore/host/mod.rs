//! The host's broker: providers, surfaces, the store, the caller and the clock do what they like.

use crate::invariants::{Invariant, Violation, shows_nothing_secret};
use crate::watch::{HostWatch, WatchedCall};
use crate::{
    broker::Out,
    faults::{HostLie, HostSight},
};
mod checks;
mod ops;
mod scene;
mod screen;
mod store;
mod tell;

use core::hash::Hash;

use mrtr_core::{
    Instant, InvocationId,
    host::{
        Action, Actions, Broker, ChangeKind as Shows, ConnectionId, Epoch, Event, InteractionId,
        Record, RecordKind, Report, SessionId,
    },
};

use checks::Counted;
pub use ops::HostStep;
use scene::{HostScene, registration, written};
pub use scene::{HostScope, StoreSays};
use screen::{Looks, Screen};
use store::SearchedStore;

use super::{Fixed, Place, Searched, Seen, Stage};

/// A host, and what has come out of it.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Hosting {
    scene: Fixed<HostScene>,
    broker: Broker,
    now: Instant,
    /// The providers, by their numbers less one.
    providers: Vec<Provider>,
    /// The calls of this life, by their numbers less one.
    calls: Vec<CallPlace>,
    watch: HostWatch,
    store: SearchedStore,
    screens: Vec<Screen>,
    restarts: u32,
    counted: Counted,
}

/// Where a call is, as the broker tells it, and when it came there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CallPlace {
    invocation: InvocationId,
    session: SessionId,
    place: Place,
    since: Instant,
}

/// Where a provider is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Provider {
    connection: ConnectionId,
    is_connected: bool,
    /// How often it came back.
    comebacks: u64,
}

impl Hosting {
    /// Starts a host with its providers.
    #[must_use]
    pub fn start(setup: HostScope) -> Self {
        let first = Epoch::new(1);
        let broker = if setup.store == StoreSays::Nothing {
            Broker::volatile(first, setup.limits())
        } else {
            Broker::durable(first, setup.limits(), []).unwrap().0
        };
        let mut hosting = Self {
            scene: Fixed::new(HostScene::new(setup)),
            broker,
            now: Instant::from_millis(0),
            providers: Vec::new(),
            calls: Vec::new(),
            watch: HostWatch::new(1, setup.store != StoreSays::Nothing),
            store: SearchedStore::default(),
            screens: Vec::new(),
            restarts: setup.restarts,
            counted: Counted::default(),
        };
        hosting.begin();
        hosting
    }

    fn setup(&self) -> &HostScope {
        &self.scene.setup
    }

    fn lie(&self) -> &HostLie {
        &self.scene.setup.lie
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
            self.connect(connection);
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

    fn connect(&mut self, connection: ConnectionId) {
        let event = Event::Connected(connection);
        self.watch.see(&event, None, &[]).unwrap();
        let _ = self.broker.handle(self.now, event).unwrap();
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

    fn call(&self, number: usize) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next = self.clone();
        let call = self.setup().call(number);
        let on = self.broker.registered_on(&call.registration);
        let (invocation, actions) = match next.broker.call(self.now, call.clone()) {
            Ok(called) => called,
            Err(_) => {
                let is_so = on.is_none() && next.broker == self.broker;
                Invariant::Contract.holds(is_so, "it is called where it is registered")?;
                return Ok((None, Vec::new()));
            }
        };
        let phase = next.broker.phase(&invocation).unwrap();
        let place = Place { phase, stage: Stage::None };
        let session = self.setup().session(number);
        next.watch.called(&invocation, &call, on.unwrap(), actions.as_slice())?;
        next.calls.push(CallPlace { invocation, session, place, since: self.now });
        let seen = self.setup().is_told.then(|| tell::began(place, actions.as_slice()));
        Ok((Some(next), seen.into_iter().collect()))
    }

    /// Restarts with what the store holds.
    fn restart(&self, holds: u32) -> Result<Self, Violation> {
        let mut next = self.clone();
        next.store.restart(holds);
        let epoch = Epoch::new(self.epoch() + 1);
        let limits = self.setup().limits();
        let held = next.store.held.iter().copied();
        let (broker, actions) = Broker::durable(epoch, limits, held).unwrap();
        next.broker = broker;
        next.calls.clear();
        next.watch = HostWatch::new(epoch.number(), true);
        next.restarts -= 1;
        next.begin();
        let (mut open, mut answered) = next.store.left_open();
        let list: Vec<Action> = actions.into_iter().collect();
        shows_nothing_secret(&format!("{list:?}"))?;
        let list = if self.lie().starts_dirty { Vec::new() } else { list };
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

    /// Carries actions out.
    fn take(&mut self, after: &Event, list: &[Action]) -> Result<(), Violation> {
        let given = match after {
            Event::Answer { response, .. } => {
                let decision = response.decision();
                decision.map(|decision| (decision, written(response).as_str().into()))
            }
            _ => None,
        };
        self.watch.see(after, given, list)?;
        for action in list {
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
                Invariant::Contract
                    .holds(broker == self.broker, "what is refused changes nothing")?;
                shows_nothing_secret(&format!("{misuse} {misuse:?}"))?;
                return Ok((None, self.tell_refused(event, of, || tell::misuse(&misuse))));
            }
        };
        if let [Report::Refused { why, .. }] = actions.reports() {
            self.check_refused(&broker, happened)?;
            shows_nothing_secret(&format!("{why} {actions:?}"))?;
            let list = self.lied(&broker, now, happened, &actions);
            self.watch.check_refused(happened, &list, why)?;
            return Ok((None, self.tell_refused(event, of, || why.code().into())));
        }
        let mut next = Self { broker, now, ..self.clone() };
        next.store.said(happened);
        if let Event::Disconnected(gone) = happened {
            let provider = next.providers.iter_mut().find(|one| one.connection == *gone);
            provider.into_iter().for_each(|provider| provider.is_connected = false);
        }
        let list = self.lied(&next.broker, now, happened, &actions);
        let logged: String = list.iter().map(|action| (self.lie().logs)(action)).collect();
        shows_nothing_secret(&format!("{list:?} {:?} {logged}", actions.reports()))?;
        next.told(happened, &actions)?;
        next.take(happened, &list)?;
        for called in &mut next.calls {
            if called.place.stage != Stage::None {
                called.place.stage = waits(next.watch.call(&called.invocation).unwrap());
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
        let now = self.now;
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
            Invariant::Contract.holds(is_so, "a transition says what changed")?;
            if let Event::Frame { connection, .. } = happened {
                let own = self.watch.call(&called.invocation).map(WatchedCall::connection);
                let rule = Invariant::AnswersReachWhoAsked;
                rule.holds(own == Some(*connection), "a provider speaks for its own")?;
            }
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

    /// Returns what is carried out: what the broker said, unless it lies.
    fn lied(&self, after: &Broker, now: Instant, event: &Event, actions: &Actions) -> Vec<Action> {
        let mut out =
            Out { actions: actions.as_slice().to_vec(), reports: actions.reports().to_vec() };
        (self.lie().acts)(&HostSight { before: &self.broker, after, now, event }, &mut out);
        out.actions
    }

    /// Returns what the broker tells of its deadline.
    fn deadline(&self) -> Option<Instant> {
        (self.lie().deadline)(&self.broker, self.broker.deadline())
    }
}

/// Returns what a call waits for, by what has come out of it.
fn waits(call: &WatchedCall) -> Stage {
    match call.pending() {
        None => Stage::None,
        Some(asked) if asked.given.is_some() => Stage::AnswerAtStore,
        Some(asked) if asked.is_shown => Stage::Shown,
        Some(_) => Stage::QuestionAtStore,
    }
}

/// Returns the invocation that an action is of.
fn invocation_of(action: &Action) -> InvocationId {
    let of =
        |id: &InteractionId| InvocationId::new(id.to_string().rsplit_once('.').unwrap().0).unwrap();
    match action {
        Action::Deliver { frame, .. } => frame.invocation().clone(),
        Action::Store(record) => of(&record.id().interaction),
        Action::Project(change) => match &change.kind {
            Shows::Opened(shown) => shown.owner.invocation.clone(),
            Shows::Taken { interaction, .. } | Shows::Ended { interaction, .. } => of(interaction),
        },
        Action::Settle { invocation, .. } => invocation.clone(),
    }
}

impl Searched for Hosting {
    type Op = HostStep;

    fn ops(&self) -> Vec<HostStep> {
        self.list()
    }

    fn step(&self, op: &HostStep) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next;
        match op {
            HostStep::Pass => {
                next = self.clone();
                next.now = self.deadline().unwrap();
            }
            HostStep::PassAndTick => {
                let now = self.deadline().unwrap();
                return self.happen("tick", None, &Event::Tick, now);
            }
            HostStep::Call(number) => return self.call(*number),
            HostStep::Reconnect(number) => {
                next = self.clone();
                let provider = next.providers.get_mut(number - 1).unwrap();
                provider.comebacks += 1;
                provider.is_connected = true;
                let connection = provider.connection.number() + 1;
                provider.connection = ConnectionId::new(connection);
                let connection = provider.connection;
                next.connect(connection);
                if *number <= self.setup().calls {
                    next.register(*number);
                }
            }
            HostStep::LookAway | HostStep::LookBack => {
                next = self.clone();
                let looks =
                    if matches!(op, HostStep::LookAway) { Looks::Away } else { Looks::Back };
                next.screens.get_mut(1).unwrap().looks = looks;
            }
            HostStep::Restart(holds) => next = self.restart(*holds)?,
            HostStep::Happen { event, of, happened } => {
                return self.happen(event, *of, happened, self.now);
            }
        }
        Ok((Some(next), Vec::new()))
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_state()
    }
}
