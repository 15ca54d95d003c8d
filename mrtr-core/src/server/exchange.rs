//! The machine of the server role.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::fmt;

use rand_core::TryCryptoRng;

use super::{
    Action, Actions, Ending, Endpoint, Event, HandlerError, HandlerFault, Incoming, Misuse, Need,
    Report, ReportKind, Respond, Run,
    admission::{Admitted, Call, Denied, admit, invalid_state},
    ending::INTERNAL,
    incoming::{Rejected, invalid_params},
    memory::Memory,
};
use crate::{
    Phase, Trigger, UnixTime, lifecycle,
    lifecycle::Step,
    seal::SealError,
    wire::{
        DEPTH_MAX, Method, RawJson, RpcError, RpcResponse, check_depth, check_round, complete,
        has_duplicates, write_input_required,
    },
};

/// One request of a client and its response.
///
/// It decides whether the handler may run, and what the handler sees. The retry does not need this
/// exchange, because everything that it needs is in the sealed state.
///
/// ```
/// use std::sync::Arc;
/// use form_model::{Form, Submission};
/// use mrtr_core::seal::{Keyring, RequestState};
/// use mrtr_core::server::{Action, Ending, Endpoint, Exchange, Incoming, Need};
/// use mrtr_core::{UnixTime, wire::{InputRequest, RawJson}};
///
/// let keys = Keyring::new([("2026-10", [7; 32])])?;
/// let endpoint =
///     Arc::new(Endpoint::new("deployments").with_request_state(RequestState::new(keys)));
/// let now = UnixTime::from_secs(1_800_000_000);
///
/// let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy","_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
///     "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}"#;
/// let incoming = Incoming::message(message.as_bytes()).with_principal("alice");
/// let (mut exchange, actions) = Exchange::receive(&endpoint, now, incoming);
/// let [Action::Run(run)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(run.round, 1);
///
/// // The handler asks a question. The state is sealed with random numbers.
/// let form = Form::from_schema(
///     r#"{"type": "object", "properties": {"confirm": {"type": "boolean"}}}"#,
/// )?;
/// let need = Need::new().request("sure", InputRequest::form("Really deploy?", form));
/// let actions = exchange.end(now, &mut getrandom::SysRng, Ending::Need(need))?;
/// let [Action::Respond(respond)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(respond.status, 200);
/// let [report] = actions.reports() else { unreachable!() };
/// assert_eq!(&*report.endpoint, "deployments");
///
/// // The retry is a new exchange. It has the sealed state and the answer.
/// let body = respond.body.as_ref().ok_or("a request has a body in its response")?;
/// let body: serde_json::Value = serde_json::from_str(body.as_str())?;
/// let mut retry: serde_json::Value = serde_json::from_str(message)?;
/// retry["id"] = 2.into();
/// retry["params"]["requestState"] = body["result"]["requestState"].clone();
/// retry["params"]["inputResponses"] =
///     serde_json::json!({"sure": {"action": "accept", "content": {"confirm": true}}});
/// let retry = retry.to_string();
/// let incoming = Incoming::message(retry.as_bytes()).with_principal("alice");
/// let (mut exchange, actions) = Exchange::receive(&endpoint, now, incoming);
/// let [Action::Run(run)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(run.round, 2);
/// let Some(Submission::Accept(answer)) = run.answers.form("sure") else { unreachable!() };
/// assert_eq!(answer.flag("confirm"), Some(true));
///
/// // The handler has a result.
/// let ending = Ending::Finish(RawJson::parse(r#"{"content":[]}"#)?);
/// let actions = exchange.end(now, &mut getrandom::SysRng, ending)?;
/// assert!(matches!(actions.as_slice(), [Action::Respond(_)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Exchange {
    endpoint: Arc<Endpoint>,
    phase: Phase,
    /// The request that the handler runs for; `None` once the request is answered.
    call: Option<Call>,
    /// The run that starts when the state is redeemed. It is kept only until then.
    held: Option<Box<Run>>,
}

/// An event whose content was checked: its trigger, and the actions that follow.
struct Input {
    trigger: Trigger,
    actions: Vec<Action>,
    report: Option<ReportKind>,
}

/// Seals what a handler needs; `None` without keys.
type Seal<'s> = &'s mut dyn FnMut(&Call, &Need) -> Result<Option<String>, HandlerFault>;

