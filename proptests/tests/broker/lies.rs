//! Each rule is seen to fail: a host that breaks it is caught by it.

use mrtr_proptests::invariants::Invariant;
use mrtr_proptests::invariants::SECRET;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use mrtr_core::{
    InvocationId,
    host::{
        Action, Broker, ChangeKind, CloseReason, ConnectionId, Epoch, Event, HostFrame, Limits,
        Misuse, Outcome, ProviderFrame, Record, Report, SessionId, Snapshot,
    },
    wire::RawJson,
};
use mrtr_proptests::broker::Out;

use crate::{
    liar::{HONEST, Liar, Lie},
    lives::live,
};

/// The lies, each under the rule that it breaks.
fn lies() -> Vec<(Invariant, Lie)> {
    let out = |out| Lie { out, ..HONEST };
    vec![
        (Invariant::NoQuestionWithoutInvocation, out(|_, out| settles(out, |id| *id = stranger()))),
        (Invariant::OneOutcome, Lie { called: repeat, ..HONEST }),
        (
            Invariant::OneOutcome,
            out(|_, out| twice(out, |action| matches!(action, Action::Settle { .. }))),
        ),
        (
            Invariant::AnswersReachWhoAsked,
            out(|_, out| delivers(out, |to, _| *to = ConnectionId::new(3))),
        ),
        (
            Invariant::AnswersReachWhoAsked,
            out(|_, out| {
                changes(out, |change| {
                    change.session = SessionId::new("other").unwrap();
                })
            }),
        ),
        (
            Invariant::AnswersReachWhoAsked,
            out(|_, out| {
                opens(out, |opened| {
                    let owner = Arc::make_mut(&mut opened.owner);
                    owner.session = SessionId::new("other").unwrap();
                })
            }),
        ),
        (Invariant::EveryAskHasAnEnd, out(|_, out| ask_again(out))),
        (
            Invariant::AnswersReachWhoAsked,
            out(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionResult { interaction, .. } = frame {
                        *interaction += 1;
                    }
                })
            }),
        ),
        (
            Invariant::StoredThenDelivered,
            out(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionResult { result, .. } = frame {
                        *result =
                            RawJson::parse(r#"{"action":"accept","content":{"x":1}}"#).unwrap();
                    }
                })
            }),
        ),
        (Invariant::StoredThenDelivered, Lie { forgets_store: true, ..HONEST }),
        (
            Invariant::StoredThenDelivered,
            out(|_, out| twice(out, |action| matches!(action, Action::Store(_)))),
        ),
        (Invariant::EveryAskHasAnEnd, out(|_, out| out.actions.retain(|action| !is_ended(action)))),
        (Invariant::NoQuestionWithoutInvocation, out(leave_orphans)),
        (
            Invariant::NoQuestionWithoutInvocation,
            Lie { snapshot: |snapshot| snapshot.open.clear(), ..HONEST },
        ),
        (
            Invariant::Contract,
            out(|_, out| {
                changes(out, |change| change.after = change.after.map(|after| after + 1_000))
            }),
        ),
        (Invariant::NothingIsSentAfterStop, out(|_, out| twice(out, is_cancel))),
        (
            Invariant::AnswersReachWhoAsked,
            out(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionRefused { interaction, .. } = frame {
                        *interaction = 0;
                    }
                })
            }),
        ),
        (Invariant::Contract, Lie { refuses_and_changes: true, ..HONEST }),
        (Invariant::Contract, out(favour)),
        (
            Invariant::NothingSecretIsShown,
            out(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionRefused { code, .. } = frame {
                        *code = SECRET.into();
                    }
                })
            }),
        ),
        (Invariant::Contract, Lie { snapshot: forget_the_second, ..HONEST }),
        (Invariant::NoQuestionWithoutInvocation, Lie { starts_dirty: true, ..HONEST }),
        (Invariant::AsRequired, Lie { misuse: |_| Misuse::NotStoring, ..HONEST }),
        (
            Invariant::AsRequired,
            out(|_, out| out.reports.retain(|report| !matches!(report, Report::Refused { .. }))),
        ),
        (
            Invariant::AsRequired,
            out(|_, out| {
                out.actions.retain(|action| {
                    !matches!(
                        action,
                        Action::Deliver { frame: HostFrame::InteractionRefused { .. }, .. }
                    )
                })
            }),
        ),
        (
            Invariant::AsRequired,
            out(|_, out| {
                stores(out, |record| {
                    if let Record::Closed { why, .. } = record {
                        *why = CloseReason::Retired;
                    }
                })
            }),
        ),
        (Invariant::AsRequired, out(|_, out| out.actions.retain(|action| !is_taken(action)))),
        (
            Invariant::AsRequired,
            out(|_, out| {
                for action in &mut out.actions {
                    if let Action::Settle { outcome, .. } = action {
                        *outcome = Outcome::Released;
                    }
                }
            }),
        ),
        (
            Invariant::AsRequired,
            out(|_, out| out.reports.retain(|report| !matches!(report, Report::Moved(_)))),
        ),
        (Invariant::ClocksRunWhereTheyBelong, Lie { deadline: |_| None, ..HONEST }),
        (Invariant::AsRequired, Lie { phase: |_| None, ..HONEST }),
    ]
}

