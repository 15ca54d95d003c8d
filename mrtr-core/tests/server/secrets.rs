//! What is formatted holds no secret, and what is shared may be shared.

use std::{io, sync::Arc};

use form_model::Form;
use mrtr_core::{
    Phase,
    server::{
        Action, Actions, Answers, Ending, Endpoint, Event, Exchange, Flow, HandlerError,
        HandlerFault, Incoming, Misuse, Need, Report, ReportKind, Respond, Run, Stop,
    },
    wire::{Headers, InputRequest, META_CAPABILITIES, RawJson, RpcError},
};
use serde_json::json;

use crate::play::{
    NOW, answer, call, end, message, meta, named, params, raw, redeem, retry, run, sealing, shop,
    state, sure, try_end, with, yes,
};

/// proves: SV-09, ST-02, ST-06
#[test]
fn no_secret_is_in_what_is_formatted_or_refused() {
    let endpoint = sealing();
    let (mut exchange, actions) = call(&endpoint, &params());
    let mut seen = format!("{endpoint:?} {exchange:?} {actions:?}");
    let shown = r#"{"type":"object","properties":{"environment":{"type":"string","title":"SENTINEL","default":"SENTINEL"}}}"#;
    let shown = InputRequest::form("SENTINEL", Form::from_schema(shown).unwrap());
    let need = Need::new().request("sure", sure());
    let need = need.request("SENTINEL", shown).state(raw(r#""SENTINEL-STATE""#));
    seen += &format!("{need:?}");
    let need = Ending::Need(need);
    seen += &format!("{need:?}");
    let actions = end(&mut exchange, need);
    seen += &format!("{actions:?}");
    let state = answer(&actions).1["result"]["requestState"].clone();
    let hidden = json!({"environment": "SENTINEL-ANSWER", "SENTINEL-KEY": 1});
    let hidden = json!({"sure": {"action": "accept", "content": hidden}});
    for responses in [yes(), hidden] {
        let (exchange, actions) = call(&endpoint, &retry(&state, responses));
        seen += &format!("{exchange:?} {actions:?}");
        if let [Action::Respond(respond)] = actions.as_slice() {
            seen += respond.body.as_ref().unwrap().as_str();
        }
    }
    assert!(!seen.contains("SENTINEL"), "{seen}");
    assert!(!seen.contains(state.as_str().unwrap()), "{seen}");
}

/// Formats a thing in both ways, and expects nothing that is secret in it.
fn shown(what: &str, thing: &impl core::fmt::Debug, secrets: &[&str]) {
    for text in [format!("{thing:?}"), format!("{thing:#?}")] {
        for secret in secrets.iter().chain(&["SENTINEL"]) {
            assert!(!text.contains(secret), "{what}: {text}");
        }
    }
}

/// Plays a flow of two rounds in which all that can be secret is, and shows all on the way.
fn play(endpoint: &Arc<Endpoint>, secrets: &mut Vec<String>) {
    let params = with(
        params(),
        &[("name", json!("SENTINEL-TOOL")), ("arguments", json!({"SENTINEL-NAME": "SENTINEL"}))],
    );
    let mut responses = json!({});
    let mut state = json!(null);
    for round in 1..=3 {
        let retry = with(
            params.clone(),
            &[("requestState", state.clone()), ("inputResponses", responses.clone())],
        );
        let params = if round == 1 { &params } else { &retry };
        let sent = message("tools/call", &params.to_string()).replace(":7,", ":\"SENTINEL-ID\",");
        let headers: Headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "SENTINEL-TOOL"),
            ("Mcp-Param-Secret", "SENTINEL-HEADER"),
        ]
        .into_iter()
        .collect();
        let incoming = Incoming::message(sent.as_bytes())
            .with_headers(headers)
            .with_principal("SENTINEL-PRINCIPAL");
        let known: Vec<_> = secrets.iter().map(String::as_str).collect();
        let shown = |what: &str, thing: &dyn core::fmt::Debug| self::shown(what, &thing, &known);
        shown("an incoming request", &incoming);
        let (mut exchange, mut actions) = Exchange::receive(endpoint, NOW, incoming);
        shown("an exchange", &exchange);
        shown("its actions", &actions);
        if exchange.phase() == Phase::Pausing {
            actions = redeem(&mut exchange);
            shown("a redeemed exchange", &exchange);
        }
        let run = run(&actions);
        shown("a run", run);
        shown("its answers", &run.answers);
        let mut flow = Flow::open(run);
        let result: Result<RawJson, Stop> = (|| {
            flow.accepted("SENTINEL-KEY", "SENTINEL: who?", named())?;
            shown("a flow", &flow);
            flow.url("page", "SENTINEL", "https://a.example/SENTINEL")?;
            Ok(raw(r#"{"content":"SENTINEL"}"#))
        })();
        shown("a flow", &flow);
        shown("its result", &result);
        let ending = flow.close(result);
        shown("an ending", &ending);
        let actions = end(&mut exchange, ending);
        shown("what is answered", &actions);
        shown("an exchange that is answered", &exchange);
        let result = answer(&actions).1["result"].clone();
        state = result["requestState"].clone();
        secrets.extend(state.as_str().map(String::from));
        responses = if round == 1 {
            json!({"SENTINEL-KEY": {"action": "accept", "content": {"name": "SENTINEL-ANSWER"}}})
        } else {
            json!({"page": {"action": "accept"}})
        };
        assert_eq!(result["resultType"] == "complete", round == 3);
    }
}

/// proves: SV-09, ST-02, ST-06
#[test]
fn no_type_of_the_role_formats_what_is_secret() {
    let mut secrets = Vec::new();
    play(&sealing(), &mut secrets);
    play(&Arc::new(shop().with_single_use()), &mut secrets);
    assert_eq!(secrets.len(), 4, "two rounds are sealed in each flow");
}

/// proves: SV-09, SV-14
#[test]
fn no_word_of_an_error_of_the_handler_is_formatted_or_answered() {
    let rpc = RpcError::new(-1, "SENTINEL").with_data(raw("\"SENTINEL\""));
    let error = HandlerError::internal(io::Error::other("SENTINEL"));
    let told = HandlerError::from(rpc).with_cause(io::Error::other("SENTINEL"));
    for error in [error.clone(), told] {
        shown("an error", &error, &[]);
        for ending in [Ending::Fail(error.clone()), Ending::Abandon(error.clone())] {
            shown("an ending", &ending, &[]);
            let (mut exchange, _) = call(&sealing(), &params());
            let actions = end(&mut exchange, ending);
            shown("a report", &actions, &[]);
            assert!(matches!(
                actions.reports(),
                [Report { kind: ReportKind::HandlerFailed(_), .. }]
            ));
        }
        for stop in [Stop::Failed(error.clone()), Stop::Abandoned(error)] {
            shown("a stop", &stop, &[]);
        }
    }
    // The cause is for the server's own log alone.
    let (mut exchange, _) = call(&sealing(), &params());
    let body = answer(&end(&mut exchange, Ending::Fail(error))).1.to_string();
    assert!(!body.contains("SENTINEL"), "{body}");
}

/// proves: ST-06, SV-09
#[test]
fn a_refused_request_is_reported_without_a_word_of_it() {
    let secret = |name: &str, value: serde_json::Value| with(params(), &[(name, value)]);
    let mut meta = meta();
    meta[META_CAPABILITIES] = json!("SENTINEL");
    for params in [
        secret("_meta", json!({"SENTINEL": "SENTINEL"})),
        secret("_meta", meta),
        secret("requestState", json!("SENTINEL")),
        secret("inputResponses", json!("SENTINEL")),
        retry(&state(&sealing()), json!({"sure": {"action": "SENTINEL"}})),
        retry(
            &state(&sealing()),
            json!({"sure": {"action": "accept", "content": {"SENTINEL": 1}}}),
        ),
    ] {
        let (exchange, actions) = call(&sealing(), &params);
        shown("an exchange", &exchange, &[]);
        shown("a report", &actions, &[]);
        let body = answer(&actions).1.to_string();
        assert!(!body.contains("SENTINEL"), "{body}");
    }
    let (mut exchange, _) = call(&sealing(), &params());
    let _ = end(&mut exchange, Ending::Finish(raw("{}")));
    shown("a misuse", &try_end(&mut exchange, Ending::Declined), &[]);
}

/// It builds only while each type may be kept, sent to and shared with another thread.
///
/// proves: SV-15
#[test]
fn every_type_of_the_role_may_be_sent_and_shared() {
    const fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Action>();
    is_shared::<Actions>();
    is_shared::<Answers>();
    is_shared::<Ending>();
    is_shared::<Endpoint>();
    is_shared::<Event>();
    is_shared::<Exchange>();
    is_shared::<Flow<'static>>();
    is_shared::<HandlerError>();
    is_shared::<HandlerFault>();
    is_shared::<Incoming<'static>>();
    is_shared::<Misuse>();
    is_shared::<Need>();
    is_shared::<Report>();
    is_shared::<ReportKind>();
    is_shared::<Respond>();
    is_shared::<Run>();
    is_shared::<Stop>();
}
