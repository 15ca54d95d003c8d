//! What a client declared, against what it is asked: every cell of the table.

use mrtr_core::{
    server::{Action, Ending, Need, ReportKind},
    wire::{
        Capabilities, IncludeContext, InputRequest, META_CAPABILITIES, RpcError, SamplingBuilder,
    },
};
use serde_json::{Value, json};

use crate::play::{
    answer, call, confirm, end, model, page, params, raw, report, retry, run, sealing, state, sure,
};

fn sampling() -> SamplingBuilder {
    SamplingBuilder::new(1).user("?")
}

/// Every kind of request, and what it needs, as the specification spells it.
fn kinds() -> Vec<(InputRequest, &'static [&'static str])> {
    let tools = || sampling().tools(&raw("[]"));
    let choice = || sampling().tool_choice(&raw(r#"{"mode":"none"}"#));
    vec![
        (InputRequest::form("m", confirm()), &["elicitation.form"]),
        (page("m", "https://a.example/"), &["elicitation.url"]),
        // Without `includeContext`, which is `none`.
        (model(sampling()), &["sampling"]),
        (model(tools()), &["sampling", "sampling.tools"]),
        (model(choice()), &["sampling", "sampling.tools"]),
        (
            model(sampling().include_context(IncludeContext::ThisServer)),
            &["sampling", "sampling.context"],
        ),
        (
            model(sampling().include_context(IncludeContext::AllServers)),
            &["sampling", "sampling.context"],
        ),
        (
            model(choice().include_context(IncludeContext::ThisServer)),
            &["sampling", "sampling.tools", "sampling.context"],
        ),
        (InputRequest::Roots, &["roots"]),
    ]
}

/// Every set of capabilities, as a client writes it, and what it stands for.
fn declared() -> Vec<(Value, Vec<&'static str>)> {
    let elicitation: [(Option<Value>, &[&str]); 5] = [
        (None, &[]),
        (Some(json!({})), &["elicitation.form"]),
        (Some(json!({"form": {}})), &["elicitation.form"]),
        (Some(json!({"url": {}})), &["elicitation.url"]),
        (Some(json!({"form": {}, "url": {}})), &["elicitation.form", "elicitation.url"]),
    ];
    let sampling: [(Option<Value>, &[&str]); 5] = [
        (None, &[]),
        (Some(json!({})), &["sampling"]),
        (Some(json!({"tools": {}})), &["sampling", "sampling.tools"]),
        (Some(json!({"context": {}})), &["sampling", "sampling.context"]),
        (
            Some(json!({"tools": {}, "context": {}})),
            &["sampling", "sampling.tools", "sampling.context"],
        ),
    ];
    let roots: [(Option<Value>, &[&str]); 2] =
        [(None, &[]), (Some(json!({"listChanged": true})), &["roots"])];
    let mut sets = Vec::new();
    for (elicitation, modes) in &elicitation {
        for (sampling, settings) in &sampling {
            for (roots, has_roots) in &roots {
                let mut json = json!({"experimental": {"x": {}}});
                for (name, member) in
                    [("elicitation", elicitation), ("sampling", sampling), ("roots", roots)]
                {
                    if let Some(member) = member {
                        json[name] = member.clone();
                    }
                }
                sets.push((json, [*modes, *settings, *has_roots].concat()));
            }
        }
    }
    sets
}

/// Returns what is needed and not there, as `requiredCapabilities` names it; null for nothing.
fn required(needs: &[&str], has: &[&str]) -> Value {
    let mut named = Value::Null;
    for path in needs.iter().filter(|path| !has.contains(path)) {
        let (capability, setting) = path.split_once('.').unwrap_or((path, ""));
        if named[capability].is_null() {
            named[capability] = json!({});
        }
        if !setting.is_empty() {
            named[capability][setting] = json!({});
        }
    }
    named
}

/// Checks one cell: the answer of the gate, and what `Need::missing` says beforehand.
fn check(need: &Need, needs: &[&str], capabilities: &Value, has: &[&str]) {
    let endpoint = sealing();
    let mut params = params();
    params["_meta"][META_CAPABILITIES] = capabilities.clone();
    let (mut exchange, actions) = call(&endpoint, &params);
    let missing = need.missing(run(&actions).capabilities);
    let actions = end(&mut exchange, Ending::Need(need.clone()));
    let (status, body) = answer(&actions);
    let required = required(needs, has);
    assert_eq!(missing == Capabilities::NONE, required.is_null(), "{needs:?} {capabilities}");
    assert_eq!(missing.is_empty(), required.is_null());
    if required.is_null() {
        assert_eq!((status, &body["result"]["resultType"]), (200, &json!("input_required")));
        assert!(matches!(report(&actions).kind, ReportKind::InputRequired { round: 1, .. }));
        return;
    }
    let message = body["error"]["message"].clone();
    let expected = json!({"jsonrpc": "2.0", "id": 7, "error": {
        "code": RpcError::MISSING_CAPABILITY, "message": message,
        "data": {"requiredCapabilities": required},
    }});
    assert_eq!((status, body), (400, expected), "{needs:?} {capabilities}");
    assert_eq!(serde_json::from_str::<Value>(&missing.to_json()).unwrap(), required);
    assert!(matches!(actions.as_slice(), [Action::Respond(_)]), "{actions:?}");
    assert_eq!(report(&actions).kind, ReportKind::MissingCapability { missing });
}

/// P39, P41.
/// proves: SV-03, W-09, W-10
#[test]
fn p39_p41_each_kind_needs_its_capability_of_every_set_that_a_client_can_declare() {
    let sets = declared();
    assert_eq!(sets.len(), 50);
    for (request, needs) in kinds() {
        let need = Need::new().request("k", request);
        for (capabilities, has) in &sets {
            check(&need, needs, capabilities, has);
        }
    }
}

/// proves: SV-03
#[test]
fn any_two_kinds_in_one_round_name_all_that_either_lacks() {
    let (sets, kinds) = (declared(), kinds());
    for (first, first_needs) in &kinds {
        for (second, second_needs) in &kinds {
            let need = Need::new()
                .request("a", first.clone())
                .request("b", second.clone())
                .state(raw("1"));
            let needs = [*first_needs, *second_needs].concat();
            for (capabilities, has) in sets.iter().step_by(7) {
                check(&need, &needs, capabilities, has);
            }
        }
    }
}

/// proves: SV-03, SV-09
#[test]
fn a_state_alone_needs_no_capability() {
    for (capabilities, has) in declared() {
        check(&Need::new().state(raw("1")), &[], &capabilities, &has);
    }
}

/// proves: SV-03
#[test]
fn what_an_earlier_request_declared_does_not_count_for_its_retry() {
    let endpoint = sealing();
    let mut params = retry(&state(&endpoint), json!({}));
    params["_meta"][META_CAPABILITIES] = json!({});
    let (mut exchange, actions) = call(&endpoint, &params);
    assert_eq!(run(&actions).round, 2);
    let again = Need::new().request("sure", sure());
    let (status, body) = answer(&end(&mut exchange, Ending::Need(again)));
    assert_eq!((status, &body["error"]["code"]), (400, &json!(RpcError::MISSING_CAPABILITY)));
}
