//! What the model expects of one event, and how that is compared with what came.

use crate::invariants::{Checked, Invariant, Violation};
use mrtr_core::{
    InvocationId, Phase,
    host::{
        Action, Change, ChangeKind, ConnectionId, Fault, HostFrame, InteractionId, Misuse, Outcome,
        PendingInteraction, Record, RecordId, Report, SessionId,
    },
    wire::ResponseError,
};

use super::host::Out;

/// What must come of an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Expected {
    /// The mistakes that it may be refused for. Empty: it is not a mistake.
    pub(super) misuses: Vec<String>,
    /// Whether it may as well be taken, and do nothing: nobody can be asked to remember.
    pub(super) may_pass: bool,
    /// The rules that a frame breaks; each may be named. Empty: it breaks none.
    pub(super) refusals: Vec<String>,
    /// What a provider calls the question whose refusal it hears of.
    pub(super) told: Option<(ConnectionId, InvocationId, u64)>,
    pub(super) frames: Vec<(ConnectionId, HostFrame)>,
    pub(super) records: Vec<(RecordId, String)>,
    pub(super) changes: Vec<(SessionId, InteractionId, String)>,
    pub(super) outcomes: Vec<(InvocationId, String)>,
    pub(super) moves: Vec<Move>,
}

/// A change of phase: from what to what, and after it the leg, the round and what is open.
pub(super) type Move = (InvocationId, Phase, Phase, [usize; 3]);

impl Expected {
    pub(super) fn misuse(misuse: impl Into<String>) -> Self {
        Self { misuses: vec![misuse.into()], ..Self::default() }
    }

    pub(super) fn is_refused(&self) -> bool {
        !self.refusals.is_empty()
    }

    /// Compares a mistake that was found.
    pub(super) fn check_misuse(&self, misuse: &Misuse) -> Checked {
        let found = misuse_said(misuse);
        Invariant::AsRequired.holds_or(self.misuses.contains(&found), || {
            format!("{found} for one of {:?}", self.misuses)
        })
    }

    /// Compares what came of an event that was taken.
    pub(super) fn check(&self, out: &Out) -> Checked {
        Invariant::AsRequired.holds_or(self.misuses.is_empty() || self.may_pass, || {
            format!("nothing for one of {:?}", self.misuses)
        })?;
        let mut frames = self.frames.clone();
        let refused = self.check_refusal(&out.reports)?;
        if let (Some(code), Some((connection, invocation, interaction))) = (refused, &self.told) {
            let (invocation, interaction) = (invocation.clone(), *interaction);
            let frame = HostFrame::InteractionRefused { invocation, interaction, code };
            frames.push((*connection, frame));
        }
        let found = Sorted::of(&out.actions);
        let shown = |frames: &[(ConnectionId, HostFrame)]| -> Vec<_> {
            frames.iter().map(|(on, frame)| (on.number(), frame.to_json())).collect()
        };
        frames.sort_by(|(_, a), (_, b)| a.invocation().cmp(b.invocation()));
        Invariant::AsRequired.same("frames", &shown(&found.frames), &shown(&frames))?;
        Invariant::AsRequired.same(
            "records",
            &found.records,
            &sorted(&self.records, |record| record.0),
        )?;
        Invariant::AsRequired.same(
            "changes",
            &found.changes,
            &sorted(&self.changes, |change| change.1),
        )?;
        let by_invocation = |outcome: &(InvocationId, String)| outcome.0.clone();
        let outcomes = sorted(&self.outcomes, by_invocation);
        Invariant::AsRequired.same("outcomes", &found.outcomes, &outcomes)?;
        self.check_moves(&out.reports)
    }

    /// Returns the code of the refusal, if there is one.
    fn check_refusal(&self, reports: &[Report]) -> Result<Option<String>, Violation> {
        let refused: Vec<_> = reports
            .iter()
            .filter_map(|report| match report {
                Report::Refused { why, .. } => Some(why),
                _ => None,
            })
            .collect();
        let (is_expected, code) = match refused.as_slice() {
            [] => (!self.is_refused(), None),
            [why] => (self.refusals.contains(&refusal_said(why)), Some(why.code().into())),
            _ => (false, None),
        };
        Invariant::AsRequired
            .holds_or(is_expected, || format!("{refused:?} for one of {:?}", self.refusals))?;
        Ok(code)
    }

