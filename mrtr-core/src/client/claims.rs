//! The kinds of questions that a call claims to answer.

use crate::wire::Capabilities;

/// The kinds of input requests that a call can answer.
///
/// Every leg declares them to the server. Claim only what can be answered: a server may ask
/// everything that is claimed, and the call ends if a question cannot be answered.
///
/// ```
/// use mrtr_core::client::Claims;
///
/// // There is a screen on which a person can fill in a form or open a page.
/// let claims = Claims::none().with_form().with_url();
/// assert!(claims.capabilities().form);
///
/// // No question can be answered, but the server may ask to be called again.
/// let claims = Claims::none().with_retries();
/// assert!(claims.capabilities().is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Claims {
    retries: bool,
    capabilities: Capabilities,
}

impl Claims {
    /// Claims nothing. The call ends with a fault if the server answers `input_required`.
    #[must_use]
    pub const fn none() -> Self {
        Self { retries: false, capabilities: Capabilities::NONE }
    }

    /// Allows state-only rounds, in which the server only wants to be called again.
    #[must_use]
    pub const fn with_retries(self) -> Self {
        Self { retries: true, ..self }
    }

    /// Claims that a person can fill in a form.
    #[must_use]
    pub const fn with_form(self) -> Self {
        self.with(Capabilities::NONE.with_form())
    }

    /// Claims that a person can be asked to open a URL.
    #[must_use]
    pub const fn with_url(self) -> Self {
        self.with(Capabilities::NONE.with_url())
    }

    /// Claims that a model can be asked.
    #[must_use]
    pub const fn with_sampling(self) -> Self {
        self.with(Capabilities::NONE.with_sampling())
    }

    /// Claims that a model can be asked, and that it can use the tools of the request.
    #[must_use]
    pub const fn with_sampling_tools(self) -> Self {
        self.with(Capabilities::NONE.with_sampling_tools())
    }

    /// Claims that a model can be asked, and that context of MCP servers can be included.
    #[must_use]
    pub const fn with_sampling_context(self) -> Self {
        self.with(Capabilities::NONE.with_sampling_context())
    }

    /// Claims that roots can be listed.
    #[must_use]
    pub const fn with_roots(self) -> Self {
        self.with(Capabilities::NONE.with_roots())
    }

    /// Adds everything that `capabilities` declares to the claims.
    #[must_use]
    pub const fn with(self, capabilities: Capabilities) -> Self {
        Self {
            retries: self.retries || !capabilities.is_empty(),
            capabilities: self.capabilities.union(capabilities.whole()),
        }
    }

    /// Returns whether the server may answer `input_required`. Every claim allows it.
    #[must_use]
    pub const fn allows_retries(self) -> bool {
        self.retries
    }

    /// Returns the claimed capabilities.
    #[must_use]
    pub const fn capabilities(self) -> Capabilities {
        self.capabilities
    }
}
