//! The person at the terminal, or the answers that were given in advance.

use std::collections::BTreeSet;

use mrtr_core::{
    client::Event,
    host::{InteractionId, PendingInteraction, VisibleInteraction},
    wire::Elicitation,
};
use mrtr_examples::{
    host::{Error, Screen},
    surface::{Answers, WARNING},
};

/// Asks one question after the other, as long as the host lives.
pub(crate) async fn attend(mut screen: Screen, answers: &Answers) -> Result<(), Error> {
    let mut asked = BTreeSet::<InteractionId>::new();
    loop {
        let is_new = |shown: &&VisibleInteraction| {
            shown.taken.is_none() && !asked.contains(&shown.interaction.id)
        };
        let Some(shown) = screen.open().find(is_new).cloned() else {
            screen.next().await?;
            continue;
        };
        asked.insert(shown.interaction.id);
        match ask(&screen, &shown.interaction, answers).await {
            // It was answered elsewhere, or has ended: the person's answer does not count.
            Err(Error::Misuse(misuse)) => eprintln!("the answer did not count: {misuse}"),
            done => done?,
        }
    }
}

async fn ask(
    screen: &Screen,
    question: &PendingInteraction,
    answers: &Answers,
) -> Result<(), Error> {
    let requester = describe(question);
    if answers.are_given() {
        println!("\n{requester} asks:\n  {}\n  {WARNING}", message(&question.question.elicitation));
    }
    let request = question.question.elicitation.clone().into();
    let answer = match answers.clone().surface(requester) {
        Some(surface) => surface.ask(1, question.id.to_string(), request).await,
        None => {
            eprintln!(
                "there is no terminal to ask at: answer with --answer NAME=VALUE, --decline or --cancel"
            );
            return screen.give_up(question.id).await;
        }
    };
    match answer {
        Ok(Event::Answer { response, .. }) => screen.answer(question.id, response).await,
        Ok(_) => screen.give_up(question.id).await,
        Err(why) => {
            eprintln!("{why}");
            screen.give_up(question.id).await
        }
    }
}

/// Describes who asks. Only the registration is verified.
fn describe(question: &PendingInteraction) -> String {
    let requester = &question.question.requester;
    format!(
        "{} (by its own words the provider {}, for the server {} and its tool {}: unverified)",
        question.owner.registration, requester.provider, requester.server, requester.tool
    )
}

fn message(elicitation: &Elicitation) -> String {
    match elicitation {
        Elicitation::Form(request) => request.message.to_string(),
        Elicitation::Url(request) => format!("{} ({})", request.message, request.host),
    }
}
