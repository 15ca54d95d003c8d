//! The name, the keys and the limits of a server.

use alloc::{collections::BTreeMap, string::String, sync::Arc};
use core::fmt;

use crate::{Limits, seal::RequestState, wire::ParamHeaders};

/// What the exchanges of a server share: a name, keys and limits. States are bound to the name.
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
    /// Makes an endpoint without keys. An endpoint cannot open the states of an endpoint with
    /// another name.
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

    /// Gives the endpoint keys. Each round then has a sealed state. Answers in a request without a
    /// sealed state are ignored.
    #[must_use]
    pub fn with_request_state(self, request_state: RequestState) -> Self {
        Self { request_state: Some(request_state), ..self }
    }

    /// Allows each state to be used only once: the exchange returns
    /// [`Action::Redeem`](super::Action::Redeem) before the handler runs. On an endpoint without
    /// keys it has no effect.
    #[must_use]
    pub fn with_single_use(self) -> Self {
        Self { single_use: true, ..self }
    }

    /// Also serves requests of earlier revisions, which name no version in `_meta`. A handler
    /// cannot ask questions in answer to such a request.
    #[must_use]
    pub fn with_legacy(self) -> Self {
        Self { legacy: true, ..self }
    }

    /// Sets the limits of forms, answers and rounds.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the most bytes of a message. The default is 4 MiB. The exchange answers a larger
    /// message with error -32600 and status 400. The limit also applies to a message from
    /// [`Incoming::from_parts`](super::Incoming::from_parts).
    #[must_use]
    pub fn with_message_bytes_max(self, message_bytes_max: usize) -> Self {
        Self { message_bytes_max, ..self }
    }

    /// Sets which arguments of a tool are repeated in `Mcp-Param-*` headers. The exchange compares
    /// the headers with the arguments if the request has headers.
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

/// The output has the names of the keys, and not the keys.
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
