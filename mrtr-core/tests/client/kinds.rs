//! Every kind of question: by its claim, with its answer, and mixed with the others.

use form_model::Content;
use mrtr_core::{
    Limits, Phase,
    client::{Action, Claims, CloseReason, Event, Fault, Misuse, Outcome},
    wire::{
        Elicitation, InputRequest, InputResponse, META_CAPABILITIES, Method, RawJson,
        ResponseError, WireError,
    },
};
use serde_json::{Value, json};

use crate::play::{
    CONFIRM, DONE, METHODS, Play, ROOTS, SAMPLING, URL, all_claims, answer, asked, asking, faulted,
    param, request_of, sent, settled, yes,
};

/// A model's answer, spelled as no encoder would.
const SAMPLED: &str = r#"{ "model":"m\u0041", "role":"assistant","content":{"type":"text","text":"\ud800"},"n":1.0 }"#;

/// Roots, spelled as no encoder would.
const LISTED: &str = r#"{"roots":[ {"uri":"file:\/\/\/a","name":"A"} ] , "_meta":{}}"#;

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

fn sampled() -> InputResponse {
    InputResponse::Sampled(raw(SAMPLED))
}

fn listed() -> InputResponse {
    InputResponse::Roots(raw(LISTED))
}

fn called(method: Method, claims: Claims) -> Play {
    Play::started(request_of(method), claims, Limits::default())
}

fn with_all() -> Play {
    called(Method::ToolsCall, all_claims())
}

fn asked_for(request: &str) -> Play {
    let mut play = with_all();
    assert_eq!(asked(&play.serve(&asking(&[("k", request)], None))), ["k"]);
    play
}

/// Lists each kind: the claim of it alone, a request of it, the name that a fault has for it, and
/// an answer.
fn kinds() -> [(Claims, &'static str, &'static str, InputResponse); 4] {
    let none = Claims::none();
    [
        (none.with_form(), CONFIRM, "form elicitation", yes()),
        (none.with_url(), URL, "URL elicitation", InputResponse::Consent),
        (none.with_sampling(), SAMPLING, "sampling", sampled()),
        (none.with_roots(), ROOTS, "roots", listed()),
    ]
}

/// proves: CL-14, CL-15, W-03
#[test]
fn each_kind_is_asked_by_its_own_claim_and_by_no_other_on_each_method() {
    for method in METHODS {
        for (at, (claims, ..)) in kinds().into_iter().enumerate() {
            for (other, (_, request, kind, response)) in kinds().into_iter().enumerate() {
                let mut play = called(method, claims);
                let actions = play.serve(&asking(&[("k", request)], None));
                if at == other {
                    assert_eq!(asked(&actions), ["k"], "{kind}");
                    let actions = play.answer(1, "k", response).unwrap();
                    assert_eq!(sent(&actions).method, method);
                    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
                } else {
                    assert_eq!(*faulted(&actions), Fault::Undeclared { kind });
                    assert_eq!((play.sent.len(), play.call.open()), (1, 0));
                }
            }
        }
    }
}

/// proves: CL-14
#[test]
fn a_call_that_claims_nothing_is_asked_nothing_of_any_kind_on_any_method() {
    for method in METHODS {
        for (_, request, ..) in kinds() {
            let mut play = called(method, Claims::none());
            let actions = play.serve(&asking(&[("k", request)], Some("\"s\"")));
            assert_eq!(*faulted(&actions), Fault::Undeclared { kind: "input_required" });
            assert_eq!((play.sent.len(), play.call.open()), (1, 0));
        }
    }
}

