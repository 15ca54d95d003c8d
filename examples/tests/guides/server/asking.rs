//! A handler that asks, without a flow.

use form_model::{FlagField, Form, FormBuilder, Submission};
use mrtr_core::{
    server::{Ending, HandlerError, Need, Run},
    wire::{InputRequest, RawJson},
};
use serde_json::json;

/// Deletes a deployment, if a person agrees.
pub(super) fn delete(run: &Run) -> Ending {
    let said = match run.answers.form("sure") {
        // It is asked for the first time, or the client left the answer out. Ask again.
        None => {
            return match sure() {
                Ok(form) => Ending::Need(Need::new().request(
                    "sure",
                    InputRequest::form("The deployment and its data go away.", form),
                )),
                Err(error) => Ending::Fail(HandlerError::internal(error)),
            };
        }
        Some(Submission::Accept(answer)) if answer.flag("sure") == Some(true) => "deleted",
        Some(Submission::Accept(_) | Submission::Decline) => "not deleted",
        Some(Submission::Cancel) => "not deleted: nobody decided",
    };
    match RawJson::from_value(&json!({"content": [{"type": "text", "text": said}]})) {
        Ok(result) => Ending::Finish(result),
        Err(error) => Ending::Fail(HandlerError::internal(error)),
    }
}

fn sure() -> Result<Form, form_model::BuildError> {
    FormBuilder::new().field(FlagField::new("sure").title("Really delete?").required()).build()
}
