//! The admission of a request: its state is opened and its answers are checked before the handler
//! runs.

use alloc::{format, sync::Arc};

use super::{
    Answers, Endpoint, ReportKind, Run,
    incoming::{Sound, invalid_params, malformed},
    memory::Memory,
};
use crate::{
    UnixTime,
    seal::{Context, OpenCause, Opened, Purpose, TokenId, digest},
    wire::{Json, Method, Object, Params, RpcError},
};

/// What an exchange keeps while the handler runs.
#[derive(Clone, PartialEq)]
pub(super) struct Call {
    pub(super) request: Sound,
    principal: Option<Arc<str>>,
    /// The digest of the method and the params, to which a state is bound.
    digest: [u8; 32],
    pub(super) round: u32,
    /// The state that was redeemed before the handler runs.
    pub(super) redeemed: Option<TokenId>,
}

/// A request whose handler may run.
pub(super) struct Admitted {
    pub(super) call: Call,
    pub(super) run: Run,
    /// The state to redeem before it runs, and when the store may forget it.
    pub(super) redeem: Option<(TokenId, UnixTime)>,
}

/// An error to answer at once, and its report.
pub(super) struct Denied {
    pub(super) error: RpcError,
    pub(super) kind: ReportKind,
}

impl From<RpcError> for Denied {
    fn from(error: RpcError) -> Self {
        let kind = ReportKind::Refused { code: error.code };
        Self { error, kind }
    }
}

impl Denied {
    /// Denies a request because of its state. The client gets the same error for every such state,
    /// so it cannot find out the cause.
    fn state(cause: OpenCause) -> Self {
        Self { error: invalid_state(), kind: ReportKind::StateRefused { cause } }
    }
}

pub(super) fn invalid_state() -> RpcError {
    invalid_params("Invalid requestState".into())
}

impl Call {
    /// Returns the context to which the states of this request are bound.
    pub(super) fn context<'c>(&'c self, endpoint: &'c Endpoint) -> Context<'c> {
        let method = &self.request.method;
        Context::from_digest(&Purpose::EXCHANGE, method, &endpoint.name, self.digest)
            .with_principal(self.principal.as_deref())
    }
}

/// Decides whether the handler may run.
pub(super) fn admit(
    endpoint: &Endpoint,
    now: UnixTime,
    principal: Option<&str>,
    sound: &Sound,
) -> Result<Admitted, Denied> {
    let mut call = Call {
        request: sound.clone(),
        principal: principal.map(Into::into),
        digest: [0; 32],
        round: 1,
        redeemed: None,
    };
    let mut run = Run {
        method: sound.method.clone(),
        params: sound.params.clone(),
        round: call.round,
        principal: call.principal.clone(),
        capabilities: sound.capabilities,
        is_legacy: sound.is_legacy,
        state: None,
        answers: Answers::default(),
    };
    if sound.is_legacy || Method::from_name(&sound.method).is_none() {
        return Ok(Admitted { call, run, redeem: None });
    }
    call.digest = digest(&sound.method, &sound.params).map_err(malformed)?;
    let params = Params::decode(sound.params.as_json()).map_err(malformed)?;
    let responses = params.responses().map_err(malformed)?;
    let Some(token) = params.state() else {
        if let Some(responses) = responses.filter(|_| endpoint.request_state.is_none()) {
            run.answers = Answers::unchecked(&responses, &endpoint.limits.form);
        }
        return Ok(Admitted { call, run, redeem: None });
    };
    let (opened, memory) = open(endpoint, now, &call, token)?;
    run.answers = answers(endpoint, responses.as_ref(), &memory)?;
    run.state = memory.state;
    run.round = opened.round.saturating_add(1);
    call.round = run.round;
    let redeem = endpoint.single_use.then_some((opened.id, opened.until));
    call.redeemed = redeem.map(|(id, _)| id);
    Ok(Admitted { call, run, redeem })
}

fn open(
    endpoint: &Endpoint,
    now: UnixTime,
    call: &Call,
    token: Json<'_>,
) -> Result<(Opened, Memory), Denied> {
    let states = endpoint.request_state.as_ref();
    let states = states.ok_or_else(|| Denied::state(OpenCause::NoKeyring))?;
    let malformed = || Denied::state(OpenCause::Malformed);
    let token = token.text().ok_or_else(malformed)?;
    let opened = states.open(now, &call.context(endpoint), &token);
    let opened = opened.map_err(|error| Denied::state(error.cause()))?;
    let memory = Memory::decode(&opened.payload, &endpoint.limits.form).ok_or_else(malformed)?;
    if memory.single_use != endpoint.single_use {
        return Err(Denied::state(OpenCause::OtherUse));
    }
    Ok((opened, memory))
}

fn answers(
    endpoint: &Endpoint,
    responses: Option<&Object<'_>>,
    memory: &Memory,
) -> Result<Answers, RpcError> {
    Answers::checked(responses, &memory.asked, &endpoint.limits.form)
        .map_err(|error| invalid_params(format!("Invalid inputResponses: {error}")))
}
