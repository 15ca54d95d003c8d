//! What a call claims, and what it refuses to start with or to be asked.

use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{Binding, Claims, Fault, Invocation, Outcome, Request, StartError},
    wire::{
        ClientInfo, META_CAPABILITIES, META_CLIENT_INFO, META_VERSION, Method, RawJson, Revision,
        WireError,
    },
};
use serde_json::{Value, json};

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, ROOTS, SAMPLING, URL, asked, asking, faulted, form, param,
    request, settled, state_only, yes,
};

/// The revisions before rounds.
const EARLIER: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn refused(params: &str, claims: Claims) -> StartError {
    let now = Instant::from_millis(0);
    Invocation::start(now, request("call-7", params), claims, Limits::default()).unwrap_err()
}

fn meta_of_first_leg(params: &str, claims: Claims) -> Value {
    let play = Play::started(request("call-7", params), claims, Limits::default());
    serde_json::from_str(&param(&play.sent[0], "_meta").unwrap()).unwrap()
}

/// proves: CL-14
#[test]
fn a_call_of_an_earlier_revision_sends_its_params_byte_for_byte() {
    for params in [
        r#"{"name":"deploy"}"#,
        "{ \"name\" : \"dep\\u006coy\",\n\t\"arguments\":{ \"x\":1.0, \"y\":\"\\ud800\"} , \"z\":[ ] }",
        r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":{}}},"name":"deploy"}"#,
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"},"name":"deploy"}"#,
        r#"{"_meta":7,"name":"deploy"}"#,
    ] {
        for revision in EARLIER {
            let request = request("call-7", params).with_revision(revision);
            let mut play = Play::started(request, Claims::none(), Limits::default());
            assert_eq!((play.sent[0].params.as_str(), play.sent[0].revision), (params, revision));
            // Such a server cannot ask.
            let actions = play.serve(&asking(&[("c", CONFIRM)], Some("\"s\"")));
            assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });
        }
    }
}

/// proves: CL-14
#[test]
fn a_claim_on_an_earlier_revision_is_refused() {
    let form = Claims::none().with_form();
    for revision in EARLIER {
        for claims in [Claims::none().with_retries(), form, Claims::none().with_roots()] {
            let request = request("call-7", PARAMS).with_revision(revision);
            let now = Instant::from_millis(0);
            let refused = Invocation::start(now, request, claims, Limits::default()).unwrap_err();
            assert_eq!(refused, StartError::Claims { revision });
        }
    }
    let words = StartError::Claims { revision: Revision::V2025_11_25 }.to_string();
    assert_eq!(words, "expected no claims in a call of revision 2025-11-25");
}

/// proves: CL-02, CL-14
#[test]
fn every_leg_names_the_version_the_capabilities_and_the_client() {
    let info = ClientInfo::new("example-host", "1.4.0").with_title("Example Host");
    for (claims, capabilities) in [
        (Claims::none(), json!({})),
        (Claims::none().with_retries(), json!({})),
        (Claims::none().with_form(), json!({"elicitation": {"form": {}}})),
    ] {
        let request = request("call-7", PARAMS).with_client_info(info.clone());
        assert_eq!(request.revision(), Revision::V2026_07_28);
        let mut play = Play::started(request, claims, Limits::default());
        if claims.capabilities().form {
            play.confirmed_round();
        }
        if claims.allows_retries() {
            play.serve(&state_only("\"s\""));
            play.wake();
        }
        let retries =
            usize::from(claims.allows_retries()) + usize::from(claims.capabilities().form);
        assert_eq!(play.sent.len(), 1 + retries);
        for leg in &play.sent {
            let meta: Value = serde_json::from_str(&param(leg, "_meta").unwrap()).unwrap();
            assert_eq!(
                meta,
                json!({
                    META_VERSION: "2026-07-28",
                    META_CLIENT_INFO:
                        {"name": "example-host", "version": "1.4.0", "title": "Example Host"},
                    META_CAPABILITIES: capabilities,
                })
            );
        }
    }
}

