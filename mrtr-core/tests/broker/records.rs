//! What the store holds, and what nothing else does: records read back, and no log shows what is in
//! them.

use form_model::Content;
use mrtr_core::{
    InvocationId,
    broker::{
        Action, Call, Closure, Event, FrameError, HostFrame, Limits, ProviderFrame, Question,
        Record, RecordId, RecordKind, Requester, View,
    },
    wire::{RawJson, Response},
};

use crate::{
    lines::{
        FILES, SCHEMA, accepted, asking_json, call_of, form, question, raw, released, requester,
        session,
    },
    play::{At, Play},
};

const SENTINEL: &str = "hunter2";

/// A form with a field of each kind, and all that a form can say.
const EVERYTHING: &str = r#"{"type":"object","title":"T","description":"D\u2028\"\\","properties":{
    "text":{"type":"string","title":"a\nb","minLength":1,"maxLength":9,"default":"x"},
    "mail":{"type":"string","format":"email"},
    "number":{"type":"number","minimum":0.5,"exclusiveMaximum":1e300},
    "integer":{"type":"integer","minimum":-9007199254740993,"default":0},
    "flag":{"type":"boolean","default":false},
    "choice":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"\u202e"}],"default":"a"},
    "choices":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}},
    "required":["text","choices"]}"#;

