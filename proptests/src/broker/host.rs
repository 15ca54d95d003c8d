//! What a world tries: the broker, or something that passes for one.

use core::fmt;

use mrtr_core::{
    Instant, InvocationId, Phase,
    host::{
        Action, Actions, Broker, Call, ConnectionId, Epoch, EpochReused, Event, Limits, Misuse,
        Owner, RecordId, RegistrationId, Report, SessionId, Snapshot,
    },
};

/// What came of an event. Unlike [`Actions`], anybody can make one.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Out {
    /// What to do.
    pub actions: Vec<Action>,
    /// What to tell the operator.
    pub reports: Vec<Report>,
}

impl From<Actions> for Out {
    fn from(actions: Actions) -> Self {
        let reports = actions.reports().to_vec();
        Self { actions: actions.into_iter().collect(), reports }
    }
}

/// What a world can see of a broker. The checks of a world are tried on brokers that lie.
pub trait Host: Clone + fmt::Debug + PartialEq {
    /// Begins another life. `held` is what the store holds; `None`: there is no store.
    ///
    /// # Errors
    ///
    /// A record of this epoch or a later one.
    fn anew(
        &self,
        epoch: Epoch,
        limits: Limits,
        held: Option<Vec<RecordId>>,
    ) -> Result<(Self, Out), EpochReused>;

    /// Starts an invocation.
    ///
    /// # Errors
    ///
    /// A registration that is not there, or a limit.
    fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Out), Misuse>;

    /// Takes an event.
    ///
    /// # Errors
    ///
    /// A mistake of the caller, or of a surface.
    fn handle(&mut self, now: Instant, event: Event) -> Result<Out, Misuse>;

    /// Returns when to come back.
    fn deadline(&self) -> Option<Instant>;

    /// Returns the open questions of a session.
    fn snapshot(&self, session: &SessionId) -> Snapshot;

    /// Returns the phase of a live invocation.
    fn phase(&self, invocation: &InvocationId) -> Option<Phase>;

    /// Returns what a live invocation is bound to.
    fn owner(&self, invocation: &InvocationId) -> Option<&Owner>;

    /// Returns the live invocations.
    fn invocations(&self) -> Vec<InvocationId>;

    /// Returns how many frames of a connection were refused.
    fn refused(&self, connection: ConnectionId) -> Option<u64>;

    /// Returns the connection of a registration.
    fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId>;

    /// Returns what is logged of an action beside its `Debug`.
    fn logs(&self, _: &Action) -> String {
        String::new()
    }
}

impl Host for Broker {
    fn anew(
        &self,
        epoch: Epoch,
        limits: Limits,
        held: Option<Vec<RecordId>>,
    ) -> Result<(Self, Out), EpochReused> {
        match held {
            None => Ok((Self::volatile(epoch, limits), Out::default())),
            Some(held) => {
                Self::durable(epoch, limits, held).map(|(broker, actions)| (broker, actions.into()))
            }
        }
    }

    fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Out), Misuse> {
        self.call(now, call).map(|(invocation, actions)| (invocation, actions.into()))
    }

    fn handle(&mut self, now: Instant, event: Event) -> Result<Out, Misuse> {
        self.handle(now, event).map(Into::into)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline()
    }

    fn snapshot(&self, session: &SessionId) -> Snapshot {
        self.snapshot(session)
    }

    fn phase(&self, invocation: &InvocationId) -> Option<Phase> {
        self.phase(invocation)
    }

    fn owner(&self, invocation: &InvocationId) -> Option<&Owner> {
        self.owner(invocation)
    }

    fn invocations(&self) -> Vec<InvocationId> {
        self.invocations().cloned().collect()
    }

    fn refused(&self, connection: ConnectionId) -> Option<u64> {
        self.refused(connection)
    }

    fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.registered_on(registration)
    }
}
