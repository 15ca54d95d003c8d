//! What a call claims that it can answer.

use core::str::FromStr;

use mrtr_core::{AnswersSampling, Claims};
use mrtr_examples::surface::Given;

/// Is what is claimed, as the command line names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claimed {
    form: bool,
    url: bool,
    sampling: bool,
    tools: bool,
    context: bool,
    roots: bool,
}

impl FromStr for Claimed {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let mut claimed = Self::default();
        for name in list.split(',').filter(|name| *name != "none") {
            match name {
                "form" => claimed.form = true,
                "url" => claimed.url = true,
                "sampling" => claimed.sampling = true,
                "sampling.tools" => claimed.tools = true,
                "sampling.context" => claimed.context = true,
                "roots" => claimed.roots = true,
                _ => return Err(format!("expected a claim or none, found {name:?}")),
            }
        }
        Ok(claimed)
    }
}

/// Is a model that may use tools, be given context, or both.
struct Model<const TOOLS: bool, const CONTEXT: bool>;

impl<const TOOLS: bool, const CONTEXT: bool> AnswersSampling for Model<TOOLS, CONTEXT> {
    const TOOLS: bool = TOOLS;
    const CONTEXT: bool = CONTEXT;
}

impl Claimed {
    /// Makes the claims. Who claims nothing can still be asked to call again.
    pub(crate) fn claims(&self, by: &Given) -> Claims {
        let mut claims = Claims::none().with_retries();
        if self.form {
            claims = claims.with_form(by);
        }
        if self.url {
            claims = claims.with_url(by);
        }
        if self.roots {
            claims = claims.with_roots(by);
        }
        match (self.sampling || self.tools || self.context, self.tools, self.context) {
            (false, ..) => claims,
            (true, false, false) => claims.with_sampling(by),
            (true, true, false) => claims.with_sampling(&Model::<true, false>),
            (true, false, true) => claims.with_sampling(&Model::<false, true>),
            (true, true, true) => claims.with_sampling(&Model::<true, true>),
        }
    }
}
