//! Tokens that a client carries from request to request, and that it cannot make or change.
//!
//! A server of MCP remembers nothing between the requests of one call. What it needs on the retry
//! travels in `requestState`, through a client that may be hostile (mrtr, server requirements 4 and
//! 5). [`RequestState`] seals it, and opens it again: only for the same request, from the same
//! principal, until it expires.
//!
//! An [`Exchange`](crate::server::Exchange) does this by itself. Use this module if you build a
//! server or a gateway without one.
//!
//! 1. Make a [`Keyring`], the same on all processes of a server.
//! 2. Make a [`RequestState`] with the ring. It encrypts, or signs, or uses a [`Cipher`] of your own.
//! 3. Name the use of your tokens: a [`Purpose`].
//! 4. For each request, make a [`Context`] from the message and from the principal that the
//!    transport authenticated.
//! 5. Call [`RequestState::seal`] when you answer the request, and [`RequestState::open`] on its
//!    retry. Both take the time, and `seal` takes a generator of random numbers, because this crate
//!    has no clock and no generator.
//!
//! The *claims* are the content of a token. Each token has its own key, and the claims are sealed
//! with that key:
//!
//! ```text
//!            ┌─────────┬──────┬────────┬─────────────┬──────────────────────────────┐
//!  a token:  │ version │ mode │ key id │ random salt │ claims, sealed by the cipher │
//!            └─────────┴──────┴────────┴─────────────┴──────────────────────────────┘
//!
//!  the claims:  issued, expires, round, token id, digest of method and params, principal, payload
//! ```
//!
//! The key of the token is the HMAC of the mode and the salt, under the key of the ring that the key
//! id names. The cipher seals the claims with it. Together with the claims it authenticates version,
//! mode, key id, purpose, protocol version, method and endpoint.
//!
//! `docs/request-state.md` in the repository has the format byte by byte, and test vectors.

mod canonical;
mod cipher;
mod claims;
mod context;
mod error;
mod keyring;
mod message_key;
mod number;
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
pub use purpose::{Purpose, PurposeError};
pub use state::{InvalidLifetime, Opened, RequestState, TokenId};
pub use token::TOKEN_BYTES_MAX;

#[cfg(test)]
mod tests;
