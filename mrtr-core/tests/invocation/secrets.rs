//! What must not be seen is not seen, and what happened can be played again.

use form_model::Content;
use mrtr_core::{
    Action, Actions, Claims, Event, Instant, Invocation, Limits, Misuse, Outcome, Phase, Reply,
    wire::{RawJson, Response},
};

use crate::play::{Play, Screen, answer, asking, form, request, result_of, state_only};

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
    let mut play = Play::started(first, Claims::none().with_form(&Screen), Limits::default());
    let state = format!("\"{SENTINEL}\"");
    let accept = |key, content| answer(1, key, Response::Accept(content));
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
        let claims = Claims::none().with_form(&Screen);
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
    play.answer(1, "a", Response::Decline).unwrap();
    let shown = format!("{:?} {:?}", play.call, play.sent);
    for part in ["Round(1, 1 of 2 open, ", "StateText(3 bytes)", "LegRequest(call-7.1 tools/call, "]
    {
        assert!(shown.contains(part), "{shown}");
    }
    let mut play = Play::new();
    let actions = play.serve_error(r#"{"code":-32603,"message":"no"}"#);
    assert_eq!(format!("{actions:?}"), "[Settle(Error(RpcError(-32603, message of 2 bytes)))]");
}

/// Is what came of every event, in order.
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
        (10, answer(2, "z", Response::Decline)),
        (11, answer(2, "b", Response::Accept(Content::new().with_text("t", "x")))),
        (12, result_of(first, &two)),
        (700_000, answer(2, "a", Response::Dismiss)),
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
