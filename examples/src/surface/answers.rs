//! The command-line flags that answer questions in advance.

use std::{
    io::{self, IsTerminal as _},
    sync::Arc,
};

use clap::Args;

use super::{Script, Surface, Terminal};

/// The flags of a command line that say who answers.
#[derive(Args, Clone)]
pub struct Answers {
    /// Answers a field of every form, as NAME=VALUE; of a multiple choice, as NAME=A,B.
    #[arg(long = "answer", value_name = "NAME=VALUE", value_parser = pair)]
    given: Vec<(String, String)>,
    /// Declines every form.
    #[arg(long, conflicts_with_all = ["given", "cancel"])]
    decline: bool,
    /// Closes every form without an answer.
    #[arg(long, conflicts_with = "given")]
    cancel: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

impl Answers {
    /// Returns whether the answers are given in advance.
    #[must_use]
    pub const fn are_given(&self) -> bool {
        self.decline || self.cancel || !self.given.is_empty()
    }

    /// Picks who answers. Returns `None` if there is neither an answer nor a terminal.
    #[must_use]
    pub fn surface(self, requester: String) -> Option<Arc<dyn Surface>> {
        if self.decline {
            Some(Arc::new(Script::Decline))
        } else if self.cancel {
            Some(Arc::new(Script::Cancel))
        } else if !self.given.is_empty() {
            Some(Arc::new(Script::Accept(self.given)))
        } else if io::stdin().is_terminal() && io::stdout().is_terminal() {
            Some(Arc::new(Terminal::new(requester)))
        } else {
            None
        }
    }
}
