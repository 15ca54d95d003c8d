//! Surfaces that come back, and hosts that restart.

use std::{fs, io::ErrorKind};

use mrtr_core::{
    host::{
        Broker, CloseReason, Ending, Epoch, Limits, Misuse, Outcome, ProviderFrame, Record,
        RecordKind,
    },
    wire::Decision,
};
use mrtr_examples::host::{
    Error,
    store::{Journal, epoch_after},
};

use crate::{
    fake::Fake,
    fixture::{Chain, accept, asked, confirm, ended, outcome, refused, text, within},
    servers::{Folder, Server},
};

/// proves: HB-11
#[tokio::test]
async fn criterion_9_a_surface_that_comes_back_gets_the_form_again_and_answers() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-9-surface", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let before = asked(&mut screen).await;
    drop(screen);
    let mut screen = chain.screen().await;
    let question = asked(&mut screen).await;
    assert_eq!(question, before);
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(Decision::Accept));
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    drop(screen);
    chain.end([provider]).await;
}

/// proves: HB-12, HB-14
#[tokio::test]
async fn criterion_9_a_restarted_host_closes_what_was_open_and_replays_nothing() {
    let (old, new) = (Server::deploy("old"), Server::deploy("new"));
    let folder = Folder::new("criterion-9-restart");
    let journal = folder.file("journal");
    let (store, held) = Journal::open(&journal).unwrap();
    assert_eq!(held, []);
    assert_eq!(Journal::open(&journal).unwrap_err().kind(), ErrorKind::WouldBlock);
    let chain = Chain::durable(folder.clone(), 1, store, held);
    let mut provider = chain.provider(&old).await;
    let mut screen = chain.screen().await;
    // One question is answered before the host ends, and one is open.
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(ended(&mut screen, question.id).await, Ending::Answered(Decision::Accept));
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let running = chain.call().await;
    let question = asked(&mut screen).await;

    // It ends without warning, in the middle of a line.
    chain.ended.abort();
    assert!(chain.ended.await.unwrap_err().is_cancelled());
    assert_eq!(within(running.outcome()).await, Err(Error::Ended));
    assert_eq!(within(screen.answer(question.id, accept())).await, Err(Error::Ended));
    within(provider.process.wait()).await.unwrap();
    assert_eq!(folder.heard(&old).len(), 3);
    let whole = folder.text("journal");
    fs::write(&journal, format!("{whole}{{\"version\":1,\"inter")).unwrap();

    let (store, held) = Journal::open(&journal).unwrap();
    let kinds: Vec<_> = held.iter().map(|record| record.kind).collect();
    assert_eq!(kinds, [RecordKind::Requested, RecordKind::Answered, RecordKind::Requested]);
    assert!(Broker::durable(Epoch::new(1), Limits::default(), held.clone()).is_err());
    assert_eq!(epoch_after(&held, 0), Epoch::new(2));
    let chain = Chain::durable(folder.clone(), 2, store, held);
    let provider = chain.provider(&new).await;
    let screen = chain.screen().await;
    assert_eq!(screen.open().count(), 0);
    assert_eq!(refused(&screen, question.id, accept()).await, Misuse::OldEpoch);
    assert!(chain.is_idle().await);
    let to_new = provider.from_host.clone();
    drop(screen);
    chain.end([provider]).await;
    assert_eq!(to_new.text(), "");
    assert_eq!(folder.heard(&new).len(), 0);
    let text = folder.text("journal");
    let line = text.strip_prefix(&whole).unwrap().trim_end();
    let closed = Record::Closed { interaction: question.id, why: CloseReason::HostRestarted };
    assert_eq!(Record::decode(line, &Limits::default()), Ok(closed));
}

/// proves: HB-06, HB-14
#[tokio::test]
async fn a_journal_holds_a_question_from_before_it_is_shown_to_how_it_closed() {
    let folder = Folder::new("journal");
    let (store, held) = Journal::open(&folder.file("journal")).unwrap();
    let chain = Chain::durable(folder.clone(), 1, store, held);
    let mut fake = Fake::register(&chain.host).await;
    let mut screen = chain.screen().await;
    let kinds = || folder.text("journal").lines().count();
    for (answers, before) in [(true, 0), (false, 2)] {
        let running = chain.call().await;
        let invocation = fake.called().await;
        fake.ask(&invocation).await;
        let question = asked(&mut screen).await;
        assert_eq!(kinds(), before + 1);
        if answers {
            screen.answer(question.id, confirm()).await.unwrap();
            fake.hear().await.unwrap();
            assert_eq!(kinds(), before + 2);
            ended(&mut screen, question.id).await;
            let released = ProviderFrame::Released { invocation };
            fake.say(released).await;
            assert_eq!(outcome(running).await, Outcome::Released);
        } else {
            drop(running);
        }
    }
    drop((screen, fake));
    chain.end([]).await;
    // The host has ended in order: nothing is left to close.
    let (_, held) = Journal::open(&folder.file("journal")).unwrap();
    let kinds: Vec<_> = held.iter().map(|record| record.kind).collect();
    let closed = RecordKind::Closed;
    assert_eq!(kinds, [RecordKind::Requested, RecordKind::Answered, RecordKind::Requested, closed]);
    assert!(
        Broker::durable(Epoch::new(2), Limits::default(), held).unwrap().1.as_slice().is_empty()
    );
}

#[test]
fn a_journal_with_a_line_that_is_not_a_record_is_not_opened() {
    let folder = Folder::new("spoilt-journal");
    for spoilt in [&b"\n"[..], b"{}\n", b"\xff\n"] {
        fs::write(folder.file("journal"), spoilt).unwrap();
        assert!(Journal::open(&folder.file("journal")).is_err());
        assert_eq!(fs::read(folder.file("journal")).unwrap(), spoilt);
    }
}
