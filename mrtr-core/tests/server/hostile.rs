//! What a client can send that is no request: each is answered once, with its code, and the
//! handler does not run.

use std::sync::Arc;

use mrtr_core::{
    Phase,
    seal::{OpenCause, RequestState, TOKEN_BYTES_MAX},
    server::{Action, Endpoint, ReportKind},
    wire::{META_CAPABILITIES, META_VERSION, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    CALL, NOW, answer, call, deep, keyless, keys, message, meta, params, refused, report, retry,
    run, sealing, send, send_as, shop, state, with, yes,
};

/// A value of each JSON type, and of each some that are odd.
const TYPES: [&str; 15] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e400",
    "\"\"",
    "\"x\"",
    r#""\ud800""#,
    "[]",
    "[1]",
    "{}",
    r#"{"x":1}"#,
    r#"{"\ud800":1}"#,
];

/// Sends a text to servers with and without keys, and expects both to refuse it alike.
fn refuses(text: &str, status: u16, code: i64) {
    for endpoint in [&sealing(), &keyless()] {
        let (exchange, actions) = send(endpoint, text.as_bytes());
        assert_eq!(
            refused(&exchange, &actions),
            (status, code),
            "{}",
            text.get(..200).unwrap_or(text)
        );
    }
}

/// proves: W-10, W-11
#[test]
fn another_type_in_a_place_of_the_message_is_no_request() {
    for wrong in TYPES {
        if !wrong.starts_with('{') {
            refuses(wrong, 400, RpcError::INVALID_REQUEST);
        }
        let params = params().to_string();
        let call = message("tools/call", &params);
        refuses(&call.replace("\"2.0\"", wrong), 400, RpcError::INVALID_REQUEST);
        if !wrong.starts_with('"') || wrong.contains("ud800") {
            refuses(&call.replace("\"tools/call\"", wrong), 400, RpcError::INVALID_REQUEST);
            if !matches!(wrong, "0" | "-1") {
                refuses(
                    &call.replace("\"id\":7", &format!("\"id\":{wrong}")),
                    400,
                    RpcError::INVALID_REQUEST,
                );
            }
        }
    }
    refuses("{}", 400, RpcError::INVALID_REQUEST);
    // A response is no request, either.
    refuses(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, 400, RpcError::INVALID_REQUEST);
    refuses(&format!("[{}]", CALL.replace('@', "{}")), 400, RpcError::INVALID_REQUEST);
}

