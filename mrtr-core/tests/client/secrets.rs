//! What must not be seen is not seen, and what happened can be played again.

use core::fmt::Debug;
use std::{fs, path::PathBuf};

use form_model::Content;
use mrtr_core::{
    Instant, InvocationId, Limits, Phase,
    client::{
        Action, Actions, Binding, Claims, CloseReason, Event, Fault, Invocation, Misuse, Outcome,
        Reply, Report, Request,
    },
    trace::{Exposed, Redacted, Start, Step},
    wire::{
        ClientInfo, Elicitation, Headers, IncludeContext, InputRequest, InputResponse,
        InvalidRequest, Json, Message, Method, ParamHeaders, RawJson, Revision, RpcError,
        RpcResponse, SamplingBuilder,
    },
};
use serde::Serialize;
use serde_json::json;

use crate::play::{
    Play, SAMPLING, URL, answer, asking, faulted, form, request, result_of, state_only,
};

const SENTINEL: &str = "hunter2";

/// A form that takes any text, and a choice.
const SCHEMA: &str = r#"{"type":"object","properties":{"t":{"type":"string","maxLength":20},
    "n":{"type":"integer","maximum":9},"o":{"type":"string","enum":["x"]}}}"#;

/// Hands an event over and keeps every text that anybody could log of it.
fn show(play: &mut Play, event: Event, shown: &mut Vec<String>) {
    shown.push(format!("{event:?}"));
    match play.handle(event) {
        Ok(actions) => shown.push(format!("{actions:?}")),
        Err(misuse) => shown.push(format!("{misuse:?} {misuse}")),
    }
    shown.push(format!("{:?} {:?} {:?}", play.call, play.sent, play.steps));
}

