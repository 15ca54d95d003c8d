//! Tokens that a client carries from request to request, and can neither make nor change.
//!
//! A server of MCP remembers nothing between the requests of one call. What it has to know on the
//! retry travels in `requestState`, through a client that may be hostile (mrtr, server requirements 4
//! and 5). [`RequestState`] seals that, and opens it again: only for the same request, from the same
//! principal, until it expires. The exchange of the server role does so by itself; use this module
//! where a server or gateway is built without it.
//!
//! 1. Make a [`Keyring`], the same on all processes of a server.
//! 2. Make a [`RequestState`] of it: encrypting, signing, or with a [`Cipher`] of your own.
//! 3. Name what your tokens are for: a [`Purpose`].
//! 4. For each request, make a [`Context`] of what the transport and the message say.
//! 5. [`RequestState::seal`] when the request is answered, [`RequestState::open`] on its retry. Both
//!    take the time, and `seal` takes a generator of random numbers: this crate has neither.
//!
//! ```text
//!            ┌─────────┬──────┬────────┬─────────────┬──────────────────────────────┐
//!  a token:  │ version │ mode │ key id │ random salt │ claims, sealed by the cipher │
//!            └─────────┴──────┴────────┴─────────────┴──────────────────────────────┘
//!                                                       ▲                ▲
//!  the ring's key of that id, mode, salt ── HMAC ── key of the message   │ authenticated with them
//!  version, mode, key id, purpose, protocol version, method, endpoint ───┘
//!
//!  the claims:  issued, expires, round, token id, digest of method and params, principal, payload
//! ```
//!
//! `docs/request-state.md` has the format byte by byte, and vectors for it.

mod canonical;
mod cipher;
mod claims;
mod context;
mod error;
mod keyring;
mod message_key;
mod number;
mod opened;
mod purpose;
mod state;
mod token;

#[cfg(feature = "server")]
pub(crate) use canonical::digest;
pub use cipher::{Cipher, CipherError, InvalidMode};
pub use context::Context;
pub use error::{GeneratorError, OpenCause, OpenError, SealError};
pub use keyring::{Keyring, KeyringError};
pub use message_key::MessageKey;
pub use opened::{Opened, TokenId};
pub use purpose::{Purpose, PurposeError};
pub use state::{InvalidLifetime, RequestState};
pub use token::TOKEN_BYTES_MAX;

#[cfg(test)]
mod tests;
