//! A host that is the broker, but for one lie.

use core::fmt;

use mrtr_core::{
    Instant, InvocationId, Phase,
    host::{
        Broker, Call, ConnectionId, Epoch, EpochReused, Event, Limits, Misuse, Owner, RecordId,
        RegistrationId, SessionId, Snapshot,
    },
};
use mrtr_proptests::broker::{Host, Out};

/// What a host says otherwise than the broker in it.
#[derive(Clone, Copy)]
pub(crate) struct Lie {
    /// Changes what comes of an event.
    pub(crate) out: fn(&Event, &mut Out),
    /// Changes what comes of a call.
    pub(crate) called: fn(&mut Out),
    /// Changes a refusal of the caller.
    pub(crate) misuse: fn(Misuse) -> Misuse,
    /// Changes a snapshot.
    pub(crate) snapshot: fn(&mut Snapshot),
    /// Changes when to come back.
    pub(crate) deadline: fn(Option<Instant>) -> Option<Instant>,
    /// Changes a phase.
    pub(crate) phase: fn(Option<Phase>) -> Option<Phase>,
    /// Whether it forgets its store when it starts.
    pub(crate) forgets_store: bool,
    /// Whether it closes nothing when it restarts.
    pub(crate) starts_dirty: bool,
    /// Whether a refusal connects somebody.
    pub(crate) refuses_and_changes: bool,
}

/// No lie.
pub(crate) const HONEST: Lie = Lie {
    out: |_, _| {},
    called: |_| {},
    misuse: |misuse| misuse,
    snapshot: |_| {},
    deadline: |deadline| deadline,
    phase: |phase| phase,
    forgets_store: false,
    starts_dirty: false,
    refuses_and_changes: false,
};

/// The broker behind a lie.
#[derive(Clone)]
pub(crate) struct Liar {
    pub(crate) broker: Broker,
    pub(crate) lie: Lie,
}

impl PartialEq for Liar {
    fn eq(&self, other: &Self) -> bool {
        self.broker == other.broker
    }
}

impl fmt::Debug for Liar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.broker.fmt(f)
    }
}

impl Host for Liar {
    fn anew(
        &self,
        epoch: Epoch,
        limits: Limits,
        held: Option<Vec<RecordId>>,
    ) -> Result<(Self, Out), EpochReused> {
        let lie = self.lie;
        let held = held.filter(|_| !lie.forgets_store);
        let (broker, mut out) = self.broker.anew(epoch, limits, held)?;
        if lie.starts_dirty {
            out.actions.clear();
        }
        Ok((Self { broker, lie }, out))
    }

    fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Out), Misuse> {
        let (id, mut out) = Host::call(&mut self.broker, now, call)?;
        (self.lie.called)(&mut out);
        Ok((id, out))
    }

    fn handle(&mut self, now: Instant, event: Event) -> Result<Out, Misuse> {
        match Host::handle(&mut self.broker, now, event.clone()) {
            Ok(mut out) => {
                (self.lie.out)(&event, &mut out);
                Ok(out)
            }
            Err(misuse) => {
                if self.lie.refuses_and_changes {
                    let somebody = Event::Connected(ConnectionId::new(99));
                    drop(Host::handle(&mut self.broker, now, somebody));
                }
                Err((self.lie.misuse)(misuse))
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        (self.lie.deadline)(self.broker.deadline())
    }

    fn snapshot(&self, session: &SessionId) -> Snapshot {
        let mut snapshot = self.broker.snapshot(session);
        (self.lie.snapshot)(&mut snapshot);
        snapshot
    }

    fn phase(&self, invocation: &InvocationId) -> Option<Phase> {
        (self.lie.phase)(self.broker.phase(invocation))
    }

    fn owner(&self, invocation: &InvocationId) -> Option<&Owner> {
        self.broker.owner(invocation)
    }

    fn invocations(&self) -> Vec<InvocationId> {
        Host::invocations(&self.broker)
    }

    fn refused(&self, connection: ConnectionId) -> Option<u64> {
        self.broker.refused(connection)
    }

    fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.broker.registered_on(registration)
    }
}
