//! A call on a clock that the test turns, and the lines that a server speaks.

use std::collections::BTreeMap;

use form_model::Content;
use mrtr_core::{
    Clocks, Instant, InvocationId, Limits, Phase, Transition,
    client::{
        Action, Actions, Binding, Claims, Event, Fault, Invocation, LegId, LegRequest, Misuse,
        Outcome, Reply, Report, Request,
    },
    wire::{InputResponse, Json, Method, RawJson, WireError},
};
use serde_json::value::RawValue;

/// What the call of these tests sends.
pub(crate) const PARAMS: &str = r#"{"name":"deploy","arguments":{"artifact":"build-42"}}"#;

/// A result that ends a call.
pub(crate) const DONE: &str = r#"{"content":[{"type":"text","text":"deployed"}]}"#;

/// A form with one yes-or-no field, as an input request.
pub(crate) const CONFIRM: &str = r#"{"method":"elicitation/create","params":{"message":"Sure?",
    "requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}},
        "required":["confirm"]}}}"#;

/// A URL to open, as an input request.
pub(crate) const URL: &str = r#"{"method":"elicitation/create","params":{"mode":"url","message":"Pay",
    "url":"https://example.org/pay","elicitationId":"e"}}"#;

/// A question to a model, as an input request.
pub(crate) const SAMPLING: &str =
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;

/// A question for the roots, as an input request.
pub(crate) const ROOTS: &str = r#"{"method":"roots/list"}"#;

/// Claims that all kinds are answered.
pub(crate) fn all_claims() -> Claims {
    let people = Claims::none().with_form().with_url();
    people.with_sampling_tools().with_sampling_context().with_roots()
}

/// A call, the time, and everything that it has sent and reported.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) call: Invocation,
    pub(crate) now: Instant,
    pub(crate) sent: Vec<LegRequest>,
    pub(crate) steps: Vec<Transition>,
}

impl Play {
    /// Starts the call of these tests, with somebody there who can fill in forms.
    pub(crate) fn new() -> Self {
        Self::limited(Limits::default())
    }

    pub(crate) fn limited(limits: Limits) -> Self {
        Self::started(request("call-7", PARAMS), Claims::none().with_form(), limits)
    }

    pub(crate) fn timed(clocks: Clocks) -> Self {
        Self::limited(Limits::default().clocks(clocks))
    }

    pub(crate) fn started(request: Request, claims: Claims, limits: Limits) -> Self {
        let now = Instant::from_millis(0);
        let (call, actions) = Invocation::start(now, request, claims, limits).unwrap();
        let mut play = Self { call, now, sent: Vec::new(), steps: Vec::new() };
        let actions = play.carried_out(actions);
        assert!(matches!(actions[..], [Action::Send(_)]), "a call starts with its first leg");
        play
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, millis: u64) {
        self.now = Instant::from_millis(self.millis() + millis);
    }

    pub(crate) fn wait_secs(&mut self, secs: u64) {
        self.wait(secs * 1000);
    }

    pub(crate) fn millis(&self) -> u64 {
        self.now.since_epoch().as_millis().try_into().unwrap()
    }

    /// Hands an event over, and returns what the call does about it.
    pub(crate) fn handle(&mut self, event: Event) -> Result<Vec<Action>, Misuse> {
        let actions = self.call.handle(self.now, event)?;
        Ok(self.carried_out(actions))
    }

    /// Answers the leg that was sent last with a result.
    pub(crate) fn serve(&mut self, result: &str) -> Vec<Action> {
        let event = result_of(self.leg(), result);
        self.handle(event).unwrap()
    }

    /// Answers the leg that was sent last with an error object.
    pub(crate) fn serve_error(&mut self, error: &str) -> Vec<Action> {
        let reply = Reply::Error(RawJson::parse(error).unwrap());
        let leg = self.leg();
        self.handle(Event::Reply { leg, reply }).unwrap()
    }

    pub(crate) fn answer(
        &mut self,
        round: u32,
        key: &str,
        response: InputResponse,
    ) -> Result<Vec<Action>, Misuse> {
        self.handle(answer(round, key, response))
    }

    pub(crate) fn tick(&mut self) -> Vec<Action> {
        self.handle(Event::Tick).unwrap()
    }

    pub(crate) fn stop(&mut self) -> Vec<Action> {
        self.handle(Event::Stop).unwrap()
    }

    /// Waits until the call wants to be woken, and wakes it.
    pub(crate) fn wake(&mut self) -> Vec<Action> {
        self.now = self.call.deadline().unwrap();
        self.tick()
    }

    /// Goes through one whole round that asks for a confirmation.
    pub(crate) fn confirmed_round(&mut self) {
        self.serve(&asking(&[("c", CONFIRM)], None));
        let round = self.round();
        self.answer(round, "c", yes()).unwrap();
    }

    /// Returns the number of the round that is on or was last: each leg but the first comes of one.
    pub(crate) fn round(&self) -> u32 {
        let waits = matches!(self.call.phase(), Phase::AwaitingInteraction | Phase::Pausing);
        self.leg().number() - u32::from(!waits)
    }