    fn check_moves(&self, reports: &[Report]) -> Checked {
        let moves: Vec<_> = reports
            .iter()
            .filter_map(|report| match report {
                Report::Moved(step) => {
                    let [leg, round] = [step.leg, step.round].map(|no| no.try_into().unwrap());
                    let after = [leg, round, step.open];
                    Some((step.invocation.clone(), step.from, step.to, after))
                }
                _ => None,
            })
            .collect();
        let by_invocation = |step: &Move| step.0.clone();
        let expected = sorted(&self.moves, by_invocation);
        Invariant::AsRequired.same("moves", &sorted(&moves, by_invocation), &expected)
    }
}

/// A list of actions by their kinds, and by the invocation that they belong to: the order of
/// those that have nothing to do with each other is nobody's business.
#[derive(Default)]
struct Sorted {
    frames: Vec<(ConnectionId, HostFrame)>,
    records: Vec<(RecordId, String)>,
    changes: Vec<(SessionId, InteractionId, String)>,
    outcomes: Vec<(InvocationId, String)>,
}

impl Sorted {
    fn of(actions: &[Action]) -> Self {
        let mut all = Self::default();
        for action in actions {
            match action {
                Action::Deliver { connection, frame } => {
                    all.frames.push((*connection, frame.clone()));
                }
                Action::Store(record) => all.records.push((record.id(), record_said(record))),
                Action::Project(Change { session, kind, .. }) => {
                    let (id, said) = change_said(kind);
                    all.changes.push((session.clone(), id, said));
                }
                Action::Settle { invocation, outcome } => {
                    all.outcomes.push((invocation.clone(), outcome_said(outcome)));
                }
            }
        }
        all.frames.sort_by(|(_, a), (_, b)| a.invocation().cmp(b.invocation()));
        all.records.sort_by_key(|record| record.0);
        all.changes.sort_by_key(|change| change.1);
        all.outcomes.sort_by_key(|outcome| outcome.0.clone());
        all
    }
}

fn sorted<T: Clone, K: Ord>(list: &[T], key: impl Fn(&T) -> K) -> Vec<T> {
    let mut list = list.to_vec();
    list.sort_by_key(key);
    list
}

/// Names a mistake, with what it tells. What is wrong with an answer is the form's business.
pub(super) fn misuse_said(misuse: &Misuse) -> String {
    match misuse {
        Misuse::Stale { won } => format!("stale {won:?}"),
        Misuse::Response(ResponseError::Invalid(_)) => "invalid".into(),
        Misuse::Response(ResponseError::TooLarge { .. }) => "too_large".into(),
        Misuse::Response(ResponseError::WrongKind) => "wrong_kind".into(),
        Misuse::Limit { max, .. } => format!("limit {max}"),
        other => format!("{other:?}"),
    }
}

/// Names the rule that a frame breaks, with what it tells.
pub(super) fn refusal_said(why: &Fault) -> String {
    match why {
        Fault::Duplicate { last } => format!("duplicate {last}"),
        Fault::Number { last } => format!("number {last}"),
        Fault::Limit { max, .. } => format!("limit {max}"),
        other => other.code().into(),
    }
}

/// Writes a question and whose it is.
pub(super) fn pending_said(pending: &PendingInteraction) -> String {
    let PendingInteraction { id, owner, question, .. } = pending;
    let question = question.to_json();
    format!("{id} {} {} {}", owner.invocation, owner.connection, question.as_str())
}

fn record_said(record: &Record) -> String {
    match record {
        Record::Requested(pending) => pending_said(pending),
        Record::Answered { result, .. } => result.as_str().into(),
        Record::Closed { why, .. } => why.to_string(),
    }
}

fn change_said(kind: &ChangeKind) -> (InteractionId, String) {
    match kind {
        ChangeKind::Opened(pending) => (pending.id, pending_said(pending)),
        ChangeKind::Taken { interaction, decision } => {
            (*interaction, format!("taken {decision:?}"))
        }
        ChangeKind::Ended { interaction, how } => (*interaction, format!("ended {how:?}")),
    }
}

/// Names an outcome, with what the provider said.
pub(super) fn outcome_said(outcome: &Outcome) -> String {
    let code = outcome.code();
    match outcome {
        Outcome::Complete(json) | Outcome::Rejected(json) | Outcome::Failed(json) => {
            format!("{code} {}", json.as_str())
        }
        Outcome::TimedOut(clock) => format!("{code} {clock:?}"),
        _ => code.into(),
    }
}
