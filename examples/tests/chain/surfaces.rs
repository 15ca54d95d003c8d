//! Several surfaces of one session: they show the same, and the first answer wins.

use mrtr_core::{
    broker::{Decision, Ending, Limits, Misuse},
    wire::{Elicitation, Response},
};
use mrtr_examples::host::{Error, Seen};

use crate::{
    fake::Fake,
    fixture::{Chain, accept, asked, ended, outcome, refused, text, within},
    servers::Server,
};

/// proves: HB-05, HB-11, HB-13
#[tokio::test]
async fn criterion_14_two_surfaces_show_the_same_form_and_the_first_answer_wins() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-14", Limits::default());
    let provider = chain.provider(&server).await;
    let (mut desktop, mut terminal) = (chain.screen().await, chain.screen().await);
    let running = chain.call().await;
    let question = asked(&mut desktop).await;
    assert_eq!(asked(&mut terminal).await, question);
    let Elicitation::Form(form) = &question.question.elicitation else { panic!("{question:?}") };
    assert_eq!(form.form.fields().len(), 2);
    // An answer that does not fit is refused with what is wrong, and the question stays open.
    let empty = Response::Accept(form_model::Content::new());
    let Misuse::Invalid(faults) = refused(&desktop, question.id, empty).await else { panic!() };
    assert_eq!(faults.iter().count(), 2);
    let (first, second) = tokio::join!(
        desktop.answer(question.id, accept()),
        terminal.answer(question.id, Response::Decline)
    );
    let won = if first.is_ok() { Decision::Accept } else { Decision::Decline };
    let lost = if first.is_ok() { second } else { first };
    let stale = Misuse::Stale { won: Some(Ending::Answered(won)) };
    assert_eq!(lost, Err(Error::Misuse(stale)));
    for screen in [&mut desktop, &mut terminal] {
        assert_eq!(ended(screen, question.id).await, Ending::Answered(won));
        assert_eq!(screen.open().count(), 0);
    }
    let expected = match won {
        Decision::Accept => "deployed build-42 to production",
        Decision::Decline | Decision::Dismiss => "build-42 was not deployed: declined",
    };
    assert_eq!(text(&outcome(running).await), expected);
    let folder = chain.folder.clone();
    let from_host = provider.from_host.clone();
    drop((desktop, terminal));
    chain.end([provider]).await;
    assert_eq!(from_host.count("interaction_result"), 1);
    assert_eq!(folder.heard(&server).len(), 2);
}

/// proves: HB-11, HB-15
#[tokio::test]
async fn a_surface_that_has_missed_something_begins_anew_and_shows_the_same_as_the_others() {
    let chain = Chain::volatile("missed", Limits::default());
    let mut fake = Fake::register(&chain.host).await;
    let (mut slow, mut quick) = (chain.screen().await, chain.screen().await);
    // One invocation stays, so that the session does, and others come and go.
    let lasting = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    let lasts = asked(&mut quick).await;
    for _ in 0..100 {
        let running = chain.call().await;
        let invocation = fake.called().await;
        fake.ask(&invocation).await;
        let released = mrtr_core::broker::ProviderFrame::Released { invocation };
        fake.say(released).await;
        outcome(running).await;
    }
    assert_eq!(within(slow.next()).await, Ok(Seen::Anew));
    let open: Vec<_> = slow.open().map(|shown| shown.interaction.id).collect();
    assert_eq!(open, [lasts.id]);
    slow.answer(lasts.id, Response::Decline).await.unwrap();
    assert_eq!(ended(&mut slow, lasts.id).await, Ending::Answered(Decision::Decline));
    drop((lasting, slow, quick, fake));
    chain.end([]).await;
}
