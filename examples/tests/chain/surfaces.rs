//! Several surfaces of one session: they show the same questions, and the first answer wins.

use mrtr_core::{
    host::{Ending, Limits, Misuse},
    wire::{Decision, Elicitation, InputResponse, ResponseError},
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
    // An answer that does not fit is refused with its errors, and the question stays open.
    let empty = InputResponse::Accept(form_model::Content::new());
    let misuse = refused(&desktop, question.id, empty).await;
    let Misuse::Response(ResponseError::Invalid(errors)) = misuse else { panic!("{misuse:?}") };
    assert_eq!(errors.iter().count(), 2);
    let (first, second) = tokio::join!(
        desktop.answer(question.id, accept()),
        terminal.answer(question.id, InputResponse::Decline)
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
        Decision::Decline | Decision::Cancel => "build-42 was not deployed: declined",
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
async fn a_surface_that_missed_a_change_starts_again_and_shows_the_same_as_the_others() {
    let chain = Chain::volatile("missed", Limits::default());
    let mut fake = Fake::register(&chain.host).await;
    let (mut slow, mut quick) = (chain.screen().await, chain.screen().await);
    // One invocation stays open so that the session does, while others come and go.
    let lasting = chain.call().await;
    let invocation = fake.called().await;
    fake.ask(&invocation).await;
    let lasts = asked(&mut quick).await;
    for _ in 0..100 {
        let running = chain.call().await;
        let invocation = fake.called().await;
        fake.ask(&invocation).await;
        let released = mrtr_core::host::ProviderFrame::Released { invocation };
        fake.say(released).await;
        outcome(running).await;
    }
    assert_eq!(within(slow.next()).await, Ok(Seen::Snapshot));
    let open: Vec<_> = slow.open().map(|shown| shown.interaction.id).collect();
    assert_eq!(open, [lasts.id]);
    slow.answer(lasts.id, InputResponse::Decline).await.unwrap();
    assert_eq!(ended(&mut slow, lasts.id).await, Ending::Answered(Decision::Decline));
    drop((lasting, slow, quick, fake));
    chain.end([]).await;
}
