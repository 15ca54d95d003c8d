//! The part of a server that answers requests under one name.

use alloc::{collections::BTreeMap, string::String, sync::Arc};
use core::fmt;

use crate::{Limits, seal::RequestState, wire::ParamHeaders};

/// The part of a server that answers requests under one name. It is shared by its exchanges.
///
/// ```
/// use std::sync::Arc;
/// use mrtr_core::seal::{Keyring, RequestState};
/// use mrtr_core::server::Endpoint;
///
/// let keys = Keyring::new([("2026-10", [7; 32])])?;
/// let endpoint =
///     Arc::new(Endpoint::new("deployments").with_request_state(RequestState::new(keys)));
/// # Ok::<(), mrtr_core::seal::KeyringError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Endpoint {
    pub(super) name: Arc<str>,
    pub(super) request_state: Option<RequestState>,
    pub(super) single_use: bool,
    pub(super) legacy: bool,
    pub(super) limits: Limits,
    pub(super) message_bytes_max: usize,
    pub(super) param_headers: BTreeMap<String, ParamHeaders>,
}

impl Endpoint {
    /// Makes an endpoint without keys. A state that one endpoint sealed opens at no other.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            request_state: None,
            single_use: false,
            legacy: false,
            limits: Limits::default(),
            message_bytes_max: 4 * 1024 * 1024,
            param_headers: BTreeMap::new(),
        }
    }

    /// Gives the endpoint keys. Then each round is sealed, and answers that come without their
    /// state are ignored.
    #[must_use]
    pub fn with_request_state(self, request_state: RequestState) -> Self {
        Self { request_state: Some(request_state), ..self }
    }

    /// Lets each state be used once: the exchange asks the store to redeem it before the handler
    /// runs. An endpoint without keys has no states, and asks nothing.
    #[must_use]
    pub fn with_single_use(self) -> Self {
        Self { single_use: true, ..self }
    }

    /// Serves requests of earlier revisions, too, which name no version in `_meta`. A handler
    /// cannot ask on them.
    #[must_use]
    pub fn with_legacy(self) -> Self {
        Self { legacy: true, ..self }
    }

    /// Sets the bounds of forms, answers and rounds.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the bytes that a message may have. Default 4 MiB.
    #[must_use]
    pub fn with_message_bytes_max(self, message_bytes_max: usize) -> Self {
        Self { message_bytes_max, ..self }
    }

    /// Sets which arguments of a tool are repeated in `Mcp-Param-*` headers. They are compared
    /// where the request came with headers.
    #[must_use]
    pub fn with_param_headers(mut self, tool: impl Into<String>, headers: ParamHeaders) -> Self {
        self.param_headers.insert(tool.into(), headers);
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("request_state", &self.request_state)
            .field("single_use", &self.single_use)
            .field("legacy", &self.legacy)
            .finish_non_exhaustive()
    }
}
