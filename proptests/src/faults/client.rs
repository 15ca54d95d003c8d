//! What a call may do otherwise than it should.

use mrtr_core::{
    Instant, Phase,
    client::{Action, CloseReason, Event, LegRequest, Outcome},
    wire::RawJson,
};

use super::{Driver, Fault, Lie};
use crate::{explore::CALL, explore::PAIR, invariants::Invariant};

/// The hook between a call and its world: what the world sees instead of what the call said.
#[derive(Clone, Copy, Debug)]
pub struct ClientLie {
    /// Changes what the call does about an event. It is told the phase before, and a request that
    /// was sent before.
    pub acts: fn(&Event, Phase, &LegRequest, &mut Vec<Action>),
    /// Changes when the call is to be told the time.
    pub deadline: fn(Phase, Option<Instant>) -> Option<Instant>,
    /// Changes how many questions the call says are open.
    pub open: fn(Phase, usize) -> usize,
    /// How many rounds the call takes beyond those that it is allowed.
    pub rounds_more: u32,
    /// Writes more of a request into a log than the call does.
    pub logs: fn(&LegRequest) -> String,
}

impl ClientLie {
    /// No lie.
    pub const HONEST: Self = Self {
        acts: |_, _, _, _| {},
        deadline: |_, deadline| deadline,
        open: |_, open| open,
        rounds_more: 0,
        logs: |_| String::new(),
    };

    const fn acts(acts: fn(&Event, Phase, &LegRequest, &mut Vec<Action>)) -> Self {
        Self { acts, ..Self::HONEST }
    }
}

