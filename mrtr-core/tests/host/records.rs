//! Records: each is one line that reads back, within the limits of the host.

use form_model::Content;
use mrtr_core::{
    host::{CloseReason, Limits, ProviderFrame, Question, Record, RecordId, RecordKind},
    wire::{InputResponse, Json},
};

use crate::{
    lines::{accepted, asking_json, call_with, form, question, raw, released, requester},
    play::{At, Play},
};

/// A form with a field of each kind, and with every property of a form.
const EVERYTHING: &str = r#"{"type":"object","title":"T","description":"D\u2028\"\\","properties":{
    "text":{"type":"string","title":"a\nb","minLength":1,"maxLength":9,"default":"x"},
    "mail":{"type":"string","format":"email"},
    "number":{"type":"number","minimum":0.5,"exclusiveMaximum":1e300},
    "integer":{"type":"integer","minimum":-9007199254740993,"default":0},
    "flag":{"type":"boolean","default":false},
    "choice":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"\u202e"}],"default":"a"},
    "choices":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}},
    "required":["text","choices"]}"#;

/// The records of plays with different questions and answers.
fn records() -> Vec<Record> {
    let url = r#"{"url":"https://us\u0065r@xn--80ak6aa92e.com/\u00e9?q=1#f","message":"\u001b[2J",
        "requester":{"provider":"\u202e","server":"","tool":"a\nb"}}"#;
    let text = |text: &str| Content::new().with_text("text", text).with_choices("choices", ["y"]);
    let filled = text("\u{e9}\"\\\n\u{10ffff}").with_number("integer", 9_007_199_254_740_993_i64);
    let everything = Question::form("Line\r\none\u{2028}", form(EVERYTHING), requester());
    let empty = Question::form("", form(r#"{"type":"object","properties":{}}"#), requester());
    let mut records = Vec::new();
    for (request, response) in [
        (everything.to_json(), InputResponse::Accept(filled)),
        (everything.to_json(), InputResponse::Accept(text("x"))),
        (everything.to_json(), InputResponse::Decline),
        (empty.to_json(), InputResponse::Accept(Content::new())),
        (empty.to_json(), InputResponse::Cancel),
        (raw(url), InputResponse::Consent),
        (raw(url), InputResponse::Decline),
    ] {
        let mut play = Play::durable().brought(At::Accepted);
        play.say(asking_json(&play.call, 1, request.as_str()));
        play.hold();
        play.answer(response).unwrap();
        records.extend(play.records);
    }
    assert_eq!(records.len(), 14);
    let interaction = records[0].id().interaction;
    records.extend(CloseReason::ALL.iter().map(|why| Record::Closed { interaction, why: *why }));
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
fn a_record_has_one_shape() {
    let mut play = Play::durable().brought(At::Shown);
    play.answer(InputResponse::Cancel).unwrap();
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
fn a_record_is_read_within_the_limits_of_the_host() {
    let line = records()[0].to_json();
    let tight = form_model::Limits::default().fields_max(6);
    for limits in [
        Limits::default().form(tight),
        Limits::default().message_bytes_max(5),
        Limits::default().request_bytes_max(500),
    ] {
        assert!(Record::decode(&line, &limits).is_err());
        // The host still finds out which question it has to close.
        assert_eq!(RecordId::decode(&line).unwrap().kind, RecordKind::Requested);
    }
}

/// A request with numbers that are longer when they are written again: 10^18 in digits.
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
fn an_accepted_question_can_be_read_again_within_the_same_limits() {
    let request = asks_for_large_numbers(9);
    let written =
        Question::decode(Json::parse(&request).unwrap(), &Limits::default()).unwrap().to_json();
    let written = written.as_str().len();
    assert!(written > request.len() + 100);
    for request_bytes_max in request.len() - 1..=written {
        let limits = Limits::default().request_bytes_max(request_bytes_max);
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
    // A request with a `requestState` is refused, wherever it stands.
    for record in records() {
        let line = record.to_json();
        for at in line.match_indices('{').map(|(at, _)| at) {
            let comma = if line[at + 1..].starts_with('}') { "" } else { "," };
            let with = format!(r#"{}"requestState":"s"{comma}{}"#, &line[..=at], &line[at + 1..]);
            let decoded = Record::decode(&with, &Limits::default());
            // An answer's members are the fields of its form, which people see.
            let is_answer =
                record.id().kind == RecordKind::Answered && line[..at].contains("result");
            assert_eq!(decoded.is_ok(), is_answer, "{with}");
        }
    }
    let mut play = Play::durable();
    let state = r#"{"requestState":"hunter2"}"#;
    play.start_as(call_with(&raw(state))).unwrap();
    play.say(accepted(&play.call));
    play.round(1);
    play.say(ProviderFrame::Result { invocation: play.call.clone(), result: raw(state) });
    let lines: Vec<_> = play.records.iter().map(Record::to_json).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| !line.contains("hunter2") && !line.contains("requestState")));
    assert!(!format!("{:?}", play.changes).contains("hunter2"));
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
