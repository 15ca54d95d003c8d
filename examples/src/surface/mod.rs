//! Who answers the questions of a server.

mod answers;
mod given;
mod script;
mod terminal;

use core::{fmt, future::Future, pin::Pin};

use form_model::SafeText;
use mrtr_core::{
    client::Event,
    wire::{InputRequest, RawJson},
};
use serde_json::Value;

pub use answers::Answers;
pub use given::Given;
pub use script::Script;
pub use terminal::Terminal;

/// The advice that every form carries.
pub const WARNING: &str = "Never enter passwords, API keys, tokens or payment details in a form.";

/// A surface on which the questions of a call are answered: forms, and URLs to open. It runs on any
/// runtime.
pub trait Surface: Send + Sync {
    /// Asks a question, and returns the event that answers it.
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>>;
}

/// Prints the texts of a tool's result, made safe. Returns whether the tool succeeded.
#[must_use]
pub fn show_result(result: &RawJson) -> bool {
    let result: Value = serde_json::from_str(result.as_str()).unwrap_or_default();
    for block in result.get("content").and_then(Value::as_array).into_iter().flatten() {
        let text = block.get("text").and_then(Value::as_str).unwrap_or("(not a text)");
        println!("{}", SafeText::paragraph(text));
    }
    result.get("isError") != Some(&Value::Bool(true))
}

/// Makes the reason of a surface that is asked for what no call of these examples claims.
pub(crate) fn not_claimed() -> GaveUp {
    GaveUp("nothing here answers for a model or lists roots".into())
}

/// Why there is no answer.
#[derive(Debug)]
pub struct GaveUp(pub String);

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
