//! The client's invocation: two questions in a round, two rounds, and rounds of a state alone.

use core::time::Duration;
use std::collections::BTreeSet;

use form_model::Content;
use mrtr_core::{
    Action, AnswersForms, AnswersUrls, Binding, Claims, Clock, Clocks, Event, Instant, Invocation,
    InvocationId, LegId, LegRequest, Limits, Outcome, Phase, Reply, Request,
    wire::{Method, RawJson, Response},
};
use serde_json::Value;

use super::explore::{Label, Place, Seen, Stage, What, World};

pub(crate) const ROUNDS_MAX: u32 = 2;
/// The questions of a round, by their keys: a form and a URL.
const KEYS: [&str; 2] = ["form", "url"];

/// Is one call, and what has come out of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calling {
    call: Invocation,
    now: Instant,
    /// When the call came to its phase.
    since: Instant,
    legs: Vec<LegId>,
    round: u32,
    /// The state of the round that is on.
    state: Option<String>,
    /// The keys of the round that is on, and those of them that wait for an answer.
    asked: BTreeSet<String>,
    open: BTreeSet<String>,
    is_settled: bool,
}

pub(crate) enum Op {
    /// Time passes until something is due. The tick comes later, and anything may come before it.
    Pass,
    Happen(&'static str, Event),
}

struct Surface;
impl AnswersForms for Surface {}
impl AnswersUrls for Surface {}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn result(text: &str) -> Reply {
    Reply::Result(json(text))
}

impl Calling {
    /// Starts a call whose legs have so much time together.
    pub(crate) fn start(execution: Option<Duration>) -> (Self, Seen) {
        let now = Instant::from_millis(0);
        let clocks = Clocks { execution, ..Clocks::default() };
        let limits = Limits { rounds_max: ROUNDS_MAX, clocks, ..Limits::default() };
        let id = InvocationId::new("call").unwrap();
        let params = json(r#"{"name":"deploy"}"#);
        let request = Request::new(id, Method::ToolsCall, params, Binding::new("server"));
        let claims = Claims::none().with_form(&Surface).with_url(&Surface);
        let (call, actions) = Invocation::start(now, request, claims, limits).unwrap();
        let mut calling = Self {
            call,
            now,
            since: now,
            legs: Vec::new(),
            round: 0,
            state: None,
            asked: BTreeSet::new(),
            open: BTreeSet::new(),
            is_settled: false,
        };
        let to = calling.place();
        let [Action::Send(first)] = actions.as_slice() else { panic!("a call starts by sending") };
        calling.legs.push(first.leg.clone());
        let began = What::Began(vec![Label::new("Send", "")]);
        (calling, Seen { event: "start", from: None, to, what: began })
    }

    fn place(&self) -> Place {
        let phase = self.call.phase();
        let is_asked = phase == Phase::AwaitingInteraction;
        Place { phase, stage: if is_asked { Stage::Shown } else { Stage::None } }
    }

    fn replies(&self) -> Vec<(&'static str, Reply)> {
        let state = format!("state-{}", self.round + 1);
        let asks = format!(
            r#"{{"resultType":"input_required","requestState":"{state}","inputRequests":{{
            "form":{{"method":"elicitation/create","params":{{"message":"Sure?","requestedSchema":
                {{"type":"object","properties":{{"sure":{{"type":"boolean"}}}}}}}}}},
            "url":{{"method":"elicitation/create","params":{{"mode":"url","message":"Sign in",
                "elicitationId":"1","url":"https://example.com/"}}}}}}}}"#
        );
        let waits = format!(r#"{{"resultType":"input_required","requestState":"{state}"}}"#);
        vec![
            ("a result", result("{}")),
            ("an error", Reply::Error(json(r#"{"code":-32000,"message":"no"}"#))),
            ("questions", result(&asks)),
            ("a state alone", result(&waits)),
            ("nonsense", result(r#"{"resultType":"nonsense"}"#)),
        ]
    }

    /// Takes note of an action, and checks it against what came before. Invariants 1, 2, 4, 5, 8.
    fn note(&mut self, action: &Action) -> Label {
        assert!(!self.is_settled, "nothing follows an outcome");
        match action {
            Action::Send(request) => {
                self.note_retry(request);
                Label::new("Send", "")
            }
            Action::CancelLeg { leg } => {
                assert_eq!(Some(leg), self.legs.last(), "what is cancelled is in flight");
                Label::new("CancelLeg", "")
            }
            Action::Ask { round, key, .. } => {
                assert_eq!(*round, self.round);
                assert!(self.asked.insert(key.clone()) && self.open.insert(key.clone()));
                Label::new("Ask", key)
            }
            Action::Retract { round, key, why } => {
                assert_eq!(*round, self.round);
                assert!(self.open.remove(key), "what is taken back was asked, and has no answer");
                Label::new("Retract", format!("{key} ({})", snake(&format!("{why:?}"))))
            }
            Action::Settle(outcome) => {
                assert!(self.open.is_empty(), "what was asked is answered or taken back");
                self.is_settled = true;
                Label::new("Settle", code(outcome))
            }
        }
    }

    fn note_retry(&mut self, request: &LegRequest) {
        assert!(self.open.is_empty(), "nothing is sent while somebody is asked");
        assert!(!self.legs.contains(&request.leg), "a leg has an id of its own");
        self.legs.push(request.leg.clone());
        assert!(self.legs.len() <= 1 + usize::try_from(ROUNDS_MAX).unwrap());
        let params: Value = serde_json::from_str(request.params.as_str()).unwrap();
        let responses = params["inputResponses"].as_object();
        let keys = responses.into_iter().flat_map(|members| members.keys().cloned()).collect();
        assert_eq!(self.asked, keys, "a retry carries what its round asked");
        assert_eq!(params["requestState"].as_str(), self.state.take().as_deref());
        self.asked.clear();
    }

    fn moved(
        &mut self,
        op: (&'static str, Event),
        before: &Self,
        actions: &[Action],
    ) -> Vec<Label> {
        let (event, happened) = op;
        let (from, to) = (before.call.phase(), self.call.phase());
        if from != to {
            self.since = self.now;
        }
        if matches!(to, Phase::AwaitingInteraction | Phase::Pausing) && from != to {
            self.round += 1;
            self.state = Some(format!("state-{}", self.round));
        }
        if let Event::Answer { key, .. } = &happened {
            assert!(self.open.remove(key), "{event} was to an open question");
        }
        let sends = actions.iter().any(|action| matches!(action, Action::Send(_)));
        assert!(!(sends && from.is_in_flight()), "one leg is in flight at a time");
        actions.iter().map(|action| self.note(action)).collect()
    }
}

impl World for Calling {
    type Op = Op;

    fn ops(&self) -> Vec<Op> {
        let last = self.legs.last().unwrap();
        let mut events = vec![
            ("tick", Event::Tick),
            ("the caller stops", Event::Stop),
            ("the connection drops", Event::ConnectionLost),
            ("another binding", Event::BindingChanged(Binding::new("other"))),
            ("the same binding", Event::BindingChanged(Binding::new("server"))),
            ("progress", Event::Progress { leg: last.clone() }),
        ];
        for (event, reply) in self.replies() {
            events.push((event, Event::Reply { leg: last.clone(), reply }));
        }
        for leg in &self.legs[..self.legs.len() - 1] {
            let reply = result("{}");
            events.push(("a late result", Event::Reply { leg: leg.clone(), reply }));
        }
        for round in 1..=ROUNDS_MAX {
            for key in KEYS {
                let yes = match key {
                    "form" => Response::Accept(Content::new().with_flag("sure", true)),
                    _ => Response::Consent,
                };
                let is_open = round == self.round && self.open.contains(key);
                // A key of a round that is over, or of this one, that is not open has its answer.
                let was_asked = round < self.round || self.asked.contains(key);
                let event = if was_asked && !is_open { "a second answer" } else { "an answer" };
                let key = key.to_owned();
                for response in [yes, Response::Decline] {
                    events.push((event, Event::Answer { round, key: key.clone(), response }));
                }
                let unfit = Response::Accept(Content::new().with_text("sure", "no flag"));
                let answer = Event::Answer { round, key: key.clone(), response: unfit };
                events.push(("an answer that does not fit", answer));
                events.push(("nobody can be asked", Event::Failed { round, key }));
            }
        }
        let passes = self.call.deadline().is_some_and(|at| at > self.now);
        let events = events.into_iter().map(|(event, happened)| Op::Happen(event, happened));
        passes.then_some(Op::Pass).into_iter().chain(events).collect()
    }

    fn apply(&mut self, op: Op) -> Vec<Seen> {
        let (event, happened) = match op {
            Op::Pass => {
                self.now = self.call.deadline().unwrap();
                return Vec::new();
            }
            Op::Happen(event, happened) => (event, happened),
        };
        let before = self.clone();
        let from = self.place();
        let due = self.call.deadline().filter(|_| happened == Event::Tick);
        let after = due.map(|at| at.since(self.since));
        let handled = self.call.handle(self.now, happened.clone());
        let what = match &handled {
            Err(misuse) => {
                assert_eq!(self.call, before.call, "what is refused changes nothing");
                What::Refused(format!("{misuse:?}"))
            }
            Ok(actions) => {
                let Some(transition) = actions.transition() else {
                    assert_eq!(self.call, before.call, "what is ignored changes nothing");
                    assert_eq!(actions.as_slice(), []);
                    return Vec::new();
                };
                assert_eq!((transition.from, transition.to), (from.phase, self.call.phase()));
                let actions = self.moved((event, happened), &before, actions.as_slice());
                What::Moved { by: transition.cause, actions, after }
            }
        };
        vec![Seen { event, from: Some(from), to: self.place(), what }]
    }

    /// Invariants 3 and 9, and that a tick that is not due does nothing.
    fn check(&self) {
        let phase = self.call.phase();
        assert_eq!(self.call.open(), self.open.len());
        assert_eq!(phase == Phase::AwaitingInteraction, !self.open.is_empty());
        assert_eq!(phase == Phase::Settled, self.is_settled);
        let Some(at) = self.call.deadline() else {
            assert_eq!(phase, Phase::Settled, "a call that is not over has a clock");
            return;
        };
        let mut call = self.call.clone();
        if let Some(early) = at.since_epoch().checked_sub(Duration::from_millis(1)) {
            let actions = call.handle(Instant::from_epoch(early), Event::Tick).unwrap();
            assert!(actions.as_slice().is_empty() && call == self.call, "it is not due");
        }
        let actions = call.handle(at, Event::Tick).unwrap();
        match actions.as_slice().last().unwrap() {
            Action::Settle(Outcome::TimedOut(Clock::Leg | Clock::Execution)) => {
                assert!(phase.is_in_flight());
            }
            Action::Settle(Outcome::TimedOut(Clock::Interaction)) => {
                assert_eq!(phase, Phase::AwaitingInteraction);
            }
            Action::Send(_) => assert_eq!(phase, Phase::Pausing),
            other => panic!("{other:?} when a clock ran out"),
        }
    }
}

fn code(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut(clock) => {
            format!("{} ({})", outcome.code(), snake(&format!("{clock:?}")))
        }
        _ => outcome.code().into(),
    }
}

/// Writes the name of a variant as codes are written.
pub(crate) fn snake(name: &str) -> String {
    let mut code = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.push(letter.to_ascii_lowercase());
    }
    code
}
