//! The rarer sides of the types that cross the border of the crate.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use form_model::{Content, Form, Submission};
use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Binding, Claims, Invocation, Request},
    host::{InteractionId, Question, Requester},
    wire::{InputRequest, InputResponse, Json, Method, RawJson, SamplingBuilder},
};

fn form() -> Form {
    Form::from_schema(r#"{"type":"object","properties":{"f":{"type":"boolean"}}}"#).unwrap()
}

/// proves: HB-02
#[test]
fn ids_read_from_json_by_the_same_rules() {
    let id: InvocationId = serde_json::from_str("\"c\"").unwrap();
    assert_eq!(id.as_str(), "c");
    assert!(serde_json::from_str::<InvocationId>("\"\"").is_err());
    let id: InteractionId = serde_json::from_str("\"7.12.3\"").unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"7.12.3\"");
    assert!(serde_json::from_str::<InteractionId>("\"7.12.03\"").is_err());
}

/// proves: CL-12
#[test]
fn what_a_draft_submits_is_an_answer_to_its_interaction() {
    let content = Content::new().with_flag("f", true);
    let answer = form().accept(content.clone()).unwrap();
    assert_eq!(InputResponse::from(Submission::from(answer)), InputResponse::Accept(content));
    assert_eq!(InputResponse::from(Submission::Decline), InputResponse::Decline);
    assert_eq!(InputResponse::from(Submission::Cancel), InputResponse::Cancel);
}

/// proves: HB-13
#[test]
fn a_question_is_passed_on_with_the_names_of_its_requester() {
    let (first, second) = (Requester::new("p", "s", "t"), Requester::new("q", "s", "t"));
    let asked = Question::form("Sure?", form(), first.clone());
    let passed = Question::new(asked.elicitation.clone(), second.clone());
    assert_eq!((passed.requester, &passed.elicitation), (second.clone(), &asked.elicitation));
    let json = r#"{"url":"https://a.example/x","message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#;
    let asked =
        Question::decode(Json::parse(json).unwrap(), &mrtr_core::host::Limits::default()).unwrap();
    let passed = Question::new(asked.elicitation.clone(), second);
    assert_eq!(passed.elicitation, asked.elicitation);
    assert_eq!(asked.requester, first);
}

/// proves: CL-20
#[test]
fn what_a_handler_asks_is_not_in_what_is_formatted() {
    let requests = [
        InputRequest::form("SENTINEL", form()),
        InputRequest::url("SENTINEL", "https://a.example/SENTINEL").unwrap(),
        SamplingBuilder::new(9).user("SENTINEL").build().unwrap().into(),
        InputRequest::Roots,
    ];
    let shown = format!("{requests:?}");
    assert!(!shown.contains("SENTINEL"), "{shown}");
    assert!(shown.contains("Sampling(SamplingRequest(") && shown.ends_with("Roots]"), "{shown}");
}

#[test]
fn a_call_tells_its_id() {
    let id = InvocationId::new("c").unwrap();
    let params = RawJson::parse(r#"{"name":"t"}"#).unwrap();
    let request = Request::new(id.clone(), Method::ToolsCall, params, Binding::new("s"));
    let now = Instant::from_millis(0);
    let (call, _) = Invocation::start(now, request, Claims::none(), Limits::default()).unwrap();
    assert_eq!(call.id(), &id);
}
