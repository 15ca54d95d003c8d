//! The server role: one request, from its bytes to its answer.

mod answers;
mod event;
mod flow;
mod incoming;
mod request;

use alloc::{format, string::String, vec::Vec};

use rand_core::CryptoRng;

pub use answers::{AnswerError, Answered, Answers, Consent, Elicited};
pub use event::{Action, Actions, Event, HandlerFault, Misuse, Need, Report, Respond, Run};
pub use flow::{Flow, Pending};
pub use incoming::{Headers, Incoming};
pub use request::{IncludeContext, InputRequest, Sampling};

use crate::{
    Limits, OpenCause, Phase, RequestState, Step, Trigger, UnixTime, lifecycle,
    request_state::{Context, TokenId, digest},
    wire::{
        Capabilities, DEPTH_MAX, Method, Object, PROTOCOL_VERSION, RawJson, RpcError, check_depth,
        check_requests, text,
    },
};
use answers::Asked;
use incoming::{Read, Refused, Sound, invalid_params};

/// Is the part of a server that answers requests under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    name: String,
    request_state: Option<RequestState>,
    single_use: bool,
    legacy: bool,
    limits: Limits,
    message_bytes_max: usize,
}

impl Endpoint {
    /// Makes an endpoint without keys. A state sealed by one endpoint opens at no other.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            request_state: None,
            single_use: false,
            legacy: false,
            limits: Limits::default(),
            message_bytes_max: 4 * 1024 * 1024,
        }
    }

    /// Gives the endpoint keys. Every round that asks is sealed then, and answers without its
    /// state count for nothing.
    #[must_use]
    pub fn with_request_state(self, request_state: RequestState) -> Self {
        Self { request_state: Some(request_state), ..self }
    }

    /// Lets each state be used once: the exchange asks for its redemption before the handler runs.
    /// Without keys there is no state to use.
    #[must_use]
    pub fn with_single_use(self) -> Self {
        Self { single_use: true, ..self }
    }

    /// Serves requests of earlier revisions, too, which name no version in `_meta`. Nothing can be
    /// asked on them.
    #[must_use]
    pub fn with_legacy(self) -> Self {
        Self { legacy: true, ..self }
    }

    /// Sets the bounds of forms and answers.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the bytes that a message may have. Default 4 MiB.
    #[must_use]
    pub fn with_message_bytes_max(self, message_bytes_max: usize) -> Self {
        Self { message_bytes_max, ..self }
    }
}

/// Is one request of a client and its answer.
///
/// It decides from the request alone whether the handler may run, and what the handler gets to
/// see. Nothing of it is needed for the next request: what a flow remembers is in the sealed
/// state.
///
/// ```
/// use form_model::Form;
/// use mrtr_core::exchange::{Action, Event, Exchange, Incoming};
/// use mrtr_core::{Endpoint, InputRequest, Keyring, Need, RequestState, UnixTime, wire::RawJson};
///
/// # let mut rng = getrandom::rand_core::UnwrapErr(getrandom::SysRng);
/// let keys = Keyring::new([("2026-10", [7; 32])])?;
/// let endpoint = Endpoint::new("deployments").with_request_state(RequestState::new(keys));
/// let now = UnixTime::from_secs(1_800_000_000);
///
/// let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy","_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
///     "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}"#;
/// let incoming = Incoming { message, headers: None, principal: Some("alice") };
/// let (mut exchange, actions) = Exchange::receive(&endpoint, now, incoming);
/// let [Action::Run(run)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(run.round, 1);
///
/// // The handler finds that it has to ask.
/// let form = Form::from_schema(
///     r#"{"type": "object", "properties": {"confirm": {"type": "boolean"}}}"#,
/// )?;
/// let need = Need::new().request("sure", InputRequest::form("Really deploy?", form));
/// let actions = exchange.handle(now, &mut rng, Event::Need(need))?;
/// let [Action::Respond(respond), Action::Report(_)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(respond.status, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange<'e> {
    endpoint: &'e Endpoint,
    phase: Phase,
    /// The request that the handler runs for; `None` where it was answered at once.
    call: Option<Call>,
    /// What runs as soon as the state is redeemed.
    waiting: Option<Run>,
}

/// Is what an exchange keeps of a request while its handler runs.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: RawJson,
    method: String,
    principal: Option<String>,
    digest: [u8; 32],
    capabilities: Capabilities,
    round: u32,
    is_legacy: bool,
    /// The state that was redeemed for the handler to run.
    redeemed: Option<TokenId>,
}