impl Exchange {
    /// Takes a request. The action runs its handler, or redeems its state first, or answers it at
    /// once.
    pub fn receive(
        endpoint: &Arc<Endpoint>,
        now: UnixTime,
        incoming: Incoming<'_>,
    ) -> (Self, Actions) {
        let endpoint = endpoint.clone();
        let principal = incoming.principal();
        let sound = match incoming.read(&endpoint) {
            Ok(Some(sound)) => sound,
            Ok(None) => return Self::answered(endpoint, Respond { status: 202, body: None }, None),
            Err(Rejected { id, method, status, error }) => {
                let kind = ReportKind::Refused { code: error.code };
                let respond = respond_error(id.as_ref(), status, &error);
                return Self::answered(endpoint, respond, Some((method, kind)));
            }
        };
        match admit(&endpoint, now, principal, &sound) {
            Ok(Admitted { call, run, redeem }) => {
                let (phase, action, held) = match redeem {
                    Some((id, until)) => {
                        (Phase::Pausing, Action::Redeem { id, until }, Some(run.into()))
                    }
                    None if call.round > 1 => (Phase::Resumed, Action::Run(run.into()), None),
                    None => (Phase::Running, Action::Run(run.into()), None),
                };
                let exchange = Self { endpoint, phase, call: Some(call), held };
                exchange.check();
                (exchange, action.into())
            }
            Err(Denied { error, kind }) => {
                let respond = respond_error(Some(&sound.id), 200, &error);
                Self::answered(endpoint, respond, Some((Some(sound.method), kind)))
            }
        }
    }

    /// Takes the store's reply to [`Action::Redeem`].
    ///
    /// # Errors
    ///
    /// Returns [`Misuse::Answered`] if the request is already answered, or
    /// [`Misuse::NothingToRedeem`] if the store was not asked. The exchange is unchanged.
    pub fn handle(&mut self, event: Event) -> Result<Actions, Misuse> {
        let input = self.read(event)?;
        self.step(input)
    }

    /// Takes the ending of the handler, and answers the request.
    ///
    /// `rng` is used only to seal a state: when a round is sent on an endpoint with keys. Use
    /// `getrandom::SysRng`, for example.
    ///
    /// # Errors
    ///
    /// Returns [`Misuse::Answered`] if the request is already answered, or [`Misuse::NotRedeemed`]
    /// if its state is not redeemed yet. The exchange is unchanged.
    pub fn end<R>(&mut self, now: UnixTime, rng: &mut R, ending: Ending) -> Result<Actions, Misuse>
    where
        R: TryCryptoRng<Error: Send + Sync + 'static> + ?Sized,
    {
        let endpoint = &self.endpoint;
        let mut seal = |call: &Call, need: &Need| call.seal(endpoint, now, rng, need);
        let input = self.read_ending(ending, &mut seal)?;
        self.step(input)
    }

    /// Returns the phase. A request whose state is being redeemed is in `Pausing`. A request that
    /// was answered with questions stays in `AwaitingInteraction`, and one that was answered with a
    /// state alone stays in `Pausing`: the retry is another exchange.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Makes the exchange of a request that is answered at once.
    fn answered(
        endpoint: Arc<Endpoint>,
        respond: Respond,
        report: Option<(Option<String>, ReportKind)>,
    ) -> (Self, Actions) {
        let report =
            report.map(|(method, kind)| Report::new(&endpoint.name, method.as_deref(), kind));
        let actions = Actions {
            list: Vec::from([Action::Respond(respond)]),
            reports: report.into_iter().collect(),
        };
        (Self { endpoint, phase: Phase::Settled, call: None, held: None }, actions)
    }

    /// Resolves the guards of the store's reply.
    fn read(&self, event: Event) -> Result<Input, Misuse> {
        if self.phase.is_in_flight() {
            return Err(Misuse::NothingToRedeem);
        }
        let call = self.call.as_ref().ok_or(Misuse::Answered)?;
        Ok(match event {
            Event::Redeemed { first: true } => Input {
                trigger: Trigger::PauseOver,
                actions: self.held.clone().map(Action::Run).into_iter().collect(),
                report: None,
            },
            Event::Redeemed { first: false } => {
                call.refuse(Trigger::Faulted, &invalid_state(), ReportKind::StateReused)
            }
            Event::StoreFailed => call.refuse(Trigger::Lost, &internal(), ReportKind::StoreFailed),
        })
    }

