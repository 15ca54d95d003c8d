//! Answers that were given beforehand.

use core::{future::Future, pin::Pin};

use form_model::{Draft, Form, Kind};
use mrtr_core::{AnswersForms, AnswersUrls, Event, Interaction, wire::Response};

use super::{GaveUp, Surface, not_claimed};

/// Answers every form in one way.
pub enum Script {
    /// Sends it, with these values over the form's defaults. A value whose name the form does not
    /// have is for another form of the call.
    Accept(Vec<(String, String)>),
    /// Says no.
    Decline,
    /// Closes it.
    Dismiss,
}

impl AnswersForms for Script {}
impl AnswersUrls for Script {}

impl Surface for Script {
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let response = match (self, interaction) {
            (Self::Accept(given), Interaction::Form(request)) => fill(request.form, given),
            (Self::Accept(_), Interaction::Url(_)) => {
                Err(GaveUp("a URL is for a person to open: answer at a terminal".into()))
            }
            (Self::Accept(_), Interaction::Sampling(_) | Interaction::Roots) => Err(not_claimed()),
            (Self::Decline, _) => Ok(Response::Decline),
            (Self::Dismiss, _) => Ok(Response::Dismiss),
        };
        let event = response.map(|response| Event::Answer { round, key, response });
        Box::pin(core::future::ready(event))
    }
}

/// Fills the form in and checks it here, so that what is wrong is never sent.
fn fill(form: Form, given: &[(String, String)]) -> Result<Response, GaveUp> {
    let mut draft = Draft::new(form);
    for (name, text) in given {
        let is_choices = |kind: &Kind| matches!(kind, Kind::Choices(_));
        let text = match draft.form().field(name) {
            // On a command line the values of a multiple choice stand in one line.
            Some(field) if is_choices(field.kind()) => text.replace(',', "\n"),
            Some(_) => text.clone(),
            None => continue,
        };
        // The field is there, so the edit is taken, and a text that does not fit is a fault.
        let _ = draft.set_text(name, &text);
    }
    draft.submit().map(|answer| Response::Accept(answer.into())).map_err(|_| {
        let fault = |fault: form_model::DraftFault<'_>| {
            format!("\n  {}: {}", fault.field.label(), fault.message())
        };
        GaveUp(format!(
            "the answer does not fit the form:{}",
            draft.faults().map(fault).collect::<String>()
        ))
    })
}
