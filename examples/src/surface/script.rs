//! Answers that were given in advance.

use core::{future::Future, pin::Pin};

use form_model::{Draft, DraftError, Form, Kind};
use mrtr_core::{
    client::Event,
    wire::{Elicitation, InputRequest, InputResponse},
};

use super::{GaveUp, Surface, not_claimed};

/// A surface that answers every form in one way.
pub enum Script {
    /// Sends the form with these values, and with its defaults where there is no value. Values
    /// whose names the form does not have are for other forms of the call.
    Accept(Vec<(String, String)>),
    /// Declines the form.
    Decline,
    /// Closes the form without an answer.
    Cancel,
}

impl Surface for Script {
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let response = match (self, request) {
            (Self::Accept(given), InputRequest::Elicitation(Elicitation::Form(request))) => {
                fill(request.form, given)
            }
            (Self::Accept(_), InputRequest::Elicitation(Elicitation::Url(_))) => {
                Err(GaveUp("only a person can open a URL: answer at a terminal".into()))
            }
            (Self::Accept(_), InputRequest::Sampling(_) | InputRequest::Roots) => {
                Err(not_claimed())
            }
            (Self::Decline, _) => Ok(InputResponse::Decline),
            (Self::Cancel, _) => Ok(InputResponse::Cancel),
        };
        let event = response.map(|response| Event::Answer { round, key, response });
        Box::pin(core::future::ready(event))
    }
}

/// Fills in the form and checks it here, so that an answer that does not fit is never sent.
fn fill(form: Form, given: &[(String, String)]) -> Result<InputResponse, GaveUp> {
    let mut draft = Draft::new(form);
    for (name, text) in given {
        let is_choices = |kind: &Kind| matches!(kind, Kind::Choices(_));
        let text = match draft.form().field(name) {
            // A command line has the values of a multiple choice in one argument.
            Some(field) if is_choices(field.kind()) => text.replace(',', "\n"),
            Some(_) => text.clone(),
            None => continue,
        };
        // The field exists, so the edit is accepted. A text that does not fit is an error of the draft.
        let _ = draft.set_text(name, &text);
    }
    draft.submit().map(|answer| InputResponse::Accept(answer.into())).map_err(|_| {
        let line =
            |error: DraftError<'_>| format!("\n  {}: {}", error.field.label(), error.message());
        let lines: String = draft.errors().map(line).collect();
        GaveUp(format!("the answer does not fit the form:{lines}"))
    })
}
