//! What can happen to one call, and in which scope.

use core::time::Duration;
use std::collections::BTreeSet;

use form_model::Content;
use mrtr_core::{
    Clocks, Instant, InvocationId, Limits,
    client::{Action, Binding, Claims, Event, Invocation, LegId, LegRequest, Reply, Request},
    wire::{InputResponse, Method, RawJson, WireError},
};

use crate::faults::ClientLie;

/// A kind of question. Each is asked under a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asks {
    /// A form, for a person.
    Form,
    /// A request to a model.
    Model,
    /// The roots.
    Roots,
    /// A URL, for a person.
    Url,
}

/// What may happen to the call.
#[derive(Clone, Debug)]
pub struct CallScope {
    /// The rounds that the call allows.
    pub rounds_max: u32,
    /// What a round may ask for.
    pub rounds: Vec<Vec<Asks>>,
    /// The clocks.
    pub clocks: Clocks,
    /// Steps in which time may pass beside the jump to what is due next, and how many of them.
    pub steps: (Duration, u32),
    /// Whether every malformed reply and every wrong answer is tried, or one of each.
    pub is_wide: bool,
    /// Whether what is seen is told, for the page.
    pub is_told: bool,
    /// What the call does otherwise than it should.
    pub lie: ClientLie,
}

/// What stays the same while everything happens to the call.
#[derive(Debug)]
pub(super) struct CallScene {
    pub(super) setup: CallScope,
    /// The replies of the server to a leg, by the number of the round that it would ask.
    pub(super) replies: Vec<Vec<(&'static str, Reply)>>,
    /// A leg of another call.
    pub(super) foreign: LegId,
    /// The first request of the call.
    pub(super) first: LegRequest,
}

pub(super) fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

/// Starts a call under a name.
pub(super) fn start(name: &str, setup: &CallScope) -> (Invocation, LegRequest) {
    let id = InvocationId::new(name).unwrap();
    let params = json(r#"{"name":"deploy","arguments":{"key":"SENTINEL"}}"#);
    let request = Request::new(id, Method::ToolsCall, params, Binding::new("server"));
    let claims = Claims::none().with_form().with_url().with_sampling().with_roots();
    let rounds_max = setup.rounds_max + setup.lie.rounds_more;
    let limits = Limits::default().rounds_max(rounds_max).clocks(setup.clocks);
    let now = Instant::from_millis(0);
    let (call, actions) = Invocation::start(now, request, claims, limits).unwrap();
    let [Action::Send(first)] = actions.as_slice() else { panic!("a call begins with a leg") };
    (call, first.clone())
}

impl Asks {
    /// Returns the key.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Form => "SENTINEL form",
            Self::Model => "SENTINEL model",
            Self::Roots => "SENTINEL roots",
            Self::Url => "SENTINEL url",
        }
    }

