//! What a call claims that it can answer.

use crate::wire::Capabilities;

/// Marks what can show a form to a person and bring back what they did with it.
pub trait AnswersForms {}

/// Marks what can show a URL to a person, open it if they agree, and bring back what they said.
pub trait AnswersUrls {}

/// Marks what can ask a model.
pub trait AnswersSampling {
    /// Whether it lets the model use the tools that a request brings.
    const TOOLS: bool = false;
    /// Whether it includes context of servers.
    const CONTEXT: bool = false;
}

/// Marks what can list roots.
pub trait AnswersRoots {}

/// Says what a call can answer. Each kind is claimed to the server on every leg, and is claimed
/// only by showing what answers it: a claim that nobody can answer can not be made.
///
/// ```
/// use mrtr_core::{AnswersForms, Claims};
///
/// /// There is a screen on which somebody can fill in a form.
/// struct Screen;
/// impl AnswersForms for Screen {}
/// let claims = Claims::none().with_form(&Screen);
///
/// // There is not, but the server may ask to be called again later.
/// let claims = Claims::none().with_retries();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Claims {
    retries: bool,
    capabilities: Capabilities,
}

impl Claims {
    /// Claims nothing: the params go out untouched, and a server that needs input ends the call.
    #[must_use]
    pub const fn none() -> Self {
        Self { retries: false, capabilities: Capabilities::NONE }
    }

    /// Accepts that the server asks to be called again, without asking anybody.
    #[must_use]
    pub const fn with_retries(self) -> Self {
        Self { retries: true, ..self }
    }

    /// Claims that somebody can fill in a form.
    #[must_use]
    pub fn with_form(self, _by: &(impl AnswersForms + ?Sized)) -> Self {
        self.with(Capabilities { form: true, ..Capabilities::NONE })
    }

    /// Claims that somebody can be sent to a URL.
    #[must_use]
    pub fn with_url(self, _by: &(impl AnswersUrls + ?Sized)) -> Self {
        self.with(Capabilities { url: true, ..Capabilities::NONE })
    }

    /// Claims that a model can be asked, with tools and context as far as it takes them.
    #[must_use]
    pub fn with_sampling<S: AnswersSampling>(self, _by: &S) -> Self {
        self.with(Capabilities {
            sampling: true,
            sampling_tools: S::TOOLS,
            sampling_context: S::CONTEXT,
            ..Capabilities::NONE
        })
    }

    /// Claims that roots can be listed.
    #[must_use]
    pub fn with_roots(self, _by: &(impl AnswersRoots + ?Sized)) -> Self {
        self.with(Capabilities { roots: true, ..Capabilities::NONE })
    }

    pub(crate) const fn with(self, more: Capabilities) -> Self {
        Self { retries: true, capabilities: self.capabilities.with(more) }
    }

    pub(crate) const fn allows_retries(self) -> bool {
        self.retries
    }

    /// Returns what is claimed, as the capabilities of a request.
    #[must_use]
    pub const fn capabilities(self) -> Capabilities {
        self.capabilities
    }
}
