//! The request of a world, and the names of its legs.

use std::sync::LazyLock;

use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Action, Binding, Claims, Event, Invocation, LegId, Reply, Request},
    wire::{Method, RawJson},
};

use super::script::PARAMS;

/// The legs that the call of a world sends, if it lives so long.
pub(super) static LEGS: LazyLock<Vec<LegId>> = LazyLock::new(|| all_legs("w"));

/// The legs of another call.
pub(super) static FOREIGN_LEGS: LazyLock<Vec<LegId>> = LazyLock::new(|| all_legs("other"));

pub(super) fn binding(same: bool) -> Binding {
    Binding::new(if same { "server-1" } else { "server-2" })
}

pub(super) fn request(id: &str) -> Request {
    let id = InvocationId::new(id).unwrap();
    Request::new(id, Method::ToolsCall, RawJson::parse(PARAMS).unwrap(), binding(true))
}

/// Returns the legs of a call that is asked to be called again as long as it may. Only a call makes
/// the name of a leg.
fn all_legs(id: &str) -> Vec<LegId> {
    let mut now = Instant::from_millis(0);
    let retries = Claims::none().with_retries();
    let (mut call, mut actions) =
        Invocation::start(now, request(id), retries, Limits::default()).unwrap();
    let mut legs = Vec::new();
    while let [Action::Send(sent)] = actions.as_slice() {
        let leg = sent.leg.clone();
        legs.push(leg.clone());
        let result =
            RawJson::parse(r#"{"resultType":"input_required","requestState":""}"#).unwrap();
        let paused = call.handle(now, Event::Reply { leg, reply: Reply::Result(result) }).unwrap();
        assert!(paused.as_slice().len() <= 1);
        now = call.deadline().unwrap_or(now);
        actions = call.handle(now, Event::Tick).unwrap();
    }
    legs
}
