//! The specification's own example files, in `tests/spec`, decode, and what is written back is equal.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use std::{fs, path::PathBuf, sync::Arc};

use form_model::Limits as FormLimits;
use mrtr_core::{
    Instant, InvocationId, Limits, UnixTime,
    client::{Action, Binding, Claims, Event, Invocation, LegRequest, Reply, Request},
    server::{self, Endpoint, Exchange, Incoming},
    wire::{
        Capabilities, Elicitation, InputRequest, InputResponse, Json, Message, Method, RawJson,
        RpcError, RpcResponse,
    },
};
use serde_json::{Value, json};

fn claims() -> Claims {
    let sampling = Claims::none().with_sampling_tools().with_sampling_context();
    sampling.with_form().with_url().with_roots()
}

/// Returns the texts of the examples of a type.
fn examples(name: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/spec").join(name);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name}");
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

const NOW: Instant = Instant::from_millis(0);

fn start(method: Method, params: &str, claims: Claims) -> (Invocation, LegRequest) {
    let id = InvocationId::new("c").unwrap();
    let request = Request::new(id, method, RawJson::parse(params).unwrap(), Binding::new("s"));
    let (call, actions) = Invocation::start(NOW, request, claims, Limits::default()).unwrap();
    let Some(Action::Send(request)) = actions.into_iter().next() else { panic!("it is sent") };
    (call, request)
}

/// Answers the first leg of a call, and returns what is asked for it.
fn ask(call: &mut Invocation, first: &LegRequest, result: &str) -> Vec<(String, InputRequest)> {
    let reply = Reply::Result(RawJson::parse(result).unwrap());
    let actions = call.handle(NOW, Event::Reply { leg: first.leg.clone(), reply }).unwrap();
    let ask = |action| {
        let Action::Ask { key, request, .. } = action else { panic!("it is a question") };
        (key, request)
    };
    actions.into_iter().map(ask).collect()
}

fn answer(call: &mut Invocation, key: &str, response: InputResponse) -> Vec<Action> {
    let event = Event::Answer { round: 1, key: key.into(), response };
    call.handle(NOW, event).unwrap().into_iter().collect()
}

/// proves: W-12, CL-02
#[test]
fn example_requests_go_out_as_they_are_and_are_taken_as_they_come() {
    let endpoint = Arc::new(Endpoint::new("test"));
    for name in ["CallToolRequest", "GetPromptRequest", "ReadResourceRequest"] {
        for example in examples(name) {
            let message = Message::decode(example.as_bytes()).unwrap();
            let params = message.params.unwrap();
            let method = Method::from_name(&message.method).unwrap();
            let (_, sent) = start(method, params.as_str(), Claims::none());
            assert_eq!(value(sent.params.as_str()), value(&example)["params"]);
            let incoming = Incoming::message(example.as_bytes());
            let (_, actions) = Exchange::receive(&endpoint, UnixTime::from_secs(0), incoming);
            let [server::Action::Run(run)] = actions.as_slice() else { panic!("it runs") };
            assert_eq!(value(run.params.as_str()), value(&example)["params"]);
        }
    }
    for params in examples("CallToolRequestParams") {
        let (_, sent) = start(Method::ToolsCall, &params, claims());
        let mut expected = value(&params);
        expected["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({
            "elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {},
        });
        assert_eq!(value(sent.params.as_str()), expected);
    }
}

