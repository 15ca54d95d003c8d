//! The clock of a provider, and the clock of people.

use core::time::Duration;

use mrtr_core::{
    Clock, Clocks,
    host::{CloseReason, Ending, HostFrame, Limits, Outcome},
    wire::Decision,
};
use tokio::time::sleep;

use crate::{
    fake::Fake,
    fixture::{Chain, accept, asked, confirm, ended, outcome, text},
    servers::Server,
};

fn limits(leg: Duration, interaction: Duration) -> Limits {
    Limits::default().clocks(Clocks::default().leg(leg).interaction(interaction))
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// proves: HB-07, CL-10
#[tokio::test]
async fn criterion_10_the_clock_of_a_provider_does_not_run_while_a_person_thinks() {
    let leg = 3 * SECOND;
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-10", limits(leg, MINUTE));
    // A request of the provider to its server has the same limit.
    let provider = chain.provider_with_leg(&server, leg).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    // Longer than the whole budget of the provider. The test needs the time to pass.
    sleep(leg + SECOND).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(Decision::Accept));
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    drop(screen);
    chain.end([provider]).await;
}

/// proves: HB-07
#[tokio::test]
async fn criterion_10_the_clock_of_a_provider_runs_again_once_it_has_the_answer() {
    let chain = Chain::volatile("criterion-10-silent", limits(SECOND, MINUTE));
    let mut fake = Fake::register(&chain.host).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, confirm()).await.unwrap();
    assert!(matches!(fake.hear().await, Some(HostFrame::InteractionResult { .. })));
    // It sends nothing more.
    assert_eq!(outcome(running).await, Outcome::TimedOut(Clock::Leg));
    let cancel = HostFrame::Cancel { invocation, why: CloseReason::TimedOut };
    assert_eq!(fake.hear().await, Some(cancel));
    drop(screen);
    chain.end([]).await;
}

/// proves: HB-07, CL-11
#[tokio::test]
async fn criterion_10_a_provider_whose_clock_runs_out_gives_its_request_up() {
    let server = Server::play("silent", "hear; hear; hear", Vec::new());
    let chain = Chain::volatile("criterion-10-works", limits(SECOND, MINUTE));
    let provider = chain.provider(&server).await;
    assert_eq!(outcome(chain.call().await).await, Outcome::TimedOut(Clock::Leg));
    let (folder, from_host) = (chain.folder.clone(), provider.from_host.clone());
    chain.end([provider]).await;
    assert!(from_host.text().contains(r#"{"cancel":{"invocation":"1.1","why":"timed_out"}}"#));
    let heard = folder.heard(&server);
    assert_eq!(heard.len(), 2);
    assert_eq!(heard[1]["method"], "notifications/cancelled");
}

/// proves: HB-07, CL-10
#[tokio::test]
async fn a_question_that_nobody_answers_in_time_closes_and_nothing_is_sent_for_it() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("nobody-answers", limits(MINUTE, Duration::from_millis(300)));
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    assert_eq!(ended(&mut screen, question.id).await, Ending::Closed(CloseReason::TimedOut));
    assert_eq!(outcome(running).await, Outcome::TimedOut(Clock::Interaction));
    let folder = chain.folder.clone();
    drop(screen);
    chain.end([provider]).await;
    assert_eq!(folder.heard(&server).len(), 1);
}
