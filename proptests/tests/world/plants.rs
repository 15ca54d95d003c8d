//! Participants that do one thing wrong, and the invariant that catches each.

use mrtr_proptests::invariants::{Invariant, Violation};
use std::collections::BTreeSet;

use mrtr_core::{
    Phase,
    client::{Action, Event, LegRequest},
    host::{self, Broker, ChangeKind, Epoch, Limits, ProviderFrame, Record, SessionId},
    server,
    wire::RawJson,
};
use mrtr_proptests::{
    broker::Out,
    world::{HONEST, Lie},
};

use crate::{
    liar::{self, Liar},
    lives::{drawn, live},
};

/// Somebody who does something wrong: the host, or another.
struct Plant {
    breaks: Invariant,
    host: liar::Lie,
    others: Lie,
}

/// A participant that is not the host.
fn other(breaks: Invariant, others: Lie) -> Plant {
    Plant { breaks, host: liar::HONEST, others }
}

/// A call of the client role.
fn call(breaks: Invariant, call: fn(&Event, &LegRequest, &mut Vec<Action>)) -> Plant {
    other(breaks, Lie { call, ..HONEST })
}

/// A host that changes what comes of an event.
fn host(breaks: Invariant, out: fn(&host::Event, &mut Out)) -> Plant {
    Plant { breaks, host: liar::Lie { out, ..liar::HONEST }, others: HONEST }
}

fn plants() -> Vec<Plant> {
    vec![
        call(Invariant::OneOutcome, |_, _, actions| {
            let settled = actions.iter().find(|action| matches!(action, Action::Settle(_)));
            actions.extend(settled.cloned());
        }),
        host(Invariant::OneOutcome, |_, out| {
            let is_end = |action: &&host::Action| matches!(action, host::Action::Settle { .. });
            let settled = out.actions.iter().find(is_end);
            out.actions.extend(settled.cloned());
        }),
        // It goes on by itself while people are asked.
        call(Invariant::OneThingAtATime, |_, last, actions| {
            if actions.iter().any(|action| matches!(action, Action::Ask { .. })) {
                actions.push(Action::Send(last.clone()));
            }
        }),
        other(
            Invariant::ClocksRunWhereTheyBelong,
            Lie {
                deadline: |phase, due| due.filter(|_| phase != Phase::AwaitingInteraction),
                ..HONEST
            },
        ),
        Plant {
            breaks: Invariant::ClocksRunWhereTheyBelong,
            host: liar::Lie { deadline: |_| None, ..liar::HONEST },
            others: HONEST,
        },
        call(Invariant::EveryAskHasAnEnd, |_, _, actions| {
            actions.retain(|action| !matches!(action, Action::Retract { .. }));
        }),
        call(Invariant::ARetryIsOfItsRound, |_, _, actions| {
            change_params(actions, |params| {
                params.replace(r#""requestState":""#, r#""requestState":"A"#)
            });
        }),
        call(Invariant::ARetryIsOfItsRound, |_, _, actions| {
            change_params(actions, |params| {
                params.replace(r#""action":"accept""#, r#""action":"cancel""#)
            });
        }),
        other(Invariant::AnswersReachWhoAsked, Lie { mixes_up_calls: true, ..HONEST }),
        other(
            Invariant::AnswersReachWhoAsked,
            Lie { says: |frame| take_for_another(frame), ..HONEST },
        ),
        host(Invariant::AnswersReachWhoAsked, |_, out| {
            for action in &mut out.actions {
                if let host::Action::Project(change) = action {
                    change.session = SessionId::new("s-1").unwrap();
                }
            }
        }),
        // It asks the server once more, on its way out.
        call(Invariant::NothingIsSentAfterStop, |event, last, actions| {
            if *event == Event::Stop && !actions.is_empty() {
                actions.insert(0, Action::Send(last.clone()));
            }
        }),
        other(Invariant::LegsAreBounded, Lie { rounds_more: 1, ..HONEST }),
        call(Invariant::LegsAreBounded, |_, last, actions| {
            if last.leg.number() == 4 {
                actions.insert(0, Action::Send(last.clone()));
            }
        }),
        host(Invariant::NoQuestionWithoutInvocation, |_, out| {
            out.actions.retain(|action| match action {
                host::Action::Project(change) => !matches!(change.kind, ChangeKind::Ended { .. }),
                host::Action::Store(record) => !matches!(record, Record::Closed { .. }),
                _ => true,
            });
        }),
        Plant {
            breaks: Invariant::NoQuestionWithoutInvocation,
            host: liar::Lie { starts_dirty: true, ..liar::HONEST },
            others: HONEST,
        },
        Plant {
            breaks: Invariant::StoredThenDelivered,
            host: liar::Lie { forgets_store: true, ..liar::HONEST },
            others: HONEST,
        },
        other(Invariant::NothingSecretIsShown, Lie { logs: host::HostFrame::to_json, ..HONEST }),
        other(Invariant::HandlersRunOnSoundStates, Lie { redeems: |_| true, ..HONEST }),
        other(Invariant::HandlersRunOnSoundStates, Lie { keeps_keys: true, ..HONEST }),
        other(Invariant::EverythingEnds, Lie { ignores_cancel: true, ..HONEST }),
        other(Invariant::AsRequired, Lie { serves: |actions| blame_itself(actions), ..HONEST }),
        Plant {
            breaks: Invariant::Contract,
            host: liar::Lie { refuses_and_changes: true, ..liar::HONEST },
            others: HONEST,
        },
    ]
}

/// proves: PR-02
#[test]
fn every_invariant_catches_who_breaks_it() {
    let plants = plants();
    let tried: BTreeSet<_> = plants.iter().map(|plant| plant.breaks).collect();
    assert_eq!(tried, BTreeSet::from(Invariant::ALL));
    let mut uncaught = Vec::new();
    for (at, Plant { breaks, host, others }) in plants.into_iter().enumerate() {
        let broker = Broker::volatile(Epoch::new(0), Limits::default());
        let kind = Liar { broker, lie: host };
        let mut found = (0..400).filter_map(|life| live(&kind, others, &drawn(life)).1);
        let mut instead = BTreeSet::new();
        let is_it = |broken: Violation| {
            instead.insert(broken.invariant);
            broken.invariant == breaks
        };
        if !found.any(is_it) {
            uncaught.push((at, breaks, instead));
        }
    }
    assert!(uncaught.is_empty(), "{uncaught:?}");
}

fn change_params(actions: &mut [Action], change: fn(&str) -> String) {
    for action in actions {
        if let Action::Send(request) = action {
            request.params = RawJson::parse(&change(request.params.as_str())).unwrap();
        }
    }
}

/// Passes the result of one call off as that of another.
fn take_for_another(frame: &mut ProviderFrame) {
    if let ProviderFrame::Result { result, .. } = frame {
        let other = result.as_str().replace(r#""call":"#, r#""call":1"#);
        *result = RawJson::parse(&other).unwrap();
    }
}

/// Blames the server where the request was wrong.
fn blame_itself(actions: &mut [server::Action]) {
    for action in actions {
        if let server::Action::Respond(respond) = action
            && let Some(body) = &mut respond.body
        {
            *body = RawJson::parse(&body.as_str().replace("-32602", "-32603")).unwrap();
        }
    }
}