/// proves: W-03, W-07, W-12
#[test]
fn the_example_of_a_round_is_answered_by_the_example_of_its_answers() {
    let requests = &examples("InputRequests")[0];
    let with_requests = format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#);
    let with_state = examples("InputRequiredResult")
        .into_iter()
        .find(|example| example.contains("inputRequests"))
        .unwrap();
    let responses = &examples("InputResponses")[0];
    for result in [with_requests, with_state] {
        let (mut call, first) = start(Method::ToolsCall, r#"{"name":"t"}"#, claims());
        let asked = ask(&mut call, &first, &result);
        let kinds: Vec<_> =
            asked.iter().map(|(key, request)| (key.as_str(), request.kind())).collect();
        assert_eq!(kinds, [("capital_of_france", "sampling"), ("github_login", "form")]);
        let sampled = value(responses)["capital_of_france"].to_string();
        let sampled = InputResponse::Sampled(RawJson::parse(&sampled).unwrap());
        assert!(answer(&mut call, "capital_of_france", sampled).is_empty());
        let login = value(responses)["github_login"].to_string();
        let login =
            InputResponse::decode(Json::parse(&login).unwrap(), &FormLimits::default()).unwrap();
        let actions = answer(&mut call, "github_login", login);
        let [Action::Send(retry)] = actions.as_slice() else { panic!("it is retried") };
        let params = value(retry.params.as_str());
        assert_eq!(params["inputResponses"], value(responses));
        assert_eq!(params.get("requestState"), value(&result).get("requestState"));
    }
}

/// proves: W-02, W-12
#[test]
fn the_example_of_a_state_alone_opens_no_interaction() {
    let result = examples("InputRequiredResult")
        .into_iter()
        .find(|example| !example.contains("inputRequests"))
        .unwrap();
    let (mut call, first) = start(Method::ToolsCall, r#"{"name":"t"}"#, claims());
    assert!(ask(&mut call, &first, &result).is_empty());
    let wake = call.deadline().unwrap();
    let actions = call.handle(wake, Event::Tick).unwrap();
    let [Action::Send(retry)] = actions.as_slice() else { panic!("it is retried") };
    let params = value(retry.params.as_str());
    assert_eq!(params["requestState"], value(&result)["requestState"]);
    assert!(params.get("inputResponses").is_none());
}

fn asked_alone(request: &str) -> (Invocation, InputRequest) {
    let (mut call, first) = start(Method::ToolsCall, r#"{"name":"t"}"#, claims());
    let result = format!(r#"{{"resultType":"input_required","inputRequests":{{"k":{request}}}}}"#);
    let request = ask(&mut call, &first, &result).remove(0).1;
    (call, request)
}

/// proves: W-03, W-05, W-12
#[test]
fn example_input_requests_of_every_kind_are_asked() {
    for request in examples("ElicitRequest") {
        assert_eq!(asked_alone(&request).1.kind(), "form");
    }
    for params in examples("ElicitRequestURLParams") {
        let request = format!(r#"{{"method":"elicitation/create","params":{params}}}"#);
        let (_, InputRequest::Elicitation(Elicitation::Url(request))) = asked_alone(&request)
        else {
            panic!("it is a URL")
        };
        assert_eq!(*request.url, *value(&params)["url"].as_str().unwrap());
        assert!(request.is_https);
    }
    for params in examples("CreateMessageRequestParams") {
        let request = format!(r#"{{"method":"sampling/createMessage","params":{params}}}"#);
        let (_, InputRequest::Sampling(request)) = asked_alone(&request) else {
            panic!("it samples")
        };
        assert_eq!(request.params().as_str(), params.trim());
        assert_eq!(request.uses_tools(), value(&params).get("tools").is_some());
    }
    for request in examples("CreateMessageRequest").iter().chain(&examples("ListRootsRequest")) {
        assert!(matches!(asked_alone(request).1.kind(), "sampling" | "roots"));
    }
}

/// proves: W-06, W-07, W-12
#[test]
fn example_answers_of_every_kind_go_back_as_they_are() {
    let sampling = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;
    let roots = r#"{"method":"roots/list"}"#;
    let sampled: fn(RawJson) -> InputResponse = InputResponse::Sampled;
    for (request, name, response) in [
        (sampling, "CreateMessageResult", sampled),
        (roots, "ListRootsResult", InputResponse::Roots),
    ] {
        for example in examples(name) {
            let (mut call, _) = asked_alone(request);
            let actions = answer(&mut call, "k", response(RawJson::parse(&example).unwrap()));
            let [Action::Send(retry)] = actions.as_slice() else { panic!("it is retried") };
            assert_eq!(value(retry.params.as_str())["inputResponses"]["k"], value(&example));
        }
    }
    for example in examples("ElicitResult") {
        let decoded =
            InputResponse::decode(Json::parse(&example).unwrap(), &FormLimits::default()).unwrap();
        let InputResponse::Accept(content) = decoded else { panic!("it is accepted") };
        let expected = value(&example).get("content").cloned().unwrap_or_else(|| json!({}));
        assert_eq!(value(&content.to_json()), expected);
    }
}

/// proves: W-09, W-12
#[test]
fn example_capabilities_read_and_are_written_back() {
    for example in examples("ClientCapabilities") {
        let read = Capabilities::decode(Json::parse(&example).unwrap()).unwrap();
        let mut written = value(&read.to_json());
        let mut expected = value(&example);
        // What this crate does not know is not kept, and a mode that is implied is written out.
        expected.as_object_mut().unwrap().remove("extensions");
        if expected["elicitation"] == json!({}) {
            expected["elicitation"] = json!({"form": {}});
        }
        for value in [&mut expected, &mut written] {
            value.as_object_mut().unwrap().retain(|_, member| !member.is_null());
        }
        assert_eq!(written, expected);
    }
}

/// proves: W-10, W-12
#[test]
fn example_errors_read_with_their_codes_and_data() {
    for (name, code) in [
        ("HeaderMismatchError", RpcError::HEADER_MISMATCH),
        ("MissingRequiredClientCapabilityError", RpcError::MISSING_CAPABILITY),
        ("UnsupportedProtocolVersionError", RpcError::UNSUPPORTED_VERSION),
        ("InvalidParamsError", RpcError::INVALID_PARAMS),
    ] {
        for example in examples(name) {
            let object = match value(&example).get("jsonrpc") {
                Some(_) => RpcResponse::decode(example.as_bytes()).unwrap().outcome.unwrap_err(),
                None => RawJson::parse(&example).unwrap(),
            };
            let error = RpcError::decode(object.as_json(), 1024).unwrap();
            assert_eq!(
                (error.code, &*error.message),
                (code, value(object.as_str())["message"].as_str().unwrap())
            );
            let data = error.data.map(|data| value(data.as_str()));
            assert_eq!(data.as_ref(), value(object.as_str()).get("data"));
        }
    }
}

/// proves: W-10
#[test]
fn error_codes_are_those_of_json_rpc_and_of_the_specification() {
    for (code, number) in [
        (RpcError::PARSE, -32700),
        (RpcError::INVALID_REQUEST, -32600),
        (RpcError::METHOD_NOT_FOUND, -32601),
        (RpcError::INVALID_PARAMS, -32602),
        (RpcError::INTERNAL, -32603),
        (RpcError::HEADER_MISMATCH, -32020),
        (RpcError::MISSING_CAPABILITY, -32021),
        (RpcError::UNSUPPORTED_VERSION, -32022),
    ] {
        assert_eq!(code, number);
    }
}