/// proves: PR-02
#[test]
fn every_rule_catches_the_host_that_breaks_it() {
    let lies = lies();
    let mut uncaught = Vec::new();
    for (rule, lie) in lies {
        let liar = Liar { broker: Broker::volatile(Epoch::new(0), Limits::default()), lie };
        let broken = (0..2_000).filter_map(|life| live(&liar, life).1.err());
        let mut others = BTreeSet::new();
        let caught = broken.map(|broken| broken.invariant).any(|found| {
            others.insert(found);
            found == rule
        });
        if !caught {
            uncaught.push((rule, others));
        }
    }
    assert!(uncaught.is_empty(), "{uncaught:?}");
}

fn stranger() -> InvocationId {
    InvocationId::new("7.4242").unwrap()
}

fn repeat(out: &mut Out) {
    let again = out.actions.clone();
    out.actions.extend(again);
}

fn twice(out: &mut Out, which: fn(&Action) -> bool) {
    out.actions = out
        .actions
        .drain(..)
        .flat_map(|action| {
            let again = which(&action).then(|| action.clone());
            [Some(action), again].into_iter().flatten()
        })
        .collect();
}

fn is_cancel(action: &Action) -> bool {
    matches!(action, Action::Deliver { frame: HostFrame::Cancel { .. }, .. })
}

fn is_opened(action: &Action) -> bool {
    matches!(action, Action::Project(change) if matches!(change.kind, ChangeKind::Opened(_)))
}

fn is_taken(action: &Action) -> bool {
    matches!(action, Action::Project(change) if matches!(change.kind, ChangeKind::Taken { .. }))
}

fn is_ended(action: &Action) -> bool {
    matches!(action, Action::Project(change) if matches!(change.kind, ChangeKind::Ended { .. }))
}

fn settles(out: &mut Out, lie: fn(&mut InvocationId)) {
    for action in &mut out.actions {
        if let Action::Settle { invocation, .. } = action {
            lie(invocation);
        }
    }
}

fn delivers(out: &mut Out, lie: fn(&mut ConnectionId, &mut HostFrame)) {
    for action in &mut out.actions {
        if let Action::Deliver { connection, frame } = action {
            lie(connection, frame);
        }
    }
}

fn changes(out: &mut Out, lie: fn(&mut mrtr_core::host::Change)) {
    for action in &mut out.actions {
        if let Action::Project(change) = action {
            lie(change);
        }
    }
}

fn opens(out: &mut Out, lie: fn(&mut mrtr_core::host::PendingInteraction)) {
    for action in &mut out.actions {
        if let Action::Project(change) = action
            && let ChangeKind::Opened(opened) = &mut change.kind
        {
            lie(Arc::make_mut(opened));
        }
    }
}

fn stores(out: &mut Out, lie: fn(&mut Record)) {
    for action in &mut out.actions {
        if let Action::Store(record) = action {
            lie(record);
        }
    }
}

/// Settles and says nothing of the question that was open.
fn leave_orphans(_: &Event, out: &mut Out) {
    let is_closed = |action: &Action| matches!(action, Action::Store(Record::Closed { .. }));
    out.actions.retain(|action| !is_ended(action) && !is_closed(action));
}

/// Shows nothing to the second surface, which looks at a session right after the first.
fn forget_the_second(snapshot: &mut Snapshot) {
    static LAST: Mutex<Option<SessionId>> = Mutex::new(None);
    let last = LAST.lock().unwrap().replace(snapshot.session.clone());
    if last.is_some_and(|last| last == snapshot.session) {
        snapshot.open.clear();
    }
}

/// Opens a question twice, as two changes.
fn ask_again(out: &mut Out) {
    twice(out, is_opened);
    let mut last = None;
    for action in &mut out.actions {
        if let Action::Project(change) = action {
            if last == Some(change.number) {
                change.after = last;
                change.number += 1;
            }
            last = Some(change.number);
        }
    }
}

/// Does nothing for a provider of another name.
fn favour(event: &Event, out: &mut Out) {
    if let Event::Frame { frame: ProviderFrame::InteractionRequest { request, .. }, .. } = event
        && request.as_str().contains("mallory")
    {
        out.reports.clear();
    }
}
