//! Flows: what they ask, what they keep, and answers that do not fit, or are as large and as deep
//! as they may be.

use std::{io, sync::Arc};

use form_model::{FormBuilder, Submission, TextField};
use mrtr_core::{
    Limits,
    server::{
        Action, Actions, Ending, Endpoint, Flow, HandlerError, HandlerFault, Need, ReportKind, Run,
        Stop,
    },
    wire::{InputRequest, InputResponse, RpcError, WireError},
};
use serde_json::{Value, json};

use crate::play::{
    answer, asked, call, confirm, deep, end, error_code, faulted, message, named, page, params,
    raw, refused, report, retry, retry_text, run, sealing, send, shop, sure, yes,
};

/// Plays a round of a flow's handler and returns the answer.
fn play(endpoint: &Arc<Endpoint>, handler: impl FnOnce(&Run) -> Ending, params: &Value) -> Value {
    answer(&played(endpoint, handler, params)).1
}

/// Plays a round of a flow's handler and returns what is done then.
fn played(
    endpoint: &Arc<Endpoint>,
    handler: impl FnOnce(&Run) -> Ending,
    params: &Value,
) -> Actions {
    let (mut exchange, actions) = call(endpoint, params);
    let ending = handler(run(&actions));
    end(&mut exchange, ending)
}

/// Plays the round that follows an answer.
fn next(
    endpoint: &Arc<Endpoint>,
    handler: impl FnOnce(&Run) -> Ending,
    before: &Value,
    responses: Value,
) -> Value {
    play(endpoint, handler, &retry(&before["result"]["requestState"], responses))
}