/// Plays a call from start to end, with the sentinel wherever a secret may be.
fn everything_shown() -> Vec<String> {
    let params = format!(
        r#"{{"name":"deploy","arguments":{{"{SENTINEL}":"{SENTINEL}"}},"_meta":{{"x":"{SENTINEL}"}}}}"#
    );
    let first = request("call-7", &params);
    let mut shown = vec![format!("{first:?}")];
    let mut play = Play::started(first, Claims::none().with_form(), Limits::default());
    let state = format!("\"{SENTINEL}\"");
    let accept = |key, content| answer(1, key, InputResponse::Accept(content));
    let secret = || Content::new().with_text("t", SENTINEL);
    let two = asking(&[("a", &form(SCHEMA)), ("b", &form(SCHEMA))], Some(&state));
    for event in [
        result_of(play.leg(), &two),
        accept("a", secret().with_text("t", SENTINEL.repeat(3)).with_text("o", SENTINEL)),
        accept("a", secret().with_text(SENTINEL, SENTINEL).with_text("n", SENTINEL)),
        accept("a", Content::new().with_choices("t", [SENTINEL])),
        accept("a", secret()),
        accept("a", secret()),
        accept("b", secret()),
    ] {
        show(&mut play, event, &mut shown);
    }
    let paused = result_of(play.leg(), &state_only(&state));
    show(&mut play, paused, &mut shown);
    play.wait_secs(1);
    show(&mut play, Event::Tick, &mut shown);
    assert_eq!(play.sent.len(), 3);

    let raw = |text: &str| RawJson::parse(text).unwrap();
    let bad_form = asking(&[("a", &form(&format!(r#"{{"x":{state}}}"#)))], None);
    for reply in [
        Reply::Result(raw(&format!(r#"{{"content":["{SENTINEL}"]}}"#))),
        Reply::Result(raw(&format!(r#"{{"resultType":"{SENTINEL}"}}"#))),
        Reply::Result(raw(&bad_form)),
        Reply::Error(raw(&format!(r#"{{"code":1,"message":"{SENTINEL}","data":["{SENTINEL}"]}}"#))),
        Reply::Error(raw(&state)),
        Reply::read(&play.leg(), state.as_bytes()),
    ] {
        let mut end = play.clone();
        let leg = end.leg();
        show(&mut end, Event::Reply { leg, reply }, &mut shown);
        assert_eq!(end.call.phase(), Phase::Settled);
    }
    shown
}

/// proves: CL-20, W-08
#[test]
fn no_debug_and_no_error_shows_a_state_an_answer_or_an_argument() {
    let shown = everything_shown();
    assert_eq!(shown.len(), 46);
    for text in shown {
        assert!(!text.contains(SENTINEL), "{text}");
    }
}

/// proves: CL-20
#[test]
fn a_start_that_is_refused_shows_no_argument() {
    for params in [
        format!(r#"{{"arguments":"{SENTINEL}"}}"#),
        format!(r#"{{"name":"a","requestState":"{SENTINEL}"}}"#),
        format!(r#"["{SENTINEL}"]"#),
        format!(r#"{{"name":"a","_meta":"{SENTINEL}"}}"#),
    ] {
        let request = request("call-7", &params);
        let claims = Claims::none().with_form();
        let now = Instant::from_millis(0);
        let error = Invocation::start(now, request, claims, Limits::default()).unwrap_err();
        assert!(!format!("{error:?} {error}").contains(SENTINEL));
    }
}

/// proves: CL-20
#[test]
fn what_is_shown_instead_tells_what_it_is_and_how_large() {
    let mut play = Play::new();
    play.serve(&asking(&[("a", &form(SCHEMA)), ("b", &form(SCHEMA))], Some("\"123\"")));
    play.answer(1, "a", InputResponse::Decline).unwrap();
    let shown = format!("{:?} {:?}", play.call, play.sent);
    for part in ["Round(1, 1 of 2 open, ", "StateText(3 bytes)", "LegRequest(call-7.1 tools/call, "]
    {
        assert!(shown.contains(part), "{shown}");
    }
    let mut play = Play::new();
    let actions = play.serve_error(r#"{"code":-32603,"message":"no"}"#);
    assert_eq!(format!("{actions:?}"), "[Settle(Error(RpcError(-32603, message of 2 bytes)))]");
}

/// Returns the names of the public types of a role, as its sources declare them.
fn declared(role: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src").join(role);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in source.lines() {
            let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            names.extend(rest.map(|rest| {
                rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap().to_owned()
            }));
        }
    }
    names
}

/// Writes a value by `Debug`.
fn debug(value: &impl Debug) -> String {
    format!("{value:?}")
}

/// Writes a value by `Debug` and by `Serialize`.
fn both(value: &(impl Debug + Serialize)) -> String {
    format!("{value:?} {}", serde_json::to_string(value).unwrap())
}

/// Writes a value by `Debug` and in the view that shows no secret.
fn redacted<T: Debug>(value: &T) -> String
where
    for<'a> Redacted<&'a T>: Serialize,
{
    format!("{value:?} {}", serde_json::to_string(&Redacted(value)).unwrap())
}

/// Writes a value of each type of the client, the wire and the traces, with the sentinel wherever a
/// secret may be.
fn each_type_shown() -> Vec<(&'static str, String)> {
    let secret = json!({"name": SENTINEL, "arguments": {SENTINEL: SENTINEL}}).to_string();
    let raw = || RawJson::parse(&secret).unwrap();
    let id = InvocationId::new("call-7").unwrap();
    let binding = Binding::new(SENTINEL);
    let first = Request::new(id, Method::ToolsCall, raw(), binding.clone());
    let claims = Claims::none().with_form().with_url().with_sampling();
    let start = Start::new(first.clone(), claims, Limits::default());
    let mut play = Play::started(first.clone(), claims, Limits::default());
    let url = URL.replace("/pay", &format!("/{SENTINEL}")).replace("Pay", SENTINEL);
    let model = SAMPLING.replace("[]", &format!(r#"[{{"role":"user","content":["{SENTINEL}"]}}]"#));
    let form = form(SCHEMA).replace("Please", SENTINEL).replace(r#""x""#, &format!("{SENTINEL:?}"));
    let questions = [(SENTINEL, form.as_str()), ("u", &url), ("m", &model)];
    let round = asking(&questions, Some(&format!("{SENTINEL:?}")));
    let reply = Reply::Result(RawJson::parse(&round).unwrap());
    let event = Event::Reply { leg: play.leg(), reply: reply.clone() };
    let step = Step::event(play.now, event.clone());
    assert!(Exposed(step.clone()).to_line().contains(SENTINEL), "the sentinel is there to be seen");
    let asks = play.handle(event.clone()).unwrap();
    let requests: Vec<_> = asks
        .iter()
        .map(|action| match action {
            Action::Ask { request, .. } => request.clone(),
            other => panic!("expected to ask, found {other:?}"),
        })
        .collect();
    let [
        InputRequest::Elicitation(filled),
        InputRequest::Sampling(sampling),
        InputRequest::Elicitation(page),
    ] = requests.as_slice()
    else {
        panic!("a form, a model and a page are asked for")
    };
    let (Elicitation::Url(url), Elicitation::Form(form)) = (page, filled) else {
        panic!("a page and a form are asked for")
    };
    let content = Content::new().with_text("o", SENTINEL).with_text("t", SENTINEL.repeat(3));
    let response = InputResponse::Accept(content);
    let refused = play.answer(1, SENTINEL, response.clone()).unwrap_err();
    let Misuse::Response(invalid) = &refused else { panic!("the answer is invalid") };
    let lost = Outcome::Complete(raw());
    let error = format!(r#"{{"code":1,"message":{SENTINEL:?},"data":{secret}}}"#);
    let error = RpcError::decode(Json::parse(&error).unwrap(), 1024).unwrap();
    let message = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":"1",{rest}}}"#);
    let response_message = message(&format!(r#""result":{secret}"#));
    let request_message = message(&format!(r#""method":"tools/call","params":{secret}"#));
    let schema = format!(r#"{{"x":{SENTINEL:?}}}"#);
    let bad_form = asking(&[("a", &crate::play::form(&schema))], None);
    let mut other = Play::new();
    let fault = faulted(&other.serve(&bad_form)).clone();
    let Fault::Form(refusal) = &fault else { panic!("the form is refused") };
    let headers: Headers = [("Mcp-Name", SENTINEL)].into_iter().collect();
    let marked = r#"{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}"#;
    let marked = ParamHeaders::from_schema(Json::parse(marked).unwrap()).unwrap_err();
    let builder = SamplingBuilder::new(1).user(SENTINEL).system_prompt(SENTINEL);
    let start_error = Invocation::start(
        play.now,
        request("c", &format!(r#"{{"name":{SENTINEL:?},"requestState":{SENTINEL:?}}}"#)),
        claims,
        Limits::default(),
    );
    let step_error = Exposed::read(&format!("{{{SENTINEL:?}:1}}")).unwrap_err();
    vec![
        ("Action", asks.iter().chain(&[Action::Settle(lost.clone())]).map(redacted).collect()),
        ("Binding", debug(&binding)),
        ("Claims", debug(&claims)),
        ("CloseReason", both(&CloseReason::Lost)),
        ("Event", redacted(&event)),
        ("Fault", format!("{} {fault}", debug(&fault))),
        ("Invocation", debug(&play.call)),
        ("LegRequest", debug(&play.sent)),
        ("Misuse", format!("{} {refused}", debug(&refused))),
        ("Outcome", format!("{} {lost}", debug(&lost))),
        ("Reply", debug(&reply)),
        ("Report", debug(&Report::Moved(play.steps[0].clone()))),
        ("Request", debug(&first)),
        ("StartError", debug(&start_error.map(drop).unwrap_err())),
        ("Capabilities", debug(&claims.capabilities())),
        ("ClientInfo", both(&ClientInfo::new("n", "1"))),
        ("Decision", both(&response.decision())),
        ("Elicitation", format!("{} {}", debug(page), debug(filled))),
        ("FormRequest", debug(form)),
        ("Headers", debug(&headers)),
        ("IncludeContext", debug(&IncludeContext::AllServers)),
        ("InputRequest", requests.iter().map(redacted).collect()),
        ("InputResponse", redacted(&response)),
        ("InvalidParamHeader", debug(&marked)),
        ("InvalidRequest", debug(&InvalidRequest::Form(refusal.clone()))),
        ("Json", debug(&raw().as_json())),
        ("Message", debug(&Message::decode(request_message.as_bytes()).unwrap())),
        ("Method", both(&Method::ToolsCall)),
        ("ParamHeaders", both(&ParamHeaders::default())),
        ("RawJson", redacted(&raw())),
        ("ResponseError", format!("{} {invalid}", debug(invalid))),
        ("Revision", both(&Revision::default())),
        ("RpcError", debug(&error)),
        ("RpcResponse", debug(&RpcResponse::decode(response_message.as_bytes()).unwrap())),
        ("SamplingBuilder", debug(&builder)),
        ("SamplingRequest", debug(sampling)),
        ("UnknownRevision", debug(&SENTINEL.parse::<Revision>().unwrap_err())),
        ("UrlRequest", debug(url)),
        ("WireError", both(&RawJson::parse(SENTINEL).unwrap_err())),
        ("Exposed", debug(&Exposed(&event))),
        ("Redacted", both(&Redacted(&event))),
        ("Start", redacted(&start)),
        ("Step", redacted(&step) + &redacted(&Step::start(play.now, start))),
        ("StepError", format!("{} {step_error}", debug(&step_error))),
    ]
}

/// proves: CL-20, W-08
#[test]
fn no_type_shows_a_target_a_binding_params_a_state_or_an_answer() {
    let shown = each_type_shown();
    for (name, text) in &shown {
        assert!(!text.contains(SENTINEL), "{name}: {text}");
    }
    for role in ["client", "wire", "trace"] {
        for name in declared(role) {
            assert!(shown.iter().any(|(known, _)| **known == name), "{name} has no value here");
        }
    }
}

/// proves: CL-20
#[test]
fn the_debug_of_a_call_shows_its_place_and_no_target_and_no_binding() {
    let mut play = Play::started(
        request("call-7", &format!(r#"{{"name":"{SENTINEL}"}}"#)),
        Claims::none().with_retries(),
        Limits::default(),
    );
    play.serve(&state_only("\"123\""));
    assert_eq!(
        debug(&play.call),
        "Invocation { id: call-7, phase: Pausing, leg: 1, rounds: 1, \
         round: Some(Round(1, 0 of 0 open, Some(StateText(3 bytes)))), .. }"
    );
}

/// What came of every event, in order.
type Trace = Vec<Result<Actions, Misuse>>;

fn play_all(call: &mut Invocation, events: &[(u64, Event)]) -> Trace {
    events
        .iter()
        .map(|(millis, event)| call.handle(Instant::from_millis(*millis), event.clone()))
        .collect()
}

/// proves: CL-23
#[test]
fn the_same_events_give_the_same_actions() {
    let mut play = Play::new();
    let two = asking(&[("b", &form(SCHEMA)), ("a", &form(SCHEMA))], Some("\"s\""));
    let first = play.leg();
    play.confirmed_round();
    let events = [
        (5, Event::Tick),
        (10, result_of(play.leg(), &two)),
        (10, answer(2, "z", InputResponse::Decline)),
        (11, answer(2, "b", InputResponse::Accept(Content::new().with_text("t", "x")))),
        (12, result_of(first, &two)),
        (700_000, answer(2, "a", InputResponse::Cancel)),
        (1_000_000, Event::Tick),
        (1_000_001, Event::Stop),
    ];
    let mut again = play.call.clone();
    let trace = play_all(&mut play.call, &events);
    assert_eq!(play_all(&mut again, &events), trace);
    assert!(play.call == again);

    let last = trace[6].as_ref().unwrap().as_slice();
    assert!(matches!(last, [Action::CancelLeg { .. }, Action::Settle(Outcome::TimedOut(_))]));
}
