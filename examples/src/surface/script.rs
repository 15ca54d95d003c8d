//! Answers that were given beforehand.

use core::{future::Future, pin::Pin};

use form_model::{Draft, Form, Kind, Submission};
use mrtr_core::{Event, Interaction};

use super::{GaveUp, Surface};

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

impl Surface for Script {
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let Interaction::Form(request) = interaction;
        let submission = match self {
            Self::Accept(given) => fill(request.form, given),
            Self::Decline => Ok(Submission::Decline),
            Self::Dismiss => Ok(Submission::Dismiss),
        };
        let event =
            submission.map(|submission| Event::Answer { round, key, response: submission.into() });
        Box::pin(core::future::ready(event))
    }
}

/// Fills the form in and checks it here, so that what is wrong is never sent.
fn fill(form: Form, given: &[(String, String)]) -> Result<Submission, GaveUp> {
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
    draft.submit().map(Submission::Accept).map_err(|_| {
        let fault = |fault: form_model::DraftFault<'_>| {
            format!("\n  {}: {}", fault.field.label(), fault.message())
        };
        GaveUp(format!(
            "the answer does not fit the form:{}",
            draft.faults().map(fault).collect::<String>()
        ))
    })
}
