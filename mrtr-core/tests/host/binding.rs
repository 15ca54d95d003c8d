//! The host owns each question: it gives the id and the binding, whatever a provider says.

use form_model::Content;
use mrtr_core::{
    InvocationId, Phase,
    host::{
        Action, ChangeKind, ConnectionId, Ending, Event, HostFrame, InteractionId,
        PendingInteraction, ProviderFrame, Question, Requester, ToolCallId, View,
    },
    wire::{Decision, InputResponse, RawJson},
};

use crate::{
    lines::{
        FILES, MAIL, SCHEMA, accepted, asking, asking_json, call_of, form, question, registration,
        requester, result, session, turn, yes,
    },
    play::{At, Play},
};

/// Returns the questions that a session is shown.
fn shown(play: &Play, of: u32) -> Vec<PendingInteraction> {
    let snapshot = play.broker.snapshot(&session(of));
    snapshot.open.iter().map(|shown| shown.interaction.as_ref().clone()).collect()
}

/// proves: HB-01
#[test]
fn a_question_is_bound_to_the_call_of_the_host() {
    for play in [Play::volatile(), Play::durable()] {
        let mut play = play;
        let tool_call = ToolCallId::new("call_31").unwrap();
        let mut call = call_of(2, 3, "mail");
        call.tool_call = tool_call.clone();
        play.start_as(call).unwrap();
        play.say(accepted(&play.call));
        play.say(asking(&play.call, 1));
        play.hold();
        let [pending] = &shown(&play, 2)[..] else { panic!("one question is open") };
        let owner = &pending.owner;
        assert_eq!((&owner.session, &owner.turn), (&session(2), &turn(3)));
        assert_eq!((&owner.tool_call, &owner.invocation), (&tool_call, &play.call));
        assert_eq!((&owner.registration, owner.connection), (&registration("mail"), MAIL));
        assert_eq!(pending.question, question());
        assert_eq!(shown(&play, 1), []);
    }
}

/// proves: HB-01
#[test]
fn the_binding_is_the_same_from_the_call_to_its_end() {
    for at in At::ALL {
        for mut play in at.plays() {
            let owner = play.broker.owner(&play.call).unwrap().clone();
            // Later calls have bindings of their own, whatever the names.
            play.connect(ConnectionId::new(3));
            play.register("other", ConnectionId::new(3));
            play.register("mail", FILES);
            play.start_as(call_of(1, 1, "mail")).unwrap();
            assert_eq!(play.broker.owner(&owner.invocation), Some(&owner), "{at:?}");
            assert_ne!(play.broker.owner(&play.call), Some(&owner));
        }
    }
}

/// proves: HB-01
#[test]
fn no_call_begins_without_a_registration() {
    let mut play = Play::durable();
    play.handle(Event::Retired(registration("mail"))).unwrap();
    for name in ["mail", "Files", "none"] {
        let refused = play.start_as(call_of(1, 1, name));
        assert_eq!(refused.unwrap_err().to_string(), "nothing is registered under that id");
    }
    assert_eq!(play.broker.registered_on(&registration("files")), Some(FILES));
    assert_eq!(play.broker.registered_on(&registration("mail")), None);
    play.handle(Event::Disconnected(FILES)).unwrap();
    assert!(play.start_as(call_of(1, 1, "files")).is_err());
    // A registration on an unknown connection does not replace the old one.
    play.register("mail", MAIL);
    play.start_as(call_of(1, 1, "mail")).unwrap();
    let registration = registration("mail");
    let refused = Event::Registered { registration, connection: FILES };
    assert!(play.assert_changes_nothing(refused).is_err());
    let again = Event::Connected(MAIL);
    assert!(play.assert_changes_nothing(again).is_err());
    assert_eq!(play.broker.phase(&play.call), Some(Phase::Running));
}