    /// Returns the leg that was sent last.
    pub(crate) fn leg(&self) -> LegId {
        self.sent.last().unwrap().leg.clone()
    }

    /// Asserts that an event is refused or ignored, and that nothing whatever has changed.
    pub(crate) fn assert_changes_nothing(&mut self, event: Event) -> Result<(), Misuse> {
        let (before, sent) = (self.call.clone(), self.sent.len());
        let result = self.handle(event);
        assert!(before == self.call, "the call is as it was");
        assert_eq!(self.sent.len(), sent);
        assert_eq!(result.as_deref().unwrap_or_default(), [], "there is nothing to do");
        result.map(drop)
    }

    fn carried_out(&mut self, actions: Actions) -> Vec<Action> {
        for report in actions.reports() {
            let Report::Moved(transition) = report else { panic!("a call reports its moves") };
            self.steps.push(transition.clone());
        }
        let actions: Vec<_> = actions.into_iter().collect();
        self.sent.extend(actions.iter().filter_map(|action| match action {
            Action::Send(request) => Some(request.clone()),
            _ => None,
        }));
        actions
    }
}

pub(crate) fn request(id: &str, params: &str) -> Request {
    let id = InvocationId::new(id).unwrap();
    Request::new(id, Method::ToolsCall, RawJson::parse(params).unwrap(), Binding::new("server-1"))
}

/// Writes the same call by each method.
pub(crate) fn request_of(method: Method) -> Request {
    let params = match method {
        Method::ToolsCall => PARAMS,
        Method::PromptsGet => r#"{"name":"review","arguments":{"artifact":"build-42"}}"#,
        Method::ResourcesRead => r#"{"uri":"file:///build-42"}"#,
        other => panic!("{other:?} is not in METHODS"),
    };
    let id = InvocationId::new("call-7").unwrap();
    Request::new(id, method, RawJson::parse(params).unwrap(), Binding::new("server-1"))
}

/// The methods that may be answered with `input_required`.
pub(crate) const METHODS: [Method; 3] =
    [Method::ToolsCall, Method::PromptsGet, Method::ResourcesRead];

pub(crate) fn result_of(leg: LegId, result: &str) -> Event {
    Event::Reply { leg, reply: Reply::Result(RawJson::parse(result).unwrap()) }
}

pub(crate) fn answer(round: u32, key: &str, response: InputResponse) -> Event {
    Event::Answer { round, key: key.into(), response }
}

/// Decodes what a person answered.
pub(crate) fn decoded(result: &str) -> Result<InputResponse, WireError> {
    InputResponse::decode(Json::parse(result)?, &form_model::Limits::default())
}

/// The answer of somebody who confirms.
pub(crate) fn yes() -> InputResponse {
    InputResponse::Accept(Content::new().with_flag("confirm", true))
}

/// Writes an `input_required` result that asks. `state` is JSON text.
pub(crate) fn asking(requests: &[(&str, &str)], state: Option<&str>) -> String {
    let requests: Vec<_> =
        requests.iter().map(|(key, request)| format!("{key:?}:{request}")).collect();
    let state = state.map(|state| format!(r#","requestState":{state}"#)).unwrap_or_default();
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{}}}{state}}}"#,
        requests.join(",")
    )
}

/// Writes an `input_required` result that asks to be called again. `state` is JSON text.
pub(crate) fn state_only(state: &str) -> String {
    format!(r#"{{"resultType":"input_required","requestState":{state}}}"#)
}

/// Writes a form as an input request.
pub(crate) fn form(schema: &str) -> String {
    format!(
        r#"{{"method":"elicitation/create","params":{{"message":"Please","requestedSchema":{schema}}}}}"#
    )
}

/// Returns the keys that are asked, and asserts that nothing else is to be done.
pub(crate) fn asked(actions: &[Action]) -> Vec<&str> {
    let keys = actions.iter().map(|action| match action {
        Action::Ask { key, .. } => key.as_str(),
        other => panic!("expected to ask, found {other:?}"),
    });
    keys.collect()
}

/// Returns the request that is to be sent, and asserts that nothing else is to be done.
pub(crate) fn sent(actions: &[Action]) -> &LegRequest {
    let [Action::Send(request)] = actions else { panic!("expected to send, found {actions:?}") };
    request
}

/// Returns the outcome, and asserts that nothing else is to be done.
pub(crate) fn settled(actions: &[Action]) -> &Outcome {
    let [Action::Settle(outcome)] = actions else {
        panic!("expected to settle, found {actions:?}")
    };
    outcome
}

/// Returns what the server did wrong, and asserts that the call ended of it and did nothing else.
pub(crate) fn faulted(actions: &[Action]) -> &Fault {
    let Outcome::Fault(fault) = settled(actions) else {
        panic!("expected a fault, found {actions:?}")
    };
    fault
}

/// Reads a JSON object into the texts of its members.
pub(crate) fn members(json: &str) -> BTreeMap<String, Box<RawValue>> {
    serde_json::from_str(json).unwrap()
}

/// Returns the exact text of one member of the params of a request.
pub(crate) fn param(request: &LegRequest, name: &str) -> Option<String> {
    members(request.params.as_str()).remove(name).map(|value| value.get().into())
}