/// Returns the keys that are asked.
fn keys(answer: &Value) -> Vec<&str> {
    let requests = answer["result"]["inputRequests"].as_object().unwrap();
    let mut keys: Vec<&str> = requests.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Returns the response of a person who has this name.
fn called(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

/// Asks one thing.
fn asks(run: &Run, request: InputRequest) -> Ending {
    Flow::run(run, |flow| flow.ask("sure", request).map(|_| raw("{}")))
}

/// Asks for a name, and then two things at once.
fn order(run: &Run) -> Ending {
    Flow::run(run, |flow| {
        let Submission::Accept(who) = flow.form("who", "Who?", named())? else {
            return Ok(raw(r#"{"content":"declined"}"#));
        };
        let who = who.text("name").unwrap_or_default().to_owned();
        let answers = flow.ask_all([
            ("sure", InputRequest::form(&format!("For {who}?"), confirm())),
            ("roots", InputRequest::Roots),
        ])?;
        assert_eq!(answers.len(), 2);
        Ok(raw(&format!(r#"{{"content":"for {who}"}}"#)))
    })
}

/// proves: SV-10
#[test]
fn a_flow_is_written_once_and_asks_for_what_it_still_lacks() {
    let endpoint = sealing();
    let first = play(&endpoint, order, &params());
    assert_eq!(keys(&first), ["who"]);
    let second = next(&endpoint, order, &first, json!({"who": called("Zoë")}));
    assert_eq!(keys(&second), ["roots", "sure"]);
    // The first answer stays, what was not asked is ignored, and what is missing is asked again.
    let partly = json!({
        "who": called("Eve"),
        "admin": {"action": "accept", "content": {"ok": true}},
        "roots": {"roots": []},
    });
    let third = next(&endpoint, order, &second, partly);
    assert_eq!(keys(&third), ["sure"]);
    let done = next(&endpoint, order, &third, yes());
    assert_eq!(done["result"]["content"], "for Zoë");
    let done = next(&endpoint, order, &first, json!({"who": {"action": "decline"}}));
    assert_eq!(done["result"]["content"], "declined");
}

/// proves: SV-10
#[test]
fn a_flow_that_asks_otherwise_than_before_is_refused() {
    fn other_order(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            flow.form("sure", "Sure?", confirm())?;
            flow.form("who", "Who?", named())?;
            Ok(raw("{}"))
        })
    }
    fn other_form(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            flow.form("who", "Who?", confirm())?;
            Ok(raw("{}"))
        })
    }
    fn twice(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            flow.form("who", "Who?", named())?;
            flow.form("who", "Who?", named())?;
            Ok(raw("{}"))
        })
    }
    let endpoint = sealing();
    let first = play(&endpoint, order, &params());
    let retry = retry(&first["result"]["requestState"], json!({"who": called("Zoë")}));
    for handler in [other_order, other_form, twice] {
        assert_eq!(*faulted(&played(&endpoint, handler, &retry)), HandlerFault::FlowChanged);
    }
}

/// proves: SV-10
#[test]
fn a_state_that_is_not_one_of_a_flow_is_refused_before_the_function_runs() {
    let endpoint = sealing();
    for state in
        ["1", "[]", "{}", r#"{"flow":[]}"#, r#"{"answers":{}}"#, r#"{"flow":[7],"answers":{}}"#]
    {
        let round = asked(&endpoint, Need::new().state(raw(state)));
        let retry = retry(&round["requestState"], json!({}));
        let run_none = |run: &Run| Flow::run(run, |_| panic!("the function does not run"));
        assert_eq!(*faulted(&played(&endpoint, run_none, &retry)), HandlerFault::FlowChanged);
        // Nor does one that is opened by hand finish as if nothing had been asked.
        let finish = |run: &Run| Flow::open(run).close(Ok(raw("{}")));
        assert_eq!(*faulted(&played(&endpoint, finish, &retry)), HandlerFault::FlowChanged);
        let ask = |run: &Run| {
            let mut flow = Flow::open(run);
            let asked = flow.accepted("sure", "Sure?", confirm());
            flow.close(asked.map(|_| raw("{}")))
        };
        assert_eq!(*faulted(&played(&endpoint, ask, &retry)), HandlerFault::FlowChanged, "{state}");
    }
}

/// The answer of one kind is never that of another, even if it is written the same.
/// proves: SV-10, SV-04
#[test]
fn a_flow_that_asks_for_another_kind_under_the_same_key_is_refused() {
    let endpoint = sealing();
    let url = || page("m", "https://a.example/");
    let empty = form_model::Form::from_schema(r#"{"type":"object","properties":{}}"#).unwrap();
    let empty = || InputRequest::form("Fine?", empty.clone());
    let mut taken = Vec::new();
    for (what, before, now, response) in [
        ("a form for a URL", sure(), url(), yes()["sure"].clone()),
        ("a declined form for a URL", sure(), url(), json!({"action": "decline"})),
        ("a URL for a form", url(), empty(), json!({"action": "accept"})),
        ("a cancelled URL for a form", url(), sure(), json!({"action": "cancel"})),
    ] {
        let first = play(&endpoint, |run| asks(run, before), &params());
        let state = &first["result"]["requestState"];
        let (mut exchange, actions) = call(&endpoint, &retry(state, json!({"sure": response})));
        let ending = asks(run(&actions), now);
        if let Ending::Finish(_) = ending {
            taken.push(what);
        } else {
            assert_eq!(*faulted(&end(&mut exchange, ending)), HandlerFault::FlowChanged, "{what}");
        }
    }
    assert_eq!(taken, Vec::<&str>::new());
}

/// proves: SV-10, ST-08
#[test]
fn a_flow_that_did_nothing_can_give_its_state_back() {
    let busy = HandlerError::from(RpcError::new(-1, "busy"));
    let (_, actions) = call(&sealing(), &params());
    let ending = Flow::run(run(&actions), |_| Err(Stop::Abandoned(busy.clone())));
    assert_eq!(ending, Ending::Abandon(busy));
}

/// proves: SV-10, SV-04, W-11
#[test]
fn an_answer_that_is_as_deep_as_it_may_be_does_not_spoil_the_flow_that_keeps_it() {
    fn roots_then_sure(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            flow.ask("roots", InputRequest::Roots)?;
            flow.accepted("sure", "Sure?", confirm())?;
            Ok(raw("{}"))
        })
    }
    let endpoint = sealing();
    let mut kept = Vec::new();
    for levels in [100, 120, 121, 122, 123, 124] {
        let first = play(&endpoint, roots_then_sure, &params());
        let state = &first["result"]["requestState"];
        let responses = format!(r#"{{"roots":{{"roots":[],"_meta":{}}}}}"#, deep(levels));
        let text = message("tools/call", &retry_text(state, &responses));
        let (mut exchange, actions) = send(&endpoint, text.as_bytes());
        // It is refused at once, or it is kept.
        if let [Action::Run(run)] = actions.as_slice() {
            let ending = roots_then_sure(run);
            let second = answer(&end(&mut exchange, ending)).1;
            let done = next(&endpoint, roots_then_sure, &second, yes());
            assert_eq!(done["result"], json!({"resultType": "complete"}), "{levels} levels");
            kept.push(levels);
        } else {
            assert_eq!(refused(&exchange, &actions), (400, RpcError::PARSE));
        }
    }
    assert_eq!(kept, [100, 120, 121, 122, 123], "a message has at most 127 levels");
}

/// proves: SV-10
#[test]
fn a_flow_takes_an_answer_as_large_as_the_endpoint_does() {
    let form = form_model::Limits::default().answer_bytes_max(1024 * 1024);
    let endpoint = Arc::new(shop().with_limits(Limits::default().form(form)));
    fn name(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            let name = flow.accepted("name", "Who?", named())?;
            Ok(raw(&format!(r#"{{"bytes":{}}}"#, name.text("name").unwrap_or_default().len())))
        })
    }
    let first = play(&endpoint, name, &params());
    let long = "x".repeat(300 * 1024);
    let done = next(&endpoint, name, &first, json!({"name": called(&long)}));
    assert_eq!(done["result"]["bytes"], long.len(), "{}", done["error"]);
}

/// proves: SV-10
#[test]
fn what_a_flow_trips_over_is_an_internal_error_and_what_it_refuses_its_own() {
    fn trips(run: &Run) -> Ending {
        Flow::run(run, |_| {
            "x".parse::<i32>()?;
            Ok(raw("{}"))
        })
    }
    fn refuses(run: &Run) -> Ending {
        Flow::run(run, |_| Err(RpcError::new(-7, "sold out"))?)
    }
    let endpoint = sealing();
    assert_eq!(play(&endpoint, trips, &params())["error"]["code"], RpcError::INTERNAL);
    assert_eq!(play(&endpoint, refuses, &params())["error"]["message"], "sold out");
}

/// Fails a flow with one error by `?`, and returns what is done then.
fn tripped<E>(error: E) -> Actions
where
    E: core::error::Error + Send + Sync + 'static,
{
    let endpoint = sealing();
    let mut error = Some(error);
    let mut fail = move || error.take().map_or(Ok(()), Err);
    played(
        &endpoint,
        |run| {
            Flow::run(run, |flow| {
                fail()?;
                flow.ask("never", InputRequest::Roots).map(|_| raw("{}"))
            })
        },
        &params(),
    )
}

/// Expects an internal error whose one report holds the cause, and returns the cause.
fn cause<E: core::error::Error + 'static>(actions: &Actions) -> &E {
    assert_eq!(error_code(actions), (200, RpcError::INTERNAL));
    assert_eq!(answer(actions).1["error"]["message"], "Internal error");
    match &report(actions).kind {
        ReportKind::HandlerFailed(error) => error.cause().unwrap().downcast_ref().unwrap(),
        other => panic!("the handler failed, found {other:?}"),
    }
}

/// proves: SV-14
#[test]
fn each_error_that_a_flow_hands_on_is_the_cause_in_the_report_and_no_word_of_it_goes_out() {
    let wrong_number = "x".parse::<i32>().unwrap_err();
    assert_eq!(*cause::<core::num::ParseIntError>(&tripped(wrong_number.clone())), wrong_number);
    let gone = tripped(io::Error::new(io::ErrorKind::NotConnected, "SENTINEL"));
    assert_eq!(cause::<io::Error>(&gone).to_string(), "SENTINEL");
    assert!(!answer(&gone).1.to_string().contains("SENTINEL"));
    let twice = || TextField::new("a");
    let unbuilt = FormBuilder::new().field(twice()).field(twice()).build().unwrap_err();
    assert_eq!(*cause::<form_model::BuildError>(&tripped(unbuilt.clone())), unbuilt);
    let wire = WireError::shape("url", "an absolute http or https URL");
    let opens = |run: &Run| {
        Flow::run(run, |flow| flow.url("page", "Sign in", "sign-in").map(|_| raw("{}")))
    };
    assert_eq!(*cause::<WireError>(&played(&sealing(), opens, &params())), wire);
    // An error with words of its own for the client keeps its cause, too.
    let told = HandlerError::from(RpcError::new(-7, "sold out")).with_cause(wrong_number);
    let actions = played(&sealing(), |run| Flow::run(run, |_| Err(told.clone())?), &params());
    assert_eq!(answer(&actions).1["error"], json!({"code": -7, "message": "sold out"}));
    assert_eq!(report(&actions).kind, ReportKind::HandlerFailed(told));
}

/// proves: SV-14
#[test]
fn a_person_who_does_not_agree_is_reported_as_such_and_not_as_the_handler() {
    fn agreed(run: &Run) -> Ending {
        Flow::run(run, |flow| flow.accepted("sure", "Sure?", confirm()).map(|_| raw("{}")))
    }
    let endpoint = sealing();
    let first = play(&endpoint, agreed, &params());
    for action in ["decline", "cancel"] {
        let responses = json!({"sure": {"action": action}});
        let retry = retry(&first["result"]["requestState"], responses);
        let actions = played(&endpoint, agreed, &retry);
        assert_eq!(error_code(&actions), (200, RpcError::INVALID_PARAMS));
        assert_eq!(answer(&actions).1["error"]["message"], "The person did not agree");
        assert_eq!(report(&actions).kind, ReportKind::Declined);
    }
}

/// Asks for a name until it is free, and then whether the person is sure.
fn sign_up(run: &Run) -> Ending {
    Flow::run(run, |flow| {
        let answer = flow.accepted("name", "Which name?", named())?;
        let sure = flow.accepted("sure", "Sure?", confirm())?;
        let name = answer.text("name").unwrap_or_default();
        if name == "root" {
            let request = InputRequest::form("That name is taken. Which other?", named());
            return Err(flow.again("name", request));
        }
        Ok(raw(&json!({"name": name, "sure": sure.flag("ok")}).to_string()))
    })
}

/// proves: SV-10
#[test]
fn an_answer_that_does_not_do_is_asked_again_and_the_other_answers_stay() {
    let endpoint = sealing();
    let first = play(&endpoint, sign_up, &params());
    let second = next(&endpoint, sign_up, &first, json!({"name": called("root")}));
    assert_eq!(keys(&second), ["sure"]);
    let again = next(&endpoint, sign_up, &second, yes());
    assert_eq!(keys(&again), ["name"]);
    let words = &again["result"]["inputRequests"]["name"]["params"]["message"];
    assert_eq!(words, "That name is taken. Which other?");
    // The first answer is forgotten: without a new one the function asks with its usual words.
    let usual = next(&endpoint, sign_up, &again, json!({}));
    assert_eq!(keys(&usual), ["name"]);
    let words = &usual["result"]["inputRequests"]["name"]["params"]["message"];
    assert_eq!(words, "Which name?");
    for before in [&again, &usual] {
        let done = next(&endpoint, sign_up, before, json!({"name": called("zoe")}));
        assert_eq!(done["result"], json!({"name": "zoe", "sure": true, "resultType": "complete"}));
        // It may be asked again as often as it has to be.
        let once_more = next(&endpoint, sign_up, before, json!({"name": called("root")}));
        assert_eq!(keys(&once_more), ["name"]);
    }
}

/// proves: SV-10
#[test]
fn a_flow_asks_again_only_what_it_has_come_to() {
    let endpoint = sealing();
    let first = play(&endpoint, order, &params());
    let second = next(&endpoint, order, &first, json!({"who": called("Zoë")}));
    let state = second["result"]["requestState"].clone();
    let ask_again = |key: &'static str, request: fn() -> InputRequest| {
        move |run: &Run| {
            Flow::run(run, |flow| {
                flow.form("who", "Who?", named())?;
                Err(flow.again(key, request()))
            })
        }
    };
    let form: fn() -> InputRequest = || InputRequest::form("Who else?", named());
    for (what, handler) in [
        ("a key that is not known", ask_again("other", form)),
        ("a key that was asked before and is not reached", ask_again("sure", form)),
        ("a request of another kind", ask_again("who", || InputRequest::Roots)),
    ] {
        let actions = played(&endpoint, handler, &retry(&state, json!({})));
        assert_eq!(*faulted(&actions), HandlerFault::FlowChanged, "{what}");
    }
    let known = play(&endpoint, ask_again("who", form), &retry(&state, json!({})));
    assert_eq!(keys(&known), ["who"]);
    let nothing = |run: &Run| {
        let mut flow = Flow::open(run);
        let stop = flow.again("who", form());
        flow.close(Err(stop))
    };
    let actions = played(&endpoint, nothing, &params());
    assert_eq!(*faulted(&actions), HandlerFault::FlowChanged);
}

/// proves: SV-10
#[test]
fn the_last_words_of_a_key_that_is_asked_again_twice_are_sent() {
    let endpoint = sealing();
    let first = play(&endpoint, sign_up, &params());
    let twice = |run: &Run| {
        Flow::run(run, |flow| {
            flow.form("name", "Which name?", named())?;
            let first = flow.again("name", InputRequest::form("Which other?", named()));
            assert!(matches!(first, Stop::Asks));
            Err(flow.again("name", InputRequest::form("And which other?", named())))
        })
    };
    let asked = next(&endpoint, twice, &first, json!({"name": called("root")}));
    let words = &asked["result"]["inputRequests"]["name"]["params"]["message"];
    assert_eq!(words, "And which other?");
}

/// proves: SV-10
#[test]
fn a_new_answer_that_does_not_fit_the_usual_form_changes_the_flow() {
    let endpoint = sealing();
    let first = play(&endpoint, sign_up, &params());
    let other = |run: &Run| {
        Flow::run(run, |flow| {
            flow.form("name", "Which name?", named())?;
            Err(flow.again("name", sure()))
        })
    };
    let asked = next(&endpoint, other, &first, json!({"name": called("root")}));
    let responses = json!({"name": yes()["sure"]});
    let retry = retry(&asked["result"]["requestState"], responses);
    assert_eq!(*faulted(&played(&endpoint, sign_up, &retry)), HandlerFault::FlowChanged);
}

/// proves: SV-10
#[test]
fn a_flow_gives_each_answer_by_its_kind() {
    fn all(run: &Run) -> Ending {
        Flow::run(run, |flow| {
            let decision = flow.url("page", "Sign in", "https://a.example/in")?;
            let roots = flow.ask("roots", InputRequest::Roots)?;
            let InputResponse::Roots(roots) = roots else { return Err(Stop::Changed) };
            assert_eq!(flow.request().round, 3);
            Ok(raw(&format!(r#"{{"decision":"{decision}","roots":{}}}"#, roots.as_str())))
        })
    }
    let endpoint = sealing();
    let first = play(&endpoint, all, &params());
    for action in ["accept", "decline", "cancel"] {
        let second = next(&endpoint, all, &first, json!({"page": {"action": action}}));
        let done = next(&endpoint, all, &second, json!({"roots": {"roots": []}}));
        assert_eq!(done["result"]["decision"], action);
        assert_eq!(done["result"]["roots"], json!({"roots": []}));
    }
}
