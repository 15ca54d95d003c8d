//! The faults that are put between an invocation and its world.

use mrtr_core::{
    Phase,
    client::{Action, Actions, Event, LegRequest},
    wire::RawJson,
};

use super::{Plant, scene::state};

/// Puts the fault in: what is carried out instead of what the invocation said when something
/// happened in a phase. `first` is what the call began with.
pub(in crate::explore) fn tamper(
    plant: Option<Plant>,
    from: Phase,
    event: &Event,
    actions: Actions,
    first: impl Fn() -> Action,
) -> Vec<Action> {
    let mut list: Vec<Action> = actions.into_iter().collect();
    match plant {
        Some(Plant::SettlesTwice) if matches!(list.last(), Some(Action::Settle(_))) => {
            list.extend(list.last().cloned());
        }
        Some(Plant::SendsWhileAsked) if matches!(list.last(), Some(Action::Ask { .. })) => {
            list.push(first());
        }
        Some(Plant::SendsTwice) if matches!(list.last(), Some(Action::Send(_))) => {
            list.push(first());
        }
        Some(Plant::SendsAfterStop) if *event == Event::Stop && from == Phase::Pausing => {
            list.insert(0, first());
        }
        Some(Plant::ForgetsToRetract) => {
            list.retain(|action| !matches!(action, Action::Retract { .. }));
        }
        Some(Plant::KeepsAnOldState) => rewrite(&mut list, &state(2), &state(1)),
        Some(Plant::AnswersWhatWasNotAsked) => {
            rewrite(&mut list, r#""inputResponses":{"#, r#""inputResponses":{"other":{},"#);
        }
        _ => {}
    }
    list
}

/// Changes the params of what is sent.
fn rewrite(list: &mut [Action], from: &str, to: &str) {
    for action in list {
        if let Action::Send(LegRequest { params, .. }) = action {
            *params = RawJson::parse(&params.as_str().replace(from, to)).unwrap();
        }
    }
}
