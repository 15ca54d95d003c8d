//! Answers that were given beforehand.

use core::{future::Future, pin::Pin};

use form_model::{Content, Field, Form, Kind, Value};
use mrtr_core::{Event, Interaction, wire::Response};

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
        let response = match self {
            Self::Accept(given) => accept(&request.form, given),
            Self::Decline => Ok(Response::Decline),
            Self::Dismiss => Ok(Response::Dismiss),
        };
        Box::pin(core::future::ready(response.map(|response| Event::Answer {
            round,
            key,
            response,
        })))
    }
}

/// Fills the form in and checks it here, so that what is wrong is never sent.
fn accept(form: &Form, given: &[(String, String)]) -> Result<Response, GaveUp> {
    let mut content = Content::new();
    for field in form.fields() {
        if let Some(default) = field.default() {
            content = content.with(field.name(), default);
        }
    }
    for (name, text) in given {
        if let Some(field) = form.field(name) {
            content = content.with(name, typed(field, text));
        }
    }
    match form.accept(content.clone()) {
        Ok(_) => Ok(Response::Accept(content)),
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(|fault| format!("  {fault}")).collect();
            Err(GaveUp(format!("the answer does not fit the form:\n{}", faults.join("\n"))))
        }
    }
}

/// Reads a text as what the field takes. A text that is no such thing stays one, for the form to
/// refuse.
pub(super) fn typed(field: &Field, text: &str) -> Value {
    let as_is = || Value::Text(text.into());
    match field.kind() {
        Kind::Text(_) | Kind::Choice(_) => as_is(),
        Kind::Number(_) | Kind::Integer(_) => text.parse().map_or_else(|_| as_is(), Value::Number),
        Kind::Flag(_) => text.parse().map_or_else(|_| as_is(), Value::Flag),
        Kind::Choices(_) if text.is_empty() => Value::Choices(Vec::new()),
        Kind::Choices(_) => Value::Choices(text.split(',').map(Into::into).collect()),
    }
}