/// Lists the faults of a call.
pub(super) fn rows() -> Vec<Fault> {
    use Driver::{Lives, Search, World};
    use Invariant::*;
    let row = |name, breaks, lie, found_by: &[Driver]| Fault {
        name,
        breaks,
        says: "",
        lie: Lie::Client(lie),
        found_by: found_by.into(),
    };
    vec![
        row(
            "an outcome comes twice",
            OneOutcome,
            ClientLie::acts(|_, _, _, list| {
                let settled = list.iter().find(|action| matches!(action, Action::Settle(_)));
                list.extend(settled.cloned());
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a leg is sent with the questions of its round",
            OneThingAtATime,
            ClientLie::acts(|_, _, sent, list| {
                if matches!(list.last(), Some(Action::Ask { .. })) {
                    list.push(Action::Send(sent.clone()));
                }
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a leg is sent again while it is in flight",
            OneThingAtATime,
            ClientLie::acts(|_, _, sent, list| {
                if matches!(list.last(), Some(Action::Send(_))) {
                    list.push(Action::Send(sent.clone()));
                }
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "the clock of a leg runs on while somebody is asked",
            ClocksRunWhereTheyBelong,
            ClientLie {
                deadline: |phase, due| match phase {
                    Phase::AwaitingInteraction => due.map(|due| sooner(due, 100)),
                    _ => due,
                },
                ..ClientLie::HONEST
            },
            &[Search(CALL), Lives, World],
        ),
        row(
            "no clock runs while somebody is asked",
            ClocksRunWhereTheyBelong,
            ClientLie {
                deadline: |phase, due| due.filter(|_| phase != Phase::AwaitingInteraction),
                ..ClientLie::HONEST
            },
            &[Search(CALL), Lives, World],
        ),
        row(
            "what was asked is not taken back",
            EveryAskHasAnEnd,
            ClientLie::acts(|_, _, _, list| {
                list.retain(|action| !matches!(action, Action::Retract { .. }));
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a retry carries a state that was changed",
            ARetryIsOfItsRound,
            ClientLie::acts(|_, _, _, list| {
                rewrite(list, |params| {
                    params.replace(r#""requestState":""#, r#""requestState":"A"#)
                });
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a retry carries the state of the round before",
            ARetryIsOfItsRound,
            ClientLie::acts(|_, _, _, list| {
                rewrite(list, |params| params.replace("SENTINEL-2", "SENTINEL-1"));
            }),
            &[Search(CALL)],
        ),
        row(
            "a retry carries an answer to what was not asked",
            ARetryIsOfItsRound,
            ClientLie::acts(|_, _, _, list| {
                rewrite(list, |params| {
                    params.replace(r#""inputResponses":{"#, r#""inputResponses":{"other":{},"#)
                });
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a retry carries another answer than was given",
            ARetryIsOfItsRound,
            ClientLie::acts(|_, _, _, list| {
                rewrite(list, |params| {
                    params.replace(r#""action":"accept""#, r#""action":"cancel""#)
                });
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a leg is sent for who has stopped",
            NothingIsSentAfterStop,
            ClientLie::acts(|event, before, sent, list| {
                if *event == Event::Stop && before != Phase::Settled {
                    list.insert(0, Action::Send(sent.clone()));
                }
            }),
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "one more round is allowed than the call allows",
            LegsAreBounded,
            ClientLie { rounds_more: 1, ..ClientLie::HONEST },
            &[Search(CALL), Lives, World],
        ),
        row(
            "one more leg is sent than the rounds allow",
            LegsAreBounded,
            ClientLie::acts(|_, before, sent, list| {
                if before != Phase::Settled && sent.leg.number() == 4 {
                    list.insert(0, Action::Send(sent.clone()));
                }
            }),
            &[World],
        ),
        row(
            "a call tells of questions that are open when it is over",
            NoQuestionWithoutInvocation,
            ClientLie {
                open: |phase, open| if phase == Phase::Settled { open + 1 } else { open },
                ..ClientLie::HONEST
            },
            &[Search(CALL), Lives, World],
        ),
        row(
            "a request is logged with its params",
            NothingSecretIsShown,
            ClientLie { logs: |request| request.params.as_str().into(), ..ClientLie::HONEST },
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        row(
            "a request is logged with the bytes of its params",
            NothingSecretIsShown,
            ClientLie {
                logs: |request| format!("{:?}", request.params.as_str().as_bytes()),
                ..ClientLie::HONEST
            },
            &[Search(CALL), Search(PAIR), Lives, World],
        ),
        of_model(
            "questions come in another order",
            AsRequired,
            "what comes of Reply",
            |_, _, _, list| {
                if let Some(Action::Ask { .. }) = list.last() {
                    list.reverse();
                }
            },
        ),
        of_model(
            "a leg that is given up is not cancelled",
            AsRequired,
            "found [Settle(Stopped)], expected Ends([CancelLeg",
            |_, _, _, list| list.retain(|action| !matches!(action, Action::CancelLeg { .. })),
        ),
        of_model(
            "what was asked is taken back for another reason",
            AsRequired,
            "Retract",
            |_, _, _, list| {
                for action in list {
                    if let Action::Retract { why, .. } = action {
                        *why = CloseReason::Unanswerable;
                    }
                }
            },
        ),
        of_model(
            "who stops is told that the connection was lost",
            AsRequired,
            "expected Ends([], With(Stopped))",
            |event, _, _, list| {
                if let (Event::Stop, Some(Action::Settle(outcome))) = (event, list.last_mut()) {
                    *outcome = Outcome::Lost;
                }
            },
        ),
        of_model("a retry is not sent", AsRequired, "expected Sends", |_, before, _, list| {
            list.retain(|action| before == Phase::Settled || !matches!(action, Action::Send(_)));
        }),
        of_model(
            "a leg that is over is cancelled",
            Contract,
            "is in flight",
            |_, before, sent, list| {
                if before == Phase::AwaitingInteraction
                    && matches!(list.last(), Some(Action::Settle(_)))
                {
                    list.insert(0, Action::CancelLeg { leg: sent.leg.clone() });
                }
            },
        ),
        of_model(
            "a leg is sent under an id that was used",
            Contract,
            "of its own",
            |_, _, sent, list| {
                for action in list {
                    if let Action::Send(request) = action {
                        request.leg = sent.leg.clone();
                    }
                }
            },
        ),
        of_model("a leg tells another size of its state", Contract, "size", |_, _, _, list| {
            for action in list {
                if let Action::Send(request) = action {
                    request.state_bytes = request.state_bytes.map(|bytes| bytes + 1);
                }
            }
        }),
    ]
}

/// A fault that no search looks for, because only the model or the contract tells it.
fn of_model(
    name: &'static str,
    breaks: Invariant,
    says: &'static str,
    acts: fn(&Event, Phase, &LegRequest, &mut Vec<Action>),
) -> Fault {
    let found_by = vec![Driver::Lives, Driver::World];
    Fault { name, breaks, says, lie: Lie::Client(ClientLie::acts(acts)), found_by }
}

fn sooner(due: Instant, secs: u64) -> Instant {
    let secs = core::time::Duration::from_secs(secs);
    Instant::from_epoch(due.since_epoch().saturating_sub(secs))
}

/// Changes the params of what is sent.
fn rewrite(list: &mut [Action], change: fn(&str) -> String) {
    for action in list {
        if let Action::Send(LegRequest { params, .. }) = action {
            *params = RawJson::parse(&change(params.as_str())).unwrap();
        }
    }
}