    const fn request(self) -> &'static str {
        match self {
            Self::Form => {
                r#"{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":
                {"type":"object","properties":{"sure":{"type":"boolean"},"word":{"type":"string"}},
                "required":["sure"]}}}"#
            }
            Self::Model => {
                r#"{"method":"sampling/createMessage","params":{"maxTokens":9,"messages":
                [{"role":"user","content":{"type":"text","text":"SENTINEL"}}]}}"#
            }
            Self::Roots => r#"{"method":"roots/list"}"#,
            Self::Url => {
                r#"{"method":"elicitation/create","params":{"mode":"url","message":"Sign in",
                "elicitationId":"1","url":"https://example.com/SENTINEL"}}"#
            }
        }
    }

    /// Lists the answers that fit.
    pub(super) fn answers(self) -> Vec<InputResponse> {
        let content = |sure| Content::new().with_flag("sure", sure).with_text("word", "SENTINEL");
        match self {
            Self::Form => {
                let accepts = [true, false].map(|sure| InputResponse::Accept(content(sure)));
                accepts.into_iter().chain([InputResponse::Decline, InputResponse::Cancel]).collect()
            }
            Self::Url => {
                vec![InputResponse::Consent, InputResponse::Decline, InputResponse::Cancel]
            }
            Self::Model => vec![InputResponse::Sampled(json(
                r#"{"model":"m","role":"assistant","content":{"type":"text","text":"SENTINEL"}}"#,
            ))],
            Self::Roots => {
                vec![InputResponse::Roots(json(r#"{"roots":[{"uri":"file:///SENTINEL"}]}"#))]
            }
        }
    }

    /// Lists answers that do not.
    pub(super) fn unfit(self) -> Vec<InputResponse> {
        let unfit = Content::new().with_text("sure", "SENTINEL");
        match self {
            Self::Form => vec![InputResponse::Accept(unfit), InputResponse::Consent],
            Self::Url => vec![InputResponse::Accept(unfit)],
            Self::Model => {
                vec![InputResponse::Sampled(json(r#"{"SENTINEL":1}"#)), InputResponse::Decline]
            }
            Self::Roots => {
                vec![InputResponse::Roots(json(r#"["SENTINEL"]"#)), InputResponse::Cancel]
            }
        }
    }
}

impl CallScene {
    pub(super) fn new(setup: CallScope) -> Self {
        let replies = (1..=setup.rounds_max + 1).map(|round| replies(round, &setup)).collect();
        let (foreign, first) = (start("other", &setup).1.leg, start("call", &setup).1);
        Self { setup, replies, foreign, first }
    }

    /// Lists the kinds that are ever asked.
    pub(super) fn kinds(&self) -> BTreeSet<Asks> {
        self.setup.rounds.iter().flatten().copied().collect()
    }
}

/// Writes the state that the server seals in a round.
pub(super) fn state(round: u32) -> String {
    format!("SENTINEL-{round}")
}

fn replies(round: u32, setup: &CallScope) -> Vec<(&'static str, Reply)> {
    let state = format!(r#","requestState":"{}""#, state(round));
    let asks = |members: &str, state: &str| {
        let text =
            format!(r#"{{"resultType":"input_required","inputRequests":{{{members}}}{state}}}"#);
        Reply::Result(json(&text))
    };
    let members = |kinds: &[Asks]| {
        let one = |kind: &Asks| format!(r#""{}":{}"#, kind.key(), kind.request());
        kinds.iter().map(one).collect::<Vec<_>>().join(",")
    };
    let mut replies = vec![
        ("a result", Reply::Result(json(r#"{"content":"SENTINEL"}"#))),
        ("an error", Reply::Error(json(r#"{"code":-32000,"message":"no","data":"SENTINEL"}"#))),
        ("a state alone", asks("", &state)),
        ("nonsense", Reply::Result(json(r#"{"resultType":"SENTINEL"}"#))),
    ];
    for kinds in &setup.rounds {
        replies.push(("questions", asks(&members(kinds), &state)));
    }
    if setup.is_wide {
        let sound = members(&[Asks::Form]);
        let no_form = r#""SENTINEL":{"method":"elicitation/create","params":{"message":"x",
            "requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}}"#;
        let tools = r#""SENTINEL":{"method":"sampling/createMessage","params":{"maxTokens":9,
            "tools":[],"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}"#;
        replies.push(("questions without a state", asks(&sound, "")));
        replies.extend([
            ("neither questions nor a state", asks("", "")),
            ("a form that cannot be shown", asks(&format!("{sound},{no_form}"), &state)),
            ("a question that was not claimed", asks(&format!("{sound},{tools}"), &state)),
            ("an error that is none", Reply::Error(json(r#""SENTINEL""#))),
            ("what is no response", Reply::Unreadable(WireError::NotJson)),
        ]);
    }
    replies
}

/// Names the event of an answer.
pub(super) fn answer(round: u32, kind: Asks, response: InputResponse) -> Event {
    Event::Answer { round, key: kind.key().into(), response }
}
