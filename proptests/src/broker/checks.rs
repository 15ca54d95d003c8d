//! How a world hands an event to its host, and what it checks of what comes.

use crate::invariants::{Checked, Invariant, shows_nothing_secret};
use core::fmt::Debug;
use std::collections::BTreeSet;

use mrtr_core::{
    InvocationId,
    host::{
        Action, ChangeKind, ConnectionId, Event, HostFrame, Misuse, ProviderFrame, Record, Report,
        SessionId,
    },
    wire::Decision,
};

use crate::watch::WatchedCall;

use super::{
    expected::{Expected, misuse_said, outcome_said, refusal_said},
    host::{Host, Out},
    script::{NAMES, OTHER_NAMES, raw},
    setup::{CONNECTIONS, registration, session},
    world::HostWorld,
};

impl<H: Host> HostWorld<H> {
    pub(super) fn step(&mut self, event: Event, expected: Expected) -> Checked {
        self.step_given(event, None, expected)
    }

    /// Hands an event over, and checks what comes of it: first what must never be, then what the
    /// model expects.
    pub(super) fn step_given(
        &mut self,
        event: Event,
        given: Option<(Decision, String)>,
        expected: Expected,
    ) -> Checked {
        self.done.clear();
        shows_nothing_secret(&format!("{event:?}"))?;
        let before = self.host.clone();
        let result = self.host.handle(self.now, event.clone());
        let strange = self.stranger.handle(self.now, under_other_names(&event));
        self.check_shown(&result, &strange)?;
        match result {
            Err(misuse) => self.refused(&misuse, &expected, &before)?,
            Ok(out) => {
                let blank = |of: &SessionId| !self.watch.shows(of);
                let blank: Vec<_> = (0..3).map(session).filter(blank).collect();
                self.watch.see(&event, given, &out.actions)?;
                self.see_numbers(&out.actions, blank)?;
                expected.check(&out)?;
                self.check_unchanged(before, event, &expected)?;
                self.carry_out(&out)?;
            }
        }
        self.check()
    }

    pub(super) fn refused(&mut self, misuse: &Misuse, expected: &Expected, before: &H) -> Checked {
        self.seen.insert(format!("misuse {}", misuse_said(misuse)));
        shows_nothing_secret(&misuse.to_string())?;
        Invariant::Contract
            .holds_or(self.host == *before, || format!("{misuse:?} changes the host"))?;
        expected.check_misuse(misuse)
    }

    /// Checks that what has nothing to do changes nothing, and what is refused but a count: as what
    /// is no frame at all does.
    fn check_unchanged(&self, mut before: H, event: Event, expected: &Expected) -> Checked {
        match event {
            Event::Connected(_)
            | Event::Disconnected(_)
            | Event::Registered { .. }
            | Event::Retired(_) => return Ok(()),
            Event::Frame { connection, .. } | Event::Unreadable { connection, .. }
                if expected.is_refused() =>
            {
                let error = ProviderFrame::decode(b"").unwrap_err();
                before.handle(self.now, Event::Unreadable { connection, error }).unwrap();
            }
            _ => {}
        }
        let is_same = !expected.moves.is_empty() || self.host == before;
        Invariant::Contract.holds_or(is_same, || "the host is not what it was".into())
    }