impl<'e> Exchange<'e> {
    /// Takes a request. The action is to run its handler, or to answer it at once.
    pub fn receive(
        endpoint: &'e Endpoint,
        now: UnixTime,
        incoming: Incoming<'_>,
    ) -> (Self, Actions) {
        let settled = |actions| {
            let settled = Self { endpoint, phase: Phase::Settled, call: None, waiting: None };
            (settled, Actions(actions))
        };
        let principal = incoming.principal;
        let sound = match incoming.read(endpoint) {
            Read::Request(sound) => sound,
            Read::Notification => {
                return settled([Action::Respond(Respond { status: 202, body: None })].into());
            }
            Read::Refused(refused) => return settled([refused.respond()].into()),
        };
        match admit(endpoint, now, principal, sound) {
            Ok(Admitted { mut call, run, state }) => {
                let phase = if call.round == 1 { Phase::Running } else { Phase::Resumed };
                let (action, waiting) = match state {
                    Some((id, until)) if endpoint.single_use => {
                        call.redeemed = Some(id);
                        (Action::Redeem { id, until }, Some(run))
                    }
                    _ => (Action::Run(run), None),
                };
                (Self { endpoint, phase, call: Some(call), waiting }, Actions([action].into()))
            }
            Err(actions) => settled(actions),
        }
    }

    /// Takes how the handler ended, and answers the request.
    ///
    /// # Errors
    ///
    /// A request that is answered. Nothing has changed.
    pub fn handle(
        &mut self,
        now: UnixTime,
        rng: &mut (impl CryptoRng + ?Sized),
        event: Event,
    ) -> Result<Actions, Misuse> {
        let Some(call) = &self.call else { return Err(Misuse::Answered) };
        let ended = match (event, self.waiting.take()) {
            (Event::Redeemed { first: true }, Some(run)) => {
                return Ok(Actions([Action::Run(run)].into()));
            }
            (Event::Redeemed { first: false }, Some(_)) => call.reused(),
            (Event::StoreFailed, Some(_)) => call.store_failed(),
            (Event::Redeemed { .. } | Event::StoreFailed, None) => {
                return Err(Misuse::NothingToRedeem);
            }
            (_, Some(run)) => {
                self.waiting = Some(run);
                return Err(Misuse::NotRedeemed);
            }
            (Event::Finish(result), None) => call.or_fault(call.finish(&result)),
            (Event::Fail(error), None) => call.fail(error),
            (Event::Abandon(error), None) => call.abandon(error),
            (Event::FlowChanged, None) => call.or_fault(Err(HandlerFault::FlowChanged)),
            (Event::Need(need), None) => call.or_fault(call.need(self.endpoint, now, rng, &need)),
        };
        match lifecycle::step(self.phase, ended.trigger) {
            Step::Go(phase) => {
                self.phase = phase;
                Ok(Actions(ended.actions))
            }
            Step::Ignore | Step::Refuse => Err(Misuse::Answered),
        }
    }

    /// Returns the phase: of a request that was answered with questions, that it awaits the retry.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }
}

/// Is a request whose handler may run, and the state that it came with.
struct Admitted {
    call: Call,
    run: Run,
    state: Option<(TokenId, UnixTime)>,
}

