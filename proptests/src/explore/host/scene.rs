//! What can happen to a host, and in which scope.

use std::collections::BTreeMap;

use form_model::{Content, Form};
use mrtr_core::{
    Clocks, InvocationId,
    host::{
        Call, ConnectionId, Event, FrameError, InteractionId, Limits, ProviderFrame, Question,
        RegistrationId, Requester, Scope, SessionId, ToolCallId, TurnId,
    },
    wire::{Elicitation, InputResponse, RawJson, UrlRequest},
};

use crate::faults::HostLie;

/// What the store may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSays {
    /// There is no store.
    Nothing,
    /// Anything at any time, also of what it was never asked to hold.
    Anything,
    /// That it holds a record, or not, in any order. What it holds is there after a restart.
    InAnyOrder {
        /// Whether it may fail.
        fails: bool,
    },
}

/// Which host, and what may happen to it.
#[derive(Clone, Copy, Debug)]
pub struct HostScope {
    /// The calls of the first life of the host, each of a provider of its own.
    pub calls: usize,
    /// The calls of each later life.
    pub calls_later: usize,
    /// The questions of an invocation, one after the other.
    pub questions: u32,
    /// What the store may say.
    pub store: StoreSays,
    /// Whether the store holds the end of a question as soon as it is asked to.
    pub holds_ends: bool,
    /// How often the host restarts.
    pub restarts: u32,
    /// How often each provider comes back.
    pub reconnects: u64,
    /// Whether each call is of a session of its own.
    pub is_apart: bool,
    /// Whether two surfaces show the first session; one of them comes and goes.
    pub has_screens: bool,
    /// Whether all kinds of frames, answers, scopes and endings are tried, or one of each sort.
    pub is_wide: bool,
    /// Whether providers ask with a URL. Otherwise they ask with a form.
    pub asks_url: bool,
    /// Whether all that a provider says also comes on the other connections, bytes that are not a
    /// frame name the question that they ask, and people give answers of every kind.
    pub is_foreign: bool,
    /// Whether a tick comes as soon as something is due, or anything may come before it.
    pub is_punctual: bool,
    /// The clocks.
    pub clocks: Clocks,
    /// Whether what is seen is told, for the page.
    pub is_told: bool,
    /// What the broker does otherwise than it should.
    pub lie: HostLie,
}

/// What stays the same while everything happens to the host.
#[derive(Debug)]
pub(super) struct HostScene {
    pub(super) setup: HostScope,
    /// The frames of each invocation, by its id.
    frames: BTreeMap<InvocationId, Vec<(&'static str, ProviderFrame)>>,
}

pub(super) fn registration(number: usize) -> RegistrationId {
    RegistrationId::new(&format!("registration-{number}")).unwrap()
}

pub(super) fn turn(number: usize) -> TurnId {
    TurnId::new(&format!("turn-{number}")).unwrap()
}

pub(super) fn invocation(epoch: u64, number: usize) -> InvocationId {
    InvocationId::new(&format!("{epoch}.{number}")).unwrap()
}

pub(super) fn interaction(epoch: u64, number: usize, question: u32) -> InteractionId {
    format!("{epoch}.{number}.{question}").parse().unwrap()
}

pub(super) fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

pub(super) fn other_session() -> SessionId {
    SessionId::new("another").unwrap()
}

fn content() -> Content {
    Content::new().with_flag("sure", true).with_text("word", "SENTINEL")
}

/// Writes what the provider gets for an answer.
pub(super) fn written(response: &InputResponse) -> RawJson {
    json(match response {
        InputResponse::Accept(_) => {
            r#"{"action":"accept","content":{"sure":true,"word":"SENTINEL"}}"#
        }
        InputResponse::Consent => r#"{"action":"accept"}"#,
        InputResponse::Decline => r#"{"action":"decline"}"#,
        _ => r#"{"action":"cancel"}"#,
    })
}

fn question(asks_url: bool) -> Question {
    let requester = Requester::new("files", "github", "deploy");
    if asks_url {
        let url = UrlRequest::new("SENTINEL?", "https://example.org/pay?token=SENTINEL").unwrap();
        return Question::new(Elicitation::Url(url), requester);
    }
    let form = r#"{"type":"object","properties":{"sure":{"type":"boolean"},
        "word":{"type":"string"}}}"#;
    let form = Form::from_schema(form).unwrap();
    Question::form("SENTINEL?", form, requester)
}

impl HostScope {
    pub(super) fn limits(&self) -> Limits {
        Limits::default().interactions_max(self.questions).clocks(self.clocks)
    }

    pub(super) fn session(&self, number: usize) -> SessionId {
        let number = if self.is_apart { number } else { 1 };
        SessionId::new(&format!("session-{number}")).unwrap()
    }

    /// Returns how many calls a life has.
    pub(super) const fn calls_in(&self, epoch: u64) -> usize {
        if epoch == 1 { self.calls } else { self.calls_later }
    }

