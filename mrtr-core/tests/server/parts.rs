//! Requests that an SDK took apart, and the headers that came with a request.

use std::sync::Arc;

use mrtr_core::{
    server::{Action, Actions, Endpoint, Exchange, Incoming},
    wire::{Headers, Json, META_VERSION, ParamHeaders, RawJson, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, deep, error_code, keyless, message, meta, params, retry, run, sealing, shop, state, with,
    yes,
};

/// Returns JSON as it came in a message, with whatever depth it has.
fn raw(json: &str) -> RawJson {
    crate::play::of_message(json)
}

/// The parts of a request, each as JSON.
struct Parts<'a> {
    id: &'a str,
    method: &'a str,
    params: &'a str,
}

impl Parts<'_> {
    fn message(&self) -> String {
        let Self { id, method, params } = self;
        let method = json!(method);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
    }

    /// Expects an endpoint to do with the parts what it does with the bytes, and returns what.
    fn received(&self, endpoint: &Arc<Endpoint>, meta: Option<&str>, message: &str) -> Actions {
        let (meta, params) = (meta.map(raw), raw(self.params));
        let parts = Incoming::from_parts(&raw(self.id), self.method, &params, meta.as_ref());
        let receive = |incoming: Incoming<'_>| {
            Exchange::receive(endpoint, NOW, incoming.with_principal("alice"))
        };
        let (exchange, actions) = receive(Incoming::message(message.as_bytes()));
        let start = message.get(..200).unwrap_or(message);
        assert_eq!(receive(parts), (exchange, actions.clone()), "{start}");
        actions
    }
}

fn endpoints() -> [Arc<Endpoint>; 5] {
    [
        sealing(),
        keyless(),
        Arc::new(shop().with_single_use()),
        Arc::new(shop().with_legacy()),
        Arc::new(shop().with_message_bytes_max(300)),
    ]
}

