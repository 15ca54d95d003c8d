//! What is written is what is read, what is redacted shows nothing, and a fault is found where it is.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};
use core::time::Duration;

use form_model::Content;

use super::*;
use crate::{
    Instant, InvocationId, Limits,
    client::{Action, Binding, Claims, Event, Reply, Report, Request},
    id::LegId,
    wire::{ClientInfo, InputResponse, Method, RawJson, Revision, WireError},
};

const START: &str =
    r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{"name":"t"}}}"#;

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn leg() -> LegId {
    LegId::parse("call-7.1").unwrap()
}

fn answer(response: InputResponse) -> Event {
    Event::Answer { round: 2, key: "k\"".into(), response }
}

fn step(event: Event) -> Exposed<Step> {
    Exposed(Step::event(Instant::default(), event))
}

/// proves: CL-23
#[test]
fn an_event_reads_back_as_the_same_event() {
    let content = r#"{"a":"é","n":9007199254740993,"b":[],"c":true}"#;
    let content = Content::decode(content, &form_model::Limits::default()).unwrap();
    let nested = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":"call-7.1","result":{nested}}}"#);
    let read = |message: &[u8]| Event::Reply { leg: leg(), reply: Reply::read(&leg(), message) };
    let unreadable = |error| Event::Reply { leg: leg(), reply: Reply::Unreadable(error) };
    for event in [
        Event::Reply { leg: leg(), reply: Reply::Result(json(r#"{"requestState":"\ud800"}"#)) },
        Event::Reply { leg: leg(), reply: Reply::Error(json(r#"{"code":1}"#)) },
        read(b"{\"jsonrpc\":\"2.0\",\"id\":\"call-7.1\",\"result\":null}"),
        read(b"{\"jsonrpc\":\"2.0\",\"id\":\"call-7.1\",\"error\":null}"),
        read(deep.as_bytes()),
        read(b"\xff"),
        read(b"{"),
        read(b"[]"),
        read(b"{\"id\":1,\"id\":1}"),
        read(b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"),
        read(b"{\"jsonrpc\":\"2.0\",\"id\":[],\"result\":{}}"),
        read(b"{\"jsonrpc\":\"2.0\"}"),
        read(b"{\"jsonrpc\":2}"),
        read("[".repeat(200).as_bytes()),
        // An adapter has words of its own.
        unreadable(WireError::shape("the body", "an \"event\" stream")),
        unreadable(WireError::too_large("the body in bytes", 7)),
        unreadable(WireError::duplicate("a header")),
        answer(InputResponse::Accept(content)),
        // A call with other limits accepts this. Its trace knows nothing of them.
        answer(InputResponse::Accept(Content::new().with_text("a", "x".repeat(1_000_000)))),
        answer(InputResponse::Consent),
        answer(InputResponse::Decline),
        answer(InputResponse::Cancel),
        answer(InputResponse::Sampled(json(r#"{"role":"assistant"}"#))),
        answer(InputResponse::Roots(json(r#"{"roots":[]}"#))),
        Event::Failed { round: 1, key: String::new() },
        Event::Progress { leg: leg() },
        Event::BindingChanged(Binding::new("server-2")),
        Event::ConnectionLost,
        Event::Stop,
        Event::Tick,
    ] {
        let line = step(event.clone()).to_line();
        assert_eq!(Exposed::read(&line), Ok(step(event)), "{line}");
    }
}

/// proves: CL-23
#[test]
fn a_line_reads_back_as_the_same_step() {
    for line in [
        START,
        r#"{"at":1.5,"start":{"version":1,"id":"c","method":"resources/read","params":{"uri":"a:b"},"revision":"2026-07-28","clientInfo":{"name":"n","version":"1"},"binding":"s","extensionTypes":["task"],"paramHeaders":[{"path":["region"],"name":"Region"}],"claims":{"form":true,"samplingTools":true},"limits":{"roundsMax":2,"clocks":{"leg":1000,"execution":5000},"form":{"fieldsMax":3}}}}"#,
        r#"{"at":2000,"event":"tick"}"#,
        r#"{"at":2000,"event":{"reply":{"leg":"c.1","result":{"requestState":"\ud800"}}}}"#,
    ] {
        let step = Exposed::read(line).unwrap();
        let again = Exposed::read(&step.to_line()).unwrap();
        assert_eq!(again, step, "{}", step.to_line());
        assert_eq!(serde_json::to_string(&Exposed(&step.0)).unwrap(), step.to_line());
    }
    for nanos in [1, 999_999, 1_500_000, 1_795_999_999_999_123_457, u64::MAX] {
        let at = Instant::from_epoch(Duration::from_nanos(nanos));
        let step = Exposed(Step::event(at, Event::Tick));
        assert_eq!(Exposed::read(&step.to_line()).unwrap(), step, "{}", step.to_line());
    }
    let message = r#"{"at":0,"event":{"reply":{"leg":"c.1","message":"{"}}}"#;
    let spelled = r#"{"at":0,"event":{"reply":{"leg":"c.1","unreadable":"notJson"}}}"#;
    assert_eq!(Exposed::read(message), Exposed::read(spelled));
}

/// proves: CL-23
#[test]
fn a_start_keeps_the_revision_and_the_client_and_has_defaults_for_the_rest() {
    let request = Request::new(
        InvocationId::new("c").unwrap(),
        Method::ToolsCall,
        json(r#"{"name":"t"}"#),
        Binding::new(""),
    );
    let start = |request| Start::new(request, Claims::none(), Limits::default());
    let short = Step::start(Instant::default(), start(request.clone()));
    assert_eq!(Exposed::read(START), Ok(Exposed(short)));

    let info = ClientInfo::new("example-host", "1.4.0").with_title("Example Host");
    let legacy = request.with_revision(Revision::V2025_06_18).with_client_info(info);
    let legacy = Exposed(Step::start(Instant::default(), start(legacy)));
    assert_eq!(
        legacy.to_line().split_once(r#","claims""#).unwrap().0,
        r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{"name":"t"},"revision":"2025-06-18","clientInfo":{"name":"example-host","version":"1.4.0","title":"Example Host"},"binding":"""#
    );
    assert_eq!(Exposed::read(&legacy.to_line()), Ok(legacy));
}

/// proves: CL-23
#[test]
fn a_step_is_one_line_whatever_came_from_outside() {
    let broken = json("{\r\n\"a\" :\n\"\\n\" }");
    let event = |result| step(Event::Reply { leg: leg(), reply: Reply::Result(result) });
    let line = event(broken).to_line();
    let flat = event(json("{  \"a\" : \"\\n\" }"));
    assert_eq!((line.lines().count(), Exposed::read(&line)), (1, Ok(flat.clone())));
    assert_eq!(Exposed::read(&line.replace("  ", "\n\n")), Ok(flat));
    // A whole message in a line may have line breaks, too, and one in a string is not JSON.
    for (message, is_json) in [("{\\n}", true), ("{\\\"a\\\":\\\"\\n\\\"}", false)] {
        let message =
            message.replace('{', r#"{\"jsonrpc\":\"2.0\",\"id\":\"c.1\",\"result\":{"#) + "}";
        let line =
            format!(r#"{{"at":0,"event":{{"reply":{{"leg":"c.1","message":"{message}"}}}}}}"#);
        let read = Exposed::read(&line).unwrap();
        assert_eq!(read.to_line().contains("notJson"), !is_json, "{line}");
        assert_eq!(Exposed::read(&read.to_line()), Ok(read));
    }
}

/// What can be wrong with a line, and lines of which that is wrong. `¦` stands after the last byte
/// that was read.
const FAULTS: [(&str, &[&str]); 14] = [
    (
        "text that is not JSON",
        &["¦", "S¦ENTINEL", r#"{"at":0¦"#, r#"{"at":0,"event":"tick"} S¦ENTINEL"#],
    ),
    (
        "a value that does not fit its place",
        &[
            r#"[¦0,null,"tick"]"#,
            r#""tick"¦"#,
            r#"{"at":0,"event":7¦}"#,
            r#"{"at":0,"event":[¦"tick"]}"#,
            r#"{"at":0,"event":{"stop":null,¦"tick":null}}"#,
            r#"{"at":0,"event":{"failed":¦[1,"SENTINEL"]}}"#,
            r#"{"at":0,"event":{"failed":{"round":-1¦,"key":"k"}}}"#,
            r#"{"at":0,"event":{"bindingChanged":¦["SENTINEL"]}}"#,
            r#"{"at":0,"event":{"reply":[¦"c.1",{},{},null,null]}}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.1","unreadable":{"shape":¦["id","SENTINEL"]}}}}"#,
            r#"{"at":0,"start":{"version":"1"¦,"id":"c","method":"tools/call","params":{}}}"#,
            r#"{"at":0,"start":[¦1,"c","tools/call",{}]}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":¦{"tools/call":null},"params":{}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"clientInfo":[¦"n","v"]}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"extensionTypes":¦{}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"claims":[¦true]}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"limits":[¦1]}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"limits":{"clocks":[¦1]}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"limits":{"form":[¦1]}}}"#,
        ],
    ),
    (
        "an object that lacks a member",
        &[
            "{}¦",
            r#"{"event":"tick"}¦"#,
            r#"{"at":0,"event":{"failed":{"round":1}¦}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call"}¦}"#,
        ],
    ),
    (
        "neither start nor event, or both",
        &[
            r#"{"at":0}¦"#,
            r#"{"at":0,"start":null}¦"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{}},"event":"tick"}¦"#,
        ],
    ),
    (
        "a time that is not in milliseconds",
        &[
            r#"{"at":-1¦,"event":"tick"}"#,
            r#"{"at":"SENTINEL"¦,"event":"tick"}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"limits":{"clocks":{"leg":"SENTINEL"¦}}}}"#,
        ],
    ),
    (
        "a member that comes twice",
        &[
            r#"{"at":0,"at"¦:0,"event":"tick"}"#,
            r#"{"at":0,"event":"tick","event"¦:"tick"}"#,
            r#"{"at":0,"event":{"failed":{"round":1,"round"¦:1,"key":"k"}}}"#,
        ],
    ),
    (
        "an unknown member",
        &[
            r#"{"at":0,"event":"tick","SENTINEL"¦:1}"#,
            r#"{"at":0,"event":{"failed":{"round":1,"key":"k","SENTINEL"¦:1}}}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.1","unreadable":{"tooDeep":{"levelsMax":1,"SENTINEL"¦:1}}}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"claims":{"SENTINEL"¦:true}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"limits":{"SENTINEL"¦:1}}}"#,
        ],
    ),
    (
        "an unknown name",
        &[
            r#"{"at":0,"event":"SENTINEL"¦}"#,
            r#"{"at":0,"event":{"SENTINEL"¦:1}}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.1","unreadable":"SENTINEL"¦}}}"#,
            r#"{"at":0,"event":{"answer":{"round":1,"key":"k","response":"SENTINEL"¦}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"SENTINEL"¦,"params":{}}}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"revision":"SENTINEL"}¦}"#,
        ],
    ),
    (
        "the id of a leg that is not one such as call-7.1",
        &[
            r#"{"at":0,"event":{"progress":{"leg":"SENTINEL"}¦}}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.01"¦,"result":{}}}}"#,
        ],
    ),
    (
        "a reply that has not one of result, error, unreadable and message",
        &[
            r#"{"at":0,"event":{"reply":{"leg":"c.1"}}¦}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.1","result":{},"error":{}}}¦}"#,
        ],
    ),
    (
        "content that is not an object with each answer once",
        &[
            r#"{"at":0,"event":{"answer":{"round":1,"key":"k","response":{"accept":7}¦}}}"#,
            r#"{"at":0,"event":{"answer":{"round":1,"key":"k","response":{"accept":{"a":1,"a":1}}¦}}}"#,
        ],
    ),
    (
        "an object without its version",
        &[
            r#"{"at":0,"start":{"id":"c","method":"tools/call","params":{}}¦}"#,
            r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{},"clientInfo":{"name":"SENTINEL"}¦}}"#,
        ],
    ),
    (
        "a version of the format that is not 1",
        &[r#"{"at":0,"start":{"version":2¦,"id":"c","SENTINEL":1}}"#],
    ),
    (
        "an id that is not 1 to 128 printable ASCII characters without spaces",
        &[r#"{"at":0,"start":{"version":1,"id":""¦,"method":"tools/call","params":{}}}"#],
    ),
];

/// proves: CL-20, CL-23
#[test]
fn each_fault_of_a_line_is_found_where_it_is_without_a_word_of_it() {
    for (found, lines) in FAULTS {
        for marked in lines {
            let (line, column) = (marked.replace('¦', ""), marked.find('¦').unwrap());
            let error = Exposed::read(&line).unwrap_err();
            assert_eq!((error.found, error.column), (found, column), "{marked}");
            let words = format!("expected a step of a trace, found {found} (column {column})");
            assert_eq!(error.to_string(), words);
            assert!(!format!("{error:?}").contains("SENTINEL"));
        }
    }
}

/// proves: W-11, CL-23
#[test]
fn json_in_a_line_nests_as_deep_as_it_can_be_sent() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let start = |levels: usize| START.replace("{\"name\":\"t\"}", &nested(levels));
    let reply = |levels: usize| {
        format!(r#"{{"at":0,"event":{{"reply":{{"leg":"c.1","result":{}}}}}}}"#, nested(levels))
    };
    for (line, is_read) in
        [(start(127), true), (start(128), false), (reply(127), true), (reply(128), false)]
    {
        let found = Exposed::read(&line).map_err(|error| error.found);
        assert_eq!(found.is_ok(), is_read);
        assert!(is_read || found == Err("JSON that nests too deep"));
    }
}

/// proves: CL-20, CL-23
#[test]
fn a_redacted_event_names_the_kind_of_the_response() {
    for (response, kind) in [
        (InputResponse::Accept(Content::new()), "accept"),
        (InputResponse::Consent, "consent"),
        (InputResponse::Decline, "decline"),
        (InputResponse::Cancel, "cancel"),
        (InputResponse::Sampled(json("{}")), "sampled"),
        (InputResponse::Roots(json("{}")), "roots"),
    ] {
        let event = Event::Answer { round: 1, key: "k".into(), response };
        let shown = serde_json::to_string(&Redacted(&event)).unwrap();
        let expected = format!(r#"{{"answer":{{"round":1,"keyBytes":1,"response":"{kind}"}}}}"#);
        assert_eq!(shown, expected);
    }
}

/// proves: CL-20, CL-23
#[test]
fn a_redacted_event_shows_nothing_that_anybody_said_and_an_exposed_one_everything() {
    let hidden = json(r#"{"requestState":"SENTINEL"}"#);
    for event in [
        Event::Reply { leg: leg(), reply: Reply::Result(hidden.clone()) },
        Event::Reply { leg: leg(), reply: Reply::Error(hidden.clone()) },
        Event::Answer {
            round: 1,
            key: "SENTINEL".into(),
            response: InputResponse::Accept(Content::new().with_text("SENTINEL", "SENTINEL")),
        },
        answer(InputResponse::Sampled(hidden.clone())),
        answer(InputResponse::Roots(hidden)),
        Event::Failed { round: 1, key: "SENTINEL".into() },
        Event::BindingChanged(Binding::new("SENTINEL")),
    ] {
        let shown = serde_json::to_string(&Redacted(&event)).unwrap();
        let as_step = Step::event(Instant::default(), event.clone());
        let shown = format!("{shown} {}", serde_json::to_string(&Redacted(&as_step)).unwrap());
        assert!(!format!("{shown} {event:?} {as_step:?}").contains("SENTINEL"), "{shown}");
        let exposed = serde_json::to_string(&Exposed(&event)).unwrap();
        assert!(exposed.contains("SENTINEL"), "{exposed}");
    }
}

/// proves: CL-20, CL-23
#[test]
fn a_redacted_start_shows_no_argument_and_no_binding() {
    let line = START.replace("\"t\"", "\"SENTINEL\"");
    let line = line.replace("}}}", r#"},"binding":"SENTINEL","extensionTypes":["SENTINEL"]}}"#);
    let Exposed(step) = Exposed::read(&line).unwrap();
    let Step::Start { start, .. } = &step else { panic!("it is a start") };
    let shown = serde_json::to_string(&Redacted(&**start)).unwrap();
    let begin = r#"{"version":1,"id":"c","method":"tools/call","paramsBytes":19,"revision":"2026-07-28","bindingBytes":8,"claims":{"#;
    assert!(shown.starts_with(begin), "{shown}");
    let as_step = serde_json::to_string(&Redacted(&step)).unwrap();
    assert_eq!(as_step, format!(r#"{{"at":0,"start":{shown}}}"#));
    assert!(!shown.contains("SENTINEL"), "{shown}");
    let exposed = serde_json::to_string(&Exposed(&**start)).unwrap();
    assert_eq!(exposed.matches("SENTINEL").count(), 3);
}

/// Plays lines, and returns everything the call did about them.
fn actions(lines: &[&str]) -> Vec<Action> {
    let mut call = None;
    let mut made = Vec::new();
    for line in lines {
        match Exposed::read(line).unwrap().0 {
            Step::Start { at, start } => {
                let (started, actions) = start.start(at).unwrap();
                call = Some(started);
                made.extend(actions);
            }
            Step::Event { at, event } => {
                let actions = call.as_mut().unwrap().handle(at, event).unwrap();
                for Report::Moved(transition) in actions.reports() {
                    let shown = serde_json::to_string(transition).unwrap();
                    assert!(!format!("{shown} {transition:?}").contains("SENTINEL"));
                }
                made.extend(actions);
            }
        }
    }
    made.extend(call.unwrap().handle(Instant::default(), Event::Stop).unwrap());
    made
}

/// proves: CL-20, CL-21, CL-23
#[test]
fn a_redacted_action_shows_nothing_that_anybody_said_and_an_exposed_one_everything() {
    let start = r#"{"at":0,"start":{"version":1,"id":"c","method":"tools/call","params":{"name":"SENTINEL"},"binding":"SENTINEL","claims":{"form":true,"url":true,"sampling":true,"roots":true}}}"#;
    let requests = r#"{"SENTINEL-1":{"method":"elicitation/create","params":{"message":"SENTINEL","requestedSchema":{"type":"object","properties":{"SENTINEL":{"type":"string"}}}}},"SENTINEL-2":{"method":"elicitation/create","params":{"mode":"url","message":"SENTINEL","url":"https://SENTINEL.example/"}},"SENTINEL-3":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[],"SENTINEL":1}],"maxTokens":1}},"SENTINEL-4":{"method":"roots/list"}}"#;
    let asks = format!(
        r#"{{"at":0,"event":{{"reply":{{"leg":"c.1","result":{{"resultType":"input_required","requestState":"SENTINEL","inputRequests":{requests}}}}}}}}}"#
    );
    let answer = r#"{"at":0,"event":{"answer":{"round":1,"key":"SENTINEL-1","response":{"accept":{"SENTINEL":"SENTINEL"}}}}}"#;
    let error = r#"{"at":0,"event":{"reply":{"leg":"c.1","error":{"code":7,"message":"SENTINEL","data":"SENTINEL"}}}}"#;
    let done = r#"{"at":0,"event":{"reply":{"leg":"c.1","result":{"SENTINEL":1}}}}"#;
    for lines in [&[start, &asks, answer][..], &[start, error], &[start, done]] {
        for action in actions(lines) {
            let shown = serde_json::to_string(&Redacted(&action)).unwrap();
            let seen = format!("{shown} {action:?}");
            assert!(!seen.contains("SENTINEL"), "{seen}");
            let exposed = serde_json::to_string(&Exposed(&action)).unwrap();
            let holds_nothing = exposed.contains(r#""outcome":"stopped""#);
            assert!(exposed.contains("SENTINEL") || holds_nothing, "{exposed}");
        }
    }
}