/// The records of plays in which people are asked by each of these, and answer or do not.
fn records() -> Vec<Record> {
    let url = r#"{"url":"https://us\u0065r@xn--80ak6aa92e.com/\u00e9?q=1#f","message":"\u001b[2J",
        "requester":{"provider":"\u202e","server":"","tool":"a\nb"}}"#;
    let text = |text: &str| Content::new().with_text("text", text).with_choices("choices", ["y"]);
    let filled = text("\u{e9}\"\\\n\u{10ffff}").with_number("integer", 9_007_199_254_740_993_i64);
    let everything = Question::form("Line\r\none\u{2028}", form(EVERYTHING), requester());
    let empty = Question::form("", form(r#"{"type":"object","properties":{}}"#), requester());
    let mut records = Vec::new();
    for (request, response) in [
        (everything.to_json(), Response::Accept(filled)),
        (everything.to_json(), Response::Accept(text("x"))),
        (everything.to_json(), Response::Decline),
        (empty.to_json(), Response::Accept(Content::new())),
        (empty.to_json(), Response::Dismiss),
        (raw(url), Response::Consent),
        (raw(url), Response::Decline),
    ] {
        let mut play = Play::durable().brought(At::Accepted);
        play.say(asking_json(&play.call, 1, request.as_str()));
        play.hold();
        play.answer(response).unwrap();
        records.extend(play.records);
    }
    assert_eq!(records.len(), 14);
    let interaction = records[0].id().interaction;
    records.extend(Closure::ALL.map(|why| Record::Closed { interaction, why }));
    records
}

/// proves: HB-14
#[test]
fn every_record_is_one_line_that_reads_back_as_the_same_record() {
    for record in records() {
        let line = record.to_json();
        assert!(!line.contains(['\n', '\r']), "{line}");
        assert_eq!(Record::decode(&line, &Limits::default()).unwrap(), record, "{line}");
        assert_eq!(RecordId::decode(&line).unwrap(), record.id());
        assert_eq!(record.id().to_string().parse::<RecordId>().unwrap(), record.id());
    }
}

/// proves: HB-14
#[test]
fn a_record_has_one_shape_whoever_asked_for_what() {
    let mut play = Play::durable().brought(At::Shown);
    play.answer(Response::Dismiss).unwrap();
    play.say(released(&play.call));
    let lines: Vec<_> = play.records.iter().map(Record::to_json).collect();
    let question = question().to_json();
    let owner = r#""invocation":"1.1","session":"s-1","turn":"t-1","toolCall":"call_9","registration":"files","connection":1"#;
    let expected = [
        format!(r#"{{"requested":{{{owner},"request":{}}}}}"#, question.as_str()),
        r#"{"answered":{"result":{"action":"cancel"}}}"#.into(),
        r#"{"closed":{"why":"released"}}"#.into(),
    ];
    let whole = |said| format!(r#"{{"version":1,"interaction":"1.1.1","record":{said}}}"#);
    assert_eq!(lines, expected.map(whole));
    let keys: Vec<_> = play.records.iter().map(|record| record.id().to_string()).collect();
    assert_eq!(keys, ["1.1.1 requested", "1.1.1 answered", "1.1.1 closed"]);
}

/// proves: HB-14
#[test]
fn a_record_of_a_question_is_read_within_the_limits_of_the_host() {
    let line = records()[0].to_json();
    let tight = form_model::Limits { fields_max: 6, ..Default::default() };
    for limits in [
        Limits { form: tight, ..Limits::default() },
        Limits { message_bytes_max: 5, ..Limits::default() },
        Limits { request_bytes_max: 500, ..Limits::default() },
    ] {
        assert!(Record::decode(&line, &limits).is_err());
        // What a host has to close it finds out all the same.
        assert_eq!(RecordId::decode(&line).unwrap().kind, RecordKind::Requested);
    }
}

/// Asks for a number of at least 10^18, which is written in digits.
fn asks_for_large_numbers(fields: usize) -> String {
    let field = |name| {
        format!(r#"{{"name":"{name}","kind":{{"integer":{{"minimum":{{"value":1e18}}}}}}}}"#)
    };
    let fields: Vec<_> = (0..fields).map(field).collect();
    format!(
        r#"{{"form":{{"version":1,"fields":[{}]}},"message":"m","requester":{{"provider":"p","server":"s","tool":"t"}}}}"#,
        fields.join(",")
    )
}

/// proves: HB-04, HB-14
#[test]
fn what_is_taken_is_read_again_within_the_same_limits() {
    let request = asks_for_large_numbers(9);
    let written = Question::decode(&request, &Limits::default()).unwrap().to_json();
    let written = written.as_str().len();
    assert!(written > request.len() + 100);
    for request_bytes_max in request.len() - 1..=written {
        let limits = Limits { request_bytes_max, ..Limits::default() };
        let mut play = Play::limited(limits.clone()).brought(At::Accepted);
        let frame = asking_json(&play.call, 1, &request);
        if request_bytes_max < written {
            assert_eq!(play.refused_as(frame), "unreadable", "{request_bytes_max}");
            continue;
        }
        play.say(frame);
        let record = play.records[0].clone();
        assert_eq!(Record::decode(&record.to_json(), &limits).unwrap(), record);
    }
}

/// proves: HB-14
#[test]
fn no_record_can_hold_a_request_state() {
    // Wherever a provider could put one, the request that it makes is refused.
    for record in records() {
        let line = record.to_json();
        for at in line.match_indices('{').map(|(at, _)| at) {
            let comma = if line[at + 1..].starts_with('}') { "" } else { "," };
            let with = format!(r#"{}"requestState":"s"{comma}{}"#, &line[..=at], &line[at + 1..]);
            let decoded = Record::decode(&with, &Limits::default());
            // The values of an answer have the names of its form's fields, which people see.
            let is_answer =
                record.id().kind == RecordKind::Answered && line[..at].contains("result");
            assert_eq!(decoded.is_ok(), is_answer, "{with}");
        }
    }
    let mut play = Play::durable();
    let state = r#"{"requestState":"hunter2"}"#;
    play.start_as(Call { request: raw(state), ..call_of(1, 1, "files") }).unwrap();
    play.say(accepted(&play.call));
    play.round(1);
    play.say(ProviderFrame::Result { invocation: play.call.clone(), result: raw(state) });
    let lines: Vec<_> = play.records.iter().map(Record::to_json).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| !line.contains(SENTINEL) && !line.contains("requestState")));
    assert!(!format!("{:?}", play.changes).contains(SENTINEL));
}

/// Hands an event over, and keeps every text that anybody could log of it.
fn show(play: &mut Play, event: Event, shown: &mut Vec<String>) {
    shown.push(format!("{event:?}"));
    let count = play.reports.len();
    match play.handle(event) {
        Ok(actions) => shown.push(format!("{actions:?}")),
        Err(misuse) => shown.push(format!("{misuse:?} {misuse}")),
    }
    shown.push(format!("{:?} {:?}", play.broker, &play.reports[count..]));
    let snapshot = play.broker.snapshot(&session(1));
    shown.push(format!("{snapshot:?} {:?}", View::new(snapshot.clone())));
    shown.push(format!("{:?} {:?}", play.records, play.delivered));
}

/// A question with the sentinel in all that it says. Names of fields are no secrets.
fn telling() -> Question {
    let schema = format!(
        r#"{{"type":"object","title":"{SENTINEL}","description":"{SENTINEL}","properties":{{
            "t":{{"type":"string","title":"{SENTINEL}","description":"{SENTINEL}","default":"{SENTINEL}","maxLength":20}},
            "o":{{"type":"string","oneOf":[{{"const":"{SENTINEL}","title":"{SENTINEL}"}},{{"const":"x"}}]}}}}}}"#
    );
    Question::form(SENTINEL, form(&schema), Requester::new(SENTINEL, SENTINEL, SENTINEL))
}

