//! The HTTP headers of a leg, and what a server makes of them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "this is a test")]

use core::time::Duration;

use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Action, Binding, Claims, Event, Invocation, LegRequest, Reply, Request, StartError},
    wire::{InputResponse, Json, Method, ParamHeaders, RawJson, Revision, WireError},
};

const NOW: Instant = Instant::from_epoch(Duration::ZERO);

const SCHEMA: &str = r#"{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},
    "where":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"}}}}}"#;

fn marked() -> ParamHeaders {
    ParamHeaders::from_schema(Json::parse(SCHEMA).unwrap()).unwrap()
}

fn request(method: Method, params: &str) -> Request {
    let id = InvocationId::new("call-7").unwrap();
    Request::new(id, method, RawJson::parse(params).unwrap(), Binding::new("server-1"))
}

fn tool(arguments: &str) -> Request {
    let params = format!(r#"{{"name":"größe","arguments":{arguments}}}"#);
    request(Method::ToolsCall, &params).with_param_headers(marked())
}

fn first_leg(request: Request) -> LegRequest {
    let (_, actions) = Invocation::start(NOW, request, Claims::none(), Limits::default()).unwrap();
    sent(actions.as_slice())
}

fn sent(actions: &[Action]) -> LegRequest {
    let [Action::Send(leg)] = actions else { panic!("expected to send, found {actions:?}") };
    leg.clone()
}

fn lines(leg: &LegRequest) -> Vec<String> {
    leg.headers().map(|(name, value)| format!("{name}: {value}")).collect()
}

const ACCEPT: &str = "Accept: application/json, text/event-stream";
const CONTENT_TYPE: &str = "Content-Type: application/json";

/// proves: SV-16
#[test]
fn each_method_has_its_headers() {
    let common = [ACCEPT, CONTENT_TYPE, "MCP-Protocol-Version: 2026-07-28"];
    for (method, params, expected) in [
        (Method::ToolsCall, r#"{"name":"deploy"}"#, ["Mcp-Method: tools/call", "Mcp-Name: deploy"]),
        (
            Method::PromptsGet,
            r#"{"name":" a","arguments":{"region":"eu"}}"#,
            ["Mcp-Method: prompts/get", "Mcp-Name: =?base64?IGE=?="],
        ),
        (
            Method::ResourcesRead,
            r#"{"uri":"file:///größe","name":"other"}"#,
            ["Mcp-Method: resources/read", "Mcp-Name: =?base64?ZmlsZTovLy9ncsO2w59l?="],
        ),
    ] {
        let leg = first_leg(request(method, params).with_param_headers(marked()));
        assert_eq!(lines(&leg), [&common[..], &expected].concat());
    }
}

/// proves: SV-16
#[test]
fn earlier_revisions_have_fewer_headers() {
    for (revision, expected) in [
        (Revision::V2024_11_05, &[CONTENT_TYPE][..]),
        (Revision::V2025_03_26, &[ACCEPT, CONTENT_TYPE]),
        (Revision::V2025_06_18, &[ACCEPT, CONTENT_TYPE, "MCP-Protocol-Version: 2025-06-18"]),
        (Revision::V2025_11_25, &[ACCEPT, CONTENT_TYPE, "MCP-Protocol-Version: 2025-11-25"]),
    ] {
        let leg = first_leg(tool(r#"{"region":"eu"}"#).with_revision(revision));
        assert_eq!(lines(&leg), expected);
    }
}

/// proves: SV-16
#[test]
fn a_retry_repeats_the_same_arguments() {
    let request = tool(r#"{"region":"größe","where":{"zone":7.0},"text":"not repeated"}"#);
    assert!(!request.param_headers().is_empty());
    let claims = Claims::none().with_form();
    let (mut call, actions) = Invocation::start(NOW, request, claims, Limits::default()).unwrap();
    let first = sent(actions.as_slice());
    assert_eq!(
        lines(&first)[3..],
        [
            "Mcp-Method: tools/call",
            "Mcp-Name: =?base64?Z3LDtsOfZQ==?=",
            "Mcp-Param-Region: =?base64?Z3LDtsOfZQ==?=",
            "Mcp-Param-Zone: 7",
        ]
    );
    let asks = RawJson::parse(
        r#"{"resultType":"input_required","requestState":"s","inputRequests":{"sure":{
            "method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{
                "type":"object","properties":{"sure":{"type":"boolean"}}}}}}}"#,
    );
    let reply = Event::Reply { leg: first.leg.clone(), reply: Reply::Result(asks.unwrap()) };
    let asked = call.handle(NOW, reply).unwrap();
    assert!(matches!(asked.as_slice(), [Action::Ask { .. }]), "{asked:?}");
    let response = InputResponse::Decline;
    let answered = call.handle(NOW, Event::Answer { round: 1, key: "sure".into(), response });
    let retry = sent(answered.unwrap().as_slice());
    assert!(retry.params.as_str().contains("inputResponses"));
    assert_eq!(lines(&retry), lines(&first));
}

