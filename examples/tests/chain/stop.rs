//! Stopped invocations: nothing more reaches the server, and nothing is left.

use mrtr_core::host::{CloseReason, Ending, Limits, Misuse, Outcome, Scope, SessionId};

use crate::{
    fixture::{Chain, accept, asked, deployment, ended, outcome, refused, text},
    servers::Server,
};

/// proves: HB-10, CL-11
#[tokio::test]
async fn criterion_7_a_global_stop_sends_no_retry_and_leaves_nothing_pending() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-7", Limits::default());
    let provider = chain.provider(&server).await;
    let mut calls = Vec::new();
    for name in ["session-1", "session-2"] {
        let session = SessionId::new(name).unwrap();
        let mut screen = chain.host.surface(session.clone()).await.unwrap();
        let running = chain.host.call(deployment(session)).await.unwrap();
        let question = asked(&mut screen).await;
        calls.push((running, screen, question.id));
    }
    chain.host.stop(Scope::All).await.unwrap();
    for (running, mut screen, question) in calls {
        assert_eq!(outcome(running).await, Outcome::Stopped);
        let how = Ending::Closed(CloseReason::Stopped);
        assert_eq!(ended(&mut screen, question).await, how);
        assert_eq!(screen.open().count(), 0);
        let late = refused(&screen, question, accept()).await;
        assert_eq!(late, Misuse::Stale { won: Some(how) });
    }
    assert!(chain.is_idle().await);
    // The same provider still takes the next call.
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let folder = chain.folder.clone();
    let (from_host, from_provider) = (provider.from_host.clone(), provider.from_provider.clone());
    drop(screen);
    chain.end([provider]).await;
    let heard = folder.heard(&server);
    let ids: Vec<_> = heard.iter().map(|message| message["id"].as_str().unwrap()).collect();
    // No leg was in flight that could have been cancelled.
    assert_eq!(ids, ["1.1.1", "1.2.1", "1.3.1", "1.3.2"]);
    assert_eq!(from_host.count("cancel"), 2);
    assert_eq!(from_host.count("interaction_result"), 1);
    assert_eq!(from_provider.count("failed"), 0);
}

/// proves: HB-10
#[tokio::test]
async fn a_stop_of_one_session_leaves_the_others_as_they_are() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("stop-session", Limits::default());
    let provider = chain.provider(&server).await;
    let other = SessionId::new("session-2").unwrap();
    let (mut screen, mut others) =
        (chain.screen().await, chain.host.surface(other.clone()).await.unwrap());
    let stopped = chain.call().await;
    let going_on = chain.host.call(deployment(other.clone())).await.unwrap();
    let (question, its) = (asked(&mut screen).await, asked(&mut others).await);
    chain.host.stop(Scope::Session(crate::fixture::session())).await.unwrap();
    assert_eq!(outcome(stopped).await, Outcome::Stopped);
    // Nobody can answer for another session, even with the id of its question.
    assert_eq!(refused(&screen, its.id, accept()).await, Misuse::WrongSession);
    assert_eq!(refused(&others, question.id, accept()).await, Misuse::WrongSession);
    others.answer(its.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(going_on).await), "deployed build-42 to production");
    drop((screen, others));
    chain.end([provider]).await;
}

/// proves: CL-11
#[tokio::test]
async fn a_stop_while_the_server_works_cancels_its_request_and_sends_nothing_more() {
    let server = Server::play("works", "hear; hear; hear", Vec::new());
    let chain = Chain::volatile("stop-in-flight", Limits::default());
    let provider = chain.provider(&server).await;
    let running = chain.call().await;
    chain.folder.line("works-heard").await;
    chain.host.stop(Scope::Invocation(running.invocation.clone())).await.unwrap();
    assert_eq!(outcome(running).await, Outcome::Stopped);
    let folder = chain.folder.clone();
    chain.end([provider]).await;
    let heard = folder.heard(&server);
    assert_eq!(heard.len(), 2);
    assert_eq!(heard[1]["method"], "notifications/cancelled");
    assert_eq!(heard[1]["params"]["requestId"], "1.1.1");
}