    /// Checks the numbers of changes. `blank` are the sessions that were shown nothing before.
    fn see_numbers(&mut self, actions: &[Action], mut blank: Vec<SessionId>) -> Checked {
        for action in actions {
            if let Action::Project(change) = action {
                self.numbers.see(change, blank.contains(&change.session))?;
                blank.retain(|session| *session != change.session);
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, out: &Out) -> Checked {
        self.done.extend(out.actions.iter().cloned());
        for report in &out.reports {
            if let Report::Refused { why, .. } = report {
                self.seen.insert(format!("refused {}", refusal_said(why)));
            }
        }
        for action in &out.actions {
            shows_nothing_secret(&self.host.logs(action))?;
            match action {
                Action::Deliver { frame, .. } => {
                    if let HostFrame::InteractionResult { invocation, .. } = frame {
                        let call = self.watch.call(invocation);
                        let asked = call.and_then(WatchedCall::question).map(|asked| asked.id);
                        self.delivered.extend(asked);
                    }
                    let read = HostFrame::decode(frame.to_json().as_bytes());
                    Invariant::AsRequired.same("a frame", &read.as_ref(), &Ok(frame))?;
                }
                Action::Store(record) => {
                    self.store.put(record, &self.model.limits)?;
                    if let Record::Closed { why, .. } = record {
                        self.seen.insert(format!("closed {why:?}"));
                    }
                }
                Action::Project(change) => {
                    self.surfaces.iter_mut().for_each(|surface| surface.send(change));
                    self.changes.push(change.clone());
                    if let ChangeKind::Ended { how, .. } = &change.kind {
                        self.seen.insert(format!("ended {how:?}"));
                    }
                }
                Action::Settle { outcome, .. } => {
                    let said = outcome_said(outcome);
                    let kept = said.split(" {").next().unwrap_or_default();
                    self.seen.insert(format!("settled {kept}"));
                }
            }
        }
        Ok(())
    }

    /// Checks that an operator sees no secret, and sees the same whatever providers call themselves.
    pub(super) fn check_shown(&self, shown: &impl Debug, strange: &impl Debug) -> Checked {
        let (shown, strange) = (format!("{shown:?}"), format!("{strange:?}"));
        shows_nothing_secret(&shown)?;
        Invariant::Contract.holds_or(shown == strange, || format!("{shown}\n{strange}"))
    }

    /// Checks what holds between any two events.
    ///
    /// # Errors
    ///
    /// A rule that does not hold.
    pub fn check(&self) -> Checked {
        self.check_shown(&self.host, &self.stranger)?;
        for of in 0..3 {
            self.watch.check_snapshot(&self.host.snapshot(&session(of)))?;
        }
        for surface in &self.surfaces {
            surface.check(&self.host.snapshot(surface.session()))?;
        }
        let due = self.model.live().map(|call| call.due(&self.model.limits).0).min();
        Invariant::ClocksRunWhereTheyBelong.same("what runs out", &self.host.deadline(), &due)?;
        let live: BTreeSet<InvocationId> = self.model.live().map(|call| call.id.clone()).collect();
        let found = self.host.invocations().into_iter().collect();
        let rule = Invariant::AsRequired;
        rule.same("what is live", &live, &found)?;
        for call in &self.model.calls {
            let phase = (!call.is_over).then(|| call.phase());
            rule.same("a phase", &self.host.phase(&call.id), &phase)?;
            let owner = self.host.owner(&call.id).map(|owner| {
                (
                    &owner.session,
                    &owner.turn,
                    &owner.tool_call,
                    &owner.registration,
                    owner.connection,
                )
            });
            let bound = &call.call;
            let bound = (
                &bound.session,
                &bound.turn,
                &bound.tool_call,
                &bound.registration,
                call.connection,
            );
            rule.same("an owner", &owner, &(!call.is_over).then_some(bound))?;
        }
        for number in CONNECTIONS {
            let connection = ConnectionId::new(number);
            let known = self.model.connections.iter().find(|(known, _)| *known == connection);
            let refused = known.map(|(_, refused)| *refused);
            rule.same("a count", &self.host.refused(connection), &refused)?;
        }
        for what in 0..3 {
            let registration = registration(what);
            let on = self.model.registered_on(&registration);
            rule.same("a registration", &self.host.registered_on(&registration), &on)?;
        }
        Ok(())
    }
}

/// Returns the same event under other names.
fn under_other_names(event: &Event) -> Event {
    let mut event = event.clone();
    if let Event::Frame { frame: ProviderFrame::InteractionRequest { request, .. }, .. } =
        &mut event
    {
        let mut text = request.as_str().to_owned();
        for (name, other) in NAMES.into_iter().zip(OTHER_NAMES) {
            text = text.replace(name, other);
        }
        *request = raw(&text);
    }
    event
}
