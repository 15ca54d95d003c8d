//! What a host's world lets happen that a larger world decides: who says what, and who answers what.

use crate::invariants::{Checked, Violation};
use mrtr_core::{
    Instant, InvocationId,
    host::{
        Action, ConnectionId, Event, InteractionId, ProviderFrame, RecordId, RecordKind, SessionId,
        VisibleInteraction,
    },
    wire::{Decision, InputResponse, RawJson},
};

use super::{
    WhichRecord,
    host::Host,
    script::Fit,
    setup::{registration, session, turn},
    world::HostWorld,
};

impl<H: Host> HostWorld<H> {
    /// Has something done, and returns what the host calls it, if it takes it.
    pub(crate) fn begin(
        &mut self,
        of: u8,
        of_turn: u8,
        what: u8,
        request: RawJson,
    ) -> Result<Option<InvocationId>, Violation> {
        self.call_with(session(of), turn(of_turn), what, request)
    }

    /// A provider connects.
    pub(crate) fn connected(&mut self, connection: ConnectionId) -> Checked {
        let expected = self.model.connect(connection);
        self.step(Event::Connected(connection), expected)
    }

    /// Something is registered on a connection, perhaps in the place of something else.
    pub(crate) fn registered(&mut self, what: u8, connection: ConnectionId) -> Checked {
        let registration = registration(what);
        let expected = self.model.register(self.now, &registration, connection);
        self.step(Event::Registered { registration, connection }, expected)
    }

    /// A connection is gone.
    pub(crate) fn disconnected(&mut self, connection: ConnectionId) -> Checked {
        let expected = self.model.disconnect(self.now, connection);
        self.step(Event::Disconnected(connection), expected)
    }

    /// A frame came whose question, if it is one, can be shown.
    pub(crate) fn came(&mut self, connection: ConnectionId, frame: ProviderFrame) -> Checked {
        let expected = self.model.frame(self.now, connection, &frame, Some(Ok(0)));
        self.step(Event::Frame { connection, frame }, expected)
    }

    /// Somebody answers what fits, and the provider is to get it as `json`. Tells whether the host
    /// has taken it.
    pub(crate) fn answered(
        &mut self,
        interaction: InteractionId,
        session: SessionId,
        response: InputResponse,
        decision: Decision,
        json: &'static str,
    ) -> Result<bool, Violation> {
        let fit = Fit::Fits(decision, json);
        let expected = self.model.answer(self.now, interaction, &session, fit);
        let given = Some((decision, json.into()));
        self.step_given(Event::Answer { interaction, session, response }, given, expected)?;
        Ok(!self.done.is_empty())
    }

    /// A surface cannot show a question.
    pub(crate) fn unanswerable(&mut self, interaction: InteractionId) -> Checked {
        let expected = self.model.unanswerable(self.now, interaction);
        self.step(Event::Unanswerable(interaction), expected)
    }

    /// Takes what the last event that was handed to the host made it do.
    pub(crate) fn take_done(&mut self) -> Vec<Action> {
        core::mem::take(&mut self.done)
    }

    /// Returns the host.
    pub(crate) const fn host(&self) -> &H {
        &self.host
    }

    /// Returns when the host wants to be told the time.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.host.deadline()
    }

    /// Returns what a surface shows, and whose it is.
    pub(crate) fn screen(&self, surface: u8) -> (&SessionId, Vec<&VisibleInteraction>) {
        let at = usize::from(surface) % self.surfaces.len();
        let surface = self.surfaces.get(at).unwrap();
        (surface.session(), surface.open().collect())
    }

    /// Returns whether a surface is sent something that has not come.
    pub(crate) fn is_told(&self, surface: u8) -> bool {
        let at = usize::from(surface) % self.surfaces.len();
        self.surfaces.get(at).is_some_and(super::surface::Surface::is_told)
    }

    /// Returns whether the store has yet to speak of something.
    pub(crate) fn is_storing(&self) -> bool {
        self.store.pick(WhichRecord::First, &[]).is_some()
    }

    /// Returns whether the store speaks of a record before one that came earlier.
    pub(crate) fn speaks_early(&self, which: WhichRecord) -> bool {
        matches!(which, WhichRecord::Waiting(_))
            && self.record(which) != self.record(WhichRecord::First)
    }

    /// Counts the questions of which the store was never asked to hold that they are closed, and
    /// holds no answer.
    pub(crate) fn left_open(&self) -> usize {
        let left = self.store.left_open().into_iter();
        let closed = left.map(|interaction| RecordId { interaction, kind: RecordKind::Closed });
        closed.filter(|closed| !self.store.was_written(*closed)).count()
    }
}
