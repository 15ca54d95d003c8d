//! What a host tells of an event, for the page.

use mrtr_core::{
    host::{
        Action, Actions, ChangeKind as Shows, Ending, Event, HostFrame, Misuse, Outcome, Record,
        Report,
    },
    wire::Decision,
};

use super::{Hosting, invocation_of};
use crate::explore::{Label, Place, Seen, What, snake};

/// Describes the start of a call.
pub(super) fn began(to: Place, list: &[Action]) -> Seen {
    let what = What::Began(list.iter().map(label).collect());
    Seen { event: "call", from: None, to, what }
}

/// Describes a refusal.
pub(super) fn refused(event: &'static str, at: Place, why: String) -> Seen {
    Seen { event, from: Some(at), to: at, what: What::Refused(why) }
}

/// Describes what became of each call that moved.
pub(super) fn moved(
    before: &Hosting,
    next: &Hosting,
    event: &'static str,
    happened: &Event,
    actions: &Actions,
) -> Vec<Seen> {
    let mut seen = Vec::new();
    let due = before.broker.deadline().filter(|_| *happened == Event::Tick);
    for report in actions.reports() {
        let Report::Moved(moved) = report else { continue };
        let of = &moved.invocation;
        let own = actions.as_slice().iter().filter(|action| invocation_of(action) == *of);
        let index = next.calls.iter().position(|called| called.invocation == *of);
        let (from, to) = index.map(|index| (&before.calls[index], &next.calls[index])).unwrap();
        seen.push(Seen {
            event,
            from: Some(from.place),
            to: to.place,
            what: What::Moved {
                by: moved.cause,
                actions: own.map(label).collect(),
                after: due.map(|at| at.since(from.since)),
            },
        });
    }
    seen
}

/// Writes a misuse, without what differs from time to time.
pub(super) fn misuse(misuse: &Misuse) -> String {
    match misuse {
        Misuse::Stale { won: None } => "stale".into(),
        Misuse::Stale { won: Some(Ending::Answered(decision)) } => {
            format!("stale, answered ({})", code(*decision))
        }
        Misuse::Stale { won: Some(Ending::Closed(why)) } => format!("stale, closed ({why})"),
        _ => snake(&format!("{misuse:?}")),
    }
}

fn code(decision: Decision) -> String {
    snake(&format!("{decision:?}"))
}

fn label(action: &Action) -> Label {
    match action {
        Action::Deliver { frame, .. } => match frame {
            HostFrame::Call { .. } => Label::new("Deliver call", ""),
            HostFrame::InteractionResult { .. } => Label::new("Deliver answer", ""),
            HostFrame::InteractionRefused { code, .. } => Label::new("Deliver refusal", code),
            HostFrame::Cancel { why, .. } => Label::new("Deliver cancel", format!("({why})")),
        },
        Action::Store(record) => match record {
            Record::Requested(_) => Label::new("Store question", ""),
            Record::Answered { .. } => Label::new("Store answer", ""),
            Record::Closed { why, .. } => Label::new("Store end", format!("({why})")),
        },
        Action::Project(change) => match &change.kind {
            Shows::Opened(_) => Label::new("Project opened", ""),
            Shows::Taken { decision, .. } => {
                Label::new("Project taken", format!("({})", code(*decision)))
            }
            Shows::Ended { how: Ending::Answered(decision), .. } => {
                Label::new("Project ended", format!("({})", code(*decision)))
            }
            Shows::Ended { how: Ending::Closed(why), .. } => {
                Label::new("Project ended", format!("({why})"))
            }
        },
        Action::Settle { outcome, .. } => Label::new(
            "Settle",
            match outcome {
                Outcome::TimedOut(clock) => {
                    format!("timed_out ({})", snake(&format!("{clock:?}")))
                }
                _ => outcome.code().into(),
            },
        ),
    }
}