/// proves: SV-01, W-10
#[test]
fn parts_are_received_exactly_as_the_bytes_are() {
    let state = state(&sealing());
    let twice = format!(r#"{{"name":"a","name":"b","_meta":{}}}"#, meta());
    let meta_twice = format!(r#"{{"name":"a","_meta":{},"_meta":{{}}}}"#, meta());
    let nested = |levels: usize| params().to_string().replace("\"x\"", &deep(levels));
    let unknown = with(params(), &[("_meta", json!({META_VERSION: "1900-01-01"}))]);
    let mut runs = 0;
    for endpoint in &endpoints() {
        for (id, method) in [
            ("7", "tools/call"),
            ("\"a\\u0062\"", "resources/read"),
            ("\"\\ud800\"", "tools/call"),
            ("null", "tools/call"),
            ("1.5", "tools/call"),
            ("{}", "tools/call"),
            ("7", "ping"),
            ("7", "t\"\\\n\u{0}\u{2028}"),
        ] {
            for params in [
                params().to_string(),
                retry(&state, yes()).to_string(),
                retry(&json!("x"), yes()).to_string(),
                retry(&state, json!({"sure": 7})).to_string(),
                unknown.to_string(),
                "{}".into(),
                r#"{ "name" : "order" }"#.into(),
                "7".into(),
                "[]".into(),
                r#"{"\ud800":1}"#.into(),
                twice.clone(),
                meta_twice.clone(),
                nested(124),
                nested(123),
            ] {
                let parts = Parts { id, method, params: &params };
                let actions = parts.received(endpoint, None, &parts.message());
                runs += usize::from(matches!(actions.as_slice(), [Action::Run(_)]));
            }
        }
    }
    assert!(runs > 20, "{runs} of them run");
}

/// proves: SV-01, W-10
#[test]
fn a_meta_that_came_apart_takes_the_place_of_the_one_in_the_params() {
    let state = state(&sealing());
    let whole = meta().to_string();
    let mut retried = retry(&state, yes());
    retried.as_object_mut().unwrap().remove("_meta");
    let deepest = format!("{},\"deep\":{}}}", whole.strip_suffix('}').unwrap(), deep(125));
    let mut runs = 0;
    for endpoint in &endpoints() {
        for meta in [&whole, "{}", "7", "null", r#"{"a":1,"a":2}"#, &deepest] {
            for (before, after) in [
                (r#"{"name":"order"}"#, r#"{"name":"order","_meta":@}"#),
                (r#"{"_meta":{"x":1},"name":"order"}"#, r#"{"name":"order","_meta":@}"#),
                (r#"{"_met\u0061":7,"name":"order"}"#, r#"{"name":"order","_meta":@}"#),
                ("{}", r#"{"_meta":@}"#),
                (r#"{"_meta":null}"#, r#"{"_meta":@}"#),
                // No member of these can be replaced.
                ("7", "7"),
                ("[]", "[]"),
                (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
                (r#"{"_meta":{},"_meta":{}}"#, r#"{"_meta":{},"_meta":{}}"#),
            ] {
                let params = after.replace('@', meta);
                let message = Parts { id: "7", method: "tools/call", params: &params }.message();
                let parts = Parts { id: "7", method: "tools/call", params: before };
                let actions = parts.received(endpoint, Some(meta), &message);
                runs += usize::from(matches!(actions.as_slice(), [Action::Run(_)]));
            }
        }
    }
    assert!(runs > 20, "{runs} of them run");
    let params = retried.to_string();
    let members = params.strip_suffix('}').unwrap();
    let sent = format!(r#"{members},"_meta":{whole}}}"#);
    let message = Parts { id: "7", method: "tools/call", params: &sent }.message();
    let parts = Parts { id: "7", method: "tools/call", params: &params };
    let actions = parts.received(&sealing(), Some(&whole), &message);
    assert_eq!(run(&actions).round, 2);
}

/// The arguments of the tool that are repeated in headers.
fn marked() -> ParamHeaders {
    let schema = r#"{"type":"object","properties":{
        "n":{"type":"integer","x-mcp-header":"Count"},
        "s":{"type":"string","x-mcp-header":"Region"}}}"#;
    ParamHeaders::from_schema(Json::parse(schema).unwrap()).unwrap()
}

/// The headers of a call of the tool, after changes: a new value, or none.
fn headers<'h>(changes: &[(&'h str, Option<&'h str>)]) -> Headers {
    let mut all = vec![
        ("Authorization", "Bearer token"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "order"),
        ("Mcp-Param-Count", "1"),
        ("Mcp-Param-Region", "x"),
    ];
    for (name, value) in changes {
        all.retain(|(known, _)| known != name);
        all.extend(value.map(|value| (*name, value)));
    }
    all.into_iter().collect()
}

fn with_headers(endpoint: &Arc<Endpoint>, headers: &Headers, params: &Value) -> Actions {
    let params = params.to_string();
    let parts = Parts { id: "7", method: "tools/call", params: &params };
    let message = parts.message();
    let bytes = Incoming::message(message.as_bytes()).with_headers(headers.clone());
    let (exchange, actions) = Exchange::receive(endpoint, NOW, bytes);
    let parts = Incoming::from_parts(&raw("7"), "tools/call", &raw(&params), None);
    let parts = Exchange::receive(endpoint, NOW, parts.with_headers(headers.clone()));
    assert_eq!(parts, (exchange, actions.clone()), "headers are compared with parts as with bytes");
    actions
}

/// proves: SV-16
#[test]
fn the_arguments_that_a_tool_repeats_are_compared_with_their_headers() {
    let endpoint = Arc::new(shop().with_param_headers("order", marked()));
    run(&with_headers(&endpoint, &headers(&[]), &params()));
    run(&with_headers(
        &endpoint,
        &headers(&[("Mcp-Param-Region", Some(" =?base64?eA==?= "))]),
        &params(),
    ));
    for changes in [
        [("Mcp-Param-Count", Some("2"))],
        [("Mcp-Param-Count", None)],
        [("Mcp-Param-Region", Some("X"))],
        [("Mcp-Param-Region", None)],
        [("Mcp-Name", Some("refund"))],
        [("Mcp-Method", None)],
    ] {
        let actions = with_headers(&endpoint, &headers(&changes), &params());
        assert_eq!(error_code(&actions), (400, RpcError::HEADER_MISMATCH), "{changes:?}");
    }
    // A header of an argument that is not there is refused, and no header is due for it.
    let without = with(params(), &[("arguments", json!({"n": 1}))]);
    let actions = with_headers(&endpoint, &headers(&[]), &without);
    assert_eq!(error_code(&actions), (400, RpcError::HEADER_MISMATCH));
    run(&with_headers(&endpoint, &headers(&[("Mcp-Param-Region", None)]), &without));
}

/// proves: SV-16
#[test]
fn arguments_are_compared_for_the_tool_that_marks_them_and_where_there_are_headers() {
    let endpoint = Arc::new(shop().with_param_headers("refund", marked()));
    let none = [("Mcp-Param-Count", None), ("Mcp-Param-Region", None)];
    run(&with_headers(&endpoint, &headers(&none), &params()));
    let endpoint = Arc::new(shop().with_param_headers("order", marked()));
    let params = params().to_string();
    for (method, name, is_checked) in
        [("tools/call", "order", true), ("prompts/get", "order", false)]
    {
        let message = Parts { id: "7", method, params: &params }.message();
        let changes = [&none[..], &[("Mcp-Method", Some(method)), ("Mcp-Name", Some(name))]];
        let incoming = Incoming::message(message.as_bytes());
        let compared = incoming.clone().with_headers(headers(&changes.concat()));
        let (_, actions) = Exchange::receive(&endpoint, NOW, compared);
        assert_eq!(matches!(actions.as_slice(), [Action::Run(_)]), !is_checked, "{method}");
        // A transport without headers has nothing to compare.
        run(&Exchange::receive(&endpoint, NOW, incoming).1);
    }
}

/// proves: SV-02
#[test]
fn a_handler_sees_who_calls() {
    let endpoint = keyless();
    let message = message("tools/call", &params().to_string());
    for principal in [None, Some("alice")] {
        let incoming = Incoming::message(message.as_bytes()).with_principal(principal);
        let (_, actions) = Exchange::receive(&endpoint, NOW, incoming);
        assert_eq!(run(&actions).principal.as_deref(), principal);
    }
}

/// proves: SV-16
#[test]
fn a_name_is_compared_with_its_blanks() {
    let endpoint = keyless();
    let status = |name: &str, header: &str| {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": crate::play::with(params(), &[("name", json!(name))])});
        let headers: mrtr_core::wire::Headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", header),
        ]
        .into_iter()
        .collect();
        let message = message.to_string();
        let incoming = Incoming::message(message.as_bytes()).with_headers(headers);
        let (_, actions) = Exchange::receive(&endpoint, NOW, incoming);
        match actions.as_slice() {
            [Action::Run(_)] => None,
            _ => Some(crate::play::error_code(&actions).1),
        }
    };
    let encoded = |name: &str| mrtr_core::wire::header_value(name).into_owned();
    for name in
        [" deploy", "deploy ", "\tdeploy", "de ploy", "deploy\u{a0}", "\u{2003}deploy", "DEPLOY"]
    {
        assert_eq!(status(name, &encoded(name)), None, "{name:?}");
        for other in ["deploy", "Deploy", " deploy  ", "de  ploy"] {
            let expected = (other.trim() != name).then_some(RpcError::HEADER_MISMATCH);
            assert_eq!(status(name, other), expected, "{name:?} {other:?}");
            assert_eq!(status(other, &encoded(name)), Some(RpcError::HEADER_MISMATCH));
        }
    }
}
