//! The state that all invocations of a broker share, and the change that an input makes to it and
//! to one invocation.

use alloc::{boxed::Box, sync::Arc};

use super::{
    Action, Actions, Change, ChangeKind, CloseReason, Ending, Epoch, HostFrame, InteractionId,
    Limits, Outcome, PendingInteraction, Question, Record, Report,
    active::{ActiveInvocation, Pending, Stage},
    index::Index,
    question::CheckedAnswer,
    recently_closed::RecentlyClosed,
};
use crate::{Clock, Instant, Phase, Trigger, lifecycle, lifecycle::Step, wire::RawJson};

/// An event of one invocation after all checks that depend on data.
pub(super) enum Input {
    Accepted,
    Progressed,
    Asked { question: Box<Question>, number: u64, bytes: usize },
    Published,
    Taken(CheckedAnswer),
    Answered(CheckedAnswer),
    Ended(End),
}

/// How an invocation ends, and why its open question closes.
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) why: CloseReason,
    pub(super) trigger: Trigger,
}

impl Input {
    const fn trigger(&self) -> Trigger {
        match self {
            Self::Accepted | Self::Progressed => Trigger::Progressed,
            Self::Asked { .. } => Trigger::Asked,
            Self::Published => Trigger::Published,
            Self::Taken(_) => Trigger::Taken,
            Self::Answered(_) => Trigger::RoundAnswered,
            Self::Ended(end) => end.trigger,
        }
    }
}

/// The state that all invocations of a broker share.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Ledger {
    pub(super) epoch: Epoch,
    /// Whether a store must confirm each question before it is shown, and each answer before it is
    /// delivered.
    pub(super) is_durable: bool,
    pub(super) limits: Limits,
    /// The number of the last change.
    pub(super) changes: u64,
    pub(super) index: Index,
    pub(super) recent: RecentlyClosed,
}

impl Ledger {
    /// Looks up the next phase, makes the change, and adds the actions.
    pub(super) fn step(
        &mut self,
        now: Instant,
        call: &mut ActiveInvocation,
        number: u64,
        input: Input,
        actions: &mut Actions,
    ) {
        let cause = input.trigger();
        let from = call.phase;
        let Step::Go(to) = lifecycle::step(from, cause) else { return };
        let due = call.due(&self.limits).map(|(at, _)| at);
        call.timer.tell(now);
        call.phase = to;
        call.timer.turn(from, to, &self.limits.clocks);
        self.apply(call, number, input, actions);
        call.check();
        actions.reports.push(Report::Moved(call.transition(from, cause)));
        self.index.move_deadline(number, due, call.due(&self.limits).map(|(at, _)| at));
        if to == Phase::Settled {
            self.index.remove(number, call.place, &call.owner);
        }
    }

    fn apply(
        &mut self,
        call: &mut ActiveInvocation,
        number: u64,
        input: Input,
        actions: &mut Actions,
    ) {
        match input {
            Input::Accepted => call.is_accepted = true,
            Input::Progressed => call.timer.extend(&self.limits.clocks),
            Input::Asked { question, number: asked_as, bytes } => {
                self.ask(call, number, *question, (asked_as, bytes), actions);
            }
            Input::Published => {
                call.timer.restart();
                if let Some(interaction) = call.enter(Stage::Open) {
                    self.project(call, ChangeKind::Opened(interaction), actions);
                }
            }
            Input::Taken(answer) => {
                call.timer.restart();
                let CheckedAnswer { decision, result } = answer.clone();
                if let Some(interaction) = call.enter(Stage::Committing(answer)) {
                    let interaction = interaction.id;
                    actions.list.push(Action::Store(Record::Answered { interaction, result }));
                    self.project(call, ChangeKind::Taken { interaction, decision }, actions);
                }
            }
            Input::Answered(CheckedAnswer { decision, result }) => {
                if let Some(pending) = call.pending.take() {
                    call.legs += 1;
                    let (invocation, interaction) = (call.owner.invocation.clone(), pending.number);
                    let frame = HostFrame::InteractionResult { invocation, interaction, result };
                    let connection = call.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                    self.end(call, pending, Ending::Answered(decision), actions);
                }
            }
            Input::Ended(End { outcome, why, .. }) => {
                if let Some(pending) = call.pending.take() {
                    if self.is_durable {
                        let interaction = pending.interaction.id;
                        actions.list.push(Action::Store(Record::Closed { interaction, why }));
                    }
                    self.end(call, pending, Ending::Closed(why), actions);
                }
                let invocation = call.owner.invocation.clone();
                if why != CloseReason::ProviderLost && outcome.leaves_provider_at_work() {
                    let frame = HostFrame::Cancel { invocation: invocation.clone(), why };
                    let connection = call.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                }
                actions.list.push(Action::Settle { invocation, outcome });
            }
        }
    }