/// proves: CL-02
#[test]
fn a_client_info_in_the_params_is_sent_instead_of_the_one_of_the_request() {
    let params =
        format!(r#"{{"name":"deploy","_meta":{{"{META_CLIENT_INFO}":{{"name":"own"}}}}}}"#);
    let request =
        request("call-7", &params).with_client_info(ClientInfo::new("example-host", "1.4.0"));
    let play = Play::started(request, Claims::none(), Limits::default());
    let meta: Value = serde_json::from_str(&param(&play.sent[0], "_meta").unwrap()).unwrap();
    assert_eq!(meta[META_CLIENT_INFO], json!({"name": "own"}));
}

/// proves: CL-14
#[test]
fn a_call_that_claims_nothing_gets_a_complete_result_as_it_came() {
    for result in [DONE, r#"{ "resultType": "complete", "content": [ ] , "x": "\ud800" }"#, "{}"] {
        let mut play = Play::started(request("call-7", PARAMS), Claims::none(), Limits::default());
        let complete = Outcome::Complete(RawJson::parse(result).unwrap());
        assert_eq!(*settled(&play.serve(result)), complete);
    }
}

/// proves: CL-14
#[test]
fn a_call_that_claims_nothing_is_not_asked_and_not_called_again() {
    for result in [
        asking(&[("c", CONFIRM)], Some("\"s\"")),
        asking(&[("c", CONFIRM)], None),
        state_only("\"s\""),
    ] {
        let mut play = Play::started(request("call-7", PARAMS), Claims::none(), Limits::default());
        let actions = play.serve(&result);
        assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });
        assert_eq!(play.sent.len(), 1);
    }
}

/// proves: CL-04, CL-14
#[test]
fn a_call_that_claims_retries_is_called_again_and_not_asked() {
    let retries = Claims::none().with_retries();
    let start = || Play::started(request("call-7", PARAMS), retries, Limits::default());
    let mut play = start();
    play.serve(&state_only("\"s\""));
    play.wake();
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));

    let mut play = start();
    let actions = play.serve(&asking(&[("c", CONFIRM)], Some("\"s\"")));
    assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "form elicitation" });

    let meta = meta_of_first_leg(PARAMS, retries);
    assert_eq!(meta[META_CAPABILITIES], json!({}));
}

/// proves: CL-02, W-09
#[test]
fn a_claim_is_merged_into_the_meta_of_the_params() {
    let claims = Claims::none().with_form();
    let meta = meta_of_first_leg(
        r#"{"_meta":{"progressToken":"p","io.modelcontextprotocol/clientCapabilities":
            {"x":{"y":[1]},"experimental":{}},"z":null},"name":"deploy"}"#,
        claims,
    );
    assert_eq!(
        meta,
        json!({
            "progressToken": "p",
            "z": null,
            META_VERSION: "2026-07-28",
            META_CAPABILITIES: {"x": {"y": [1]}, "experimental": {}, "elicitation": {"form": {}}},
        })
    );
    let meta = meta_of_first_leg(
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"deploy"}"#,
        claims,
    );
    assert_eq!(
        meta,
        json!({META_VERSION: "2026-07-28", META_CAPABILITIES: {"elicitation": {"form": {}}}})
    );
}

/// proves: CL-14
#[test]
fn a_capability_that_the_params_declare_themselves_is_refused() {
    for capability in ["elicitation", "sampling", "roots"] {
        let params = format!(
            r#"{{"name":"deploy","_meta":{{"{META_CAPABILITIES}":{{"{capability}":{{}}}}}}}}"#
        );
        for claims in [Claims::none().with_form(), Claims::none().with_retries()] {
            assert_eq!(refused(&params, claims), StartError::CapabilityInParams { capability });
        }
    }
}

