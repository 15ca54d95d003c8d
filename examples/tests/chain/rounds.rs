//! Rounds of questions: what is asked, in which order, and what is sent back.

use std::collections::BTreeSet;

use mrtr_core::{
    client::Event,
    host::{Ending, Limits},
    wire::{Decision, Elicitation, InputRequest, InputResponse},
};
use mrtr_examples::surface::{Script, Surface as _};
use serde_json::{Value, json};

use crate::{
    fixture::{Chain, asked, confirm, ended, failure, outcome, text},
    servers::{Server, asks, done, form},
};

/// proves: CL-02, CL-03, CL-19, HB-01
#[tokio::test]
async fn criterion_3_two_rounds_are_one_call_with_one_result() {
    let states = [r#""round \u00e9 \ud83e\udd80 \/""#, r#""second""#];
    let round = |leg, key: &str, state| asks(leg, &json!({key: form("Sure?")}), state);
    let lines = vec![
        round("1.1.1", "first", states[0]),
        round("1.1.2", "second", states[1]),
        done("1.1.3"),
    ];
    let script = r#"for reply in "$@"; do hear; say "$reply"; done; hear"#;
    let server = Server::play("two-rounds", script, lines);
    let chain = Chain::volatile("criterion-3", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let invocation = running.invocation.clone();
    let mut owners = Vec::new();
    for _ in 0..2 {
        let question = asked(&mut screen).await;
        owners.push(question.owner.clone());
        screen.answer(question.id, confirm()).await.unwrap();
        assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(Decision::Accept));
    }
    assert_eq!(owners[0], owners[1]);
    assert_eq!(owners[0].invocation, invocation);
    assert_eq!(text(&outcome(running).await), "done");
    assert!(chain.is_idle().await);
    let folder = chain.folder.clone();
    drop(screen);
    let results = provider.from_provider.clone();
    chain.end([provider]).await;
    assert_eq!(results.count("accepted"), 1);
    assert_eq!(results.count("result"), 1);

    let heard = folder.heard(&server);
    let ids: Vec<_> = heard.iter().map(|request| request["id"].clone()).collect();
    assert_eq!(ids, ["1.1.1", "1.1.2", "1.1.3"]);
    for (request, key) in heard.iter().zip([None, Some("first"), Some("second")]) {
        let params = &request["params"];
        assert_eq!(params["name"], "deploy");
        assert_eq!(params["arguments"], json!({"artifact": "build-42"}));
        assert_eq!(params["_meta"], heard[0]["params"]["_meta"]);
        let accepted = json!({"action": "accept", "content": {"confirm": true}});
        let expected = key.map_or(Value::Null, |key| json!({key: accepted}));
        assert_eq!(params["inputResponses"], expected);
    }
    let lines = folder.text("two-rounds-heard");
    let lines: Vec<_> = lines.lines().collect();
    assert!(!lines[0].contains("requestState"));
    for (line, state) in lines[1..].iter().zip(states) {
        assert!(line.contains(&format!(r#""requestState":{state}"#)), "{line}");
    }
}

/// proves: W-06, CL-12, HB-05
#[tokio::test]
async fn criterion_4_accept_decline_and_cancel_stay_distinct_from_end_to_end() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-4", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let given = [("environment", "production"), ("confirm", "true")];
    let given = given.map(|(name, value)| (name.into(), value.into())).into();
    for (script, decision, expected) in [
        (Script::Accept(given), Decision::Accept, "deployed build-42 to production"),
        (Script::Decline, Decision::Decline, "build-42 was not deployed: declined"),
        (Script::Cancel, Decision::Cancel, "build-42 was not deployed: cancelled"),
    ] {
        let running = chain.call().await;
        let question = asked(&mut screen).await;
        let requester = &question.question.requester;
        let names =
            [&requester.provider, &requester.server, &requester.tool].map(|name| name.raw());
        assert_eq!(names, ["local", "deploy", "deploy"]);
        let request = InputRequest::from(question.question.elicitation.clone());
        let Ok(Event::Answer { response, .. }) = script.ask(1, String::new(), request).await else {
            panic!("{decision:?}")
        };
        screen.answer(question.id, response).await.unwrap();
        assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(decision));
        assert_eq!(text(&outcome(running).await), expected);
    }
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    let answers: Vec<_> = folder
        .heard(&server)
        .iter()
        .filter_map(|request| request["params"].get("inputResponses").cloned())
        .collect();
    let content = json!({"environment": "production", "confirm": true});
    assert_eq!(
        answers,
        [
            json!({"target": {"action": "accept", "content": content}}),
            json!({"target": {"action": "decline"}}),
            json!({"target": {"action": "cancel"}}),
        ]
    );
}

/// proves: CL-07, HB-03
#[tokio::test]
async fn criterion_5_forms_of_one_round_are_asked_one_by_one_and_go_back_under_their_keys() {
    let requests =
        json!({"c": form("c"), "a": form("a"), "b": form("b"), "\u{1f980} é": form("d")});
    let lines = vec![asks("1.1.1", &requests, "\"state\""), done("1.1.2")];
    let server = Server::play("forms", r#"hear; say "$1"; hear; say "$2"; hear"#, lines);
    let chain = Chain::volatile("criterion-5", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let answers = [InputResponse::Decline, confirm(), InputResponse::Cancel, confirm()];
    for (message, response) in ["a", "b", "c", "d"].into_iter().zip(answers) {
        let question = asked(&mut screen).await;
        let Elicitation::Form(form) = &question.question.elicitation else { panic!("{message}") };
        assert_eq!(form.message.raw(), message);
        assert_eq!(screen.open().count(), 1);
        screen.answer(question.id, response).await.unwrap();
        ended(&mut screen, question.id).await;
    }
    assert_eq!(text(&outcome(running).await), "done");
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    let heard = folder.heard(&server);
    assert_eq!(heard.len(), 2);
    let accepted = json!({"action": "accept", "content": {"confirm": true}});
    let declined = json!({"action": "decline"});
    let expected =
        json!({"a": declined, "b": accepted, "c": {"action": "cancel"}, "\u{1f980} é": accepted});
    assert_eq!(heard[1]["params"]["inputResponses"], expected);
}

/// proves: CL-06, CL-14, HB-04
#[tokio::test]
async fn criterion_5_a_malformed_sibling_fails_the_round_before_anybody_is_asked() {
    let elicitation = |params| json!({"method": "elicitation/create", "params": params});
    let nested = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    let siblings = [
        json!({"method": "tasks/create", "params": {}}),
        json!({"method": "roots/list"}),
        json!({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}),
        elicitation(json!({"message": "m", "requestedSchema": nested})),
        elicitation(json!({"message": "m", "requestedSchema": {}})),
        elicitation(json!({"message": "m", "mode": "video"})),
        elicitation(json!({"message": "x".repeat(20_000), "requestedSchema": form("")["params"]})),
        json!("what"),
    ];
    let leg = |index: usize| format!("1.{}.1", index + 1);
    let lines = siblings.iter().enumerate().map(|(index, sibling)| {
        asks(&leg(index), &json!({"a": form("a"), "b": sibling}), "\"state\"")
    });
    let script = r#"for reply in "$@"; do hear; say "$reply"; done; hear"#;
    let server = Server::play("malformed", script, lines.collect());
    let chain = Chain::volatile("criterion-5-malformed", Limits::default());
    let provider = chain.provider(&server).await;
    for sibling in &siblings {
        let (code, message) = failure(&outcome(chain.call().await).await);
        assert_eq!(code, "fault", "{sibling}: {message}");
    }
    let changes = chain.host.look(|broker| broker.snapshot(&crate::fixture::session()).number);
    assert_eq!(changes.await, Ok(0));
    let folder = chain.folder.clone();
    let frames = provider.from_provider.clone();
    chain.end([provider]).await;
    assert_eq!(frames.count("interaction_request"), 0);
    let heard = folder.heard(&server);
    let ids: BTreeSet<_> = heard.iter().map(|request| request["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        BTreeSet::from_iter(
            (0..siblings.len()).map(leg).collect::<Vec<_>>().iter().map(String::as_str)
        )
    );
    assert_eq!(heard.len(), siblings.len());
}

/// proves: CL-16, HB-04
#[tokio::test]
async fn a_url_that_is_agreed_to_goes_back_without_content() {
    let url = "https://xn--80ak6aa92e.com/pay?x=1";
    let request =
        json!({"mode": "url", "message": "Pay first", "url": url, "elicitationId": "e-1"});
    let requests = json!({"pay": {"method": "elicitation/create", "params": request}});
    let lines = vec![asks("1.1.1", &requests, "\"state\""), done("1.1.2")];
    let server = Server::play("url", r#"hear; say "$1"; hear; say "$2"; hear"#, lines);
    let chain = Chain::volatile("url", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    let Elicitation::Url(request) = &question.question.elicitation else { panic!("{question:?}") };
    assert_eq!(&*request.url, url);
    assert!(request.is_punycode && request.is_https);
    screen.answer(question.id, InputResponse::Consent).await.unwrap();
    assert_eq!(text(&outcome(running).await), "done");
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    let heard = folder.heard(&server);
    assert_eq!(heard[1]["params"]["inputResponses"], json!({"pay": {"action": "accept"}}));
}
