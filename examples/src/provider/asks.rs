//! The questions of an invocation. The host asks them, one after the other.

use core::{future::Future, pin::Pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use form_model::Limits;
use mrtr_core::{
    InvocationId,
    client::Event,
    host::{ProviderFrame, Question, Requester},
    wire::{Elicitation, InputRequest, InputResponse, RawJson},
};
use smol::{
    channel::{self, Sender},
    lock,
};

use super::Frames;
use crate::{
    call::Next,
    surface::{GaveUp, Surface, not_claimed},
};

/// A surface of one invocation: the host answers.
pub(super) struct Asks {
    invocation: InvocationId,
    requester: Requester,
    frames: Arc<Frames>,
    limits: Limits,
    /// The number of the last question. It is locked while the host is asked.
    last: lock::Mutex<u64>,
    waiting: Mutex<Waiting>,
}

/// What comes back for a question: the host's answer, or the code of the rule that the question breaks.
type Answer = Result<RawJson, String>;

/// Which question waits for the host's answer.
enum Waiting {
    None,
    Question(u64, Sender<Answer>),
    /// The invocation is over, and nobody is asked any more.
    Over,
}

impl Asks {
    pub(super) fn new(
        invocation: InvocationId,
        requester: Requester,
        frames: Arc<Frames>,
        limits: Limits,
    ) -> Self {
        let waiting = Mutex::new(Waiting::None);
        Self { invocation, requester, frames, limits, last: lock::Mutex::new(0), waiting }
    }

    /// Takes the answer to a question. An answer that nobody waits for is dropped.
    pub(super) fn answer(&self, number: u64, answer: Answer) {
        if let Waiting::Question(asked, sender) = &*self.waiting()
            && *asked == number
        {
            // There is room for one answer. A second one is dropped.
            let _ = sender.try_send(answer);
        }
    }

    /// Ends the waiting.
    pub(super) fn close(&self) {
        *self.waiting() = Waiting::Over;
    }

    /// Asks the host, and waits for the answer.
    async fn ask_host(&self, elicitation: Elicitation) -> Result<InputResponse, GaveUp> {
        let mut last = self.last.lock().await;
        *last += 1;
        let question = Question::new(elicitation, self.requester.clone());
        let frame = ProviderFrame::ask(self.invocation.clone(), *last, &question);
        let (sender, answer) = channel::bounded(1);
        {
            let mut waiting = self.waiting();
            if matches!(*waiting, Waiting::Over) {
                return Err(over());
            }
            *waiting = Waiting::Question(*last, sender);
        }
        self.frames.send(&frame);
        let answer = answer.recv().await.map_err(|_| over())?;
        let result =
            answer.map_err(|code| GaveUp(format!("the host refused the question: {code}")))?;
        question
            .elicitation
            .decode_response(result.as_json(), &self.limits)
            .map_err(|error| GaveUp(error.to_string()))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Surface for Asks {
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Next> + '_>> {
        Box::pin(async move {
            let InputRequest::Elicitation(elicitation) = request else { return Err(not_claimed()) };
            let response = self.ask_host(elicitation).await?;
            Ok(Event::Answer { round, key, response })
        })
    }
}

fn over() -> GaveUp {
    GaveUp("the invocation is over".into())
}
