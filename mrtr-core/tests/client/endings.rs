//! The one outcome of a call, and that nothing follows it.

use core::time::Duration;

use mrtr_core::{
    Clocks, Limits, Phase,
    client::{Action, Binding, Claims, CloseReason, Event, Fault, Misuse, Outcome, Reply},
    wire::{RawJson, WireError},
};

use crate::play::{
    CONFIRM, DONE, PARAMS, Play, answer, asked, asking, faulted, request, result_of, sent, settled,
    state_only, yes,
};

/// Brings a call into each of the phases before the end.
fn one_in_each_phase() -> [(Phase, Play); 4] {
    let [running, mut awaiting, mut pausing, mut resumed] = [(); 4].map(|()| Play::new());
    awaiting.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM), ("c", CONFIRM)], Some("\"s\"")));
    awaiting.answer(1, "b", yes()).unwrap();
    pausing.serve(&state_only("\"s\""));
    resumed.confirmed_round();
    [
        (Phase::Running, running),
        (Phase::AwaitingInteraction, awaiting),
        (Phase::Pausing, pausing),
        (Phase::Resumed, resumed),
    ]
    .map(|(phase, play)| {
        assert_eq!(play.call.phase(), phase);
        (phase, play)
    })
}

fn retracted(why: CloseReason) -> [Action; 2] {
    ["a", "c"].map(|key| Action::Retract { round: 1, key: key.into(), why })
}

/// proves: CL-05
#[test]
fn a_cap_of_one_lets_a_server_ask_once() {
    let limits = Limits::default().rounds_max(1);
    let mut play = Play::limited(limits.clone());
    play.confirmed_round();
    assert!(matches!(settled(&play.serve(DONE)), Outcome::Complete(_)));
    assert_eq!(play.sent.len(), 2);

    for again in [asking(&[("c", CONFIRM)], None), state_only("\"s\"")] {
        let mut play = Play::limited(limits.clone());
        play.confirmed_round();
        let actions = play.serve(&again);
        assert_eq!(*faulted(&actions), Fault::RoundLimit { rounds_max: 1 });
        assert_eq!(play.sent.len(), 2);
    }
}

/// proves: CL-05
#[test]
fn a_cap_of_none_lets_a_server_not_ask_at_all() {
    let mut play = Play::limited(Limits::default().rounds_max(0));
    let actions = play.serve(&asking(&[("c", CONFIRM)], None));
    assert_eq!(*faulted(&actions), Fault::RoundLimit { rounds_max: 0 });
}

/// proves: CL-04, CL-05
#[test]
fn a_server_that_never_makes_progress_ends_after_ten_retries() {
    let mut play = Play::new();
    for _ in 0..10 {
        assert_eq!(play.serve(&state_only("\"s\"")), []);
        sent(&play.wake());
    }
    let actions = play.serve(&state_only("\"s\""));
    assert_eq!(*faulted(&actions), Fault::RoundLimit { rounds_max: 10 });
    assert_eq!(play.sent.len(), 11);
    assert_eq!(play.millis(), 250 + 500 + 1_000 + 2_000 + 6 * 4_000);
}

/// proves: CL-11
#[test]
fn a_stop_in_flight_cancels_the_leg_and_a_stop_while_asking_closes_the_question() {
    for (phase, mut play) in one_in_each_phase() {
        let sent = play.sent.len();
        let actions = play.stop();
        let mut expected = match phase {
            Phase::Running | Phase::Resumed => vec![Action::CancelLeg { leg: play.leg() }],
            Phase::AwaitingInteraction => retracted(CloseReason::Stopped).into(),
            Phase::Pausing | Phase::Settled => vec![],
        };
        expected.push(Action::Settle(Outcome::Stopped));
        assert_eq!(actions, expected, "{phase:?}");
        assert_eq!(play.sent.len(), sent, "nothing is sent, and no cancel is made up");
    }
}

/// proves: CL-13
#[test]
fn a_lost_connection_or_binding_closes_the_question_and_says_whether_a_leg_was_in_flight() {
    for event in [Event::ConnectionLost, Event::BindingChanged(Binding::new("server-2"))] {
        for (phase, mut play) in one_in_each_phase() {
            let sent = play.sent.len();
            let actions = play.handle(event.clone()).unwrap();
            let expected = match phase {
                Phase::Running | Phase::Resumed => vec![Action::Settle(Outcome::OutcomeUnknown)],
                Phase::AwaitingInteraction => {
                    let [a, c] = retracted(CloseReason::Lost);
                    vec![a, c, Action::Settle(Outcome::Lost)]
                }
                Phase::Pausing | Phase::Settled => vec![Action::Settle(Outcome::Lost)],
            };
            assert_eq!(actions, expected, "{phase:?} {event:?}");
            assert_eq!(play.sent.len(), sent);
        }
    }
}

/// proves: CL-13
#[test]
fn the_same_binding_again_changes_nothing() {
    for (_, mut play) in one_in_each_phase() {
        let same = Event::BindingChanged(Binding::new("server-1"));
        assert_eq!(play.assert_changes_nothing(same), Ok(()));
    }
}

/// proves: CL-13, CL-18
#[test]
fn an_answer_never_goes_out_over_another_binding() {
    let mut play = Play::new();
    play.serve(&asking(&[("c", CONFIRM)], None));
    play.handle(Event::BindingChanged(Binding::new("server-2"))).unwrap();
    // The binding comes back, and the question stays closed.
    let back = Event::BindingChanged(Binding::new("server-1"));
    assert_eq!(play.assert_changes_nothing(back), Ok(()));
    assert_eq!(play.assert_changes_nothing(answer(1, "c", yes())), Err(Misuse::Closed));
}

