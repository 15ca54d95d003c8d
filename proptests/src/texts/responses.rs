//! Texts of `inputResponses`, as a client brings them to an endpoint that asked for every kind.

use std::sync::{Arc, LazyLock};

use form_model::Submission;
use mrtr_core::{
    server::{Ending, Endpoint, Flow, Incoming, Run},
    wire::{Decision, InputRequest, InputResponse, RawJson},
};

use crate::exchange::{Came, Counting, NOW, endpoint, first_round, message, questions, receive};

const KEYS: [&str; 4] = ["form", "url", "model", "roots"];

/// An endpoint, and the token of a round that asked for every kind.
static SEALED: LazyLock<(Arc<Endpoint>, String)> = LazyLock::new(|| {
    let endpoint = Arc::new(endpoint(true));
    let sent = message("tools/call", &[]);
    let incoming = Incoming::message(sent.as_bytes());
    let Came::Runs(_, run) = receive(&endpoint, NOW, incoming) else { panic!("it runs") };
    let Ending::Need(need) = flow(&run) else { panic!("nothing is answered yet") };
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
    let incoming = Incoming::message(sent.as_bytes());
    let Came::Runs(exchange, run) = receive(endpoint, NOW, incoming) else { return false };
    // Text that breaks out of its member may have taken the state away.
    if run.round == 2 {
        read(&run);
    }
    let ending = flow(&run);
    assert!(ending != Ending::FlowChanged);
    let ended = exchange.clone().end(NOW, &mut Counting::default(), ending);
    assert!(ended.is_ok_and(|actions| !actions.as_slice().is_empty()));
    true
}

/// A flow that asks for every kind at once.
fn flow(run: &Run) -> Ending {
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
        let (form, decision) = (answers.form(key), answers.decision(key));
        assert!(form.is_none() || ["form", "url"].contains(&key));
        assert!(decision.is_none() || ["form", "url"].contains(&key));
        assert_eq!(answers.check(key, &InputRequest::Roots), Ok(None), "the state vouches");
        match answers.get(key) {
            None => assert!(form.is_none() && decision.is_none()),
            Some(InputResponse::Accept(answer)) => {
                assert!(answer.value("f").is_some(), "it is required");
                assert!(key == "form" && !answer.to_json().is_empty());
                assert_eq!(form, Some(Submission::Accept(answer.clone())));
                assert_eq!(decision, Some(Decision::Accept));
            }
            Some(InputResponse::Consent) => {
                assert_eq!((key, form, decision), ("url", None, Some(Decision::Accept)));
            }
            Some(InputResponse::Decline) => {
                assert_eq!((form, decision), (Some(Submission::Decline), Some(Decision::Decline)));
            }
            Some(InputResponse::Cancel) => {
                assert_eq!((form, decision), (Some(Submission::Cancel), Some(Decision::Cancel)));
            }
            Some(InputResponse::Sampled(_)) => assert_eq!(key, "model"),
            Some(InputResponse::Roots(_)) => assert_eq!(key, "roots"),
        }
    }
}
