//! Responses that are invalid, and keys that were not asked.

use std::sync::Arc;

use form_model::Submission;
use mrtr_core::{
    Limits,
    server::{Ending, Endpoint, Need},
    wire::{InputRequest, InputResponse, RpcError, SamplingBuilder},
};
use serde_json::{Value, json};

use crate::play::{
    answer, asked, call, deep, end, keyless, message, model, page, params, refused, retry,
    retry_text, run, sealing, send, state, sure, with, yes,
};

/// Keys that are members of every object somewhere else, or look like places in an array.
const ODD_KEYS: [&str; 10] = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "",
    "0",
    "a.b",
    "a/b~0",
    "\u{0}\"\\",
];

fn all() -> Need {
    Need::new()
        .request("form", sure())
        .request("url", page("m", "https://a.example/"))
        .request("model", model(SamplingBuilder::new(1).user("?")))
        .request("roots", InputRequest::Roots)
}

/// Sends the text of responses and expects them to be refused before the handler runs.
fn refuses(endpoint: &Arc<Endpoint>, state: &Value, responses: &str) {
    let text = message("tools/call", &retry_text(state, responses));
    let (exchange, actions) = send(endpoint, text.as_bytes());
    let found = refused(&exchange, &actions);
    assert_eq!(
        found,
        (200, RpcError::INVALID_PARAMS),
        "{}",
        responses.get(..200).unwrap_or(responses)
    );
}

