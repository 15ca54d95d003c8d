//! What a server can ask beyond forms, and how each answer comes back.

use form_model::Submission;
use mrtr_core::{
    server::{Ending, HandlerFault, Need},
    wire::{
        Capabilities, Decision, IncludeContext, InputRequest, InputResponse, META_CAPABILITIES,
        RpcError, SamplingBuilder,
    },
};
use serde_json::json;

use crate::play::{
    answer, asked, call, confirm, end, faulted, model, page, params, raw, refused, retry, run,
    sealing, value,
};

fn all_kinds() -> Need {
    let sampling = SamplingBuilder::new(100)
        .system_prompt("Be brief.")
        .user("Capital of France?")
        .assistant("Paris?")
        .temperature("0.5".parse().unwrap())
        .stop_sequences(&["\n"])
        .model_preferences(&raw(r#"{"speedPriority":1}"#))
        .metadata(&raw("{}"))
        .tools(&raw("[]"))
        .tool_choice(&raw(r#"{"mode":"auto"}"#))
        .include_context(IncludeContext::ThisServer);
    Need::new()
        .request("form", InputRequest::form("Sure?", confirm()))
        .request("url", page("Sign in", "https://auth.example/x"))
        .request("model", model(sampling))
        .request("roots", InputRequest::Roots)
}

const SAMPLED: &str =
    r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#;

/// proves: SV-08, SV-01
#[test]
fn every_kind_is_asked_as_the_specification_spells_it_and_its_answer_comes_typed() {
    let endpoint = sealing();
    let (mut exchange, actions) = call(&endpoint, &params());
    assert!(all_kinds().missing(run(&actions).capabilities).is_empty());
    let asked = answer(&end(&mut exchange, Ending::Need(all_kinds()))).1;
    let requests = &asked["result"]["inputRequests"];
    assert_eq!(
        requests["url"],
        json!({"method": "elicitation/create", "params": {
        "mode": "url", "message": "Sign in", "url": "https://auth.example/x"}})
    );
    assert_eq!(requests["roots"], json!({"method": "roots/list"}));
    assert_eq!(
        requests["model"],
        json!({"method": "sampling/createMessage", "params": {
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Capital of France?"}},
                {"role": "assistant", "content": {"type": "text", "text": "Paris?"}},
            ],
            "maxTokens": 100, "includeContext": "thisServer", "systemPrompt": "Be brief.",
            "temperature": 0.5, "stopSequences": ["\n"], "modelPreferences": {"speedPriority": 1},
            "metadata": {}, "tools": [], "toolChoice": {"mode": "auto"},
        }})
    );

    let responses = json!({
        "form": {"action": "accept", "content": {"ok": true}},
        "url": {"action": "accept"},
        "model": value(SAMPLED),
        "roots": {"roots": [{"uri": "file:///a"}]},
    });
    let (_, actions) = call(&endpoint, &retry(&asked["result"]["requestState"], responses));
    let answers = &run(&actions).answers;
    assert!(
        matches!(answers.form("form"), Some(Submission::Accept(answer)) if answer.flag("ok") == Some(true))
    );
    assert_eq!(answers.get("url"), Some(&InputResponse::Consent));
    assert_eq!(answers.decision("url"), Some(Decision::Accept));
    assert!(
        matches!(answers.get("model"), Some(InputResponse::Sampled(json)) if json.as_str().contains("Paris"))
    );
    assert!(matches!(answers.get("roots"), Some(InputResponse::Roots(_))));
    // An answer is read as the kind that was asked, and as no other.
    assert_eq!(
        [answers.form("url"), answers.form("model"), answers.form("roots")],
        [const { None }; 3]
    );
    assert_eq!(answers.decision("form"), Some(Decision::Accept));
    assert_eq!([answers.decision("model"), answers.decision("roots")], [None; 2]);
}

/// proves: SV-04
#[test]
fn an_answer_of_another_kind_than_was_asked_does_not_reach_the_handler() {
    let endpoint = sealing();
    let state = asked(&endpoint, all_kinds())["requestState"].clone();
    for wrong in [
        json!({"form": value(SAMPLED)}),
        json!({"url": value(SAMPLED)}),
        json!({"model": {"action": "accept"}}),
        json!({"model": {"role": "assistant"}}),
        json!({"roots": {"roots": [7]}}),
        json!({"roots": []}),
        json!({"url": {"action": "open"}}),
    ] {
        let (exchange, actions) = call(&endpoint, &retry(&state, wrong.clone()));
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS), "{wrong}");
    }
}

/// proves: SV-03
#[test]
fn each_kind_needs_its_capability_and_all_that_is_missing_is_named() {
    let endpoint = sealing();
    let plain = || SamplingBuilder::new(1).user("?");
    let tools = || model(plain().tools(&raw("[]")));
    let choice = || model(plain().tool_choice(&raw("{}")));
    let context = || model(plain().include_context(IncludeContext::AllServers));
    let url = || page("m", "https://a.example/");
    for (requests, declared, required) in [
        (vec![InputRequest::form("m", confirm())], json!({"elicitation": {}}), None),
        (vec![url()], json!({"elicitation": {}}), Some(json!({"elicitation": {"url": {}}}))),
        (vec![url()], json!({"elicitation": {"url": {}}}), None),
        (vec![model(plain())], json!({"sampling": {}}), None),
        (vec![model(plain())], json!({}), Some(json!({"sampling": {}}))),
        (vec![tools()], json!({"sampling": {}}), Some(json!({"sampling": {"tools": {}}}))),
        (vec![choice()], json!({"sampling": {}}), Some(json!({"sampling": {"tools": {}}}))),
        (vec![choice()], json!({"sampling": {"tools": {}}}), None),
        (
            vec![context()],
            json!({"sampling": {"tools": {}}}),
            Some(json!({"sampling": {"context": {}}})),
        ),
        (vec![InputRequest::Roots], json!({"roots": {"listChanged": true}}), None),
        (
            vec![InputRequest::Roots, url(), tools()],
            json!({"elicitation": {"form": {}}}),
            Some(json!({"elicitation": {"url": {}}, "sampling": {"tools": {}}, "roots": {}})),
        ),
    ] {
        let requests = requests.into_iter().enumerate();
        let need = requests
            .fold(Need::new(), |need, (index, request)| need.request(format!("k{index}"), request));
        let mut params = params();
        params["_meta"][META_CAPABILITIES] = declared.clone();
        let (mut exchange, actions) = call(&endpoint, &params);
        let missing = need.missing(run(&actions).capabilities);
        let answer = answer(&end(&mut exchange, Ending::Need(need))).1;
        let found = answer["error"]["data"].get("requiredCapabilities");
        assert_eq!(found, required.as_ref(), "{declared}");
        assert_eq!(missing == Capabilities::NONE, required.is_none());
    }
}

/// What is malformed by itself is refused when it is built; this is what only the endpoint can
/// tell.
///
/// proves: SV-08
#[test]
fn a_request_that_a_client_would_refuse_is_not_sent() {
    for wrong in ["javascript:alert(1)", "example.com"] {
        assert!(InputRequest::url("m", wrong).is_err(), "{wrong}");
    }
    assert!(SamplingBuilder::new(0).user("?").build().is_err());
    let endpoint = sealing();
    for request in [page(" \n", "https://a.example/"), InputRequest::form("\t", confirm())] {
        let (mut exchange, _) = call(&endpoint, &params());
        let actions = end(&mut exchange, Ending::Need(Need::new().request("k", request)));
        assert!(matches!(faulted(&actions), HandlerFault::Request(_)));
    }
}
