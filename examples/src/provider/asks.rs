//! The questions of one invocation: the host asks them, one after the other.

use core::{future::Future, pin::Pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use form_model::Limits;
use mrtr_core::{
    AnswersForms, AnswersUrls, Event, Interaction, InvocationId,
    broker::{ProviderFrame, Question, Requester},
    wire::{Elicitation, RawJson, Response},
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

/// Is who answers for one invocation: the host.
pub(super) struct Asks {
    invocation: InvocationId,
    requester: Requester,
    frames: Arc<Frames>,
    limits: Limits,
    /// The number of the last question. Who holds it is asking.
    last: lock::Mutex<u64>,
    waiting: Mutex<Waiting>,
}

/// Says what comes of a question: the host's answer, or the code of the rule that it breaks.
type Answer = Result<RawJson, String>;

/// Is what the host was asked and has not answered.
enum Waiting {
    ForNothing,
    ForAnswer(u64, Sender<Answer>),
    /// Nobody is asked any more.
    NoMore,
}

impl Asks {
    pub(super) fn new(
        invocation: InvocationId,
        requester: Requester,
        frames: Arc<Frames>,
        limits: Limits,
    ) -> Self {
        let waiting = Mutex::new(Waiting::ForNothing);
        Self { invocation, requester, frames, limits, last: lock::Mutex::new(0), waiting }
    }

    /// Takes what came of a question. What is not waited for is passed over.
    pub(super) fn answer(&self, number: u64, answer: Answer) {
        if let Waiting::ForAnswer(asked, sender) = &*self.waiting()
            && *asked == number
        {
            // There is room for one, and a second one is none.
            let _ = sender.try_send(answer);
        }
    }

    /// Lets nobody wait any more.
    pub(super) fn close(&self) {
        *self.waiting() = Waiting::NoMore;
    }

    /// Asks the host, and waits for what comes of it.
    async fn ask_host(&self, elicitation: Elicitation) -> Result<Response, GaveUp> {
        let mut last = self.last.lock().await;
        *last += 1;
        let is_url = matches!(elicitation, Elicitation::Url(_));
        let question = Question::passed_on(elicitation, self.requester.clone());
        let frame = ProviderFrame::ask(self.invocation.clone(), *last, &question);
        let (sender, answer) = channel::bounded(1);
        {
            let mut waiting = self.waiting();
            if matches!(*waiting, Waiting::NoMore) {
                return Err(over());
            }
            *waiting = Waiting::ForAnswer(*last, sender);
        }
        self.frames.send(&frame);
        let answer = answer.recv().await.map_err(|_| over())?;
        let result = answer.map_err(|code| GaveUp(format!("the host does not ask: {code}")))?;
        match Response::decode(result.as_str(), &self.limits) {
            Ok(Response::Accept(_)) if is_url => Ok(Response::Consent),
            decoded => decoded.map_err(|error| GaveUp(error.to_string())),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnswersForms for Asks {}
impl AnswersUrls for Asks {}

impl Surface for Asks {
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Next> + '_>> {
        Box::pin(async move {
            let elicitation = match interaction {
                Interaction::Form(request) => Elicitation::Form(request),
                Interaction::Url(request) => Elicitation::Url(request),
                Interaction::Sampling(_) | Interaction::Roots => return Err(not_claimed()),
            };
            let response = self.ask_host(elicitation).await?;
            Ok(Event::Answer { round, key, response })
        })
    }
}

fn over() -> GaveUp {
    GaveUp("the invocation is over".into())
}
