//! What the types of the client can do: be sent to another thread, be made from values and text.

use form_model::{Answer, Content};
use mrtr_core::{
    Actions, Clocks, Instant, InvocationId, Limits, Phase, Transition, client,
    client::LegId,
    lifecycle,
    trace::{Exposed, Redacted, Start, Step, StepError},
    wire::{self, Json, RawJson, WireError},
};
use serde::Deserialize;
use serde_json::{Value, json};

const fn assert_shared<T: Send + Sync + 'static>() {}

#[test]
fn every_type_can_be_sent_to_another_thread_and_kept_there() {
    assert_shared::<client::Action>();
    assert_shared::<client::Actions>();
    assert_shared::<client::Binding>();
    assert_shared::<client::Claims>();
    assert_shared::<client::CloseReason>();
    assert_shared::<client::Event>();
    assert_shared::<client::Fault>();
    assert_shared::<client::Invocation>();
    assert_shared::<client::LegRequest>();
    assert_shared::<client::Misuse>();
    assert_shared::<client::Outcome>();
    assert_shared::<client::Reply>();
    assert_shared::<client::Report>();
    assert_shared::<client::Request>();
    assert_shared::<client::StartError>();

    assert_shared::<wire::Capabilities>();
    assert_shared::<wire::ClientInfo>();
    assert_shared::<wire::Decision>();
    assert_shared::<wire::Elicitation>();
    assert_shared::<wire::FormRequest>();
    assert_shared::<wire::Headers>();
    assert_shared::<wire::IncludeContext>();
    assert_shared::<wire::InputRequest>();
    assert_shared::<wire::InputResponse>();
    assert_shared::<wire::InputResponse<Answer>>();
    assert_shared::<wire::InvalidParamHeader>();
    assert_shared::<wire::InvalidRequest>();
    assert_shared::<wire::Json<'static>>();
    assert_shared::<wire::Message>();
    assert_shared::<wire::Method>();
    assert_shared::<wire::ParamHeaders>();
    assert_shared::<wire::RawJson>();
    assert_shared::<wire::ResponseError>();
    assert_shared::<wire::Revision>();
    assert_shared::<wire::RpcError>();
    assert_shared::<wire::RpcResponse>();
    assert_shared::<wire::SamplingBuilder>();
    assert_shared::<wire::SamplingRequest>();
    assert_shared::<wire::UnknownRevision>();
    assert_shared::<wire::UrlRequest>();
    assert_shared::<wire::WireError>();

    assert_shared::<Exposed<Step>>();
    assert_shared::<Redacted<Step>>();
    assert_shared::<Start>();
    assert_shared::<Step>();
    assert_shared::<StepError>();

    assert_shared::<Actions<client::Action, client::Report>>();
    assert_shared::<Clocks>();
    assert_shared::<Instant>();
    assert_shared::<InvocationId>();
    assert_shared::<LegId>();
    assert_shared::<Limits>();
    assert_shared::<Phase>();
    assert_shared::<Transition>();
    assert_shared::<lifecycle::Step>();
    assert_shared::<lifecycle::Trigger>();
}

/// proves: W-11
#[test]
fn raw_json_is_made_from_a_value_and_from_the_text_in_a_document() {
    let value = json!({"name": "deploy", "n": 1, "list": [true, null]});
    let from_value = RawJson::try_from(value.clone()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(from_value.as_str()).unwrap(), value);
    assert_eq!(RawJson::from_value(&value), Ok(from_value));

    #[derive(Deserialize)]
    struct Document {
        params: RawJson,
    }
    let text = r#"{ "params": { "a" : 1.0 , "b":"\ud800", "a":2 } }"#;
    let document: Document = serde_json::from_str(text).unwrap();
    assert_eq!(document.params.as_str(), r#"{ "a" : 1.0 , "b":"\ud800", "a":2 }"#);
    let document: Document = serde_json::from_value(json!({"params": {"a": 1}})).unwrap();
    assert_eq!(document.params.as_str(), r#"{"a":1}"#);

    let mut deep = json!(1);
    for _ in 0..125 {
        deep = json!([deep]);
    }
    assert_eq!(RawJson::try_from(deep), Err(WireError::TooDeep { levels_max: 124 }));
}

/// proves: CL-20
#[test]
fn a_secret_value_is_written_only_where_it_is_exposed() {
    let text = r#"{"name": "octocat"}"#;
    let raw = RawJson::parse(text).unwrap();
    assert_eq!(serde_json::to_string(&Exposed(&raw)).unwrap(), text);
    assert_eq!(serde_json::to_string(&Redacted(&raw)).unwrap(), r#"{"bytes":19}"#);
    assert_eq!(serde_json::to_value(Exposed(&raw)).unwrap(), json!({"name": "octocat"}));

    let content = Content::new().with_text("name", "octocat");
    let plain = r#"{"name":"octocat"}"#;
    assert_eq!(serde_json::to_string(&Exposed(&content)).unwrap(), plain);
    let response = wire::InputResponse::Accept(content.clone());
    let accepted = format!(r#"{{"accept":{plain}}}"#);
    assert_eq!(serde_json::to_string(&Exposed(&response)).unwrap(), accepted);

    let form = r#"{"type":"object","properties":{"name":{"type":"string"}}}"#;
    let form = form_model::Decoder::default().decode(form).unwrap().form;
    let answer = form.accept(content).unwrap();
    assert_eq!(serde_json::to_string(&Exposed(&answer)).unwrap(), plain);
    let response = wire::InputResponse::Accept(answer);
    assert_eq!(serde_json::to_string(&Exposed(&response)).unwrap(), accepted);

    let request = wire::InputRequest::url("Pay", "https://example.org/pay").unwrap();
    let written = serde_json::to_value(Exposed(&request)).unwrap();
    assert_eq!(written["url"]["url"], json!("https://example.org/pay"));
    assert_eq!(serde_json::to_string(&Redacted(&request)).unwrap(), r#"{"kind":"url"}"#);
}

/// proves: W-07, W-11
#[test]
fn a_text_that_is_not_one_document_does_not_reach_a_decoder() {
    for text in [
        r#"{"action":"accept""#,
        r#"{"action":"decline"} garbage"#,
        r#"{"elicitation":{}"#,
        r#"{"resultType":"complete"}}"#,
        "",
    ] {
        assert_eq!(Json::parse(text), Err(WireError::NotJson), "{text}");
        assert_eq!(RawJson::parse(text), Err(WireError::NotJson), "{text}");
        assert_eq!(text.parse::<RawJson>(), Err(WireError::NotJson), "{text}");
    }
}
