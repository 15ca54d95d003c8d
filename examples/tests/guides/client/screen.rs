//! From a question to a response.

use form_model::{Draft, SafeText};
use mrtr_core::{
    client::CloseReason,
    wire::{Decision, Elicitation, InputRequest, InputResponse, UrlRequest},
};

/// A screen with a person before it: a window, a page, a terminal.
pub(super) trait Screen: Send + Sync {
    /// Shows a form and lets the person edit the draft, until they decide. `draft.errors()` says
    /// what is wrong so far; show that beside the fields.
    fn fill_in(&self, message: &SafeText, draft: &mut Draft) -> Decision;

    /// Shows the host and the whole URL, and opens the page only if the person agrees.
    fn open(&self, url: &UrlRequest) -> Decision;

    /// Takes off what is shown, and says why. `fill_in` and `open` return: no answer counts now.
    fn close(&self, why: CloseReason);
}

/// Asks, and returns the response. `None`: nothing here can answer.
pub(super) fn ask(screen: &dyn Screen, request: InputRequest) -> Option<InputResponse> {
    match request {
        InputRequest::Elicitation(Elicitation::Form(request)) => {
            let mut draft = Draft::new(request.form);
            loop {
                match screen.fill_in(&request.message, &mut draft) {
                    Decision::Accept => {
                        // If the form rejects the draft, the person can correct it.
                        if let Ok(answer) = draft.submit() {
                            return Some(InputResponse::Accept(answer.into()));
                        }
                    }
                    Decision::Decline => return Some(InputResponse::Decline),
                    Decision::Cancel => return Some(InputResponse::Cancel),
                }
            }
        }
        InputRequest::Elicitation(Elicitation::Url(request)) => Some(match screen.open(&request) {
            Decision::Accept => InputResponse::Consent,
            Decision::Decline => InputResponse::Decline,
            Decision::Cancel => InputResponse::Cancel,
        }),
        // Never make a response up.
        InputRequest::Sampling(_) | InputRequest::Roots => None,
    }
}
