//! Providers that break the rules.

use std::process::Command;

use mrtr_core::{
    host::{Ending, FRAME_BYTES_MAX, HostFrame, Limits, Outcome, ProviderFrame, Scope},
    wire::{Decision, InputResponse, RawJson},
};
use serde_json::json;

use crate::{
    fake::{Fake, question},
    fixture::{
        Chain, accept, asked, confirm, deployment, ended, failure, outcome, session, text, tools,
    },
    servers::{Server, asks, form},
};

/// proves: HB-03, HB-04
#[tokio::test]
async fn a_line_that_is_not_a_frame_is_counted_and_the_next_one_is_read() {
    let chain = Chain::volatile("garbage", Limits::default());
    let mut fake = Fake::register(&chain.host).await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.write(b"hello\n{}\n\xff\xfe\n\n \r\n").await;
    let deep = format!(r#"{{"result":{{"invocation":"1.1","result":{}"#, "[".repeat(10_000));
    let hosts = r#"{"call":{"invocation":"1.1","request":{}}}"#;
    let more = r#"{"accepted":{"invocation":"1.1","session":"session-2"}}"#;
    fake.write(format!("{deep}\n{hosts}\n{more}\n").as_bytes()).await;
    let mut long = vec![b'x'; FRAME_BYTES_MAX + 2];
    long.push(b'\n');
    fake.write(&long).await;
    fake.say(ProviderFrame::Accepted { invocation: invocation.clone() }).await;
    let result = RawJson::parse("{}").unwrap();
    fake.say(ProviderFrame::Result { invocation, result: result.clone() }).await;
    assert_eq!(outcome(running).await, Outcome::Complete(result));
    let connection = fake.connection;
    let refused = chain.host.look(move |broker| broker.refused(connection)).await.unwrap();
    assert_eq!(refused, Some(7));
    let reports = chain.reports.lock().unwrap().join("\n");
    assert_eq!(reports.matches("Refused").count(), 7, "{reports}");
    chain.end([]).await;
}

/// proves: HB-09, HB-15
#[tokio::test]
async fn a_provider_that_does_not_read_is_cut_off_and_holds_nobody_up() {
    let chain = Chain::volatile("deaf", Limits::default());
    // Its pipe holds less than one frame.
    let deaf = Fake::connect(&chain.host, 16).await;
    chain.host.register(tools(), deaf.connection).await.unwrap();
    let mut running = Vec::new();
    // More frames than may wait, until the registration is gone with the connection.
    for _ in 0..1_000 {
        match chain.host.call(deployment(session())).await {
            Ok(call) => running.push(call),
            Err(_) => break,
        }
    }
    assert!((1..1_000).contains(&running.len()), "{} calls", running.len());
    for call in running {
        assert_eq!(outcome(call).await, Outcome::OutcomeUnknown);
    }
    assert!(chain.is_idle().await);
    // Another provider is served as before.
    let mut fake = Fake::register(&chain.host).await;
    let call = chain.call().await;
    fake.called().await;
    chain.host.stop(Scope::All).await.unwrap();
    assert_eq!(outcome(call).await, Outcome::Stopped);
    chain.end([]).await;
}

/// proves: HB-03, HB-15
#[tokio::test]
async fn a_flood_of_one_provider_leaves_another_its_turn() {
    let chain = Chain::volatile("flood", Limits::default());
    let mut flood = Command::new("sh");
    flood.args(["-c", r#"yes '{"accepted":{"invocation":"1.1"}}'"#]);
    let connection = chain.host.start(flood).await.unwrap();
    let provider = chain.provider(&Server::deploy("deploy")).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let refused = chain.host.look(move |broker| broker.refused(connection)).await.unwrap();
    assert!(refused.unwrap() > 0);
    chain.host.disconnect(connection).await.unwrap();
    drop(screen);
    chain.end([provider]).await;
}

/// proves: HB-02, HB-03
#[tokio::test]
async fn a_frame_for_the_invocation_of_another_connection_changes_nothing() {
    let chain = Chain::volatile("crossing", Limits::default());
    let mut fake = Fake::register(&chain.host).await;
    let mut other = Fake::connect(&chain.host, 64 * 1024).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    let asked_once = asked(&mut screen).await;
    let result = RawJson::parse("{}").unwrap();
    let id = || invocation.clone();
    for frame in [
        ProviderFrame::ask(id(), 2, &question()),
        ProviderFrame::Result { invocation: id(), result },
        ProviderFrame::Released { invocation: id() },
    ] {
        other.say(frame).await;
    }
    // A repeated frame of its own provider changes nothing either.
    fake.say(ProviderFrame::ask(id(), 1, &question())).await;
    fake.say(ProviderFrame::ask(id(), 2, &question())).await;
    let refused =
        HostFrame::InteractionRefused { invocation: id(), interaction: 2, code: "pending".into() };
    assert_eq!(fake.hear().await, Some(refused));
    drop(other);
    screen.answer(asked_once.id, InputResponse::Cancel).await.unwrap();
    assert_eq!(ended(&mut screen, asked_once.id).await, Ending::Answered(Decision::Cancel));
    let heard = fake.hear().await;
    let Some(HostFrame::InteractionResult { interaction: 1, result, .. }) = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(result.as_str(), r#"{"action":"cancel"}"#);
    fake.say(ProviderFrame::Released { invocation: id() }).await;
    assert_eq!(outcome(running).await, Outcome::Released);
    drop(screen);
    chain.end([]).await;
}

/// proves: HB-04
#[tokio::test]
async fn a_question_over_a_limit_of_the_host_is_not_asked_and_fails_the_call() {
    let message = "A message that the provider takes and the host does not";
    let requests = json!({"a": form("short"), "b": form(message)});
    let server =
        Server::play("limit", r#"hear; say "$1"; hear"#, vec![asks("1.1.1", &requests, "\"s\"")]);
    let limits = Limits::default().message_bytes_max(16);
    let chain = Chain::volatile("limit", limits);
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, confirm()).await.unwrap();
    let (code, message) = failure(&outcome(running).await);
    assert_eq!((&*code, &*message), ("unanswerable", "the host refused the question: unreadable"));
    assert!(chain.is_idle().await);
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    // Nothing of the round was sent back, not even its other answer.
    assert_eq!(folder.heard(&server).len(), 1);
}

/// proves: HB-04
#[tokio::test]
async fn a_result_that_is_larger_than_a_frame_is_a_failure_at_once() {
    let script = r#"hear; printf '{"jsonrpc":"2.0","id":"1.1.1","result":{"content":[],"text":"%4194240s"}}\n' x; hear"#;
    let server = Server::play("large", script, Vec::new());
    let chain = Chain::volatile("large", Limits::default());
    let provider = chain.provider(&server).await;
    assert_eq!(failure(&outcome(chain.call().await).await).0, "too_large");
    chain.end([provider]).await;
}