/// proves: SV-16
#[test]
fn arguments_that_no_server_can_compare_are_not_sent() {
    for (arguments, expected) in [
        (r#"{"region":"a","region":"b"}"#, WireError::duplicate("arguments")),
        (r#"{"region":"\ud800"}"#, WireError::shape("arguments", "Unicode text")),
    ] {
        let start = |request| Invocation::start(NOW, request, Claims::none(), Limits::default());
        let refused = start(tool(arguments)).map(drop);
        assert_eq!(refused, Err(StartError::Params(expected)));
        let unmarked = tool(arguments).with_param_headers(ParamHeaders::default());
        assert!(start(unmarked).is_ok(), "what is not repeated is the server's to judge");
    }
}

/// proves: SV-16
#[test]
fn what_is_repeated_is_not_shown() {
    let leg = first_leg(tool(r#"{"region":"SENTINEL"}"#));
    assert!(lines(&leg).contains(&"Mcp-Param-Region: SENTINEL".into()));
    assert!(!format!("{leg:?}").contains("SENTINEL"));
    assert!(!format!("{:?}", tool(r#"{"region":"SENTINEL"}"#)).contains("SENTINEL"));
}

#[cfg(feature = "server")]
mod arriving {
    use std::sync::Arc;

    use mrtr_core::{
        UnixTime,
        server::{self, Endpoint, Exchange, Incoming},
        wire::{Headers, RpcError},
    };
    use proptest::{option, prelude::*};

    use super::*;

    /// Receives a leg with headers, and returns the code of the error that answers it, if one does.
    fn refusal(leg: &LegRequest, headers: Headers) -> Option<i64> {
        let endpoint = Arc::new(Endpoint::new("e").with_param_headers("größe", marked()));
        let json = leg.to_json();
        let incoming = Incoming::message(json.as_bytes()).with_headers(headers);
        let (_, actions) = Exchange::receive(&endpoint, UnixTime::from_secs(0), incoming);
        match actions.as_slice() {
            [server::Action::Run(_)] => None,
            [server::Action::Respond(respond)] => {
                assert_eq!(respond.status, 400);
                let body: serde_json::Value =
                    serde_json::from_str(respond.body.as_ref().unwrap().as_str()).unwrap();
                body["error"]["code"].as_i64()
            }
            other => panic!("expected to run or to answer, found {other:?}"),
        }
    }

    const MISMATCH: Option<i64> = Some(RpcError::HEADER_MISMATCH);

    /// proves: SV-16
    #[test]
    fn a_server_compares_each_header_that_a_leg_repeats() {
        let leg = first_leg(tool(r#"{"region":"eu","where":{"zone":7}}"#));
        let all: Vec<(String, String)> =
            leg.headers().map(|(name, value)| (name.into(), value.into())).collect();
        assert_eq!(refusal(&leg, all.iter().cloned().collect()), None);
        let capitals = all.iter().map(|(name, value)| (name.to_ascii_uppercase(), value));
        assert_eq!(refusal(&leg, capitals.collect()), None);
        for (at, (name, _)) in all.iter().enumerate() {
            let is_compared = name.to_ascii_lowercase().starts_with("mcp-");
            let expected = if is_compared { MISMATCH } else { None };
            let mut changed = all.clone();
            changed[at].1 = "other".into();
            assert_eq!(refusal(&leg, changed.into_iter().collect()), expected, "{name} changed");
            let mut less = all.clone();
            less.remove(at);
            assert_eq!(refusal(&leg, less.into_iter().collect()), expected, "{name} missing");
            let twice = all.iter().chain([&all[at]]).cloned();
            assert_eq!(refusal(&leg, twice.collect()), expected, "{name} twice");
        }
        let without = first_leg(tool(r#"{"region":"eu"}"#));
        assert_eq!(refusal(&without, all.into_iter().collect()), MISMATCH, "a header too many");
    }

    fn argument() -> impl Strategy<Value = serde_json::Value> {
        prop_oneof![
            any::<String>().prop_map(Into::into),
            "[ -~\t]{0,6}".prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            any::<bool>().prop_map(Into::into),
            Just(serde_json::json!(null)),
            Just(serde_json::json!([1])),
            Just(serde_json::json!({"zone": 1})),
        ]
    }

    proptest! {
        /// proves: SV-16
        #[test]
        fn a_server_accepts_the_headers_of_each_leg(
            region in option::of(argument()),
            zone in option::of(argument()),
        ) {
            let mut arguments = serde_json::json!({"where": {}});
            if let Some(region) = region {
                arguments["region"] = region;
            }
            if let Some(zone) = zone {
                arguments["where"]["zone"] = zone;
            }
            let leg = first_leg(tool(&arguments.to_string()));
            prop_assert_eq!(refusal(&leg, leg.headers().map(|(name, value)| {
                (name.to_owned(), value.into_owned())
            }).collect()), None);
        }
    }
}