/// proves: HB-01, HB-09
#[test]
fn a_registration_that_moved_survives_its_old_connection() {
    let mut play = Play::durable();
    play.register("mail", FILES);
    let call = play.start_as(call_of(1, 1, "mail")).unwrap();
    play.handle(Event::Disconnected(MAIL)).unwrap();
    assert_eq!(play.broker.registered_on(&registration("mail")), Some(FILES));
    play.say(accepted(&call));
    assert_eq!(play.settled.len(), 0);
}

/// proves: HB-02
#[test]
fn the_host_counts_questions_whatever_numbers_a_provider_gives_them() {
    let numbers = [1, 2, 7, 1_000_000, u64::MAX - 1, u64::MAX];
    for mut play in At::Accepted.plays() {
        for (count, number) in numbers.into_iter().enumerate() {
            play.say(asking(&play.call, number));
            play.hold();
            let [pending] = &shown(&play, 1)[..] else { panic!("one question is open") };
            let id = format!("{}.{}", play.call, count + 1);
            assert_eq!(pending.id.to_string(), id);
            play.answer(yes()).unwrap();
            play.hold();
            // The answer comes back with the provider's number.
            let last = play.delivered.last().unwrap();
            let (FILES, HostFrame::InteractionResult { interaction, .. }) = last else {
                panic!("expected an answer, found {last:?}")
            };
            assert_eq!(*interaction, number);
        }
    }
}

/// proves: HB-02
#[test]
fn a_provider_cannot_use_the_ids_of_the_host() {
    let request = question().to_json();
    let of = |interaction: &str| {
        let request = request.as_str();
        let frame = format!(
            r#"{{"interaction_request":{{"invocation":"1.1","interaction":{interaction},"request":{request}}}}}"#
        );
        ProviderFrame::decode(frame.as_bytes())
    };
    assert!(of("1").is_ok());
    for interaction in [
        r#""1.1.1""#,
        r#""1""#,
        "1.1",
        "1.0",
        "1e0",
        "-1",
        "null",
        "[1]",
        "18446744073709551616",
        r#"1,"id":"1.1.1""#,
    ] {
        assert!(of(interaction).is_err(), "{interaction}");
    }
}

