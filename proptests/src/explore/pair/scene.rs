//! What a client and a server have to say to each other, and in which scope.

use std::sync::Arc;

use form_model::{Content, Form};
use mrtr_core::{
    Instant, InvocationId, Limits, UnixTime,
    client::{Action, Binding, Claims, Invocation, LegId, LegRequest, Request},
    server::{Endpoint, Need},
    wire::{InputRequest, InputResponse, Method, RawJson},
};

use crate::{
    exchange::states,
    faults::{ClientLie, ServerLie},
    random::{Dice, Random},
};

/// What may happen between a client and a server.
#[derive(Clone, Copy, Debug)]
pub struct PairScope {
    /// The calls, one after the other. Messages of one may arrive during the next.
    pub calls: usize,
    /// The rounds that a call allows.
    pub rounds_max: u32,
    /// The messages that are under way at most. One more is lost.
    pub under_way_max: usize,
    /// How often a message is copied.
    pub copies: u32,
    /// How often the state in a request is changed under way.
    pub forgeries: u32,
    /// The requests that the server works on at once.
    pub serving_max: usize,
    /// Whether a state may be used once.
    pub is_single_use: bool,
    /// Whether the store of used states may fail, and handlers give up before they did anything.
    pub gives_up: bool,
    /// Whether the states that are out may expire.
    pub expires: bool,
    /// What the client does otherwise than it should.
    pub client: ClientLie,
    /// What the server does otherwise than it should.
    pub server: ServerLie,
}

/// What stays the same while everything happens.
#[derive(Debug)]
pub(super) struct PairScene {
    pub(super) setup: PairScope,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) need: Need,
}

/// The key of the one question.
pub(super) const KEY: &str = "SENTINEL sure";

/// The key that states are sealed with.
pub(super) const SEALING_KEY: [u8; 32] = *b"SENTINEL, SENTINEL and SENTINEL.";

const START: UnixTime = UnixTime::from_secs(1_800_000_000);

pub(super) fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

impl PairScene {
    pub(super) fn new(setup: PairScope) -> Self {
        let states = states(false, &[("k1", SEALING_KEY)]);
        let endpoint = Endpoint::new("deployments").with_request_state(states);
        let endpoint = if setup.is_single_use { endpoint.with_single_use() } else { endpoint };
        let form = r#"{"type":"object","properties":{"sure":{"type":"boolean"},
            "word":{"type":"string"}},"required":["sure"]}"#;
        let form = Form::from_schema(form).unwrap();
        let need = Need::new()
            .request(KEY, InputRequest::form("SENTINEL?", form))
            .state(json(r#"{"step":"SENTINEL"}"#));
        Self { setup, endpoint: Arc::new(endpoint), need }
    }
}

/// Starts a call.
pub(super) fn start(number: usize, setup: &PairScope, now: Instant) -> (Invocation, LegRequest) {
    let id = InvocationId::new(&format!("call-{number}")).unwrap();
    let params = json(r#"{"name":"deploy","arguments":{"key":"SENTINEL"}}"#);
    let request = Request::new(id, Method::ToolsCall, params, Binding::new("server"));
    let limits = Limits::default().rounds_max(setup.rounds_max);
    let claims = Claims::none().with_form();
    let (call, actions) = Invocation::start(now, request, claims, limits).unwrap();
    let [Action::Send(first)] = actions.as_slice() else { panic!("a call begins with a leg") };
    (call, first.clone())
}

/// Returns the server's time. The states of earlier have expired when it is late.
pub(super) fn time(is_late: bool) -> UnixTime {
    UnixTime::from_secs(START.as_secs() + if is_late { 400 } else { 0 })
}

pub(super) fn answers() -> [InputResponse; 2] {
    let content = Content::new().with_flag("sure", true).with_text("word", "SENTINEL");
    [InputResponse::Accept(content), InputResponse::Decline]
}

/// Makes what a request is sealed with: it differs from request to request, and is the same each time.
/// `copy` counts how often the leg was served before.
pub(super) fn random(leg: &LegId, copy: u8) -> Random<Dice> {
    let mut seed = [copy; 8];
    for (byte, of_leg) in seed.iter_mut().skip(1).zip(leg.to_string().bytes().rev()) {
        *byte = of_leg;
    }
    Random(Dice::new(u64::from_le_bytes(seed)))
}