/// P31, P35, P87.
/// proves: SV-04, W-06, W-07, W-10, W-11
#[test]
fn p31_p35_p87_what_is_no_answer_of_its_kind_does_not_reach_the_handler() {
    let endpoint = sealing();
    let state = asked(&endpoint, all())["requestState"].clone();
    let large =
        format!(r#"{{"action":"accept","content":{{"ok":"{}"}}}}"#, "x".repeat(1024 * 1024));
    for responses in ["null", "7", "true", "\"x\"", "[]", "[{}]", r#"[{"action":"accept"}]"#] {
        refuses(&endpoint, &state, responses);
    }
    let deep = format!(r#"{{"action":"accept","content":{{"ok":{}}}}}"#, deep(120));
    let any = [
        "null",
        "7",
        "\"accept\"",
        "[]",
        "{}",
        r#"{"\ud800":1}"#,
        r#"{"action":"accept","action":"decline"}"#,
        r#"{"action":"submit"}"#,
        r#"{"action":"Accept"}"#,
        r#"{"action":"\ud800"}"#,
        r#"{"method":"elicitation/create","result":{"action":"accept"}}"#,
        r#"{"result":{"roots":[]}}"#,
    ];
    let form = [
        r#"{"action":"accept"}"#,
        r#"{"action":"accept","content":7}"#,
        r#"{"action":"accept","content":[]}"#,
        r#"{"action":"accept","content":{"ok":null}}"#,
        r#"{"action":"accept","content":{"ok":{"b":1}}}"#,
        r#"{"action":"accept","content":{"ok":[true]}}"#,
        r#"{"action":"accept","content":{"ok":"true"}}"#,
        r#"{"action":"accept","content":{"ok":1}}"#,
        r#"{"action":"accept","content":{"ok":true,"ok":false}}"#,
        r#"{"action":"accept","content":{"ok":true,"__proto__":{"admin":true}}}"#,
        r#"{"action":"accept","content":{"ok":true,"\ud800":1}}"#,
        r#"{"roots":[]}"#,
        &large,
        &deep,
    ];
    let model = [
        r#"{"action":"accept"}"#,
        r#"{"role":"system","model":"m","content":{}}"#,
        r#"{"role":"assistant","model":7,"content":{}}"#,
        r#"{"role":"assistant","model":"m","content":"x"}"#,
        r#"{"role":"assistant","content":{}}"#,
        r#"{"role":"assistant","model":"m"}"#,
        r#"{"role":"assistant","role":"user","model":"m","content":{}}"#,
    ];
    let roots = [
        r#"{"roots":{}}"#,
        r#"{"roots":null}"#,
        r#"{"roots":[7]}"#,
        r#"{"roots":[{}]}"#,
        r#"{"roots":[{"uri":7}]}"#,
        r#"{"roots":[],"roots":[]}"#,
    ];
    for (key, kind) in
        [("form", &form[..]), ("url", &[r#"{"roots":[]}"#]), ("model", &model), ("roots", &roots)]
    {
        for wrong in any.iter().chain(kind) {
            refuses(&endpoint, &state, &format!(r#"{{"{key}":{wrong}}}"#));
            // A sound one before it or after it does not save it.
            if key != "roots" {
                let sound = format!(r#"{{"{key}":{wrong},"roots":{{"roots":[]}}}}"#);
                refuses(&endpoint, &state, &sound);
            }
        }
    }
    refuses(&endpoint, &state, r#"{"roots":{"roots":[]},"\u0072oots":{"roots":[]}}"#);
    refuses(&endpoint, &state, r#"{"\ud800":{}}"#);
}

/// P53.
/// proves: SV-04
#[test]
fn p53_a_key_that_was_not_asked_is_not_seen_whatever_it_is_and_holds() {
    let endpoint = sealing();
    let state = state(&endpoint);
    for key in ODD_KEYS.into_iter().chain(["admin", "Sure", "sure "]) {
        for held in [json!(7), json!(null), json!([]), yes()["sure"].clone()] {
            let mut responses = yes();
            responses[key] = held;
            let (_, actions) = call(&endpoint, &retry(&state, responses));
            let answers = &run(&actions).answers;
            assert!(answers.get(key).is_none() && answers.form(key).is_none());
            assert!(matches!(answers.form("sure"), Some(Submission::Accept(_))));
            assert_eq!(format!("{answers:?}"), "Answers(1 values)");
        }
    }
}

/// proves: SV-02, SV-04
#[test]
fn a_key_is_the_text_it_is_however_it_looks() {
    let endpoint = sealing();
    let need = ODD_KEYS.into_iter().fold(Need::new(), |need, key| need.request(key, sure()));
    let result = asked(&endpoint, need);
    assert_eq!(result["inputRequests"].as_object().unwrap().len(), ODD_KEYS.len());
    for key in ODD_KEYS {
        let mut responses = json!({});
        responses[key] = json!({"action": "decline"});
        let (_, actions) = call(&endpoint, &retry(&result["requestState"], responses));
        for other in ODD_KEYS {
            let expected = (other == key).then_some(Submission::Decline);
            assert_eq!(run(&actions).answers.form(other), expected, "{key:?} {other:?}");
        }
    }
}

/// P17, P29, P33.
/// proves: SV-04, W-06
#[test]
fn p17_p29_p33_each_spelling_of_an_answer_is_read_as_what_it_is() {
    let endpoint = sealing();
    let empty = form_model::Form::from_schema(r#"{"type":"object","properties":{}}"#).unwrap();
    let need = Need::new().request("sure", InputRequest::form("Sure?", empty));
    let state = asked(&endpoint, need)["requestState"].clone();
    for (response, expected) in [
        (json!({"action": "accept"}), "Accepted"),
        (json!({"action": "accept", "content": {}}), "Accepted"),
        (json!({"action": "accept", "content": null}), "Accepted"),
        (json!({"action": "accept", "resultType": "complete", "_meta": {}}), "Accepted"),
        (json!({"action": "decline"}), "Declined"),
        (json!({"action": "decline", "resultType": "complete"}), "Declined"),
        (json!({"action": "decline", "content": {"ok": true}}), "Declined"),
        (json!({"action": "cancel"}), "Cancelled"),
        (json!({"action": "cancel", "content": 7}), "Cancelled"),
    ] {
        let (_, actions) = call(&endpoint, &retry(&state, json!({"sure": response})));
        let found = match run(&actions).answers.form("sure").unwrap() {
            Submission::Accept(_) => "Accepted",
            Submission::Decline => "Declined",
            Submission::Cancel => "Cancelled",
        };
        assert_eq!(found, expected, "{response}");
    }
}

/// proves: SV-04, SV-05
#[test]
fn without_keys_an_answer_is_checked_by_what_the_handler_would_ask() {
    let endpoint = keyless();
    let wrapped = json!({"method": "elicitation/create", "result": {"action": "accept"}});
    for (held, is_answer) in [
        (json!({"action": "decline"}), true),
        (json!({"action": "accept", "content": {"ok": true}}), true),
        (json!({"action": "accept", "content": {}}), false),
        (json!({"roots": []}), false),
        (wrapped, false),
        (json!(null), false),
        (json!([]), false),
    ] {
        let responses = json!({"sure": held, "__proto__": {"action": "accept"}});
        let (_, actions) = call(&endpoint, &with(params(), &[("inputResponses", responses)]));
        let answers = &run(&actions).answers;
        assert!(answers.get("sure").is_none(), "nothing tells that it was asked");
        match answers.check("sure", &sure()) {
            Ok(Some(InputResponse::Accept(_) | InputResponse::Decline)) => {
                assert!(is_answer, "{held}");
            }
            Ok(other) => panic!("{other:?}"),
            Err(_) => assert!(!is_answer, "{held}"),
        }
        assert!(answers.check("sure", &InputRequest::Roots).is_ok() == held["roots"].is_array());
        assert_eq!(answers.check("other", &sure()), Ok(None));
    }
}

/// proves: SV-04, FM-04
#[test]
fn without_keys_an_answer_is_checked_within_the_limits_of_the_endpoint() {
    let content = json!({"ok": true});
    let checked = |answer_bytes_max| {
        let form = form_model::Limits::default().answer_bytes_max(answer_bytes_max);
        let endpoint = Endpoint::new("shop").with_limits(Limits::default().form(form));
        let responses = json!({"sure": {"action": "accept", "content": content}});
        let params = with(params(), &[("inputResponses", responses)]);
        run(&call(&Arc::new(endpoint), &params).1).answers.check("sure", &sure()).is_ok()
    };
    let bytes = content.to_string().len();
    assert_eq!([checked(bytes), checked(bytes - 1)], [true, false]);
}

/// proves: SV-04
#[test]
fn an_answer_that_is_missing_is_asked_again_under_the_same_key() {
    let endpoint = sealing();
    let state = state(&endpoint);
    for responses in [json!({}), json!({"other": {"action": "accept"}})] {
        let (mut exchange, actions) = call(&endpoint, &retry(&state, responses));
        assert!(run(&actions).answers.form("sure").is_none());
        let need = Need::new().request("sure", sure());
        let (status, body) = answer(&end(&mut exchange, Ending::Need(need)));
        assert_eq!(status, 200);
        assert_eq!(body["result"]["inputRequests"].as_object().unwrap().len(), 1);
    }
}

/// proves: SV-04, W-11
#[test]
fn a_flood_of_keys_that_were_not_asked_is_passed_by() {
    let endpoint = sealing();
    let state = state(&endpoint);
    let flood: Vec<_> = (0..200_000).map(|key| format!(r#""k{key}":0"#)).collect();
    let sound = r#""sure":{"action":"decline"}"#;
    let responses = format!("{{{},{sound}}}", flood.join(","));
    let text = message("tools/call", &retry_text(&state, &responses));
    let (_, actions) = send(&endpoint, text.as_bytes());
    assert_eq!(format!("{:?}", run(&actions).answers), "Answers(1 values)");
}