    pub(super) fn call(&self, number: usize) -> Call {
        Call::new(
            self.session(number),
            turn(number),
            ToolCallId::new("tool-call").unwrap(),
            registration(number),
            json(r#"{"key":"SENTINEL"}"#),
        )
    }
}

impl HostScene {
    pub(super) fn new(setup: HostScope) -> Self {
        let mut frames = BTreeMap::new();
        for epoch in 1..=u64::from(setup.restarts) + 1 {
            for number in 1..=setup.calls.max(setup.calls_later) {
                let id = invocation(epoch, number);
                frames.insert(id.clone(), frames_of(&id, &setup));
            }
        }
        Self { setup, frames }
    }

    /// What a provider may say of an invocation.
    pub(super) fn frames(
        &self,
        connection: ConnectionId,
        epoch: u64,
        number: usize,
    ) -> impl Iterator<Item = (&'static str, Event)> {
        let frames = self.frames.get(&invocation(epoch, number)).into_iter().flatten();
        frames.map(move |(name, frame)| (*name, Event::Frame { connection, frame: frame.clone() }))
    }

    /// What surfaces may say of a question.
    pub(super) fn answers(
        &self,
        number: usize,
        interaction: InteractionId,
    ) -> Vec<(&'static str, Event)> {
        let session = self.setup.session(number);
        let answer = |session: &SessionId, response| {
            let session = session.clone();
            Event::Answer { interaction, session, response }
        };
        let (by_form, by_url) = (InputResponse::Accept(content()), InputResponse::Consent);
        let (accepts, unasked) =
            if self.setup.asks_url { (by_url, by_form) } else { (by_form, by_url) };
        let mut events = vec![
            ("an answer", answer(&session, accepts.clone())),
            ("an answer", answer(&session, InputResponse::Decline)),
        ];
        let other = answer(&other_session(), accepts);
        events.push(("an answer of another session", other));
        if self.setup.is_wide {
            let unfit = InputResponse::Accept(Content::new().with_text("sure", "SENTINEL"));
            events.extend([
                ("an answer", answer(&session, InputResponse::Cancel)),
                ("an answer that does not fit", answer(&session, unfit)),
                ("nobody can be asked", Event::Unanswerable(interaction)),
            ]);
        }
        if self.setup.is_foreign {
            let (sampled, roots) = (json(r#"{"role":"SENTINEL"}"#), json(r#"{"roots":[]}"#));
            let kinds = [unasked, InputResponse::Sampled(sampled), InputResponse::Roots(roots)];
            let foreign = |kind| ("an answer of another kind", answer(&session, kind));
            events.extend(kinds.map(foreign));
        }
        events
    }

    /// What the caller may do to an invocation, and to more.
    pub(super) fn stops(&self, epoch: u64, number: usize) -> Vec<(&'static str, Event)> {
        let (session, turn) = (self.setup.session(number), turn(number));
        let stops = Event::Stop(Scope::Invocation(invocation(epoch, number)));
        let mut events = vec![("the caller stops", stops)];
        if self.setup.is_wide {
            events.extend([
                ("a scope is stopped", Event::Stop(Scope::Turn(session.clone(), turn.clone()))),
                ("a scope is stopped", Event::Stop(Scope::Turn(session.clone(), super_turn()))),
                ("the turn ends", Event::TurnEnded { session, turn }),
            ]);
        }
        events
    }
}

fn super_turn() -> TurnId {
    turn(9)
}

/// Returns bytes that are not a frame, but say which question they ask.
pub(super) fn misspelt(invocation: &InvocationId, number: u64) -> FrameError {
    let bytes = format!(
        r#"{{"interaction_request":{{"invocation":"{invocation}","interaction":{number}}}}}"#
    );
    ProviderFrame::decode(bytes.as_bytes()).unwrap_err()
}

fn frames_of(id: &InvocationId, setup: &HostScope) -> Vec<(&'static str, ProviderFrame)> {
    let invocation = || id.clone();
    let said = || json(r#"{"key":"SENTINEL"}"#);
    let question = question(setup.asks_url);
    let mut frames = vec![
        ("accepted", ProviderFrame::Accepted { invocation: invocation() }),
        ("a question", ProviderFrame::ask(invocation(), 1, &question)),
        ("a result", ProviderFrame::Result { invocation: invocation(), result: said() }),
    ];
    if setup.is_wide || setup.questions > 1 {
        frames.push(("another question", ProviderFrame::ask(invocation(), 3, &question)));
    }
    if setup.is_wide {
        frames.extend([
            ("progress", ProviderFrame::Progress { invocation: invocation() }),
            ("rejected", ProviderFrame::Rejected { invocation: invocation(), error: said() }),
            ("failed", ProviderFrame::Failed { invocation: invocation(), error: said() }),
            ("released", ProviderFrame::Released { invocation: invocation() }),
        ]);
    }
    frames
}
