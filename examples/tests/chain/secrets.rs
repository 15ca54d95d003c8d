//! The secrets of a server and of a person.

use std::fs;

use form_model::Content;
use mrtr_core::{
    host::{Limits, Outcome},
    wire::InputResponse,
};
use mrtr_examples::host::store::Journal;
use serde_json::{Value, json};

use crate::{
    fixture::{Chain, accept, asked, outcome, session, text, within},
    servers::{Folder, Server, asks, done},
};

const STATE: &str = "the-servers-own-state";
const ANSWER: &str = "what-a-person-has-typed";

/// proves: HB-14, W-08, CL-20
#[tokio::test]
async fn criterion_12_the_state_of_a_server_is_nowhere_but_between_it_and_its_client() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let params = json!({"message": "Who?", "requestedSchema": schema});
    let requests = json!({"who": {"method": "elicitation/create", "params": params}});
    let lines = vec![asks("1.1.1", &requests, &format!("\"{STATE}\"")), done("1.1.2")];
    let server = Server::play("secrets", r#"hear; say "$1"; hear; say "$2"; hear"#, lines);
    let folder = Folder::new("criterion-12");
    let (store, held) = Journal::open(&folder.file("journal")).unwrap();
    let chain = Chain::durable(folder.clone(), 1, store, held);
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    let mut shown = format!("{question:?} {}", question.question.to_json().as_str());
    let broker = chain.host.look(|broker| format!("{:?} {broker:?}", broker.snapshot(&session())));
    shown += &broker.await.unwrap();
    let response = InputResponse::Accept(Content::new().with_text("name", ANSWER));
    screen.answer(question.id, response).await.unwrap();
    while screen.open().count() > 0 {
        shown += &format!("{:?} {screen:?}", within(screen.next()).await);
    }
    let outcome = outcome(running).await;
    assert!(matches!(outcome, Outcome::Complete(_)), "{outcome:?}");
    let (from_host, from_provider) = (provider.from_host.clone(), provider.from_provider.clone());
    let reports = chain.reports.clone();
    drop(screen);
    chain.end([provider]).await;

    // Both were sent to the server, so the search can find them.
    let heard = folder.text("secrets-heard");
    assert!(heard.contains(STATE) && heard.contains(ANSWER), "{heard}");
    let journal = fs::read_to_string(folder.file("journal")).unwrap();
    let reports = reports.lock().unwrap().join("\n");
    let errors = folder.text("secrets-errors");
    assert!(errors.contains("requestState of"), "the provider logs its requests: {errors}");
    for (place, text) in [
        ("frames of the host", from_host.text()),
        ("frames of the provider", from_provider.text()),
        ("the store", journal.clone()),
        ("reports", reports.clone()),
        ("the provider's log", errors.clone()),
        ("what is shown", shown.clone()),
        ("the outcome", format!("{outcome:?}")),
    ] {
        assert!(!text.is_empty(), "there are {place}");
        assert!(!text.contains(STATE), "{place}");
    }
    // An answer is in the store once and in a frame to the provider once, and in no log.
    assert_eq!(journal.matches(ANSWER).count(), 1);
    assert_eq!(from_host.text().matches(ANSWER).count(), 1);
    assert!(!reports.contains(ANSWER) && !errors.contains(ANSWER));
    assert!(!from_provider.text().contains(ANSWER) && !shown.contains(ANSWER));
}

/// proves: HB-14, W-08
#[tokio::test]
async fn criterion_12_a_sealed_state_is_in_no_frame_either() {
    let server = Server::deploy("deploy");
    let chain = Chain::volatile("criterion-12-sealed", Limits::default());
    let provider = chain.provider(&server).await;
    let mut screen = chain.screen().await;
    let running = chain.call().await;
    let question = asked(&mut screen).await;
    screen.answer(question.id, accept()).await.unwrap();
    assert_eq!(text(&outcome(running).await), "deployed build-42 to production");
    let folder = chain.folder.clone();
    let frames = [provider.from_host.clone(), provider.from_provider.clone()];
    drop(screen);
    chain.end([provider]).await;
    let said = folder.text("deploy-said");
    let said: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    let state = said["result"]["requestState"].as_str().unwrap();
    assert_eq!(folder.heard(&server)[1]["params"]["requestState"], state);
    for text in [frames[0].text(), frames[1].text(), folder.text("deploy-errors")] {
        assert!(!text.is_empty() && !text.contains(state));
    }
}
