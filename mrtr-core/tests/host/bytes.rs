//! Bytes that are not a frame, a request or a record are refused, each with an error that has a name.

use form_model::Content;
use mrtr_core::{
    InvocationId,
    host::{
        FRAME_BYTES_MAX, HostFrame, InteractionId, Limits, Outcome, ProviderFrame, Question,
        Record, RecordId, Requester,
    },
    wire::{InputResponse, Json, WireError},
};
use serde_json::value::RawValue;

use crate::{
    lines::{accepted, call_with, raw},
    play::{At, Play},
};

/// The frames of either side, each with a valid body.
const PROVIDERS: [&str; 7] = [
    r#"{"accepted":{"invocation":"1.1"}}"#,
    r#"{"rejected":{"invocation":"1.1","error":{}}}"#,
    r#"{"progress":{"invocation":"1.1"}}"#,
    r#"{"interaction_request":{"invocation":"1.1","interaction":1,"request":{}}}"#,
    r#"{"result":{"invocation":"1.1","result":{}}}"#,
    r#"{"failed":{"invocation":"1.1","error":{}}}"#,
    r#"{"released":{"invocation":"1.1"}}"#,
];
const HOSTS: [&str; 4] = [
    r#"{"call":{"invocation":"1.1","request":{}}}"#,
    r#"{"interaction_result":{"invocation":"1.1","interaction":1,"result":{}}}"#,
    r#"{"interaction_refused":{"invocation":"1.1","interaction":1,"code":"pending"}}"#,
    r#"{"cancel":{"invocation":"1.1","why":"stopped"}}"#,
];
const RECORDS: [&str; 3] = [
    r#"{"version":1,"interaction":"1.1.1","record":{"requested":{"invocation":"1.1","session":"s","turn":"t","toolCall":"c","registration":"r","connection":1,"request":{"form":{"version":1},"message":"m","requester":{"provider":"p","server":"s","tool":"t"}}}}}"#,
    r#"{"version":1,"interaction":"1.1.1","record":{"answered":{"result":{"action":"decline"}}}}"#,
    r#"{"version":1,"interaction":"1.1.1","record":{"closed":{"why":"stopped"}}}"#,
];
const QUESTIONS: [&str; 2] = [
    r#"{"form":{"version":1},"message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#,
    r#"{"url":"https://example.org","message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#,
];

fn provider(text: &str) -> bool {
    ProviderFrame::decode(text.as_bytes()).is_ok()
}

fn host(text: &str) -> bool {
    HostFrame::decode(text.as_bytes()).is_ok()
}

fn question(text: &str) -> bool {
    Json::parse(text).is_ok_and(|json| Question::decode(json, &Limits::default()).is_ok())
}

fn record(text: &str) -> bool {
    let is_record = Record::decode(text, &Limits::default()).is_ok();
    assert!(!is_record || RecordId::decode(text).is_ok(), "a record has an id");
    is_record
}

fn record_id(text: &str) -> bool {
    RecordId::decode(text).is_ok()
}

/// Returns whether a text decodes.
type Decodes = fn(&str) -> bool;

/// The decoders, each with valid texts.
fn decoders() -> [(&'static [&'static str], Decodes); 5] {
    [
        (&PROVIDERS, provider),
        (&HOSTS, host),
        (&QUESTIONS, question),
        (&RECORDS, record),
        // Only the id is read, not what the record says of the question.
        (&RECORDS[1..], record_id),
    ]
}

/// Asserts that every valid text is refused after each of these changes.
fn assert_spoilt(spoil: impl Fn(&str) -> Vec<String>) {
    let mut count = 0;
    for (texts, decodes) in decoders() {
        for text in texts {
            assert!(decodes(text), "{text}");
            for spoilt in spoil(text) {
                assert!(!decodes(&spoilt), "{spoilt}");
                count += 1;
            }
        }
    }
    assert!(count > 0);
}

/// proves: HB-04
#[test]
fn a_text_that_is_cut_short_or_goes_on_is_refused() {
    assert_spoilt(|text| (0..text.len()).map(|end| text[..end].into()).collect());
    let rests = ["{}", ",", "x", "\0", "\u{feff}"];
    assert_spoilt(|text| rests.iter().map(|rest| format!("{text}{rest}")).collect());
    let before = ["\u{feff}", "\0", "[", "x"];
    assert_spoilt(|text| before.iter().map(|before| format!("{before}{text}")).collect());
}