/// proves: HB-02, HB-05
#[test]
fn the_same_number_on_two_connections_and_two_calls_names_four_questions() {
    for mut play in [Play::volatile(), Play::durable()] {
        let mut asked = Vec::new();
        for name in ["files", "mail", "files", "mail"] {
            let call = play.start_as(call_of(1, 1, name)).unwrap();
            play.say(accepted(&call));
            play.say(asking(&call, 1));
            play.hold();
            asked.push((call, play.interaction()));
        }
        let ids: Vec<_> = shown(&play, 1).iter().map(|pending| pending.id).collect();
        assert_eq!(ids, asked.iter().map(|(_, id)| *id).collect::<Vec<_>>());
        for (count, (call, interaction)) in asked.into_iter().enumerate().rev() {
            let content = Content::new().with_flag("confirm", true);
            let response = InputResponse::Accept(content.with_text("remark", count.to_string()));
            play.handle(Event::Answer { interaction, session: session(1), response }).unwrap();
            play.hold();
            let (to, frame) = play.delivered.last().unwrap();
            let HostFrame::InteractionResult { invocation, result, .. } = frame else {
                panic!("expected an answer, found {frame:?}")
            };
            let connection = if count % 2 == 0 { FILES } else { MAIL };
            assert_eq!((*to, invocation), (connection, &call));
            assert!(result.as_str().contains(&format!(r#""remark":"{count}""#)));
        }
    }
}

/// proves: HB-02
#[test]
fn no_id_is_used_again() {
    let mut play = Play::durable();
    let mut calls: Vec<InvocationId> = Vec::new();
    for _ in 0..3 {
        let call = play.start();
        play.say(accepted(&call));
        play.say(asking(&call, 1));
        play.handle(Event::Disconnected(FILES)).unwrap();
        play.connect(FILES);
        play.register("files", FILES);
        calls.push(call);
    }
    // The play asserts that no record and no call has an id that was used before.
    let ids: Vec<_> = play.records.iter().map(|record| record.id().interaction).collect();
    assert_eq!(ids.len(), 6);
    assert!(ids.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(calls.iter().map(InvocationId::as_str).collect::<Vec<_>>(), ["1.1", "1.2", "1.3"]);
}

/// proves: HB-01
#[test]
fn a_surface_that_changes_its_copy_changes_no_question() {
    let mut play = Play::volatile().brought(At::Shown);
    let pretended = ChangeKind::Ended {
        interaction: play.interaction(),
        how: Ending::Answered(Decision::Accept),
    };
    let mut change = play.changes.last().unwrap().clone();
    change.number += 1;
    change.after = Some(change.number - 1);
    change.kind = pretended;
    let mut view = View::new(play.broker.snapshot(&session(1)));
    view.apply(change).unwrap();
    assert_eq!(view.open().count(), 0);
    assert_eq!(shown(&play, 1).len(), 1);
    play.answer(yes()).unwrap();
}

/// Plays a call whose requester has these names.
fn asked_by(requester: Requester) -> (Vec<Action>, Question) {
    let mut play = Play::durable().brought(At::Accepted);
    let question = Question::form("Sure?", form(SCHEMA), requester);
    play.say(ProviderFrame::ask(play.call.clone(), 1, &question));
    play.hold();
    let [pending] = &shown(&play, 1)[..] else { panic!("one question is open") };
    let shown = pending.question.clone();
    let mut actions = play.answer(yes()).unwrap();
    actions.extend(play.hold());
    actions.extend(play.say(result(&play.call)));
    (actions, shown)
}

/// proves: HB-13
#[test]
fn the_names_of_a_requester_are_shown_and_decide_nothing() {
    let (expected, _) = asked_by(requester());
    for [provider, server, tool] in [
        ["", "", ""],
        ["mail", "mail", "mail"],
        ["s-2", "t-1", "1.1"],
        ["host", "host_restarted", "1.1.1"],
        ["\u{1b}[2J\u{202e}verified\n", "\u{200b}", "a\0b"],
    ] {
        let names = Requester::new(provider, server, tool);
        let (actions, shown) = asked_by(names.clone());
        assert_eq!(actions, expected);
        assert_eq!(shown.requester, names);
        assert_eq!(shown.requester.provider.raw(), provider);
        let on_screen = shown.requester.provider.as_str();
        assert!(!on_screen.contains(['\u{1b}', '\u{202e}', '\n']), "{on_screen:?}");
    }
}

/// proves: HB-13
#[test]
fn a_request_without_a_requester_is_refused() {
    let form = r#"{"form":{"version":1},"message":"m""#;
    for rest in [
        "}",
        r#","requester":null}"#,
        r#","requester":"github"}"#,
        r#","requester":{"provider":"p","server":"s"}}"#,
        r#","requester":{"provider":"p","server":"s","tool":null}}"#,
        r#","requester":{"provider":"p","server":"s","tool":"t","verified":true}}"#,
    ] {
        let mut play = Play::durable().brought(At::Accepted);
        let frame = asking_json(&play.call, 1, &format!("{form}{rest}"));
        assert_eq!(play.refused_as(frame), "unreadable", "{rest}");
    }
}

/// proves: HB-02
#[test]
fn an_id_reads_back_as_it_is_written() {
    let play = Play::volatile().brought(At::Shown);
    let id = play.interaction();
    assert_eq!(id.to_string().parse::<InteractionId>(), Ok(id));
    assert_eq!((id.to_string().as_str(), id.epoch().number()), ("1.1.1", 1));
    let json = RawJson::from_value(&id).unwrap();
    assert_eq!(json.as_str(), r#""1.1.1""#);
}