/// proves: CL-18
#[test]
fn nothing_follows_an_outcome_whatever_happens() {
    type Ending = fn(&mut Play) -> Vec<Action>;
    let endings: [Ending; 7] = [
        |play| play.serve(DONE),
        |play| play.serve_error(r#"{"code":-32603,"message":"no"}"#),
        |play| play.serve(r#"{"resultType":"?"}"#),
        |play| play.stop(),
        |play| play.wake(),
        |play| play.handle(Event::ConnectionLost).unwrap(),
        |play| play.handle(Event::BindingChanged(Binding::new("server-2"))).unwrap(),
    ];
    for end in endings {
        let mut play = Play::new();
        play.confirmed_round();
        let actions = end(&mut play);
        assert!(matches!(actions.last(), Some(Action::Settle(_))));
        assert_eq!((play.call.phase(), play.call.deadline()), (Phase::Settled, None));

        play.wait_secs(10_000);
        let ignored = [
            Event::Stop,
            Event::Tick,
            Event::ConnectionLost,
            Event::BindingChanged(Binding::new("server-1")),
            Event::BindingChanged(Binding::new("server-3")),
            result_of(play.sent[0].leg.clone(), DONE),
            result_of(play.leg(), DONE),
            result_of(play.leg(), &asking(&[("c", CONFIRM)], None)),
            Event::Reply { leg: play.leg(), reply: Reply::Unreadable(WireError::NotJson) },
        ];
        for event in ignored {
            assert_eq!(play.assert_changes_nothing(event), Ok(()));
        }
        for round in [0, 1, 2] {
            assert!(play.assert_changes_nothing(answer(round, "c", yes())).is_err());
        }
    }
}

/// proves: CL-17
#[test]
fn the_servers_error_is_the_outcome_with_its_code_message_and_data() {
    let mut play = Play::new();
    let actions = play.serve_error(
        r#"{"code":-32021,"message":"expected \u00e9","data":{"requiredCapabilities": {}},"x":1}"#,
    );
    let Outcome::Error(error) = settled(&actions) else { panic!("it is an error") };
    assert_eq!((error.code, &*error.message), (-32021, "expected é"));
    assert_eq!(error.data.as_ref().unwrap().as_str(), r#"{"requiredCapabilities": {}}"#);
}

/// proves: CL-17
#[test]
fn an_error_keeps_its_code_however_it_and_its_message_are_written() {
    for (error, code, message) in [
        (r#"{"code":-32602.0,"message":"m"}"#, -32602, "m"),
        (r#"{"code":-3.2602e4,"message":"\ud800"}"#, -32602, ""),
    ] {
        let mut play = Play::new();
        let actions = play.serve_error(error);
        let Outcome::Error(error) = settled(&actions) else { panic!("it is an error") };
        assert_eq!((error.code, &*error.message), (code, message));
    }
}

/// proves: CL-17
#[test]
fn what_is_kept_of_an_error_is_capped() {
    let mut play = Play::limited(Limits::default().error_bytes_max(8));
    let actions =
        play.serve_error(r#"{"code":1,"message":"seven: \u00e9\u00e9","data":[1,2,3,4]}"#);
    let Outcome::Error(error) = settled(&actions) else { panic!("it is an error") };
    assert_eq!((error.code, &*error.message, &error.data), (1, "seven: ", &None));
}

/// proves: CL-17, W-01
#[test]
fn an_unknown_result_type_is_a_fault_unless_the_caller_knows_it() {
    let task = r#"{"resultType":"task","task":{"id":"t"}}"#;
    let mut play = Play::new();
    let unknown = Fault::Wire(WireError::shape("resultType", "\"complete\" or \"input_required\""));
    assert_eq!(*faulted(&play.serve(task)), unknown);

    let request = request("call-7", PARAMS).with_extension_type("task");
    let mut play = Play::started(request, Claims::none().with_form(), Limits::default());
    let complete = Outcome::Complete(RawJson::parse(task).unwrap());
    assert_eq!(*settled(&play.serve(task)), complete);
}

/// proves: CL-11, CL-18
#[test]
fn a_stop_between_two_answers_sends_neither() {
    let mut play = Play::new();
    play.serve(&asking(&[("a", CONFIRM), ("b", CONFIRM)], None));
    play.answer(1, "a", yes()).unwrap();
    let closed = Action::Retract { round: 1, key: "b".into(), why: CloseReason::Stopped };
    assert_eq!(play.stop(), [closed, Action::Settle(Outcome::Stopped)]);
    assert_eq!(play.sent.len(), 1);
}

/// proves: CL-05, CL-18
#[test]
fn a_call_whose_clocks_are_zero_still_ends_in_one_outcome() {
    let zero = Duration::ZERO;
    let clocks = Clocks::default()
        .leg(zero)
        .leg_max(None)
        .interaction(zero)
        .execution(None)
        .pause_min(zero)
        .pause_max(zero);
    let mut play = Play::timed(clocks);
    assert_eq!(asked(&play.serve(&asking(&[("c", CONFIRM)], None))), ["c"]);
    assert_eq!(play.tick().len(), 2);

    let mut play = Play::timed(clocks);
    play.serve(&state_only("\"s\""));
    sent(&play.tick());
    assert_eq!(play.tick().len(), 2);
}
