//! The faults that are put between a broker and its world.

use mrtr_core::host::{
    Action, Actions, Broker, ChangeKind as Shows, Event, HostFrame, ProviderFrame, Record, Report,
    SessionId,
};

use super::{Hosting, Plant, scene::json};

/// Puts the fault in: what is carried out instead of what the broker said.
pub(super) fn tamper(
    before: &Hosting,
    after: &Broker,
    event: &Event,
    actions: &Actions,
) -> Vec<Action> {
    let mut list = actions.as_slice().to_vec();
    let Some(plant) = before.setup().plant else { return list };
    let settles = list.iter().any(|action| matches!(action, Action::Settle { .. }));
    match plant {
        Plant::SettlesTwice if settles => list.extend(list.last().cloned()),
        Plant::KeepsShowing if settles => list.retain(|action| !is_end(action)),
        Plant::DeliversAtOnce | Plant::ShowsAtOnce => {
            let ahead = list.iter().find_map(|action| stored(plant, action));
            if let Some(ahead) = ahead {
                let said = after.clone().handle(before.now, ahead).unwrap();
                list.extend(said);
            }
        }
        Plant::ReplacesTheAnswer => {
            let replaced = list.iter().find_map(|action| match action {
                Action::Store(Record::Answered { interaction, .. }) => Some(*interaction),
                _ => None,
            });
            let result = || json(r#"{"action":"decline"}"#);
            list.extend(replaced.map(|interaction| {
                Action::Store(Record::Answered { interaction, result: result() })
            }));
        }
        Plant::AnswersAfterStop if matches!(event, Event::Stop(_)) => {
            let pending = before.calls.iter().find(|called| called.pending().is_some());
            if let Some(called) = pending.filter(|_| settles) {
                let (invocation, connection) = (called.invocation.clone(), called.connection);
                let result = json(r#"{"action":"cancel"}"#);
                let frame = HostFrame::InteractionResult { invocation, interaction: 1, result };
                list.insert(0, Action::Deliver { connection, frame });
            }
        }
        Plant::SendsTwice => list.extend(called_again(event)),
        Plant::SendsWhileAsked => {
            let answer = list.iter().find_map(|action| answered_unasked(before, action));
            list.extend(answer);
        }
        Plant::ForgetsToRetract if !matches!(event, Event::Frame { .. }) => {
            list.retain(|action| !matches!(action, Action::Store(Record::Closed { .. })));
        }
        _ => list.iter_mut().for_each(|action| misdirect(before, plant, action)),
    }
    list
}

fn is_end(action: &Action) -> bool {
    matches!(action, Action::Project(change) if matches!(change.kind, Shows::Ended { .. }))
}

/// Calls a provider that has just said that it executes.
fn called_again(event: &Event) -> Option<Action> {
    let Event::Frame { connection, frame: ProviderFrame::Accepted { invocation } } = event else {
        return None;
    };
    let (connection, invocation) = (*connection, invocation.clone());
    let frame = HostFrame::Call { invocation, request: json("{}") };
    Some(Action::Deliver { connection, frame })
}

/// Answers a question as it is shown.
fn answered_unasked(before: &Hosting, action: &Action) -> Option<Action> {
    let Action::Project(change) = action else { return None };
    let Shows::Opened(shown) = &change.kind else { return None };
    let (connection, invocation) = (shown.owner.connection, shown.owner.invocation.clone());
    let called = before.calls.iter().find(|called| called.invocation == invocation)?;
    let (interaction, result) = (called.pending()?.number, json(r#"{"action":"decline"}"#));
    let frame = HostFrame::InteractionResult { invocation, interaction, result };
    Some(Action::Deliver { connection, frame })
}

/// Makes the store say at once that it holds what it was just asked to hold.
fn stored(plant: Plant, action: &Action) -> Option<Event> {
    match action {
        Action::Store(record @ Record::Requested(_)) if plant == Plant::ShowsAtOnce => {
            Some(Event::Stored(record.id()))
        }
        Action::Store(record @ Record::Answered { .. }) if plant == Plant::DeliversAtOnce => {
            Some(Event::Stored(record.id()))
        }
        _ => None,
    }
}

/// Sends an answer or a refusal, or shows a question, to somebody else.
fn misdirect(before: &Hosting, plant: Plant, action: &mut Action) {
    match (plant, action) {
        (
            Plant::AnswersAnotherConnection,
            Action::Deliver { connection, frame: HostFrame::InteractionResult { .. } },
        ) => {
            let other = before.providers.iter().find(|other| other.connection != *connection);
            *connection = other.unwrap().connection;
        }
        (
            Plant::AnswersAnotherInvocation,
            Action::Deliver { connection, frame: HostFrame::InteractionResult { invocation, .. } },
        ) => {
            let other = before.calls.iter().find(|other| other.invocation != *invocation);
            if let Some(other) = other.filter(|other| !other.is_settled()) {
                *invocation = other.invocation.clone();
                *connection = other.connection;
            }
        }
        (
            Plant::RefusesAnotherConnection,
            Action::Deliver { connection, frame: HostFrame::InteractionRefused { .. } },
        ) => {
            let other = before.providers.iter().find(|other| other.connection != *connection);
            *connection = other.unwrap().connection;
        }
        (
            Plant::RefusesAnotherQuestion,
            Action::Deliver { frame: HostFrame::InteractionRefused { interaction, .. }, .. },
        ) => *interaction += 1,
        (Plant::ShowsAnotherSession, Action::Project(change)) => {
            change.session = SessionId::new("another").unwrap();
        }
        _ => {}
    }
}

/// Writes what is shown of actions and reports.
pub(super) fn shown(before: &Hosting, list: &[Action], reports: &[Report]) -> String {
    let mut shown = format!("{list:?} {reports:?}");
    if before.has(Plant::ShowsRecords) {
        for action in list {
            if let Action::Store(record) = action {
                shown.push_str(&record.to_json());
            }
        }
    }
    shown
}
