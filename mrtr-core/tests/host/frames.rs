//! Which frames a provider may send in which state. All others are refused and counted, and do nothing
//! else.

use mrtr_core::{
    InvocationId, Phase,
    host::{
        Action, ConnectionId, Event, Fault, HostFrame, Limits, Outcome, ProviderFrame, Question,
        Report, Requester,
    },
    wire::WireError,
};

use crate::{
    lines::{
        FILES, MAIL, SCHEMA, accepted, asking, asking_json, failed, form, progress, rejected,
        released, result, session, yes,
    },
    play::{At, Play},
};

/// An invalid form: a choice needs options.
const NO_FORM: &str = r#"{"form":{"version":1,"fields":[{"name":"a","kind":{"choice":{"options":[]}}}]},
    "message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#;

type Said = fn(&InvocationId) -> ProviderFrame;

/// The frames that a provider can send for its call. The first question of a call has number 1.
const SAID: [Said; 11] = [
    accepted,
    progress,
    |call| asking(call, 0),
    |call| asking(call, 1),
    |call| asking(call, 2),
    |call| asking_json(call, 2, "{}"),
    |call| asking_json(call, 2, NO_FORM),
    rejected,
    failed,
    result,
    released,
];

/// What the broker does with each: a row for each state, a column for each frame. In capitals, the
/// provider is told.
const TABLE: &str = "
    called:     go               not_accepted NOT_ACCEPTED NOT_ACCEPTED NOT_ACCEPTED NOT_ACCEPTED NOT_ACCEPTED go go not_accepted go
    accepted:   already_accepted go           NUMBER       go           go           UNREADABLE   FORM         go go go           go
    opening:    already_accepted ignored      NUMBER       duplicate    PENDING      PENDING      PENDING      go go go           go
    shown:      already_accepted ignored      NUMBER       duplicate    PENDING      PENDING      PENDING      go go go           go
    committing: already_accepted ignored      NUMBER       duplicate    PENDING      PENDING      PENDING      go go go           go
    resumed:    already_accepted go           NUMBER       duplicate    go           UNREADABLE   FORM         go go go           go";

/// Returns what the broker does with a frame, in the words of the table.
fn verdict(play: &mut Play, frame: ProviderFrame) -> String {
    let mut other = play.clone();
    let moved = other.say(frame.clone());
    match &other.reports[play.reports.len()..] {
        [Report::Moved(_)] => "go".into(),
        [] => {
            assert_eq!(moved, []);
            assert!(other.broker == play.broker);
            "ignored".into()
        }
        _ => {
            let (why, told) = play.refused(FILES, frame.clone());
            let ProviderFrame::InteractionRequest { invocation, interaction, .. } = frame else {
                assert_eq!(told, None);
                return why.code().into();
            };
            let Some(told) = told else { return why.code().into() };
            let code = why.code().to_owned();
            let expected = HostFrame::InteractionRefused { invocation, interaction, code };
            assert_eq!(told, expected);
            why.code().to_uppercase()
        }
    }
}

/// proves: HB-03
#[test]
fn every_frame_is_taken_or_refused_in_every_state_as_the_table_says() {
    for (at, row) in At::ALL.into_iter().zip(TABLE.trim().lines()) {
        let (name, cells) = row.trim().split_once(':').unwrap();
        assert_eq!(name, format!("{at:?}").to_lowercase());
        let cells: Vec<_> = cells.split_whitespace().collect();
        assert_eq!(cells.len(), SAID.len());
        for mut play in at.plays() {
            for (column, (said, cell)) in SAID.into_iter().zip(&cells).enumerate() {
                let frame = said(&play.call);
                assert_eq!(verdict(&mut play, frame), *cell, "{at:?}, column {column}");
            }
            // The call goes on as if the refused frames had not been sent.
            assert_goes_on(play, at);
        }
    }
}

