//! What a broker keeps beside its invocations, and the change that an input makes to it and to one of
//! them.

use alloc::{boxed::Box, sync::Arc};

use super::{
    Action, Actions, Change, Closure, Ending, Epoch, HostFrame, InteractionId, Limits, Outcome,
    PendingInteraction, Question, Record, Report, What,
    index::Index,
    invocation::{Answered, Live, Pending, Stage},
    past::Past,
};
use crate::{Clock, Instant, Phase, Step, Trigger, lifecycle, wire::RawJson};

/// Is an event of one invocation with its guards resolved, and what it brings.
pub(super) enum Input {
    Accepted,
    Progressed,
    Asked { question: Box<Question>, number: u64, bytes: usize },
    Published,
    Taken(Answered),
    Answered(Answered),
    Ended(End),
}

/// Is how an invocation ends, and why a question that is open closes.
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) why: Closure,
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

/// Is what all invocations of a broker share.
#[derive(Clone, Debug, PartialEq, Hash)]
pub(super) struct Ledger {
    pub(super) epoch: Epoch,
    /// Whether a store is to hold what is asked and answered, before anybody hears of it.
    pub(super) is_durable: bool,
    pub(super) limits: Limits,
    /// The number of the last change.
    pub(super) changes: u64,
    pub(super) index: Index,
    pub(super) past: Past,
}

impl Ledger {
    /// Looks the cell up, makes the change, and lists the actions.
    pub(super) fn step(
        &mut self,
        now: Instant,
        live: &mut Live,
        number: u64,
        input: Input,
        actions: &mut Actions,
    ) {
        let cause = input.trigger();
        let from = live.phase;
        let Step::Go(to) = lifecycle::step(from, cause) else { return };
        let due = live.due(&self.limits).map(|(at, _)| at);
        live.timer.tell(now);
        live.phase = to;
        live.timer.turn(from, to, &self.limits.clocks);
        self.apply(live, number, input, actions);
        live.check();
        actions.reports.push(Report::Moved(live.transition(from, cause)));
        self.index.move_deadline(number, due, live.due(&self.limits).map(|(at, _)| at));
        if to == Phase::Settled {
            self.index.remove(number, live.place, &live.owner);
        }
    }

    fn apply(&mut self, live: &mut Live, number: u64, input: Input, actions: &mut Actions) {
        match input {
            Input::Accepted => live.is_accepted = true,
            Input::Progressed => live.timer.extend(&self.limits.clocks),
            Input::Asked { question, number: called, bytes } => {
                self.ask(live, number, *question, (called, bytes), actions);
            }
            Input::Published => {
                live.timer.restart();
                if let Some(interaction) = live.enter(Stage::Open) {
                    self.project(live, What::Opened(interaction), actions);
                }
            }
            Input::Taken(answer) => {
                live.timer.restart();
                let Answered { decision, result } = answer.clone();
                if let Some(interaction) = live.enter(Stage::Committing(answer)) {
                    let interaction = interaction.id;
                    actions.list.push(Action::Store(Record::Answered { interaction, result }));
                    self.project(live, What::Taken { interaction, decision }, actions);
                }
            }
            Input::Answered(Answered { decision, result }) => {
                if let Some(pending) = live.pending.take() {
                    live.legs += 1;
                    let (invocation, interaction) = (live.owner.invocation.clone(), pending.number);
                    let frame = HostFrame::InteractionResult { invocation, interaction, result };
                    let connection = live.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                    self.end(live, pending, Ending::Answered(decision), actions);
                }
            }
            Input::Ended(End { outcome, why, .. }) => {
                if let Some(pending) = live.pending.take() {
                    if self.is_durable {
                        let interaction = pending.interaction.id;
                        actions.list.push(Action::Store(Record::Closed { interaction, why }));
                    }
                    self.end(live, pending, Ending::Closed(why), actions);
                }
                let invocation = live.owner.invocation.clone();
                if why != Closure::ProviderLost && outcome.leaves_provider_at_work() {
                    let frame = HostFrame::Cancel { invocation: invocation.clone(), why };
                    let connection = live.owner.connection;
                    actions.list.push(Action::Deliver { connection, frame });
                }
                actions.list.push(Action::Settle { invocation, outcome });
            }
        }
    }

    /// Opens a question of an invocation.
    fn ask(
        &mut self,
        live: &mut Live,
        invocation: u64,
        question: Question,
        (number, bytes): (u64, usize),
        actions: &mut Actions,
    ) {
        live.numbers.push(number);
        let id = InteractionId { epoch: self.epoch, invocation, number: live.asked() };
        let owner = live.owner.clone();
        let interaction = Arc::new(PendingInteraction { id, owner, question });
        if let Some(session) = self.index.session_mut(live.place.session) {
            session.pending += 1;
        }
        if let Some(connection) = self.index.connection_mut(live.owner.connection) {
            connection.pending_bytes += bytes;
        }
        let stage = if self.is_durable {
            actions.list.push(Action::Store(Record::Requested(interaction.clone())));
            Stage::Opening
        } else {
            self.project(live, What::Opened(interaction.clone()), actions);
            Stage::Open
        };
        live.pending = Some(Pending { interaction, number, bytes, stage });
    }

    /// Lets go of a question, and tells who was shown it.
    fn end(&mut self, live: &Live, pending: Pending, how: Ending, actions: &mut Actions) {
        if let Some(session) = self.index.session_mut(live.place.session) {
            session.pending -= 1;
        }
        if let Some(connection) = self.index.connection_mut(live.owner.connection) {
            connection.pending_bytes -= pending.bytes;
        }
        let interaction = pending.interaction.id;
        let session = live.owner.session.clone();
        self.past.insert(interaction, session, how, self.limits.past_max);
        if pending.stage != Stage::Opening {
            self.project(live, What::Ended { interaction, how }, actions);
        }
    }

    fn project(&mut self, live: &Live, what: What, actions: &mut Actions) {
        self.changes += 1;
        let number = self.changes;
        let counted = self.index.session_mut(live.place.session);
        let after = counted.and_then(|counted| counted.change.replace(number));
        let (epoch, session) = (self.epoch, live.owner.session.clone());
        actions.list.push(Action::Project(Change { epoch, session, number, after, what }));
    }
}

impl End {
    /// A result ends an invocation; one that comes while a question is open ends it otherwise.
    pub(super) fn result(live: &Live, result: RawJson) -> Self {
        let why = Closure::Inconsistent;
        if live.pending.is_some() {
            return Self { outcome: Outcome::Inconsistent, why, trigger: Trigger::Faulted };
        }
        Self { outcome: Outcome::Complete(result), why, trigger: Trigger::Completed }
    }

    pub(super) const fn error(live: &Live, outcome: Outcome, why: Closure) -> Self {
        let trigger = if live.phase.is_in_flight() { Trigger::Errored } else { Trigger::Abandoned };
        Self { outcome, why, trigger }
    }

    pub(super) const fn timed_out(clock: Clock) -> Self {
        let outcome = Outcome::TimedOut(clock);
        Self { outcome, why: Closure::TimedOut, trigger: Trigger::TimedOut }
    }

    pub(super) const fn store_failed() -> Self {
        let why = Closure::StoreFailed;
        Self { outcome: Outcome::StoreFailed, why, trigger: Trigger::Faulted }
    }
}
