//! What the handlers of a world do, what they ask, and what people say to it.

use crate::invariants::SECRET;
use std::sync::LazyLock;

use form_model::{Content, Form};
use mrtr_core::{
    host::VisibleInteraction,
    wire::{Decision, Elicitation, InputRequest, InputResponse},
};

use crate::broker::How;

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Form,
    Url,
}

use Kind::{Form as F, Url as U};

/// What a handler does in one round. It goes on to the next once everything that it has asked is
/// answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Ask(&'static [Kind]),
    /// It wants to be called again, and asks nothing.
    Pause,
    Finish,
    Fail,
    /// It fails before it has done anything.
    Abandon,
    /// It needs neither input nor a state.
    Empty,
    /// It asks a model, which no call of this world claims.
    Sample,
}

use Turn::{Abandon, Ask, Empty, Fail, Finish, Pause, Sample};

/// What the handler of a call does. The last turn repeats.
pub(super) const PLANS: [&[Turn]; 14] = [
    &[Ask(&[F]), Finish],
    &[Ask(&[F, U]), Finish],
    &[Ask(&[F]), Ask(&[F]), Finish],
    &[Finish],
    &[Ask(&[U]), Finish],
    &[Pause, Ask(&[F]), Finish],
    &[Ask(&[F, F]), Pause, Ask(&[U, F]), Finish],
    &[Ask(&[F])],
    &[Pause],
    &[Ask(&[F]), Fail],
    &[Ask(&[F]), Abandon],
    &[Empty],
    &[Sample],
    &[Fail],
];

/// The plans of which a provider takes none: it rejects the first, and lets go of the second.
pub(super) const REJECTED: usize = PLANS.len();
pub(super) const RELEASED: usize = PLANS.len() + 1;

/// Returns what a plan does at a step.
pub(super) fn turn(plan: usize, step: usize) -> Turn {
    let plan = PLANS.get(plan).copied().unwrap_or(&[Finish]);
    plan.get(step).or(plan.last()).copied().unwrap_or(Finish)
}

/// Names a question of a round. The names come again in every round.
pub(super) fn key(index: usize) -> String {
    format!("{index} {SECRET}")
}

static WHO: LazyLock<Form> = LazyLock::new(|| {
    let schema = r#"{"type":"object","properties":{"who":{"type":"string","minLength":1,"maxLength":32}},"required":["who"]}"#;
    Form::from_schema(schema).unwrap()
});

/// Makes a question. Its words say which one it is.
pub(super) fn ask(kind: Kind, number: usize) -> InputRequest {
    let message = format!("{number} {SECRET}");
    match kind {
        F => InputRequest::form(&message, WHO.clone()),
        U => InputRequest::url(&message, &format!("https://auth.example/{SECRET}")).unwrap(),
    }
}

/// Returns which question is asked, by its words.
pub(super) fn number(elicitation: &Elicitation) -> Option<usize> {
    elicitation.message().raw().split(' ').next()?.parse().ok()
}

/// Returns which question is on a screen.
pub(super) fn number_shown(shown: &VisibleInteraction) -> Option<usize> {
    number(&shown.interaction.question.elicitation)
}

/// What can be filled in, each once in a life: the text, and what goes to a provider for it.
static ANSWERS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let answer = |number: usize| {
        let text = format!("{number} {SECRET}");
        let json = format!(r#"{{"action":"accept","content":{{"who":"{text}"}}}}"#);
        (text, json)
    };
    (0..512).map(answer).collect()
});

/// Writes an answer to a question: no two that are filled in are the same.
pub(super) fn answer(
    kind: Kind,
    how: How,
    number: usize,
) -> (InputResponse, Decision, &'static str) {
    match (how, kind) {
        (How::Decline, _) => (InputResponse::Decline, Decision::Decline, r#"{"action":"decline"}"#),
        (How::Cancel, _) => (InputResponse::Cancel, Decision::Cancel, r#"{"action":"cancel"}"#),
        (_, U) => (InputResponse::Consent, Decision::Accept, r#"{"action":"accept"}"#),
        (_, F) => {
            let (text, json) = ANSWERS.get(number % ANSWERS.len()).unwrap();
            let content = Content::new().with_text("who", text);
            (InputResponse::Accept(content), Decision::Accept, json)
        }
    }
}
