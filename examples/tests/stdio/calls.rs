//! Both clients against the same servers.

use core::time::Duration;
use std::{collections::BTreeMap, process::Command, thread, time::Instant};

use crate::child::*;
use mrtr_core::{
    Clock,
    client::{Fault, Outcome},
    wire::{RpcError, WireError},
};
use mrtr_examples::surface::Script;
use serde_json::{Value, json};

/// proves: CL-02, CL-12
#[test]
fn both_adapters_carry_a_deployment_to_its_end_however_it_is_answered() {
    let given = |pairs: [(&str, &str); 2]| {
        Script::Accept(pairs.map(|(name, value)| (name.into(), value.into())).into())
    };
    for adapter in ADAPTERS {
        for (script, expected) in [
            (
                given([("environment", "production"), ("confirm", "true")]),
                "deployed build-42 to production",
            ),
            (
                given([("environment", "staging"), ("confirm", "false")]),
                "build-42 was not deployed: it was not confirmed",
            ),
            (Script::Decline, "build-42 was not deployed: declined"),
            (Script::Cancel, "build-42 was not deployed: cancelled"),
        ] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_deploy"));
            command.args(["serve", "--stdio"]);
            let child = Child::spawn(adapter, command);
            let outcome = child.call(Call { script: Some(script), ..Call::new("call-1") });
            child.close();
            let Outcome::Complete(result) = outcome else { panic!("{adapter:?}: {outcome:?}") };
            let result: Value = serde_json::from_str(result.as_str()).unwrap();
            assert_eq!(result["content"][0]["text"], expected, "{adapter:?}");
        }
    }
}