/// Plays a call to its end.
fn assert_goes_on(mut play: Play, at: At) {
    if at == At::Called {
        play.say(accepted(&play.call));
    }
    if at == At::Opening {
        play.hold();
    }
    if matches!(at, At::Opening | At::Shown) {
        play.answer(yes()).unwrap();
    }
    play.hold();
    play.round(7);
    play.say(result(&play.call));
    assert!(matches!(play.settled[&play.call], Outcome::Complete(_)), "{at:?}");
}

/// proves: HB-03
#[test]
fn a_provider_is_told_of_a_wrong_number_unless_that_number_was_asked() {
    let number = |last| Fault::Number { last };
    for mut play in At::Accepted.plays() {
        let told = |interaction| {
            let (invocation, code) = (play.call.clone(), "number".into());
            Some(HostFrame::InteractionRefused { invocation, interaction, code })
        };
        let told = [told(0), told(3), told(4)];
        let ask = |play: &mut Play, number| play.refused(FILES, asking(&play.call, number));
        assert_eq!(ask(&mut play, 0), (number(0), told[0].clone()));
        play.round(2);
        play.round(5);
        for _ in 0..2 {
            assert_eq!(ask(&mut play, 0), (number(5), told[0].clone()));
            assert_eq!(ask(&mut play, 3), (number(5), told[1].clone()));
            for taken in [2, 5] {
                assert_eq!(ask(&mut play, taken), (Fault::Duplicate { last: 5 }, None));
            }
        }
        play.say(asking(&play.call, 6));
        assert_eq!(ask(&mut play, 4), (number(6), told[2].clone()));
        assert_eq!(ask(&mut play, 6), (Fault::Duplicate { last: 6 }, None));
    }
}

/// proves: HB-03
#[test]
fn a_frame_of_another_connection_is_refused_in_every_state_and_told_nobody() {
    let unknown = ConnectionId::new(99);
    for at in At::ALL {
        for mut play in at.plays() {
            for said in SAID {
                let frame = said(&play.call);
                assert_eq!(play.refused(MAIL, frame.clone()), (Fault::WrongConnection, None));
                assert_eq!(play.refused(unknown, frame), (Fault::NotConnected, None));
            }
            let counted = [FILES, MAIL, unknown].map(|on| play.broker.refused(on));
            assert_eq!(counted, [Some(0), Some(SAID.len() as u64), None]);
            assert_goes_on(play, at);
        }
    }
}

/// proves: HB-03
#[test]
fn a_frame_for_a_call_that_is_not_live_is_refused_and_told_nobody() {
    for (id, why) in [
        ("1.2", Fault::NotLive),
        ("1.0", Fault::NotLive),
        ("2.1", Fault::NotLive),
        ("1.01", Fault::NotLive),
        ("1.1.1", Fault::NotLive),
        ("1", Fault::NotLive),
        ("s-1", Fault::NotLive),
        ("1.18446744073709551616", Fault::NotLive),
        ("0.1", Fault::OldEpoch),
    ] {
        let mut play = Play::durable().brought(At::Accepted);
        for said in SAID {
            let frame = said(&InvocationId::new(id).unwrap());
            assert_eq!(play.refused(FILES, frame), (why.clone(), None), "{id}");
        }
    }
}

/// proves: HB-03, HB-08
#[test]
fn a_frame_for_a_call_that_is_over_is_refused_and_told_nobody() {
    for end in [rejected, failed, result, released] as [Said; 4] {
        for mut play in At::Accepted.plays() {
            play.say(end(&play.call));
            for said in SAID {
                let frame = said(&play.call);
                assert_eq!(play.refused(FILES, frame), (Fault::NotLive, None));
            }
        }
    }
}

/// proves: HB-03
#[test]
fn no_refused_frame_gives_a_call_more_time() {
    for at in At::ALL {
        for mut play in at.plays() {
            let due = play.broker.deadline();
            play.wait(20_000);
            let call = play.call.clone();
            let refused = [asking(&call, 0), asking_json(&call, 2, "{}"), asking(&call, 1)];
            // The last is an ordinary question if none is open.
            let count = if at == At::Accepted { 2 } else { 3 };
            for frame in refused.into_iter().take(count) {
                play.refused_as(frame);
            }
            play.refused(MAIL, progress(&call));
            assert_eq!(play.broker.deadline(), due, "{at:?}");
        }
    }
}