/// proves: CL-02, CL-15, W-09
#[test]
fn every_leg_declares_exactly_what_is_claimed() {
    let none = Claims::none();
    for (claims, request, response, declared) in [
        (none.with_form(), CONFIRM, yes(), json!({"elicitation": {"form": {}}})),
        (none.with_url(), URL, InputResponse::Consent, json!({"elicitation": {"url": {}}})),
        (none.with_sampling(), SAMPLING, sampled(), json!({"sampling": {}})),
        (none.with_sampling_tools(), SAMPLING, sampled(), json!({"sampling": {"tools": {}}})),
        (none.with_sampling_context(), SAMPLING, sampled(), json!({"sampling": {"context": {}}})),
        (none.with_roots(), ROOTS, listed(), json!({"roots": {}})),
        (
            all_claims(),
            ROOTS,
            listed(),
            json!({"elicitation": {"form": {}, "url": {}},
                "sampling": {"tools": {}, "context": {}}, "roots": {}}),
        ),
    ] {
        let mut play = called(Method::ToolsCall, claims);
        play.serve(&asking(&[("k", request)], None));
        play.answer(1, "k", response).unwrap();
        for leg in &play.sent {
            let meta: Value = serde_json::from_str(&param(leg, "_meta").unwrap()).unwrap();
            assert_eq!(meta[META_CAPABILITIES], declared);
        }
        assert_eq!(
            serde_json::from_str::<Value>(&claims.capabilities().to_json()).unwrap(),
            declared
        );
    }
}

