//! What hosts, providers and people say in these tests.

use form_model::{Content, Form};
use mrtr_core::{
    InvocationId,
    host::{
        Call, ConnectionId, ProviderFrame, Question, RegistrationId, Requester, SessionId,
        ToolCallId, TurnId,
    },
    wire::{InputResponse, RawJson},
};

/// The connections that are there from the start. "files" is registered on the first, "mail" on the
/// second.
pub(crate) const FILES: ConnectionId = ConnectionId::new(1);
pub(crate) const MAIL: ConnectionId = ConnectionId::new(2);

/// A form with one yes-or-no field and a remark.
pub(crate) const SCHEMA: &str = r#"{"type":"object","properties":{"confirm":{"type":"boolean"},
    "remark":{"type":"string","maxLength":20}},"required":["confirm"]}"#;

/// What the provider gets when somebody says yes.
pub(crate) const YES: &str = r#"{"action":"accept","content":{"confirm":true}}"#;

pub(crate) fn session(number: u32) -> SessionId {
    SessionId::new(&format!("s-{number}")).unwrap()
}

pub(crate) fn turn(number: u32) -> TurnId {
    TurnId::new(&format!("t-{number}")).unwrap()
}

pub(crate) fn registration(name: &str) -> RegistrationId {
    RegistrationId::new(name).unwrap()
}

pub(crate) fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

/// A call in a turn of a session.
pub(crate) fn call_of(of_session: u32, of_turn: u32, name: &str) -> Call {
    let tool_call = ToolCallId::new("call_9").unwrap();
    let request = raw(r#"{"name":"deploy"}"#);
    Call::new(session(of_session), turn(of_turn), tool_call, registration(name), request)
}

/// A call with a request, in the first turn of the first session.
pub(crate) fn call_with(request: &RawJson) -> Call {
    let mut call = call_of(1, 1, "files");
    call.request = request.clone();
    call
}

pub(crate) fn form(schema: &str) -> Form {
    Form::from_schema(schema).unwrap()
}

pub(crate) fn requester() -> Requester {
    Requester::new("files", "github", "deploy")
}

pub(crate) fn question() -> Question {
    Question::form("Sure?", form(SCHEMA), requester())
}

/// The answer of somebody who confirms.
pub(crate) fn yes() -> InputResponse {
    InputResponse::Accept(Content::new().with_flag("confirm", true))
}

pub(crate) fn accepted(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Accepted { invocation: invocation.clone() }
}

pub(crate) fn rejected(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Rejected { invocation: invocation.clone(), error: raw(r#"{"no":1}"#) }
}

pub(crate) fn progress(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Progress { invocation: invocation.clone() }
}

pub(crate) fn asking(invocation: &InvocationId, number: u64) -> ProviderFrame {
    ProviderFrame::ask(invocation.clone(), number, &question())
}

/// Asks with a request that may be malformed.
pub(crate) fn asking_json(invocation: &InvocationId, number: u64, json: &str) -> ProviderFrame {
    asking_raw(invocation, number, &raw(json))
}

/// Asks with a request that was made before: to make one takes longer than the broker needs for it.
pub(crate) fn asking_raw(
    invocation: &InvocationId,
    number: u64,
    request: &RawJson,
) -> ProviderFrame {
    let (invocation, request) = (invocation.clone(), request.clone());
    ProviderFrame::InteractionRequest { invocation, interaction: number, request }
}

pub(crate) fn result(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Result { invocation: invocation.clone(), result: raw(r#"{"done":true}"#) }
}

pub(crate) fn failed(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Failed { invocation: invocation.clone(), error: raw(r#"{"broken":1}"#) }
}

pub(crate) fn released(invocation: &InvocationId) -> ProviderFrame {
    ProviderFrame::Released { invocation: invocation.clone() }
}
