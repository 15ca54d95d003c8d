//! What a broker does, seen from outside: events in, actions out.
//!
//! Each file has one subject. `play` has the broker, the time, the providers, the surfaces and the store
//! that all tests share; `lines` has what they say.

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
mod secrets;
mod store;