/// proves: HB-04
#[test]
fn a_request_over_a_limit_is_refused_by_the_host_whoever_made_it() {
    let limits = Limits::default()
        .request_bytes_max(2_000)
        .message_bytes_max(10)
        .label_bytes_max(5)
        .form(form_model::Limits::default().fields_max(2).title_bytes_max(4));
    let of = |message: &str, schema: &str, provider: &str| {
        Question::form(message, form(schema), Requester::new(provider, "s", "t"))
    };
    let three = r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"},
        "c":{"type":"boolean"}}}"#;
    let titled = r#"{"type":"object","properties":{"a":{"type":"boolean","title":"12345"}}}"#;
    let options: Vec<_> = (0..500).map(|option| option.to_string()).collect();
    let long = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"string","enum":{options:?}}}}}}}"#
    );
    let too_large = |what, max| Fault::Unreadable(WireError::too_large(what, max));
    for (question, why) in [
        (of("12345678901", SCHEMA, "p"), Some(too_large("a message in bytes", 10))),
        (of("m", SCHEMA, "123456"), Some(too_large("the name of a requester in bytes", 5))),
        (of("m", &long, "p"), Some(too_large("an interaction request in bytes", 2_000))),
        (of("m", three, "p"), None),
        (of("m", titled, "p"), None),
    ] {
        let mut play = Play::limited(limits.clone()).brought(At::Accepted);
        let frame = ProviderFrame::ask(play.call.clone(), 1, &question);
        let (refused, told) = play.refused(FILES, frame);
        match why {
            Some(why) => assert_eq!(refused, why),
            None => {
                let Fault::Form(refusal) = &refused else { panic!("{refused:?}") };
                assert_eq!(refusal.code.as_str(), "over-limit");
            }
        }
        assert!(matches!(told, Some(HostFrame::InteractionRefused { .. })));
        // The same call may use the number again for a question within the limits.
        let question = of("1234567890", SCHEMA, "12345");
        play.say(ProviderFrame::ask(play.call.clone(), 1, &question));
        assert_eq!(play.broker.phase(&play.call), Some(Phase::AwaitingInteraction));
    }
}

