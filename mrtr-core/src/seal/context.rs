//! What a token is bound to.

use alloc::vec::Vec;
use core::fmt;

use super::{Purpose, canonical::digest};
use crate::wire::{PROTOCOL_VERSION, RawJson, WireError};

/// The request that a token is sealed for. The token opens only in an equal context.
///
/// Two contexts are equal if their purpose, protocol version, method, endpoint and principal are,
/// byte for byte, and if their params mean the same: `_meta`, `inputResponses` and `requestState` are
/// left out, the order of members does not count, and numbers and strings count by their value.
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
    /// `endpoint` is the name of the server or of the part of it that the request is for. Servers
    /// that share keys and open each other's tokens share the name, too.
    ///
    /// # Errors
    ///
    /// Params that are no object, or in which an object names a member twice.
    pub fn new(
        purpose: &'a Purpose,
        method: &'a str,
        endpoint: &'a str,
        params: &RawJson,
    ) -> Result<Self, WireError> {
        Ok(Self::from_digest(purpose, method, endpoint, digest(method, params)?))
    }

    /// Makes the context of a request whose [`digest`] is known.
    pub(crate) const fn from_digest(
        purpose: &'a Purpose,
        method: &'a str,
        endpoint: &'a str,
        digest: [u8; 32],
    ) -> Self {
        let protocol_version = PROTOCOL_VERSION;
        Self { purpose, protocol_version, method, endpoint, principal: None, digest }
    }

    /// Sets whom the request is from. Nobody in particular and the empty name are two principals.
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

    /// Writes what is authenticated beside the claims: each part after its length, so that no two
    /// contexts have one text.
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

/// Shows neither the principal nor anything of the params.
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
