//! What a server does with a request, seen from outside: bytes in, an answer out.
//!
//! One file an idea; `play` holds the endpoint, the messages and the ends that they share.

#![cfg(feature = "request-state")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod builders;
mod drift;
mod flows;
mod gate;
mod hostile;
mod legacy;
mod pitfalls;
mod play;
mod responses;
mod single_use;
