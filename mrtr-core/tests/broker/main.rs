//! What a broker does, seen from outside: events in, actions out.
//!
//! One file an idea; `play` holds the broker, the time, and the providers, surfaces and store that
//! they share, and `lines` what is said.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

mod acceptance;
mod answers;
mod binding;
mod bytes;
mod clocks;
mod endings;
mod frames;
mod hostile;
mod lines;
mod pitfalls;
mod play;
mod projection;
mod records;
mod restart;
mod scale;
mod store;
