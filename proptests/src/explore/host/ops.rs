//! What can happen to a host now.

use core::fmt;

use mrtr_core::{
    host::{ConnectionId, Event, RecordId, RecordKind, Scope},
    wire::WireError,
};

use crate::watch::WatchedCall;

use super::{
    Hosting, Provider, StoreSays,
    scene::{interaction, invocation, misspelt, registration},
    screen::Looks,
};

/// A thing that can happen.
pub enum HostStep {
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
    /// The host restarts. Of the records that the store has not spoken of, it holds those whose bit is set.
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

impl fmt::Debug for HostStep {
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
    /// Lists everything.
    pub(super) fn list(&self) -> Vec<HostStep> {
        let (setup, epoch) = (self.setup(), self.epoch());
        let mut ops = Vec::new();
        if self.calls.len() < setup.calls_in(epoch) {
            ops.push(HostStep::Call(self.calls.len() + 1));
        }
        for number in 1..=self.calls.len() {
            let events = self.ops_of(epoch, number).into_iter();
            ops.extend(events.map(|(event, happened)| HostStep::Happen {
                event,
                of: Some(number),
                happened,
            }));
        }
        // What is said of the life before.
        for number in 1..=if epoch > 1 { setup.calls_in(epoch - 1) } else { 0 } {
            let events = self.ops_of(epoch - 1, number).into_iter();
            ops.extend(events.map(|(event, happened)| HostStep::Happen {
                event,
                of: None,
                happened,
            }));
        }
        let events = self.ops_of_all().into_iter();
        ops.extend(events.map(|(event, happened)| HostStep::Happen { event, of: None, happened }));
        for (index, provider) in self.providers.iter().enumerate() {
            if !provider.is_connected && provider.comebacks < setup.reconnects {
                ops.push(HostStep::Reconnect(index + 1));
            }
        }
        match self.screens.get(1).map(|screen| screen.looks) {
            Some(Looks::On) => ops.push(HostStep::LookAway),
            Some(Looks::Away) => ops.push(HostStep::LookBack),
            _ => {}
        }
        if self.restarts > 0 {
            ops.extend((0..1 << self.store.writing.len()).map(HostStep::Restart));
        }
        if self.deadline().is_some_and(|at| at > self.now) {
            ops.push(if setup.is_punctual { HostStep::PassAndTick } else { HostStep::Pass });
        }
        ops
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
        if setup.is_foreign {
            events.extend(self.foreign(epoch, number));
        }
        if setup.is_wide {
            let event = Event::Unreadable { connection, error: WireError::NotJson.into() };
            events.push(("what is no frame", event));
        }
        let questions = if setup.is_wide { setup.questions + 1 } else { setup.questions };
        for question in 1..=questions {
            let id = interaction(epoch, number, question);
            let called = self.calls.get(number - 1).filter(|_| epoch == self.epoch());
            let watched = called.and_then(|called| self.watch.call(&called.invocation));
            let asked = watched.and_then(WatchedCall::question);
            let taken = asked
                .is_some_and(|asked| id < asked.id || (id == asked.id && asked.given.is_some()));
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

    /// What is said of a call on all connections but that of its first provider, also on one that
    /// never was, and what is not a frame but says which question it asks.
    fn foreign(&self, epoch: u64, number: usize) -> Vec<(&'static str, Event)> {
        let provider = self.provider(number).connection;
        let all = self.providers.iter().map(|provider| provider.connection);
        let all: Vec<_> = all.chain([ConnectionId::new(9)]).collect();
        let invocation = invocation(epoch, number);
        // A call goes to the replacement of its registration, if that came first.
        let own = self.watch.call(&invocation).map(WatchedCall::connection);
        let mut events = Vec::new();
        for connection in all.iter().copied().filter(|connection| *connection != provider) {
            let is_own = own == Some(connection);
            let frames = self.scene.frames(connection, epoch, number);
            events.extend(frames.map(|(name, event)| {
                (if is_own { name } else { "a frame of another connection" }, event)
            }));
        }
        for (connection, asked) in all.iter().flat_map(|on| [1, 2, 3].map(|asked| (*on, asked))) {
            let event = Event::Unreadable { connection, error: misspelt(&invocation, asked) };
            events.push(("what is no frame", event));
        }
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
}
