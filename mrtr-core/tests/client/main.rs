//! What an invocation does, seen from outside: events in, actions out.
//!
//! One file an idea; `play` holds the call, the time and the server's lines that they share.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod acceptance;
mod answers;
mod claims;
mod clocks;
mod endings;
mod hostile;
mod kinds;
mod limits;
mod pitfalls;
mod play;
mod progress;
mod promises;
mod rounds;
mod secrets;
mod states;
mod values;
