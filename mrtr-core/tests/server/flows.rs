//! Flows, whose answers are not what was asked, or are as large and as deep as they may be.

use mrtr_core::{
    Endpoint, InputRequest, Limits,
    exchange::{Action, Event, Flow, HandlerFault, Pending, Run},
    wire::RpcError,
};
use serde_json::{Value, json};

use crate::play::{
    answer, call, confirm, deep, end, faulted, message, named, params, raw, refused, retry,
    retry_text, run, sealing, send, sure, yes,
};

/// Plays a round of a flow's handler and returns the answer.
fn play(endpoint: &Endpoint, handler: impl FnOnce(&Run) -> Event, params: &Value) -> Value {
    let (mut exchange, actions) = call(endpoint, params);
    let event = handler(run(&actions));
    answer(&end(&mut exchange, event)).1
}

/// Asks one thing.
fn asks(run: &Run, request: InputRequest) -> Event {
    Flow::run(run, |flow| flow.ask("sure", request).map(|_| raw("{}")))
}

/// The answer of one kind is never that of another, even if it is written the same.
/// proves: SV-10, SV-04
#[test]
fn a_flow_that_asks_for_another_kind_under_the_same_key_is_refused() {
    let endpoint = sealing();
    let url = || InputRequest::url("m", "https://a.example/");
    let empty = form_model::Form::from_schema(r#"{"type":"object","properties":{}}"#).unwrap();
    let empty = || InputRequest::form("Fine?", empty.clone());
    let mut taken = Vec::new();
    for (what, before, now, response) in [
        ("a form for a URL", sure(), url(), yes()["sure"].clone()),
        ("a declined form for a URL", sure(), url(), json!({"action": "decline"})),
        ("a URL for a form", url(), empty(), json!({"action": "accept"})),
        ("a dismissed URL for a form", url(), sure(), json!({"action": "cancel"})),
    ] {
        let first = play(&endpoint, |run| asks(run, before), &params());
        let state = &first["result"]["requestState"];
        let (mut exchange, actions) = call(&endpoint, &retry(state, json!({"sure": response})));
        let event = asks(run(&actions), now);
        if let Event::Finish(_) = event {
            taken.push(what);
        } else {
            assert_eq!(*faulted(&end(&mut exchange, event)), HandlerFault::FlowChanged, "{what}");
        }
    }
    assert_eq!(taken, Vec::<&str>::new());
}

/// proves: SV-10, ST-08
#[test]
fn a_flow_that_did_nothing_can_give_its_state_back() {
    let busy = || RpcError::new(-1, "busy");
    let (_, actions) = call(&sealing(), &params());
    let event = Flow::run(run(&actions), |_| Err(Pending::Abandoned(busy())));
    assert_eq!(event, Event::Abandon(busy()));
}

/// proves: SV-10, SV-04, W-11
#[test]
fn an_answer_that_is_as_deep_as_it_may_be_does_not_spoil_the_flow_that_keeps_it() {
    fn roots_then_sure(run: &Run) -> Event {
        Flow::run(run, |flow| {
            flow.ask("roots", InputRequest::roots())?;
            flow.accepted("sure", "Sure?", confirm())?;
            Ok(raw("{}"))
        })
    }
    let endpoint = sealing();
    for levels in [100, 120, 121, 122, 123] {
        let first = play(&endpoint, roots_then_sure, &params());
        let state = &first["result"]["requestState"];
        let responses = format!(r#"{{"roots":{{"roots":[],"_meta":{}}}}}"#, deep(levels));
        let text = message("tools/call", &retry_text(state, &responses));
        let (mut exchange, actions) = send(&endpoint, text.as_bytes());
        // It is refused at once, or it is kept.
        if let [Action::Run(run)] = actions.as_slice() {
            let event = roots_then_sure(run);
            let second = answer(&end(&mut exchange, event)).1;
            let state = &second["result"]["requestState"];
            let done = play(&endpoint, roots_then_sure, &retry(state, yes()));
            assert_eq!(done["result"], json!({"resultType": "complete"}), "{levels} levels");
        } else {
            assert_eq!(refused(&exchange, &actions), (200, RpcError::INVALID_PARAMS));
        }
    }
}

/// proves: SV-10
#[test]
fn a_flow_takes_an_answer_as_large_as_the_endpoint_does() {
    let form = form_model::Limits { answer_bytes_max: 1024 * 1024, ..Default::default() };
    let endpoint = sealing().with_limits(Limits { form, ..Limits::default() });
    fn name(run: &Run) -> Event {
        Flow::run(run, |flow| {
            let name = flow.accepted("name", "Who?", named())?;
            Ok(raw(&format!(r#"{{"bytes":{}}}"#, name.text("name").unwrap_or_default().len())))
        })
    }
    let first = play(&endpoint, name, &params());
    let long = "x".repeat(300 * 1024);
    let responses = json!({"name": {"action": "accept", "content": {"name": long}}});
    let done = play(&endpoint, name, &retry(&first["result"]["requestState"], responses));
    assert_eq!(done["result"]["bytes"], long.len(), "{}", done["error"]);
}
