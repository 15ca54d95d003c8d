//! The request to which a token is bound.

use alloc::vec::Vec;
use core::fmt;

use super::{Purpose, canonical::digest};
use crate::wire::{PROTOCOL_VERSION, RawJson, WireError};

/// The request to which a token is bound. The token opens only in an equal context.
///
/// Purpose, protocol version, method, endpoint and principal must match byte for byte. The params
/// must have the same meaning: the order of members does not matter, and numbers and strings are
/// compared by their values. `_meta`, `inputResponses` and `requestState` are ignored.
///
/// ```
/// use mrtr_core::{seal::{Context, Purpose}, wire::RawJson};
///
/// let purpose = Purpose::new("example.com/gateway resume")?;
/// let params = RawJson::parse(r#"{"name": "deploy"}"#)?;
/// let context = Context::new(&purpose, "tools/call", "deployments", &params)?
///     .with_principal("alice");
///
/// let list = RawJson::parse("[]")?;
/// let error = Context::new(&purpose, "tools/call", "deployments", &list).unwrap_err();
/// assert_eq!(error.to_string(), "expected params to be an object");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Context<'a> {
    purpose: &'a Purpose,
    protocol_version: &'a str,
    method: &'a str,
    endpoint: &'a str,
    pub(super) principal: Option<&'a str>,
    pub(super) digest: [u8; 32],
}

impl<'a> Context<'a> {
    /// Makes the context of a request without a principal, in protocol version 2026-07-28.
    ///
    /// `endpoint` names the server, or the part of it that serves the request. Processes that open
    /// each other's tokens must use the same name.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the params are not an object, or if an object in them has a
    /// duplicate member.
    pub fn new(
        purpose: &'a Purpose,
        method: &'a str,
        endpoint: &'a str,
        params: &RawJson,
    ) -> Result<Self, WireError> {
        Ok(Self::from_digest(purpose, method, endpoint, digest(method, params)?))
    }

    /// Makes the context of a request from its [`digest`].
    pub(crate) const fn from_digest(
        purpose: &'a Purpose,
        method: &'a str,
        endpoint: &'a str,
        digest: [u8; 32],
    ) -> Self {
        let protocol_version = PROTOCOL_VERSION;
        Self { purpose, protocol_version, method, endpoint, principal: None, digest }
    }

    /// Sets the principal: whoever calls the server, as the transport authenticated them. No
    /// principal and the empty principal are different.
    ///
    /// Each token contains the principal: [`RequestState::seal`](super::RequestState::seal) fails
    /// with [`SealError::TooLarge`](super::SealError::TooLarge) if it does not fit.
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Option<&'a str>>) -> Self {
        Self { principal: principal.into(), ..self }
    }

    /// Sets the protocol version of the request.
    #[must_use]
    pub const fn with_protocol_version(mut self, protocol_version: &'a str) -> Self {
        self.protocol_version = protocol_version;
        self
    }

    /// Writes the associated data. The length of each part precedes it, so no two contexts have the
    /// same bytes.
    pub(super) fn associated_data(&self, header: &[u8]) -> Vec<u8> {
        let mut data = Vec::from(b"mrtr-core request state");
        for part in [
            header,
            self.purpose.as_str().as_bytes(),
            self.protocol_version.as_bytes(),
            self.method.as_bytes(),
            self.endpoint.as_bytes(),
        ] {
            data.extend_from_slice(&(part.len() as u64).to_be_bytes());
            data.extend_from_slice(part);
        }
        data
    }
}

/// The output has no principal and nothing of the params.
impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("purpose", self.purpose)
            .field("protocol_version", &self.protocol_version)
            .field("method", &self.method)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
