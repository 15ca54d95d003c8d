//! What a call claims that it can answer.

use crate::wire::Capabilities;

/// The kinds of input requests that a call can answer.
///
/// They are declared to the server on every leg. Claim what somebody is there to answer, and nothing
/// else: a server asks what is claimed, and a call that cannot answer ends.
///
/// ```
/// use mrtr_core::client::Claims;
///
/// // There is a screen on which somebody can fill in a form or be sent to a page.
/// let claims = Claims::none().with_form().with_url();
/// assert!(claims.capabilities().form);
///
/// // Nobody is there, but the server may ask to be called again later.
/// let claims = Claims::none().with_retries();
/// assert!(claims.capabilities().is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Claims {
    retries: bool,
    capabilities: Capabilities,
}

impl Claims {
    /// Claims nothing: a server that needs input, or to be called again, ends the call.
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
    pub const fn with_form(self) -> Self {
        self.with(Capabilities::NONE.with_form())
    }

    /// Claims that somebody can be sent to a URL.
    #[must_use]
    pub const fn with_url(self) -> Self {
        self.with(Capabilities::NONE.with_url())
    }

    /// Claims that a model can be asked.
    #[must_use]
    pub const fn with_sampling(self) -> Self {
        self.with(Capabilities::NONE.with_sampling())
    }

    /// Claims that a model can be asked, and may use the tools that a request brings.
    #[must_use]
    pub const fn with_sampling_tools(self) -> Self {
        self.with(Capabilities::NONE.with_sampling_tools())
    }

    /// Claims that a model can be asked, with context of servers.
    #[must_use]
    pub const fn with_sampling_context(self) -> Self {
        self.with(Capabilities::NONE.with_sampling_context())
    }

    /// Claims that roots can be listed.
    #[must_use]
    pub const fn with_roots(self) -> Self {
        self.with(Capabilities::NONE.with_roots())
    }

    /// Adds claims of capabilities.
    #[must_use]
    pub const fn with(self, capabilities: Capabilities) -> Self {
        Self {
            retries: self.retries || !capabilities.is_empty(),
            capabilities: self.capabilities.union(capabilities),
        }
    }

    /// Tells whether the server may ask to be called again.
    #[must_use]
    pub const fn allows_retries(self) -> bool {
        self.retries
    }

    /// Returns what is claimed, as the capabilities of a request.
    #[must_use]
    pub const fn capabilities(self) -> Capabilities {
        self.capabilities
    }
}
