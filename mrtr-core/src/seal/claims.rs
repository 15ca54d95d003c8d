//! The claims of a token, byte by byte, and their checks.

use alloc::vec::Vec;

use subtle::ConstantTimeEq as _;

use super::{Context, OpenCause};
use crate::UnixTime;

/// How far the clocks of two servers with the same key may differ, in seconds.
pub(super) const SKEW_SECS: u64 = 30;

/// The content of a token.
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
    /// Writes the claims; `None` if the principal is longer than 65,535 bytes.
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        let [issued, expires] =
            [self.issued, self.expires].map(|time| time.as_secs().to_be_bytes());
        let round = self.round.to_be_bytes();
        let principal = match self.principal {
            None => [0].into(),
            Some(name) => {
                let length = u16::try_from(name.len()).ok()?.to_be_bytes();
                [&[1], length.as_slice(), name.as_bytes()].concat()
            }
        };
        let Self { id, digest, payload, .. } = self;
        Some([&issued, &expires, round.as_slice(), id, digest, &principal, payload].concat())
    }

    /// Reads claims; `None` if the bytes are not claims.
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

    /// Checks the time, the principal and the params. The associated data has the rest.
    pub(super) fn check(&self, now: UnixTime, context: &Context<'_>) -> Result<(), OpenCause> {
        let same_principal = match (self.principal, context.principal) {
            (None, None) => true,
            (Some(sealed), Some(found)) => sealed.as_bytes().ct_eq(found.as_bytes()).into(),
            _ => false,
        };
        let same_params = bool::from(self.digest.ct_eq(&context.digest));
        if now >= self.expires {
            return Err(OpenCause::Expired);
        }
        if self.issued.as_secs() > now.as_secs().saturating_add(SKEW_SECS) {
            return Err(OpenCause::NotYetValid);
        }
        if !same_principal {
            return Err(OpenCause::OtherPrincipal);
        }
        if !same_params {
            return Err(OpenCause::OtherParams);
        }
        Ok(())
    }
}
