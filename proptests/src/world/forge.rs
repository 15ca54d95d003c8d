//! Requests that somebody sends who has seen others.

use crate::invariants::Checked;
use serde_json::{Value, json};

use super::{
    Forges,
    network::Request,
    setup::{KEYLESS, SERVERS},
    whole::World,
};
use crate::broker::{self, Host};

impl<H: Host> World<H> {
    /// Somebody sends a request that they saw, with something changed. Nobody waits for the answer.
    pub(super) fn forge(&mut self, which: u8, how: Forges, with: u8) -> Checked {
        let Some(request) = broker::pick(&self.network.overheard, which) else { return Ok(()) };
        let mut request = request.clone();
        let mut message: Value = serde_json::from_str(&request.message).unwrap_or_default();
        if change(&mut message, &mut request, how, with).is_none() {
            return Ok(());
        }
        if how != Forges::Nothing {
            request.message = message.to_string();
        }
        self.note(&format!("forged {how:?}"));
        self.network.requests.push(request);
        Ok(())
    }
}

/// Changes a request. `None`: there is nothing of that kind to change.
fn change(message: &mut Value, request: &mut Request, how: Forges, with: u8) -> Option<()> {
    let keyless = request.server == KEYLESS;
    let params = message.get_mut("params")?.as_object_mut()?;
    let state = params.get("requestState").and_then(Value::as_str).map(str::to_owned);
    match how {
        Forges::Nothing => {}
        // Without a state, nothing says whose the answers are: that is what keys are for.
        Forges::OtherParams => {
            state?;
            *params.get_mut("arguments")?.get_mut("call")? = json!(with % 8);
        }
        Forges::OneCharacter => {
            let mut token = state?.into_bytes();
            let at = usize::from(with) * token.len() / 256;
            let character = token.get_mut(at)?;
            *character = if *character == b'A' { b'B' } else { b'A' };
            params.insert("requestState".into(), String::from_utf8(token).ok()?.into());
        }
        Forges::NoText => {
            params.insert("requestState".into(), json!(with));
        }
        Forges::OtherPrincipal => request.principal = "mallory".into(),
        Forges::OtherServer if !keyless => {
            request.server = (request.server + 1 + usize::from(with) % (SERVERS - 1)) % SERVERS;
            // An endpoint without keys takes answers from anybody.
            if request.server == KEYLESS {
                state?;
            }
        }
        Forges::OtherServer => {
            params.remove("inputResponses");
            request.server = usize::from(with) % SERVERS;
        }
        Forges::OtherMethod => {
            message.as_object_mut()?.insert("method".into(), json!("prompts/get"));
        }
        Forges::NoState => {
            params.remove("requestState")?;
        }
        Forges::NoAnswers => {
            params.get("inputResponses")?;
            params.insert("inputResponses".into(), json!({}));
        }
        Forges::AnswersAsList => {
            params.insert("inputResponses".into(), json!([]));
        }
        Forges::WrongAnswer => {
            let answers = params.get_mut("inputResponses")?.as_object_mut()?;
            let answer = answers.values_mut().next()?;
            *answer = match answer.get("content") {
                Some(_) => json!({"action": "accept", "content": {"who": with, "SENTINEL": 1}}),
                None => json!({"action": "SENTINEL"}),
            };
        }
        Forges::NoVersion => {
            params.remove("_meta");
        }
    }
    Some(())
}