/// proves: CL-12, CL-16, W-06, W-07
#[test]
fn an_answer_of_each_kind_goes_back_bare_under_its_key() {
    for (request, response, result) in [
        (CONFIRM, yes(), r#"{"action":"accept","content":{"confirm":true}}"#),
        (CONFIRM, InputResponse::Decline, r#"{"action":"decline"}"#),
        (CONFIRM, InputResponse::Cancel, r#"{"action":"cancel"}"#),
        // Agreement to open a URL carries no content.
        (URL, InputResponse::Consent, r#"{"action":"accept"}"#),
        (URL, InputResponse::Decline, r#"{"action":"decline"}"#),
        (URL, InputResponse::Cancel, r#"{"action":"cancel"}"#),
        (SAMPLING, sampled(), SAMPLED),
        (ROOTS, listed(), LISTED),
    ] {
        let mut play = asked_for(request);
        let actions = play.answer(1, "k", response).unwrap();
        let responses = param(sent(&actions), "inputResponses").unwrap();
        assert_eq!(responses, format!(r#"{{"k":{result}}}"#));
    }
}

/// proves: CL-06, CL-15
#[test]
fn sampling_beyond_what_the_model_takes_fails_the_whole_round() {
    let none = Claims::none();
    let wants =
        |more: &str| SAMPLING.replace(r#""maxTokens":1"#, &format!(r#""maxTokens":1,{more}"#));
    let tools = [r#""tools":[]"#, r#""toolChoice":{"mode":"none"}"#].map(wants);
    let context =
        ["thisServer", "allServers"].map(|whose| wants(&format!(r#""includeContext":"{whose}""#)));
    let plain = none.with_sampling();
    let with_tools = none.with_sampling_tools();
    let with_context = none.with_sampling_context();
    for (requests, kind, refusing, taking) in [
        (&tools, "sampling with tools", [plain, with_context], with_tools),
        (&context, "sampling with context", [plain, with_tools], with_context),
    ] {
        for request in requests {
            for pair in [[("a", SAMPLING), ("b", request)], [("a", request), ("b", SAMPLING)]] {
                for claims in refusing {
                    let mut play = called(Method::ToolsCall, claims);
                    let actions = play.serve(&asking(&pair, None));
                    assert_eq!(*faulted(&actions), Fault::Undeclared { kind });
                    assert_eq!((play.sent.len(), play.call.open()), (1, 0));
                }
                let mut play = called(Method::ToolsCall, taking);
                assert_eq!(asked(&play.serve(&asking(&pair, None))), ["a", "b"]);
            }
        }
    }
    // To include the context of no server takes no claim.
    let mut play = called(Method::ToolsCall, plain);
    let request = wants(r#""includeContext":"none""#);
    assert_eq!(asked(&play.serve(&asking(&[("k", &request)], None))), ["k"]);
}

/// proves: CL-06, W-03, W-05
#[test]
fn a_malformed_request_of_any_kind_fails_the_whole_round() {
    let shape = |what, expected| Fault::Wire(WireError::shape(what, expected));
    let url = |members: &str| {
        format!(
            r#"{{"method":"elicitation/create","params":{{"mode":"url","message":"m"{members}}}}}"#
        )
    };
    let sampling =
        |members: &str| format!(r#"{{"method":"sampling/createMessage","params":{{{members}}}}}"#);
    let web = shape("url", "an absolute http or https URL");
    for (bad, fault) in [
        (url(""), shape("url", "a string")),
        (url(r#","url":7"#), shape("url", "a string")),
        (url(r#","url":"/pay""#), web.clone()),
        (url(r#","url":"https:pay""#), web.clone()),
        (url(r#","url":"javascript:alert(1)""#), web),
        (sampling(""), shape("messages", "an array of messages with role and content")),
        (sampling(r#""messages":[]"#), shape("maxTokens", "a positive integer")),
        (
            sampling(r#""messages":[],"maxTokens":1,"includeContext":"all""#),
            shape("includeContext", "none, thisServer or allServers"),
        ),
        (ROOTS.replace('}', r#","params":[]}"#), shape("the params of roots", "an object")),
    ] {
        for good in [CONFIRM, URL, SAMPLING, ROOTS] {
            for pair in [[("a", good), ("b", &bad)], [("a", bad.as_str()), ("b", good)]] {
                let mut play = with_all();
                assert_eq!(*faulted(&play.serve(&asking(&pair, None))), fault, "{bad}");
                assert_eq!((play.sent.len(), play.call.open()), (1, 0));
            }
        }
    }
}

/// proves: CL-16
#[test]
fn a_url_is_published_whole_with_what_is_suspicious_about_it() {
    let url = "http://example.com@xn--pple-43d.example:8443/a?token=hunter2#b";
    let request = URL.replace("https://example.org/pay", url);
    let mut play = with_all();
    let actions = play.serve(&asking(&[("k", &request)], None));
    let [Action::Ask { request: InputRequest::Elicitation(Elicitation::Url(found)), .. }] =
        actions.as_slice()
    else {
        panic!("expected a URL, found {actions:?}")
    };
    assert_eq!((found.message.as_str(), &*found.url), ("Pay", url));
    assert_eq!(found.host.as_str(), "xn--pple-43d.example");
    assert!(!found.is_https && found.is_punycode && found.has_userinfo && !found.is_mixed_script);
    assert!(!format!("{actions:?}").contains("hunter2"));
}

/// proves: CL-09, CL-15
#[test]
fn an_answer_of_another_kind_is_refused_and_the_question_stays_open() {
    let accept = || InputResponse::Accept(Content::new());
    let refusal = || [InputResponse::Decline, InputResponse::Cancel];
    for (request, wrong, right) in [
        (CONFIRM, vec![InputResponse::Consent, sampled(), listed()], yes()),
        (URL, vec![accept(), yes(), sampled(), listed()], InputResponse::Consent),
        (
            SAMPLING,
            [vec![accept(), InputResponse::Consent, listed()], refusal().into()].concat(),
            sampled(),
        ),
        (
            ROOTS,
            [vec![accept(), InputResponse::Consent, sampled()], refusal().into()].concat(),
            listed(),
        ),
    ] {
        let mut play = asked_for(request);
        for response in wrong {
            let refused = play.assert_changes_nothing(answer(1, "k", response));
            assert_eq!(refused, Err(Misuse::Response(ResponseError::WrongKind)));
        }
        assert_eq!((play.call.phase(), play.call.open()), (Phase::AwaitingInteraction, 1));
        sent(&play.answer(1, "k", right).unwrap());
    }
}

/// proves: CL-09, W-07
#[test]
fn an_answer_of_a_wrong_shape_is_refused_and_the_question_stays_open() {
    type Wrap = fn(RawJson) -> InputResponse;
    let wrapped = format!(r#"{{"method":"sampling/createMessage","result":{SAMPLED}}}"#);
    let cases: [(&str, Wrap, &[&str], InputResponse); 2] = [
        (
            SAMPLING,
            InputResponse::Sampled,
            &["7", "[]", "{}", &wrapped, LISTED, r#"{"role":"user","model":"m","content":"x"}"#],
            sampled(),
        ),
        (
            ROOTS,
            InputResponse::Roots,
            &["7", "[]", "{}", SAMPLED, r#"{"roots":["file:///a"]}"#, r#"{"roots":[],"roots":[]}"#],
            listed(),
        ),
    ];
    for (request, wrap, wrong, right) in cases {
        let mut play = asked_for(request);
        for json in wrong {
            let refused = play.assert_changes_nothing(answer(1, "k", wrap(raw(json))));
            assert!(
                matches!(refused, Err(Misuse::Response(ResponseError::Malformed(_)))),
                "{json}: {refused:?}"
            );
        }
        assert_eq!((play.call.phase(), play.call.open()), (Phase::AwaitingInteraction, 1));
        sent(&play.answer(1, "k", right).unwrap());
    }
}

/// proves: FM-04
#[test]
fn an_answer_without_a_form_is_bounded_too() {
    let answered = |answer_bytes_max| {
        let form = form_model::Limits::default().answer_bytes_max(answer_bytes_max);
        let limits = Limits::default().form(form);
        let mut play = Play::started(request_of(Method::ToolsCall), all_claims(), limits);
        play.serve(&asking(&[("k", ROOTS)], None));
        play.answer(1, "k", listed()).map(drop)
    };
    let bytes_max = LISTED.len() - 1;
    assert_eq!(answered(bytes_max), Err(Misuse::Response(ResponseError::TooLarge { bytes_max })));
    assert_eq!(answered(LISTED.len()), Ok(()));
}

/// proves: CL-07, CL-15, W-07
#[test]
fn a_round_of_four_kinds_makes_the_same_bytes_in_whatever_order_it_is_answered() {
    let answers = [("d", yes()), ("c", InputResponse::Consent), ("b", sampled()), ("a", listed())];
    let expected = format!(
        r#"{{"a":{LISTED},"b":{SAMPLED},"c":{{"action":"accept"}},"d":{{"action":"accept","content":{{"confirm":true}}}}}}"#
    );
    let mut orders = 0;
    for order in (0..4_usize.pow(4)).map(|n| [n % 4, n / 4 % 4, n / 16 % 4, n / 64]) {
        let is_order = (0..4).all(|index| order.contains(&index));
        if !is_order {
            continue;
        }
        orders += 1;
        let mut play = with_all();
        let requests = [("d", CONFIRM), ("c", URL), ("b", SAMPLING), ("a", ROOTS)];
        assert_eq!(asked(&play.serve(&asking(&requests, Some("\"s\"")))), ["a", "b", "c", "d"]);
        let [first @ .., last] = order.map(|index| answers[index].clone());
        for (key, response) in first {
            assert_eq!(play.answer(1, key, response).unwrap(), []);
        }
        let actions = play.answer(1, last.0, last.1).unwrap();
        assert_eq!(param(sent(&actions), "inputResponses").unwrap(), expected);
        assert_eq!(param(sent(&actions), "requestState").unwrap(), "\"s\"");
    }
    assert_eq!(orders, 24);
}

/// proves: CL-07, CL-15, CL-18
#[test]
fn a_question_whose_handler_fails_takes_the_round_back_and_sends_nothing() {
    let mut play = with_all();
    play.serve(&asking(&[("a", CONFIRM), ("b", SAMPLING), ("c", ROOTS)], Some("\"s\"")));
    play.answer(1, "a", yes()).unwrap();
    let failed = |round, key: &str| Event::Failed { round, key: key.into() };
    for (event, misuse) in [
        (failed(0, "b"), Misuse::WrongRound),
        (failed(2, "b"), Misuse::WrongRound),
        (failed(1, "z"), Misuse::UnknownKey),
        (failed(1, "a"), Misuse::Answered),
    ] {
        assert_eq!(play.assert_changes_nothing(event), Err(misuse));
    }
    let retract =
        |key: &str| Action::Retract { round: 1, key: key.into(), why: CloseReason::Unanswerable };
    let actions = play.handle(failed(1, "c")).unwrap();
    assert_eq!(actions, [retract("b"), retract("c"), Action::Settle(Outcome::Unanswerable)]);
    assert_eq!((play.sent.len(), play.call.phase(), play.call.open()), (1, Phase::Settled, 0));
    for event in [failed(1, "b"), failed(1, "c"), answer(1, "b", sampled())] {
        assert_eq!(play.assert_changes_nothing(event), Err(Misuse::Closed));
    }
}
