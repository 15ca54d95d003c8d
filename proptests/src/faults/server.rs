//! What a server and its store may do otherwise than they should.

use mrtr_core::{server::Action, wire::RawJson};

use super::{Driver, Fault, Lie};
use crate::{explore::PAIR, invariants::Invariant};

/// The hook between a server and its world.
#[derive(Clone, Copy, Debug)]
pub struct ServerLie {
    /// Changes what the server does about an event.
    pub acts: fn(&mut Vec<Action>),
    /// Whether a handler runs although its request was refused.
    pub runs_anyway: bool,
    /// Changes what the store says: whether a state is redeemed for the first time.
    pub redeems: fn(bool) -> bool,
    /// Whether the server still opens states with keys that it should not have any more.
    pub keeps_keys: bool,
    /// Whether the server logs the key that it seals with, byte by byte.
    pub logs_its_key: bool,
    /// Whether an answer is changed before the server reads it.
    pub changes_answers: bool,
}

impl ServerLie {
    /// No lie.
    pub const HONEST: Self = Self {
        acts: |_| {},
        runs_anyway: false,
        redeems: |first| first,
        keeps_keys: false,
        logs_its_key: false,
        changes_answers: false,
    };
}

/// Lists the faults of a server.
pub(super) fn rows() -> Vec<Fault> {
    use Driver::{Search, World};
    use Invariant::*;
    let honest = ServerLie::HONEST;
    let row = |name, breaks, lie, found_by: &[Driver]| Fault {
        name,
        breaks,
        says: "",
        lie: Lie::Server(lie),
        found_by: found_by.into(),
    };
    vec![
        row(
            "an answer is changed on its way to the handler",
            AnswersReachWhoAsked,
            ServerLie { changes_answers: true, ..honest },
            &[Search(PAIR)],
        ),
        row(
            "the key that states are sealed with is logged",
            NothingSecretIsShown,
            ServerLie { logs_its_key: true, ..honest },
            &[Search(PAIR)],
        ),
        row(
            "the handler runs on a request that was refused",
            HandlersRunOnSoundStates,
            ServerLie { runs_anyway: true, ..honest },
            &[Search(PAIR)],
        ),
        row(
            "the store of used states forgets",
            HandlersRunOnSoundStates,
            ServerLie { redeems: |_| true, ..honest },
            &[Search(PAIR), World],
        ),
        row(
            "a server opens states with keys that it gave up",
            HandlersRunOnSoundStates,
            ServerLie { keeps_keys: true, ..honest },
            &[World],
        ),
        row(
            "a server blames itself for a wrong request",
            AsRequired,
            ServerLie { acts: blames_itself, ..honest },
            &[World],
        ),
    ]
}

fn blames_itself(actions: &mut Vec<Action>) {
    for action in actions {
        if let Action::Respond(respond) = action
            && let Some(body) = &mut respond.body
        {
            *body = RawJson::parse(&body.as_str().replace("-32602", "-32603")).unwrap();
        }
    }
}