/// proves: HB-04
#[test]
fn a_repeated_or_unknown_member_is_refused() {
    // Into every object that the decoder reads, and not into payloads that it carries.
    let inserted = |text: &str, member: &str| {
        let is_carried = |before: &str| {
            let carried = ["\"error\":{", "\"request\":{", "\"result\":{"];
            before != "{\"result\":{" && carried.iter().any(|name| before.ends_with(name))
        };
        let opens = text.match_indices('{').map(|(at, _)| text.split_at(at + 1));
        let opens = opens.filter(|(before, _)| !is_carried(before));
        let spoilt = opens.map(|(before, rest)| {
            let comma = if rest.starts_with('}') { "" } else { "," };
            format!("{before}{member}{comma}{rest}")
        });
        spoilt.collect::<Vec<_>>()
    };
    for member in [r#""x":1"#, r#""requestState":"s""#, r#""":null"#, r#""__proto__":{}"#] {
        assert_spoilt(|text| inserted(text, member));
    }
    // Each member twice with the same value, the first time in another spelling.
    assert_spoilt(|text| {
        let names = text.match_indices("\":").filter_map(|(end, _)| {
            let start = text[..end].rfind('"')?;
            let name = &text[start + 1..end];
            let value = serde_json::Deserializer::from_str(&text[end + 2..])
                .into_iter::<&RawValue>()
                .next()?
                .unwrap();
            let letter = u32::from(name.chars().next()?);
            let again = format!(r#""\u{letter:04x}{}":{value},"#, &name[1..]);
            // The members of an answer are payload.
            (name != "action").then(|| format!("{}{again}{}", &text[..start], &text[start..]))
        });
        names.collect()
    });
}

/// proves: HB-04
#[test]
fn a_missing_member_or_one_of_another_type_is_refused() {
    for wrong in ["null", "true", "[]", "1.5", "-1"] {
        assert_spoilt(|text| {
            let scalars = ["\"1.1\"", "\"1.1.1\"", ":1,", ":1}", "\"stopped\"", "\"m\"", "\"p\""];
            let spoilt = scalars.iter().filter(|scalar| text.contains(**scalar)).map(|scalar| {
                let value = scalar.trim_matches([':', ',', '}']);
                text.replacen(scalar, &scalar.replace(value, wrong), 1)
            });
            spoilt.collect()
        });
    }
    assert_spoilt(|text| {
        vec![
            text.replace("invocation", "Invocation")
                .replace("interaction\"", "x\"")
                .replace("message", "x"),
        ]
    });
}

/// proves: HB-04
#[test]
fn a_list_in_place_of_an_object_and_an_object_in_place_of_a_word_are_refused() {
    let wrong = [
        (provider as Decodes, r#"{"accepted":["1.1"]}"#),
        (provider, r#"{"result":["1.1",{}]}"#),
        (provider, r#"{"interaction_request":["1.1",1,{}]}"#),
        (provider, r#"["accepted",{"invocation":"1.1"}]"#),
        (provider, r#""accepted""#),
        (host, r#"{"cancel":["1.1","stopped"]}"#),
        (host, r#"{"cancel":{"invocation":"1.1","why":{"stopped":null}}}"#),
        (question, r#"[null,"https://example.org","m",["p","s","t"]]"#),
        (question, r#"{"url":"https://example.org","message":"m","requester":["p","s","t"]}"#),
        (record, r#"[1,"1.1.1",{"closed":{"why":"stopped"}}]"#),
        (record_id, r#"{"version":1,"interaction":"1.1.1","record":{"closed":["stopped"]}}"#),
        (
            record_id,
            r#"{"version":1,"interaction":"1.1.1","record":{"closed":{"why":{"stopped":null}}}}"#,
        ),
    ];
    let taken = wrong.into_iter().filter(|(decodes, text)| decodes(text)).map(|(_, text)| text);
    assert_eq!(taken.collect::<Vec<_>>(), [""; 0]);
}

/// proves: HB-04
#[test]
fn a_frame_of_the_other_side_is_refused() {
    for text in PROVIDERS {
        assert!(!host(text), "{text}");
    }
    for text in HOSTS {
        assert!(!provider(text), "{text}");
    }
    for text in [
        "{}",
        "null",
        "7",
        "\"accepted\"",
        "[]",
        r#"{"accepted":null}"#,
        r#"{"accepted":{}}"#,
        r#"{"Accepted":{"invocation":"1.1"}}"#,
        r#"{"eval":{"invocation":"1.1"}}"#,
        r#"{"accepted":{"invocation":"1.1"},"released":{"invocation":"1.1"}}"#,
        r#"{"accepted":{"invocation":""}}"#,
        r#"{"accepted":{"invocation":"a b"}}"#,
        r#"{"accepted":{"invocation":"\u0000"}}"#,
        r#"{"accepted":{"invocation":"\ud800"}}"#,
    ] {
        assert!(!provider(text) && !host(text), "{text}");
        assert!(!question(text) && !record(text) && !record_id(text), "{text}");
    }
    let long = "1".repeat(129);
    assert!(!provider(&format!(r#"{{"accepted":{{"invocation":"{long}"}}}}"#)));
}

/// proves: HB-04
#[test]
fn another_version_is_refused() {
    for version in ["0", "2", "1.0", "\"1\"", "null", "4294967297", "-1"] {
        for text in RECORDS {
            let other = text.replacen(r#""version":1"#, &format!(r#""version":{version}"#), 1);
            assert!(!record(&other) && !record_id(&other), "{other}");
        }
        let form = format!(r#"{{"version":{version}}}"#);
        assert!(!question(&QUESTIONS[0].replace(r#"{"version":1}"#, &form)), "{version}");
    }
}

/// proves: HB-04, HB-15
#[test]
fn bytes_that_are_too_many_too_deep_or_not_utf8_are_refused_by_name_and_at_once() {
    let is_refused = |text: &str, limits: &Limits| match Json::parse(text) {
        Ok(json) => Question::decode(json, limits).is_err(),
        Err(_) => true,
    };
    let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let result = |value: &str| format!(r#"{{"result":{{"invocation":"1.1","result":{value}}}}}"#);
    let decoded =
        |bytes: &[u8]| ProviderFrame::decode(bytes).map(drop).map_err(|wrong| wrong.error);
    let levels_max = 127;
    assert_eq!(decoded(result(&deep(levels_max - 2)).as_bytes()), Ok(()));
    for levels in [levels_max - 1, 1_000, 1_000_000] {
        let too_deep = Err(WireError::TooDeep { levels_max });
        assert_eq!(decoded(result(&deep(levels)).as_bytes()), too_deep);
        assert_eq!(decoded("[".repeat(levels + 2).as_bytes()), too_deep);
        let frame = format!(r#"{{"call":{{"invocation":"1.1","request":{}}}}}"#, deep(levels));
        assert_eq!(HostFrame::decode(frame.as_bytes()).map(drop), too_deep);
        let line = RECORDS[1].replace(r#"{"action":"decline"}"#, &deep(levels));
        assert_eq!(RecordId::decode(&line).map(drop), too_deep);
        let limits = Limits::default().request_bytes_max(usize::MAX);
        let form = QUESTIONS[0].replace(r#"{"version":1}"#, &deep(levels));
        assert!(is_refused(&form, &limits) && is_refused(&"{\"form\":".repeat(levels), &limits));
    }
    let empty = result("\"\"").len();
    let fits = result(&format!("\"{}\"", "x".repeat(FRAME_BYTES_MAX - empty)));
    assert_eq!((fits.len(), decoded(fits.as_bytes())), (FRAME_BYTES_MAX, Ok(())));
    let too_large = Err(WireError::too_large("a frame in bytes", FRAME_BYTES_MAX));
    assert_eq!(decoded(format!("{fits} ").as_bytes()), too_large);
    assert_eq!(decoded(&vec![b'['; 64 * 1024 * 1024]), too_large);
    for bytes in [&b"\xff"[..], b"{\"accepted\":{\"invocation\":\"1.1\xff\"}}", b"\xed\xa0\x80"] {
        assert_eq!(decoded(bytes), Err(WireError::NotUtf8));
        assert_eq!(HostFrame::decode(bytes).map(drop), Err(WireError::NotUtf8));
    }
}

/// proves: HB-04
#[test]
fn the_payload_of_a_frame_passes_byte_for_byte() {
    for json in
        [r#""\ud800""#, r#"{"a":1.0,"a":1e2}"#, "1e999", r#""\u0041\/""#, "[ 1 ,\t2]", "null"]
    {
        let text = format!(r#"{{"result":{{"invocation":"1.1","result":{json}}}}}"#);
        let frame = ProviderFrame::decode(text.as_bytes()).unwrap();
        assert_eq!(frame.to_json(), text);
        let mut play = Play::volatile().brought(At::Accepted);
        play.say(frame);
        assert_eq!(play.settled[&play.call], Outcome::Complete(raw(json)));
        let request = call_with(&raw(json));
        play.start_as(request).unwrap();
        let line = play.delivered.last().unwrap().1.to_json();
        assert_eq!(line, format!(r#"{{"call":{{"invocation":"1.2","request":{json}}}}}"#));
        assert_eq!(HostFrame::decode(line.as_bytes()).unwrap(), play.delivered.last().unwrap().1);
    }
    // A frame is one line, even if its payload was not.
    let broken = ProviderFrame::Result {
        invocation: InvocationId::new("1.1").unwrap(),
        result: raw("[1,\r\n2]"),
    };
    assert_eq!(broken.to_json(), r#"{"result":{"invocation":"1.1","result":[1,  2]}}"#);
}

/// proves: HB-02, HB-14
#[test]
fn the_id_of_a_record_has_one_spelling() {
    for wrong in [
        "",
        "1.1.1",
        "1.1.1 ",
        "1.1.1 Closed",
        "1.1.1  closed",
        "1.1.1 closed ",
        "01.1.1 closed",
        " 1.1.1 closed",
        "1.1 closed",
        "1.1.1 clo",
        "1.1.1 \"closed\"",
        "1.1.1 \\u0063losed",
        "1.1.1\tclosed",
    ] {
        assert!(wrong.parse::<RecordId>().is_err(), "{wrong:?}");
    }
    assert!("1.1.1 closed".parse::<RecordId>().is_ok());
    assert!("1.1.01".parse::<InteractionId>().is_err());
}

/// proves: HB-07
#[test]
fn limits_of_a_question_count_bytes_and_not_characters() {
    let wide = |bytes: usize| "\u{1f600}".repeat(bytes / 4) + &"a".repeat(bytes % 4);
    let question = |message: &str, names: [&str; 3]| {
        let [provider, server, tool] = names;
        let requester = Requester::new(provider, server, tool);
        let form = crate::lines::form(r#"{"type":"object","properties":{}}"#);
        Question::form(message, form, requester).to_json()
    };
    let limits = Limits::default().label_bytes_max(16).message_bytes_max(24);
    let fits = |message: &str, names: [&str; 3]| {
        Question::decode(question(message, names).as_json(), &limits).is_ok()
    };
    let (label, message) = (wide(16), wide(24));
    let all = [label.as_str(); 3];
    assert!(fits(&message, all));
    for over in [wide(25), wide(28)] {
        assert!(!fits(&over, all), "{over}");
    }
    for over in [wide(17), wide(20)] {
        for at in 0..3 {
            let mut names = all;
            names[at] = &over;
            assert!(!fits(&message, names), "{names:?}");
        }
    }
    let whole = question(&message, all);
    let bytes = whole.as_str().len();
    let decode = |max| Question::decode(whole.as_json(), &limits.clone().request_bytes_max(max));
    assert!(decode(bytes).is_ok());
    assert!(decode(bytes - 1).is_err());
}

/// proves: HB-07
#[test]
fn the_limit_of_an_answer_counts_bytes_and_not_characters() {
    let text = "\u{1f600}".repeat(10);
    let schema = r#"{"type":"object","properties":{"t":{"type":"string"}}}"#;
    let answer = Content::new().with_text("t", text.as_str());
    let bytes = answer.to_json().len();
    for (max, fits) in [(bytes, true), (bytes - 1, false)] {
        let form = form_model::Limits::default().answer_bytes_max(max);
        let mut play = Play::limited(Limits::default().form(form));
        let call = play.start();
        play.say(accepted(&call));
        let question =
            Question::form("Text?", crate::lines::form(schema), crate::lines::requester());
        play.say(ProviderFrame::ask(call, 1, &question));
        play.hold();
        let answered = play.answer(InputResponse::Accept(answer.clone()));
        assert_eq!(answered.is_ok(), fits, "{answered:?}");
    }
}