/// proves: SV-07, W-10
#[test]
fn another_type_in_a_place_of_the_params_is_refused() {
    let rest = format!(r#""name":"order","arguments":{{}},"_meta":{}"#, meta());
    let capabilities = |capabilities: &str| {
        format!(
            r#"{{"name":"order","_meta":{{"{META_VERSION}":"2026-07-28","{META_CAPABILITIES}":{capabilities}}}}}"#
        )
    };
    for wrong in TYPES {
        // Params without `_meta`, or none at all.
        refuses(&message("tools/call", wrong), 400, RpcError::INVALID_PARAMS);
        refuses(
            &message("tools/call", &format!(r#"{{"name":"order","_meta":{wrong}}}"#)),
            400,
            RpcError::INVALID_PARAMS,
        );
        if !wrong.starts_with('"') || wrong.contains("ud800") {
            let version = meta().to_string().replace("\"2026-07-28\"", wrong);
            let text = format!(r#"{{"name":"order","_meta":{version}}}"#);
            refuses(&message("tools/call", &text), 400, RpcError::INVALID_PARAMS);
        }
        if wrong.starts_with('{') && !wrong.contains("ud800") {
            continue;
        }
        refuses(&message("tools/call", &capabilities(wrong)), 400, RpcError::INVALID_PARAMS);
        for place in [
            r#"{"elicitation":@}"#,
            r#"{"elicitation":{"form":@}}"#,
            r#"{"elicitation":{"url":@}}"#,
            r#"{"sampling":@}"#,
            r#"{"sampling":{"tools":@}}"#,
            r#"{"sampling":{"context":@}}"#,
            r#"{"roots":@}"#,
        ] {
            let declared = capabilities(&place.replace('@', wrong));
            refuses(&message("tools/call", &declared), 400, RpcError::INVALID_PARAMS);
        }
        let responses = format!(r#"{{"inputResponses":{wrong},{rest}}}"#);
        refuses(&message("tools/call", &responses), 200, RpcError::INVALID_PARAMS);
    }
    for wrong in TYPES {
        let state = format!(r#"{{"requestState":{wrong},"inputResponses":{{}},{rest}}}"#);
        refuses(&message("tools/call", &state), 200, RpcError::INVALID_PARAMS);
        // It is not opened before the answers beside it are looked at, nor the other way round.
        let both = format!(r#"{{"requestState":{wrong},"inputResponses":7,{rest}}}"#);
        refuses(&message("tools/call", &both), 200, RpcError::INVALID_PARAMS);
    }
}

/// proves: ST-05, ST-06, ST-09, W-10
#[test]
fn a_token_of_a_megabyte_or_of_another_kind_is_refused_as_any_other() {
    let endpoint = sealing();
    let good = state(&endpoint).as_str().unwrap().to_owned();
    let mebibyte = 1024 * 1024;
    for (token, cause) in [
        ("A".repeat(mebibyte), Some(OpenCause::TooLong)),
        (good.repeat(mebibyte / good.len()), Some(OpenCause::TooLong)),
        ("\u{1f600}".repeat(mebibyte / 4), Some(OpenCause::TooLong)),
        ("A".repeat(TOKEN_BYTES_MAX + 1), Some(OpenCause::TooLong)),
        ("A".repeat(TOKEN_BYTES_MAX), None),
        (format!("{good}="), Some(OpenCause::Malformed)),
        (format!(" {good}"), Some(OpenCause::Malformed)),
        (format!("{good}\n"), Some(OpenCause::Malformed)),
        (good.replace(['-', '_'], "+"), None),
        (format!("{good}{good}"), None),
        (good[1..].to_owned(), None),
        ("eyJsb2NhdGlvbiI6Ik5ldyBZb3JrIn0".into(), Some(OpenCause::Malformed)),
        ("eyJhbGciOiJub25lIn0.e30.".into(), Some(OpenCause::Malformed)),
        ("null".into(), None),
        (String::new(), Some(OpenCause::Malformed)),
    ] {
        if token == good {
            continue;
        }
        let (exchange, actions) = call(&endpoint, &retry(&json!(token), yes()));
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
        let (_, body) = answer(&actions);
        let error = json!({"code": -32602, "message": "Invalid requestState"});
        assert_eq!(body, json!({"jsonrpc": "2.0", "id": 7, "error": error}));
        let ReportKind::StateRefused { cause: found } = report(&actions).kind else {
            panic!("{actions:?}")
        };
        assert!(cause.is_none_or(|cause| cause == found), "{found:?}, not {cause:?}");
    }
}

/// proves: ST-03, ST-06
#[test]
fn a_token_of_another_endpoint_method_target_or_caller_is_refused() {
    let shop = sealing();
    let state = state(&shop);
    let other = Endpoint::new("bank").with_request_state(RequestState::new(keys()));
    let other = Arc::new(other);
    let retry = retry(&state, yes());
    let to = |method: &str, params: &Value| message(method, &params.to_string());
    let changed = |name, value| with(retry.clone(), &[(name, value)]);
    for (endpoint, principal, message) in [
        (&other, Some("alice"), to("tools/call", &retry)),
        (&shop, Some("alice"), to("prompts/get", &retry)),
        (&shop, Some("alice"), to("resources/read", &retry)),
        (&shop, Some("alice"), to("tools/call", &changed("name", json!("refund")))),
        (&shop, Some("alice"), to("tools/call", &changed("arguments", json!({"n": 2, "s": "x"})))),
        (&shop, Some("alice"), to("tools/call", &changed("more", json!(1)))),
        (&shop, Some("mallory"), to("tools/call", &retry)),
        (&shop, None, to("tools/call", &retry)),
    ] {
        let (exchange, actions) = send_as(endpoint, NOW, principal, message.as_bytes());
        assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS), "{message}");
        assert_eq!(answer(&actions).1["error"]["message"], "Invalid requestState");
    }
}

/// proves: W-10, W-11
#[test]
fn bytes_that_are_no_utf_8_no_json_or_too_deep_are_not_parsed() {
    let call = message("tools/call", &params().to_string());
    let inside = |bytes: &[u8]| {
        let (start, end) = call.split_once("\"x\"").unwrap();
        [start.as_bytes(), b"\"", bytes, b"\"", end.as_bytes()].concat()
    };
    let nested = |levels| call.replace("\"x\"", &deep(levels)).into_bytes();
    for wrong in [
        inside(b"\xff"),
        inside(b"\xc0\xaf"),
        inside(b"\xed\xa0\x80"),
        inside(b"\xf4\x90\x80\x80"),
        inside(b"\xe2\x82"),
        inside(b"\n"),
        inside(br"\ud80"),
        inside(br"\x41"),
        [b"\xef\xbb\xbf", call.as_bytes()].concat(),
        [call.as_bytes(), b"\0"].concat(),
        [call.as_bytes(), call.as_bytes()].concat(),
        call.as_bytes()[..call.len() - 1].to_vec(),
        call.replace('7', "07").into_bytes(),
        call.replace("\"x\"", "NaN").into_bytes(),
        call.replace("\"x\"", "'x'").into_bytes(),
        nested(125),
        nested(100_000),
        "[".repeat(1_000_000).into_bytes(),
        "{\"a\":".repeat(500_000).into_bytes(),
    ] {
        for endpoint in [&sealing(), &keyless()] {
            let (exchange, actions) = send(endpoint, &wrong);
            let found = refused(&exchange, &actions);
            let start = String::from_utf8_lossy(&wrong[..wrong.len().min(400)]);
            assert_eq!(found, (400, RpcError::PARSE), "{start}");
        }
    }
    let exactly = Arc::new(shop().with_message_bytes_max(call.len()));
    run(&send(&exactly, call.as_bytes()).1);
    let (exchange, actions) = send(&exactly, format!("{call} ").as_bytes());
    assert_eq!(refused(&exchange, &actions), (400, RpcError::INVALID_REQUEST));
    for endpoint in [&sealing(), &keyless()] {
        run(&send(endpoint, &nested(124)).1);
        run(&send(endpoint, &inside(br"\ud800")).1);
        run(&send(endpoint, &call.replace("\"s\"", r#""\udc00""#).into_bytes()).1);
    }
}

/// proves: W-11
#[test]
fn a_member_that_comes_twice_is_refused_wherever_it_is() {
    let meta = meta().to_string();
    let params = |extra: &str| format!(r#"{{"name":"order","_meta":{meta}{extra}}}"#);
    for twice in
        [r#""id":7"#, r#""jsonrpc":"2.0""#, r#""method":"tools/call""#, r#""\u006dethod":"x""#]
    {
        let call = message("tools/call", &params("")).replacen('{', &format!("{{{twice},"), 1);
        refuses(&call, 400, RpcError::INVALID_REQUEST);
    }
    for (extra, status) in [
        (r#","name":"refund""#.to_owned(), 400),
        (r#","n\u0061me":"refund""#.to_owned(), 400),
        (format!(r#","_meta":{meta}"#), 400),
        (r#","requestState":"a","requestState":"b""#.to_owned(), 400),
        (r#","inputResponses":{},"inputResponses":{}"#.to_owned(), 400),
        (r#","inputResponses":{"a":{},"\u0061":{}}"#.to_owned(), 200),
        (r#","arguments":{"a":1,"a":1}"#.to_owned(), 200),
        (r#","arguments":{"a":[{"b":1,"\u0062":2}]}"#.to_owned(), 200),
    ] {
        refuses(&message("tools/call", &params(&extra)), status, RpcError::INVALID_PARAMS);
    }
    for (name, value) in [(META_VERSION, "\"2026-07-28\""), (META_CAPABILITIES, "{}")] {
        let meta = meta.replacen('{', &format!("{{\"{name}\":{value},"), 1);
        let text = format!(r#"{{"name":"order","_meta":{meta}}}"#);
        refuses(&message("tools/call", &text), 400, RpcError::INVALID_PARAMS);
    }
}

/// proves: W-10
#[test]
fn a_notification_does_not_run_even_if_it_names_a_method_that_asks() {
    let call = message("tools/call", &params().to_string()).replace("\"id\":7,", "");
    let endpoint = sealing();
    let (exchange, actions) = send(&endpoint, call.as_bytes());
    assert!(matches!(actions.as_slice(), [Action::Respond(_)]));
    assert_eq!(actions.reports(), []);
    assert_eq!(answer(&actions), (202, Value::Null));
    assert_eq!(exchange.phase(), Phase::Settled);
}