/// proves: HB-14
#[test]
fn no_debug_and_no_error_shows_what_is_asked_answered_or_executed() {
    let secret = format!(r#"{{"{SENTINEL}":"{SENTINEL}"}}"#);
    let mut play = Play::durable();
    let call = Call { request: raw(&secret), ..call_of(1, 1, "files") };
    let mut shown = vec![format!("{call:?}")];
    play.start_as(call).unwrap();
    let (call, connection) = (play.call.clone(), FILES);
    let frame = |frame| Event::Frame { connection, frame };
    show(&mut play, frame(accepted(&call)), &mut shown);
    let url = r#"{"url":"https://hunter2.example/hunter2","message":"hunter2",
        "requester":{"provider":"hunter2","server":"hunter2","tool":"hunter2"}}"#;
    let bad_form = format!(
        r#"{{"form":{{"version":1,"fields":[{{"name":"a","kind":{{"text":{{"format":"{SENTINEL}"}}}}}}]}},
            "message":"{SENTINEL}","requester":{{"provider":"","server":"","tool":""}}}}"#
    );
    for request in [secret.as_str(), "\"hunter2\"", &bad_form, r#"{"form":"hunter2"}"#] {
        show(&mut play, frame(asking_json(&call, 1, request)), &mut shown);
    }
    for (number, request) in [(1, telling().to_json()), (2, raw(url))] {
        show(&mut play, frame(asking_json(&call, number, request.as_str())), &mut shown);
        play.hold();
        let (interaction, session) = (play.interaction(), session(1));
        let text = |text: &str| Content::new().with_text("t", text).with_text("o", SENTINEL);
        for response in [
            Response::Accept(text(&SENTINEL.repeat(3))),
            Response::Accept(text(SENTINEL).with_text(SENTINEL, SENTINEL)),
            Response::Accept(Content::new().with_choices("t", [SENTINEL])),
            Response::Sampled(raw(&secret)),
            if number == 1 { Response::Accept(text(SENTINEL)) } else { Response::Consent },
            Response::Accept(text(SENTINEL)),
        ] {
            let session = session.clone();
            let event = Event::Answer { interaction, session, response };
            show(&mut play, event, &mut shown);
        }
        play.hold();
    }
    type End = fn(InvocationId, RawJson) -> ProviderFrame;
    let ends: [End; 3] = [
        |invocation, result| ProviderFrame::Result { invocation, result },
        |invocation, error| ProviderFrame::Failed { invocation, error },
        |invocation, error| ProviderFrame::Rejected { invocation, error },
    ];
    for end in ends {
        show(&mut play.clone(), frame(end(call.clone(), raw(&secret))), &mut shown);
    }
    assert_eq!(play.records.len(), 4, "each question was asked and answered");
    assert_eq!(shown.len(), 1 + 5 * 22);
    for text in shown {
        assert!(!text.contains(SENTINEL), "{text}");
    }
}

/// proves: HB-14
#[test]
fn what_can_not_be_read_is_not_repeated_in_the_error() {
    for text in ["hunter2", "{\"hunter2\":1}", "{\"hunter2\":{\"invocation\":\"hunter2\"}}"] {
        for error in [
            ProviderFrame::decode(text.as_bytes()).map(drop),
            HostFrame::decode(text.as_bytes()).map(drop).map_err(FrameError::from),
            RecordId::decode(text).map(drop).map_err(FrameError::from),
        ] {
            let error = error.unwrap_err();
            assert!(!format!("{error:?} {error}").contains(SENTINEL));
        }
        let limits = Limits::default();
        for error in
            [Record::decode(text, &limits).map(drop), Question::decode(text, &limits).map(drop)]
        {
            let error = error.unwrap_err();
            assert!(!format!("{error:?} {error}").contains(SENTINEL));
        }
    }
}

/// proves: HB-14
#[test]
fn what_is_shown_instead_tells_what_it_is_and_how_large() {
    let mut play = Play::durable().brought(At::Accepted);
    let question = Question::form("1234", form(SCHEMA), Requester::new("1", "12", "123"));
    let frame = ProviderFrame::ask(play.call.clone(), 1, &question);
    let length = question.to_json().as_str().len();
    assert_eq!(
        format!("{frame:?}"),
        format!("InteractionRequest(1.1, 1, RawJson({length} bytes))")
    );
    let actions = play.say(frame);
    let [Action::Store(Record::Requested(pending))] = actions.as_slice() else {
        panic!("expected only to store, found {actions:?}")
    };
    let shown = format!("{pending:?}");
    for part in ["1.1.1", "FormRequest(4 bytes, 2 fields", "names of 1, 2 and 3 bytes", "s-1"] {
        assert!(shown.contains(part), "{shown}");
    }
}

/// proves: HB-14
#[test]
fn a_record_belongs_to_the_invocation_of_its_question() {
    let line = r#"{"version":1,"interaction":"1.1.1","record":{"requested":{"invocation":"1.1","session":"s","turn":"t","toolCall":"c","registration":"r","connection":1,"request":{"form":{"version":1},"message":"m","requester":{"provider":"p","server":"s","tool":"t"}}}}}"#;
    let limits = Limits::default();
    assert!(Record::decode(line, &limits).is_ok());
    for other in ["1.2", "2.1", "call-7"] {
        let moved = line.replace(r#""invocation":"1.1""#, &format!(r#""invocation":"{other}""#));
        assert!(Record::decode(&moved, &limits).is_err(), "{other}");
    }
}
