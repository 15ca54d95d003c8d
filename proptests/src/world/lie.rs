//! What a participant may do otherwise than it should, so that the checks are seen to fail.

use mrtr_core::{
    Instant, Phase,
    client::{Action, Event, LegRequest},
    host::{HostFrame, ProviderFrame},
    server,
};

/// What the participants of a world do otherwise than the machines say. How a host lies is the
/// host's business.
#[derive(Clone, Copy, Debug)]
pub struct Lie {
    /// Changes what a call does about an event. It is told the last request that went out.
    pub call: fn(&Event, &LegRequest, &mut Vec<Action>),
    /// Changes when a call is to be told the time.
    pub deadline: fn(Phase, Option<Instant>) -> Option<Instant>,
    /// How many rounds a call takes beyond those that it is allowed.
    pub rounds_more: u32,
    /// Changes what a provider says to its host.
    pub says: fn(&mut ProviderFrame),
    /// Whether a provider gives an answer to whichever of its calls waits for one.
    pub mixes_up_calls: bool,
    /// Whether a provider goes on with what its host has cancelled.
    pub ignores_cancel: bool,
    /// Writes what a host says into a log.
    pub logs: fn(&HostFrame) -> String,
    /// Changes what the store of a server says: whether a state is redeemed for the first time.
    pub redeems: fn(bool) -> bool,
    /// Changes what a server does about an event.
    pub serves: fn(&mut Vec<server::Action>),
    /// Whether a server still opens states with keys that it should not have any more.
    pub keeps_keys: bool,
}

/// No lie.
pub const HONEST: Lie = Lie {
    call: |_, _, _| {},
    deadline: |_, deadline| deadline,
    rounds_more: 0,
    says: |_| {},
    mixes_up_calls: false,
    ignores_cancel: false,
    logs: |frame| format!("{frame:?}"),
    redeems: |first| first,
    serves: |_| {},
    keeps_keys: false,
};