#[test]
fn the_command_line_calls_a_server_that_it_starts() {
    let deploy = env!("CARGO_BIN_EXE_deploy");
    for runtime in ["threads", "smol"] {
        let mut command = Command::new(deploy);
        command.args(["call", "--runtime", runtime, "--tool", "deploy"]);
        command.args(["--args", r#"{"artifact":"build-42"}"#, "--answer", "confirm=true"]);
        let output = command.args(["--", deploy, "serve", "--stdio"]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{runtime}: {printed}");
        assert!(printed.ends_with("\ndeployed build-42 to staging\n"), "{runtime}: {printed}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{runtime}");
    }
}

/// proves: CL-10, CL-11
#[test]
fn a_leg_that_times_out_is_cancelled_by_a_notification_with_its_id() {
    for adapter in ADAPTERS {
        for (script, last) in
            [("hear; hear", "call-1.1"), ("hear; say \"$1\"; hear; hear", "call-1.2")]
        {
            let play = Play::new(adapter, last, script, &[ASKS]);
            let leg = Duration::from_secs(1);
            let (outcome, heard) = play.run(Call { leg, ..Call::new("call-1") });
            assert_eq!(outcome, Outcome::TimedOut(Clock::Leg), "{adapter:?}");
            let (cancel, requests) = heard.split_last().unwrap();
            assert_eq!(cancels(cancel), last, "{adapter:?}");
            assert!(requests.iter().all(|request| request.contains(r#""method":"tools/call""#)));
        }
    }
}

/// proves: CL-11
#[test]
fn a_stop_in_flight_cancels_the_leg_and_sends_nothing_more() {
    for adapter in ADAPTERS {
        let play = Play::new(adapter, "stop-in-flight", "hear; hear; hear", &[]);
        let (outcome, heard) = play.run(Call { stops: Stops::Sending, ..Call::new("call-1") });
        assert_eq!(outcome, Outcome::Stopped, "{adapter:?}");
        assert_eq!(heard.len(), 2, "{adapter:?}: {heard:?}");
        assert_eq!(cancels(&heard[1]), "call-1.1", "{adapter:?}");
    }
}

/// proves: CL-11
#[test]
fn a_stop_while_somebody_is_asked_sends_nothing_more_not_even_the_answer() {
    for adapter in ADAPTERS {
        let script = "hear; say \"$1\"; hear; hear";
        for call in [Call::new("call-1"), Call { script: None, ..Call::new("call-1") }] {
            let play = Play::new(adapter, "stop-while-asking", script, &[ASKS]);
            let (outcome, heard) = play.run(Call { stops: Stops::Asked, ..call });
            assert_eq!(outcome, Outcome::Stopped, "{adapter:?}");
            assert_eq!(heard.len(), 1, "{adapter:?}: {heard:?}");
        }
    }
}

/// proves: CL-13
#[test]
fn a_server_that_dies_leaves_the_outcome_of_a_leg_unknown() {
    for adapter in ADAPTERS {
        for script in [
            "exit 0",
            "hear; exit 1",
            "hear; kill -9 $$",
            "hear; printf '{\"jsonrpc\":\"2.0\",\"id\":\"call-1.1\",\"result\":{}}'",
            // It lives, and has nothing more to say.
            "hear; exec >&-; while hear; do :; done",
            "hear; say \"$1\"; hear; exit 1",
        ] {
            let play = Play::new(adapter, "dies", script, &[ASKS]);
            let (outcome, _) = play.run(Call::new("call-1"));
            assert_eq!(outcome, Outcome::OutcomeUnknown, "{adapter:?}: {script}");
        }
    }
}

/// proves: CL-13
#[test]
fn a_server_that_dies_while_somebody_is_asked_is_lost_and_nothing_else() {
    for adapter in ADAPTERS {
        let play = Play::new(adapter, "dies-asking", "hear; say \"$1\"", &[ASKS]);
        let (outcome, heard) = play.run(Call { script: None, ..Call::new("call-1") });
        assert_eq!(outcome, Outcome::Lost, "{adapter:?}");
        assert_eq!(heard.len(), 1, "{adapter:?}");
    }
}

/// proves: CL-17, W-11
#[test]
fn a_line_that_cannot_be_read_is_one_fault_and_nothing_more_is_sent() {
    let deep = format!(r#"{{"a":{}"#, "[".repeat(10_000));
    for adapter in ADAPTERS {
        for (script, line) in [
            ("say \"$1\"; say \"$1\"", r#"{"listening":"#),
            ("say \"$1\"; say \"$1\"", r#"{"jsonrpc":"2.0","id":"call-1.1"}"#),
            ("say \"$1\"", r#"{"jsonrpc":"2.0","id":"call-1.1","result":{},"error":{}}"#),
            ("say \"$1\"", r#"{"jsonrpc":"2.0","id":["call-1.1"],"result":{}}"#),
            ("say \"$1\"", "\u{feff}{}"),
            ("say \"$1\"", &deep),
            (r"printf '\377\n'", ""),
        ] {
            let script = format!("hear; {script}; hear");
            let play = Play::new(adapter, "garbage", &script, &[line]);
            let (outcome, heard) = play.run(Call::new("call-1"));
            assert!(matches!(outcome, Outcome::Fault(Fault::Wire(_))), "{adapter:?}: {outcome:?}");
            assert_eq!(heard.len(), 1, "{adapter:?}: {line}");
        }
    }
}

/// proves: CL-17, W-11
#[test]
fn a_line_that_is_too_long_is_a_fault_and_the_next_one_is_read() {
    for adapter in ADAPTERS {
        // The line never ends before the next request has come.
        let script = r#"hear; printf '%5000000s' x; hear; printf '\n'; say "$1"; hear"#;
        let Play { command, .. } = Play::new(adapter, "long", script, &[&done("call-2.1")]);
        let child = Child::spawn(adapter, command);
        let expected = WireError::too_large("a line in bytes", 4 * 1024 * 1024);
        let outcome = child.call(Call::new("call-1"));
        assert_eq!(outcome, Outcome::Fault(Fault::Wire(expected)), "{adapter:?}");
        assert!(matches!(child.call(Call::new("call-2")), Outcome::Complete(_)), "{adapter:?}");
        child.close();
    }
}

/// proves: CL-09
#[test]
fn lines_that_do_not_answer_a_leg_are_skipped() {
    let late = done("call-9.9");
    for adapter in ADAPTERS {
        let lines = [
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#,
            "",
            " \r",
            "listening on stdio",
            r#"["no","message"]"#,
            &late,
            &done("call-1.1"),
        ];
        let script = "hear; for line in \"$@\"; do say \"$line\"; done; hear";
        let (outcome, heard) =
            Play::new(adapter, "passed-over", script, &lines).run(Call::new("call-1"));
        assert!(matches!(outcome, Outcome::Complete(_)), "{adapter:?}: {outcome:?}");
        assert_eq!(heard.len(), 1, "{adapter:?}");
    }
}

/// proves: CL-17, W-11
#[test]
fn a_server_that_writes_a_log_where_messages_belong_is_not_heard_for_ever() {
    for adapter in ADAPTERS {
        for (lines, is_complete) in [(1000, true), (1001, false)] {
            let script = format!("hear; seq {lines}; say \"$1\"; hear");
            let play = Play::new(adapter, "log", &script, &[&done("call-1.1")]);
            let (outcome, heard) = play.run(Call::new("call-1"));
            assert_eq!(matches!(outcome, Outcome::Complete(_)), is_complete, "{adapter:?} {lines}");
            let is_fault = matches!(outcome, Outcome::Fault(Fault::Wire(_)));
            assert_eq!(is_fault, !is_complete, "{adapter:?} {lines}: {outcome:?}");
            assert_eq!(heard.len(), 1, "{adapter:?}");
        }
    }
}

/// proves: CL-17
#[test]
fn an_error_without_an_id_answers_the_leg_that_the_server_could_not_read() {
    let error = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
    for adapter in ADAPTERS {
        let play = Play::new(adapter, "no-id", "hear; say \"$1\"; hear", &[error]);
        let (outcome, _) = play.run(Call::new("call-1"));
        assert_eq!(outcome, Outcome::Error(RpcError::new(-32700, "Parse error")), "{adapter:?}");
    }
}

#[test]
fn a_message_is_one_line_however_the_params_are_written() {
    let params = "{\r\n  \"name\": \"deploy\",\n  \"arguments\": {\"text\": \"a\\nb\"}\n}";
    for adapter in ADAPTERS {
        let play = Play::new(adapter, "lines", "hear; say \"$1\"; hear", &[&done("call-1.1")]);
        let (outcome, heard) = play.run(Call { params: params.into(), ..Call::new("call-1") });
        assert!(matches!(outcome, Outcome::Complete(_)), "{adapter:?}: {outcome:?}");
        let [message] = heard.as_slice() else { panic!("{adapter:?}: {heard:?}") };
        let message: Value = serde_json::from_str(message).unwrap();
        assert_eq!(message["params"]["arguments"]["text"], "a\nb");
    }
}

/// proves: CL-07
#[test]
fn the_questions_of_a_round_are_asked_in_the_order_of_their_keys() {
    let form: Value = serde_json::from_str(ASKS).unwrap();
    let form = &form["result"]["inputRequests"]["sure"];
    let keys: Vec<_> = (10..26).map(|number| format!("key-{number}")).collect();
    let requests: BTreeMap<_, _> = keys.iter().map(|key| (key, form)).collect();
    let result = json!({"resultType": "input_required", "inputRequests": requests});
    let asks = json!({"jsonrpc": "2.0", "id": "call-1.1", "result": result}).to_string();
    for adapter in ADAPTERS {
        let lines = [&*asks, &done("call-1.2")];
        let play = Play::new(adapter, "order", "hear; say \"$1\"; hear; say \"$2\"", &lines);
        let call = Call { script: Some(Script::Decline), ..Call::new("call-1") };
        let asked = call.asked.clone();
        let (outcome, _) = play.run(call);
        assert!(matches!(outcome, Outcome::Complete(_)), "{adapter:?}: {outcome:?}");
        assert_eq!(*asked.lock().unwrap(), keys, "{adapter:?}");
    }
}

/// proves: CL-09
#[test]
fn calls_to_one_server_each_get_their_own_reply_in_any_order() {
    let result = |leg: &str| json!({"jsonrpc": "2.0", "id": leg, "result": {"for": leg}});
    for adapter in ADAPTERS {
        let lines = [result("call-2.1").to_string(), result("call-1.1").to_string()];
        let script = "hear; hear; say \"$1\"; say \"$2\"; hear";
        let play = Play::new(adapter, "two", script, &[&lines[0], &lines[1]]);
        let child = Child::spawn(adapter, play.command);
        thread::scope(|scope| {
            for (id, leg) in [("call-1", "call-1.1"), ("call-2", "call-2.1")] {
                let child = &child;
                scope.spawn(move || {
                    let outcome = child.call(Call::new(id));
                    let Outcome::Complete(result) = outcome else { panic!("{outcome:?}") };
                    assert_eq!(result.as_str(), json!({"for": leg}).to_string(), "{adapter:?}");
                });
            }
        });
        child.close();
    }
}

/// proves: CL-09
#[test]
fn a_reply_to_a_leg_that_was_given_up_disturbs_no_other_call() {
    for adapter in ADAPTERS {
        let script = "hear; hear; hear; say \"$1\"; say \"$2\"; hear";
        let lines = [done("call-1.1"), done("call-2.1")];
        let play = Play::new(adapter, "given-up", script, &[&lines[0], &lines[1]]);
        let child = Child::spawn(adapter, play.command);
        let outcome = child.call(Call { stops: Stops::Sending, ..Call::new("call-1") });
        assert_eq!(outcome, Outcome::Stopped, "{adapter:?}");
        assert!(matches!(child.call(Call::new("call-2")), Outcome::Complete(_)), "{adapter:?}");
        child.close();
        assert_eq!(heard(&play.heard).len(), 3, "{adapter:?}");
    }
}

/// proves: CL-13
#[test]
fn a_call_of_a_server_that_is_gone_ends_at_once() {
    for adapter in ADAPTERS {
        for script in ["hear", "hear; exec >&-; while hear; do :; done"] {
            let child = Child::spawn(adapter, Play::new(adapter, "gone", script, &[]).command);
            for id in ["call-1", "call-2"] {
                assert_eq!(child.call(Call::new(id)), Outcome::OutcomeUnknown, "{adapter:?}");
            }
            child.close();
        }
    }
}

/// proves: CL-13
#[test]
fn a_call_of_a_server_that_reads_no_more_ends_at_once() {
    for adapter in ADAPTERS {
        let script = "hear; exec <&-; say \"$1\"; exec sleep 600";
        let play = Play::new(adapter, "deaf", script, &[&done("call-1.1")]);
        let child = Child::spawn(adapter, play.command);
        assert!(matches!(child.call(Call::new("call-1")), Outcome::Complete(_)), "{adapter:?}");
        assert_eq!(child.call(Call::new("call-2")), Outcome::OutcomeUnknown, "{adapter:?}");
        child.close();
    }
}

/// Calls a server that neither reads nor exits, and returns once it is gone.
fn outlive(adapter: Adapter) {
    let script = "printf '%s\\n' $$ > \"$HEARD\"; exec sleep 600";
    let play = Play::new(adapter, "stays", script, &[]);
    let child = Child::spawn(adapter, play.command);
    // More than a pipe takes.
    let params =
        format!(r#"{{"name":"deploy","arguments":{{"artifact":"{}"}}}}"#, "x".repeat(1_000_000));
    let outcome =
        child.call(Call { params, leg: Duration::from_millis(300), ..Call::new("call-1") });
    assert_eq!(outcome, Outcome::TimedOut(Clock::Leg), "{adapter:?}");
    let closed = Instant::now();
    child.close();
    let pid = &heard(&play.heard)[0];
    let lives = || Command::new("sh").args(["-c", &format!("kill -0 {pid} 2>&-")]).status();
    while lives().unwrap().success() {
        assert!(closed.elapsed() < Duration::from_secs(20), "{adapter:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// proves: CL-10
#[test]
fn a_server_that_neither_reads_nor_exits_holds_nobody() {
    thread::scope(|scope| {
        for adapter in ADAPTERS {
            scope.spawn(move || outlive(adapter));
        }
    });
}
