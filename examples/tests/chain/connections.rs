//! Providers that do not behave.

use mrtr_core::broker::{FRAME_BYTES_MAX, Limits, Outcome, ProviderFrame, Scope};

use crate::{
    fake::Fake,
    fixture::{Chain, deployment, outcome, session, tools},
};

/// proves: HB-03, HB-04
#[tokio::test]
async fn what_is_no_frame_is_counted_and_the_next_one_is_heard() {
    let chain = Chain::volatile("garbage", Limits::default());
    let mut fake = Fake::register(&chain.host).await;
    let running = chain.call().await;
    let invocation = fake.called().await;
    fake.write(b"hello\n{}\n\xff\xfe\n").await;
    let mut long = vec![b'x'; FRAME_BYTES_MAX + 2];
    long.push(b'\n');
    fake.write(&long).await;
    fake.say(ProviderFrame::Accepted { invocation: invocation.clone() }).await;
    let result = mrtr_core::wire::RawJson::parse("{}").unwrap();
    fake.say(ProviderFrame::Result { invocation, result: result.clone() }).await;
    assert_eq!(outcome(running).await, Outcome::Complete(result));
    let connection = fake.connection;
    let refused = chain.host.look(move |broker| broker.refused(connection)).await.unwrap();
    assert_eq!(refused, Some(4));
    let reports = chain.reports.lock().unwrap().join("\n");
    assert_eq!(reports.matches("Refused").count(), 4, "{reports}");
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
    // More than may wait, until the registration is gone with the connection.
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