    /// Opens a question of an invocation.
    fn ask(
        &mut self,
        call: &mut ActiveInvocation,
        invocation: u64,
        question: Question,
        (number, bytes): (u64, usize),
        actions: &mut Actions,
    ) {
        call.numbers.push(number);
        let id = InteractionId { epoch: self.epoch, invocation, number: call.asked() };
        let owner = call.owner.clone();
        let interaction = Arc::new(PendingInteraction { id, owner, question });
        if let Some(session) = self.index.session_mut(call.place.session) {
            session.pending += 1;
        }
        if let Some(connection) = self.index.connection_mut(call.owner.connection) {
            connection.pending_bytes += bytes;
        }
        let stage = if self.is_durable {
            actions.list.push(Action::Store(Record::Requested(interaction.clone())));
            Stage::Opening
        } else {
            self.project(call, ChangeKind::Opened(interaction.clone()), actions);
            Stage::Open
        };
        call.pending = Some(Pending { interaction, number, bytes, stage });
    }

    /// Forgets a question, and tells the surfaces that show it.
    fn end(
        &mut self,
        call: &ActiveInvocation,
        pending: Pending,
        how: Ending,
        actions: &mut Actions,
    ) {
        if let Some(session) = self.index.session_mut(call.place.session) {
            session.pending -= 1;
        }
        if let Some(connection) = self.index.connection_mut(call.owner.connection) {
            connection.pending_bytes -= pending.bytes;
        }
        let interaction = pending.interaction.id;
        let session = call.owner.session.clone();
        self.recent.insert(interaction, session, how, self.limits.recently_closed_max);
        if pending.stage != Stage::Opening {
            self.project(call, ChangeKind::Ended { interaction, how }, actions);
        }
    }

    fn project(&mut self, call: &ActiveInvocation, kind: ChangeKind, actions: &mut Actions) {
        self.changes += 1;
        let number = self.changes;
        let counted = self.index.session_mut(call.place.session);
        let after = counted.and_then(|counted| counted.change.replace(number));
        let (epoch, session) = (self.epoch, call.owner.session.clone());
        actions.list.push(Action::Project(Change { epoch, session, number, after, kind }));
    }
}

impl End {
    /// Returns the end of an invocation that has a result: it is complete, unless a question is
    /// open.
    pub(super) fn result(call: &ActiveInvocation, result: RawJson) -> Self {
        let why = CloseReason::Inconsistent;
        if call.pending.is_some() {
            return Self { outcome: Outcome::Inconsistent, why, trigger: Trigger::Faulted };
        }
        Self { outcome: Outcome::Complete(result), why, trigger: Trigger::Completed }
    }

    pub(super) const fn error(call: &ActiveInvocation, outcome: Outcome, why: CloseReason) -> Self {
        let trigger = if call.phase.is_in_flight() { Trigger::Errored } else { Trigger::Abandoned };
        Self { outcome, why, trigger }
    }

    pub(super) const fn timed_out(clock: Clock) -> Self {
        let outcome = Outcome::TimedOut(clock);
        Self { outcome, why: CloseReason::TimedOut, trigger: Trigger::TimedOut }
    }

    pub(super) const fn store_failed() -> Self {
        let why = CloseReason::StoreFailed;
        Self { outcome: Outcome::StoreFailed, why, trigger: Trigger::Faulted }
    }
}