/// proves: CL-14
#[test]
fn a_claim_on_another_protocol_version_is_refused() {
    for version in [r#""2025-06-18""#, "20260728", "null", r#""""#] {
        let params = format!(r#"{{"name":"deploy","_meta":{{"{META_VERSION}":{version}}}}}"#);
        let found = refused(&params, Claims::none().with_form());
        assert_eq!(found, StartError::ProtocolVersion, "{version}");
    }
}

/// proves: CL-03
#[test]
fn what_only_a_retry_carries_is_refused_in_the_params_of_a_call() {
    for claims in [Claims::none(), Claims::none().with_form()] {
        for (params, member) in [
            (r#"{"name":"deploy","inputResponses":{}}"#, "inputResponses"),
            (r#"{"name":"deploy","requestState":"s"}"#, "requestState"),
            (r#"{"name":"deploy","request\u0053tate":null}"#, "requestState"),
        ] {
            assert_eq!(refused(params, claims), StartError::RetryField { member });
        }
    }
}

/// proves: W-11
#[test]
fn params_that_the_method_cannot_have_are_refused() {
    for params in ["[]", "7", "null"] {
        let shape = WireError::shape("params", "an object");
        assert_eq!(refused(params, Claims::none()), StartError::Params(shape));
    }
    let twice = r#"{"name":"deploy","\u006eame":"other"}"#;
    let duplicate = WireError::duplicate("params");
    assert_eq!(refused(twice, Claims::none()), StartError::Params(duplicate));
    for params in ["{}", r#"{"name":7}"#, r#"{"name":"\ud800"}"#, r#"{"uri":"file:///a"}"#] {
        let shape = WireError::shape("name", "a string");
        assert_eq!(refused(params, Claims::none()), StartError::Params(shape), "{params}");
    }
    let id = InvocationId::new("call-7").unwrap();
    let params = RawJson::parse(r#"{"name":"a"}"#).unwrap();
    let request = Request::new(id, Method::ResourcesRead, params, Binding::new("server-1"));
    let now = Instant::from_millis(0);
    let shape = WireError::shape("uri", "a string");
    assert_eq!(
        Invocation::start(now, request, Claims::none(), Limits::default()).unwrap_err(),
        StartError::Params(shape)
    );
}

/// proves: CL-06
#[test]
fn one_request_that_was_not_claimed_fails_the_whole_round() {
    for (other, kind) in [(URL, "URL elicitation"), (SAMPLING, "sampling"), (ROOTS, "roots")] {
        for requests in [
            vec![("a", other)],
            vec![("a", CONFIRM), ("b", other)],
            vec![("a", other), ("b", CONFIRM)],
        ] {
            let mut play = Play::new();
            let actions = play.serve(&asking(&requests, Some("\"s\"")));
            assert_eq!(*faulted(&actions), Fault::Undeclared { kind });
            assert_eq!((play.sent.len(), play.call.open()), (1, 0));
        }
    }
}

/// proves: CL-06
#[test]
fn one_form_that_cannot_be_shown_fails_the_whole_round() {
    let nested = r#"{"type":"object","properties":{"a":{"type":"object"}}}"#;
    let bad = form(nested);
    for requests in [[("a", CONFIRM), ("b", bad.as_str())], [("a", bad.as_str()), ("b", CONFIRM)]] {
        let mut play = Play::new();
        let actions = play.serve(&asking(&requests, None));
        let Fault::Form(refusal) = faulted(&actions) else { panic!("the form is refused") };
        assert_eq!(refusal.pointer, "/properties/a/type");
        assert_eq!((play.sent.len(), play.call.open()), (1, 0));
    }
}

/// proves: CL-06
#[test]
fn a_bad_request_in_a_later_round_ends_the_call_then() {
    let mut play = Play::new();
    assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
    play.answer(1, "c", yes()).unwrap();
    let actions = play.serve(&asking(&[("c", CONFIRM), ("d", ROOTS)], None));
    assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "roots" });
    assert_eq!(play.sent.len(), 2);
}