    /// Resolves the guards of an ending, and writes the answer.
    fn read_ending(&self, ending: Ending, seal: Seal<'_>) -> Result<Input, Misuse> {
        let call = self.call.as_ref().ok_or(Misuse::Answered)?;
        if !self.phase.is_in_flight() {
            return Err(Misuse::NotRedeemed);
        }
        let faulty =
            |fault| call.refuse(Trigger::Errored, &internal(), ReportKind::HandlerFault(fault));
        Ok(match ending {
            Ending::Finish(result) => call.finish(&result).unwrap_or_else(faulty),
            Ending::Need(need) => match call.need(&self.endpoint, &need, seal) {
                Ok(input) => input,
                // The handler did nothing but ask, and may be asked again.
                Err(fault @ HandlerFault::NotSealed(_)) => call.release(faulty(fault)),
                Err(fault) => faulty(fault),
            },
            Ending::Fail(error) => call.fail(error),
            Ending::Abandon(error) => call.release(call.fail(error)),
            Ending::Declined => {
                let error = invalid_params("The person did not agree".into());
                call.refuse(Trigger::Errored, &error, ReportKind::Declined)
            }
            Ending::FlowChanged => faulty(HandlerFault::FlowChanged),
        })
    }

    /// Looks up the next phase, and makes the change.
    fn step(&mut self, input: Input) -> Result<Actions, Misuse> {
        match lifecycle::step(self.phase, input.trigger) {
            Step::Go(to) => {
                let actions = self.apply(to, input);
                self.check();
                Ok(actions)
            }
            Step::Ignore | Step::Refuse => Err(Misuse::Answered),
        }
    }

    fn apply(&mut self, to: Phase, Input { actions, report, .. }: Input) -> Actions {
        self.phase = to;
        self.held = None;
        let method = self.call.as_ref().map(|call| call.request.method.clone());
        if !to.is_in_flight() {
            self.call = None;
        }
        let report = report.map(|kind| Report::new(&self.endpoint.name, method.as_deref(), kind));
        Actions { list: actions, reports: report.into_iter().collect() }
    }

    /// Asserts what holds between any two events.
    fn check(&self) {
        debug_assert!(
            self.held.is_none() || self.phase == Phase::Pausing,
            "a run is held only while its state is redeemed"
        );
        debug_assert_eq!(
            self.call.is_some(),
            self.phase.is_in_flight() || self.held.is_some(),
            "a request is kept until it is answered"
        );
    }
}

impl Call {
    /// Answers with a result.
    fn answer(&self, trigger: Trigger, result: &str, report: Option<ReportKind>) -> Input {
        let body = Some(RpcResponse::write(Some(&self.request.id), Ok(result)));
        Input { trigger, actions: [Action::Respond(Respond { status: 200, body })].into(), report }
    }

    /// Answers with an error.
    fn refuse(&self, trigger: Trigger, error: &RpcError, kind: ReportKind) -> Input {
        let respond = respond_error(Some(&self.request.id), error.http_status(), error);
        Input { trigger, actions: [Action::Respond(respond)].into(), report: Some(kind) }
    }

    fn fail(&self, error: HandlerError) -> Input {
        self.refuse(Trigger::Errored, error.error(), ReportKind::HandlerFailed(error.clone()))
    }

    /// Releases the state that was redeemed for this request.
    fn release(&self, mut input: Input) -> Input {
        if let Some(id) = self.redeemed {
            input.actions.insert(0, Action::Release { id });
        }
        input
    }

    fn finish(&self, result: &RawJson) -> Result<Input, HandlerFault> {
        // Earlier revisions have no result types, and refuse unknown members.
        let result = complete(result, !self.request.is_legacy).ok_or(HandlerFault::Result)?;
        // The message adds one level.
        check_depth(result.as_str(), DEPTH_MAX - 1).map_err(|_| HandlerFault::Result)?;
        Ok(self.answer(Trigger::Completed, result.as_str(), None))
    }