/// proves: HB-04
#[test]
fn a_request_for_anything_but_a_form_or_a_web_page_is_refused() {
    let rest = r#""message":"m","requester":{"provider":"p","server":"s","tool":"t"}"#;
    let form = r#""form":{"version":1}"#;
    let code = |request: &str| {
        let mut play = Play::durable().brought(At::Accepted);
        play.refused_as(asking_json(&play.call, 1, request))
    };
    for members in [
        String::new(),
        format!(r#"{form},"url":"https://example.org""#),
        r#""url":"file:///etc/passwd""#.into(),
        r#""url":"javascript:alert(1)""#.into(),
        r#""url":"/pay""#.into(),
        r#""url":7"#.into(),
        r#""run":"rm -rf /""#.into(),
        format!(r#"{form},"session":"s-2""#),
        format!(r#"{form},"id":"1.1.7""#),
        format!(r#"{form},"requestState":"s""#),
        format!("{form},{form}"),
    ] {
        let members = if members.is_empty() { rest.into() } else { format!("{members},{rest}") };
        assert_eq!(code(&format!("{{{members}}}")), "unreadable", "{members}");
    }
    for form in [
        "null",
        "{}",
        "[]",
        r#"{"version":2}"#,
        r#"{"version":1,"requestState":"s"}"#,
        r#"{"type":"object","properties":{"a":{"type":"boolean"}}}"#,
        r#"{"version":1,"fields":[{"name":"a","kind":{"password":{}}}]}"#,
        r#"{"version":1,"fields":[{"name":"a","kind":{"flag":{}}},{"name":"a","kind":{"flag":{}}}]}"#,
    ] {
        let code = code(&format!(r#"{{"form":{form},{rest}}}"#));
        let expected = if form == "null" { "unreadable" } else { "form" };
        assert_eq!(code, expected, "{form}");
    }
}

/// proves: HB-03, HB-04
#[test]
fn bytes_that_are_not_a_frame_are_counted_and_change_nothing_visible() {
    for at in At::ALL {
        for mut play in at.plays() {
            let seen = |play: &Play| {
                let broker = &play.broker;
                let live: Vec<_> = broker.invocations().cloned().collect();
                let sessions = [1, 2].map(|of| broker.snapshot(&session(of)));
                let owner = broker.owner(&play.call).cloned();
                (broker.phase(&play.call), broker.deadline(), owner, live, sessions)
            };
            let before = seen(&play);
            let error = ProviderFrame::decode(b"{").unwrap_err();
            let why = Fault::Unreadable(error.error.clone());
            let event = Event::Unreadable { connection: FILES, error };
            assert_eq!(play.handle(event).unwrap(), [] as [Action; 0]);
            let refused = Report::Refused { connection: FILES, why };
            assert_eq!(play.reports.last(), Some(&refused));
            let counted = [FILES, MAIL].map(|on| play.broker.refused(on));
            assert_eq!((counted, seen(&play)), ([Some(1), Some(0)], before));
            assert_goes_on(play, at);
        }
    }
}

/// proves: HB-03, HB-04
#[test]
fn a_provider_is_told_of_a_malformed_question_if_its_id_can_be_read() {
    let asks = |call: &str, rest: &str| {
        format!(r#"{{"interaction_request":{{"invocation":"{call}","interaction":2{rest}}}}}"#)
    };
    let code = "unreadable";
    for at in At::ALL {
        for play in at.plays() {
            let told = |on, line: &str, number| {
                let mut play = play.clone();
                let error = ProviderFrame::decode(line.as_bytes()).unwrap_err();
                let actions = play.handle(Event::Unreadable { connection: on, error }).unwrap();
                let (invocation, code) = (play.call.clone(), code.into());
                let frame = HostFrame::InteractionRefused { invocation, interaction: number, code };
                match actions.as_slice() {
                    [] => false,
                    told => {
                        assert_eq!(told, [Action::Deliver { connection: on, frame }], "{line}");
                        true
                    }
                }
            };
            for rest in ["", r#","request":{},"x":1"#, r#","request":{},"":null"#] {
                assert!(told(FILES, &asks("1.1", rest), 2), "{at:?} {rest}");
                assert!(!told(MAIL, &asks("1.1", rest), 2), "{at:?} {rest}");
                for other in ["1.2", "0.1", "s-1"] {
                    assert!(!told(FILES, &asks(other, rest), 2), "{at:?} {rest}");
                }
                // The number was asked: the provider would take the word for the open question.
                let again = asks("1.1", rest).replace(":2", ":1");
                let was_asked = !matches!(at, At::Called | At::Accepted);
                assert_eq!(told(FILES, &again, 1), !was_asked, "{at:?} {rest}");
            }
            for line in [
                r#"{"interaction_request":{"invocation":"1.1","interaction":-1,"request":{}}}"#,
                r#"{"interaction_request":{"invocation":"1.1","interaction":2,"interaction":2}}"#,
                r#"{"interaction_request":{"interaction":2,"request":{}}}"#,
                r#"{"interaction_request":["1.1",2,{}]}"#,
                r#"{"accepted":{"invocation":"1.1","interaction":2}}"#,
            ] {
                assert!(!told(FILES, line, 2), "{at:?} {line}");
            }
        }
    }
}

/// proves: HB-03
#[test]
fn the_count_of_refused_frames_is_forgotten_with_the_connection() {
    let mut play = Play::durable().brought(At::Accepted);
    play.refused_as(accepted(&play.call));
    play.handle(Event::Disconnected(FILES)).unwrap();
    assert_eq!(play.broker.refused(FILES), None);
    play.connect(FILES);
    assert_eq!(play.broker.refused(FILES), Some(0));
}
