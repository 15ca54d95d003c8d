//! Texts of `inputResponses`, as a client brings them to an endpoint that asked for every kind.

use std::sync::LazyLock;

use mrtr_core::{
    Endpoint, InputRequest,
    exchange::{Answered, Elicited, Event, Flow, Incoming, Run},
    wire::RawJson,
};

use crate::exchange::{Came, Counting, NOW, endpoint, first_round, message, questions, receive};

const KEYS: [&str; 4] = ["form", "url", "model", "roots"];

/// An endpoint, and the token of a round that asked for every kind.
static SEALED: LazyLock<(Endpoint, String)> = LazyLock::new(|| {
    let endpoint = endpoint(true);
    let sent = message("tools/call", &[]);
    let incoming = Incoming { message: sent.as_bytes(), headers: None, principal: None };
    let Came::Runs(_, run) = receive(&endpoint, NOW, incoming) else { panic!("it runs") };
    let Event::Need(need) = flow(&run) else { panic!("nothing is answered yet") };
    let token = first_round(&endpoint, NOW, None, &sent, need);
    (endpoint, format!("\"{token}\""))
});

/// Brings answers with the state of the round: what the handler reads is of the kind that it asked,
/// and a flow goes on with it.
///
/// # Panics
///
/// If something does not hold.
pub fn responses(text: &str) -> bool {
    let (endpoint, token) = &*SEALED;
    let sent = message("tools/call", &[("requestState", token), ("inputResponses", text)]);
    let incoming = Incoming { message: sent.as_bytes(), headers: None, principal: None };
    let Came::Runs(exchange, run) = receive(endpoint, NOW, incoming) else { return false };
    // Text that breaks out of its member may have taken the state away.
    if run.round == 2 {
        read(&run);
    }
    let event = flow(&run);
    assert!(event != Event::FlowChanged);
    let ended = exchange.clone().handle(NOW, &mut Counting::default(), event);
    assert!(ended.is_ok_and(|actions| !actions.as_slice().is_empty()));
    true
}

/// A flow that asks for every kind at once.
fn flow(run: &Run) -> Event {
    Flow::run(run, |flow| {
        let answers = flow.ask_all(questions())?;
        assert_eq!(answers.len(), KEYS.len());
        Ok(RawJson::parse("{}")?)
    })
}

/// Reads every answer in every way.
fn read(run: &Run) {
    let answers = &run.answers;
    assert!(answers.get("other").is_none());
    for key in KEYS {
        let (form, url) = (answers.form(key), answers.url(key));
        assert!(form.is_none() || key == "form");
        assert!(url.is_none() || key == "url");
        assert_eq!(answers.check(key, &InputRequest::roots()), Ok(None), "the state vouches");
        match answers.get(key) {
            None => assert!(form.is_none() && url.is_none()),
            Some(Answered::Form(Elicited::Accepted(answer))) => {
                assert!(answer.value("f").is_some(), "it is required");
                assert!(form.is_some() && !answer.to_json().is_empty());
            }
            Some(Answered::Form(_)) => assert!(form.is_some()),
            Some(Answered::Url(consent)) => assert_eq!(url, Some(*consent)),
            Some(Answered::Sampled(_)) => assert_eq!(key, "model"),
            Some(Answered::Roots(_)) => assert_eq!(key, "roots"),
        }
    }
}
