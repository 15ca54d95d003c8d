//! Who answers what a server asks.

mod script;
mod terminal;

use core::{fmt, future::Future, pin::Pin};

use mrtr_core::{AnswersForms, AnswersUrls, Event, Interaction};

pub use script::Script;
pub use terminal::Terminal;

/// The advice that every form carries.
pub const WARNING: &str = "Never enter passwords, API keys, tokens or payment details in a form.";

/// Answers the questions of a call: forms, and URLs to open. It needs no runtime of a certain kind.
pub trait Surface: AnswersForms + AnswersUrls + Send + Sync {
    /// Asks, and returns the event that answers.
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>>;
}

/// Says that a surface was asked for what no call of these examples claims.
fn not_claimed() -> GaveUp {
    GaveUp("nothing here answers for a model or lists roots".into())
}

/// Says why there is no answer.
#[derive(Debug)]
pub struct GaveUp(pub String);

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
