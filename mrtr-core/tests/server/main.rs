//! What a server does with a request, seen from outside: bytes in, an answer out.
//!
//! One file an idea; `play` holds the endpoint, the messages and the ends that they share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod awaiting;
mod builders;
mod drift;
mod exchange;
mod flows;
mod gate;
mod hostile;
mod kinds;
mod legacy;
mod parts;
mod pitfalls;
mod play;
mod reports;
mod responses;
mod secrets;
mod single_use;