/// Opens the state of a request and checks its answers: whether the handler may run, and on what.
fn admit(
    endpoint: &Endpoint,
    now: UnixTime,
    principal: Option<&str>,
    sound: Sound,
) -> Result<Admitted, Vec<Action>> {
    let Sound { id, method, params, capabilities, is_legacy } = sound;
    let refuse =
        |error| Vec::from([Refused { id: Some(id.clone()), status: 200, error }.respond()]);
    let mut call = Call {
        id: id.clone(),
        method,
        principal: principal.map(Into::into),
        digest: [0; 32],
        capabilities,
        round: 1,
        is_legacy,
        redeemed: None,
    };
    let mut run = Run {
        method: call.method.clone(),
        params: params.clone(),
        round: 1,
        capabilities,
        is_legacy,
        state: None,
        answers: Answers::default(),
    };
    if is_legacy || Method::from_name(&call.method).is_none() {
        return Ok(Admitted { call, run, state: None });
    }
    let malformed = |error| refuse(invalid_params(format!("{error}")));
    call.digest = digest(&call.method, &params).map_err(malformed)?;
    let object = Object::decode(params.as_str(), "params").map_err(malformed)?;
    let responses = match object.get("inputResponses") {
        None => None,
        Some(json) => Some(Object::decode(json, "inputResponses").map_err(malformed)?),
    };
    let state_refused = |cause| {
        let mut actions = refuse(invalid_state());
        let method = call.method.clone();
        actions.push(Action::Report(Report::StateRefused { method, cause }));
        actions
    };
    let Some(token) = object.get("requestState") else {
        if let Some(responses) = responses.filter(|_| endpoint.request_state.is_none()) {
            run.answers = Answers::unchecked(&responses, &endpoint.limits.form);
        }
        return Ok(Admitted { call, run, state: None });
    };
    let states =
        endpoint.request_state.as_ref().ok_or_else(|| state_refused(OpenCause::NoKeyring))?;
    let token = text(token).ok_or_else(|| state_refused(OpenCause::Malformed))?;
    let opened = states
        .open(now, &call.context(endpoint), &token)
        .map_err(|error| state_refused(error.cause()))?;
    let asked = Asked::decode(&opened.payload, &endpoint.limits.form)
        .map_err(|_| state_refused(OpenCause::Malformed))?;
    if asked.single_use != endpoint.single_use {
        return Err(state_refused(OpenCause::OtherUse));
    }
    run.answers = Answers::checked(responses.as_ref(), &asked, &endpoint.limits.form)
        .map_err(|error| refuse(invalid_params(format!("Invalid inputResponses: {error}"))))?;
    run.state = asked.state;
    run.round = opened.round.saturating_add(1);
    call.round = run.round;
    Ok(Admitted { call, run, state: Some((opened.id, opened.until)) })
}

/// Is how a request ends: what that is to the lifecycle, and what to do.
struct Ended {
    trigger: Trigger,
    actions: Vec<Action>,
}

impl Call {
    fn context<'c>(&'c self, endpoint: &'c Endpoint) -> Context<'c> {
        Context {
            protocol_version: PROTOCOL_VERSION,
            method: &self.method,
            endpoint: &endpoint.name,
            principal: self.principal.as_deref(),
            digest: &self.digest,
        }
    }

    /// Makes an internal error of what the handler did wrong.
    fn or_fault(&self, ended: Result<Ended, HandlerFault>) -> Ended {
        ended.unwrap_or_else(|fault| {
            let mut ended = self.fail(fault.to_error());
            let method = self.method.clone();
            ended.actions.push(Action::Report(Report::HandlerFault { method, fault }));
            ended
        })
    }

    /// Refuses a state that was used before, as any other that does not open.
    fn reused(&self) -> Ended {
        let mut ended = self.fail(invalid_state());
        let method = self.method.clone();
        ended.actions.push(Action::Report(Report::StateReused { method }));
        ended
    }

    fn store_failed(&self) -> Ended {
        let mut ended = self.fail(RpcError::new(RpcError::INTERNAL, "Internal error"));
        let method = self.method.clone();
        ended.actions.push(Action::Report(Report::StoreFailed { method }));
        ended
    }

    /// Fails, and gives the state back that was redeemed for it.
    fn abandon(&self, error: RpcError) -> Ended {
        let mut ended = self.fail(error);
        if let Some(id) = self.redeemed {
            ended.actions.insert(0, Action::Release { id });
        }
        ended
    }

    fn fail(&self, mut error: RpcError) -> Ended {
        // Around it are the message and its error. What no client could read is left out.
        error.data.take_if(|data| check_depth(data.as_str(), DEPTH_MAX - 2).is_err());
        let refused = Refused { id: Some(self.id.clone()), status: http_status(error.code), error };
        Ended { trigger: Trigger::Errored, actions: [refused.respond()].into() }
    }