    /// Answers with a round, if the client can take it.
    fn need(
        &self,
        endpoint: &Endpoint,
        need: &Need,
        seal: Seal<'_>,
    ) -> Result<Input, HandlerFault> {
        if Method::from_name(&self.request.method).is_none() {
            return Err(HandlerFault::MethodCannotAsk);
        }
        if self.request.is_legacy {
            // The client can act on this error: it learns which revision it needs.
            let message = "MRTR input requests require protocol 2026-07-28";
            let error = RpcError::new(RpcError::INTERNAL, message);
            return Ok(self.refuse(Trigger::Errored, &error, ReportKind::Legacy));
        }
        let requests = self.check_need(endpoint, need)?;
        let rounds_max = endpoint.limits.rounds_max;
        if self.round > rounds_max {
            let kind = ReportKind::RoundLimit { rounds_max };
            return Ok(self.refuse(Trigger::Errored, &internal(), kind));
        }
        let missing = need.missing(self.request.capabilities);
        if !missing.is_empty() {
            // The handler did nothing but ask. A client with more capabilities may send its retry
            // again.
            let error = RpcError::missing_capability(missing);
            let kind = ReportKind::MissingCapability { missing };
            return Ok(self.release(self.refuse(Trigger::Errored, &error, kind)));
        }
        let state = seal(self, need)?;
        let result = write_input_required(&requests, state.as_deref());
        let trigger = if requests.is_empty() { Trigger::StateOnly } else { Trigger::Asked };
        let kind = ReportKind::InputRequired { round: self.round, requests: requests.len() };
        Ok(self.answer(trigger, &result, Some(kind)))
    }

    /// Checks what the handler needs, and writes the requests.
    fn check_need(
        &self,
        endpoint: &Endpoint,
        need: &Need,
    ) -> Result<Vec<(String, RawJson)>, HandlerFault> {
        if need.requests.is_empty() && need.state.is_none() {
            return Err(HandlerFault::EmptyNeed);
        }
        if need.state.is_some() && endpoint.request_state.is_none() {
            return Err(HandlerFault::NoKeyring);
        }
        if has_duplicates(need.requests.iter().map(|(key, _)| key)) {
            return Err(HandlerFault::DuplicateKey);
        }
        let mut written = Vec::new();
        for (key, request) in &need.requests {
            written.push((key.clone(), request.encode(&endpoint.limits)?));
        }
        let sizes = written.iter().map(|(key, json)| (key.as_str(), json.as_str().len()));
        check_round(sizes, &endpoint.limits)?;
        Ok(written)
    }

    /// Seals the questions and the handler's state; `None` without keys.
    fn seal<R>(
        &self,
        endpoint: &Endpoint,
        now: UnixTime,
        rng: &mut R,
        need: &Need,
    ) -> Result<Option<String>, HandlerFault>
    where
        R: TryCryptoRng<Error: Send + Sync + 'static> + ?Sized,
    {
        let Some(states) = &endpoint.request_state else { return Ok(None) };
        let payload = Memory::encode(need, endpoint.single_use);
        // A payload that nests deeper could not be read on the retry.
        check_depth(&payload, DEPTH_MAX).map_err(|_| HandlerFault::StateTooLarge)?;
        let context = self.context(endpoint);
        let token = states.seal(rng, now, &context, self.round, payload.as_bytes());
        token.map(Some).map_err(|error| match error {
            SealError::TooLarge => HandlerFault::StateTooLarge,
            SealError::Generator(_) | SealError::Cipher(_) => HandlerFault::NotSealed(error),
        })
    }
}

fn internal() -> RpcError {
    RpcError::new(RpcError::INTERNAL, INTERNAL)
}

fn respond_error(id: Option<&RawJson>, status: u16, error: &RpcError) -> Respond {
    // The message and its error add two levels. Data that nests too deep for a client is left out.
    let is_readable = |data: &RawJson| check_depth(data.as_str(), DEPTH_MAX - 2).is_ok();
    let error = if error.data.as_ref().is_none_or(is_readable) {
        error.to_json()
    } else {
        RpcError::new(error.code, error.message.clone()).to_json()
    };
    Respond { status, body: Some(RpcResponse::write(id, Err(&error))) }
}

/// The output has the endpoint, the phase, the method and the round. It has no principal and no
/// questions.
impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("endpoint", &self.endpoint.name)
            .field("phase", &self.phase)
            .field("method", &self.call.as_ref().map(|call| &call.request.method))
            .field("round", &self.call.as_ref().map(|call| call.round))
            .finish_non_exhaustive()
    }
}
