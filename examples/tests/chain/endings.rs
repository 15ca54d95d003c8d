//! Invocations whose provider is gone: their questions close, and late answers reach nobody.

use std::sync::{Arc, Mutex};

use mrtr_core::{
    host::{
        CloseReason, Ending, HostFrame, Limits, Misuse, Outcome, ProviderFrame, Record, RecordKind,
    },
    wire::RawJson,
};
use mrtr_examples::host::store::{Held, Store};

use crate::{
    fake::Fake,
    fixture::{Chain, accept, asked, confirm, ended, failure, outcome, refused, text, within},
    servers::{Folder, Server},
};

/// proves: HB-09, CL-13
#[tokio::test]
async fn criterion_8_the_answer_to_a_provider_that_was_killed_reaches_nobody() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-8-killed", Limits::default());
    let mut provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    provider.process.kill().await.unwrap();
    assert_eq!(outcome(running).await, Outcome::Lost);
    let how = Ending::Closed(CloseReason::ProviderLost);
    assert_eq!(ended(&mut screen, question.id).await, how);
    assert!(chain.is_idle().await);
    let late = refused(&screen, question.id, accept()).await;
    assert_eq!(late, Misuse::Stale { won: Some(how) });
    // The server ends by itself, because its input is closed.
    assert_eq!(chain.folder.line("deploy-over").await, "over");
    assert_eq!(chain.folder.heard(&server).len(), 1);
    drop(screen);
    chain.end([]).await;
}