    fn finish(&self, result: &RawJson) -> Result<Ended, HandlerFault> {
        let object = Object::decode(result.as_str(), "result").map_err(|_| HandlerFault::Result)?;
        let open = result.as_str().trim_ascii_end().strip_suffix('}').unwrap_or_default();
        let result = match object.get("resultType") {
            // Earlier revisions know no types, and refuse what they do not know.
            None if self.is_legacy => result.as_str().into(),
            // A server always names the type (basic, results).
            None if object.len() == 0 => r#"{"resultType":"complete"}"#.into(),
            None => format!(r#"{open},"resultType":"complete"}}"#),
            Some(result_type) => match text(result_type).as_deref() {
                None | Some("input_required") => return Err(HandlerFault::Result),
                Some(_) => result.as_str().into(),
            },
        };
        Ok(Ended { trigger: Trigger::Completed, actions: [self.respond(&result)].into() })
    }

    /// Answers with a round, if the client can take it.
    fn need(
        &self,
        endpoint: &Endpoint,
        now: UnixTime,
        rng: &mut (impl CryptoRng + ?Sized),
        need: &Need,
    ) -> Result<Ended, HandlerFault> {
        let requests = self.check_need(endpoint, need)?;
        let missing = self.capabilities.missing(need.capabilities());
        if !missing.is_empty() {
            // The handler did nothing but ask, and may be asked again by a client that can more.
            let mut ended = self.abandon(missing_capability(missing));
            let method = self.method.clone();
            ended.actions.push(Action::Report(Report::MissingCapability { method, missing }));
            return Ok(ended);
        }
        let mut result = String::from(r#"{"resultType":"input_required""#);
        if !requests.is_empty() {
            result.push_str(r#","inputRequests":{"#);
            for (index, (key, request)) in requests.iter().enumerate() {
                if index > 0 {
                    result.push(',');
                }
                crate::wire::write_text(key, &mut result);
                result.push(':');
                result.push_str(request.as_str());
            }
            result.push('}');
        }
        if let Some(states) = &endpoint.request_state {
            let payload = Asked::encode(need, endpoint.single_use);
            let token = states
                .seal(rng, now, &self.context(endpoint), self.round, payload.as_bytes())
                .map_err(|_| HandlerFault::StateTooLarge)?;
            result.push_str(&format!(r#","requestState":"{token}""#));
        }
        result.push('}');
        let report = Report::InputRequired {
            method: self.method.clone(),
            round: self.round,
            requests: need.requests.len(),
        };
        let trigger = if need.requests.is_empty() { Trigger::StateOnly } else { Trigger::Asked };
        Ok(Ended { trigger, actions: [self.respond(&result), Action::Report(report)].into() })
    }

    /// Finds what a handler can not need, and writes the requests.
    fn check_need(
        &self,
        endpoint: &Endpoint,
        need: &Need,
    ) -> Result<Vec<(String, RawJson)>, HandlerFault> {
        if Method::from_name(&self.method).is_none() {
            return Err(HandlerFault::MethodCanNotAsk);
        }
        if self.is_legacy {
            return Err(HandlerFault::Legacy);
        }
        if need.requests.is_empty() && need.state.is_none() {
            return Err(HandlerFault::EmptyNeed);
        }
        let rounds_max = endpoint.limits.rounds_max;
        if self.round > rounds_max {
            return Err(HandlerFault::RoundLimit { rounds_max });
        }
        if need.state.is_some() && endpoint.request_state.is_none() {
            return Err(HandlerFault::NoKeyring);
        }
        let mut keys: Vec<&str> = need.requests.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(HandlerFault::DuplicateKey);
        }
        for (_, request) in &need.requests {
            request.check(&endpoint.limits)?;
        }
        let written = need.requests.iter().map(|(key, request)| (key.clone(), request.to_json()));
        let written: Vec<(String, RawJson)> = written.collect();
        check_requests(&written, &endpoint.limits)?;
        Ok(written)
    }

    fn respond(&self, result: &str) -> Action {
        let id = self.id.as_str();
        let body = RawJson::composed(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
        Action::Respond(Respond { status: 200, body: Some(body) })
    }
}

impl Refused {
    fn respond(self) -> Action {
        // An id that could not be read is left out (schema, JSONRPCErrorResponse).
        let id = self.id.map(|id| format!(r#""id":{},"#, id.as_str())).unwrap_or_default();
        let mut body = format!(r#"{{"jsonrpc":"2.0",{id}"error":"#);
        self.error.write(&mut body);
        body.push('}');
        Action::Respond(Respond { status: self.status, body: Some(RawJson::composed(body)) })
    }
}

/// Is what a client hears of any state that is not taken, so that it can not tell why.
fn invalid_state() -> RpcError {
    invalid_params("Invalid requestState".into())
}

fn missing_capability(missing: Capabilities) -> RpcError {
    let data = format!(r#"{{"requiredCapabilities":{}}}"#, missing.to_json());
    RpcError {
        data: Some(RawJson::composed(data)),
        ..RpcError::new(RpcError::MISSING_CAPABILITY, "Missing required client capability")
    }
}

/// Returns the HTTP status of an error (transports, error handling). What a handler finds wrong is
/// an answer like any other.
const fn http_status(code: i64) -> u16 {
    match code {
        RpcError::PARSE
        | RpcError::INVALID_REQUEST
        | RpcError::HEADER_MISMATCH
        | RpcError::MISSING_CAPABILITY
        | RpcError::UNSUPPORTED_VERSION => 400,
        RpcError::METHOD_NOT_FOUND => 404,
        _ => 200,
    }
}
