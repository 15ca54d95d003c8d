//! The provider's clock, and people's.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks,
    broker::{Closure, Decision, Ending, HostFrame, Limits, Outcome},
};
use tokio::time::sleep;

use crate::{
    fake::Fake,
    fixture::{Chain, accept, asked, confirm, ended, outcome, text},
    servers::Server,
};

/// A provider has one second.
fn limits() -> Limits {
    let clocks = Clocks { leg: Duration::from_secs(1), ..Clocks::default() };
    Limits { clocks, ..Limits::default() }
}

/// proves: HB-07, CL-10
#[tokio::test]
async fn criterion_10_the_clock_of_a_provider_does_not_run_while_a_person_thinks() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-10", limits());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    // Longer than the provider has in all.
    sleep(Duration::from_millis(1_500)).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(Decision::Accept));
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    drop(screen);
    chain.end([provider]).await;
}

/// proves: HB-07
#[tokio::test]
async fn criterion_10_the_clock_of_a_provider_runs_again_once_it_has_the_answer() {
    let chain = Chain::volatile("criterion-10-silent", limits());
    let mut fake = Fake::register(&chain.host).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, confirm()).await.unwrap();
    assert!(matches!(fake.hear().await, Some(HostFrame::InteractionResult { .. })));
    // It says nothing more.
    assert_eq!(outcome(running).await, Outcome::TimedOut(Clock::Leg));
    let cancel = HostFrame::Cancel { invocation, why: Closure::TimedOut };
    assert_eq!(fake.hear().await, Some(cancel));
    drop(screen);
    chain.end([]).await;
}
