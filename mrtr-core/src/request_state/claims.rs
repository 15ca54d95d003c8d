//! What is inside a token, byte by byte, and what must hold of it.

use alloc::vec::Vec;

use subtle::ConstantTimeEq as _;

use super::{Context, OpenCause, OpenError, SKEW_SECS};
use crate::UnixTime;

/// Is what is inside a token.
pub(super) struct Claims<'a> {
    pub(super) issued: UnixTime,
    pub(super) expires: UnixTime,
    pub(super) round: u32,
    pub(super) id: [u8; 16],
    pub(super) digest: [u8; 32],
    pub(super) principal: Option<&'a str>,
    pub(super) payload: &'a [u8],
}

impl<'a> Claims<'a> {
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(96 + self.payload.len());
        bytes.extend_from_slice(&self.issued.as_secs().to_be_bytes());
        bytes.extend_from_slice(&self.expires.as_secs().to_be_bytes());
        bytes.extend_from_slice(&self.round.to_be_bytes());
        bytes.extend_from_slice(&self.id);
        bytes.extend_from_slice(&self.digest);
        match self.principal {
            None => bytes.push(0),
            Some(principal) => {
                bytes.push(1);
                bytes.extend_from_slice(&u16::try_from(principal.len()).ok()?.to_be_bytes());
                bytes.extend_from_slice(principal.as_bytes());
            }
        }
        bytes.extend_from_slice(self.payload);
        Some(bytes)
    }

    pub(super) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (issued, rest) = bytes.split_first_chunk()?;
        let (expires, rest) = rest.split_first_chunk()?;
        let (round, rest) = rest.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (principal, payload) = match rest.split_first()? {
            (0, payload) => (None, payload),
            (1, rest) => {
                let (length, rest) = rest.split_first_chunk()?;
                let length = usize::from(u16::from_be_bytes(*length));
                let (principal, payload) = rest.split_at_checked(length)?;
                (Some(core::str::from_utf8(principal).ok()?), payload)
            }
            _ => return None,
        };
        Some(Self {
            issued: UnixTime::from_secs(u64::from_be_bytes(*issued)),
            expires: UnixTime::from_secs(u64::from_be_bytes(*expires)),
            round: u32::from_be_bytes(*round),
            id: *id,
            digest: *digest,
            principal,
            payload,
        })
    }

    pub(super) fn check(&self, now: UnixTime, context: &Context<'_>) -> Result<(), OpenError> {
        let same_principal = match (self.principal, context.principal) {
            (None, None) => true,
            (Some(sealed), Some(found)) => sealed.as_bytes().ct_eq(found.as_bytes()).into(),
            _ => false,
        };
        let same_params = bool::from(self.digest.ct_eq(context.digest));
        let failed = |cause| Err(OpenError(cause));
        if now >= self.expires {
            return failed(OpenCause::Expired);
        }
        if self.issued.as_secs() > now.as_secs().saturating_add(SKEW_SECS) {
            return failed(OpenCause::NotYetValid);
        }
        if !same_principal {
            return failed(OpenCause::OtherPrincipal);
        }
        if !same_params {
            return failed(OpenCause::OtherParams);
        }
        Ok(())
    }
}