/// proves: HB-09
#[tokio::test]
async fn criterion_8_the_answer_to_a_provider_that_was_replaced_reaches_nobody() {
    let (old, new) = (Server::deploy("old"), Server::deploy("new"));
    let chain = Chain::volatile("criterion-8-replaced", Limits::default());
    let first = chain.provider(&old).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    let second = chain.provider(&new).await;
    assert_eq!(outcome(running).await, Outcome::Lost);
    let how = Ending::Closed(CloseReason::Superseded);
    assert_eq!(ended(&mut screen, question.id).await, how);
    let late = refused(&screen, question.id, accept()).await;
    assert_eq!(late, Misuse::Stale { won: Some(how) });
    assert_eq!(second.from_host.text(), "");
    // The second provider executes the next call, from its beginning to its end.
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let folder = chain.folder.clone();
    let (to_first, to_second) = (first.from_host.clone(), second.from_host.clone());
    drop(screen);
    chain.end([first, second]).await;
    assert_eq!(to_first.count("call"), 1);
    assert!(to_first.text().contains(r#"{"cancel":{"invocation":"1.1","why":"superseded"}}"#));
    assert_eq!(to_first.count("interaction_result"), 0);
    assert_eq!(to_second.count("call"), 1);
    assert_eq!(folder.heard(&old).len(), 1);
    let heard = folder.heard(&new);
    assert_eq!([&heard[0]["id"], &heard[1]["id"]], ["1.2.1", "1.2.2"]);
    assert_eq!(heard.len(), 2);
}

/// proves: CL-13
#[tokio::test]
async fn criterion_8_the_answer_to_a_server_that_was_restarted_reaches_nobody() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-8-server", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    server.kill(&chain.folder).await;
    assert_eq!(failure(&outcome(running).await).0, "lost");
    let how = Ending::Closed(CloseReason::Failed);
    assert_eq!(ended(&mut screen, question.id).await, how);
    let late = refused(&screen, question.id, accept()).await;
    assert_eq!(late, Misuse::Stale { won: Some(how) });
    // The provider starts the server again for the next call.
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    let heard = folder.heard(&server);
    let ids: Vec<_> = heard.iter().map(|request| request["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["1.1.1", "1.2.1", "1.2.2"]);
}

/// A store that is slow to hold an answer.
#[derive(Clone, Default)]
struct Slow(Arc<Mutex<Option<Held>>>);

impl Store for Slow {
    fn put(&mut self, record: Record, held: Held) {
        if record.id().kind == RecordKind::Answered {
            *self.0.lock().unwrap() = Some(held);
        } else {
            held.tell();
        }
    }
}

/// proves: HB-06, HB-09
#[tokio::test]
async fn criterion_8_an_answer_that_was_taken_is_not_replayed_to_a_replacement() {
    let (old, new) = (Server::deploy("old"), Server::deploy("new"));
    let store = Slow::default();
    let folder = Folder::new("criterion-8-taken");
    let chain = Chain::durable(folder, 1, store.clone(), Vec::new());
    let mut first = chain.provider(&old).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    first.process.kill().await.unwrap();
    assert_eq!(outcome(running).await, Outcome::Lost);
    assert_eq!(ended(&mut screen, question.id).await, Ending::Closed(CloseReason::ProviderLost));
    let second = chain.provider(&new).await;
    store.0.lock().unwrap().take().unwrap().tell();
    assert!(chain.is_idle().await);
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    assert_eq!(question.id.to_string(), "1.2.1");
    chain.host.stop(mrtr_core::host::Scope::All).await.unwrap();
    assert_eq!(outcome(running).await, Outcome::Stopped);
    let to_second = second.from_host.clone();
    drop(screen);
    chain.end([second]).await;
    assert_eq!(first.from_host.count("interaction_result"), 0);
    assert_eq!(to_second.count("interaction_result"), 0);
}

/// proves: HB-06
#[tokio::test]
async fn what_the_store_cannot_hold_is_neither_asked_nor_delivered() {
    /// Drops every record.
    struct Broken;
    impl Store for Broken {
        fn put(&mut self, _: Record, _: Held) {}
    }
    let chain = Chain::durable(Folder::new("broken-store"), 1, Broken, Vec::new());
    let mut fake = Fake::register(&chain.host).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    assert_eq!(outcome(running).await, Outcome::StoreFailed);
    assert_eq!(
        fake.hear().await,
        Some(HostFrame::Cancel { invocation, why: CloseReason::StoreFailed })
    );
    assert_eq!(screen.open().count(), 0);
    drop(fake);
    let changed = tokio::time::timeout(core::time::Duration::ZERO, screen.next()).await;
    assert!(changed.is_err(), "{changed:?}");
    drop(screen);
    chain.end([]).await;
}

/// proves: HB-08, HB-09
#[tokio::test]
async fn criterion_16_each_ending_of_a_provider_closes_its_question() {
    let json = || RawJson::parse(r#"{"code":"c","message":"m"}"#).unwrap();
    for (name, closure) in [
        ("result", CloseReason::Inconsistent),
        ("failed", CloseReason::Failed),
        ("rejected", CloseReason::Rejected),
        ("released", CloseReason::Released),
        ("gone", CloseReason::ProviderLost),
    ] {
        let chain = Chain::volatile(&format!("criterion-16-{name}"), Limits::default());
        let mut fake = Fake::register(&chain.host).await;
        let mut screen = chain.screen().await;
        let running = chain.call().await;
        let invocation = fake.called().await;
        fake.ask(&invocation).await;
        let question = asked(&mut screen).await;
        let id = invocation.clone();
        let (frame, expected) = match name {
            "result" => {
                (ProviderFrame::Result { invocation: id, result: json() }, Outcome::Inconsistent)
            }
            "failed" => {
                (ProviderFrame::Failed { invocation: id, error: json() }, Outcome::Failed(json()))
            }
            "rejected" => {
                (ProviderFrame::Rejected { invocation: id, error: json() }, Outcome::Failed(json()))
            }
            "released" => (ProviderFrame::Released { invocation: id }, Outcome::Released),
            _ => (ProviderFrame::Progress { invocation: id }, Outcome::Lost),
        };
        fake.say(frame).await;
        let mut fake = (name != "gone").then_some(fake);
        assert_eq!(outcome(running).await, expected, "{name}");
        assert_eq!(ended(&mut screen, question.id).await, Ending::Closed(closure), "{name}");
        assert!(chain.is_idle().await, "{name}");
        let late = refused(&screen, question.id, confirm()).await;
        assert_eq!(late, Misuse::Stale { won: Some(Ending::Closed(closure)) }, "{name}");
        if let Some(fake) = &mut fake {
            // The connection is still open, and gets the next frames.
            if name == "result" {
                let cancel = HostFrame::Cancel { invocation, why: CloseReason::Inconsistent };
                assert_eq!(fake.hear().await, Some(cancel));
            }
            let running = chain.call().await;
            assert_eq!(fake.called().await, running.invocation, "{name}");
        }
        drop(screen);
        within(chain.end([])).await;
    }
}
